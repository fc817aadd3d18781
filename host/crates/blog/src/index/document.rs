//! A group as a document of the index.
//!
//! Owns: which words and names a document is found by.
//! Never: reads files.

use std::collections::BTreeSet;

use tantivy::TantivyDocument;

use super::group::Group;
use super::row::{MediaRow, PostRow, Row, StoredRow};
use super::schema::{BlogFields, NO_ALT, NO_CAPTION, NO_TITLE, PROBLEM_KIND, TRANSLATABLE};
use super::tokenizer::IndexedText;
use crate::content::read_file::hash64;
use crate::content::time::date_of;
use crate::search::words::{DEFAULT_LANGUAGE, fold_name};

/// Makes documents of groups.
pub(crate) struct DocumentBuilder<'b> {
    pub(crate) fields: &'b BlogFields,
    pub(crate) main_language: Option<&'b str>,
}

impl DocumentBuilder<'_> {
    /// Makes the document of a group.
    ///
    /// # Errors
    /// When the row cannot be represented in JSON.
    pub(crate) fn build(&self, group: Group) -> serde_json::Result<TantivyDocument> {
        let fields = self.fields;
        let mut document = TantivyDocument::default();
        document.add_text(fields.key, &group.key);
        document.add_text(fields.kind, group.kind().as_str());
        if !group.problems.is_empty() {
            document.add_text(fields.kind, PROBLEM_KIND);
        }
        document.add_u64(fields.tie, hash64(group.key.as_bytes()));
        let mut folders = BTreeSet::new();
        for (path, stat) in &group.files {
            document.add_text(fields.file, path);
            if folders.insert(folder_of(path)) {
                document.add_text(fields.folder, folder_of(path));
            }
            document.add_u64(fields.file_hash, hash64(path.as_bytes()));
            document.add_u64(fields.file_stat, *stat);
        }
        for claim in &group.claims {
            document.add_text(fields.claimed_slug, &claim.slug);
        }
        let created = match &group.row {
            Row::Post(post) => self.add_post(&mut document, post),
            Row::Media(media) => self.add_media(&mut document, media),
            Row::Script(script) | Row::Template(script) => script.created_at,
            Row::Hidden => 0,
        };
        document.add_i64(fields.created, created);
        let (mut head, mut body) = (IndexedText::default(), IndexedText::default());
        let main_language = self.main_language.unwrap_or(DEFAULT_LANGUAGE);
        for text in &group.texts {
            head.add(text, [text.head.as_str()], main_language);
            body.add(text, [text.head.as_str(), &text.body], main_language);
        }
        document.add_text(fields.head, head.into_string());
        document.add_text(fields.body, body.into_string());
        let stored = StoredRow {
            key: group.key,
            row: group.row,
            files: group.files,
            problems: group.problems,
            claims: group.claims,
        };
        document.add_bytes(fields.row, &serde_json::to_vec(&stored)?);
        Ok(document)
    }

    fn add_post(&self, document: &mut TantivyDocument, post: &PostRow) -> i64 {
        let fields = self.fields;
        document.add_text(fields.slug, &post.slug);
        // A draft of a proposal is no backlink yet.
        for slug in post.links.iter().filter(|_| post.proposal.is_none()) {
            document.add_text(fields.link, slug);
        }
        for tag in &post.tags {
            document.add_text(fields.tag, fold_name(tag));
            document.add_text(fields.tag_name, tag);
        }
        for category in &post.categories {
            document.add_text(fields.category, fold_name(category));
            document.add_text(fields.category_name, category);
        }
        for language in post.available_languages(self.main_language) {
            document.add_text(fields.language, language);
        }
        document.add_text(fields.status, post.status.as_str());
        let (year, month, _) = date_of(post.created_at);
        document.add_text(fields.month, format!("{year:04}"));
        document.add_text(fields.month, format!("{year:04}-{month:02}"));
        if post.is_translatable {
            document.add_text(fields.flag, TRANSLATABLE);
        }
        post.created_at
    }

    fn add_media(&self, document: &mut TantivyDocument, media: &MediaRow) -> i64 {
        let fields = self.fields;
        for tag in &media.tags {
            document.add_text(fields.tag, fold_name(tag));
        }
        for (text, flag) in [(&media.title, NO_TITLE), (&media.alt, NO_ALT), (&media.caption, NO_CAPTION)] {
            if text.is_none() {
                document.add_text(fields.flag, flag);
            }
        }
        let languages = media.language.iter().chain(media.translations.iter().map(|other| &other.language));
        for language in languages.collect::<BTreeSet<_>>() {
            document.add_text(fields.language, language);
        }
        for post in &media.linked_post_ids {
            document.add_text(fields.linked_post, post);
        }
        media.created_at
    }
}

/// Returns the folder of a file.
pub(crate) fn folder_of(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}
