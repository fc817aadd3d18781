//! What the index keeps of each document, for answers.
//!
//! Owns: the stored form.
//! Never: has the body of a post: answers read the file.

use schemars::JsonSchema;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use crate::content::script::ScriptFile;
use crate::content::{FileProblem, PostStatus};

/// A document of the index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Row {
    Post(Box<PostRow>),
    Media(Box<MediaRow>),
    Script(Box<ScriptFile>),
    Template(Box<ScriptFile>),
    Hidden,
}

/// A row, with the files that it was made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StoredRow {
    pub(crate) key: String,
    pub(crate) row: Row,
    /// The path and the state of each file, sorted by path.
    pub(crate) files: Vec<(String, u64)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) problems: Vec<FileProblem>,
    /// The slugs that the post claims, whether or not it gets one, the one that it wants most first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) claims: Vec<SlugClaim>,
}

/// A slug that a post claims.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SlugClaim {
    pub(crate) slug: String,
    /// The file that claims it. Of several posts, the one whose path comes first gets the slug.
    pub(crate) path: String,
}

impl StoredRow {
    /// Returns the slug of a post that is not left out.
    pub(crate) fn slug(&self) -> Option<&str> {
        match &self.row {
            Row::Post(post) => Some(&post.slug),
            _ => None,
        }
    }
}

/// A post that another one links to, or that links to it: a part of its row.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct LinkedPost {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) slug: String,
}

/// What a link needs of a [`StoredRow`].
#[derive(Debug, Deserialize)]
pub(crate) struct NamedRow {
    row: RowName,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
enum RowName {
    Post(LinkedPost),
    Media(IgnoredAny),
    Script(IgnoredAny),
    Template(IgnoredAny),
    Hidden,
}

impl NamedRow {
    /// Returns the post; `None` for another document.
    pub(crate) fn into_post(self) -> Option<LinkedPost> {
        match self.row {
            RowName::Post(post) => Some(post),
            RowName::Media(_) | RowName::Script(_) | RowName::Template(_) | RowName::Hidden => None,
        }
    }
}

/// A post, as its draft or its published file says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PostRow {
    pub(crate) id: String,
    pub(crate) title: String,
    pub(crate) slug: String,
    pub(crate) excerpt: Option<String>,
    pub(crate) status: PostStatus,
    pub(crate) author: Option<String>,
    pub(crate) language: Option<String>,
    pub(crate) is_translatable: bool,
    pub(crate) template_slug: Option<String>,
    /// In milliseconds since 1970, as the others.
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) published_at: Option<i64>,
    pub(crate) tags: Vec<String>,
    pub(crate) categories: Vec<String>,
    pub(crate) word_count: u32,
    /// The file with the body, and where the body begins in it.
    pub(crate) path: String,
    pub(crate) body_start: usize,
    /// The slugs of the posts that this one links to, each once.
    pub(crate) links: Vec<String>,
    /// The proposal whose draft this is, where no published file has the id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) proposal: Option<String>,
    /// Sorted by language.
    pub(crate) translations: Vec<TranslationRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TranslationRow {
    pub(crate) id: Option<String>,
    pub(crate) language: String,
    pub(crate) title: String,
    pub(crate) excerpt: Option<String>,
    pub(crate) status: PostStatus,
    pub(crate) created_at: i64,
    pub(crate) updated_at: i64,
    pub(crate) path: String,
    pub(crate) body_start: usize,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MediaRow {
    pub(crate) id: String,
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
    /// Sorted by language.
    pub(crate) translations: Vec<MediaTranslationRow>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MediaTranslationRow {
    pub(crate) language: String,
    pub(crate) title: Option<String>,
    pub(crate) alt: Option<String>,
    pub(crate) caption: Option<String>,
}

impl PostRow {
    /// Returns the languages in which the post can be read, sorted.
    pub(crate) fn available_languages(&self, main_language: Option<&str>) -> Vec<String> {
        let own = self.language.as_deref().or(main_language).map(str::to_owned);
        let mut languages: Vec<String> =
            own.into_iter().chain(self.translations.iter().map(|other| other.language.clone())).collect();
        languages.sort();
        languages.dedup();
        languages
    }
}

impl MediaRow {
    pub(crate) fn filename(&self) -> &str {
        self.file_path.rsplit('/').next().unwrap_or_default()
    }
}
