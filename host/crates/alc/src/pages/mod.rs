//! Strategies for a person with a browser: one file a page.
//!
//! Owns: the paths and the sections of the pages.
//! Never: shows a run that the caller may not see, changes anything but by the answer of a person, or writes a text into
//! HTML that `maud` has not escaped.

mod answer;
mod cards;
mod eval_pair;
mod evals;
mod narrative;
mod packages;
mod parts;
mod rates;
mod run;
mod runs;

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::Alc;
use crate::error_code as code;
use crate::runs::StoredRun;
use crate::session_owner::is_visible;
use wardroom_base::hidden_chars::reveal;
use wardroom_service::{
    ContentPage, PageMethod, PageProvider, PageReply, PageRequest, PageSection, RequestInfo, ServiceError,
};

/// The list of runs is the first page.
const RUNS: &str = "";
const EVALS: &str = "evals";
const CARDS: &str = "cards";
const PACKAGES: &str = "packages";
/// The pages of single runs.
const RUN: &str = "runs";

/// The sections: the path of each, and its title.
const SECTIONS: [(&str, &str); 4] = [(RUNS, "Runs"), (EVALS, "Evals"), (CARDS, "Cards"), (PACKAGES, "Packages")];

/// A request for a page, and the service that it sees.
struct AlcPage<'p> {
    alc: &'p Alc,
    request: &'p PageRequest,
    info: &'p RequestInfo,
}

impl PageProvider for Alc {
    fn title(&self) -> &'static str {
        "Strategies"
    }

    fn sections(&self, info: &RequestInfo) -> Vec<PageSection> {
        let n_unfinished =
            || visible_runs(self, info).ok().map(|runs| runs.iter().filter(|run| !run.is_finished).count());
        let section = |&(path, title): &(&'static str, &'static str)| PageSection {
            path,
            title,
            n_pending: if path == RUNS { n_unfinished().unwrap_or_default() } else { 0 },
        };
        SECTIONS.iter().map(section).collect()
    }

    fn version(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for run in self.run_store.list().unwrap_or_default() {
            (run.run_id, run.is_finished, run.modified, run.len).hash(&mut hasher);
        }
        for name in ["cards", "evals", "packages", "hub_cache"] {
            let folder = self.app.open_folder(name).and_then(|folder| folder.stat_self()).ok();
            folder.map(|stat| (stat.file_id, stat.changed)).hash(&mut hasher);
        }
        hasher.finish()
    }

    fn respond(&self, request: &PageRequest, info: &RequestInfo) -> Result<PageReply, ServiceError> {
        let page = AlcPage { alc: self, request, info };
        match request.method {
            PageMethod::Get => page.read(),
            PageMethod::Post => page.change(),
        }
    }
}

impl AlcPage<'_> {
    fn read(&self) -> Result<PageReply, ServiceError> {
        match self.request.parts().as_slice() {
            [] => runs::list(self).map(PageReply::Page),
            [RUN, id] => run::show(self, id, None).map(PageReply::Page),
            // The reply to an answer that was refused is at this address, and may be loaded again.
            [RUN, id, "answer"] => Ok(PageReply::Redirect(self.request.link(&[RUN, id], &[]))),
            [CARDS] => cards::list(self).map(PageReply::Page),
            [CARDS, id] => cards::show(self, id).map(PageReply::Page),
            [PACKAGES] => packages::list(self).map(PageReply::Page),
            [PACKAGES, name] => packages::show(self, name).map(PageReply::Page),
            [EVALS] => evals::list(self).map(PageReply::Page),
            [EVALS, "compare"] => eval_pair::show(self).map(PageReply::Page),
            [EVALS, id] => evals::show(self, id).map(PageReply::Page),
            _ => Err(self.request.not_found()),
        }
    }

    fn change(&self) -> Result<PageReply, ServiceError> {
        match self.request.parts().as_slice() {
            [RUN, id, "answer"] => answer::answer(self, id),
            _ => Err(self.request.not_found()),
        }
    }
}

/// Lists the runs that the caller may see, the newest first.
fn visible_runs(alc: &Alc, info: &RequestInfo) -> Result<Vec<StoredRun>, ServiceError> {
    let mut runs = alc.run_store.list().map_err(|error| ServiceError::from_list_error("the runs", error))?;
    runs.retain(|run| is_visible(&run.run_id, info));
    Ok(runs)
}

/// A record that does not exist is a page that does not exist.
fn to_page_error(page: &AlcPage<'_>, error: ServiceError) -> ServiceError {
    match error {
        ServiceError::Tool {
            code: code::NOT_FOUND | code::CARD_NOT_FOUND | code::INVALID_NAME | code::INVALID_EVAL_ID,
            ..
        } => page.request.not_found(),
        error => error,
    }
}

/// Returns a page of a section. What models, packages and files say shows its hidden characters; what a person typed into a form
/// stays as it was typed.
fn content_page(title: impl Into<String>, section: &'static str, content: maud::Markup) -> ContentPage {
    const FIELD_END: &str = "</textarea>";
    let content = content.into_string();
    let mut shown = String::with_capacity(content.len());
    let mut rest = content.as_str();
    while let Some((text, field)) = rest.split_once("<textarea") {
        let (typed, after) = field.split_once(FIELD_END).unwrap_or((field, ""));
        shown.push_str(&reveal(&text.replace("\r\n", "\n")));
        shown.extend(["<textarea", typed, FIELD_END]);
        rest = after;
    }
    shown.push_str(&reveal(&rest.replace("\r\n", "\n")));
    ContentPage::new(reveal(&title.into()), section, shown)
}
