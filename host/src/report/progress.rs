//! Progress of work that takes longer than a person likes to wait, on standard error at a terminal.
//!
//! Never: writes where a program reads, or leaves something on the screen.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::terminal;

/// How often a spinner moves.
const SPINNER_STEP: Duration = Duration::from_millis(120);
/// How long a person waits without being told for what.
const PATIENCE: Duration = Duration::from_secs(1);

/// Work in progress. Its line is removed with the value.
#[derive(Debug)]
pub(crate) struct Progress(ProgressBar);

impl Progress {
    /// Work of unknown length.
    pub(crate) fn spinner(what: impl Into<Cow<'static, str>>) -> Self {
        let bar = begin("{spinner} {msg} ({elapsed})");
        bar.set_message(what);
        if !bar.is_hidden() {
            bar.enable_steady_tick(SPINNER_STEP);
        }
        Self(bar)
    }

    /// Work on a number of things, which `set` tells.
    pub(crate) fn bar(things: &str) -> Self {
        Self(begin(&format!("{{bar:40}} {{pos}} of {{len}} {things}, {{eta}} left")))
    }

    /// Sets how many things are done.
    pub(crate) fn set(&self, n_done: u64, n_total: u64) {
        self.0.set_length(n_total);
        self.0.set_position(n_done);
    }

    /// Names the part of the work that begins.
    pub(crate) fn name(&self, part: impl Into<Cow<'static, str>>) {
        self.0.set_message(part);
    }

    /// Removes the line for good.
    pub(crate) fn end(&self) {
        self.0.finish_and_clear();
    }

    /// Does something while the line is off the screen.
    pub(crate) fn suspend<R>(&self, work: impl FnOnce() -> R) -> R {
        self.0.suspend(work)
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.end();
    }
}

/// Does the work of a command that is short as a rule, and names it once it takes longer than `PATIENCE`. Nothing is shown
/// before, and the line is gone when this returns.
pub(crate) fn name_if_slow<R>(what: impl Into<Cow<'static, str>>, work: impl FnOnce() -> R) -> R {
    if !is_shown() {
        return work();
    }
    let what = what.into();
    thread::scope(|scope| {
        let (working, ended) = mpsc::channel::<()>();
        let show = move || {
            if ended.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let _progress = Progress::spinner(what);
                // Nothing is sent: this waits for the end of the work.
                let _ = ended.recv();
            }
        };
        // Without this thread nothing is shown.
        let _ = thread::Builder::new().name("progress".to_owned()).spawn_scoped(scope, show);
        let done = work();
        drop(working);
        done
    })
}

fn is_shown() -> bool {
    io::stderr().is_terminal() && !terminal::is_dumb()
}

fn begin(template: &str) -> ProgressBar {
    if !is_shown() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::with_draw_target(Some(0), ProgressDrawTarget::stderr()).with_style(style)
}
