//! `wardroom sessions`: paused runs in the AppDir, and finished ones while they are kept.

use std::time::SystemTime;

use serde_json::{Value, json};

use super::args::SessionsAction;
use super::audit;
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, CommandError};
use wardroom_alc::{RunStore, StoredRun};
use wardroom_appdir::AppDirError;
use wardroom_base::byte_size::ByteSize;
use wardroom_base::uri::SessionId;
use wardroom_service::audit::{AuditAction, AuditEvent};

pub(super) fn run(settings: &Settings, action: &SessionsAction) -> Result<(), CommandError> {
    let store = RunStore::new(assemble::open_app_dir(settings)?);
    match action {
        SessionsAction::List { json } => {
            let found = store.list();
            let found = found
                .map_err(|error| CommandError::with_cause("cannot list the runs", error, settings.doctor_hint()))?;
            list_sessions(&store, &found, *json)
        }
        SessionsAction::Show { session } => {
            let session = parse_session_id(settings, session)?;
            let text =
                store.read_journal(session.as_str()).map_err(|error| session_error(settings, &session, error))?;
            report::print_text(&text)
        }
        SessionsAction::Drop { session } => {
            let session = parse_session_id(settings, session)?;
            store.remove(session.as_str()).map_err(|error| session_error(settings, &session, error))?;
            let event = AuditEvent {
                action: AuditAction::RunEnded,
                subject: session.as_str(),
                digest: None,
                outcome: "dropped",
            };
            audit::record(settings, &event);
            report::print_line(&format!("dropped {session}"))
        }
    }
}

fn parse_session_id(settings: &Settings, session: &str) -> Result<SessionId, CommandError> {
    let failed = |error| CommandError::new(format!("the session's name {error}"), list_hint(settings));
    SessionId::parse(session).map_err(failed)
}

fn list_hint(settings: &Settings) -> String {
    format!("run {} sessions list to see the runs", settings.command_line())
}

fn session_error(settings: &Settings, session: &SessionId, error: AppDirError) -> CommandError {
    match error {
        AppDirError::NotFound(_) => CommandError::new(format!("there is no run {session}"), list_hint(settings)),
        AppDirError::Locked(_) => CommandError::new(
            format!("a server is using the run {session}"),
            "let the agent answer it, cancel it with alc_cancel, or end the server",
        ),
        error => CommandError::with_cause(format!("cannot use the run {session}"), error, settings.doctor_hint()),
    }
}

fn list_sessions(store: &RunStore, found: &[StoredRun], as_json: bool) -> Result<(), CommandError> {
    let now = SystemTime::now();
    let age = |run: &StoredRun| run.modified.and_then(|at| now.duration_since(at).ok()).map(|age| age.as_secs());
    if as_json {
        let rows: Vec<Value> = found
            .iter()
            .map(|run| {
                let running = store.is_running(run);
                json!({"session_id": run.run_id, "over": run.is_finished, "running": running, "age_s": age(run), "bytes": run.len})
            })
            .collect();
        return report::print_line(&Value::from(rows).to_string());
    }
    if found.is_empty() {
        report::print_note("no run waits");
    }
    for run in found {
        let state = if run.is_finished {
            "over"
        } else if store.is_running(run) {
            "runs"
        } else {
            "waits"
        };
        let age = age(run).map_or_else(|| "?".to_owned(), format_age);
        report::print_line(&format!(
            "{}  {state:<5}  {age:>8}  {}",
            report::escape_name(&run.run_id),
            ByteSize(run.len)
        ))?;
    }
    Ok(())
}

fn format_age(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}
