//! The change of one file: fields of its front matter, and its body.
//!
//! Owns: how the new text of a file is made of an old one, through the sandbox.
//! Never: parses a document in this process, or writes.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::index::BlogSource;
use crate::proposals::plan::PlanError;
use wardroom_base::payload::Payload;

const EMPTY_FRONT_MATTER: &str = "---\n---\n";

/// What a proposal changes. A file that is there changes in the named fields and the body; all else keeps its bytes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Change {
    /// The file that people see when it is accepted.
    pub(crate) path: String,
    /// The draft that is there until then. It is what gets published, with the edits that a person made in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) draft: Option<Draft>,
    /// SHA-256 of the published file that a person's draft takes the place of, when the change was proposed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) replaces: Option<String>,
    /// The text of the file when the change was proposed; `None` for a new file.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) base: Option<String>,
    /// The new values of fields, in the order of a new file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) fields: Vec<FieldChange>,
    /// The new body.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) body: Option<String>,
}

/// The draft of a proposal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Draft {
    pub(crate) path: String,
    /// SHA-256 of the draft as it was made, in hexadecimal digits; `None` for a draft that a person made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) digest: Option<String>,
}

/// A field of the front matter with its new value; null removes it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct FieldChange {
    pub(crate) name: String,
    pub(crate) value: Value,
}

impl FieldChange {
    pub(crate) fn new(name: &str, value: impl Into<Value>) -> Self {
        Self { name: name.to_owned(), value: value.into() }
    }
}

impl BlogSource {
    /// Sets fields in the front matter of a text, which gets one if it has none.
    ///
    /// # Errors
    /// When the front matter is written in a way in which no line stands for the field.
    pub(crate) fn set_fields(&self, path: &str, text: &str, fields: &[FieldChange]) -> Result<String, PlanError> {
        if fields.is_empty() {
            return Ok(text.to_owned());
        }
        // A field keeps the spelling that the file has.
        let known = self.field_values(path, text)?;
        let spelling = |name: &str| {
            let same = known.iter().find(|(other, _)| is_same_name(other, name));
            same.map_or(name, |(other, _)| other).to_owned()
        };
        let change = |field: &FieldChange| {
            let value = Some(&field.value).filter(|value| !value.is_null());
            (spelling(&field.name), value.map(|value| Payload::from_value(value.clone())))
        };
        let changes: Vec<(String, Option<Payload>)> = fields.iter().map(change).collect();
        let edited = match self.sandbox.edit(text.as_bytes(), &changes) {
            Ok(Ok(edited)) => edited,
            Ok(Err(refusal)) => return Err(PlanError::unreadable(path, refusal.line(), &refusal.to_string())),
            Err(error) if error.is_of_document() => return Err(PlanError::unreadable(path, 1, &error.to_string())),
            Err(error) => return Err(PlanError::Sandbox(error)),
        };
        String::from_utf8(edited).map_err(|_| PlanError::unreadable(path, 1, "the edited text is not UTF-8"))
    }

    /// Splits a text where its body begins.
    ///
    /// # Errors
    /// When the front matter cannot be read.
    pub(crate) fn split_body<'t>(&self, path: &str, text: &'t str) -> Result<(&'t str, &'t str), PlanError> {
        match self.sandbox.read_front_matter(text.as_bytes()) {
            Ok(Ok(front_matter)) => Ok(text.split_at_checked(front_matter.body_start).unwrap_or((text, ""))),
            Ok(Err(refusal)) => Err(PlanError::unreadable(path, refusal.line(), &refusal.to_string())),
            Err(error) if error.is_of_document() => Err(PlanError::unreadable(path, 1, &error.to_string())),
            Err(error) => Err(PlanError::Sandbox(error)),
        }
    }

    /// Returns the values of all fields of a text's front matter, as JSON, by their names.
    ///
    /// # Errors
    /// As [`Self::split_body`].
    pub(crate) fn field_values(&self, path: &str, text: &str) -> Result<Vec<(String, Value)>, PlanError> {
        let fields = match self.sandbox.read_front_matter(text.as_bytes()) {
            Ok(Ok(front_matter)) => front_matter.fields,
            Ok(Err(refusal)) => return Err(PlanError::unreadable(path, refusal.line(), &refusal.to_string())),
            Err(error) if error.is_of_document() => return Err(PlanError::unreadable(path, 1, &error.to_string())),
            Err(error) => return Err(PlanError::Sandbox(error)),
        };
        Ok(fields
            .into_iter()
            .map(|field| (field.name, serde_json::from_str(&field.json).unwrap_or_default()))
            .collect())
    }
}

impl Change {
    /// Returns the length of its texts, in bytes.
    pub(crate) fn text_len(&self) -> usize {
        [&self.base, &self.body].into_iter().flatten().map(String::len).sum()
    }

    /// Returns the text that the change makes of a base: of the file when it was proposed, or of nothing.
    ///
    /// # Errors
    /// As [`BlogSource::set_fields`].
    pub(crate) fn apply_to(&self, source: &BlogSource, base: &str) -> Result<String, PlanError> {
        // In a new file, a body that looks like front matter is a body.
        let base = if base.is_empty() { EMPTY_FRONT_MATTER } else { base };
        let text = match &self.body {
            None => base.to_owned(),
            Some(body) => {
                let before = source.split_body(&self.path, base)?.0;
                let text = format!("{before}{body}");
                if source.split_body(&self.path, &text)? != (before, body.as_str()) {
                    let message = "the body would be read as front matter: give the file an empty front matter first";
                    return Err(PlanError::unreadable(&self.path, 1, message));
                }
                text
            }
        };
        source.set_fields(&self.path, &text, &self.fields)
    }
}

/// Whether two names are one field: case, `_` and `-` do not count.
pub(crate) fn is_same_name(one: &str, other: &str) -> bool {
    let folded = |name: &str| -> String {
        name.chars().filter(|c| !matches!(c, '_' | '-')).flat_map(char::to_lowercase).collect()
    };
    folded(one) == folded(other)
}
