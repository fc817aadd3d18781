//! What a person sees of a run as it goes, on standard error: a tree of what the script reports and asks.
//!
//! Never: writes to standard output, which the result has.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::question::Question;
use crate::report::{self, Progress};
use wardroom_base::payload::Payload;
use wardroom_service::{Client, ClientCapability, ClientResponses, InputMode, InputRequest, LogLevel};

/// Characters of a text that one line shows.
const MAX_SHOWN_CHARS: usize = 100;

pub(in crate::cli) struct RunView {
    started: Instant,
    is_quiet: bool,
    /// The file of the script, if that is no package.
    file: Option<String>,
    times: Mutex<RunTimes>,
    /// The first question without an answer.
    unanswered: Mutex<Option<String>>,
    /// How many cases of an eval are done.
    cases: Option<Progress>,
}

/// How the message of progress begins with which a suite tells that a case begins.
const CASE_MESSAGE: &str = "case ";

/// What happened, for the last line.
#[derive(Default)]
struct RunTimes {
    n_answered: usize,
    /// How long questions were open, each counted on its own.
    answering: Duration,
    /// Errors that were logged, also of forks whose strategy went on without them.
    n_errors: usize,
}

impl RunView {
    pub(super) fn begin(name: &str) -> Self {
        report::print_note(&report::escape_name(name));
        Self {
            started: Instant::now(),
            is_quiet: false,
            file: None,
            times: Mutex::default(),
            unanswered: Mutex::default(),
            cases: None,
        }
    }

    /// The same of a run of a file.
    pub(super) fn of_file(self, file: Option<&str>) -> Self {
        Self { file: file.map(str::to_owned), ..self }
    }

    /// A view of an eval, with a bar of its cases.
    pub(super) fn begin_eval(name: &str) -> Self {
        Self { cases: Some(Progress::bar("cases")), ..Self::begin(name) }
    }

    /// A view of nothing.
    pub(in crate::cli) fn quiet() -> Self {
        Self {
            started: Instant::now(),
            is_quiet: true,
            file: None,
            times: Mutex::default(),
            unanswered: Mutex::default(),
            cases: None,
        }
    }

    fn print(&self, line: &str) {
        match &self.cases {
            _ if self.is_quiet => {}
            Some(bar) => bar.suspend(|| report::print_note(line)),
            None => report::print_note(line),
        }
    }

    pub(super) fn show_questions(&self, questions: &[&Question]) {
        match questions {
            [] => {}
            [only] => self.branch(&describe(only)),
            several => {
                self.branch(&format!("asks {} at once", several.len()));
                several.iter().for_each(|question| self.print(&format!("│    {}", describe(question))));
            }
        }
    }

    pub(super) fn show_answer(&self, id: &str, text: &str, took: Duration) {
        let mut times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        (times.n_answered, times.answering) = (times.n_answered + 1, times.answering + took);
        drop(times);
        self.branch(&format!("{id} was answered in {}: {}", seconds(took), shorten(text)));
    }

    pub(super) fn show_missing(&self, question: &Question, why: &str) {
        self.unanswered.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_with(|| describe(question));
        self.branch(&format!("{} has no answer: {why}", question.id));
    }

    /// Returns the first question without an answer.
    pub(in crate::cli) fn unanswered(&self) -> Option<String> {
        self.unanswered.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn end(&self, how: &str) {
        // The result is printed where the bar would stay.
        if let Some(bar) = &self.cases {
            bar.end();
        }
        let times = self.times.lock().unwrap_or_else(PoisonError::into_inner);
        let answers = match times.n_answered {
            0 => String::new(),
            1 => format!(", one answer in {}", seconds(times.answering)),
            several => format!(", {several} answers in {} together", seconds(times.answering)),
        };
        let errors = match times.n_errors {
            0 => "",
            // Its own.
            1 if how == "failed" => "",
            1 => ", with an error (above)",
            _ => ", with errors (above)",
        };
        self.print(&format!("└ {how} after {}{answers}{errors}", seconds(self.started.elapsed())));
    }

    fn branch(&self, text: &str) {
        let mut lines = text.lines();
        let first = report::escape_log_line(lines.next().unwrap_or_default());
        self.print(&format!("├ {:>7}  {first}", seconds(self.started.elapsed())));
        // Those of a traceback.
        for line in lines {
            self.print(&format!("│          {}", report::escape_log_line(line)));
        }
    }
}

impl Client for RunView {
    fn notify_progress(&self, step: f64, total: Option<f64>, message: Option<&str>) {
        if let (Some(bar), Some(total), true) =
            (&self.cases, total, message.is_some_and(|message| message.starts_with(CASE_MESSAGE)))
        {
            // Numbers of cases are small and whole.
            bar.set(step as u64, total as u64);
        }
        let of = total.map(|total| format!(" of {total}")).unwrap_or_default();
        let message = message.map(|message| format!(": {}", shorten(message))).unwrap_or_default();
        self.branch(&format!("step {step}{of}{message}"));
    }

    fn log_message(&self, level: LogLevel, logger: Option<&str>, data: Payload) {
        let text = data.into_typed::<String>().unwrap_or_default();
        let level = match level {
            LogLevel::Debug | LogLevel::Info | LogLevel::Notice => "",
            LogLevel::Warning => "warning: ",
            LogLevel::Error | LogLevel::Critical | LogLevel::Alert | LogLevel::Emergency => {
                self.times.lock().unwrap_or_else(PoisonError::into_inner).n_errors += 1;
                "error: "
            }
        };
        // The source of a failure has the name of its level.
        let logger = logger.filter(|logger| *logger != "error");
        let logger = logger.map(|logger| format!("{logger}: ")).unwrap_or_default();
        let text = super::with_file_name(&text, self.file.as_deref());
        self.branch(&format!("{logger}{level}{text}"));
    }

    fn input_mode(&self, _feature: ClientCapability) -> InputMode {
        // The call ends with its questions, each of which can then be answered on its own.
        InputMode::Unsupported
    }

    fn request_input(&self, _asks: &[InputRequest]) -> Result<Vec<Payload>, String> {
        Err("a command cannot answer the server's questions".to_owned())
    }

    fn client_responses(&self) -> Option<&ClientResponses> {
        None
    }
}

fn describe(question: &Question) -> String {
    format!("{} asks: {}", question.id, shorten(&question.prompt))
}

/// Returns the beginning of a text, on one line.
fn shorten(text: &str) -> String {
    report::shorten(text, MAX_SHOWN_CHARS)
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}
