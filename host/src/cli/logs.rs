//! `wardroom logs`: what the scripts of a run printed and logged, and why they failed.
//!
//! Never: locks a run, or waits for one that has ended.

use std::thread;
use std::time::Duration;

use serde_json::json;

use super::sessions::{parse_session_id, session_error};
use super::sessions_args::LogsArgs;
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, CommandError};
use wardroom_alc::{LogEntry, LogNews, LogPosition, RunStore};

/// How long to wait for the next lines of a run that is followed.
const FOLLOW_INTERVAL: Duration = Duration::from_millis(200);

pub(super) fn run(settings: &Settings, args: &LogsArgs) -> Result<(), CommandError> {
    let store = RunStore::new(assemble::open_app_dir(settings)?);
    let session = match &args.session {
        Some(session) => session.clone(),
        None => newest_run(settings, &store)?,
    };
    let session = parse_session_id(settings, &session)?;
    let mut position = LogPosition::default();
    let mut n_shown = 0;
    loop {
        let news = store.read_log(session.as_str(), &mut position);
        let news = news.map_err(|error| session_error(settings, &session, error))?;
        n_shown += news.entries.len();
        news.entries.iter().try_for_each(|entry| print_entry(entry, args.json))?;
        if news.end.is_some() || !args.follow {
            return print_end(session.as_str(), &news, n_shown, args.json);
        }
        thread::sleep(FOLLOW_INTERVAL);
    }
}

fn newest_run(settings: &Settings, store: &RunStore) -> Result<String, CommandError> {
    let found = store.list();
    let found =
        found.map_err(|error| CommandError::with_cause("cannot list the runs", error, settings.doctor_hint()))?;
    // The list begins with the newest one.
    found.into_iter().next().map(|run| run.run_id).ok_or_else(|| {
        let hint = "a run is kept once it asked a question: wardroom run shows the log of any run as it goes";
        CommandError::new("there is no run", hint)
    })
}

fn print_entry(entry: &LogEntry, as_json: bool) -> Result<(), CommandError> {
    if as_json {
        return report::print_line(&json!(entry).to_string());
    }
    let time = entry.time();
    let mut lines = entry.message.lines();
    let first = report::escape_log_line(lines.next().unwrap_or_default());
    let (level, branch) = (&entry.level, entry.branch_prefix());
    report::print_line(&format!("{}{first}", report::escape_name(&format!("{time}  {level:<5}  {branch}"))))?;
    lines.try_for_each(|line| report::print_line(&format!("    {}", report::escape_log_line(line))))
}

/// Says how the run ended, where its log does not.
fn print_end(session: &str, news: &LogNews, n_shown: usize, as_json: bool) -> Result<(), CommandError> {
    if as_json {
        let end = match &news.end {
            None => return Ok(()),
            Some(Ok(())) => json!({"end": "done"}),
            Some(Err(why)) => json!({"end": "failed", "error": why}),
        };
        return report::print_line(&end.to_string());
    }
    match &news.end {
        Some(Err(why)) => report::print_note(&format!("the run {session} failed: {}", report::escape_name(why))),
        Some(Ok(())) if n_shown == 0 => report::print_note(&format!("the run {session} is done, and logged nothing")),
        Some(Ok(())) => report::print_note(&format!("the run {session} is done")),
        None if n_shown == 0 => report::print_note(&format!("the run {session} logged nothing yet")),
        None => {}
    }
    Ok(())
}
