//! The blog for a person with a browser: one file a page.
//!
//! Owns: the paths and the sections of the pages.
//! Never: changes anything, or writes a text into HTML that `maud` has not escaped.

mod calendar;
mod media;
mod names;
mod parts;
mod post;
mod posts;
mod preview;

use crate::{Blog, BlogState};
use wardroom_service::{
    ContentPage, PageMethod, PageProvider, PageReply, PageRequest, PageSection, RequestInfo, ServiceError,
};

/// The sections: the path of each, and its title.
const SECTIONS: [(&str, &str); 4] =
    [(POSTS, "Posts"), (NAMES, "Tags and categories"), (MEDIA, "Media"), (CALENDAR, "Calendar")];

/// The list of posts is the first page.
const POSTS: &str = "";
const NAMES: &str = "tags";
const MEDIA: &str = "media";
const CALENDAR: &str = "calendar";

/// A request for a page, and the state of the blog that it sees.
struct BlogPage<'p> {
    state: &'p BlogState,
    request: &'p PageRequest,
    info: &'p RequestInfo,
}

impl PageProvider for Blog {
    fn title(&self) -> &'static str {
        "Blog"
    }

    fn sections(&self, _info: &RequestInfo) -> Vec<PageSection> {
        SECTIONS.iter().map(|&(path, title)| PageSection { path, title, n_pending: 0 }).collect()
    }

    fn version(&self) -> u64 {
        self.open().map_or(0, |blog| {
            blog.follower.start(&blog.index);
            blog.index.version()
        })
    }

    fn respond(&self, request: &PageRequest, info: &RequestInfo) -> Result<PageReply, ServiceError> {
        if request.method == PageMethod::Post {
            return Err(no_such_page(request));
        }
        let state = self.state(info)?;
        let page = BlogPage { state: &state, request, info };
        match request.parts().as_slice() {
            [] => posts::list(&page).map(PageReply::Page),
            ["posts", name] => post::show(&page, name).map(PageReply::Page),
            ["posts", name, "preview"] => preview::show(&page, name),
            [NAMES] => names::list(&page).map(PageReply::Page),
            [MEDIA] => media::list(&page).map(PageReply::Page),
            [MEDIA, id] => media::show(&page, id).map(PageReply::Page),
            [MEDIA, id, "thumbnail"] => media::thumbnail(&page, id),
            [CALENDAR] => calendar::show(&page, None).map(PageReply::Page),
            [CALENDAR, year] => calendar::show(&page, Some(year)).map(PageReply::Page),
            _ => Err(no_such_page(request)),
        }
    }
}

fn no_such_page(request: &PageRequest) -> ServiceError {
    ServiceError::NotFound { uri: request.link(&request.parts(), &[]) }
}

/// Returns a page of a section.
fn content_page(title: impl Into<String>, section: &'static str, content: maud::Markup) -> ContentPage {
    ContentPage::new(title, section, content.into_string())
}
