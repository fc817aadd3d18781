//! What answers say of posts and media, with their links.
//!
//! Owns: the names of the fields in answers, and how many links an answer names.
//! Never: reads a file.

use schemars::JsonSchema;
use serde::Serialize;
use unicode_normalization::UnicodeNormalization as _;

use crate::BlogState;
use crate::content::PostStatus;
use crate::content::script::ScriptFile;
use crate::content::time::format_time;
use crate::index::IndexError;
use crate::index::post_key;
use crate::index::row::{LinkedPost, MediaRow, PostRow, Row};
use crate::index::stored::StoredBlog;
use crate::limits::{BLOG_PAGE_SIZE, MAX_LISTED_LINKS};
use wardroom_service::ServiceError;

/// Some of the links of a post in one direction, and how many there are.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(crate) struct PostLinks {
    pub(crate) listed: Vec<LinkedPost>,
    pub(crate) total: usize,
}

/// A post in `bds://posts`.
#[derive(Debug, Serialize)]
pub(crate) struct PostItem {
    id: String,
    title: String,
    slug: String,
    excerpt: Option<String>,
    status: PostStatus,
    language: Option<String>,
    #[serde(rename = "availableLanguages")]
    available_languages: Vec<String>,
    tags: Vec<String>,
    categories: Vec<String>,
    created_at: String,
    #[serde(rename = "updatedAt")]
    updated_at: String,
    #[serde(rename = "publishedAt")]
    published_at: Option<String>,
    backlinks: Vec<LinkedPost>,
    #[serde(rename = "backlinkCount")]
    backlink_count: usize,
    outlinks: Vec<LinkedPost>,
    #[serde(rename = "outlinkCount")]
    outlink_count: usize,
}

/// A media item in `bds://media`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MediaItem {
    pub(crate) id: String,
    pub(crate) filename: String,
    pub(crate) title: Option<String>,
    pub(crate) alt: Option<String>,
    pub(crate) caption: Option<String>,
    pub(crate) tags: Vec<String>,
}

/// A media item with all that is known of it.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MediaDetails {
    #[serde(flatten)]
    item: MediaItem,
    original_name: Option<String>,
    mime_type: Option<String>,
    size: Option<u64>,
    width: Option<u32>,
    height: Option<u32>,
    author: Option<String>,
    language: Option<String>,
    available_languages: Vec<String>,
    created_at: String,
    updated_at: String,
    linked_post_ids: Vec<String>,
}

/// A script or a template in a list.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ScriptItem {
    id: Option<String>,
    slug: String,
    title: String,
    kind: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    entrypoint: Option<String>,
    enabled: bool,
    version: Option<i64>,
    created_at: String,
    updated_at: String,
}

impl PostItem {
    pub(crate) fn new(stored: &StoredBlog, post: PostRow, main_language: Option<&str>) -> Result<Self, IndexError> {
        let (backlinks, outlinks) = (backlinks(stored, &post)?, outlinks(stored, &post)?);
        Ok(Self {
            available_languages: post.available_languages(main_language),
            language: post.language.or_else(|| main_language.map(str::to_owned)),
            id: post.id,
            title: post.title,
            slug: post.slug,
            excerpt: post.excerpt,
            status: post.status,
            tags: post.tags,
            categories: post.categories,
            created_at: format_time(post.created_at),
            updated_at: format_time(post.updated_at),
            published_at: post.published_at.map(format_time),
            backlinks: backlinks.listed,
            backlink_count: backlinks.total,
            outlinks: outlinks.listed,
            outlink_count: outlinks.total,
        })
    }
}

impl MediaItem {
    pub(crate) fn new(media: MediaRow) -> Self {
        let filename = media.filename().to_owned();
        let MediaRow { id, title, alt, caption, tags, .. } = media;
        Self { id, filename, title, alt, caption, tags }
    }
}

impl MediaDetails {
    pub(crate) fn new(media: MediaRow, main_language: Option<&str>) -> Self {
        let own = media.language.as_deref().or(main_language).map(str::to_owned);
        let others = media.translations.iter().map(|other| other.language.clone());
        let mut available_languages: Vec<String> = own.into_iter().chain(others).collect();
        available_languages.sort();
        available_languages.dedup();
        Self {
            original_name: media.original_name.clone(),
            mime_type: media.mime_type.clone(),
            size: media.size,
            width: media.width,
            height: media.height,
            author: media.author.clone(),
            language: media.language.clone(),
            available_languages,
            created_at: format_time(media.created_at),
            updated_at: format_time(media.updated_at),
            linked_post_ids: media.linked_post_ids.clone(),
            item: MediaItem::new(media),
        }
    }
}

impl ScriptItem {
    pub(crate) fn new(script: ScriptFile) -> Self {
        Self {
            id: script.id,
            slug: script.slug,
            title: script.title,
            kind: script.kind,
            entrypoint: script.entrypoint,
            enabled: script.is_enabled,
            version: script.version,
            created_at: format_time(script.created_at),
            updated_at: format_time(script.updated_at),
        }
    }
}

impl BlogState {
    /// Returns the newest media of a post, and how many it has.
    pub(crate) fn newest_media_of_post(&self, post: &PostRow) -> Result<(Vec<MediaRow>, usize), ServiceError> {
        let field = self.stored.fields.linked_post;
        let (rows, total) = self.read_index(|| self.stored.newest_with_term(field, &post.id, BLOG_PAGE_SIZE))?;
        let media = rows.into_iter().filter_map(|row| match row {
            Row::Media(media) => Some(*media),
            _ => None,
        });
        Ok((media.collect(), total))
    }

    /// Returns some of the posts that show a media item, and how many do.
    pub(crate) fn linked_posts_of_media(&self, media: &MediaRow) -> Result<(Vec<LinkedPost>, usize), ServiceError> {
        let names = media.linked_post_ids.iter().map(|id| self.stored.post_name_by_key(&post_key(id)));
        let mut posts = self.read_index(|| names.filter_map(Result::transpose).collect::<Result<Vec<_>, _>>())?;
        let total = posts.len();
        posts.truncate(BLOG_PAGE_SIZE);
        Ok((posts, total))
    }
}

/// Returns the posts that link to a post, the newest first.
pub(crate) fn backlinks(stored: &StoredBlog, post: &PostRow) -> Result<PostLinks, IndexError> {
    let (listed, total) = stored.newest_names_with_term(stored.fields.link, &post.slug, MAX_LISTED_LINKS)?;
    Ok(PostLinks { listed, total })
}

/// Returns the posts that a post links to, in the order of its text. Links to slugs that no post has are left out.
pub(crate) fn outlinks(stored: &StoredBlog, post: &PostRow) -> Result<PostLinks, IndexError> {
    let mut links = PostLinks { listed: Vec::new(), total: 0 };
    for slug in &post.links {
        if links.listed.len() < MAX_LISTED_LINKS {
            let target = stored.post_name_by_slug(slug)?;
            links.total += usize::from(target.is_some());
            links.listed.extend(target);
        } else {
            links.total += usize::from(stored.has_slug(slug)?);
        }
    }
    Ok(links)
}

/// Returns the post with a slug, in any Unicode form.
pub(crate) fn find_post_by_slug(stored: &StoredBlog, slug: &str) -> Result<Option<PostRow>, IndexError> {
    let slug: String = slug.nfc().collect();
    Ok(stored.find(stored.fields.slug, &slug)?.and_then(|row| match row.row {
        Row::Post(post) => Some(*post),
        _ => None,
    }))
}

/// Returns the post with an id, or else with that slug.
pub(crate) fn find_post(stored: &StoredBlog, name: &str) -> Result<Option<PostRow>, IndexError> {
    match stored.find_key(&post_key(name))? {
        Some(Row::Post(post)) => Ok(Some(*post)),
        _ => find_post_by_slug(stored, name),
    }
}

/// Returns the media item with an id.
pub(crate) fn find_media(stored: &StoredBlog, id: &str) -> Result<Option<MediaRow>, IndexError> {
    Ok(match stored.find_key(&crate::index::media_key(id))? {
        Some(Row::Media(media)) => Some(*media),
        _ => None,
    })
}
