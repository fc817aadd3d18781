//! Content for models and people: text, images, audio and resources.

use wardroom_base::payload::Payload;

/// One piece of content of an answer or a message.
#[derive(Debug, Clone, PartialEq)]
pub struct ContentItem {
    pub block: ContentBlock,
    pub annotations: ContentAnnotations,
}

#[derive(Debug, Clone, PartialEq)]
pub enum ContentBlock {
    Text(String),
    /// The data is Base64.
    Image {
        data: String,
        mime_type: String,
    },
    Audio {
        data: String,
        mime_type: String,
    },
    Link(Box<ResourceLink>),
    Resource(EmbeddedResource),
}

/// A link to a resource that the client can read.
#[derive(Debug, Clone, PartialEq)]
pub struct ResourceLink {
    pub uri: String,
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub mime_type: Option<String>,
    pub size: Option<u64>,
    pub icons: Vec<Icon>,
}

/// A resource that is embedded.
#[derive(Debug, Clone, PartialEq)]
pub struct EmbeddedResource {
    pub uri: String,
    pub mime_type: Option<String>,
    pub text: String,
    /// Whether the text is Base64.
    pub is_blob: bool,
    pub meta: Option<Payload>,
}

/// The audience and priority of a content item, and any other metadata from its author.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ContentAnnotations {
    pub audience: Vec<MessageRole>,
    /// From 0 to 1.
    pub priority: Option<f32>,
    /// In RFC 3339 format.
    pub modified: Option<String>,
    pub meta: Option<Payload>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum MessageRole {
    User,
    Assistant,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Icon {
    pub src: String,
    pub mime_type: Option<String>,
    pub sizes: Vec<String>,
    /// Whether the icon is for a dark theme, if that is known.
    pub is_dark_theme: Option<bool>,
}

impl From<String> for ContentItem {
    fn from(text: String) -> Self {
        Self { block: ContentBlock::Text(text), annotations: ContentAnnotations::default() }
    }
}
