//! The blog for a person with a browser: one file a page.
//!
//! Owns: the paths and the sections of the pages.
//! Never: changes anything but by a decision of a person, or writes a text into HTML that `maud` has not escaped.

mod calendar;
mod changes;
mod decisions;
mod edit_proposal;
mod highlight;
mod media;
mod names;
mod parts;
mod post;
mod posts;
mod preview;
mod proposal;
mod proposals;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use crate::proposals::review::Review;
use crate::proposals::store::ProposalStore;
use crate::{Blog, BlogState};
use wardroom_service::proposal::proposal_time_ms;
use wardroom_service::{
    ContentPage, PageMethod, PageProvider, PageReply, PageRequest, PageSection, RequestInfo, ServiceError,
};

/// The sections: the path of each, and its title.
const SECTIONS: [(&str, &str); 5] = [
    (PROPOSALS, "Proposals"),
    (POSTS, "Posts"),
    (NAMES, "Tags and categories"),
    (MEDIA, "Media"),
    (CALENDAR, "Calendar"),
];

/// The list of posts is the first page.
const POSTS: &str = "";
const PROPOSALS: &str = "proposals";
const NAMES: &str = "tags";
const MEDIA: &str = "media";
const CALENDAR: &str = "calendar";

/// Returns the address of the page of a proposal, below that of all pages.
pub(crate) fn proposal_address(pages: &str, id: &str) -> String {
    format!("{pages}/blog/{PROPOSALS}/{id}")
}

/// A request for a page, and the state of the blog that it sees.
struct BlogPage<'p> {
    state: &'p BlogState,
    request: &'p PageRequest,
    info: &'p RequestInfo,
}

impl BlogPage<'_> {
    /// Returns the side of proposals that decides.
    fn review(&self) -> Review {
        Review::new(Arc::clone(&self.state.index), self.info.catalogue.audit().clone())
    }

    /// Returns why this server cannot carry out a decision; `None` where it can.
    fn undecidable(&self) -> Option<&'static str> {
        self.state.undecidable()
    }
}

impl PageProvider for Blog {
    fn title(&self) -> &'static str {
        "Blog"
    }

    fn sections(&self, _info: &RequestInfo) -> Vec<PageSection> {
        let count = || {
            let source = self.open().ok()?.index.source();
            ProposalStore::new(&source.folder).count_pending(&source.pending, proposal_time_ms()).ok()
        };
        let section = |&(path, title): &(&'static str, &'static str)| PageSection {
            path,
            title,
            n_pending: if path == PROPOSALS { count().unwrap_or_default() } else { 0 },
        };
        SECTIONS.iter().map(section).collect()
    }

    fn version(&self) -> u64 {
        self.open().map_or(0, |blog| {
            blog.follower.start(&blog.index);
            let mut hasher = DefaultHasher::new();
            (blog.index.version(), ProposalStore::new(&blog.index.source().folder).version()).hash(&mut hasher);
            hasher.finish()
        })
    }

    fn respond(&self, request: &PageRequest, info: &RequestInfo) -> Result<PageReply, ServiceError> {
        let state = self.state(info)?;
        let page = BlogPage { state: &state, request, info };
        match request.method {
            PageMethod::Get => page.read(),
            PageMethod::Post => page.decide(),
        }
    }
}

impl BlogPage<'_> {
    fn read(&self) -> Result<PageReply, ServiceError> {
        let page = self;
        match page.request.parts().as_slice() {
            [] => posts::list(page).map(PageReply::Page),
            ["posts", name] => post::show(page, name).map(PageReply::Page),
            ["posts", name, "preview"] => preview::show(page, name),
            [PROPOSALS] => proposals::list(page).map(PageReply::Page),
            [PROPOSALS, "decided"] => proposals::decided(page).map(PageReply::Page),
            [PROPOSALS, id] => proposal::show(page, id, None).map(PageReply::Page),
            [PROPOSALS, id, "preview"] => preview::proposal(page, id),
            [PROPOSALS, id, "edit"] => edit_proposal::show(page, id),
            // The reply to a form that was refused is at this address, and may be loaded again.
            [PROPOSALS, id, "accept" | "discard"] => Ok(PageReply::Redirect(page.request.link(&[PROPOSALS, id], &[]))),
            [NAMES] => names::list(page).map(PageReply::Page),
            [MEDIA] => media::list(page).map(PageReply::Page),
            [MEDIA, id] => media::show(page, id).map(PageReply::Page),
            [MEDIA, id, "thumbnail"] => media::thumbnail(page, id),
            [CALENDAR] => calendar::show(page, None).map(PageReply::Page),
            [CALENDAR, year] => calendar::show(page, Some(year)).map(PageReply::Page),
            _ => Err(page.request.not_found()),
        }
    }

    fn decide(&self) -> Result<PageReply, ServiceError> {
        match self.request.parts().as_slice() {
            [PROPOSALS] => decisions::decide_chosen(self),
            [PROPOSALS, id, "accept"] => decisions::accept(self, id),
            [PROPOSALS, id, "discard"] => decisions::discard(self, id),
            [PROPOSALS, id, "edit"] => edit_proposal::save(self, id),
            _ => Err(self.request.not_found()),
        }
    }
}

/// Returns a page of a section.
fn content_page(title: impl Into<String>, section: &'static str, content: maud::Markup) -> ContentPage {
    ContentPage::new(title, section, content.into_string())
}
