//! The log, on standard error or in a file, never on standard output.
//!
//! Owns: the thread that writes it, from the first line on. Other threads only queue lines: a standard error that is not read, or closed, costs
//! log lines and nothing else.
//! Never: makes the protocol, or the exit of the process, wait for a reader of the log.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tracing::{Level, Metadata};
use tracing_subscriber::filter::{FilterExt as _, filter_fn};
use tracing_subscriber::layer::{Layer as _, SubscriberExt as _};
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, fmt, registry};

use super::args::{GlobalArgs, LogFormat};
use crate::assemble::settings::env_variable;
use crate::report::CommandError;
use wardroom_appdir::ambient;
use wardroom_base::CONTENT_TARGET;
use wardroom_base::background_thread::BackgroundThread;

/// Lines in the writer's queue; further lines are dropped.
const MAX_QUEUED_LINES: usize = 4096;
/// Time that the exit of the process waits for queued lines.
const FLUSH_TIMEOUT: Duration = Duration::from_millis(100);

/// Opens the log. Lines are queued until [`LogHandle::allow_writer`]; dropping the handle flushes and closes the log.
pub(super) fn open_log(global: &GlobalArgs) -> Result<LogHandle, CommandError> {
    let asked = env_variable(EnvFilter::DEFAULT_ENV).map(|asked| asked.to_string_lossy().into_owned());
    let parsed = asked.as_ref().map(EnvFilter::try_new).transpose();
    let asked = asked.unwrap_or_default();
    let (filter, misread) = match parsed {
        Ok(filter) => (filter, None),
        Err(error) => (None, Some(error)),
    };
    let filter = filter.unwrap_or_else(|| EnvFilter::new("warn")).and(filter_fn(hides_no_content(&asked)));
    let log = match &global.log_file {
        Some(path) => {
            let file = ambient::open_append(path);
            LogHandle::new(file.map_err(|error| {
                let hint = "name another file with --log-file FILE; its folder must exist";
                CommandError::with_cause(format!("cannot open the log {}", path.display()), error, hint)
            })?)
        }
        None => LogHandle::new(io::stderr()),
    };
    let (queue, format) = (Arc::clone(&log.0), global.log_format);
    let layer = fmt::layer()
        .with_writer(move || LogLineSender { queue: Arc::clone(&queue), format })
        .with_ansi(false)
        // An error of the log would be printed on standard error, which may be the broken one.
        .log_internal_errors(false);
    let started = match global.log_format {
        LogFormat::Text => registry().with(layer.with_filter(filter)).try_init(),
        LogFormat::Json => registry().with(layer.json().with_filter(filter)).try_init(),
    };
    let failed =
        |error| CommandError::new(format!("cannot start the log: {error}"), "start wardroom in a process of its own");
    started.map_err(failed)?;
    if let Some(error) = misread {
        // RUST_LOG is shared with other programs, and none of them fails for it.
        tracing::warn!(%error, "RUST_LOG is invalid and ignored");
    }
    Ok(log)
}

/// Keeps code, prompts and arguments out of the log, whatever the level and the spans that the filter asks for: what may
/// contain them is on only if the filter names its target.
fn hides_no_content(asked: &str) -> impl Fn(&Metadata) -> bool + use<> {
    let content = [CONTENT_TARGET, "rmcp"];
    let targets = asked.split(',').filter_map(|part| part.trim().split(['=', '[']).next());
    let named = targets.filter(|target| content.iter().any(|content| target.starts_with(content)));
    let named: Vec<String> = named.map(str::to_owned).collect();
    move |metadata| {
        let target = metadata.target();
        let may_contain = target.starts_with(CONTENT_TARGET)
            || target.starts_with("rmcp") && (metadata.is_span() || *metadata.level() > Level::ERROR);
        !may_contain || named.iter().any(|named| target.starts_with(named.as_str()))
    }
}

/// The log. Dropping it flushes and closes it.
pub(super) struct LogHandle(Arc<LogQueue>);

/// Lines that wait, and the thread that writes them, which most servers never need.
struct LogQueue {
    state: Mutex<QueueState>,
    changed: Condvar,
    thread: BackgroundThread,
    /// The writer thread holds it.
    writer: Mutex<Box<dyn Write + Send>>,
}

#[derive(Default)]
struct QueueState {
    lines: VecDeque<Vec<u8>>,
    has_logged: bool,
    may_start_thread: bool,
    is_closed: bool,
    is_flushed: bool,
}

impl LogHandle {
    fn new(writer: impl Write + Send + 'static) -> Self {
        Self(Arc::new(LogQueue {
            state: Mutex::default(),
            changed: Condvar::new(),
            thread: BackgroundThread::default(),
            writer: Mutex::new(Box::new(writer)),
        }))
    }

    /// Allows the writer thread: it starts now if lines wait, or with the first one.
    pub(super) fn allow_writer(&self) {
        let mut state = self.0.lock();
        state.may_start_thread = true;
        if state.has_logged {
            drop(state);
            self.0.start_thread();
        }
    }
}

impl Drop for LogHandle {
    fn drop(&mut self) {
        let mut state = self.0.lock();
        if !state.has_logged {
            return;
        }
        state.is_closed = true;
        drop(state);
        self.0.changed.notify_all();
        self.0.start_thread();
        drop(self.0.changed.wait_timeout_while(self.0.lock(), FLUSH_TIMEOUT, |state| !state.is_flushed));
    }
}

impl LogQueue {
    fn lock(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(self: &Arc<Self>, line: Vec<u8>) {
        let mut state = self.lock();
        if state.lines.len() < MAX_QUEUED_LINES {
            state.lines.push_back(line);
        }
        state.has_logged = true;
        let may_start_thread = state.may_start_thread;
        drop(state);
        self.changed.notify_all();
        if may_start_thread {
            self.start_thread();
        }
    }

    /// Starts the writer thread unless it was started. Without a thread, lines wait for the next one that is logged.
    fn start_thread(self: &Arc<Self>) {
        let queue = Arc::clone(self);
        let _ = self.thread.start("log", move || queue.write_lines());
    }

    fn write_lines(&self) {
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        while let Some(line) = self.next_line() {
            // A line that cannot be written is lost.
            let _ = writer.write_all(&line);
        }
        let _ = writer.flush();
        self.lock().is_flushed = true;
        self.changed.notify_all();
    }

    /// Waits for a line; `None` when the log is closed and nothing waits.
    fn next_line(&self) -> Option<Vec<u8>> {
        let waits = |state: &mut QueueState| state.lines.is_empty() && !state.is_closed;
        let state = self.changed.wait_while(self.lock(), waits);
        state.unwrap_or_else(PoisonError::into_inner).lines.pop_front()
    }
}

/// Queues lines; each arrives in one piece.
struct LogLineSender {
    queue: Arc<LogQueue>,
    format: LogFormat,
}

impl Write for LogLineSender {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        self.queue.push(one_line(line, self.format));
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Escapes control characters before the end of a line: a name in an error could begin a line that the server did not log, or change
/// the terminal of its reader. In JSON they are within strings, and those of ASCII are escaped already.
fn one_line(line: &[u8], format: LogFormat) -> Vec<u8> {
    let text = String::from_utf8_lossy(line);
    let (text, end) = text.strip_suffix('\n').map_or((&*text, ""), |text| (text, "\n"));
    let is_obeyed = |c: char| c != '\t' && (c.is_control() || matches!(c, '\u{2028}' | '\u{2029}'));
    if !text.contains(is_obeyed) {
        return line.to_vec();
    }
    let mut shown = String::with_capacity(line.len());
    for c in text.chars() {
        match format {
            _ if !is_obeyed(c) => shown.push(c),
            LogFormat::Text => shown.extend(c.escape_default()),
            LogFormat::Json => shown.push_str(&format!("\\u{:04x}", u32::from(c))),
        }
    }
    (shown + end).into_bytes()
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};

    use super::*;

    /// Sends what is written.
    struct Sending(Sender<Vec<u8>>);

    impl Write for Sending {
        fn write(&mut self, line: &[u8]) -> io::Result<usize> {
            let _ = self.0.send(line.to_vec());
            Ok(line.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn lines_wait_until_the_writer_is_allowed() {
        let (sender, written) = channel();
        let log = LogHandle::new(Sending(sender));
        log.0.push(b"1".to_vec());
        assert!(written.recv_timeout(Duration::from_millis(20)).is_err());
        log.allow_writer();
        assert_eq!(written.recv().unwrap(), b"1");
        log.0.push(b"2".to_vec());
        drop(log);
        assert_eq!(written.recv().unwrap(), b"2");
    }

    #[test]
    fn end_writes_lines_that_wait() {
        let (sender, written) = channel();
        let log = LogHandle::new(Sending(sender));
        log.0.push(b"1".to_vec());
        drop(log);
        assert_eq!(written.try_recv().unwrap(), b"1");
    }

    #[test]
    fn without_lines_there_is_no_thread() {
        let (sender, written) = channel();
        let log = LogHandle::new(Sending(sender));
        log.allow_writer();
        std::thread::sleep(Duration::from_millis(20));
        // The thread holds it as long as it runs.
        assert!(log.0.writer.try_lock().is_ok());
        log.0.push(b"1".to_vec());
        assert_eq!(written.recv().unwrap(), b"1");
        assert!(log.0.writer.try_lock().is_err());
    }

    #[test]
    fn event_is_one_line() {
        let forged = "2026 WARN cannot open a\n2026 ERROR forged\r\u{1b}[1m\u{9b}\tä\n";
        let shown = "2026 WARN cannot open a\\n2026 ERROR forged\\r\\u{1b}[1m\\u{9b}\tä\n";
        assert_eq!(one_line(forged.as_bytes(), LogFormat::Text), shown.as_bytes());
        assert_eq!(one_line(b"a", LogFormat::Text), b"a");
        assert_eq!(
            one_line("{\"a\":\"\u{9b}\u{2028}\"}\n".as_bytes(), LogFormat::Json),
            b"{\"a\":\"\\u009b\\u2028\"}\n"
        );
    }
}
