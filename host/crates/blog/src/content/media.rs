//! A media item: the sidecar of a picture or another file, or a translation of its texts.
//!
//! Owns: the meaning of the sidecar's fields.

use super::fields::{Fields, Separator};
use super::post::FileFacts;
use super::problem::FileProblem;
use wardroom_sandbox::FrontMatterField;

/// A sidecar.
#[derive(Debug, Clone)]
pub(crate) struct MediaFile {
    pub(crate) path: String,
    pub(crate) media_id: String,
    /// The language, in a translation.
    pub(crate) translation: Option<String>,
    /// The path of the file that the sidecar describes.
    pub(crate) file_path: String,
    pub(crate) original_name: Option<String>,
    pub(crate) mime_type: Option<String>,
    pub(crate) size: Option<u64>,
    pub(crate) width: Option<u32>,
    pub(crate) height: Option<u32>,
    pub(crate) title: Option<String>,
    pub(crate) alt: Option<String>,
    pub(crate) caption: Option<String>,
    pub(crate) author: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) linked_post_ids: Vec<String>,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    /// The line of the id, which a translation calls otherwise, and of the language; 1 for a field that is missing.
    pub(crate) id_line: u32,
    pub(crate) language_line: u32,
    pub(crate) problems: Vec<FileProblem>,
}

impl MediaFile {
    /// Interprets the fields of a sidecar.
    ///
    /// # Errors
    /// The problem because of which the file is left out.
    pub(crate) fn new(facts: &FileFacts, fields: Vec<FrontMatterField>) -> Result<Self, FileProblem> {
        let path = facts.path;
        let mut fields = Fields::new(path, fields);
        let translation_of = fields.text(&["translationfor"]);
        let described = path.strip_suffix(".meta").unwrap_or(path);
        let language = fields.language(&["language", "lang"]);
        if translation_of.is_some() && language.is_none() {
            let message = "the translation does not say its language: add language, such as `language: de`";
            return Err(FileProblem::hiding(path, fields.line(&["translationfor"]), message));
        }
        let file_path = match &translation_of {
            Some(_) => described.rsplit_once('.').map_or(described, |(file, _)| file),
            None => described,
        };
        let stem = file_path.rsplit('/').next().unwrap_or_default();
        let stem = stem.split('.').next().unwrap_or_default();
        let is_translation = translation_of.is_some();
        let media_id = translation_of.or_else(|| fields.text(&["id"])).unwrap_or_else(|| stem.to_owned());
        let is_id = |c: u8| c.is_ascii_alphanumeric() || matches!(c, b'-' | b'_' | b'.');
        if media_id.is_empty() || media_id.len() > 100 || !media_id.bytes().all(is_id) {
            let message = "the id of the media item is no UUID: use one, such as uuidgen prints";
            return Err(FileProblem::hiding(path, fields.line(&["id", "translationfor"]), message));
        }
        let created = fields.creation_time(&["createdat"])?;
        let updated = fields.time(&["updatedat"]);
        Ok(Self {
            path: path.to_owned(),
            media_id,
            translation: language.clone().filter(|_| is_translation),
            file_path: file_path.to_owned(),
            original_name: fields.text(&["originalname"]),
            mime_type: fields.text(&["mimetype"]),
            size: fields.text(&["size"]).and_then(|size| size.parse().ok()),
            width: fields.text(&["width"]).and_then(|width| width.parse().ok()),
            height: fields.text(&["height"]).and_then(|height| height.parse().ok()),
            title: fields.text(&["title"]),
            alt: fields.text(&["alt"]),
            caption: fields.text(&["caption"]),
            author: fields.text(&["author"]),
            language,
            tags: fields.list(&["tags"], Separator::Commas).unwrap_or_default(),
            linked_post_ids: fields.ids(&["linkedpostids"]),
            created_at: created.or(updated).unwrap_or(facts.modified),
            updated_at: updated.or(created).unwrap_or(facts.modified),
            id_line: fields.line(if is_translation { &["translationfor"] } else { &["id"] }),
            language_line: fields.line(&["language", "lang"]),
            problems: fields.problems,
        })
    }
}
