//! `search_posts`: posts by words and filters.
//!
//! Owns: the arguments and the fields of the answer.
//! Never: fails for the text of a query.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BlogTool;
use super::filters::{FilterArgs, check_page};
use crate::BlogState;
use crate::apps::AppUse;
use crate::content::PostStatus;
use crate::content::time::format_time;
use crate::find_posts::{PostMatch, find_posts};
use crate::index::row::LinkedPost;
use crate::view::{backlinks, outlinks};
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{ServiceError, ToolBehavior};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct SearchPostsArgs {
    /// Words, all required; "a phrase"; begin*.
    query: Option<String>,
    category: Option<String>,
    /// All are required.
    #[serde(default)]
    tags: Vec<String>,
    /// Of the post or a translation.
    language: Option<String>,
    /// Posts without a translation into it.
    #[serde(alias = "missing_translation_language")]
    missing_translation_language: Option<String>,
    year: Option<i64>,
    /// 1-12, with year.
    month: Option<i64>,
    status: Option<PostStatus>,
    offset: Option<i64>,
    /// 1-50.
    limit: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SearchPostsOutput {
    total: usize,
    offset: usize,
    limit: usize,
    has_more: bool,
    posts: Vec<FoundPost>,
    /// Whether nothing matched exactly, and words with one other letter were found instead.
    approximate: bool,
    hints: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct FoundPost {
    id: String,
    title: String,
    slug: String,
    excerpt: Option<String>,
    status: PostStatus,
    language: Option<String>,
    available_languages: Vec<String>,
    tags: Vec<String>,
    categories: Vec<String>,
    #[serde(rename = "created_at")]
    created_at: String,
    /// The part of the source that matches, with << and >> around words.
    #[serde(skip_serializing_if = "Option::is_none")]
    snippet: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    score: Option<f32>,
    /// At most 20 posts that link to it.
    backlinks: Vec<LinkedPost>,
    backlink_count: usize,
    /// At most 20 posts that it links to.
    links_to: Vec<LinkedPost>,
    links_to_count: usize,
}

pub(super) const TOOL: BlogTool = BlogTool {
    name: "search_posts",
    title: "Search Posts",
    description: "Searches the blog: find or list posts (articles) about a topic, that mention words, or by tag, \
                  category, language, year, date or status, with titles and dates; have we written on it? Best match \
                  first, without a query the newest. Drafts and archived posts as well, unless status is given.",
    input: input_schema::<SearchPostsArgs>,
    output: output_schema::<SearchPostsOutput>,
    behavior: ToolBehavior::READ_ONLY,
    app: AppUse::None,
    call: |state, _, arguments| {
        let args: SearchPostsArgs = parse_arguments(arguments)?;
        let (offset, limit) = check_page(args.offset, args.limit)?;
        let filters = FilterArgs {
            category: args.category,
            tags: args.tags,
            language: args.language,
            missing_translation: args.missing_translation_language,
            year: args.year,
            month: args.month,
            status: args.status,
        };
        let filters = filters.check()?;
        let found = find_posts(state, args.query.as_deref(), &filters, offset, limit)?;
        let posts = found.posts.into_iter().map(|found| found_post(state, found)).collect::<Result<Vec<_>, _>>()?;
        serialize_output(&SearchPostsOutput {
            total: found.total,
            offset,
            limit,
            has_more: offset.saturating_add(posts.len()) < found.total,
            posts,
            approximate: found.is_approximate,
            hints: found.hints,
        })
    },
};

fn found_post(state: &BlogState, PostMatch { post, snippet, score }: PostMatch) -> Result<FoundPost, ServiceError> {
    let (to, from) = state.read_index(|| Ok((outlinks(&state.stored, &post)?, backlinks(&state.stored, &post)?)))?;
    let main_language = state.main_language();
    Ok(FoundPost {
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
        snippet: snippet.map(|snippet| snippet.to_marked_text()),
        score,
        backlinks: from.listed,
        backlink_count: from.total,
        links_to: to.listed,
        links_to_count: to.total,
    })
}
