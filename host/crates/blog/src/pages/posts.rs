//! The list of posts, the newest first, and the search in them.
//!
//! Owns: the form, whose fields are the filters of `search_posts`.

use maud::{Markup, html};

use super::parts::{day, name_links, notes, offset, pager, status};
use super::{BlogPage, POSTS, content_page};
use crate::content::PostStatus;
use crate::find_posts::{FoundPosts, PostMatch, find_posts};
use crate::limits::BLOG_PAGE_SIZE;
use crate::search::matching::PostFilters;
use crate::search::snippet::Snippet;
use crate::tools::filters::FilterArgs;
use wardroom_base::hidden_chars::reveal;
use wardroom_service::{ContentPage, PageFields, PageRequest, PageStatus, ServiceError, with_noun};

const STATUSES: [PostStatus; 3] = [PostStatus::Draft, PostStatus::Published, PostStatus::Archived];

/// The text fields of the form besides the query: name, label.
const FILTER_FIELDS: [(&str, &str); 6] = [
    ("tag", "Tag"),
    ("category", "Category"),
    ("language", "Language"),
    ("missing", "Not translated into"),
    ("year", "Year"),
    ("month", "Month of the year"),
];

pub(super) fn list(page: &BlogPage<'_>) -> Result<ContentPage, ServiceError> {
    let (state, request) = (page.state, page.request);
    let fields = &request.query;
    let query = fields.filled("q");
    let offset = offset(request)?;
    let found = parse_filters(fields).and_then(|filters| find_posts(state, query, &filters, offset, BLOG_PAGE_SIZE));
    // A wrong filter is shown beside the form, where it can be corrected.
    let (found, error) = match found {
        Ok(found) => (Some(found), None),
        Err(error @ (ServiceError::Invalid(_) | ServiceError::Tool { .. })) => (None, Some(error.to_string())),
        Err(error) => return Err(error),
    };
    let has_filters =
        fields.filled("status").is_some() || FILTER_FIELDS.iter().any(|(name, _)| fields.filled(name).is_some());
    let is_search = has_filters || query.is_some();
    let title = if is_search { "Posts that were found" } else { "Posts" };
    let name = state.settings.project.name.as_deref().filter(|_| !is_search);
    let content = html! {
        h1 { (title) @if let Some(name) = name { " of " (name) } }
        (search_form(request, has_filters))
        @if let Some(error) = &error { p.note.error role="alert" { (error) } }
        @if let Some(found) = &found { (results(request, found, offset)) }
    };
    let mut page = content_page(title, POSTS, content);
    if error.is_some() {
        page.status = PageStatus::Invalid;
    }
    Ok(page)
}

/// Reads the filters from the fields of the form. Fields that are left empty are none.
fn parse_filters(fields: &PageFields) -> Result<PostFilters, ServiceError> {
    let number = |name: &str| {
        let parse = |text: &str| text.parse().map_err(|_| ServiceError::Invalid(format!("{name}: expected a number")));
        fields.filled(name).map(parse).transpose()
    };
    let status = fields.filled("status").map(|given| {
        let known = STATUSES.into_iter().find(|status| status.as_str() == given);
        known.ok_or_else(|| ServiceError::Invalid("status: expected draft, published or archived".to_owned()))
    });
    let text = |name: &str| fields.filled(name).map(str::to_owned);
    let filters = FilterArgs {
        category: text("category"),
        tags: fields.all("tag").filter(|tag| !tag.trim().is_empty()).map(str::to_owned).collect(),
        language: text("language"),
        missing_translation: text("missing"),
        year: number("year")?,
        month: number("month")?,
        status: status.transpose()?,
    };
    filters.check()
}

fn search_form(request: &PageRequest, has_filters: bool) -> Markup {
    let fields = &request.query;
    let given = fields.filled("status");
    html! {
        form.search role="search" action=(request.base) {
            label for="q" { "Search: words, \"a phrase\", begin*" }
            div.row {
                input #q type="search" name="q" value=(fields.get("q").unwrap_or_default());
                button type="submit" { "Search" }
            }
            details #filters open[has_filters] {
                summary { "Filters" }
                div.fields {
                    div {
                        label for="status-filter" { "Status" }
                        select #status-filter name="status" {
                            option value="" { "any" }
                            @for status in STATUSES {
                                @let name = status.as_str();
                                option value=(name) selected[given == Some(name)] { (name) }
                            }
                        }
                    }
                    @for (name, label) in FILTER_FIELDS {
                        div {
                            label for=(name) { (label) }
                            input id=(name) name=(name) value=(fields.get(name).unwrap_or_default());
                        }
                    }
                }
                p { a href=(request.base) { "All posts" } }
            }
        }
    }
}

fn results(request: &PageRequest, found: &FoundPosts, offset: usize) -> Markup {
    html! {
        (notes(&found.hints))
        p.soft { (with_noun(found.total, "post", "posts")) }
        @if !found.posts.is_empty() {
            ol.items start=(offset + 1) { @for found in &found.posts { (entry(request, found)) } }
        }
        (pager(request, offset, found.posts.len(), found.total))
    }
}

fn entry(request: &PageRequest, PostMatch { post, snippet, .. }: &PostMatch) -> Markup {
    html! {
        li {
            h2 { a href=(request.link(&["posts", &post.slug], &[])) data-item { (reveal(&post.title)) } }
            ul.meta {
                li { (day(post.created_at)) }
                li { (status(post.status)) }
                @if let Some(language) = &post.language { li { (language) } }
                @for other in &post.translations { li { (other.language) } }
                @if !post.tags.is_empty() { li { (name_links(request, "tag", &post.tags)) } }
            }
            @match snippet {
                Some(snippet) => p { (marked(snippet)) },
                None => @if let Some(excerpt) = &post.excerpt { p { (excerpt) } },
            }
        }
    }
}

/// Shows a snippet with what matches marked.
fn marked(snippet: &Snippet) -> Markup {
    html! {
        @for part in &snippet.parts {
            @if part.is_match { mark { (part.text) } } @else { (part.text) }
        }
    }
}
