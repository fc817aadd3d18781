//! One file of a post, as the index takes it: the post itself, its draft, or a translation.
//!
//! Owns: the meaning of the fields of the front matter, and the defaults of those that are missing.
//! Never: parses a document, which the sandbox does, or knows the other files of the post.

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use super::fields::Fields;
use super::layout::{BlogLayout, DRAFTS_DIR};
use super::problem::FileProblem;
use super::slug::slugify;
use super::time::parse_time;
use wardroom_sandbox::{ParsedPost, PostLink};

/// The status of a post.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum PostStatus {
    Draft,
    Published,
    Archived,
}

impl PostStatus {
    pub(crate) const fn as_str(self) -> &'static str {
        match self {
            Self::Draft => "draft",
            Self::Published => "published",
            Self::Archived => "archived",
        }
    }
}

/// Which file of a post this is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum PostFileRole {
    Original,
    /// A draft in `.wardroom/drafts`, which takes the place of the original.
    Draft,
    Translation,
}

/// A file of a post.
#[derive(Debug, Clone)]
pub(crate) struct PostFile {
    pub(crate) path: String,
    pub(crate) role: PostFileRole,
    /// A translation by the name of the file alone.
    pub(crate) is_named_translation: bool,
    /// The id of the post, also in a translation.
    pub(crate) post_id: String,
    /// The id of a translation itself.
    pub(crate) own_id: Option<String>,
    pub(crate) slug: String,
    pub(crate) title: String,
    pub(crate) excerpt: Option<String>,
    pub(crate) status: PostStatus,
    /// Whether the file says its status, and its dates. A translation that does not has those of its post.
    pub(crate) has_own_status: bool,
    pub(crate) has_own_dates: bool,
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
    pub(crate) body_start: usize,
    pub(crate) word_count: u32,
    pub(crate) text: String,
    pub(crate) links: Vec<PostLink>,
    pub(crate) problems: Vec<FileProblem>,
}

/// What is known of a file besides its content.
pub(crate) struct FileFacts<'f> {
    pub(crate) path: &'f str,
    /// When it was changed, in milliseconds since 1970.
    pub(crate) modified: i64,
    pub(crate) layout: BlogLayout,
}

impl PostFile {
    /// Interprets a parsed file.
    ///
    /// # Errors
    /// The problem because of which the file is left out.
    pub(crate) fn new(facts: &FileFacts, parsed: ParsedPost) -> Result<Self, FileProblem> {
        let path = facts.path;
        let name = PostFileName::parse(path, facts.layout);
        let mut fields = Fields::new(path, parsed.fields);
        let translation_of = fields.text(&["translationfor"]);
        let language = fields.language(&["language", "lang", "locale"]).or_else(|| name.language.clone());
        let role = match facts.layout {
            _ if name.is_overlay => PostFileRole::Draft,
            BlogLayout::Bds if translation_of.is_some() => PostFileRole::Translation,
            BlogLayout::Markdown if name.language.is_some() => PostFileRole::Translation,
            BlogLayout::Bds | BlogLayout::Markdown => PostFileRole::Original,
        };
        if facts.layout == BlogLayout::Bds && role == PostFileRole::Original && name.language.is_some() {
            let message = "the name is that of a translation, and the front matter does not say of which post: add \
                           translationFor with the id of the post";
            return Err(FileProblem::hiding(path, 1, message));
        }
        if role == PostFileRole::Draft && translation_of.is_some() {
            let message = "a draft of a translation is not read: write the translation beside its post";
            return Err(FileProblem::hiding(path, fields.line(&["translationfor"]), message));
        }
        if role == PostFileRole::Translation && language.is_none() {
            let message = "the translation does not say its language: add language, such as `language: de`";
            return Err(FileProblem::hiding(path, fields.line(&["translationfor"]), message));
        }
        let title = fields.text(&["title"]);
        let own_slug =
            fields.text(&["slug"]).or_else(|| fields.text(&["permalink"]).filter(|link| is_plain_link(link)));
        let slug = own_slug.map(|slug| last_segment(&slug).to_owned()).filter(|slug| !slug.is_empty());
        let slug = match (slug, facts.layout) {
            (Some(slug), _) => slug,
            (None, BlogLayout::Bds) => title.as_deref().map_or_else(|| name.stem.clone(), slugify),
            (None, BlogLayout::Markdown) => name.stem.clone(),
        };
        if let Some(problem) = slug_problem(path, fields.line(&["slug", "permalink"]), &slug) {
            return Err(problem);
        }
        let own_id = fields.text(&["id"]);
        let post_id = match (translation_of, facts.layout) {
            // A draft has the id of its post, also where other posts have none.
            (None, _) if name.is_overlay => own_id.clone().unwrap_or_else(|| name.stem.clone()),
            (Some(id), BlogLayout::Bds) => id,
            (None, BlogLayout::Bds) => own_id.clone().ok_or_else(|| {
                let message = "the front matter has no id: add `id:` with a new UUID, such as uuidgen prints";
                FileProblem::hiding(path, 1, message)
            })?,
            (_, BlogLayout::Markdown) => path_id(&name.group_path),
        };
        if post_id.len() > 100 || !post_id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_' | b'.'))
        {
            let message = "the id of the post is no UUID: use one, such as uuidgen prints";
            return Err(FileProblem::hiding(path, fields.line(&["id", "translationfor"]), message));
        }
        let updated = fields.time(&["updatedat", "updateddate", "lastmod", "lastmodifiedat", "modified", "updated"]);
        let created = fields.time(&["createdat", "date", "pubdate", "publishdate", "publisheddate", "created"]);
        let created_at = created.or(name.date).or(updated).unwrap_or(facts.modified);
        let has_own_status = fields.text(&["status"]).is_some();
        let status = match fields.text(&["status"]).map(|status| status.to_ascii_lowercase()).as_deref() {
            _ if name.is_overlay || name.is_unpublished => PostStatus::Draft,
            Some("draft") => PostStatus::Draft,
            Some("published") => PostStatus::Published,
            Some("archived") => PostStatus::Archived,
            Some(_) => {
                let message = "status: expected draft, published or archived; it counts as draft";
                fields.problems.push(FileProblem::minor(path, fields.line(&["status"]), message));
                PostStatus::Draft
            }
            None if fields.flag(&["draft"]) == Some(true) || fields.flag(&["published"]) == Some(false) => {
                PostStatus::Draft
            }
            None if facts.layout == BlogLayout::Markdown || role == PostFileRole::Translation => PostStatus::Published,
            None => PostStatus::Draft,
        };
        // Jekyll's names are separated by spaces.
        let has_spaces = facts.layout == BlogLayout::Markdown && path.starts_with('_');
        let categories = fields.list(&["categories", "category"], has_spaces).unwrap_or_default();
        let tags = fields.list(&["tags", "tag", "keywords"], has_spaces).unwrap_or_default();
        let is_translatable = fields.flag(&["donottranslate"]) != Some(true);
        let is_translation = role == PostFileRole::Translation;
        Ok(Self {
            path: path.to_owned(),
            role,
            is_named_translation: facts.layout == BlogLayout::Markdown && name.language.is_some(),
            post_id,
            own_id: own_id.filter(|_| is_translation),
            title: title.unwrap_or_else(|| name.stem.clone()),
            slug,
            excerpt: fields
                .text(&["excerpt", "description", "summary"])
                .or(Some(parsed.excerpt))
                .filter(|e| !e.is_empty()),
            status,
            author: fields.text(&["author"]),
            language,
            is_translatable,
            template_slug: fields.text(&["templateslug", "layout"]),
            has_own_status,
            has_own_dates: created.or(updated).is_some(),
            created_at,
            updated_at: updated.unwrap_or(created_at.max(facts.modified)),
            published_at: fields.time(&["publishedat"]),
            tags,
            categories,
            body_start: parsed.body_start,
            word_count: parsed.word_count,
            text: parsed.text,
            links: parsed.links,
            problems: fields.problems,
        })
    }
}

/// The last segment of a permalink, without the extension of a page.
fn last_segment(slug: &str) -> &str {
    let last = slug.trim_matches('/').rsplit('/').next().unwrap_or_default();
    last.strip_suffix(".html").or_else(|| last.strip_suffix(".htm")).unwrap_or(last)
}

/// Whether a permalink is an address, and no style such as `pretty` or `/:title/`.
fn is_plain_link(link: &str) -> bool {
    link.contains('/') && !link.contains(':')
}

/// Returns why a slug cannot be in an address.
fn slug_problem(path: &str, line: u32, slug: &str) -> Option<FileProblem> {
    const MAX_SLUG_BYTES: usize = 300;
    let is_allowed = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '~');
    let is_good = !slug.is_empty() && slug.len() <= MAX_SLUG_BYTES && slug.chars().all(is_allowed);
    let message = "slug: expected letters, digits and hyphens; write it as in the address of the post";
    (!is_good || matches!(slug, "." | "..")).then(|| FileProblem::hiding(path, line, message))
}

/// Returns the id of a post that has none: the UUID (version 5) of its path.
pub(crate) fn path_id(path: &str) -> String {
    Uuid::new_v5(&Uuid::NAMESPACE_URL, format!("wardroom:blog:{path}").as_bytes()).to_string()
}

/// What the path of a post says.
struct PostFileName {
    stem: String,
    language: Option<String>,
    date: Option<i64>,
    /// In the folder of drafts that take the place of published files.
    is_overlay: bool,
    /// In Jekyll's folder of drafts.
    is_unpublished: bool,
    /// The path without language and extension, which all translations share.
    group_path: String,
}

impl PostFileName {
    fn parse(path: &str, layout: BlogLayout) -> Self {
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", path));
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let (stem, language) = match stem.rsplit_once('.').filter(|(_, language)| is_language(language)) {
            Some((stem, language)) => (stem, Some(language.to_lowercase().replace('_', "-"))),
            None => (stem, None),
        };
        let is_bundle = layout == BlogLayout::Markdown && matches!(stem, "index" | "_index");
        let group_path = if is_bundle { folder.to_owned() } else { format!("{folder}/{stem}") };
        let stem = if is_bundle { folder.rsplit('/').next().unwrap_or(stem) } else { stem };
        let dated = stem.get(..11).filter(|_| layout == BlogLayout::Markdown).filter(|start| start.ends_with('-'));
        let date = dated.and_then(|start| parse_time(start.trim_end_matches('-')));
        let stem = if date.is_some() { stem.get(11..).unwrap_or(stem) } else { stem };
        let is_unpublished = layout == BlogLayout::Markdown && folder.split('/').any(|part| part == "_drafts");
        let is_overlay = folder == DRAFTS_DIR;
        Self { stem: stem.to_owned(), language, date, is_overlay, is_unpublished, group_path }
    }
}

/// Whether a part of a file name is a language: `de`, `pt-br`. `node.js` is none.
fn is_language(text: &str) -> bool {
    const LANGUAGES: &str = " aa ab ae af ak am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv \
        cy da de dv dz ee el en eo es et eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig \
        ii ik io is it iu ja jv ka kg ki kj kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn \
        mr ms mt my na nb nd ne ng nl nn no nr nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk \
        sl sm sn so sq sr ss st su sv sw ta te tg th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za \
        zh zu ";
    let (language, region) = text.split_once(['-', '_']).map_or((text, None), |(l, r)| (l, Some(r)));
    let is_alphabetic = |text: &str| text.bytes().all(|b| b.is_ascii_alphabetic());
    LANGUAGES.contains(&format!(" {} ", language.to_ascii_lowercase()))
        && region.is_none_or(|r| matches!(r.len(), 2 | 4) && is_alphabetic(r))
}
