//! Whether the slug of a proposed post is still free: others may have published a post with it since.
//!
//! Never: is the only guard. Where two posts have one slug all the same, the index leaves one of them out, and
//! `blog check` names it.

use super::change::is_same_name;
use super::new::service_error;
use super::plan::ShownChange;
use super::{Proposal, ProposalKind};
use crate::content::BlogLayout;
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
    // Other layouts give the address of a post by its path.
    if proposal.kind != ProposalKind::DraftPost || source.layout != BlogLayout::Bds {
        return Ok(());
    }
    // Without an index nothing is known of others.
    let Ok(stored) = stored else { return Ok(()) };
    let fields = source.field_values(&shown.path, &shown.after).map_err(service_error)?;
    let slug = fields.iter().find(|(name, _)| is_same_name(name, "slug")).and_then(|(_, value)| value.as_str());
    let Some(slug) = slug else { return Ok(()) };
    let found = guarded(|| find_post_by_slug(&stored, slug)).ok().flatten();
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
