//! `read_post_by_slug`: a post with its body, or a translation of it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BlogTool;
use super::filters::check_language;
use crate::apps::AppUse;
use crate::content::PostStatus;
use crate::content::time::format_time;
use crate::error_code as code;
use crate::index::row::LinkedPost;
use crate::view::{backlinks, outlinks};
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{ServiceError, ToolBehavior, escape_and_truncate};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ReadPostArgs {
    /// Or the id.
    slug: String,
    /// Reads that translation.
    language: Option<String>,
}

#[derive(Serialize, JsonSchema)]
struct ReadPostOutput {
    post: FullPost,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FullPost {
    id: String,
    title: String,
    slug: String,
    /// Markdown.
    content: String,
    excerpt: Option<String>,
    status: PostStatus,
    author: Option<String>,
    categories: Vec<String>,
    tags: Vec<String>,
    /// The language of `content`.
    language: Option<String>,
    /// The language of the post itself.
    canonical_language: Option<String>,
    available_languages: Vec<String>,
    created_at: String,
    updated_at: String,
    published_at: Option<String>,
    /// At most 20.
    backlinks: Vec<LinkedPost>,
    backlink_count: usize,
    /// At most 20.
    links_to: Vec<LinkedPost>,
    links_to_count: usize,
}

pub(super) const TOOL: BlogTool = BlogTool {
    name: "read_post_by_slug",
    title: "Read Post By Slug",
    description: "Reads one blog post: opens an article or entry by its slug (name in the address) and gives its full \
                  text in Markdown, with links.",
    input: input_schema::<ReadPostArgs>,
    output: output_schema::<ReadPostOutput>,
    behavior: ToolBehavior::READ_ONLY,
    app: AppUse::None,
    call: |state, _, arguments| {
        let ReadPostArgs { slug, language } = parse_arguments(arguments)?;
        let language = language.map(|language| check_language("language", &language)).transpose()?;
        let shown = escape_and_truncate(&slug);
        let missing = || ServiceError::tool(code::NOT_FOUND, format!("Post with slug \"{shown}\" not found"));
        let post = state.find_post(slug.trim())?.ok_or_else(missing)?;
        let (from, to) =
            state.read_index(|| Ok((backlinks(&state.stored, &post)?, outlinks(&state.stored, &post)?)))?;
        let available_languages = post.available_languages(state.main_language());
        let own_language = post.language.clone().or_else(|| state.main_language().map(str::to_owned));
        let translation = match &language {
            Some(language) if own_language.as_ref() != Some(language) => {
                let found = post.translations.iter().find(|other| other.language == *language);
                let none = || {
                    let languages = available_languages.join(", ");
                    let message =
                        format!("No {language} translation found for \"{shown}\"; it can be read in: {languages}");
                    ServiceError::tool(code::NO_TRANSLATION, message)
                };
                Some(found.ok_or_else(none)?)
            }
            _ => None,
        };
        let (path, body_start) =
            translation.map_or((&post.path, post.body_start), |other| (&other.path, other.body_start));
        let content = state.body(path, body_start)?;
        let (title, excerpt, updated_at) = match translation {
            Some(other) => (other.title.clone(), other.excerpt.clone(), other.updated_at),
            None => (post.title.clone(), post.excerpt.clone(), post.updated_at),
        };
        let post = FullPost {
            title,
            content,
            excerpt,
            language: translation.map(|other| other.language.clone()).or_else(|| own_language.clone()),
            canonical_language: own_language,
            available_languages,
            id: post.id,
            slug: post.slug,
            status: post.status,
            author: post.author,
            categories: post.categories,
            tags: post.tags,
            created_at: format_time(post.created_at),
            updated_at: format_time(updated_at),
            published_at: post.published_at.map(format_time),
            backlinks: from.listed,
            backlink_count: from.total,
            links_to: to.listed,
            links_to_count: to.total,
        };
        serialize_output(&ReadPostOutput { post })
    },
};
