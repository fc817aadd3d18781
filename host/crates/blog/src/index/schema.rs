//! The fields of the index.
//!
//! Owns: their names and kinds. A document is a post, a media item, a script, a template, or a file that is left out.
//! Never: knows where their values come from. A change here is a new version of the index.

use tantivy::Term;
use tantivy::schema::{FAST, Field, IndexRecordOption, STORED, Schema, TextFieldIndexing, TextOptions};

use super::tokenizer::TOKENIZER;

/// The version of the schema and of the rules by which texts become words.
pub(crate) const INDEX_VERSION: u32 = 6;

/// The fields.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlogFields {
    /// The kind and the id: one document has it.
    pub(crate) key: Field,
    /// A [`DocKind`], and `problem` for documents with problems.
    pub(crate) kind: Field,
    /// The slug of a post that is not left out.
    pub(crate) slug: Field,
    /// The slugs that a post has or would have, if no other post had them.
    pub(crate) claimed_slug: Field,
    /// The slugs of the posts that a post links to.
    pub(crate) link: Field,
    /// The folded names of tags.
    pub(crate) tag: Field,
    pub(crate) category: Field,
    /// Tags and categories in their own spelling, for lists and counts.
    pub(crate) tag_name: Field,
    pub(crate) category_name: Field,
    /// The languages of a post or a media item, and of its translations.
    pub(crate) language: Field,
    pub(crate) status: Field,
    /// The year and the month of a post: `2024`, `2024-03`.
    pub(crate) month: Field,
    /// [`TRANSLATABLE`] for posts, and what a media item lacks.
    pub(crate) flag: Field,
    /// The posts that a media item belongs to.
    pub(crate) linked_post: Field,
    /// The paths of all files of a document, and of their folders.
    pub(crate) file: Field,
    pub(crate) folder: Field,
    /// In milliseconds since 1970.
    pub(crate) created: Field,
    /// Decides between documents of the same millisecond.
    pub(crate) tie: Field,
    /// The hashes of the paths of the files, and of what `stat` said of each, in the same order.
    pub(crate) file_hash: Field,
    pub(crate) file_stat: Field,
    /// The words of titles, tags, categories and slugs.
    pub(crate) head: Field,
    /// The words of everything.
    pub(crate) body: Field,
    /// The document itself, as JSON.
    pub(crate) row: Field,
}

/// The names of the columns that are read as such.
pub(crate) mod column {
    pub(crate) const CREATED: &str = "created";
    pub(crate) const TIE: &str = "tie";
    pub(crate) const FILE_HASH: &str = "file_hash";
    pub(crate) const FILE_STAT: &str = "file_stat";
    pub(crate) const TAG: &str = "tag_name";
    pub(crate) const CATEGORY: &str = "category_name";
    pub(crate) const LANGUAGE: &str = "language";
    pub(crate) const STATUS: &str = "status";
}

impl BlogFields {
    /// Builds the schema.
    pub(crate) fn build() -> (Schema, Self) {
        let mut schema = Schema::builder();
        let name = |index_option| {
            let indexing = TextFieldIndexing::default().set_tokenizer("raw").set_index_option(index_option);
            TextOptions::default().set_indexing_options(indexing.set_fieldnorms(false))
        };
        let term = || name(IndexRecordOption::Basic);
        let text = || {
            let indexing = TextFieldIndexing::default().set_index_option(IndexRecordOption::WithFreqsAndPositions);
            TextOptions::default().set_indexing_options(indexing.set_tokenizer(TOKENIZER))
        };
        let column = || TextOptions::default().set_fast("raw");
        let fields = Self {
            key: schema.add_text_field("key", term()),
            kind: schema.add_text_field("kind", term()),
            slug: schema.add_text_field("slug", term()),
            claimed_slug: schema.add_text_field("claimed_slug", term()),
            link: schema.add_text_field("link", term()),
            tag: schema.add_text_field("tag", term()),
            category: schema.add_text_field("category", term()),
            tag_name: schema.add_text_field(column::TAG, column()),
            category_name: schema.add_text_field(column::CATEGORY, column()),
            language: schema.add_text_field(column::LANGUAGE, term().set_fast("raw")),
            status: schema.add_text_field(column::STATUS, term().set_fast("raw")),
            month: schema.add_text_field("month", term()),
            flag: schema.add_text_field("flag", term()),
            linked_post: schema.add_text_field("linked_post", term()),
            file: schema.add_text_field("file", term()),
            folder: schema.add_text_field("folder", term()),
            created: schema.add_i64_field(column::CREATED, FAST),
            tie: schema.add_u64_field(column::TIE, FAST),
            file_hash: schema.add_u64_field(column::FILE_HASH, FAST),
            file_stat: schema.add_u64_field(column::FILE_STAT, FAST),
            head: schema.add_text_field("head", text()),
            body: schema.add_text_field("body", text()),
            row: schema.add_bytes_field("row", STORED),
        };
        (schema.build(), fields)
    }
}

/// The kind of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum DocKind {
    Post,
    Media,
    Script,
    Template,
    /// A draft that belongs to a proposal, or any draft of a script or template. Lists and counts have it where they are asked for drafts alone.
    ProposedPost,
    ProposedScript,
    ProposedTemplate,
    /// Left out, because of a problem.
    Hidden,
}

impl DocKind {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Post => "post",
            Self::Media => "media",
            Self::Script => "script",
            Self::Template => "template",
            Self::ProposedPost => "proposed-post",
            Self::ProposedScript => "proposed-script",
            Self::ProposedTemplate => "proposed-template",
            Self::Hidden => "hidden",
        }
    }

    /// Returns the kind of the drafts of this kind that belong to proposals.
    pub(crate) const fn proposed(self) -> Option<Self> {
        match self {
            Self::Post => Some(Self::ProposedPost),
            Self::Script => Some(Self::ProposedScript),
            Self::Template => Some(Self::ProposedTemplate),
            Self::Media | Self::ProposedPost | Self::ProposedScript | Self::ProposedTemplate | Self::Hidden => None,
        }
    }
}

/// The kind of documents with problems, beside their own.
pub(crate) const PROBLEM_KIND: &str = "problem";
/// The flag of posts that may be translated.
pub(crate) const TRANSLATABLE: &str = "translatable";

/// The flags of media items without these texts.
pub(crate) const NO_TITLE: &str = "no-title";
pub(crate) const NO_ALT: &str = "no-alt";
pub(crate) const NO_CAPTION: &str = "no-caption";

pub(crate) fn term(field: Field, text: &str) -> Term {
    Term::from_field_text(field, text)
}
