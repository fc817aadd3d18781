//! The learning log for a person with a browser: one file a page.
//!
//! Owns: the paths and the sections of the pages.
//! Never: changes anything but by a decision of a person, or writes a text into HTML that `maud` has not escaped.

mod archive;
mod parts;
mod playbook;
mod plot;
mod proposals;
mod timeline;

use std::sync::Arc;

use crate::proposals::BulletReview;
use crate::{Ace, LearningLog};
use wardroom_service::proposal::{ProposalStatus, proposal_time_ms};
use wardroom_service::{
    ContentPage, PageMethod, PageProvider, PageReply, PageRequest, PageSection, RequestInfo, ServiceError,
};

/// The playbook is the first page.
const PLAYBOOK: &str = "";
const PROPOSALS: &str = "proposals";
const TIMELINE: &str = "timeline";
const ARCHIVE: &str = "archive";

/// The sections: the path of each, and its title.
const SECTIONS: [(&str, &str); 4] =
    [(PLAYBOOK, "Playbook"), (PROPOSALS, "Proposals"), (TIMELINE, "Traces and insights"), (ARCHIVE, "Archive")];

/// A request for a page, and the log that it sees.
struct LearningPage<'p> {
    log: &'p Arc<LearningLog>,
    request: &'p PageRequest,
    info: &'p RequestInfo,
}

impl PageProvider for Ace {
    fn title(&self) -> &'static str {
        "Learning log"
    }

    fn sections(&self, _info: &RequestInfo) -> Vec<PageSection> {
        let count = || {
            let (all, now) = (self.0.as_ref()?.files.all_proposals().ok()?, proposal_time_ms());
            Some(all.iter().filter(|proposal| proposal.status(now) == ProposalStatus::Pending).count())
        };
        let section = |&(path, title): &(&'static str, &'static str)| PageSection {
            path,
            title,
            n_pending: if path == PROPOSALS { count().unwrap_or_default() } else { 0 },
        };
        SECTIONS.iter().map(section).collect()
    }

    fn version(&self) -> u64 {
        self.0.as_ref().map_or(0, |log| log.files.version())
    }

    fn respond(&self, request: &PageRequest, info: &RequestInfo) -> Result<PageReply, ServiceError> {
        let log = self.0.as_ref().ok_or_else(|| request.not_found())?;
        let page = LearningPage { log, request, info };
        match request.method {
            PageMethod::Get => page.read(),
            PageMethod::Post => page.decide(),
        }
    }
}

impl LearningPage<'_> {
    fn read(&self) -> Result<PageReply, ServiceError> {
        match self.request.parts().as_slice() {
            [] => playbook::show(self).map(PageReply::Page),
            [TIMELINE] => timeline::show(self).map(PageReply::Page),
            [ARCHIVE] => archive::show(self).map(PageReply::Page),
            [PROPOSALS] => proposals::list(self).map(PageReply::Page),
            [PROPOSALS, id] => proposals::show(self, id, None).map(PageReply::Page),
            // The reply to a form that was refused is at this address, and may be loaded again.
            [PROPOSALS, id, "accept" | "discard"] => Ok(PageReply::Redirect(self.request.link(&[PROPOSALS, id], &[]))),
            _ => Err(self.request.not_found()),
        }
    }

    fn decide(&self) -> Result<PageReply, ServiceError> {
        match self.request.parts().as_slice() {
            [PROPOSALS, id, "accept"] => proposals::accept(self, id),
            [PROPOSALS, id, "discard"] => proposals::discard(self, id),
            _ => Err(self.request.not_found()),
        }
    }

    /// Returns the side of proposals that decides.
    fn review(&self) -> BulletReview {
        BulletReview::new(Arc::clone(self.log), self.info.catalogue.audit().clone())
    }

    fn stop(&self) -> impl Fn() -> bool + '_ {
        || self.info.cancellation.is_cancelled()
    }
}

/// Returns a page of a section.
fn content_page(title: impl Into<String>, section: &'static str, content: maud::Markup) -> ContentPage {
    ContentPage::new(title, section, content.into_string())
}
