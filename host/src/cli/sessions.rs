//! `wardroom sessions`: the runs that wait in the AppDir, and those that are over, for as long as they are kept.

use std::time::SystemTime;

use serde_json::{Value, json};

use super::args::SessionsAction;
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, Failure};
use wardroom_alc::{Stored, drop_session, journal_text, sessions};
use wardroom_appdir::{AppDirError, Folder};
use wardroom_base::uri::SessionId;

pub(super) fn run(settings: &Settings, action: &SessionsAction) -> Result<(), Failure> {
    let app = assemble::app_dir(settings)?;
    match action {
        SessionsAction::List { json } => {
            let found = sessions(&app);
            let found = found.map_err(|error| Failure::of("cannot list the runs", error, settings.doctor()))?;
            list(&app, &found, *json)
        }
        SessionsAction::Show { session } => {
            let session = named(settings, session)?;
            let text = journal_text(&app, session.as_str()).map_err(|error| failed(settings, &session, error))?;
            report::text(&text)
        }
        SessionsAction::Drop { session } => {
            let session = named(settings, session)?;
            drop_session(&app, session.as_str()).map_err(|error| failed(settings, &session, error))?;
            report::line(&format!("dropped {session}"))
        }
    }
}

fn named(settings: &Settings, session: &str) -> Result<SessionId, Failure> {
    let failed = |error| Failure::new(format!("the session's name {error}"), listed(settings));
    SessionId::parse(session).map_err(failed)
}

fn listed(settings: &Settings) -> String {
    format!("{} sessions list shows those that there are", settings.command())
}

fn failed(settings: &Settings, session: &SessionId, error: AppDirError) -> Failure {
    match error {
        AppDirError::NotFound(_) => Failure::new(format!("there is no run {session}"), listed(settings)),
        AppDirError::Locked(_) => Failure::new(
            format!("a server holds the run {session}"),
            "let the agent answer it, cancel it with alc_cancel, or end the server",
        ),
        error => Failure::of(format!("the run {session}"), error, settings.doctor()),
    }
}

fn list(app: &Folder, found: &[Stored], as_json: bool) -> Result<(), Failure> {
    let now = SystemTime::now();
    let age = |run: &Stored| run.modified.and_then(|at| now.duration_since(at).ok()).map(|age| age.as_secs());
    if as_json {
        let rows: Vec<Value> = found
            .iter()
            .map(|run| {
                let running = run.goes_on(app);
                json!({"session_id": run.session, "over": run.is_over, "running": running, "age_s": age(run), "bytes": run.len})
            })
            .collect();
        return report::line(&Value::from(rows).to_string());
    }
    if found.is_empty() {
        report::note("no run waits");
    }
    for run in found {
        let state = if run.is_over {
            "over"
        } else if run.goes_on(app) {
            "runs"
        } else {
            "waits"
        };
        let age = age(run).map_or_else(|| "?".to_owned(), since);
        report::line(&format!("{}  {state:<5}  {age:>8}  {} bytes", report::name(&run.session), run.len))?;
    }
    Ok(())
}

fn since(seconds: u64) -> String {
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min", seconds / 60),
        3600..86_400 => format!("{} h", seconds / 3600),
        _ => format!("{} d", seconds / 86_400),
    }
}
