//! A post: what it says of itself, how it looks, its source, and what it is linked to.

use maud::{Markup, html};

use super::parts::{day, media_grid, name_links, notes, post_links, status};
use super::{BlogPage, POSTS, content_page};
use crate::index::row::{PostRow, TranslationRow};
use crate::tools::filters::check_language;
use crate::view::{backlinks, outlinks};
use wardroom_base::hidden_chars::reveal;
use wardroom_service::{ContentPage, PageRequest, ServiceError, with_noun};

/// A post, or one of its translations.
pub(super) struct ShownText<'p> {
    pub(super) title: &'p str,
    pub(super) language: Option<&'p str>,
    excerpt: Option<&'p str>,
    pub(super) path: &'p str,
    body_start: usize,
    translation: Option<&'p TranslationRow>,
}

pub(super) fn show(page: &BlogPage<'_>, name: &str) -> Result<ContentPage, ServiceError> {
    let (state, request) = (page.state, page.request);
    let post = find(page, name)?;
    let text = choose_text(page, &post)?;
    let (from, to) = state.read_index(|| Ok((backlinks(&state.stored, &post)?, outlinks(&state.stored, &post)?)))?;
    let (media, n_media) = state.newest_media_of_post(&post)?;
    let source = state.body(text.path, text.body_start)?;
    let language = text.translation.map(|other| other.language.as_str());
    let query: Vec<(&str, &str)> = language.map(|language| ("language", language)).into_iter().collect();
    let preview = request.link(&["posts", name, "preview"], &query);
    let content = html! {
        div lang=[text.language] {
            h1 { (reveal(text.title)) }
            @if let Some(excerpt) = text.excerpt { p.soft { (excerpt) } }
        }
        (notes(&state.notes))
        div.reading {
            article aria-label="The text" {
                iframe.preview src=(preview) title=(format!("The text of {}", reveal(text.title))) sandbox="" loading="lazy" {}
                p.soft { a href=(preview) { "The text alone" } ". Its links open nothing here." }
                details #source {
                    summary { "Source, " (with_noun(source.len(), "byte", "bytes")) }
                    pre tabindex="0" { code { (source) } }
                }
                @if n_media > 0 {
                    h2 { "Media (" (n_media) ")" }
                    (media_grid(request, &media))
                }
            }
            aside aria-label="About the post" {
                h2 { "About" }
                (facts(page, &post, &text))
                h2 { "Links here (" (from.total) ")" }
                (post_links(request, &from.listed, from.total))
                h2 { "Links to (" (to.total) ")" }
                (post_links(request, &to.listed, to.total))
            }
        }
    };
    Ok(content_page(reveal(text.title), POSTS, content))
}

pub(super) fn find(page: &BlogPage<'_>, name: &str) -> Result<PostRow, ServiceError> {
    page.state.find_post(name)?.ok_or_else(|| page.request.not_found())
}

/// Returns the translation that the query names, or else the post itself.
pub(super) fn choose_text<'p>(page: &'p BlogPage<'_>, post: &'p PostRow) -> Result<ShownText<'p>, ServiceError> {
    let own_language = post.language.as_deref().or_else(|| page.state.main_language());
    let wanted = page.request.query.filled("language").map(|given| check_language("language", given)).transpose()?;
    let Some(wanted) = wanted.filter(|wanted| own_language != Some(wanted)) else {
        return Ok(ShownText {
            title: &post.title,
            language: own_language,
            excerpt: post.excerpt.as_deref(),
            path: &post.path,
            body_start: post.body_start,
            translation: None,
        });
    };
    let found = post.translations.iter().find(|other| other.language == wanted);
    let other = found.ok_or_else(|| page.request.not_found())?;
    Ok(ShownText {
        title: &other.title,
        language: Some(&other.language),
        excerpt: other.excerpt.as_deref(),
        path: &other.path,
        body_start: other.body_start,
        translation: Some(other),
    })
}

fn facts(page: &BlogPage<'_>, post: &PostRow, text: &ShownText<'_>) -> Markup {
    let request = page.request;
    let updated = text.translation.map_or(post.updated_at, |other| other.updated_at);
    html! {
        dl.facts {
            dt { "Status" }
            dd { (status(text.translation.map_or(post.status, |other| other.status))) }
            dt { "Written" }
            dd { (day(post.created_at)) @if updated != post.created_at { ", changed " (day(updated)) } }
            @if let Some(published) = post.published_at { dt { "Published" } dd { (day(published)) } }
            @if let Some(author) = &post.author { dt { "Author" } dd { (author) } }
            dt { "Languages" }
            dd { (languages(page, request, post, text)) }
            @if !post.tags.is_empty() { dt { "Tags" } dd { (name_links(request, "tag", &post.tags)) } }
            @if !post.categories.is_empty() {
                dt { "Categories" }
                dd { (name_links(request, "category", &post.categories)) }
            }
            @if let Some(template) = &post.template_slug { dt { "Template" } dd { (template) } }
            dt { "Words" }
            dd { (post.word_count) }
            dt { "Slug" }
            dd { code { (post.slug) } }
            dt { "Id" }
            dd { code { (post.id) } }
            dt { "File" }
            dd { code { (text.path) } }
        }
    }
}

fn languages(page: &BlogPage<'_>, request: &PageRequest, post: &PostRow, text: &ShownText<'_>) -> Markup {
    let languages = post.available_languages(page.state.main_language());
    html! {
        @if languages.is_empty() { "not stated" }
        @for language in &languages {
            @if text.language == Some(language) {
                span.tag aria-current="true" { (language) }
            } @else {
                a.tag href=(request.link(&["posts", &post.slug], &[("language", language)])) { (language) }
            }
            " "
        }
        @if !post.is_translatable { "not to be translated" }
    }
}
