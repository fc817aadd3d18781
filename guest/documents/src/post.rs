//! A post: front matter and a body in Markdown.
//!
//! Never: interprets the fields.

use crate::error::ReadError;
use crate::front_matter::{self, Field};
use crate::markdown::{self, Blog};
use crate::position::{Lines, to_u32};
use crate::source::{Contents, Source};

/// The contents of a post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Post {
    pub fields: Vec<Field>,
    pub body_start: u32,
    pub text: String,
    pub word_count: u32,
    pub excerpt: String,
    pub links: Vec<Link>,
    pub headings: Vec<Heading>,
}

/// A link to a post of the same blog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Link {
    pub slug: String,
    pub language: Option<String>,
    pub text: String,
    pub line: u32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Heading {
    /// From 1 to 6.
    pub level: u8,
    pub text: String,
    pub line: u32,
}

/// Reads a post of a blog with this public URL.
///
/// # Errors
/// When the front matter cannot be read, or a limit is exceeded.
pub fn read(source: &[u8], public_url: Option<&str>) -> Result<Post, ReadError> {
    let source = Source::read(source, Contents::Post)?;
    let lines = Lines::new(source.text.as_bytes());
    let fields = front_matter::fields(&source, &lines)?;
    let body = markdown::read(source.body(), &Blog::new(public_url))
        .map_err(|error| error.shifted(source.body_start).located(source.text))?;
    let line = |at: usize| lines.line(source.body_start + at);
    let links = body.links.into_iter().map(|link| Link {
        line: line(link.at),
        slug: link.slug,
        language: link.language,
        text: link.text,
    });
    let headings = body.headings.into_iter().map(|heading| Heading {
        line: line(heading.at),
        level: heading.level,
        text: heading.text,
    });
    Ok(Post {
        fields,
        body_start: to_u32(source.body_start),
        text: body.text,
        word_count: to_u32(body.word_count),
        excerpt: body.excerpt,
        links: links.collect(),
        headings: headings.collect(),
    })
}
