//! What models and people are shown: text, pictures, sounds and resources.

use wardroom_base::payload::Payload;

/// One piece of an answer or a message.
#[derive(Debug, Clone, PartialEq)]
pub struct Item {
    pub block: Block,
    pub notes: Notes,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Block {
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
    Link(Box<Link>),
    Resource(Embedded),
}

/// A resource that can be read.
#[derive(Debug, Clone, PartialEq)]
pub struct Link {
    pub uri: String,
    pub name: String,
    pub title: Option<String>,
    pub description: Option<String>,
    pub mime_type: Option<String>,
    pub size: Option<u64>,
    pub icons: Vec<Icon>,
}

/// A resource that is here.
#[derive(Debug, Clone, PartialEq)]
pub struct Embedded {
    pub uri: String,
    pub mime_type: Option<String>,
    pub text: String,
    /// Whether the text is Base64.
    pub is_blob: bool,
    pub meta: Option<Payload>,
}

/// Whom a piece is for, how much it matters, and whatever else its maker says.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Notes {
    pub audience: Vec<Role>,
    /// From 0 to 1.
    pub priority: Option<f32>,
    /// RFC 3339.
    pub modified: Option<String>,
    pub meta: Option<Payload>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    User,
    Assistant,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Icon {
    pub src: String,
    pub mime_type: Option<String>,
    pub sizes: Vec<String>,
    /// For dark surroundings, where it is known.
    pub dark: Option<bool>,
}

impl From<String> for Item {
    fn from(text: String) -> Self {
        Self { block: Block::Text(text), notes: Notes::default() }
    }
}
