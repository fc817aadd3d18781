//! `wardroom top`: the servers on the AppDir, their calls, and the runs, as they go.
//!
//! Owns: when it looks again, what the keys do, and the form that a program reads.
//! Never: changes a run or a server: servers write what they do while this command runs, and nothing more.

mod collect;
mod draw;

use std::thread;
use std::time::{Duration, Instant};

use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use serde_json::{Value, json};

use self::collect::{Collector, RunRow, ServerRow, Snapshot};
use self::draw::View;
use super::servers::{ACTIVITY_INTERVAL, WATCH_RENEW_INTERVAL};
use super::sessions::format_age;
use crate::assemble::settings::Settings;
use crate::report::{self, Cell, Column, CommandError, Table, TextRole};

/// How often a person sees new figures.
const REFRESH_INTERVAL: Duration = Duration::from_secs(1);
/// How long servers that are at work may take to notice that somebody watches.
const NOTICE_TIME: Duration = ACTIVITY_INTERVAL.saturating_mul(2);

pub(super) fn run(settings: &Settings, as_json: bool) -> Result<(), CommandError> {
    let mut collector = Collector::begin(settings)?;
    if !as_json && report::can_draw() {
        let what = |error| {
            CommandError::with_cause("cannot draw on this terminal", error, "wardroom top --json prints the figures")
        };
        let mut terminal = ratatui::try_init().map_err(what)?;
        let shown = show(&mut terminal, &mut collector, settings.command_line(), what);
        // Whatever happened, the person gets the terminal back.
        ratatui::restore();
        return shown;
    }
    thread::sleep(NOTICE_TIME);
    collector.collect()?;
    // A rate takes two looks.
    thread::sleep(WATCH_RENEW_INTERVAL);
    let snapshot = collector.collect()?;
    if as_json { report::print_json(&to_json(&snapshot)) } else { print_tables(&snapshot) }
}

/// Draws until the person ends it.
fn show(
    terminal: &mut DefaultTerminal,
    collector: &mut Collector,
    command: String,
    failed: impl Fn(std::io::Error) -> CommandError,
) -> Result<(), CommandError> {
    let mut view = View::new(command);
    loop {
        let looked_at = Instant::now();
        view.update(collector.collect()?);
        loop {
            terminal.draw(|frame| view.draw(frame)).map_err(&failed)?;
            let left = REFRESH_INTERVAL.saturating_sub(looked_at.elapsed());
            if !event::poll(left).map_err(&failed)? {
                break;
            }
            match event::read().map_err(&failed)? {
                Event::Key(key) if key.kind != KeyEventKind::Release => {
                    if is_end(key) {
                        return Ok(());
                    }
                    move_selection(&mut view, key.code);
                }
                // The size of the terminal may be another one.
                _ => {}
            }
        }
    }
}

/// A raw terminal sends the key, and no signal.
fn is_end(key: KeyEvent) -> bool {
    let is_interrupt = key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c');
    is_interrupt || matches!(key.code, KeyCode::Char('q') | KeyCode::Esc)
}

fn move_selection(view: &mut View, key: KeyCode) {
    match key {
        KeyCode::Up | KeyCode::Char('k') => view.select_previous(1),
        KeyCode::Down | KeyCode::Char('j') => view.select_next(1),
        KeyCode::PageUp => view.select_previous(10),
        KeyCode::PageDown => view.select_next(10),
        KeyCode::Home => view.select_previous(usize::MAX),
        KeyCode::End => view.select_next(usize::MAX),
        _ => {}
    }
}

fn to_json(snapshot: &Snapshot) -> Value {
    let server = |row: &ServerRow| {
        json!({
            "process": row.process,
            "address": row.address,
            "age_s": row.age_s,
            "memory": row.memory,
            "requests": row.requests,
            "requests_per_s": row.rate,
            "workers": row.workers,
            "call_count": row.call_count,
            "calls": row.calls,
        })
    };
    let run = |row: &RunRow| {
        json!({
            "session_id": row.session,
            "state": row.state,
            "age_s": row.age_s,
            "strategy": row.strategy,
            "about": row.about,
        })
    };
    json!({
        "servers": snapshot.servers.iter().map(server).collect::<Value>(),
        "runs": snapshot.runs.iter().map(run).collect::<Value>(),
        "run_count": snapshot.run_count,
    })
}

fn print_tables(snapshot: &Snapshot) -> Result<(), CommandError> {
    if snapshot.servers.is_empty() {
        report::print_note("no server runs");
    }
    let columns = [
        Column::new("SERVER", 8).right(),
        Column::text("AT", 24),
        Column::new("AGE", 8).right(),
        Column::new("REQUESTS", 10).right(),
        Column::new("PER S", 8).right(),
        Column::new("CALLS", 5).right(),
        Column::new("WORKERS", 7).right(),
        Column::new("MEMORY", 10).right(),
    ];
    let mut table = Table::new("  ", columns);
    for row in &snapshot.servers {
        let [requests, rate, calls, workers, memory] = row.figures();
        let process = Cell::new(row.process.to_string(), TextRole::Name);
        let age = format_age(row.age_s);
        table.add([
            process,
            row.address.as_str().into(),
            age.into(),
            requests.into(),
            rate.into(),
            calls.into(),
            workers.into(),
            memory.into(),
        ]);
    }
    table.print()?;
    let columns = [
        Column::new("CALL OF", 8).right(),
        Column::new("TIME", 8).right(),
        Column::new("CALLER", 16),
        Column::new("METHOD", 14),
        Column::text("NAME", 0),
    ];
    let mut table = Table::new("  ", columns);
    for (server, call) in snapshot.calls() {
        let process = Cell::new(server.process.to_string(), TextRole::Name);
        let time = format_age(call.elapsed_ms / 1000);
        table.add([
            process,
            time.into(),
            call.caller.as_str().into(),
            call.method.as_str().into(),
            call.name.as_str().into(),
        ]);
    }
    table.print()?;
    let columns = [
        Column::new("RUN", 0),
        Column::new("STATE", 6),
        Column::new("AGE", 8).right(),
        Column::new("STRATEGY", 16),
        Column::text("ABOUT", 0),
    ];
    let mut table = Table::new("  ", columns);
    for row in &snapshot.runs {
        let session = Cell::new(&row.session, TextRole::Name);
        let state = Cell::new(row.state, row.role);
        table.add([session, state, row.age().into(), row.strategy.as_str().into(), row.about.as_str().into()]);
    }
    table.print()
}
