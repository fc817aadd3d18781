//! Parts that several pages have: times, labels, links to posts, and the way to other pages of a list.

use maud::{Markup, html};

use crate::content::PostStatus;
use crate::content::time::format_time;
use crate::index::row::{LinkedPost, MediaRow};
use crate::limits::{BLOG_PAGE_SIZE, MAX_SEARCH_OFFSET};
use wardroom_base::hidden_chars::reveal;
use wardroom_service::{FORM_TOKEN_FIELD, PageRequest, ServiceError};

/// Shows the day of a time, in UTC.
pub(super) fn day(ms: i64) -> Markup {
    let time = format_time(ms);
    let day = time.split('T').next().unwrap_or_default();
    html! { time datetime=(time) { (day) } }
}

/// Shows a time to the minute, in UTC.
pub(super) fn moment(ms: i64) -> Markup {
    let time = format_time(ms);
    html! { time datetime=(time) { (slice(&time, 0, 10)) " " (slice(&time, 11, 16)) " UTC" } }
}

/// Shows until when something lasts, and how long that is.
pub(super) fn until(end: i64, now: i64) -> Markup {
    const MINUTE: i64 = 60_000;
    let (time, today) = (format_time(end), format_time(now));
    let day = slice(&time, 0, 10);
    let left = match (end - now) / MINUTE {
        ..1 => "less than a minute".to_owned(),
        1 => "1 minute".to_owned(),
        minutes @ ..120 => format!("{minutes} minutes"),
        minutes => format!("{} hours", minutes / 60),
    };
    html! {
        "until "
        time datetime=(time) { @if day != slice(&today, 0, 10) { (day) " " } (slice(&time, 11, 16)) " UTC" }
        ", in " (left)
    }
}

/// Returns a part of a formatted time, which is ASCII.
fn slice(time: &str, from: usize, to: usize) -> &str {
    time.get(from..to).unwrap_or_default()
}

/// Begins a form that changes something: with the token without which nothing does.
pub(super) fn form_token(request: &PageRequest) -> Markup {
    html! { input type="hidden" name=(FORM_TOKEN_FIELD) value=(request.form_token); }
}

pub(super) fn status(status: PostStatus) -> Markup {
    html! { span class={ "status " (status.as_str()) } { (status.as_str()) } }
}

/// Shows the sentences that a reader should know about a page.
pub(super) fn notes(notes: &[String]) -> Markup {
    html! { @for note in notes { p.note { (note) } } }
}

/// Shows a list of links to posts, and how many more there are.
pub(super) fn post_links(request: &PageRequest, posts: &[LinkedPost], total: usize) -> Markup {
    html! {
        @if posts.is_empty() {
            p.soft { "None." }
        } @else {
            ul { @for post in posts { li { a href=(request.link(&["posts", &post.slug], &[])) { (reveal(&post.title)) } } } }
            @if total > posts.len() { p.soft { "And " (total - posts.len()) " more." } }
        }
    }
}

/// Shows tags or categories, each with a link to its posts.
pub(super) fn name_links(request: &PageRequest, field: &str, names: &[String]) -> Markup {
    html! { @for name in names { a.tag href=(request.link(&[], &[(field, name)])) { (name) } " " } }
}

/// Shows media as a grid of pictures.
pub(super) fn media_grid(request: &PageRequest, media: &[MediaRow]) -> Markup {
    html! {
        ul.grid {
            @for item in media {
                li {
                    a href=(request.link(&["media", &item.id], &[])) data-item {
                        (thumbnail(request, item))
                        span { (item.title.as_deref().unwrap_or(item.filename())) }
                    }
                }
            }
        }
    }
}

/// Shows a small copy of a picture. What is read out is its own text, or nothing: its name stands beside it.
pub(super) fn thumbnail(request: &PageRequest, media: &MediaRow) -> Markup {
    let address = request.link(&["media", &media.id, "thumbnail"], &[]);
    html! { img src=(address) alt=(media.alt.as_deref().unwrap_or_default()) loading="lazy" decoding="async"; }
}

/// Returns how many items of a list come before the page.
pub(super) fn offset(request: &PageRequest) -> Result<usize, ServiceError> {
    let Some(given) = request.query.filled("offset") else { return Ok(0) };
    let offset = given.parse().ok().filter(|offset| *offset <= MAX_SEARCH_OFFSET);
    offset.ok_or_else(|| ServiceError::Invalid(format!("offset: expected 0 to {MAX_SEARCH_OFFSET}")))
}

/// Shows which part of a list this is, with links to the parts before and after. They have the fields of the query.
pub(super) fn pager(request: &PageRequest, offset: usize, shown: usize, total: usize) -> Markup {
    let link = |offset: usize| {
        let offset = offset.to_string();
        let kept = request.query.0.iter().filter(|(name, value)| name != "offset" && !value.is_empty());
        let mut query: Vec<(&str, &str)> = kept.map(|(name, value)| (name.as_str(), value.as_str())).collect();
        query.push(("offset", &offset));
        request.link(&request.parts(), &query)
    };
    let end = offset.saturating_add(shown);
    html! {
        @if offset > 0 || end < total {
            nav.pages aria-label="Pages of the list" {
                @if offset > 0 {
                    a rel="prev" href=(link(offset.saturating_sub(BLOG_PAGE_SIZE))) { "← Before" }
                } @else {
                    span {}
                }
                span.soft { @if shown > 0 { (offset + 1) "–" (end) " of " } (total) }
                @if end < total { a rel="next" href=(link(end)) { "After →" } } @else { span {} }
            }
        }
    }
}
