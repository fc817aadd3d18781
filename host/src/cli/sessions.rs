//! `wardroom sessions`: paused runs in the AppDir, and finished ones while they are kept.

use std::time::SystemTime;

use serde_json::{Value, json};

use super::audit;
use super::run_args::RunArgs;
use super::sessions_args::SessionsAction;
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, Cell, Column, CommandError, Table, TextRole};
use wardroom_alc::{RunStore, RunSummary, StoredRun};
use wardroom_appdir::AppDirError;
use wardroom_base::uri::SessionId;
use wardroom_service::audit::{AuditAction, AuditEvent};

pub(super) fn run(settings: &Settings, action: SessionsAction) -> Result<(), CommandError> {
    let store = RunStore::new(assemble::open_app_dir(settings)?);
    match action {
        SessionsAction::List { json } => {
            let found = store.list();
            let found = found
                .map_err(|error| CommandError::with_cause("cannot list the runs", error, settings.doctor_hint()))?;
            list_sessions(&store, &found, json)
        }
        SessionsAction::Show { session } => {
            let session = parse_session_id(settings, &session)?;
            let text =
                store.read_journal(session.as_str()).map_err(|error| session_error(settings, &session, error))?;
            report::print_text(&text)
        }
        SessionsAction::Drop { session: Some(session), .. } => {
            let session = parse_session_id(settings, &session)?;
            store.remove(session.as_str()).map_err(|error| session_error(settings, &session, error))?;
            record_drop(settings, session.as_str());
            report::print_line(&format!("dropped {session}"))
        }
        SessionsAction::Drop { session: None, .. } => drop_finished(settings, &store),
        SessionsAction::Answer { session, answers } => {
            let args = RunArgs { strategy: None, given: Vec::new(), session: Some(session), answers };
            super::run::run(settings, &args)
        }
    }
}

fn record_drop(settings: &Settings, session: &str) {
    let event = AuditEvent { action: AuditAction::RunEnded, subject: session, digest: None, outcome: "dropped" };
    audit::record(settings, &event);
}

fn drop_finished(settings: &Settings, store: &RunStore) -> Result<(), CommandError> {
    let found = store.list();
    let found =
        found.map_err(|error| CommandError::with_cause("cannot list the runs", error, settings.doctor_hint()))?;
    let mut n_dropped = 0;
    for run in found.iter().filter(|run| run.is_finished) {
        match store.remove(&run.run_id) {
            Ok(()) => {
                record_drop(settings, &run.run_id);
                n_dropped += 1;
            }
            // Another command dropped it, or a server repeats its answer at this moment.
            Err(AppDirError::NotFound(_) | AppDirError::Locked(_)) => {}
            Err(error) => {
                let what = format!("cannot drop the run {}", report::escape_name(&run.run_id));
                return Err(CommandError::with_cause(what, error, settings.doctor_hint()));
            }
        }
    }
    report::print_line(&match n_dropped {
        0 => "no run has ended".to_owned(),
        1 => "dropped one run".to_owned(),
        n => format!("dropped {n} runs"),
    })
}

pub(super) fn parse_session_id(settings: &Settings, session: &str) -> Result<SessionId, CommandError> {
    let failed = |error| CommandError::new(format!("the session's name {error}"), list_hint(settings));
    SessionId::parse(session).map_err(failed)
}

fn list_hint(settings: &Settings) -> String {
    format!("run {} sessions list to see the runs", settings.command_line())
}

pub(super) fn session_error(settings: &Settings, session: &SessionId, error: AppDirError) -> CommandError {
    match error {
        AppDirError::NotFound(_) => CommandError::new(format!("there is no run {session}"), list_hint(settings)),
        AppDirError::Locked(_) => CommandError::new(
            format!("a server is using the run {session}"),
            "let the agent answer it, cancel it with alc_cancel, or end the server",
        ),
        error => CommandError::with_cause(format!("cannot use the run {session}"), error, settings.doctor_hint()),
    }
}

/// The runs whose journals are read for a list. Each takes the time of its length.
const MAX_SUMMARIZED_RUNS: usize = 200;
/// Characters of a task or a question in one line.
const MAX_SHOWN_CHARS: usize = 60;

fn list_sessions(store: &RunStore, found: &[StoredRun], as_json: bool) -> Result<(), CommandError> {
    let now = SystemTime::now();
    let age = |run: &StoredRun| run.modified.and_then(|at| now.duration_since(at).ok()).map(|age| age.as_secs());
    let summaries = found.iter().enumerate().map(|(at, run)| {
        let summary = (at < MAX_SUMMARIZED_RUNS).then(|| store.summarize(run)).flatten();
        (run, summary)
    });
    if as_json {
        let rows: Vec<Value> = summaries
            .map(|(run, summary)| {
                let mut row = json!({"session_id": run.run_id, "over": run.is_finished,
                    "running": store.is_running(run), "age_s": age(run), "bytes": run.len});
                if let (Some(summary), Some(row)) = (summary, row.as_object_mut()) {
                    row.insert("strategy".into(), summary.strategy.into());
                    row.insert("task".into(), summary.task.into());
                    row.insert("scenario".into(), summary.scenario.into());
                    row.insert("error".into(), summary.end.and_then(Result::err).into());
                    let questions = summary.questions.into_iter();
                    row.insert(
                        "questions".into(),
                        questions.map(|(id, prompt)| json!({"id": id, "prompt": prompt})).collect(),
                    );
                }
                row
            })
            .collect();
        return report::print_json(&Value::from(rows));
    }
    if found.is_empty() {
        report::print_note("no run waits");
    }
    let columns = [
        Column::new("SESSION", 0),
        Column::new("STATE", 6),
        Column::new("AGE", 8).right(),
        Column::new("STRATEGY", 16),
        Column::text("ABOUT", 0),
    ];
    let mut table = Table::new("  ", columns);
    for (run, summary) in summaries {
        let (state, role) = run_state(run, summary.as_ref(), store.is_running(run));
        let age = age(run).map_or_else(|| "?".to_owned(), format_age);
        let strategy = summary.as_ref().map(|summary| shorten(&summary.strategy)).unwrap_or_default();
        let about = summary.map(|summary| describe_run(&summary)).unwrap_or_default();
        let id = Cell::new(&run.run_id, TextRole::Name);
        table.add([id, Cell::new(state, role), age.into(), strategy.into(), about.into()]);
    }
    table.print()?;
    if found.len() > MAX_SUMMARIZED_RUNS {
        report::print_note(&format!("the journals of the newest {MAX_SUMMARIZED_RUNS} were read"));
    }
    Ok(())
}

/// Returns the name of a run's state.
pub(super) fn run_state(run: &StoredRun, summary: Option<&RunSummary>, is_running: bool) -> (&'static str, TextRole) {
    match summary {
        Some(RunSummary { end: Some(Err(_)), .. }) => ("failed", TextRole::Bad),
        _ if run.is_finished => ("done", TextRole::Faint),
        _ if is_running => ("runs", TextRole::Good),
        _ => ("waits", TextRole::Warning),
    }
}

/// Returns what a run is about: why it failed, else what it asks, else its task or, of an eval, its scenario.
pub(super) fn describe_run(summary: &RunSummary) -> String {
    match (&summary.end, summary.questions.as_slice()) {
        (Some(Err(why)), _) => shorten(why),
        (None, [(id, prompt)]) => format!("{} asks: {}", report::escape_name(id), shorten(prompt)),
        (None, [(_, first), others @ ..]) => format!("{} questions: {}", others.len() + 1, shorten(first)),
        _ => match (&summary.task, &summary.scenario) {
            (Some(task), _) => shorten(task),
            (None, Some(scenario)) => shorten(&format!("eval on {scenario}")),
            (None, None) => String::new(),
        },
    }
}

/// Returns the beginning of a text, on one line.
fn shorten(text: &str) -> String {
    report::shorten(text, MAX_SHOWN_CHARS)
}

pub(super) fn format_age(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}
