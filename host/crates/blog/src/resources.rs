//! The resources of `bds`: their list, their templates, and one of them by URI.
//!
//! Owns: what each resource contains.
//! Never: decodes a picture: see `picture`.

use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde::Serialize;
use serde_json::{Value, json};

use crate::apps::AppPage;
use crate::bds_uri::{BlogUri, LinkDirection, SCHEME};
use crate::content::read_file::{hash64, stat_hash};
use crate::content::script::ScriptFile;
use crate::cursor::{format_cursor, parse_cursor};
use crate::error_code as code;
use crate::index::row::{MediaRow, PostRow, Row, StoredRow};
use crate::index::schema::DocKind;
use crate::index::stored::PageStart;
use crate::index::{BlogIndex, IndexError, guarded, media_key, post_key};
use crate::limits::BLOG_PAGE_SIZE;
use crate::proposals::store::ProposalStore;
use crate::search::matching::with_term;
use crate::view::{MediaDetails, MediaItem, PostItem, ScriptItem, backlinks, find_media, find_post, outlinks};
use crate::{Blog, BlogState, complete};
use wardroom_base::payload::Payload;
use wardroom_service::{
    Caller, Cost, Dependencies, EntryExtras, ListPage, RequestInfo, ResourceContent, ResourceEntry, ResourceProvider,
    ServiceError, TemplateEntry, Transport, VariableCompletion, Work, mime,
};

/// The name of the mark of content that comes from posts.
const UNTRUSTED: &str = "wardroom/untrusted";
/// The name of what a reader should know about the age of an answer.
const NOTES: &str = "wardroom/notes";

const FIXED: [(&str, &str, &str); 9] = [
    ("posts", "Posts", "All posts, 50 a page, the newest first, with their links"),
    ("media", "Media", "All pictures and other files, 50 a page, the newest first"),
    ("tags", "Tags", "Tags with their colors and numbers of posts"),
    ("categories", "Categories", "Categories with their numbers of posts"),
    ("stats", "Statistics", "Numbers of posts by status and year, and of everything else"),
    ("project", "Project", "The blog's name, address and languages"),
    ("scripts", "Scripts", "The scripts of the blog"),
    ("templates", "Templates", "The templates of the blog"),
    ("proposals", "Proposals", "The pending proposals, the newest first"),
];

const TEMPLATES: [(&str, &str, &str, &str); 13] = [
    ("posts{?cursor}", "posts-page", "A page of posts", mime::JSON),
    ("media{?cursor}", "media-page", "A page of media", mime::JSON),
    ("posts/{post}", "post", "A post by id or slug, with its body and links", mime::JSON),
    ("posts/{post}/backlinks", "post-backlinks", "The posts that link to a post", mime::JSON),
    ("posts/{post}/outlinks", "post-outlinks", "The posts that a post links to", mime::JSON),
    ("posts/{post}/media", "post-media", "The media of a post", mime::JSON),
    ("media/{media}", "media-item", "A media item", mime::JSON),
    ("media/{media}/posts", "media-posts", "The posts with a media item", mime::JSON),
    ("media/{media}/image", "media-image", "A picture, at most 400 pixels wide and high", "image/jpeg"),
    ("media/{media}/image{?size}", "media-image-size", "A picture: size is thumbnail or original", "image/jpeg"),
    ("scripts/{script}", "script", "A script with its source", mime::JSON),
    ("templates/{template}", "template", "A template with its source", mime::JSON),
    ("proposals/{proposal}", "proposal", "A proposal with its difference, or what was decided on it", mime::JSON),
];

impl ResourceProvider for Blog {
    fn list(
        &self,
        mark: Option<&str>,
        limit: usize,
        info: &RequestInfo,
    ) -> Result<ListPage<ResourceEntry>, ServiceError> {
        let mut entries: Vec<ResourceEntry> =
            FIXED.iter().map(|entry| ResourceEntry::fixed_json(SCHEME, *entry)).collect();
        // A command shows no pages.
        if info.caller.transport != Transport::CommandLine {
            entries.extend(AppPage::ALL.map(AppPage::entry));
        }
        let start = match mark {
            None => 0,
            Some(mark) => {
                1 + entries.iter().position(|entry| entry.name == mark).ok_or_else(ServiceError::unknown_cursor)?
            }
        };
        let rest = entries.split_off(start);
        let next = rest.get(limit.wrapping_sub(1)).filter(|_| rest.len() > limit).map(|entry| entry.name.to_string());
        Ok(ListPage { items: rest.into_iter().take(limit).collect(), next_cursor: next })
    }

    fn templates(&self, _caller: &Caller) -> Vec<Arc<TemplateEntry>> {
        let entry =
            |&(path, name, description, mime_type): &(&'static str, &'static str, &'static str, &'static str)| {
                Arc::new(TemplateEntry {
                    pattern: format!("{SCHEME}://{path}"),
                    name: name.into(),
                    title: Some(description.into()),
                    description: description.into(),
                    mime_type: mime_type.into(),
                    extra: EntryExtras::default(),
                })
            };
        TEMPLATES.iter().map(entry).collect()
    }

    fn resolve(
        self: Arc<Self>,
        uri: &str,
        _caller: &Arc<Caller>,
    ) -> Option<Result<Work<ResourceContent>, ServiceError>> {
        if AppPage::at(uri).is_some() {
            return Some(Ok(Work::done(AppPage::content())));
        }
        BlogUri::is_of_scheme(uri).then(|| {
            let (parsed, uri) = (BlogUri::parse(uri)?, uri.to_owned());
            // A picture takes memory and seconds.
            let cost = if matches!(parsed, BlogUri::MediaImage { .. }) { Cost::Large } else { Cost::Worker };
            Ok(Work::new(cost, move |info| {
                let state = self.state(info)?;
                state.read(parsed, &uri, info)
            }))
        })
    }

    fn validate(&self, uri: &str, _caller: &Caller) -> Option<Result<(), ServiceError>> {
        if AppPage::at(uri).is_some() {
            return Some(Ok(()));
        }
        BlogUri::is_of_scheme(uri).then(|| BlogUri::parse(uri).map(drop))
    }

    fn dependencies(&self, uri: &str, _caller: &Caller) -> Option<Result<Dependencies, ServiceError>> {
        if AppPage::at(uri).is_some() {
            return Some(Ok(Dependencies::default()));
        }
        BlogUri::is_of_scheme(uri).then(|| {
            let parsed = BlogUri::parse(uri)?;
            let mut dependencies = Dependencies::default();
            if let Ok(blog) = self.open() {
                let proposals = ProposalStore::new(&blog.index.source().folder);
                match &parsed {
                    BlogUri::Proposals => proposals.add_dependencies(&mut dependencies, None),
                    BlogUri::Proposal(id) => proposals.add_dependencies(&mut dependencies, Some(id)),
                    _ => {}
                }
                let digest = parsed.digest(&blog.index).ok().flatten();
                blog.index.add_dependencies(&mut dependencies, digest);
            }
            Ok(dependencies)
        })
    }

    fn complete(
        self: Arc<Self>,
        completing: &VariableCompletion,
        _caller: &Arc<Caller>,
    ) -> Option<Result<Work<Vec<String>>, ServiceError>> {
        complete::resolve_variable(&self, completing)
    }
}

impl BlogUri {
    /// Returns a digest of what a resource shows of the index, if that is a single post or media item that its id names.
    fn digest(&self, index: &BlogIndex) -> Result<Option<u64>, IndexError> {
        let key = match self {
            Self::MediaItem(id) | Self::MediaImage { id, .. } => media_key(id),
            Self::Post(id) => post_key(id),
            _ => return Ok(None),
        };
        let (stored, _) = index.stored()?;
        guarded(|| {
            let Some(found) = stored.find_document(&key)? else { return Ok(None) };
            let (links, picture) = match &found.row {
                Row::Post(post) => (Some((backlinks(&stored, post)?, outlinks(&stored, post)?)), None),
                Row::Media(media) => (None, index.source().folder.stat(&media.file_path).ok()),
                _ => (None, None),
            };
            let shown = (&found, links, picture.map(|stat| stat_hash(&stat)));
            Ok(Some(hash64(&serde_json::to_vec(&shown)?)))
        })
    }
}

/// A page of items.
#[derive(Serialize)]
struct ItemPage<T> {
    items: Vec<T>,
    total: usize,
    offset: usize,
    limit: usize,
    #[serde(rename = "hasMore")]
    has_more: bool,
    #[serde(rename = "nextCursor", skip_serializing_if = "Option::is_none")]
    next_cursor: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

impl BlogState {
    pub(crate) fn main_language(&self) -> Option<&str> {
        self.settings.main_language()
    }

    fn read(&self, resource: BlogUri, uri: &str, info: &RequestInfo) -> Result<ResourceContent, ServiceError> {
        let not_found = || ServiceError::NotFound { uri: uri.to_owned() };
        let (value, modified) = match resource {
            BlogUri::Project => (self.project(), None),
            BlogUri::Stats => (self.stats()?, None),
            BlogUri::Tags => (self.tags()?, None),
            BlogUri::Categories => (self.categories()?, None),
            BlogUri::Scripts { drafts } => (self.scripts(DocKind::Script, drafts)?, None),
            BlogUri::Templates { drafts } => (self.scripts(DocKind::Template, drafts)?, None),
            BlogUri::Proposals => (self.pending_proposals()?, None),
            BlogUri::Proposal(id) => (self.proposal(&id)?.ok_or_else(not_found)?, None),
            BlogUri::Posts { cursor } => (self.posts_page(cursor.as_deref())?, None),
            BlogUri::Media { cursor } => (self.media_page(cursor.as_deref())?, None),
            BlogUri::Post(name) => {
                let post = self.find_post(&name)?.ok_or_else(not_found)?;
                let modified = post.updated_at;
                (self.post_value(post)?, Some(modified))
            }
            BlogUri::PostLinks(name, direction) => {
                let post = self.find_post(&name)?.ok_or_else(not_found)?;
                let links = match direction {
                    LinkDirection::Back => self.read_index(|| backlinks(&self.stored, &post))?,
                    LinkDirection::Out => self.read_index(|| outlinks(&self.stored, &post))?,
                };
                (json!({"items": links.listed, "total": links.total}), None)
            }
            BlogUri::PostMedia(name) => {
                let post = self.find_post(&name)?.ok_or_else(not_found)?;
                (self.media_of_post(&post)?, None)
            }
            BlogUri::MediaItem(id) => {
                let media = self.find_media(&id)?.ok_or_else(not_found)?;
                let modified = media.updated_at;
                (to_value(&MediaDetails::new(media, self.main_language()))?, Some(modified))
            }
            BlogUri::MediaPosts(id) => {
                let media = self.find_media(&id)?.ok_or_else(not_found)?;
                (self.posts_of_media(&media)?, None)
            }
            BlogUri::MediaImage { id, size } => {
                let media = self.find_media(&id)?.ok_or_else(not_found)?;
                return self.image(&media, size, info);
            }
            BlogUri::Script(slug) => (self.script_value(DocKind::Script, &slug)?.ok_or_else(not_found)?, None),
            BlogUri::Template(slug) => (self.script_value(DocKind::Template, &slug)?.ok_or_else(not_found)?, None),
        };
        let mut content = ResourceContent::new(mime::JSON, value.to_string(), modified.map(system_time));
        content.meta_fields = self.meta_fields();
        Ok(content)
    }

    pub(crate) fn find_post(&self, name: &str) -> Result<Option<PostRow>, ServiceError> {
        let found = self.read_index(|| find_post(&self.stored, name))?;
        self.check_complete(found)
    }

    pub(crate) fn find_media(&self, id: &str) -> Result<Option<MediaRow>, ServiceError> {
        let found = self.read_index(|| find_media(&self.stored, id))?;
        self.check_complete(found)
    }

    /// Refuses to say that something does not exist before the first index is complete.
    fn check_complete<T>(&self, found: Option<T>) -> Result<Option<T>, ServiceError> {
        if found.is_some() || self.is_complete {
            return Ok(found);
        }
        let message = format!("not found so far: {}; try again in a moment", self.notes.join("; "));
        Err(ServiceError::tool(code::BUSY, message))
    }

    /// Returns the metadata of every answer: where its text is from, and what a reader should know about its age.
    pub(crate) fn meta_fields(&self) -> Vec<(&'static str, Payload)> {
        let mut fields = vec![(UNTRUSTED, Payload::from_value(Value::Bool(true)))];
        if !self.notes.is_empty() {
            fields.push((NOTES, Payload::from_value(json!(self.notes))));
        }
        fields
    }

    /// Returns the body of one of the files of a document.
    pub(crate) fn body(&self, path: &str, body_start: usize) -> Result<String, ServiceError> {
        let row: Option<StoredRow> = self.read_index(|| self.stored.find(self.stored.fields.file, path))?;
        let stat = row.and_then(|row| row.files.into_iter().find(|(file, _)| file == path)).map(|(_, stat)| stat);
        self.source.read_body(path, body_start, stat)
    }

    fn posts_page(&self, cursor: Option<&str>) -> Result<Value, ServiceError> {
        let main_language = self.main_language();
        self.page(cursor, DocKind::Post, |row| match row {
            Row::Post(post) => PostItem::new(&self.stored, *post, main_language).map(Some),
            _ => Ok(None),
        })
    }

    fn media_page(&self, cursor: Option<&str>) -> Result<Value, ServiceError> {
        self.page(cursor, DocKind::Media, |row| match row {
            Row::Media(media) => Ok(Some(MediaItem::new(*media))),
            _ => Ok(None),
        })
    }

    fn page<T: Serialize>(
        &self,
        cursor: Option<&str>,
        kind: DocKind,
        convert: impl Fn(Row) -> Result<Option<T>, IndexError>,
    ) -> Result<Value, ServiceError> {
        let start = cursor.map_or(Ok(PageStart::Offset(0)), parse_cursor)?;
        let page = self.read_index(|| self.stored.page_of(kind, start, BLOG_PAGE_SIZE))?;
        let (total, offset) = (page.total, page.n_before);
        let last = page.rows.last().map(|(place, _)| *place);
        let has_more = offset + page.rows.len() < total;
        let items = self.read_index(|| {
            let rows = page.rows.into_iter().filter_map(|(_, stored)| convert(stored.row).transpose());
            rows.collect::<Result<Vec<T>, _>>()
        })?;
        to_value(&ItemPage {
            items,
            total,
            offset,
            limit: BLOG_PAGE_SIZE,
            has_more,
            next_cursor: last.filter(|_| has_more).map(format_cursor),
            notes: self.notes.clone(),
        })
    }

    fn post_value(&self, post: PostRow) -> Result<Value, ServiceError> {
        let content = self.body(&post.path, post.body_start)?;
        let (author, template, words) = (post.author.clone(), post.template_slug.clone(), post.word_count);
        let is_translatable = post.is_translatable;
        let item = self.read_index(|| PostItem::new(&self.stored, post, self.main_language()))?;
        let mut value = to_value(&item)?;
        if let Value::Object(fields) = &mut value {
            fields.insert("content".into(), content.into());
            fields.insert("author".into(), author.into());
            fields.insert("templateSlug".into(), template.into());
            fields.insert("wordCount".into(), words.into());
            fields.insert("doNotTranslate".into(), (!is_translatable).into());
            // The name of the field in other answers.
            let outlinks = fields.get("outlinks").cloned().unwrap_or_default();
            fields.insert("linksTo".into(), outlinks);
        }
        Ok(value)
    }

    fn media_of_post(&self, post: &PostRow) -> Result<Value, ServiceError> {
        let (media, total) = self.newest_media_of_post(post)?;
        Ok(json!({"items": media.into_iter().map(MediaItem::new).collect::<Vec<_>>(), "total": total}))
    }

    fn posts_of_media(&self, media: &MediaRow) -> Result<Value, ServiceError> {
        let (items, total) = self.linked_posts_of_media(media)?;
        Ok(json!({"items": items, "total": total}))
    }

    fn scripts(&self, kind: DocKind, drafts: bool) -> Result<Value, ServiceError> {
        let kind = kind.proposed().filter(|_| drafts).unwrap_or(kind);
        let query = with_term(self.stored.fields.kind, kind.as_str());
        let rows = self.read_index(|| self.stored.all(&*query))?;
        let mut items: Vec<_> = rows
            .into_iter()
            .filter_map(|row| match row.row {
                Row::Script(script) | Row::Template(script) => Some(*script),
                _ => None,
            })
            .collect();
        items.sort_by(|a, b| (&a.slug, &a.path).cmp(&(&b.slug, &b.path)));
        let total = items.len();
        let items: Vec<ScriptItem> = items.into_iter().map(ScriptItem::new).collect();
        Ok(json!({"items": items, "total": total}))
    }

    /// Returns all scripts or templates, also proposed ones, in the order of their paths.
    pub(crate) fn all_scripts(&self, kind: DocKind) -> Result<Vec<ScriptFile>, ServiceError> {
        let mut rows = Vec::new();
        for kind in [Some(kind), kind.proposed()].into_iter().flatten() {
            let query = with_term(self.stored.fields.kind, kind.as_str());
            rows.extend(self.read_index(|| self.stored.all(&*query))?);
        }
        let scripts = rows.into_iter().filter_map(|row| match row.row {
            Row::Script(script) | Row::Template(script) => Some(*script),
            _ => None,
        });
        let mut scripts: Vec<ScriptFile> = scripts.collect();
        scripts.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(scripts)
    }

    /// Returns the script or template with a slug or an id, also a proposed one.
    pub(crate) fn find_script(&self, kind: DocKind, slug: &str) -> Result<Option<ScriptFile>, ServiceError> {
        Ok(self.all_scripts(kind)?.into_iter().find(|script| script.is_named(slug)))
    }

    fn script_value(&self, kind: DocKind, slug: &str) -> Result<Option<Value>, ServiceError> {
        let Some(script) = self.find_script(kind, slug)? else { return Ok(None) };
        let content = self.body(&script.path, script.body_start)?;
        let mut value = to_value(&ScriptItem::new(script))?;
        if let Value::Object(fields) = &mut value {
            fields.insert("content".into(), content.into());
        }
        Ok(Some(value))
    }
}

pub(crate) fn to_value(value: &impl Serialize) -> Result<Value, ServiceError> {
    serde_json::to_value(value).map_err(|error| ServiceError::internal("cannot encode the answer as JSON", error))
}

fn system_time(ms: i64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(u64::try_from(ms).unwrap_or_default())
}
