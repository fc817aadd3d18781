//! The tags and categories, the most used first.

use maud::{Markup, html};

use super::parts::notes;
use super::{BlogPage, NAMES, content_page};
use crate::overview::CountedName;
use wardroom_service::{ContentPage, PageRequest, ServiceError};

pub(super) fn list(page: &BlogPage<'_>) -> Result<ContentPage, ServiceError> {
    let (tags, categories) = (page.state.named_tags()?, page.state.named_categories()?);
    let content = html! {
        h1 { "Tags and categories" }
        (notes(&page.state.notes))
        h2 { "Categories (" (categories.len()) ")" }
        (cloud(page.request, "category", &categories))
        h2 { "Tags (" (tags.len()) ")" }
        (cloud(page.request, "tag", &tags))
    };
    Ok(content_page("Tags and categories", NAMES, content))
}

fn cloud(request: &PageRequest, field: &str, names: &[CountedName]) -> Markup {
    html! {
        @if names.is_empty() { p.soft { "None." } }
        ul.cloud {
            @for CountedName { name, n_posts, .. } in names {
                li {
                    a.tag href=(request.link(&[], &[(field, name)])) data-item {
                        (name) " " span.unseen { ", posts: " } (n_posts)
                    }
                }
            }
        }
    }
}
