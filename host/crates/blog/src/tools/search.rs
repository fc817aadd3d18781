//! `search_posts`: posts by words and filters.
//!
//! Owns: the order: the best match first, or without words the newest.
//! Never: fails for the text of a query.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BlogTool;
use super::filters::{FilterArgs, check_page, hints, query_hint};
use crate::BlogState;
use crate::content::PostStatus;
use crate::content::time::format_time;
use crate::index::row::{LinkedPost, PostRow, Row};
use crate::index::schema::DocKind;
use crate::search::matching::{PostFilters, filter_query, search_query};
use crate::search::query::{Exactness, QueryPart, parse_query};
use crate::search::snippet::SnippetWords;
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
    description: "Finds posts by words and filters, the best match first; without a query all that match, the newest \
                  first. Drafts and archived posts are found too, unless status is given.",
    input: input_schema::<SearchPostsArgs>,
    output: output_schema::<SearchPostsOutput>,
    behavior: ToolBehavior::READ_ONLY,
    app_only: false,
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
        let query = args.query.filter(|query| !query.trim().is_empty());
        let mut hints = hints(state, &filters)?;
        let found = match &query {
            None => find_newest(state, &filters, offset, limit)?,
            Some(query) => {
                let query = parse_query(query);
                hints.extend(query_hint(&query));
                find_best(state, &query.parts, &filters, offset, limit)?
            }
        };
        if found.is_approximate {
            hints.push("No post has these words: these have words with one other letter.".to_owned());
        }
        serialize_output(&SearchPostsOutput {
            total: found.total,
            offset,
            limit,
            has_more: offset.saturating_add(found.posts.len()) < found.total,
            posts: found.posts,
            approximate: found.is_approximate,
            hints,
        })
    },
};

#[derive(Default)]
struct Found {
    posts: Vec<FoundPost>,
    total: usize,
    is_approximate: bool,
}

fn find_newest(state: &BlogState, filters: &PostFilters, offset: usize, limit: usize) -> Result<Found, ServiceError> {
    let query = filter_query(&state.stored.fields, DocKind::Post, filters);
    let (rows, total) = state.read_index(|| state.stored.newest(&*query, offset, limit))?;
    let mut posts = Vec::with_capacity(rows.len());
    for stored in rows {
        if let Row::Post(post) = stored.row {
            posts.push(found_post(state, *post, None, None)?);
        }
    }
    Ok(Found { posts, total, is_approximate: false })
}

fn find_best(
    state: &BlogState,
    parts: &[QueryPart],
    filters: &PostFilters,
    offset: usize,
    limit: usize,
) -> Result<Found, ServiceError> {
    if parts.is_empty() {
        return Ok(Found::default());
    }
    let languages = state.query_languages(filters.language.as_deref())?;
    let search = |exactness| {
        let query = search_query(&state.stored.fields, DocKind::Post, parts, filters, &languages, exactness);
        state.read_index(|| state.stored.best(&*query, offset, limit))
    };
    let (mut rows, mut total) = search(Exactness::Exact)?;
    let has_words = parts.iter().any(|part| matches!(part, QueryPart::Word(_)));
    let exactness = if total == 0 && has_words { Exactness::OneLetterOff } else { Exactness::Exact };
    let is_approximate = exactness == Exactness::OneLetterOff;
    if is_approximate {
        (rows, total) = search(exactness)?;
    }
    let mut words = SnippetWords::new(parts, &languages, exactness);
    let mut posts = Vec::with_capacity(rows.len());
    for (score, stored) in rows {
        if let Row::Post(post) = stored.row {
            let snippet = snippet(state, &post, &stored.files, &mut words);
            posts.push(found_post(state, *post, snippet, Some(score))?);
        }
    }
    Ok(Found { posts, total, is_approximate: is_approximate && total > 0 })
}

fn found_post(
    state: &BlogState,
    post: PostRow,
    snippet: Option<String>,
    score: Option<f32>,
) -> Result<FoundPost, ServiceError> {
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
        snippet,
        score,
        backlinks: from.listed,
        backlink_count: from.total,
        links_to: to.listed,
        links_to_count: to.total,
    })
}

/// Returns the snippet of a post, or of a translation that matches. A file that is gone by now has none.
fn snippet(state: &BlogState, post: &PostRow, files: &[(String, u64)], words: &mut SnippetWords) -> Option<String> {
    let languages = post.available_languages(state.main_language());
    let own = (post.path.as_str(), post.body_start);
    let others = post.translations.iter().map(|other| (other.path.as_str(), other.body_start));
    [own].into_iter().chain(others).find_map(|(path, body_start)| {
        let stat = files.iter().find(|(file, _)| file == path).map(|(_, stat)| *stat);
        let body = state.source.read_body(path, body_start, stat).ok()?;
        words.snippet(&body, &languages)
    })
}
