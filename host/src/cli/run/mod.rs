//! `wardroom run` and `wardroom eval`: a run from its first call to its result.
//!
//! Owns: the conversation: what a call asks is answered, each answer is handed over as it comes, until the run is over.
//! Never: keeps a run to itself: a question without an answer waits for whoever goes on with the run.

mod answers;
mod model_command;
mod question;
mod view;

use std::collections::{HashSet, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

use self::answers::{Answerer, NoAnswer, read_argument_file};
use self::question::{Question, RunState};
use self::view::RunView;
use super::call;
use super::hints::{RequestSubject, to_command_error};
use super::run_args::{AnswerArgs, EvalArgs, RunArgs};
use crate::assemble::settings::Settings;
use crate::report::{self, CommandError};
use wardroom_base::payload::Payload;
use wardroom_service::{Catalogue, RequestInfo};

/// How often a run is looked at for an interruption.
const STEP: Duration = Duration::from_millis(50);

pub(super) fn run(settings: &Settings, args: &RunArgs) -> Result<(), CommandError> {
    let conversation = Conversation::begin(settings, &args.answers, args.name())?;
    let answer = match &args.session {
        Some(session) => conversation.go_on(session)?,
        None => {
            let (tool, arguments) = first_call(args)?;
            conversation.hold(tool, arguments)?
        }
    };
    print_result(&answer, args.answers.json)
}

pub(super) fn eval(settings: &Settings, args: &EvalArgs) -> Result<(), CommandError> {
    let mut arguments = json!({"strategy": args.strategy, "auto_card": !args.no_card});
    if is_file(&args.scenario) {
        set(&mut arguments, "scenario", read_argument_file(Path::new(&args.scenario))?);
    } else {
        set(&mut arguments, "scenario_name", args.scenario.clone());
    }
    let (task, fields) = parse_given(&args.given)?;
    if let Some(task) = task {
        let what = format!("'{}' is no field: the tasks are those of the scenario", report::escape_name(&task));
        return Err(CommandError::new(what, "write NAME=VALUE"));
    }
    if !fields.is_empty() {
        set(&mut arguments, "strategy_opts", fields);
    }
    let name = format!("{} on {}", args.strategy, args.scenario);
    let answer = Conversation::begin(settings, &args.answers, &name)?.hold("alc_eval", arguments)?;
    if args.answers.json {
        return print_result(&answer, true);
    }
    print_eval(&answer)
}

impl RunArgs {
    fn name(&self) -> &str {
        self.session.as_deref().or(self.strategy.as_deref()).unwrap_or_default()
    }
}

/// A strategy or a scenario whose name is that of a file.
fn is_file(name: &str) -> bool {
    Path::new(name).extension().is_some_and(|extension| extension == "lua")
}

/// Returns the tool that starts a run, and its arguments.
fn first_call(args: &RunArgs) -> Result<(&'static str, Value), CommandError> {
    let strategy = args.strategy.as_deref().unwrap_or_default();
    let (task, mut fields) = parse_given(&args.given)?;
    if is_file(strategy) {
        fields.extend(task.map(|task| ("task".to_owned(), task.into())));
        return Ok(("alc_run", json!({"code": read_argument_file(Path::new(strategy))?, "ctx": fields})));
    }
    let mut arguments = json!({"strategy": strategy});
    if let Some(task) = task {
        set(&mut arguments, "task", task);
    }
    if !fields.is_empty() {
        set(&mut arguments, "opts", fields);
    }
    Ok(("alc_advice", arguments))
}

fn set(arguments: &mut Value, name: &str, value: impl Into<Value>) {
    if let Some(fields) = arguments.as_object_mut() {
        fields.insert(name.to_owned(), value.into());
    }
}

/// Splits arguments into a task and fields.
fn parse_given(given: &[String]) -> Result<(Option<String>, Map<String, Value>), CommandError> {
    let (mut task, mut fields) = (None, Map::new());
    for argument in given {
        match argument.split_once('=').filter(|(name, _)| is_field_name(name)) {
            Some((name, value)) => drop(fields.insert(name.to_owned(), parse_value(value)?)),
            None if task.is_none() => task = Some(argument.clone()),
            None => {
                let what = format!("'{}' is a second task", report::escape_name(argument));
                return Err(CommandError::new(what, "write a task in quotes, and fields as NAME=VALUE"));
            }
        }
    }
    Ok((task, fields))
}

fn is_field_name(name: &str) -> bool {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_start) && name.chars().all(|c| is_start(c) || c.is_ascii_digit())
}

/// Reads the value of a field: JSON, the text of a file, or a text.
fn parse_value(text: &str) -> Result<Value, CommandError> {
    match text.strip_prefix('@') {
        Some(path) => read_argument_file(Path::new(path)).map(Value::from),
        None => Ok(serde_json::from_str(text).unwrap_or_else(|_| text.into())),
    }
}

/// A run, and who answers it.
struct Conversation<'s> {
    settings: &'s Settings,
    catalogue: Arc<Catalogue>,
    info: RequestInfo,
    answerer: Answerer,
    view: Arc<RunView>,
    is_interrupted: Arc<AtomicBool>,
}

impl<'s> Conversation<'s> {
    fn begin(settings: &'s Settings, args: &AnswerArgs, name: &str) -> Result<Self, CommandError> {
        let answerer = Answerer::new(args)?;
        let is_interrupted = Arc::new(AtomicBool::new(false));
        for signal in [signal_hook::consts::SIGINT, signal_hook::consts::SIGTERM] {
            signal_hook::flag::register(signal, Arc::clone(&is_interrupted)).map_err(|error| {
                CommandError::with_cause("cannot notice an interruption", error, settings.doctor_hint())
            })?;
        }
        let (catalogue, info) = call::serving_catalogue(settings)?;
        let view = Arc::new(RunView::begin(name));
        let info = RequestInfo { client: Some(Arc::clone(&view) as Arc<_>), ..info };
        Ok(Self { settings, catalogue, info, answerer, view, is_interrupted })
    }

    /// Starts a run, and answers it to its end.
    fn hold(&self, tool: &str, arguments: Value) -> Result<Value, CommandError> {
        let answer = self.call(tool, arguments, None)?;
        self.answer_all(answer, None)
    }

    /// Answers what a run waits for, to its end.
    fn go_on(&self, session: &str) -> Result<Value, CommandError> {
        self.answer_all(json!({"status": "accepted"}), Some(session.to_owned()))
    }

    /// Answers questions until the run is over, and returns its last answer.
    fn answer_all(&self, first: Value, session: Option<String>) -> Result<Value, CommandError> {
        let (sender, receiver) = mpsc::channel();
        let (mut answer, mut session) = (first, session.unwrap_or_default());
        let (mut asked, mut open): (HashSet<String>, VecDeque<Question>) = (HashSet::new(), VecDeque::new());
        let (mut n_in_work, mut is_stopped) = (0, false);
        thread::scope(|scope| {
            loop {
                match RunState::from_answer(&answer) {
                    RunState::Over => {
                        self.view.end(if answer.get("error").is_some() { "failed" } else { "done" });
                        return Ok(answer);
                    }
                    RunState::Asks { session: id, questions } => {
                        session = id;
                        self.add(&mut asked, &mut open, questions);
                    }
                    // A branch may have asked something else meanwhile.
                    RunState::Accepted if open.is_empty() && n_in_work == 0 && !is_stopped => {
                        let RunState::Asks { questions, .. } = self.pending(&session)? else { continue };
                        self.add(&mut asked, &mut open, questions);
                    }
                    RunState::Accepted => {}
                }
                is_stopped |= self.is_interrupted.load(Ordering::Relaxed);
                while n_in_work < self.answerer.at_once() && !is_stopped {
                    let Some(question) = open.pop_front() else { break };
                    n_in_work += 1;
                    let (sender, session) = (sender.clone(), session.clone());
                    scope.spawn(move || {
                        let begun = Instant::now();
                        let given = self.answerer.answer(&session, &question);
                        // The receiver lives as long as this scope.
                        drop(sender.send((question.id, given, begun.elapsed())));
                    });
                }
                if n_in_work == 0 {
                    self.view.end("waits");
                    return Err(self.waits_error(&session));
                }
                answer = json!({"status": "accepted"});
                let Ok((id, given, took)) = receiver.recv_timeout(STEP) else { continue };
                n_in_work -= 1;
                match given {
                    Ok(text) => {
                        self.view.show_answer(&id, &text, took);
                        let reply = json!({"session_id": session, "query_id": id, "response": text});
                        answer = self.call("alc_continue", reply, Some(&session))?;
                    }
                    Err(NoAnswer::Because(why)) => self.view.show_missing(&id, &why),
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

    fn pending(&self, session: &str) -> Result<RunState, CommandError> {
        let arguments = json!({"session_id": session, "pending_filter": "full"});
        self.call("alc_status", arguments, Some(session)).map(|status| RunState::from_status(&status, session))
    }

    /// Calls a tool, which an interruption ends.
    fn call(&self, tool: &str, arguments: Value, session: Option<&str>) -> Result<Value, CommandError> {
        let info = RequestInfo { cancellation: self.info.cancellation.child_token(), ..self.info.clone() };
        let (is_over, cancellation) = (AtomicBool::new(false), &info.cancellation);
        let answered = thread::scope(|scope| {
            scope.spawn(|| {
                while !is_over.load(Ordering::Relaxed) {
                    if self.is_interrupted.load(Ordering::Relaxed) {
                        return cancellation.cancel();
                    }
                    thread::park_timeout(STEP);
                }
            });
            let answered = self.catalogue.call_blocking(tool, Payload::from_value(arguments), &info);
            is_over.store(true, Ordering::Relaxed);
            answered
        });
        match answered {
            Ok(output) => Ok(output.value.into_value()),
            Err(_) if self.is_interrupted.load(Ordering::Relaxed) => {
                self.view.end("stopped");
                Err(match session {
                    Some(session) => self.waits_error(session),
                    None => CommandError::new("the run was stopped before it asked anything", "start it again"),
                })
            }
            Err(error) => Err(to_command_error(error, self.settings, RequestSubject::Tool)),
        }
    }

    fn waits_error(&self, session: &str) -> CommandError {
        let hint = format!("go on: {} run --continue {session}", self.settings.command_line());
        CommandError::new(format!("the run {session} waits for answers"), hint)
    }
}

/// Prints the result of a run, or its whole answer.
fn print_result(answer: &Value, as_json: bool) -> Result<(), CommandError> {
    if as_json {
        report::print_line(&answer.to_string())?;
    }
    if let Some(error) = answer.get("error") {
        let message = error.as_str().map_or_else(|| error.to_string(), str::to_owned);
        return Err(CommandError::new(message, "the message names the line: change the script, and run it again"));
    }
    match answer.get("result") {
        _ if as_json => Ok(()),
        Some(Value::String(text)) => report::print_line(text),
        result => report::print_line(&serde_json::to_string_pretty(&result).unwrap_or_default()),
    }
}

/// Prints the cases that failed, the tags, and the whole.
fn print_eval(answer: &Value) -> Result<(), CommandError> {
    if answer.get("error").is_some() {
        return print_result(answer, false);
    }
    let at = |path: &str| answer.pointer(path);
    let text = |path: &str| at(path).and_then(Value::as_str).map(report::escape_name);
    for failure in at("/result/failures").and_then(Value::as_array).into_iter().flatten() {
        let field = |path: &str| failure.pointer(path).map(plain).unwrap_or_default();
        report::print_line(&format!("failed  {}", field("/case/name")))?;
        let lines = [("asked", "/case/input"), ("expected", "/case/expected"), ("answered", "/response/text")];
        for (name, path) in lines {
            report::print_line(&format!("        {name:<8}  {}", field(path)))?;
        }
    }
    if let Some(summary) = text("/result/summary").or_else(|| at("/result/aggregated").map(Value::to_string)) {
        report::print_line(&summary)?;
    }
    for (name, path) in [("eval", "/eval_id"), ("card", "/result/card_id")] {
        if let Some(id) = text(path) {
            report::print_line(&format!("{name}  {id}"))?;
        }
    }
    Ok(())
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => report::escape_name(text),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(" or "),
        other => other.to_string(),
    }
}
