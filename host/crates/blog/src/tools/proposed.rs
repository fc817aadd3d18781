//! The answer of every tool that proposes something, and what their arguments have in common.
//!
//! Never: makes a proposal.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;

use super::filters::check_language;
use crate::BlogState;
use crate::content::time::format_time;
use crate::error_code as code;
use crate::index::row::PostRow;
use crate::limits::{MAX_BLOG_DOCUMENT_BYTES, MAX_PROPOSED_TITLE_CHARS, MAX_SHOWN_DIFF_BYTES};
use crate::proposals::ProposalKind;
use crate::proposals::change::FieldChange;
use crate::proposals::diff::unified_diff;
use crate::proposals::new::{MadeProposal, text_or_nothing};
use crate::proposals::store::ProposalStore;
use crate::proposals::view::cut_lines;
use wardroom_base::payload::Payload;
use wardroom_service::proposal::{ProposalStatus, proposal_time_ms};
use wardroom_service::schema::serialize_output;
use wardroom_service::{ServiceError, escape_and_truncate};

/// What was proposed.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct ProposedOutput {
    proposal_id: String,
    kind: ProposalKind,
    /// pending: a person decides.
    status: ProposalStatus,
    created_at: String,
    expires_at: String,
    summary: String,
    /// The page where a person decides, if this server shows one.
    #[serde(skip_serializing_if = "Option::is_none")]
    review_uri: Option<String>,
    /// The draft post, without the body that was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    post: Option<Value>,
    /// The checked script or template.
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    current: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    proposed: Option<Value>,
    /// Unified.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

/// The part of the answer that depends on the kind.
#[derive(Default)]
pub(super) struct ProposedDetails {
    pub(super) post: Option<Value>,
    pub(super) preview: Option<Value>,
    pub(super) current: Option<Value>,
    pub(super) shows_fields: bool,
    pub(super) shows_diff: bool,
    /// What the proposal leaves as it is, although one could expect otherwise.
    pub(super) left_out: Option<String>,
}

pub(super) fn proposed_output(made: MadeProposal, details: ProposedDetails) -> Result<Payload, ServiceError> {
    let MadeProposal { proposal, before, after, review_uri } = made;
    let diff = details.shows_diff.then(|| shown_diff(&proposal.change.path, &before, &after));
    let left_out = details.left_out.map(|what| format!(" {what}")).unwrap_or_default();
    serialize_output(&ProposedOutput {
        summary: format!("{}: a person decides on it before anything becomes public.{left_out}", proposal.title),
        kind: proposal.kind,
        status: ProposalStatus::Pending,
        created_at: format_time(proposal.created_at),
        expires_at: format_time(proposal.expires_at),
        review_uri,
        post: details.post,
        preview: details.preview,
        current: details.current,
        proposed: details.shows_fields.then(|| proposal.proposed_fields()),
        diff,
        proposal_id: proposal.id,
    })
}

/// Returns a difference, cut at the end of a line where it is long.
pub(super) fn shown_diff(path: &str, before: &str, after: &str) -> String {
    cut_lines(unified_diff(path, before, after), MAX_SHOWN_DIFF_BYTES)
}

/// Checks a title: one line of 1 to 300 characters.
pub(super) fn check_title(field: &str, title: &str) -> Result<String, ServiceError> {
    let title = title.trim();
    let is_good =
        !title.is_empty() && title.chars().count() <= MAX_PROPOSED_TITLE_CHARS && !title.chars().any(char::is_control);
    if is_good {
        return Ok(title.to_owned());
    }
    Err(invalid(format!("{field}: expected one line of 1 to {MAX_PROPOSED_TITLE_CHARS} characters")))
}

/// Checks a short text that may be empty: a caption, an excerpt.
pub(crate) fn check_text(field: &str, text: &str) -> Result<String, ServiceError> {
    const MAX_TEXT_CHARS: usize = 5_000;
    let is_good =
        text.chars().count() <= MAX_TEXT_CHARS && !text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t'));
    if is_good {
        return Ok(text.trim().to_owned());
    }
    Err(invalid(format!("{field}: expected at most {MAX_TEXT_CHARS} characters without control characters")))
}

/// Returns a body with line feeds alone and one at its end.
pub(super) fn check_body(content: &str) -> Result<String, ServiceError> {
    if content.trim().is_empty() {
        return Err(invalid("content: expected some text".to_owned()));
    }
    if content.len() as u64 > MAX_BLOG_DOCUMENT_BYTES {
        return Err(invalid("content: a post is not larger than 1 MiB".to_owned()));
    }
    let content = content.replace("\r\n", "\n");
    if content.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t')) {
        return Err(invalid("content: expected no control characters".to_owned()));
    }
    Ok(format!("{}\n", content.trim_end_matches('\n')))
}

pub(super) fn invalid(message: String) -> ServiceError {
    ServiceError::tool(code::INVALID_ARGUMENTS, message)
}

/// A text, or null, which removes what is there. A field that is not there changes nothing.
pub(super) struct TextOrNull(Option<String>);

impl TextOrNull {
    /// Reads a field that is there.
    pub(super) fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Self>, D::Error> {
        Option::<String>::deserialize(deserializer).map(|text| Some(Self(text)))
    }

    /// Returns the change of a field.
    pub(super) fn to_change(&self, argument: &str, field: &str) -> Result<FieldChange, ServiceError> {
        let text = self.0.as_deref().map(|text| check_text(argument, text)).transpose()?;
        Ok(FieldChange::new(field, text_or_nothing(text)))
    }
}

impl BlogState {
    /// Returns the post with an id or a slug.
    pub(super) fn post_named(&self, name: &str) -> Result<PostRow, ServiceError> {
        let missing =
            || ServiceError::tool(code::NOT_FOUND, format!("Post \"{}\" not found", escape_and_truncate(name)));
        self.find_post(name.trim())?.ok_or_else(missing)
    }

    /// Returns the post with an id or a slug, which is no proposal itself.
    pub(super) fn settled_post(&self, name: &str) -> Result<PostRow, ServiceError> {
        let post = self.post_named(name)?;
        // A draft that could not be edited when its proposal was discarded still names that.
        let (store, now) = (ProposalStore::new(&self.source.folder), proposal_time_ms());
        let is_pending = |id: &&String| {
            let found = store.find(id, now);
            found.map_or(true, |found| found.is_some_and(|found| found.status(now) == ProposalStatus::Pending))
        };
        match post.proposal.as_ref().filter(is_pending) {
            Some(id) => {
                let message =
                    format!("this post is the draft of the proposal {id}, on which a person has to decide first");
                Err(ServiceError::tool(code::CONFLICT, message))
            }
            None => Ok(post),
        }
    }

    /// Returns the file of a post, or of its translation into a language.
    pub(super) fn version_path(&self, post: &PostRow, language: Option<&str>) -> Result<String, ServiceError> {
        let Some(language) = language else { return Ok(post.path.clone()) };
        let language = check_language("language", language)?;
        if post.language.as_deref().or(self.main_language()) == Some(&*language) {
            return Ok(post.path.clone());
        }
        let found = post.translations.iter().find(|other| other.language == language);
        let missing = || {
            let message = format!("No {language} translation found: propose_post_translation makes one");
            ServiceError::tool(code::NO_TRANSLATION, message)
        };
        Ok(found.ok_or_else(missing)?.path.clone())
    }
}
