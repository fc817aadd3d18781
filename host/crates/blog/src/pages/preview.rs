//! The text of a post as a document of its own: what the guest renders, with small copies of the blog's own pictures.
//!
//! Owns: which addresses are those of the blog's pictures.
//! Never: changes anything else of what the guest wrote, or names a picture that a browser would have to load.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::BlogPage;
use super::post::{choose_text, find};
use super::proposal::DIGEST;
use crate::bds_uri::ImageSize;
use crate::error_code as code;
use crate::index::row::{MediaRow, Row};
use crate::limits::{MAX_PREVIEW_ADDRESSES, MAX_PREVIEW_PICTURES};
use wardroom_base::hidden_chars::reveal;
use wardroom_base::percent::percent_decode_text;
use wardroom_service::{PageReply, ServiceError};

/// How the guest begins each picture. It writes no other text with this character.
const PICTURE: &str = "<img src=\"";

pub(super) fn show(page: &BlogPage<'_>, name: &str) -> Result<PageReply, ServiceError> {
    let post = find(page, name)?;
    let text = choose_text(page, &post)?;
    let html = page.state.source.render_preview(text.path)?;
    Ok(PageReply::Preview {
        title: reveal(text.title).into_owned(),
        language: text.language.map(str::to_owned),
        html: embed_pictures(page, &html)?,
    })
}

/// Shows the text of a proposal as it will look once it is accepted.
pub(super) fn proposal(page: &BlogPage<'_>, id: &str) -> Result<PageReply, ServiceError> {
    let found = page.state.find_proposal(id)?.filter(|found| found.proposal.changes_text());
    let proposal = found.ok_or_else(|| page.request.not_found())?.proposal;
    let shown = page.review().show(id)?;
    if page.request.query.get(DIGEST).is_some_and(|digest| shown.digest.as_deref() != Some(digest)) {
        return Err(ServiceError::tool(code::CONFLICT, "this changed since its page was made: load the page again"));
    }
    let html = page.state.source.preview_text(&shown.path, &shown.after)?;
    Ok(PageReply::Preview {
        title: reveal(&proposal.title).into_owned(),
        language: None,
        html: embed_pictures(page, &html)?,
    })
}

/// Replaces the addresses of the blog's own pictures by small copies.
fn embed_pictures(page: &BlogPage<'_>, html: &str) -> Result<String, ServiceError> {
    let mut embedded = String::with_capacity(html.len());
    let (mut n_addresses, mut n_pictures) = (0, 0);
    let mut rest = html;
    while let Some((before, picture)) = rest.split_once(PICTURE) {
        embedded.push_str(before);
        embedded.push_str(PICTURE);
        rest = picture;
        // The answer to a cancelled request is dropped.
        let is_done = n_pictures >= MAX_PREVIEW_PICTURES || n_addresses >= MAX_PREVIEW_ADDRESSES;
        let is_done = is_done || page.info.cancellation.is_cancelled();
        let Some((address, after)) = picture.split_once('"').filter(|_| !is_done) else { continue };
        n_addresses += 1;
        let Some(media) = find_by_address(page, &unescape(address))? else { continue };
        // A picture that is refused takes as much time as one that is shown, and perhaps more.
        n_pictures += 1;
        // One that cannot be shown is described by its text.
        let Ok(copy) = page.state.picture(&media, ImageSize::Thumbnail, page.info) else { continue };
        // Writing to a string does not fail.
        let _ = write!(embedded, "data:{};base64,{}\"", copy.mime_type, STANDARD.encode(copy.bytes));
        rest = after;
    }
    embedded.push_str(rest);
    Ok(embedded)
}

/// Returns the media item that an address within the blog names.
fn find_by_address(page: &BlogPage<'_>, address: &str) -> Result<Option<MediaRow>, ServiceError> {
    let state = page.state;
    let public_url = state.settings.project.public_url.as_deref();
    let own = public_url.and_then(|url| address.strip_prefix(url.trim_end_matches('/'))).unwrap_or(address);
    let path = own.split(['?', '#']).next().unwrap_or_default();
    let path = percent_decode_text(path).unwrap_or_else(|| path.to_owned());
    let path = path.trim_start_matches('/');
    // The index knows a picture by the file that describes it.
    let sidecar = format!("{path}.meta");
    let found = state.read_index(|| state.stored.find(state.stored.fields.file, &sidecar))?;
    Ok(found.and_then(|stored| match stored.row {
        Row::Media(media) if media.file_path == path => Some(*media),
        _ => None,
    }))
}

/// Undoes what the guest does to the text of an attribute.
fn unescape(text: &str) -> String {
    let text = text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    text.replace("&amp;", "&")
}
