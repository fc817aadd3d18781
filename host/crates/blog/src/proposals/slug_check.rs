//! Whether the slug of a proposed post is still free: others may have published a post with it since.
//!
//! Never: is the only guard. Where two posts have one slug all the same, the index leaves one of them out, and
//! `blog check` names it.

use super::Proposal;
use super::new::service_error;
use super::plan::{PlanError, ShownChange, is_named_by_slug};
use super::planned_post::read_planned_post;
use crate::error_code as code;
use crate::index::stored::StoredBlog;
use crate::index::{BlogSource, IndexError, guarded};
use crate::view::find_post_by_slug;
use wardroom_service::ServiceError;

/// Refuses a new post whose slug another post has by now.
///
/// # Errors
/// [`code::CONFLICT`] with what to do, or when the text or the index cannot be read.
pub(crate) fn check_slug(
    source: &BlogSource,
    stored: Result<StoredBlog, IndexError>,
    proposal: &Proposal,
    shown: &ShownChange,
) -> Result<(), ServiceError> {
    // Without an index nothing is known of others.
    let Ok(stored) = stored else { return Ok(()) };
    let Some(slug) = new_slug(source, proposal, shown).map_err(service_error)? else { return Ok(()) };
    let found = guarded(|| find_post_by_slug(&stored, &slug)).ok().flatten();
    match found.filter(|post| post.id != proposal.entity_id && post.proposal.is_none()) {
        None => Ok(()),
        Some(other) => {
            let message = format!(
                "{} has the slug {slug} by now: change the slug of the draft on the review page, or discard the proposal",
                other.path
            );
            Err(ServiceError::tool(code::CONFLICT, message))
        }
    }
}

/// Returns the slug of the new post that a proposal publishes; `None` where it is none, or the path says its address.
pub(super) fn new_slug(
    source: &BlogSource,
    proposal: &Proposal,
    shown: &ShownChange,
) -> Result<Option<String>, PlanError> {
    if !is_named_by_slug(source, proposal) {
        return Ok(None);
    }
    // As the index reads it.
    let post = read_planned_post(source, &shown.path, &shown.after).map_err(PlanError::Sandbox)?;
    Ok(post.ok().map(|post| post.slug))
}
