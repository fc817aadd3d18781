//! The list of runs: what waits for an answer, what runs, and what ended.
//!
//! Never: reads more journals than the page shows.

use maud::{Markup, html};

use super::parts::{ago, first_line};
use super::{AlcPage, RUN, RUNS, content_page, visible_runs};
use crate::limits::{MAX_PAGE_RUNS, MAX_STATUS_JOURNALS_BYTES};
use crate::runs::{RunRecord, StoredRun};
use wardroom_base::unix_time;
use wardroom_service::{ContentPage, ServiceError, with_noun};

/// Characters of a task or a question in the list.
const SHOWN_CHARS: usize = 200;

/// The state of a run, for a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RunStage {
    Waiting,
    Running,
    Failed,
    Done,
}

const STATES: [RunStage; 4] = [RunStage::Waiting, RunStage::Running, RunStage::Failed, RunStage::Done];

impl RunStage {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Waiting => "waiting",
            Self::Running => "running",
            Self::Failed => "failed",
            Self::Done => "done",
        }
    }

    /// Returns the state of a run.
    pub(super) fn of(page: &AlcPage<'_>, run: &StoredRun, record: Option<&RunRecord>) -> Self {
        let has_failed = || record.and_then(|record| record.end.as_ref()).is_some_and(|end| end.error.is_some());
        match run.is_finished {
            true if has_failed() => Self::Failed,
            true => Self::Done,
            false if page.alc.run_store.is_running(run) => Self::Running,
            false => Self::Waiting,
        }
    }

    pub(super) fn badge(self) -> Markup {
        html! { span class={ "status " (self.name()) } { (self.name()) } }
    }
}

pub(super) fn list(page: &AlcPage<'_>) -> Result<ContentPage, ServiceError> {
    let query = &page.request.query;
    let wanted = query.filled("state").map(|given| {
        let known = STATES.into_iter().find(|state| state.name() == given);
        known.ok_or_else(|| ServiceError::Invalid("state: expected waiting, running, failed or done".to_owned()))
    });
    let (wanted, strategy) = (wanted.transpose()?, query.filled("strategy"));
    let (all, now) = (visible_runs(page.alc, page.info)?, unix_time::now_ms());
    let mut shown: Vec<(&StoredRun, Option<RunRecord>, RunStage)> = Vec::new();
    let (mut bytes_left, mut held) = (MAX_STATUS_JOURNALS_BYTES, Vec::new());
    for run in all.iter().take(MAX_PAGE_RUNS) {
        // The journal, and its lines. Those of long runs are on their own pages.
        let lease = || page.info.memory.lease(usize::try_from(run.len).ok()?.saturating_mul(2)).ok();
        let record = match Some(run).filter(|run| run.len <= bytes_left).and_then(|_| lease()) {
            Some(lease) => {
                bytes_left -= run.len;
                held.push(lease);
                page.alc.run_store.read_record(run, now)
            }
            None => None,
        };
        let state = RunStage::of(page, run, record.as_ref());
        shown.push((run, record, state));
    }
    let count = |state: RunStage| shown.iter().filter(|(.., of)| *of == state).count();
    let fits = |(_, record, state): &&(&StoredRun, Option<RunRecord>, RunStage)| {
        wanted.is_none_or(|wanted| wanted == *state)
            && strategy.is_none_or(|wanted| record.as_ref().is_some_and(|record| record.strategy == wanted))
    };
    let found: Vec<_> = shown.iter().filter(fits).collect();
    let link = |state: Option<RunStage>| {
        let state = state.map(|state| ("state", state.name()));
        let fields: Vec<(&str, &str)> =
            state.into_iter().chain(strategy.map(|strategy| ("strategy", strategy))).collect();
        page.request.link(&[], &fields)
    };
    let content = html! {
        h1 { "Runs" }
        nav.choices aria-label="States of runs" {
            ul {
                li { a href=(link(None)) aria-current=[wanted.is_none().then_some("true")] { "all" } }
                @for state in STATES {
                    li {
                        a href=(link(Some(state))) aria-current=[(wanted == Some(state)).then_some("true")] {
                            (state.name()) " " span.soft { (count(state)) }
                        }
                    }
                }
            }
        }
        @if let Some(strategy) = strategy {
            p { "Of the strategy " code { (strategy) } ". " a href=(page.request.link(&[], &[])) { "Of all strategies" } }
        }
        @if found.is_empty() {
            p.soft {
                @if all.is_empty() {
                    "There is no run yet. A run is shown once it has asked its first question: start one with "
                    code { "wardroom run STRATEGY" } ", or let an agent call " code { "alc_advice" } "."
                } @else {
                    "No run is like that."
                }
            }
        } @else {
            ol.items { @for (run, record, state) in &found { (entry(page, run, record.as_ref(), *state, now)) } }
        }
        @if all.len() > MAX_PAGE_RUNS {
            p.soft {
                "These are the newest " (MAX_PAGE_RUNS) " of " (all.len()) ". " code { "wardroom sessions list" }
                " shows the others."
            }
        }
    };
    Ok(content_page("Runs", RUNS, content))
}

fn entry(page: &AlcPage<'_>, run: &StoredRun, record: Option<&RunRecord>, state: RunStage, now: u64) -> Markup {
    let link = page.request.link(&[RUN, &run.run_id], &[]);
    let Some(record) = record else {
        return html! {
            li {
                h2 { a href=(link) data-item { code { (run.run_id) } } }
                p.soft { "Its journal is not read for this list: it is long, or another version wrote it." }
            }
        };
    };
    let open = record.open_questions();
    html! {
        li {
            h2 { a href=(link) data-item { (record.strategy) } }
            ul.meta {
                li { (state.badge()) }
                @if record.is_eval { li { "eval" } }
                li { (ago(record.last_ms, now)) }
                @if record.n_questions > 0 { li { (with_noun(record.n_questions, "question", "questions")) } }
            }
            @if let Some(task) = &record.task { p { (first_line(task, SHOWN_CHARS)) } }
            @if state == RunStage::Waiting && let Some(question) = open.first() {
                p.asks {
                    span.soft { "asks: " } (first_line(&question.prompt.text, SHOWN_CHARS))
                    @if open.len() > 1 { span.soft { " and " (with_noun(open.len() - 1, "other", "others")) } }
                }
            }
            @if let Some(error) = record.end.as_ref().and_then(|end| end.error.as_ref()) {
                p.note.error { (first_line(&error.text, SHOWN_CHARS)) }
            }
        }
    }
}
