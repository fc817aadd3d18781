//! Posts by words and filters, for tools and pages.
//!
//! Owns: the order: the best match first, or without words the newest.
//! Never: fails for the text of a query.

use crate::BlogState;
use crate::index::row::{PostRow, Row};
use crate::index::schema::DocKind;
use crate::search::matching::{PostFilters, filter_query, search_query};
use crate::search::query::{Exactness, QueryPart, parse_query};
use crate::search::snippet::{Snippet, SnippetWords};
use crate::tools::filters::{hints, query_hint};
use wardroom_service::ServiceError;

/// Some of the posts that were found, and how many there are.
pub(crate) struct FoundPosts {
    pub(crate) posts: Vec<PostMatch>,
    pub(crate) total: usize,
    /// Whether nothing matched exactly, and words with one other letter were found instead.
    pub(crate) is_approximate: bool,
    /// What the searcher should know, as sentences.
    pub(crate) hints: Vec<String>,
}

/// A post that was found.
pub(crate) struct PostMatch {
    pub(crate) post: PostRow,
    /// Where the words of the query are, if there are some.
    pub(crate) snippet: Option<Snippet>,
    pub(crate) score: Option<f32>,
}

/// Finds the posts that match a query and filters, and returns at most `limit` of them after the first `offset`.
pub(crate) fn find_posts(
    state: &BlogState,
    query: Option<&str>,
    filters: &PostFilters,
    offset: usize,
    limit: usize,
) -> Result<FoundPosts, ServiceError> {
    let mut hints = hints(state, filters)?;
    let (posts, total, is_approximate) = match query.filter(|query| !query.trim().is_empty()) {
        None => find_newest(state, filters, offset, limit)?,
        Some(query) => {
            let query = parse_query(query);
            hints.extend(query_hint(&query));
            find_best(state, &query.parts, filters, offset, limit)?
        }
    };
    if is_approximate {
        hints.push("No post has these words: these have words with one other letter.".to_owned());
    }
    Ok(FoundPosts { posts, total, is_approximate, hints })
}

type Found = (Vec<PostMatch>, usize, bool);

fn find_newest(state: &BlogState, filters: &PostFilters, offset: usize, limit: usize) -> Result<Found, ServiceError> {
    let query = filter_query(&state.stored.fields, DocKind::Post, filters);
    let (rows, total) = state.read_index(|| state.stored.newest(&*query, offset, limit))?;
    let posts = rows.into_iter().filter_map(|stored| match stored.row {
        Row::Post(post) => Some(PostMatch { post: *post, snippet: None, score: None }),
        _ => None,
    });
    Ok((posts.collect(), total, false))
}

fn find_best(
    state: &BlogState,
    parts: &[QueryPart],
    filters: &PostFilters,
    offset: usize,
    limit: usize,
) -> Result<Found, ServiceError> {
    if parts.is_empty() {
        return Ok((Vec::new(), 0, false));
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
            posts.push(PostMatch { post: *post, snippet, score: Some(score) });
        }
    }
    Ok((posts, total, is_approximate && total > 0))
}

/// Returns the snippet of a post, or of a translation that matches. A file that is gone by now has none.
fn snippet(state: &BlogState, post: &PostRow, files: &[(String, u64)], words: &mut SnippetWords) -> Option<Snippet> {
    let languages = post.available_languages(state.main_language());
    let own = (post.path.as_str(), post.body_start);
    let others = post.translations.iter().map(|other| (other.path.as_str(), other.body_start));
    [own].into_iter().chain(others).find_map(|(path, body_start)| {
        let stat = files.iter().find(|(file, _)| file == path).map(|(_, stat)| *stat);
        let body = state.source.read_body(path, body_start, stat).ok()?;
        words.snippet(&body, &languages)
    })
}
