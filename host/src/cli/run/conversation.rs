//! The conversation with a run: what a call asks is answered, and each answer is handed over as it comes.
//!
//! Owns: which questions are open, and how an interruption ends a call.
//! Never: prints anything but through its view.

use std::collections::{HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::answers::{Answerer, NoAnswer};
use super::question::{Question, RunStep};
use super::view::RunView;
use crate::assemble::settings::Settings;
use crate::cli::hints::{RequestSubject, to_command_error};
use crate::report::{self, CommandError};
use wardroom_alc::error_code as code;
use wardroom_base::payload::Payload;
use wardroom_service::{Catalogue, RequestInfo, ServiceError};

/// How often a run is looked at for an interruption.
const STEP: Duration = Duration::from_millis(50);

/// Whether the person has interrupted the command.
#[derive(Debug, Clone, Default)]
pub(in crate::cli) struct Interruption(Arc<AtomicBool>);

impl Interruption {
    /// Notices the signals of this process.
    pub(in crate::cli) fn watch(settings: &Settings) -> Result<Self, CommandError> {
        let interruption = Self::default();
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            signal_hook::flag::register(signal, Arc::clone(&interruption.0)).map_err(|error| {
                CommandError::with_cause("cannot notice an interruption", error, settings.doctor_hint())
            })?;
        }
        Ok(interruption)
    }

    pub(in crate::cli) fn is_here(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// A run, and who answers it.
pub(in crate::cli) struct Conversation<'s> {
    settings: &'s Settings,
    catalogue: Arc<Catalogue>,
    info: RequestInfo,
    answerer: Answerer,
    view: Arc<RunView>,
    interruption: Interruption,
    prints_json: bool,
}

/// Sets a flag when it is dropped.
struct SetOnDrop<'f>(&'f AtomicBool);

impl Drop for SetOnDrop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl<'s> Conversation<'s> {
    pub(in crate::cli) fn new(
        settings: &'s Settings,
        catalogue: Arc<Catalogue>,
        info: RequestInfo,
        answerer: Answerer,
        view: Arc<RunView>,
        interruption: Interruption,
    ) -> Self {
        let info = RequestInfo { client: Some(Arc::clone(&view) as Arc<_>), ..info };
        Self { settings, catalogue, info, answerer, view, interruption, prints_json: false }
    }

    /// Prints JSON for a program where the run is left waiting, as the answer of a run that is over.
    pub(in crate::cli) fn with_json(self, prints_json: bool) -> Self {
        Self { prints_json, ..self }
    }

    /// Starts a run, and answers it to its end.
    pub(in crate::cli) fn hold(&self, tool: &str, arguments: Value) -> Result<Value, CommandError> {
        let answer = self.call(tool, arguments, None)?;
        self.answer_all(answer, None)
    }

    /// Answers what a run waits for, to its end.
    pub(super) fn go_on(&self, session: &str) -> Result<Value, CommandError> {
        self.answer_all(json!({"status": "accepted"}), Some(session.to_owned()))
    }

    /// Answers questions until the run is over, and returns its last answer.
    fn answer_all(&self, first: Value, session: Option<String>) -> Result<Value, CommandError> {
        let (sender, receiver) = mpsc::channel();
        let (mut answer, mut session) = (first, session.unwrap_or_default());
        let (mut asked, mut open): (HashSet<String>, VecDeque<Question>) = (HashSet::new(), VecDeque::new());
        let (mut n_in_work, mut is_stopped) = (0, false);
        let is_over = AtomicBool::new(false);
        thread::scope(|scope| {
            // The answers that are missing are not needed, however the run ends.
            let _over = SetOnDrop(&is_over);
            loop {
                match RunStep::from_answer(&answer) {
                    RunStep::Over => {
                        self.view.end(if answer.get("error").is_some() { "failed" } else { "done" });
                        return Ok(answer);
                    }
                    RunStep::Asks { session: id, questions } => {
                        session = id;
                        self.add(&mut asked, &mut open, questions);
                    }
                    // A branch may have asked something else meanwhile.
                    RunStep::Accepted if open.is_empty() && n_in_work == 0 && !is_stopped => {
                        let RunStep::Asks { questions, .. } = self.pending(&session)? else { continue };
                        self.add(&mut asked, &mut open, questions);
                    }
                    RunStep::Accepted => {}
                }
                is_stopped |= self.interruption.is_here();
                while n_in_work < self.answerer.at_once() && !is_stopped {
                    let Some(question) = open.pop_front() else { break };
                    n_in_work += 1;
                    let (sender, session, is_over) = (sender.clone(), session.clone(), &is_over);
                    scope.spawn(move || {
                        let begun = Instant::now();
                        let is_stopped = || self.interruption.is_here() || is_over.load(Ordering::Relaxed);
                        let given = self.answerer.answer(&session, &question, &is_stopped);
                        // The receiver lives as long as this scope.
                        drop(sender.send((question, given, begun.elapsed())));
                    });
                }
                if n_in_work == 0 {
                    self.view.end("waits");
                    return Err(self.leave_waiting(&session));
                }
                answer = json!({"status": "accepted"});
                let Ok((question, given, took)) = receiver.recv_timeout(STEP) else { continue };
                n_in_work -= 1;
                match given {
                    Ok(text) => {
                        self.view.show_answer(&question.id, &text, took);
                        let reply = json!({"session_id": session, "query_id": question.id, "response": text});
                        answer = self.call("alc_continue", reply, Some(&session))?;
                    }
                    Err(NoAnswer::Because(why)) => self.view.show_missing(&question, &why),
                    Err(NoAnswer::Stopped) => is_stopped = true,
                }
            }
        })
    }

    /// Adds the questions that were not asked yet.
    fn add(&self, asked: &mut HashSet<String>, open: &mut VecDeque<Question>, questions: Vec<Question>) {
        let new: Vec<Question> = questions.into_iter().filter(|question| asked.insert(question.id.clone())).collect();
        self.view.show_questions(&new.iter().collect::<Vec<_>>());
        open.extend(new);
    }

    fn pending(&self, session: &str) -> Result<RunStep, CommandError> {
        let arguments = json!({"session_id": session, "pending_filter": "full"});
        self.call("alc_status", arguments, Some(session)).map(|status| RunStep::from_status(&status, session))
    }

    /// Calls a tool, which an interruption ends.
    fn call(&self, tool: &str, arguments: Value, session: Option<&str>) -> Result<Value, CommandError> {
        let info = RequestInfo { cancellation: self.info.cancellation.child_token(), ..self.info.clone() };
        let (is_over, cancellation) = (AtomicBool::new(false), &info.cancellation);
        let answered = thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    if self.interruption.is_here() {
                        return cancellation.cancel();
                    }
                    thread::park_timeout(STEP);
                }
            });
            let answered = self.catalogue.call_blocking(tool, Payload::from_value(arguments), &info);
            is_over.store(true, Ordering::Relaxed);
            // It would sleep to the end of its step, and the answer wait for it.
            watcher.thread().unpark();
            answered
        });
        match answered {
            Ok(output) => Ok(output.value.into_value()),
            Err(_) if self.interruption.is_here() => {
                self.view.end("stopped");
                Err(match session {
                    Some(session) => self.leave_waiting(session),
                    None => CommandError::new("the run was stopped before it asked anything", "start it again"),
                })
            }
            Err(error) => Err(match (&error, session) {
                // The run waits as before, or another process has answered it.
                (
                    ServiceError::Tool {
                        code: code::ALREADY_ANSWERED | code::BUSY | code::DISK_FULL | code::OUT_OF_MEMORY | code::STORE,
                        ..
                    },
                    Some(session),
                ) => CommandError::new(error.to_string(), self.go_on_hint(session)),
                _ => to_command_error(error, self.settings, RequestSubject::Run),
            }),
        }
    }

    /// Says that the run waits, and how to go on.
    fn leave_waiting(&self, session: &str) -> CommandError {
        let state = json!({"status": "needs_response", "session_id": session});
        if self.prints_json
            && let Err(failure) = report::print_json(&state)
        {
            return failure;
        }
        CommandError::new(format!("the run {session} waits for answers"), self.go_on_hint(session))
    }

    fn go_on_hint(&self, session: &str) -> String {
        format!("go on: {} run --continue {session}", self.settings.command_line())
    }
}
