//! What accepting a proposal writes, and why it cannot be accepted.
//!
//! Owns: the comparison of the change with what the file is now, the merge of both, and the digest of what a person is shown.
//! Never: writes.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::change::{Change, FieldChange, is_same_name};
use super::new::path_slug;
use super::planned_post::{find_post_mistake, read_planned_post};
use super::source_check::find_mistakes;
use super::{Proposal, ProposalKind};
use crate::content::BlogLayout;
use crate::content::layout::FileKind;
use crate::content::slug::is_slug_char;
use crate::content::time::format_time;
use crate::index::BlogSource;
use crate::limits::MAX_BLOG_DOCUMENT_BYTES;
use wardroom_appdir::AppDirError;
use wardroom_base::hex::encode_hex;
use wardroom_sandbox::SandboxError;

/// A change of one file. It can be repeated: a file that is as it should be stays.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum FileStep {
    Write {
        path: String,
        /// The digest of the file that is replaced; `None` for a new file.
        before: Option<String>,
        text: String,
    },
    Remove {
        path: String,
        /// The digest of the file that is removed.
        before: String,
    },
}

impl FileStep {
    pub(crate) fn path(&self) -> &str {
        match self {
            Self::Write { path, .. } | Self::Remove { path, .. } => path,
        }
    }
}

/// What accepting a proposal does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AcceptPlan {
    pub(crate) steps: Vec<FileStep>,
    /// What people see now, and what they will see.
    pub(crate) shown: ShownChange,
    /// The digest of the proposal and of the files that it was compared with, in hexadecimal digits.
    pub(crate) digest: String,
    /// The mistakes of a script or template, with which it is not accepted: a person may have edited it.
    pub(crate) mistakes: Option<String>,
}

/// The text of a file before and after a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ShownChange {
    pub(crate) path: String,
    /// Empty for a new file.
    pub(crate) before: String,
    pub(crate) after: String,
    /// The draft that is gone then.
    pub(crate) removes: Option<String>,
}

/// Why a proposal cannot be accepted, or what is proposed cannot be.
#[derive(Debug)]
pub(crate) enum PlanError {
    /// What a file says; the message says what to do.
    Unreadable(String),
    /// The file is not what it was when the change was proposed.
    Conflict(Box<Conflict>),
    /// The file that is to be changed is gone.
    Gone(String),
    /// The script or template has these mistakes.
    Mistakes(String),
    Sandbox(SandboxError),
    Store(AppDirError),
}

/// A file that changed since a change of it was proposed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct Conflict {
    pub(crate) path: String,
    /// The file when the change was proposed.
    pub(crate) base: String,
    /// The file now.
    pub(crate) theirs: String,
    /// The file as it was proposed.
    pub(crate) ours: String,
    /// Both changes together, where none touches what the other one changed.
    pub(crate) merged: Option<String>,
    /// The fields that both changed.
    pub(crate) fields: Vec<String>,
    /// What happened, and what to do.
    #[serde(skip)]
    pub(crate) message: String,
}

impl PlanError {
    pub(crate) fn unreadable(path: &str, line: u32, message: &str) -> Self {
        Self::Unreadable(format!("{path}, line {line}: {message}: correct the file, then propose the change again"))
    }
}

impl From<AppDirError> for PlanError {
    fn from(error: AppDirError) -> Self {
        Self::Store(error)
    }
}

impl AcceptPlan {
    /// Compares a proposal with the files as they are now. `merges` takes both changes where a file changed since.
    ///
    /// # Errors
    /// When the file is gone, changed since, or cannot be edited.
    pub(crate) fn new(source: &BlogSource, proposal: &Proposal, merges: bool, now: i64) -> Result<Self, PlanError> {
        let change = &proposal.change;
        if source.layout.kind_of(&change.path) != Some(proposal.kind.file_kind()) {
            let message = format!("{} is no document of this blog: discard the proposal", change.path);
            return Err(PlanError::Unreadable(message));
        }
        let draft = match &change.draft {
            Some(draft) => read_draft(source, &draft.path)?,
            None => None,
        };
        let path = target_path(source, proposal, draft.as_deref())?;
        let current = read_text(source, &path)?;
        let digest = review_digest(proposal, current.as_deref(), draft.as_deref(), merges)?;
        let before = current.as_deref().map(digest_of);
        let is_own = change.draft.as_ref().is_some_and(|draft| draft.digest.is_some());
        let after = match (&change.draft, &draft) {
            // A person may have edited the draft, and that is what was shown.
            (Some(_), Some(draft)) if is_own => draft.clone(),
            (Some(_), None) if is_own => change.apply_to(source, "")?,
            (Some(_), draft) => merge_change(source, change, draft.as_deref(), merges)?,
            (None, _) => merge_change(source, change, current.as_deref(), merges)?,
        };
        let is_replaced = change.draft.is_some() && before != change.replaces;
        if is_replaced && let Some(theirs) = &current {
            // It was free, or another text, when the draft was to be published there.
            return Err(PlanError::Conflict(Box::new(Conflict {
                base: String::new(),
                theirs: theirs.clone(),
                ours: after,
                merged: None,
                fields: Vec::new(),
                message: match (&change.replaces, draft.is_some() && is_named_by_slug(source, proposal)) {
                    (Some(_), _) => {
                        format!("{path} changed since: propose the change again, for the file as it is now")
                    }
                    (None, true) => format!(
                        "{path} is there by now: change the slug of the draft on the review page, or discard the proposal"
                    ),
                    (None, false) => {
                        format!("{path} is there by now: discard the proposal, and propose it under another title")
                    }
                },
                path,
            })));
        }
        let own_fields = published_fields(proposal, source, &after, current.as_deref(), now)?;
        let text = source.set_fields(&path, &after, &own_fields)?;
        let mut steps = vec![FileStep::Write { path: path.clone(), before, text: text.clone() }];
        if let (Some(place), Some(draft)) = (&change.draft, &draft) {
            steps.push(FileStep::Remove { path: place.path.clone(), before: digest_of(draft) });
        }
        let mistakes = if matches!(proposal.kind, ProposalKind::ProposeScript | ProposalKind::ProposeTemplate) {
            let code = source.split_body(&path, &text)?.1;
            find_mistakes(source, proposal.kind, code)
        } else {
            find_post_mistake(source, (proposal.kind, &proposal.entity_id), &path, &text)
        };
        let mistakes = mistakes.map_err(PlanError::Sandbox)?;
        let shown = ShownChange {
            path,
            before: current.unwrap_or_default(),
            after: text,
            removes: change.draft.as_ref().filter(|_| draft.is_some()).map(|place| place.path.clone()),
        };
        Ok(Self { steps, shown, digest, mistakes })
    }

    /// Returns the plan, if it can be carried out.
    ///
    /// # Errors
    /// [`PlanError::Mistakes`] where the code of a script or template has some.
    pub(crate) fn checked(self) -> Result<Self, PlanError> {
        match self.mistakes {
            Some(mistakes) => Err(PlanError::Mistakes(mistakes)),
            None => Ok(self),
        }
    }
}

/// Reads a draft; `None` if there is none.
fn read_draft(source: &BlogSource, path: &str) -> Result<Option<String>, PlanError> {
    match look(source, path)? {
        Found::Nothing => Ok(None),
        Found::Text { text, .. } => Ok(Some(text)),
        Found::Other => Err(PlanError::Unreadable(format!(
            "{path} is no text of at most 1 MiB: correct it, or discard the proposal"
        ))),
    }
}

/// Whether the file of a new post has the name of its slug, which a person may change in the draft.
pub(super) fn is_named_by_slug(source: &BlogSource, proposal: &Proposal) -> bool {
    proposal.kind == ProposalKind::DraftPost && source.layout == BlogLayout::Bds
}

/// Returns the file that accepting a proposal writes.
fn target_path(source: &BlogSource, proposal: &Proposal, draft: Option<&str>) -> Result<String, PlanError> {
    // The name of a file, with what the name of a temporary file adds, has 255.
    const MAX_SLUG_BYTES: usize = 200;
    let path = &proposal.change.path;
    let proposed = || Ok(path.clone());
    let Some(draft) = draft.filter(|_| is_named_by_slug(source, proposal)) else { return proposed() };
    let Some((folder, name)) = path.rsplit_once('/') else { return proposed() };
    // As the index reads it. What that would leave out is a mistake of the draft.
    let Ok(post) = read_planned_post(source, path, draft).map_err(PlanError::Sandbox)? else { return proposed() };
    let slug = post.slug;
    // A name with a dot could be that of a translation.
    if slug.len() > MAX_SLUG_BYTES || slug.contains('.') || !slug.chars().all(is_slug_char) {
        return proposed();
    }
    let extension = name.rsplit_once('.').map_or("md", |(_, extension)| extension);
    let own = format!("{folder}/{slug}.{extension}");
    if source.layout.kind_of(&own) == Some(FileKind::Post) { Ok(own) } else { proposed() }
}

/// Returns what discarding a proposal does: its own draft goes, unless a person changed it. Then it belongs to that person.
pub(crate) fn discard_steps(source: &BlogSource, proposal: &Proposal) -> Result<Vec<FileStep>, PlanError> {
    let Some(draft) = &proposal.change.draft else { return Ok(Vec::new()) };
    let Some(made) = &draft.digest else { return Ok(Vec::new()) };
    let (text, before) = match look(source, &draft.path)? {
        // A crash may have left it moved aside.
        Found::Nothing => return Ok(vec![FileStep::Remove { path: draft.path.clone(), before: made.clone() }]),
        Found::Text { text, digest } => (text, digest),
        Found::Other => return Ok(Vec::new()),
    };
    if before == *made {
        return Ok(vec![FileStep::Remove { path: draft.path.clone(), before }]);
    }
    match source.set_fields(&draft.path, &text, &[FieldChange::new("proposal", Value::Null)]) {
        Ok(text) => Ok(vec![FileStep::Write { path: draft.path.clone(), before: Some(before), text }]),
        // A mistake of that person keeps no proposal pending: the draft stays as it is.
        Err(PlanError::Unreadable(_)) => Ok(Vec::new()),
        Err(error) => Err(error),
    }
}

/// Returns the fields that say when something became public, and that it is no draft of a proposal any more. `current` is
/// the published text that is replaced.
fn published_fields(
    proposal: &Proposal,
    source: &BlogSource,
    text: &str,
    current: Option<&str>,
    now: i64,
) -> Result<Vec<FieldChange>, PlanError> {
    let known = source.field_values(&proposal.change.path, text)?;
    let value = |name: &str| known.iter().find(|(other, _)| is_same_name(other, name)).map(|(_, value)| value);
    let mut fields = Vec::new();
    if value("proposal").is_some() {
        fields.push(FieldChange::new("proposal", Value::Null));
    }
    let is_own_draft =
        matches!(proposal.kind, ProposalKind::DraftPost | ProposalKind::ProposeScript | ProposalKind::ProposeTemplate);
    if is_own_draft && value("status").is_some_and(|status| status == "draft") {
        fields.push(FieldChange::new("status", "published"));
    }
    if is_own_draft && value("draft") == Some(&Value::Bool(true)) {
        fields.push(FieldChange::new("draft", Value::Null));
    }
    // Programs of sites have dates of their own.
    let is_made_public = |field: &FieldChange| field.name == "status" && field.value == "published";
    let becomes_public = is_own_draft && value("status").is_some()
        || source.layout == BlogLayout::Bds && proposal.change.fields.iter().any(is_made_public);
    if becomes_public
        && proposal.kind != ProposalKind::ProposeScript
        && proposal.kind != ProposalKind::ProposeTemplate
        && value("publishedAt").is_none_or(Value::is_null)
    {
        // A draft takes the place of what was public before.
        let replaced = match current {
            Some(current) => source.field_values(&proposal.change.path, current)?,
            None => Vec::new(),
        };
        let first = replaced.into_iter().find(|(name, value)| is_same_name(name, "publishedAt") && value.is_string());
        let first = first.map_or_else(|| format_time(now).into(), |(_, first)| first);
        fields.push(FieldChange::new("publishedAt", first));
    }
    let path_slug = path_slug(source.layout, &proposal.change.path);
    if is_own_draft && path_slug.is_some() && value("slug").and_then(Value::as_str) == path_slug {
        fields.push(FieldChange::new("slug", Value::Null));
    }
    if value("updatedAt").is_some() {
        fields.push(FieldChange::new("updatedAt", format_time(now)));
    }
    Ok(fields)
}

/// Returns the text of a file with a change, where it is what it was, or where both changes go together.
fn merge_change(
    source: &BlogSource,
    change: &Change,
    current: Option<&str>,
    merges: bool,
) -> Result<String, PlanError> {
    let base = match (&change.base, current) {
        (None, None) => return change.apply_to(source, ""),
        (Some(_), None) => return Err(PlanError::Gone(change.path.clone())),
        (base, Some(current)) => {
            let base = base.as_deref().unwrap_or_default();
            if base == current {
                return change.apply_to(source, current);
            }
            base
        }
    };
    let theirs = current.unwrap_or_default();
    let ours = change.apply_to(source, base)?;
    let (merged, fields) =
        if change.base.is_some() { merge(source, change, base, theirs)? } else { (None, Vec::new()) };
    match merged {
        Some(merged) if merges => Ok(merged),
        merged => Err(PlanError::Conflict(Box::new(Conflict {
            message: change_message(change, &fields, merged.is_some()),
            path: change.path.clone(),
            base: base.to_owned(),
            theirs: theirs.to_owned(),
            ours,
            merged,
            fields,
        }))),
    }
}

/// Says that a file changed since a change of it was proposed.
fn change_message(change: &Change, fields: &[String], can_merge: bool) -> String {
    let changed = match fields {
        _ if change.base.is_none() => "is there by now".to_owned(),
        [] => "changed since (other lines of it)".to_owned(),
        fields => format!("changed since ({})", fields.join(", ")),
    };
    let remedy = if can_merge {
        "both changes go together: accept the merge"
    } else {
        "propose the change again, for the file as it is now"
    };
    format!("{} {changed}: {remedy}", change.path)
}

/// Merges a change with what others did: fields by their values, the body by its lines.
fn merge(
    source: &BlogSource,
    change: &Change,
    base: &str,
    theirs: &str,
) -> Result<(Option<String>, Vec<String>), PlanError> {
    let (before, now) = (source.field_values(&change.path, base)?, source.field_values(&change.path, theirs)?);
    let value = |fields: &[(String, Value)], name: &str| {
        fields.iter().find(|(other, _)| is_same_name(other, name)).map(|(_, value)| value.clone()).unwrap_or_default()
    };
    let is_disputed = |field: &&FieldChange| {
        let now = value(&now, &field.name);
        now != value(&before, &field.name) && now != field.value
    };
    let disputed: Vec<String> = change.fields.iter().filter(is_disputed).map(|field| field.name.clone()).collect();
    if !disputed.is_empty() {
        return Ok((None, disputed));
    }
    let mut merged = Change { base: None, draft: None, ..change.clone() };
    if let Some(body) = &change.body {
        let (base_body, their_body) =
            (source.split_body(&change.path, base)?.1, source.split_body(&change.path, theirs)?.1);
        match super::diff::merge_lines(base_body, their_body, body) {
            Some(body) => merged.body = Some(body),
            None => return Ok((None, Vec::new())),
        }
    }
    Ok((Some(merged.apply_to(source, theirs)?), Vec::new()))
}

/// Returns the digest of what a decision is about: all of the proposal by which accepting it writes, removes or shows
/// something, and the files that it was compared with.
fn review_digest(
    proposal: &Proposal,
    current: Option<&str>,
    draft: Option<&str>,
    merges: bool,
) -> Result<String, PlanError> {
    let shown = json!({
        "id": proposal.id,
        "kind": proposal.kind,
        "entity": proposal.entity_id,
        "title": proposal.title,
        "proposer": proposal.proposer,
        "change": proposal.change,
        "current": current.map(digest_of),
        "draft": draft.map(digest_of),
        "merges": merges,
    });
    Ok(digest_of(&shown.to_string()))
}

/// Returns the SHA-256 of a text in hexadecimal digits.
pub(crate) fn digest_of(text: &str) -> String {
    digest_of_bytes(text.as_bytes())
}

pub(crate) fn digest_of_bytes(bytes: &[u8]) -> String {
    encode_hex(&Sha256::digest(bytes))
}

/// The state of a file that is to change.
pub(super) enum Found {
    Nothing,
    Text {
        text: String,
        digest: String,
    },
    /// It is no text that a plan was made of.
    Other,
}

pub(super) fn look(source: &BlogSource, path: &str) -> Result<Found, PlanError> {
    match read_text(source, path) {
        Ok(None) => Ok(Found::Nothing),
        Ok(Some(text)) => Ok(Found::Text { digest: digest_of(&text), text }),
        Err(PlanError::Store(
            AppDirError::NotUtf8(_)
            | AppDirError::TooLarge { .. }
            | AppDirError::NotRegularFile(_)
            | AppDirError::OutsideRoot(_)
            | AppDirError::DanglingLink(_)
            | AppDirError::NotAFolder(_),
        )) => Ok(Found::Other),
        // A link to itself.
        Err(PlanError::Store(error @ AppDirError::Io { .. })) if !error.is_transient() => Ok(Found::Other),
        Err(error) => Err(error),
    }
}

/// Reads a file of the blog; `None` if there is none.
pub(crate) fn read_text(source: &BlogSource, path: &str) -> Result<Option<String>, PlanError> {
    match source.folder.read_text(path, MAX_BLOG_DOCUMENT_BYTES) {
        Ok((text, _)) => Ok(Some(text)),
        Err(AppDirError::NotFound(_)) => Ok(None),
        Err(error) => Err(PlanError::Store(error)),
    }
}
