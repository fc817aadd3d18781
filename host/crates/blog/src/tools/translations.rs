//! `get_post_translations` and `get_media_translations`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BlogTool;
use crate::apps::AppUse;
use crate::content::PostStatus;
use crate::content::time::format_time;
use crate::error_code as code;
use crate::limits::MAX_TRANSLATIONS_BYTES;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{ServiceError, ToolBehavior, escape_and_truncate};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PostTranslationsArgs {
    /// Or the slug.
    #[serde(alias = "post_id", alias = "slug")]
    post_id: String,
}

#[derive(Serialize, JsonSchema)]
struct PostTranslationsOutput {
    translations: Vec<PostTranslation>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct PostTranslation {
    id: Option<String>,
    language: String,
    title: String,
    excerpt: Option<String>,
    /// Markdown; null where all together are too long: read_post_by_slug reads one.
    content: Option<String>,
    status: PostStatus,
    created_at: String,
    updated_at: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct MediaTranslationsArgs {
    #[serde(alias = "media_id")]
    media_id: String,
}

#[derive(Serialize, JsonSchema)]
struct MediaTranslationsOutput {
    translations: Vec<MediaTranslation>,
}

#[derive(Serialize, JsonSchema)]
struct MediaTranslation {
    language: String,
    title: Option<String>,
    alt: Option<String>,
    caption: Option<String>,
}

pub(super) const POST_TOOL: BlogTool = BlogTool {
    name: "get_post_translations",
    title: "Get Post Translations",
    description: "Shows in which languages a post (article) exists or has been translated already, and the text of \
                  those versions.",
    input: input_schema::<PostTranslationsArgs>,
    output: output_schema::<PostTranslationsOutput>,
    behavior: ToolBehavior::READ_ONLY,
    app: AppUse::None,
    call: |state, _, arguments| {
        let PostTranslationsArgs { post_id } = parse_arguments(arguments)?;
        let missing = || {
            let message = format!("Post \"{}\" not found", escape_and_truncate(&post_id));
            ServiceError::tool(code::NOT_FOUND, message)
        };
        let post = state.find_post(post_id.trim())?.ok_or_else(missing)?;
        let mut left = MAX_TRANSLATIONS_BYTES;
        let translations = post.translations.into_iter().map(|other| {
            let content = if left > 0 { Some(state.body(&other.path, other.body_start)?) } else { None };
            let content = content.filter(|content| content.len() <= left);
            left = content.as_ref().map_or(0, |content| left - content.len());
            Ok(PostTranslation {
                content,
                id: other.id,
                language: other.language,
                title: other.title,
                excerpt: other.excerpt,
                status: other.status,
                created_at: format_time(other.created_at),
                updated_at: format_time(other.updated_at),
            })
        });
        let translations: Vec<PostTranslation> = translations.collect::<Result<_, ServiceError>>()?;
        serialize_output(&PostTranslationsOutput { translations })
    },
};

pub(super) const MEDIA_TOOL: BlogTool = BlogTool {
    name: "get_media_translations",
    title: "Get Media Translations",
    description: "Shows the title, alt text, caption and description of an image (picture, media) in each language \
                  that it has already, such as Spanish or Japanese.",
    input: input_schema::<MediaTranslationsArgs>,
    output: output_schema::<MediaTranslationsOutput>,
    behavior: ToolBehavior::READ_ONLY,
    app: AppUse::None,
    call: |state, _, arguments| {
        let MediaTranslationsArgs { media_id } = parse_arguments(arguments)?;
        let missing = || {
            let message = format!("Media item \"{}\" not found", escape_and_truncate(&media_id));
            ServiceError::tool(code::NOT_FOUND, message)
        };
        let media = state.find_media(media_id.trim())?.ok_or_else(missing)?;
        let translations = media.translations.into_iter().map(|other| MediaTranslation {
            language: other.language,
            title: other.title,
            alt: other.alt,
            caption: other.caption,
        });
        serialize_output(&MediaTranslationsOutput { translations: translations.collect() })
    },
};
