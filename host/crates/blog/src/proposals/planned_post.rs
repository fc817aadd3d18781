//! A new post as the index is going to read it, before it is published.
//!
//! Owns: what the index would leave out: a mistake of the draft, on which its proposal waits.
//! Never: reads a file, or knows other posts.

use super::ProposalKind;
use crate::content::BlogLayout;
use crate::content::FileProblem;
use crate::content::post::{FileFacts, PostFile};
use crate::index::BlogSource;
use wardroom_sandbox::SandboxError;

/// Reads a text as the post at a path.
///
/// # Errors
/// When the guest cannot read it now.
pub(super) fn read_planned_post(
    source: &BlogSource,
    path: &str,
    text: &str,
) -> Result<Result<PostFile, FileProblem>, SandboxError> {
    let parsed = match source.sandbox.read_post(text.as_bytes(), None) {
        Ok(Ok(parsed)) => parsed,
        Ok(Err(refusal)) => return Ok(Err(FileProblem::hiding(path, refusal.line(), refusal.to_string()))),
        Err(error) if error.is_of_document() => return Ok(Err(FileProblem::hiding(path, 1, error.to_string()))),
        Err(error) => return Err(error),
    };
    Ok(PostFile::new(&FileFacts { path, modified: 0, layout: source.layout }, parsed))
}

/// Returns why the index would leave out a new post with an id; `None` where it would not, or what is proposed is none.
///
/// # Errors
/// As [`read_planned_post`].
pub(super) fn find_post_mistake(
    source: &BlogSource,
    (kind, id): (ProposalKind, &str),
    path: &str,
    text: &str,
) -> Result<Option<String>, SandboxError> {
    if kind != ProposalKind::DraftPost {
        return Ok(None);
    }
    Ok(match read_planned_post(source, path, text)? {
        Err(problem) => Some(format!("line {}: {}", problem.line, problem.message)),
        Ok(post) if source.layout == BlogLayout::Bds && post.post_id != id => {
            Some(format!("line {}: the id is not that of the proposed post: set it to {id}", post.lines.id))
        }
        Ok(_) => None,
    })
}
