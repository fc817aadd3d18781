//! One file of a post, as the index takes it: the post itself, its draft, or a translation.
//!
//! Owns: the meaning of the fields of the front matter, and the defaults of those that are missing.
//! Never: parses a document, which the sandbox does, or knows the other files of the post.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;
use uuid::Uuid;

use super::fields::{Fields, Separator};
use super::language::is_language;
use super::layout::{BlogLayout, DRAFTS_DIR};
use super::problem::FileProblem;
use super::site::{SiteFileName, SiteProgram};
use super::slug::{is_slug_char, site_slug, slug_of_letters};
use crate::limits::{MAX_NAMES, MAX_POST_LINKS};
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
    /// The slugs of the posts that this one links to, each once.
    pub(crate) links: Vec<String>,
    /// The proposal that a draft belongs to.
    pub(crate) proposal: Option<String>,
    pub(crate) lines: PostFileLines,
    pub(crate) problems: Vec<FileProblem>,
}

/// The lines of the fields that may contradict another file; 1 for a field that is missing.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PostFileLines {
    pub(crate) id: u32,
    pub(crate) slug: u32,
    pub(crate) translation_of: u32,
    pub(crate) language: u32,
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
        let mut fields = Fields::new(path, parsed.fields);
        let (own_id, translation_of) = (fields.text(&["id"]), fields.text(&["translationfor"]));
        let has_own_identity = own_id.is_some() && translation_of.is_none();
        let name = PostFileName::parse(path, facts.layout, has_own_identity);
        if name.program == Some(SiteProgram::Jekyll) && name.date.is_none() && !name.is_unpublished {
            let message = "Jekyll's posts have a date in their names: rename the file to 2024-03-09-title.md";
            return Err(FileProblem::hiding(path, 1, message));
        }
        let language = fields.language(LANGUAGE).or_else(|| name.language.clone());
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
        let slug = read_slug(&mut fields, &name, title.as_deref())?;
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
        let created = fields.creation_time(CREATION_FIELDS)?;
        let updated = fields.time(&["updatedat", "updateddate", "lastmod", "lastmodifiedat", "modified", "updated"]);
        let created_at = created.or(name.date).or(updated).unwrap_or(facts.modified);
        let is_translation = role == PostFileRole::Translation;
        let (status, has_own_status) = read_status(&mut fields, &name, facts.layout, is_translation);
        let (tags, categories) = read_names(&mut fields, &name);
        let is_translatable = fields.flag(&["donottranslate"]) != Some(true);
        let lines = PostFileLines {
            id: fields.line(&["id"]),
            slug: fields.line(SLUG),
            translation_of: fields.line(&["translationfor"]),
            language: fields.line(LANGUAGE),
        };
        let excerpt = fields.text(&["excerpt", "description", "summary"]).unwrap_or(parsed.excerpt);
        Ok(Self {
            path: path.to_owned(),
            role,
            is_named_translation: facts.layout == BlogLayout::Markdown && is_translation,
            post_id,
            own_id: own_id.filter(|_| is_translation),
            title: title.unwrap_or_else(|| name.default_title()),
            excerpt: Some(excerpt).filter(|excerpt| !excerpt.is_empty()),
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
            links: link_slugs(parsed.links, &slug),
            proposal: fields.text(&["proposal"]).filter(|_| name.is_overlay),
            slug,
            lines,
            problems: fields.problems,
        })
    }
}

/// The fields that say when a post was made.
pub(crate) const CREATION_FIELDS: &[&str] =
    &["createdat", "date", "pubdate", "publishdate", "publisheddate", "created"];
const SLUG: &[&str] = &["slug", "permalink", "url"];
const LANGUAGE: &[&str] = &["language", "lang", "locale"];

/// Returns the slug: what the front matter says, or else what the post's program makes of the title or of the file's name.
fn read_slug(fields: &mut Fields, name: &PostFileName, title: Option<&str>) -> Result<String, FileProblem> {
    let last = |address: String| Some(last_segment(&address).to_owned()).filter(|slug| !slug.is_empty());
    // An address says more than a slug.
    let address = match name.program {
        Some(SiteProgram::Hugo) => fields.text(&["url", "permalink"]),
        _ => fields.text(&["permalink"]),
    };
    let address = address.filter(|link| is_plain_link(link)).and_then(last);
    let own = fields.text(&["slug"]).and_then(last);
    let slug = match name.program {
        Some(program) => {
            // An address is taken as it is, and by Astro a slug too.
            let as_it_is = if program == SiteProgram::Astro { own.clone() } else { address };
            let named = || site_slug(own.as_deref().unwrap_or(&name.stem), program);
            Some(as_it_is.filter(|slug| slug.chars().all(is_slug_char)).unwrap_or_else(named))
        }
        None => own.or(address),
    };
    let slug = slug.unwrap_or_else(|| match title {
        // Of a title in another script nothing is left.
        Some(title) if !name.is_of_site => slug_of_letters(title).unwrap_or_else(|| name.stem.clone()),
        _ => name.stem.clone(),
    });
    let slug: String = slug.nfc().collect();
    const MAX_SLUG_BYTES: usize = 300;
    let is_good = !slug.is_empty() && slug.len() <= MAX_SLUG_BYTES && slug.chars().all(is_slug_char);
    if !is_good || matches!(&*slug, "." | "..") {
        let message = "slug: expected letters, digits and hyphens; write it as in the address of the post";
        return Err(fields.hiding(SLUG, message));
    }
    Ok(slug)
}

/// Returns the status, and whether the file says it.
fn read_status(
    fields: &mut Fields,
    name: &PostFileName,
    layout: BlogLayout,
    is_translation: bool,
) -> (PostStatus, bool) {
    let status = fields.text(&["status"]).map(|status| status.to_ascii_lowercase());
    // What has a status may have a date of this name.
    let mut flag = |name| if status.is_none() { fields.flag(&[name]) } else { None };
    let (is_draft, is_published) = (flag("draft"), flag("published"));
    let is_said = status.is_some() || is_draft.is_some() || is_published.is_some();
    let status = match status.as_deref() {
        _ if name.is_overlay || name.is_unpublished => PostStatus::Draft,
        Some("draft") => PostStatus::Draft,
        Some("published") => PostStatus::Published,
        Some("archived") => PostStatus::Archived,
        Some(_) => {
            fields.pass_over(&["status"], "status: expected draft, published or archived; it counts as draft");
            PostStatus::Draft
        }
        None if is_draft == Some(true) || is_published == Some(false) => PostStatus::Draft,
        None if layout == BlogLayout::Markdown || is_translation => PostStatus::Published,
        None => PostStatus::Draft,
    };
    // A translation of a site is a page with a status of its own.
    (status, is_said || layout == BlogLayout::Markdown)
}

/// Returns the tags and the categories.
fn read_names(fields: &mut Fields, name: &PostFileName) -> (Vec<String>, Vec<String>) {
    match name.program {
        // A `category` is one, `categories` are split at spaces, and folders above `_posts` are categories.
        Some(SiteProgram::Jekyll) => {
            let tags = fields
                .list(&["tag"], Separator::Nothing)
                .or_else(|| fields.list(&["tags"], Separator::Spaces))
                .unwrap_or_default();
            let mut categories: Vec<String> = name.sections.clone();
            categories.extend(fields.list(&["categories"], Separator::Spaces).unwrap_or_default());
            categories.extend(fields.list(&["category"], Separator::Nothing).unwrap_or_default());
            let mut known = HashSet::new();
            categories.retain(|category| known.insert(category.to_lowercase()));
            categories.truncate(MAX_NAMES);
            (tags, categories)
        }
        // A text is one name.
        Some(SiteProgram::Hugo) => (
            fields.list(&["tags"], Separator::Nothing).unwrap_or_default(),
            fields.list(&["categories"], Separator::Nothing).unwrap_or_default(),
        ),
        Some(SiteProgram::Astro) | None => (
            fields.list(&["tags", "tag"], Separator::Commas).unwrap_or_default(),
            fields.list(&["categories", "category"], Separator::Commas).unwrap_or_default(),
        ),
    }
}

/// Returns the slugs of the other posts that a post links to, each once.
fn link_slugs(links: Vec<PostLink>, own: &str) -> Vec<String> {
    let mut known = HashSet::new();
    let mut slugs: Vec<String> = links.into_iter().map(|link| link.slug.nfc().collect()).collect();
    slugs.retain(|slug| slug != own && known.insert(slug.clone()));
    slugs.truncate(MAX_POST_LINKS);
    slugs
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

/// Returns the id of a post that has none: the UUID (version 5) of its path.
pub(crate) fn path_id(path: &str) -> String {
    Uuid::new_v5(&Uuid::NAMESPACE_URL, format!("wardroom:blog:{path}").as_bytes()).to_string()
}

/// What the path of a post says. Names are in the form NFC: systems disagree on the form of the same name.
struct PostFileName {
    program: Option<SiteProgram>,
    is_of_site: bool,
    stem: String,
    language: Option<String>,
    date: Option<i64>,
    sections: Vec<String>,
    /// In the folder of drafts that take the place of published files.
    is_overlay: bool,
    /// In Jekyll's folder of drafts.
    is_unpublished: bool,
    /// The path without language and extension, which all translations share.
    group_path: String,
}

impl PostFileName {
    /// A file with an identity of its own is no translation, whatever its name ends with: `learn.io.md`.
    fn parse(path: &str, layout: BlogLayout, has_own_identity: bool) -> Self {
        let path: String = path.nfc().collect();
        let is_of_site = layout == BlogLayout::Markdown;
        if let Some(program) = SiteProgram::of_file(&path).filter(|_| is_of_site) {
            let SiteFileName { stem, date, language, group_path, sections, is_unpublished } = program.read_name(&path);
            let program = Some(program);
            let is_overlay = false;
            return Self {
                program,
                is_of_site,
                stem,
                language,
                date,
                sections,
                is_overlay,
                is_unpublished,
                group_path,
            };
        }
        let (folder, file) = path.rsplit_once('/').unwrap_or(("", &path));
        let stem = file.rsplit_once('.').map_or(file, |(stem, _)| stem);
        let is_overlay = folder == DRAFTS_DIR;
        let split = stem.rsplit_once('.').filter(|(_, language)| is_language(language) && !has_own_identity);
        let (stem, language) = match split {
            Some((stem, language)) => (stem, Some(language.to_lowercase().replace('_', "-"))),
            None => (stem, None),
        };
        Self {
            program: None,
            is_of_site,
            stem: stem.to_owned(),
            language,
            date: None,
            sections: Vec::new(),
            is_overlay,
            is_unpublished: false,
            group_path: format!("{folder}/{stem}"),
        }
    }

    /// Returns the title of a post that has none.
    fn default_title(&self) -> String {
        if self.program != Some(SiteProgram::Jekyll) {
            return self.stem.clone();
        }
        // As Jekyll does: `hello-world` is `Hello World`.
        let capitalized = |word: &str| {
            let mut letters = word.chars();
            let first = letters.next().map(char::to_uppercase);
            first.into_iter().flatten().chain(letters.flat_map(char::to_lowercase)).collect::<String>()
        };
        self.stem.split('-').map(capitalized).collect::<Vec<_>>().join(" ")
    }
}
