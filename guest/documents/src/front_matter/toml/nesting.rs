//! How deep a text in TOML may be nested.
//!
//! Never: builds anything.

use wardroom_toml_nesting::{Nesting, NestingLimits, error_offset};

use crate::error::ParseError;
use crate::limits::MAX_DEPTH;

/// Of headers up to twice too many levels are counted. The parser's own limits are not in the way of a block that is within these.
const LIMITS: NestingLimits = NestingLimits { levels: 2 * MAX_DEPTH, parser_levels: usize::MAX };

/// Checks the nesting of a block.
pub(super) fn check(block: &str) -> Result<(), ParseError> {
    let nesting = Nesting::measure(block, LIMITS);
    if let Some(at) = nesting.too_deep_at {
        return Err(ParseError::TooDeep { at });
    }
    nesting.malformed.map_or(Ok(()), |error| {
        Err(ParseError::malformed(error_offset(&error), format!("not TOML: {}", error.description())))
    })
}

/// Returns where the first header (`[name]`) begins.
pub(crate) fn first_header(block: &str) -> Option<usize> {
    Nesting::measure(block, LIMITS).first_header
}
