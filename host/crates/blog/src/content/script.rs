//! A script or a template: its front matter.

use super::fields::Fields;
use super::layout::DRAFTS_DIR;
use super::post::FileFacts;
use super::problem::FileProblem;
use serde::{Deserialize, Serialize};
use wardroom_sandbox::FrontMatterField;

/// A script, or a template, which has no entry point.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ScriptFile {
    pub(crate) path: String,
    pub(crate) id: Option<String>,
    pub(crate) slug: String,
    pub(crate) title: String,
    pub(crate) kind: Option<String>,
    pub(crate) entrypoint: Option<String>,
    pub(crate) is_enabled: bool,
    pub(crate) version: Option<i64>,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) body_start: usize,
}

impl ScriptFile {
    /// Whether a text is its slug or its id.
    pub(crate) fn is_named(&self, name: &str) -> bool {
        self.slug == name || self.id.as_deref() == Some(name)
    }

    /// Whether it is a draft, of a proposal or of a person.
    pub(crate) fn is_draft(&self) -> bool {
        self.path.starts_with(DRAFTS_DIR)
    }

    /// Interprets the fields, with the minor problems that they have.
    ///
    /// # Errors
    /// The problem because of which the file is left out.
    pub(crate) fn new(
        facts: &FileFacts,
        fields: Vec<FrontMatterField>,
        body_start: usize,
        is_template: bool,
    ) -> Result<(Self, Vec<FileProblem>), FileProblem> {
        let mut fields = Fields::new(facts.path, fields);
        let file = facts.path.rsplit('/').next().unwrap_or_default();
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let kind = fields.text(&["kind"]).map(|kind| kind.replace('_', "-"));
        let default_entry = if kind.as_deref() == Some("macro") { "render" } else { "main" };
        let entrypoint = fields.text(&["entrypoint"]).unwrap_or_else(|| default_entry.to_owned());
        let (created, updated) = (fields.creation_time(&["createdat"])?, fields.time(&["updatedat"]));
        let script = Self {
            path: facts.path.to_owned(),
            id: fields.text(&["id"]),
            slug: fields.text(&["slug"]).unwrap_or_else(|| stem.to_owned()),
            title: fields.text(&["title"]).unwrap_or_else(|| stem.to_owned()),
            kind,
            entrypoint: Some(entrypoint).filter(|_| !is_template),
            is_enabled: fields.flag(&["enabled"]) != Some(false),
            version: fields.text(&["version"]).and_then(|version| version.parse().ok()),
            created_at: created.or(updated).unwrap_or(facts.modified),
            updated_at: updated.or(created).unwrap_or(facts.modified),
            body_start,
        };
        Ok((script, fields.problems))
    }
}
