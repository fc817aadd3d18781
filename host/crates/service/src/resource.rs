//! Resources, as they are listed and as they are read.

use std::borrow::Cow;
use std::time::SystemTime;

use super::{Icon, mime};
use wardroom_base::payload::Payload;

#[derive(Debug, Clone, PartialEq)]
pub struct ResourceEntry {
    pub uri: String,
    pub name: Cow<'static, str>,
    pub title: Option<Cow<'static, str>>,
    pub description: Cow<'static, str>,
    pub mime_type: Cow<'static, str>,
    /// In bytes.
    pub size: Option<u64>,
    pub modified: Option<SystemTime>,
    pub extra: EntryExtras,
}

impl ResourceEntry {
    /// A resource of a scheme that is always there: its path, which is its name, its title and its description.
    #[must_use]
    pub fn fixed_json(scheme: &str, (path, title, description): (&'static str, &'static str, &'static str)) -> Self {
        Self {
            uri: format!("{scheme}://{path}"),
            name: path.into(),
            title: Some(title.into()),
            description: description.into(),
            mime_type: mime::JSON.into(),
            size: None,
            modified: None,
            extra: EntryExtras::default(),
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct TemplateEntry {
    pub pattern: String,
    pub name: Cow<'static, str>,
    pub title: Option<Cow<'static, str>>,
    pub description: Cow<'static, str>,
    pub mime_type: Cow<'static, str>,
    pub extra: EntryExtras,
}

/// The optional fields of a list entry beside its description.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct EntryExtras {
    pub icons: Vec<Icon>,
    /// A JSON object.
    pub meta: Option<Payload>,
}

/// The content of a resource.
#[derive(Debug, Clone, PartialEq)]
pub struct ResourceContent {
    pub mime_type: Cow<'static, str>,
    pub text: String,
    pub encoding: Encoding,
    pub modified: Option<SystemTime>,
    /// Metadata beside the text, by name.
    pub meta_fields: Vec<(&'static str, Payload)>,
    /// Metadata from the author of the declaration, a JSON object.
    pub meta: Option<Payload>,
}

/// How the text represents the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Encoding {
    /// The text is the content.
    #[default]
    Text,
    /// The text is the content's bytes in Base64.
    Base64,
}

impl ResourceContent {
    #[must_use]
    pub fn new(mime_type: impl Into<Cow<'static, str>>, text: String, modified: Option<SystemTime>) -> Self {
        Self {
            mime_type: mime_type.into(),
            text,
            encoding: Encoding::Text,
            modified,
            meta_fields: Vec::new(),
            meta: None,
        }
    }
}
