//! The cursors of `bds://posts` and `bds://media`.
//!
//! Owns: their form: base64url of a place in the order of time. The two older forms, a number and `{"offset": 50}`, are
//! read too.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;

use crate::index::stored::{PageStart, TimeOrder};
use crate::limits::MAX_SEARCH_OFFSET;
use wardroom_service::ServiceError;

const MAX_CURSOR_BYTES: usize = 200;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OffsetCursor {
    offset: usize,
}

/// Parses a cursor.
///
/// # Errors
/// For text that is no cursor.
pub(crate) fn parse_cursor(text: &str) -> Result<PageStart, ServiceError> {
    let parse = || {
        let encoded = text.trim_end_matches('=');
        let plain = URL_SAFE_NO_PAD.decode(encoded).ok().filter(|_| text.len() <= MAX_CURSOR_BYTES)?;
        let plain = String::from_utf8(plain).ok()?;
        if let Some(place) = plain.strip_prefix("t:") {
            let (created, tie) = place.split_once(':')?;
            let place = TimeOrder { created: created.parse().ok()?, tie: u64::from_str_radix(tie, 16).ok()? };
            return (format_place(place) == plain).then_some(PageStart::After(place));
        }
        let offset = match serde_json::from_str::<OffsetCursor>(&plain) {
            Ok(OffsetCursor { offset }) => offset,
            Err(_) => plain.parse().ok().filter(|_| plain.bytes().all(|byte| byte.is_ascii_digit()))?,
        };
        (offset <= MAX_SEARCH_OFFSET).then_some(PageStart::Offset(offset))
    };
    parse().ok_or_else(ServiceError::unknown_cursor)
}

/// Formats the cursor of the page after a place.
pub(crate) fn format_cursor(place: TimeOrder) -> String {
    URL_SAFE_NO_PAD.encode(format_place(place))
}

fn format_place(place: TimeOrder) -> String {
    format!("t:{}:{:x}", place.created, place.tie)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn offset(text: &str) -> Option<usize> {
        match parse_cursor(text) {
            Ok(PageStart::Offset(offset)) => Some(offset),
            _ => None,
        }
    }

    #[test]
    fn older_cursors_are_read() {
        assert_eq!(offset("NTA"), Some(50));
        assert_eq!(offset(&URL_SAFE_NO_PAD.encode("{\"offset\":100}")), Some(100));
        for bad in ["", "!", "LTE", "eyJvZmZzZXQiOi0xfQ", "KzU", "NTB4", "dDo1", "99999"] {
            assert!(parse_cursor(bad).is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn cursors_are_read_back(created: i64, tie: u64) {
            let place = TimeOrder { created, tie };
            let Ok(PageStart::After(read)) = parse_cursor(&format_cursor(place)) else { panic!("{place:?}") };
            prop_assert_eq!(read, place);
        }

        #[test]
        fn any_text_is_a_cursor_or_refused(text in "\\PC{0,40}") {
            let _ = parse_cursor(&text);
        }
    }
}
