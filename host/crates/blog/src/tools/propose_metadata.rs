//! `propose_post_metadata`, `propose_media_metadata` and `upsert_media_translation`: fields of a post or a media item.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::BlogTool;
use super::draft_post::{free_post_place, post_folder};
use super::filters::{check_language, check_names};
use super::proposed::{ProposedDetails, ProposedOutput, TextOrNull, check_text, check_title, invalid, proposed_output};
use crate::BlogState;
use crate::apps::{AppPage, AppUse};
use crate::content::layout::DRAFTS_DIR;
use crate::content::post::CREATION_FIELDS;
use crate::content::site::SiteProgram;
use crate::content::{BlogLayout, PostStatus};
use crate::error_code as code;
use crate::index::post_key;
use crate::index::row::{MediaRow, PostRow};
use crate::proposals::ProposalKind;
use crate::proposals::change::{Change, Draft, FieldChange, is_same_name};
use crate::proposals::new::{NewProposal, service_error, text_or_nothing};
use crate::proposals::plan::{digest_of, read_text};
use wardroom_service::schema::{input_schema, output_schema, parse_arguments};
use wardroom_service::{ServiceError, ToolBehavior, escape_and_truncate};

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum StatusChange {
    #[serde(alias = "published")]
    Publish,
    #[serde(alias = "draft")]
    Unpublish,
    #[serde(alias = "archived")]
    Archive,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PostMetadataArgs {
    /// Or the slug.
    #[serde(alias = "post_id", alias = "slug")]
    post_id: String,
    /// Of a translation, which has the tags and categories of its post.
    language: Option<String>,
    title: Option<String>,
    /// null removes it.
    #[serde(default, deserialize_with = "TextOrNull::present")]
    #[schemars(with = "Option<String>")]
    excerpt: Option<TextOrNull>,
    /// All of them.
    tags: Option<Vec<String>>,
    /// All of them.
    categories: Option<Vec<String>>,
    status: Option<StatusChange>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct MediaMetadataArgs {
    #[serde(alias = "media_id")]
    media_id: String,
    /// null removes it, as of the others.
    #[serde(default, deserialize_with = "TextOrNull::present")]
    #[schemars(with = "Option<String>")]
    title: Option<TextOrNull>,
    #[serde(default, deserialize_with = "TextOrNull::present")]
    #[schemars(with = "Option<String>")]
    alt: Option<TextOrNull>,
    #[serde(default, deserialize_with = "TextOrNull::present")]
    #[schemars(with = "Option<String>")]
    caption: Option<TextOrNull>,
    /// All of them.
    tags: Option<Vec<String>>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct MediaTranslationArgs {
    #[serde(alias = "media_id")]
    media_id: String,
    language: String,
    title: Option<String>,
    alt: Option<String>,
    caption: Option<String>,
}

pub(super) const POST_TOOL: BlogTool = BlogTool {
    name: "propose_post_metadata",
    title: "Propose Post Metadata",
    description: "Changes details of a post (article), not its body: suggests a new title, excerpt (summary, \
                  description), tags, category, or status (publish, unpublish, archive).",
    input: input_schema::<PostMetadataArgs>,
    output: output_schema::<ProposedOutput>,
    behavior: ToolBehavior::ADDITIVE,
    app: AppUse::Shown(AppPage::Metadata),
    call: |state, info, arguments| {
        let args: PostMetadataArgs = parse_arguments(arguments)?;
        let post = state.settled_post(&args.post_id)?;
        let version = state.version_path(&post, args.language.as_deref())?;
        let translation = post.translations.iter().find(|other| other.path == version);
        if translation.is_some() && (args.tags.is_some() || args.categories.is_some()) {
            return Err(invalid("tags and categories are the post's: leave out language".to_owned()));
        }
        let mut fields = Vec::new();
        if let Some(title) = &args.title {
            fields.push(FieldChange::new("title", check_title("title", title)?));
        }
        if let Some(excerpt) = &args.excerpt {
            fields.push(excerpt.to_change("excerpt", excerpt_field(state, &version)?)?);
        }
        if let Some(tags) = &args.tags {
            fields.extend(name_fields(state, &version, ("tags", "tag"), check_names("tags", tags)?)?);
        }
        if let Some(categories) = &args.categories {
            let names = check_names("categories", categories)?;
            fields.extend(name_fields(state, &version, ("categories", "category"), names)?);
        }
        if let Some(status) = args.status {
            fields.extend(status_fields(state, &version, status)?);
        }
        if fields.is_empty() {
            return Err(invalid("name at least one of title, excerpt, tags, categories, status".to_owned()));
        }
        let base = existing_text(state, &version)?;
        let publishes = args.status == Some(StatusChange::Publish);
        let left_out = match args.status {
            Some(StatusChange::Unpublish | StatusChange::Archive) if translation.is_none() => {
                translations_left_public(state, &post)?
            }
            _ => None,
        };
        let (path, draft) = if publishes && version.starts_with(DRAFTS_DIR) {
            let published = published_path(state, &post)?;
            (published, Some(Draft { path: version, digest: None }))
        } else {
            (version, None)
        };
        let current = match translation {
            Some(of) => json!({
                "id": post.id, "language": of.language, "title": of.title, "excerpt": of.excerpt, "status": of.status.as_str(),
            }),
            None => json!({
                "id": post.id, "title": post.title, "slug": post.slug, "excerpt": post.excerpt,
                "status": post.status.as_str(), "tags": post.tags, "categories": post.categories,
            }),
        };
        let replaces = match &draft {
            Some(_) => read_text(&state.source, &path).map_err(service_error)?.as_deref().map(digest_of),
            None => None,
        };
        let change = Change { path, draft, replaces, base: Some(base), fields, body: None };
        let title = match translation {
            Some(of) => format!("{} ({})", post.title, of.language),
            None => post.title,
        };
        let kind = ProposalKind::ProposePostMetadata;
        let made = state.propose(info, NewProposal { kind, entity_id: post.id, title, change })?;
        let details = ProposedDetails {
            current: Some(current),
            shows_fields: true,
            shows_diff: true,
            left_out,
            ..ProposedDetails::default()
        };
        proposed_output(made, details)
    },
};

pub(super) const MEDIA_TOOL: BlogTool = BlogTool {
    name: "propose_media_metadata",
    title: "Propose Media Metadata",
    description: "Suggests a better title, alt text (description for screen readers), caption or tags of an uploaded \
                  image, photo or picture that has none or a bad one, subject to approval.",
    input: input_schema::<MediaMetadataArgs>,
    output: output_schema::<ProposedOutput>,
    behavior: ToolBehavior::ADDITIVE,
    app: AppUse::Shown(AppPage::Metadata),
    call: |state, info, arguments| {
        let args: MediaMetadataArgs = parse_arguments(arguments)?;
        let media = media_named(state, &args.media_id)?;
        let mut fields = Vec::new();
        for (name, text) in [("title", &args.title), ("alt", &args.alt), ("caption", &args.caption)] {
            fields.extend(text.as_ref().map(|text| text.to_change(name, name)).transpose()?);
        }
        if let Some(tags) = &args.tags {
            fields.push(FieldChange::new("tags", check_names("tags", tags)?));
        }
        if fields.is_empty() {
            return Err(invalid("name at least one of title, alt, caption, tags".to_owned()));
        }
        let path = format!("{}.meta", media.file_path);
        let base = existing_text(state, &path)?;
        let current = json!({
            "id": media.id, "filename": media.filename(), "title": media.title, "alt": media.alt,
            "caption": media.caption, "tags": media.tags,
        });
        propose_media(state, info, ProposalKind::ProposeMediaMetadata, media, (path, Some(base)), (fields, current))
    },
};

pub(super) const MEDIA_TRANSLATION_TOOL: BlogTool = BlogTool {
    name: "upsert_media_translation",
    title: "Propose Media Translation",
    description: "Saves the title, alt text, caption or description of an image (picture, photo, diagram) in another \
                  language, such as Italian or German: save or store the translation, or replace (overwrite) what is \
                  there already. Takes effect once approved.",
    input: input_schema::<MediaTranslationArgs>,
    output: output_schema::<ProposedOutput>,
    behavior: ToolBehavior::ADDITIVE,
    app: AppUse::Shown(AppPage::Metadata),
    call: |state, info, arguments| {
        let args: MediaTranslationArgs = parse_arguments(arguments)?;
        let media = media_named(state, &args.media_id)?;
        let language = check_language("language", &args.language)?;
        if media.language.as_deref().or(state.main_language()) == Some(&*language) {
            let message = format!("language: {language} is that of the media item: propose_media_metadata changes it");
            return Err(invalid(message));
        }
        let path = format!("{}.{language}.meta", media.file_path);
        let base = read_text(&state.source, &path).map_err(service_error)?;
        let mut fields = Vec::new();
        if base.is_none() {
            fields.push(FieldChange::new("translationFor", media.id.as_str()));
            fields.push(FieldChange::new("language", language.as_str()));
        }
        let before = fields.len();
        for (name, text) in [("title", args.title), ("alt", args.alt), ("caption", args.caption)] {
            if let Some(text) = text {
                fields.push(FieldChange::new(name, text_or_nothing(Some(check_text(name, &text)?))));
            }
        }
        if fields.len() == before {
            return Err(invalid("name at least one of title, alt, caption".to_owned()));
        }
        let known = media.translations.iter().find(|other| other.language == language);
        let current = json!({
            "id": media.id,
            "language": language,
            "title": known.and_then(|known| known.title.clone()),
            "alt": known.and_then(|known| known.alt.clone()),
            "caption": known.and_then(|known| known.caption.clone()),
        });
        propose_media(state, info, ProposalKind::ProposeMediaTranslation, media, (path, base), (fields, current))
    },
};

fn propose_media(
    state: &BlogState,
    info: &wardroom_service::RequestInfo,
    kind: ProposalKind,
    media: MediaRow,
    (path, base): (String, Option<String>),
    (fields, current): (Vec<FieldChange>, Value),
) -> Result<wardroom_base::payload::Payload, ServiceError> {
    let title = media.title.clone().unwrap_or_else(|| media.filename().to_owned());
    let change = Change { path, draft: None, replaces: None, base, fields, body: None };
    let made = state.propose(info, NewProposal { kind, entity_id: media.id, title, change })?;
    let details = ProposedDetails { current: Some(current), shows_fields: true, ..ProposedDetails::default() };
    proposed_output(made, details)
}

fn media_named(state: &BlogState, id: &str) -> Result<MediaRow, ServiceError> {
    let missing = || ServiceError::tool(code::NOT_FOUND, format!("Media item {} not found.", escape_and_truncate(id)));
    state.find_media(id.trim())?.ok_or_else(missing)
}

/// Returns the text of a file that the index knows.
pub(super) fn existing_text(state: &BlogState, path: &str) -> Result<String, ServiceError> {
    let text = read_text(&state.source, path).map_err(service_error)?;
    // The index learns of a draft that became a post, or of a file that was moved, a moment later.
    let moved = || format!("{path} was moved or removed a moment ago: look the post up, and propose it again");
    text.ok_or_else(|| ServiceError::tool(code::TARGET_GONE, moved()))
}

/// Returns the field that has the excerpt of a post or a translation, by the name that the file or its program has for it.
pub(super) fn excerpt_field(state: &BlogState, path: &str) -> Result<&'static str, ServiceError> {
    let known = fields_of(state, path)?;
    let names = ["excerpt", "description", "summary"];
    let found = names.into_iter().find(|name| known.iter().any(|(other, _)| is_same_name(other, name)));
    Ok(found.unwrap_or(if state.source.layout == BlogLayout::Bds { "excerpt" } else { "description" }))
}

/// Returns the changes that give a post all of its tags, or all of its categories, in the field that is read.
fn name_fields(
    state: &BlogState,
    path: &str,
    (several, one): (&str, &str),
    names: Vec<String>,
) -> Result<Vec<FieldChange>, ServiceError> {
    let known = fields_of(state, path)?;
    let has = |name: &str| known.iter().any(|(other, _)| is_same_name(other, name));
    Ok(match SiteProgram::of_file(path) {
        // Jekyll reads the field of one name as well.
        Some(SiteProgram::Jekyll) if has(one) => {
            vec![FieldChange::new(several, names), FieldChange::new(one, Value::Null)]
        }
        Some(SiteProgram::Jekyll | SiteProgram::Hugo) => vec![FieldChange::new(several, names)],
        Some(SiteProgram::Astro) | None if has(one) && !has(several) => vec![FieldChange::new(one, names)],
        Some(SiteProgram::Astro) | None => vec![FieldChange::new(several, names)],
    })
}

/// Returns the field with the date of a post, by the name that the file has for it. The schema of a site may require it.
pub(super) fn date_field(state: &BlogState, path: &str) -> Result<String, ServiceError> {
    let known = fields_of(state, path)?;
    let found = CREATION_FIELDS.iter().find_map(|name| known.iter().find(|(other, _)| is_same_name(other, name)));
    Ok(found.map_or_else(|| "date".to_owned(), |(name, _)| name.clone()))
}

fn fields_of(state: &BlogState, path: &str) -> Result<Vec<(String, Value)>, ServiceError> {
    let text = existing_text(state, path)?;
    state.source.field_values(path, &text).map_err(service_error)
}

/// Says which translations stay public when their post is not any more: those with a status of their own.
fn translations_left_public(state: &BlogState, post: &PostRow) -> Result<Option<String>, ServiceError> {
    let mut languages = Vec::new();
    for other in post.translations.iter().filter(|other| other.status == PostStatus::Published) {
        let is_own = state.source.layout == BlogLayout::Markdown
            || fields_of(state, &other.path)?.iter().any(|(name, _)| is_same_name(name, "status"));
        if is_own {
            languages.push(other.language.as_str());
        }
    }
    Ok((!languages.is_empty())
        .then(|| format!("Translations have a status of their own; still public: {}.", languages.join(", "))))
}

/// Returns the fields that say a status in the file of a post or a translation.
fn status_fields(state: &BlogState, path: &str, status: StatusChange) -> Result<Vec<FieldChange>, ServiceError> {
    let wanted = match status {
        StatusChange::Publish => PostStatus::Published,
        StatusChange::Unpublish => PostStatus::Draft,
        StatusChange::Archive => PostStatus::Archived,
    };
    if path.starts_with(DRAFTS_DIR) && wanted != PostStatus::Published {
        return Err(invalid("status: the post is a draft, which can be published only".to_owned()));
    }
    if state.source.layout == BlogLayout::Bds {
        return Ok(vec![FieldChange::new("status", wanted.as_str())]);
    }
    if wanted == PostStatus::Archived {
        return Err(invalid("status: posts in a folder of Markdown files cannot be archived: unpublish it".to_owned()));
    }
    let program = SiteProgram::of_file(path);
    let is_published = wanted == PostStatus::Published;
    if program.is_some_and(|program| program.read_name(path).is_unpublished) {
        return Err(invalid(if is_published {
            format!("status: {path} is a draft by its folder: move it to _posts, with its date in front of its name")
        } else {
            format!("status: {path} is a draft already, by its folder")
        }));
    }
    let known = fields_of(state, path)?;
    let value = |name: &str| known.iter().find(|(other, _)| is_same_name(other, name)).map(|(_, value)| value);
    let mut fields = Vec::new();
    let has_status = value("status").is_some();
    if has_status {
        fields.push(FieldChange::new("status", wanted.as_str()));
    }
    // The flag that the program reads. Astro reads what the site's own schema has.
    let flags = [("draft", true), ("published", false)];
    let (own, other) = if program == Some(SiteProgram::Jekyll) { (flags[1], flags[0]) } else { (flags[0], flags[1]) };
    let (name, hidden) = own;
    if value(name).is_some() || !has_status || matches!(program, Some(SiteProgram::Hugo | SiteProgram::Jekyll)) {
        fields.push(FieldChange::new(name, if is_published { Value::Null } else { hidden.into() }));
    }
    // Such a field may also be a date.
    let (name, hidden) = other;
    if is_published && value(name) == Some(&Value::Bool(hidden)) {
        fields.push(FieldChange::new(name, Value::Null));
    }
    Ok(fields)
}

/// Returns the file of a post behind its draft, or a new place for one that was never published.
pub(super) fn published_path(state: &BlogState, post: &PostRow) -> Result<String, ServiceError> {
    let source = &state.source;
    let stored = state.read_index(|| state.stored.find_document(&post_key(&post.id)))?;
    for (path, _) in stored.map(|stored| stored.files).unwrap_or_default() {
        if path.starts_with(DRAFTS_DIR) || post.translations.iter().any(|other| other.path == path) {
            continue;
        }
        // A translation that is left out has the id of the post too.
        let is_translation = match source.layout {
            BlogLayout::Bds => {
                let Some(text) = read_text(source, &path).map_err(service_error)? else { continue };
                let fields = source.field_values(&path, &text).map_err(service_error)?;
                fields.iter().any(|(name, _)| is_same_name(name, "translationFor"))
            }
            BlogLayout::Markdown => {
                SiteProgram::of_file(&path).is_none_or(|program| program.read_name(&path).language.is_some())
            }
        };
        if !is_translation {
            return Ok(path);
        }
    }
    // Its slug is its own.
    let path = format!("{}{}.md", post_folder(state, post.created_at)?, post.slug);
    match source.folder.stat(&path) {
        Err(_) => Ok(path),
        Ok(_) => Ok(free_post_place(state, &state.lock_places()?, &post.slug, post.created_at)?.1),
    }
}
