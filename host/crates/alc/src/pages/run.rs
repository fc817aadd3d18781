//! One run: what it asks now, with a form for each answer, where its time went, the tree of what it did, and its log.

use maud::{Markup, html};

use super::parts::{ago, duration, first_line, form_token, moment, text_block};
use super::runs::RunStage;
use super::{AlcPage, RUN, RUNS, content_page};
use crate::limits::{MAX_PAGE_LOG_LINES, MAX_PAGE_QUESTIONS};
use crate::logs::LogEntry;
use crate::runs::{RecordStep, RunBranch, RunQuestion, RunRecord, StoredRun};
use crate::session_owner::is_visible;
use wardroom_base::unix_time;
use wardroom_base::uri::SessionId;
use wardroom_service::{ContentPage, PageStatus, ServiceError, with_noun};

/// Characters of a prompt in the tree, until it is opened.
const SHOWN_CHARS: usize = 90;

/// Shows a run. `refusal` says why an answer was not taken; the page shows what is there instead.
pub(super) fn show(page: &AlcPage<'_>, id: &str, refusal: Option<&str>) -> Result<ContentPage, ServiceError> {
    let (run, now) = (find_run(page, id)?, unix_time::now_ms());
    // The journal, its lines and the page.
    let _held = page.info.memory.lease(usize::try_from(run.len).unwrap_or(usize::MAX).saturating_mul(3))?;
    let Some(record) = page.alc.run_store.read_record(&run, now) else {
        return Err(ServiceError::Invalid(
            "the journal of this run cannot be read: another version may have written it".to_owned(),
        ));
    };
    let state = RunStage::of(page, &run, Some(&record));
    let open = if state == RunStage::Waiting { record.open_questions() } else { Vec::new() };
    let content = html! {
        h1 { (record.strategy) }
        ul.meta {
            li { (state.badge()) }
            @if record.is_eval { li { "eval" } }
            li { "started " (moment(record.started_ms)) }
            li { "last change " (ago(record.last_ms, now)) }
            li { code { (run.run_id) } }
        }
        @if let Some(refusal) = refusal { p.note.error role="alert" { (refusal) } }
        @if let Some(task) = &record.task { p.task { (task) } }
        @if let Some(end) = &record.end {
            @if let Some(error) = &end.error { h2 { "Why it failed" } (text_block(error)) }
            @if let Some(result) = &end.result { h2 { "Result" } (text_block(result)) }
        }
        @if !open.is_empty() {
            h2 { @if open.len() == 1 { "The run asks" } @else { "The run asks " (open.len()) " questions" } }
            @if page.alc.runs.is_none() {
                p.note { "This server runs no strategies. Answer with " code { "wardroom sessions answer " (run.run_id) } "." }
            }
            @for question in open.iter().take(MAX_PAGE_QUESTIONS) { (form(page, &run, question)) }
            @if open.len() > MAX_PAGE_QUESTIONS {
                p.soft { "And " (open.len() - MAX_PAGE_QUESTIONS) " more, which follow when these are answered." }
            }
        }
        @if state == RunStage::Waiting && open.is_empty() {
            p.note {
                "No question of this run is open: a process ended before it went on. Go on with "
                code { "wardroom run --continue " (run.run_id) } "."
            }
        }
        @if state == RunStage::Running {
            p.note { "A process executes this run now. The page follows what it asks and what it is answered." }
        }
        h2 { "Time" }
        (times(&record))
        h2 { "What it did" }
        @if record.steps.is_empty() { p.soft { "Nothing that its journal has." } } @else { (steps(&record.steps, "s")) }
        @if record.n_omitted > 0 {
            p.soft { "And " (with_noun(record.n_omitted, "step", "steps")) " more: " code { "wardroom sessions show " (run.run_id) } "." }
        }
        @if !record.log.is_empty() { h2 { "Log" } (log(&record.log, &run.run_id)) }
        p { a href=(page.request.link(&[], &[])) { "← All runs" } }
    };
    let mut reply = content_page(record.strategy.clone(), RUNS, content);
    if refusal.is_some() {
        reply.status = PageStatus::Conflict;
    }
    Ok(reply)
}

/// Whether the journal of a run has this answer to a question.
pub(super) fn has_answer(page: &AlcPage<'_>, id: &str, question: &str, text: &str) -> Result<bool, ServiceError> {
    let run = find_run(page, id)?;
    let _held = page.info.memory.lease(usize::try_from(run.len).unwrap_or(usize::MAX).saturating_mul(2))?;
    let record = page.alc.run_store.read_record(&run, unix_time::now_ms());
    Ok(record.is_some_and(|record| record.has_answer(question, text)))
}

/// Finds a run that the caller may see. Any other one does not exist.
fn find_run(page: &AlcPage<'_>, id: &str) -> Result<StoredRun, ServiceError> {
    if SessionId::parse(id).is_err() || !is_visible(id, page.info) {
        return Err(page.request.not_found());
    }
    let all = page.alc.run_store.list().map_err(|error| ServiceError::from_list_error("the runs", error))?;
    all.into_iter().find(|run| run.run_id == id).ok_or_else(|| page.request.not_found())
}

fn form(page: &AlcPage<'_>, run: &StoredRun, question: &RunQuestion) -> Markup {
    let field = format!("answer-{}", question.id);
    // What a person typed for a question is not lost when it is refused.
    let typed = &page.request.form;
    let typed = typed.get("answer").filter(|_| typed.get("question") == Some(question.id.as_str())).unwrap_or_default();
    html! {
        section.card.question {
            @if let Some(system) = &question.system {
                details id=(format!("system-{}", question.id)) { summary { "What the model is told first" } (text_block(system)) }
            }
            (text_block(&question.prompt))
            @if page.alc.runs.is_some() {
                form method="post" action=(page.request.link(&[RUN, &run.run_id, "answer"], &[])) {
                    (form_token(page.request))
                    input type="hidden" name="question" value=(question.id);
                    label for=(field) { "Your answer to " (question.id) }
                    textarea.answer id=(field) name="answer" required data-item { "\n" (typed) }
                    div.actions { button type="submit" data-key="a" { "Answer" } }
                }
            }
        }
    }
}

fn times(record: &RunRecord) -> Markup {
    let times = &record.times;
    html! {
        dl.facts {
            dt { "In all" } dd { (duration(times.elapsed_ms)) }
            @if let Some(model) = times.model_ms {
                @let rest = times.elapsed_ms.saturating_sub(model).saturating_sub(times.script_ms);
                dt { "Until answers came" } dd { (duration(model)) }
                dt { "Scripts" } dd { (duration(times.script_ms)) " of processor time, up to the last question" }
                dt { "Server and disk" } dd { (duration(rest)) ", which is the rest" }
            } @else {
                dt { "Scripts" } dd { (duration(times.script_ms)) " of processor time, up to the last question" }
            }
            dt { "Questions" } dd { (record.n_questions) }
        }
    }
}

/// Shows the steps of a branch. `path` makes the ids of what can be opened.
fn steps(steps: &[RecordStep], path: &str) -> Markup {
    html! {
        ol.tree {
            @for (at, step) in steps.iter().enumerate() {
                @match step {
                    RecordStep::Questions(asked) => @for question in asked { (question_step(question)) },
                    RecordStep::Call { operation, count, error } => {
                        li {
                            code { (operation) }
                            @if *count > 1 { span.soft { " × " (count) } }
                            @if let Some(error) = error { p.note.error { (error) } }
                        }
                    },
                    RecordStep::Fork(branches) => {
                        li {
                            (with_noun(branches.len(), "branch", "branches"))
                            ol.branches {
                                @for (number, branch) in branches.iter().enumerate() {
                                    (branch_step(branch, number, &format!("{path}-{at}-{number}")))
                                }
                            }
                        }
                    },
                }
            }
        }
    }
}

fn branch_step(branch: &RunBranch, number: usize, path: &str) -> Markup {
    html! {
        li {
            details open id=(path) {
                summary { @if let Some(name) = &branch.strategy { (name) } @else { "branch " (number + 1) } }
                @if let Some(error) = &branch.error { p.note.error { (error) } }
                @if branch.steps.is_empty() { p.soft { "Nothing yet." } } @else { (steps(&branch.steps, path)) }
            }
        }
    }
}

fn question_step(question: &RunQuestion) -> Markup {
    let took = question.asked_ms.zip(question.answered_ms).map(|(asked, answered)| answered.saturating_sub(asked));
    html! {
        li {
            details id=(format!("question-{}", question.id)) {
                summary {
                    (first_line(&question.prompt.text, SHOWN_CHARS)) " "
                    span.soft {
                        (question.id)
                        @if question.is_open() { " · waits" }
                        @if question.is_dropped { " · not needed any more" }
                        @if let Some(took) = took { " · " (duration(took)) }
                    }
                }
                @if let Some(system) = &question.system { p.soft { "System" } (text_block(system)) }
                p.soft { "Prompt" @if let Some(tokens) = question.max_tokens { ", at most " (tokens) " tokens" } }
                (text_block(&question.prompt))
                @if let Some(answer) = &question.answer { p.soft { "Answer" } (text_block(answer)) }
            }
        }
    }
}

/// Shows the newest lines of a log, the oldest of them first, each with the branch that wrote it.
fn log(entries: &[LogEntry], run_id: &str) -> Markup {
    let n_earlier = entries.len().saturating_sub(MAX_PAGE_LOG_LINES);
    html! {
        @if n_earlier > 0 {
            p.soft { "After " (with_noun(n_earlier, "earlier line", "earlier lines")) ": " code { "wardroom logs " (run_id) } "." }
        }
        ol.log { @for entry in entries.iter().skip(n_earlier) { (log_line(entry)) } }
    }
}

fn log_line(entry: &LogEntry) -> Markup {
    // The level is any text that the file of the journal has.
    let class = match entry.level.as_str() {
        "error" => "error",
        "warn" => "warn",
        _ => "other",
    };
    html! {
        li class=(class) {
            p.soft {
                time datetime=(entry.time()) { (entry.time()) } " "
                span.level { (entry.level) }
                @if !entry.branch.is_empty() { " fork " (entry.branch) }
            }
            pre { (entry.message) }
        }
    }
}
