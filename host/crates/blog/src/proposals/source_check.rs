//! Whether the code of a script or template has mistakes, by the guest.
//!
//! Owns: how mistakes are named: by line and column of the code, which begins after the front matter.
//! Never: runs code, or parses it in this process.

use super::ProposalKind;
use crate::index::BlogSource;
use wardroom_sandbox::{DocumentProblem, SandboxError};

/// Mistakes that are named. The others are found once these are corrected.
const MAX_NAMED_MISTAKES: usize = 20;

/// Returns the mistakes of the code of a proposal, one a line; `None` where it has none, or is not about code.
///
/// # Errors
/// When the guest cannot check it now.
pub(crate) fn find_mistakes(
    source: &BlogSource,
    kind: ProposalKind,
    code: &str,
) -> Result<Option<String>, SandboxError> {
    let checked = match kind {
        ProposalKind::ProposeScript => source.sandbox.check_script(code.as_bytes()),
        ProposalKind::ProposeTemplate => source.sandbox.check_template(code.as_bytes()),
        ProposalKind::DraftPost
        | ProposalKind::ProposeMediaMetadata
        | ProposalKind::ProposePostMetadata
        | ProposalKind::ProposeMediaTranslation
        | ProposalKind::ProposePostTranslation
        | ProposalKind::ProposePostEdit => return Ok(None),
    };
    let problems = match checked {
        Ok(problems) => problems,
        Err(error) if error.is_of_document() => return Ok(Some(error.to_string())),
        Err(error) => return Err(error),
    };
    let name = |DocumentProblem { position, message }: &DocumentProblem| {
        format!("line {}, column {}: {message}", position.line, position.column)
    };
    let named: Vec<String> = problems.iter().take(MAX_NAMED_MISTAKES).map(name).collect();
    Ok((!named.is_empty()).then(|| named.join("\n")))
}
