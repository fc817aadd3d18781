//! What the page in an agent's window shows of a proposal.
//!
//! Owns: that a token goes out only with all of what it accepts.
//! Never: sends anything to a client without MCP Apps.

use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Serialize;

use super::token::DISCARD;
use crate::BlogState;
use crate::bds_uri::ImageSize;
use crate::limits::{MAX_APP_TEXT_BYTES, MAX_APP_TEXT_LINES};
use crate::proposals::ProposalState;
use crate::proposals::field_diff::changed_fields;
use crate::proposals::line_diff::{DiffHunk, DiffLine, DiffLineKind, line_diff};
use crate::proposals::review::{Review, ReviewedProposal};
use crate::resources::to_value;
use wardroom_base::hidden_chars::reveal;
use wardroom_base::payload::Payload;
use wardroom_service::proposal::ProposalStatus;
use wardroom_service::{RequestInfo, ServiceError};

/// The name of the metadata of an answer that the page reads.
pub(crate) const REVIEW: &str = "wardroom/review";

/// A proposal for the page. Hidden characters are named in all of its texts.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AppReview<'r> {
    id: &'r str,
    kind: &'static str,
    title: String,
    path: String,
    status: &'static str,
    proposed_by: String,
    /// In milliseconds since 1970.
    expires_at: i64,
    #[serde(skip_serializing_if = "Option::is_none")]
    conflict: Option<String>,
    /// Why it cannot be decided there.
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    can_merge: bool,
    fields: Vec<AppField>,
    hunks: Vec<Vec<AppLine>>,
    /// A small copy of the media item, as an address that has the picture in it.
    #[serde(skip_serializing_if = "Option::is_none")]
    picture: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    token: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    discard_token: Option<String>,
}

/// A field, with its value when the change was proposed and the proposed one.
#[derive(Serialize)]
struct AppField {
    name: String,
    current: Option<String>,
    proposed: Option<String>,
}

#[derive(Serialize)]
struct AppLine {
    kind: &'static str,
    number: usize,
    /// The parts of the line, each with whether it is what changed within the line.
    parts: Vec<(bool, String)>,
}

impl BlogState {
    /// Returns what the page shows of a proposal; `None` for a client without MCP Apps.
    pub(crate) fn app_review(&self, info: &RequestInfo, id: &str) -> Result<Option<Payload>, ServiceError> {
        if !info.client.as_ref().is_some_and(|client| client.shows_apps()) {
            return Ok(None);
        }
        let Some(state) = self.find_proposal(id)? else { return Ok(None) };
        // The texts, their difference and its JSON.
        let _held = info.memory.lease(8 * MAX_APP_TEXT_BYTES)?;
        let review = Review::new(Arc::clone(&self.index), info.catalogue.audit().clone());
        let shown = review.show(id)?;
        let value = to_value(&self.describe_for_app(info, &state, &shown)?)?;
        Ok(Some(Payload::from_value(value)))
    }

    fn describe_for_app<'r>(
        &self,
        info: &RequestInfo,
        state: &'r ProposalState,
        shown: &'r ReviewedProposal,
    ) -> Result<AppReview<'r>, ServiceError> {
        let proposal = &state.proposal;
        let texts = [&shown.before, &shown.after];
        let is_long = texts.iter().map(|text| text.len()).sum::<usize>() > MAX_APP_TEXT_BYTES
            || texts.iter().map(|text| text.lines().count()).sum::<usize>() > MAX_APP_TEXT_LINES;
        let is_pending = shown.status() == ProposalStatus::Pending.as_str();
        let id = &proposal.id;
        let note = if let Some(reason) = self.undecidable().filter(|_| is_pending) {
            Some(reason.to_owned())
        } else if is_long {
            Some("It is too long to be shown here: decide on it with `wardroom review`.".to_owned())
        } else {
            None
        };
        // A token is for what is shown whole.
        let digest = shown.digest.as_deref().filter(|_| is_pending && note.is_none());
        let may_discard = is_pending && self.undecidable().is_none();
        let texts = if is_long { ("", "") } else { (&*shown.before, &*shown.after) };
        let field = |text: String| reveal(&text).into_owned();
        Ok(AppReview {
            id,
            kind: proposal.kind.title(),
            title: reveal(&proposal.title).into_owned(),
            path: reveal(&shown.path).into_owned(),
            status: shown.status(),
            proposed_by: reveal(&proposal.proposer.who).into_owned(),
            expires_at: proposal.expires_at,
            conflict: shown.conflict.as_deref().map(|conflict| reveal(conflict).into_owned()),
            note,
            can_merge: shown.can_merge,
            fields: changed_fields(&self.source, &shown.path, texts.0, texts.1)?
                .into_iter()
                .map(|changed| AppField {
                    name: field(changed.name),
                    current: changed.current.map(field),
                    proposed: changed.proposed.map(field),
                })
                .collect(),
            hunks: line_diff(texts.0, texts.1).iter().map(lines).collect(),
            picture: self.small_copy(info, state),
            token: digest.and_then(|digest| self.tokens.create(id, digest, &info.caller)),
            discard_token: may_discard.then(|| self.tokens.create(id, DISCARD, &info.caller)).flatten(),
        })
    }

    /// Returns the picture of the media item that a proposal is about. A file that is no picture has none.
    fn small_copy(&self, info: &RequestInfo, state: &ProposalState) -> Option<String> {
        let proposal = Some(&state.proposal).filter(|proposal| proposal.kind.is_of_media())?;
        let media = self.find_media(&proposal.entity_id).ok().flatten()?;
        let copy = self.picture(&media, ImageSize::Thumbnail, info).ok()?;
        Some(format!("data:{};base64,{}", copy.mime_type, STANDARD.encode(&copy.bytes)))
    }
}

fn lines(hunk: &DiffHunk) -> Vec<AppLine> {
    let kind = |kind| match kind {
        DiffLineKind::Kept => "kept",
        DiffLineKind::Removed => "removed",
        DiffLineKind::Added => "added",
    };
    let line = |line: &DiffLine| AppLine {
        kind: kind(line.kind),
        number: line.number,
        parts: line.parts.iter().map(|part| (part.is_changed, reveal(&part.text).into_owned())).collect(),
    };
    hunk.lines.iter().map(line).collect()
}
