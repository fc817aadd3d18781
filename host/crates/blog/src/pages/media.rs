//! The media: a grid of small pictures, and one item with its texts.
//!
//! Never: sends a picture that the guest has not made or inspected.

use maud::html;

use super::parts::{day, media_grid, notes, offset, pager, post_links};
use super::{BlogPage, MEDIA, content_page};
use crate::bds_uri::ImageSize;
use crate::index::row::{MediaRow, Row};
use crate::index::schema::DocKind;
use crate::index::stored::PageStart;
use crate::limits::BLOG_PAGE_SIZE;
use wardroom_base::byte_size::ByteSize;
use wardroom_service::{ContentPage, PageReply, ServiceError, with_noun};

pub(super) fn list(page: &BlogPage<'_>) -> Result<ContentPage, ServiceError> {
    let (state, request) = (page.state, page.request);
    let start = PageStart::Offset(offset(request)?);
    let found = state.read_index(|| state.stored.page_of(DocKind::Media, start, BLOG_PAGE_SIZE))?;
    let (total, before) = (found.total, found.n_before);
    let media: Vec<MediaRow> = found
        .rows
        .into_iter()
        .filter_map(|(_, stored)| match stored.row {
            Row::Media(media) => Some(*media),
            _ => None,
        })
        .collect();
    let content = html! {
        h1 { "Media" }
        (notes(&state.notes))
        p.soft { (with_noun(total, "item", "items")) }
        (media_grid(request, &media))
        (pager(request, before, media.len(), total))
    };
    Ok(content_page("Media", MEDIA, content))
}

pub(super) fn show(page: &BlogPage<'_>, id: &str) -> Result<ContentPage, ServiceError> {
    let (state, request) = (page.state, page.request);
    let media = find(page, id)?;
    let (posts, n_posts) = state.linked_posts_of_media(&media)?;
    let title = media.title.as_deref().unwrap_or(media.filename());
    let picture = request.link(&["media", id, "thumbnail"], &[]);
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "none".to_owned());
    let content = html! {
        h1 { (title) }
        (notes(&state.notes))
        img.picture src=(picture) alt=(media.alt.as_deref().unwrap_or(title));
        dl.facts {
            dt { "File" }
            dd { code { (media.file_path) } }
            dt { "Alternative text" }
            dd { (text(&media.alt)) }
            dt { "Caption" }
            dd { (text(&media.caption)) }
            @if let Some(mime_type) = &media.mime_type { dt { "Type" } dd { (mime_type) } }
            @if let (Some(width), Some(height)) = (media.width, media.height) {
                dt { "Pixels" }
                dd { (width) " × " (height) }
            }
            @if let Some(size) = media.size { dt { "Size" } dd { (ByteSize(size)) } }
            @if let Some(author) = &media.author { dt { "Author" } dd { (author) } }
            @if !media.tags.is_empty() { dt { "Tags" } dd { (media.tags.join(", ")) } }
            dt { "Added" }
            dd { (day(media.created_at)) }
            dt { "Id" }
            dd { code { (media.id) } }
        }
        @for other in &media.translations {
            section lang=(other.language) {
                h2 { (other.language) }
                dl.facts {
                    dt { "Title" }
                    dd { (text(&other.title)) }
                    dt { "Alternative text" }
                    dd { (text(&other.alt)) }
                    dt { "Caption" }
                    dd { (text(&other.caption)) }
                }
            }
        }
        h2 { "Posts (" (n_posts) ")" }
        (post_links(request, &posts, n_posts))
    };
    Ok(content_page(title, MEDIA, content))
}

/// A small copy of the picture, which the guest makes.
pub(super) fn thumbnail(page: &BlogPage<'_>, id: &str) -> Result<PageReply, ServiceError> {
    let media = find(page, id)?;
    let picture = page.state.picture(&media, ImageSize::Thumbnail, page.info)?;
    Ok(PageReply::File { mime_type: picture.mime_type.to_owned(), bytes: picture.bytes })
}

fn find(page: &BlogPage<'_>, id: &str) -> Result<MediaRow, ServiceError> {
    page.state.find_media(id)?.ok_or_else(|| page.request.not_found())
}
