//! Arguments that several tools have: filters, and places in lists.
//!
//! Owns: their checks. Names are compared without case.
//! Never: looks at documents.

use crate::BlogState;
use crate::content::PostStatus;
use crate::error_code as code;
use crate::index::schema::DocKind;
use crate::limits::{BLOG_PAGE_SIZE, MAX_QUERY_WORDS, MAX_SEARCH_OFFSET};
use crate::search::matching::{PostFilters, filter_query};
use crate::search::query::ParsedQuery;
use wardroom_service::{ServiceError, escape_and_truncate};

/// Filters as they are given.
#[derive(Debug, Default)]
pub(crate) struct FilterArgs {
    pub(crate) category: Option<String>,
    pub(crate) tags: Vec<String>,
    pub(crate) language: Option<String>,
    pub(crate) missing_translation: Option<String>,
    pub(crate) year: Option<i64>,
    pub(crate) month: Option<i64>,
    pub(crate) status: Option<PostStatus>,
}

fn invalid(message: impl Into<String>) -> ServiceError {
    ServiceError::tool(code::INVALID_ARGUMENTS, format!("invalid arguments: {}", message.into()))
}

impl FilterArgs {
    pub(crate) fn check(self) -> Result<PostFilters, ServiceError> {
        let year = match self.year {
            Some(year) if !(1..=9999).contains(&year) => return Err(invalid("year: expected 1 to 9999")),
            year => year.and_then(|year| i32::try_from(year).ok()),
        };
        let month = match self.month {
            Some(_) if year.is_none() => return Err(invalid("month requires year. Example: year: 2025, month: 3")),
            Some(month) if !(1..=12).contains(&month) => return Err(invalid("month: expected 1 to 12")),
            month => month.and_then(|month| u32::try_from(month).ok()),
        };
        Ok(PostFilters {
            category: self.category.map(|name| check_name("category", &name)).transpose()?,
            tags: check_names("tags", &self.tags)?,
            language: self.language.map(|language| check_language("language", &language)).transpose()?,
            missing_translation: self
                .missing_translation
                .map(|language| check_language("missingTranslationLanguage", &language))
                .transpose()?,
            year,
            month,
            status: self.status,
        })
    }
}

/// Checks a name of a tag or a category.
pub(crate) fn check_name(field: &str, name: &str) -> Result<String, ServiceError> {
    const MAX_NAME_CHARS: usize = 100;
    let name = name.trim();
    if name.is_empty() || name.chars().count() > MAX_NAME_CHARS || name.chars().any(char::is_control) {
        return Err(invalid(format!("{field}: expected 1 to {MAX_NAME_CHARS} characters")));
    }
    Ok(name.to_owned())
}

pub(crate) fn check_names(field: &str, names: &[String]) -> Result<Vec<String>, ServiceError> {
    const MAX_NAMES: usize = 50;
    if names.len() > MAX_NAMES {
        return Err(invalid(format!("{field}: expected at most {MAX_NAMES} names")));
    }
    names.iter().map(|name| check_name(field, name)).collect()
}

/// Checks a language: `de`, `pt-BR`.
pub(crate) fn check_language(field: &str, language: &str) -> Result<String, ServiceError> {
    let lower = language.trim().to_lowercase().replace('_', "-");
    let mut parts = lower.split('-');
    let is_code = |part: &str, lens: std::ops::RangeInclusive<usize>| {
        lens.contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_alphanumeric())
    };
    let is_language =
        parts.next().is_some_and(|part| is_code(part, 2..=3) && part.bytes().all(|b| b.is_ascii_alphabetic()))
            && parts.all(|part| is_code(part, 2..=8));
    if !is_language {
        let given = escape_and_truncate(language);
        return Err(invalid(format!("{field}: expected a language such as en or pt-BR, not '{given}'")));
    }
    Ok(lower)
}

/// Checks where a list begins and how long it is.
pub(crate) fn check_page(offset: Option<i64>, limit: Option<i64>) -> Result<(usize, usize), ServiceError> {
    let offset = usize::try_from(offset.unwrap_or(0)).ok().filter(|offset| *offset <= MAX_SEARCH_OFFSET);
    let offset = offset.ok_or_else(|| invalid(format!("offset: expected 0 to {MAX_SEARCH_OFFSET}")))?;
    let limit = limit.map_or(Some(BLOG_PAGE_SIZE), |limit| usize::try_from(limit).ok());
    let limit = limit.filter(|limit| (1..=BLOG_PAGE_SIZE).contains(limit));
    Ok((offset, limit.ok_or_else(|| invalid(format!("limit: expected 1 to {BLOG_PAGE_SIZE}")))?))
}

/// Returns a hint about what a query leaves out.
pub(crate) fn query_hint(query: &ParsedQuery) -> Option<String> {
    if query.parts.is_empty() {
        Some("The query has no words.".to_owned())
    } else {
        query.is_cut.then(|| format!("The query is long: only its first {MAX_QUERY_WORDS} words count."))
    }
}

/// Returns hints about names that are both tags and categories, and about languages that no post has.
pub(crate) fn hints(state: &BlogState, filters: &PostFilters) -> Result<Vec<String>, ServiceError> {
    let mut hints = state.notes.clone();
    if let Some(category) = &filters.category {
        let n_posts = count(state, &PostFilters { tags: vec![category.clone()], ..PostFilters::default() })?;
        if n_posts > 0 {
            hints.push(format!(
                "\"{category}\" is also a tag ({}): use the tags parameter to filter by it.",
                count_of_posts(n_posts)
            ));
        }
    }
    for tag in &filters.tags {
        let n_posts = count(state, &PostFilters { category: Some(tag.clone()), ..PostFilters::default() })?;
        if n_posts > 0 {
            hints.push(format!(
                "\"{tag}\" is also a category ({}): use the category parameter to filter by it.",
                count_of_posts(n_posts)
            ));
        }
    }
    if let Some(language) = &filters.language
        && count(state, &PostFilters { language: Some(language.clone()), ..PostFilters::default() })? == 0
    {
        hints.push(format!("No post is in the language {language}."));
    }
    Ok(hints)
}

/// Counts the posts that meet some conditions.
pub(crate) fn count(state: &BlogState, filters: &PostFilters) -> Result<usize, ServiceError> {
    let query = filter_query(&state.stored.fields, DocKind::Post, filters);
    state.read_index(|| state.stored.count(&*query))
}

fn count_of_posts(n_posts: usize) -> String {
    if n_posts == 1 { "1 post".to_owned() } else { format!("{n_posts} posts") }
}
