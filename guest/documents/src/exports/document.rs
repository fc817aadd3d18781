//! `wardroom:documents/document`.

use wardroom_lua_syntax::position::Position;

use super::Component;
use super::bindings::exports::wardroom::documents::document as wit;
use crate::edit::{self, Change};
use crate::error::ReadError;
use crate::front_matter::{self, Field, FrontMatter};
use crate::post::{self, Heading, Link, Post};
use crate::{preview, sidecar};

impl wit::Guest for Component {
    fn read_post(source: Vec<u8>, options: wit::Options) -> Result<wit::Post, wit::ReadError> {
        post::read(&source, options.public_url.as_deref()).map(post).map_err(read_error)
    }

    fn read_front_matter(source: Vec<u8>) -> Result<wit::FrontMatter, wit::ReadError> {
        let convert = |FrontMatter { fields, body_start }| wit::FrontMatter { fields: to_wit(fields), body_start };
        front_matter::read(&source).map(convert).map_err(read_error)
    }

    fn read_sidecar(source: Vec<u8>) -> Result<Vec<wit::Field>, wit::ReadError> {
        sidecar::read(&source).map(to_wit).map_err(read_error)
    }

    fn edit(source: Vec<u8>, changes: Vec<wit::Change>) -> Result<Vec<u8>, wit::ReadError> {
        let changes: Vec<Change> =
            changes.into_iter().map(|wit::Change { name, json }| Change { name, json }).collect();
        edit::edit(&source, &changes).map_err(read_error)
    }

    fn preview(source: Vec<u8>) -> Result<String, wit::ReadError> {
        preview::render(&source).map_err(read_error)
    }
}

fn post(post: Post) -> wit::Post {
    let Post { fields, body_start, text, word_count, excerpt, links, headings } = post;
    let link = |Link { slug, language, text, line }| wit::Link { slug, language, text, line };
    let heading = |Heading { level, text, line }| wit::Heading { level, text, line };
    wit::Post {
        fields: to_wit(fields),
        body_start,
        text,
        word_count,
        excerpt,
        links: links.into_iter().map(link).collect(),
        headings: headings.into_iter().map(heading).collect(),
    }
}

fn to_wit(fields: Vec<Field>) -> Vec<wit::Field> {
    fields.into_iter().map(|Field { name, line, json, text }| wit::Field { name, line, json, text }).collect()
}

const fn position(Position { line, column }: Position) -> wit::Position {
    wit::Position { line, column }
}

fn read_error(error: ReadError) -> wit::ReadError {
    match error {
        ReadError::TooLarge(limit) => wit::ReadError::TooLarge(limit),
        ReadError::NotUtf8(place) => wit::ReadError::NotUtf8(position(place)),
        ReadError::Malformed { position: place, message } => {
            wit::ReadError::Malformed(wit::Diagnostic { position: position(place), message })
        }
        ReadError::TooDeep(place) => wit::ReadError::TooDeep(position(place)),
        ReadError::TooMuch(limit) => wit::ReadError::TooMuch(limit.into()),
    }
}
