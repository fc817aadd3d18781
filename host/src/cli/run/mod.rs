//! `wardroom run` and `wardroom eval`: a run from its first call to its result.
//!
//! Owns: the conversation: what a call asks is answered, each answer is handed over as it comes, until the run is over.
//! Never: keeps a run to itself: a question without an answer waits for whoever goes on with the run.

mod answers;
mod conversation;
mod eval_result;
mod model_command;
mod question;
mod view;

use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

pub(super) use self::answers::{Answerer, WrittenAnswer};
pub(super) use self::conversation::{Conversation, Interruption};
pub(super) use self::view::RunView;
use super::call;
use super::given::{Given, given_twice, read_argument_file, read_task};
use super::run_args::{AnswerArgs, EvalArgs, RunArgs};
use crate::assemble;
use crate::assemble::settings::{Settings, shell_quote};
use crate::report::{self, CommandError};
use wardroom_alc::RunStore;
use wardroom_base::payload::Payload;

pub(super) fn run(settings: &Settings, args: &RunArgs) -> Result<(), CommandError> {
    let file = args.strategy.as_deref().filter(|strategy| is_file(strategy));
    // A person who lost the terminal gets the answer all the same.
    if let Some(answer) = args.session.as_deref().and_then(|session| kept_answer(settings, session)) {
        return print_answer(settings, &answer, args.answers.json, None, print_result);
    }
    let conversation = begin(settings, &args.answers, |_| RunView::begin(args.name()).of_file(file))?;
    let answer = match &args.session {
        Some(session) => conversation.go_on(session)?,
        None => {
            let (tool, arguments) = first_call(settings, args)?;
            conversation.hold(tool, arguments)?
        }
    };
    print_answer(settings, &answer, args.answers.json, file, print_result)
}

pub(super) fn eval(settings: &Settings, args: &EvalArgs) -> Result<(), CommandError> {
    let mut arguments = json!({"strategy": args.strategy, "auto_card": !args.no_card});
    if is_file(&args.scenario) {
        set(&mut arguments, "scenario", read_argument_file(Path::new(&args.scenario))?);
    } else {
        set(&mut arguments, "scenario_name", args.scenario.clone());
    }
    let fields = Given::parse(&args.given)?.into_fields("the tasks are those of the scenario")?;
    if !fields.is_empty() {
        set(&mut arguments, "strategy_opts", fields);
    }
    let name = format!("{} on {}", args.strategy, args.scenario);
    // A bar would stand in the way of a person's answers.
    let conversation = begin(settings, &args.answers, |answerer| match answerer {
        Answerer::Person(_) => RunView::begin(&name),
        Answerer::Command(_) | Answerer::File(_) | Answerer::None => RunView::begin_eval(&name),
    })?;
    let answer = conversation.hold("alc_eval", arguments)?;
    print_answer(settings, &answer, args.answers.json, None, eval_result::print)
}

/// Returns the answer of a run that is over, while its journal is kept.
fn kept_answer(settings: &Settings, session: &str) -> Option<Value> {
    let store = RunStore::new(assemble::open_app_dir(settings).ok()?);
    store.kept_answer(session).map(Payload::into_value)
}

/// Begins the conversation with a run that a person watches.
fn begin<'s>(
    settings: &'s Settings,
    args: &AnswerArgs,
    view: impl FnOnce(&Answerer) -> RunView,
) -> Result<Conversation<'s>, CommandError> {
    let answerer = Answerer::new(args)?;
    let interruption = Interruption::watch(settings)?;
    let (catalogue, info) = call::serving_catalogue(settings)?;
    let view = Arc::new(view(&answerer));
    Ok(Conversation::new(settings, catalogue, info, answerer, view, interruption).with_json(args.json))
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
fn first_call(settings: &Settings, args: &RunArgs) -> Result<(&'static str, Value), CommandError> {
    let strategy = args.strategy.as_deref().unwrap_or_default();
    #[expect(clippy::disallowed_methods, reason = "a path that the person named")]
    let is_folder = (strategy.contains('/') || matches!(strategy, "." | "..")) && Path::new(strategy).is_dir();
    if is_folder {
        let (command, folder) = (settings.command_line(), shell_quote(Path::new(strategy)));
        let hint = format!("run {command} pkg install {folder} first, and then the package by its name");
        return Err(CommandError::new(format!("{strategy} is a folder"), hint));
    }
    let Given { task, mut fields } = Given::parse(&args.given)?;
    let task = task.map(read_task).transpose()?;
    if task.is_some() && fields.contains_key("task") {
        return Err(given_twice("task"));
    }
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

/// Names the file of a script where a message names its place in `code`, as the script is called in a run.
fn with_file_name(text: &str, file: Option<&str>) -> String {
    let Some(file) = file else { return text.to_owned() };
    let is_place = |rest: &str| rest.starts_with(|c: char| c.is_ascii_digit());
    let line = |line: &str| match line.split_once("code:") {
        Some((before, rest)) if before.trim().is_empty() && is_place(rest) => format!("{before}{file}:{rest}"),
        _ => line.to_owned(),
    };
    text.lines().map(line).collect::<Vec<_>>().join("\n")
}

/// Prints the whole answer of a run, or what `print` shows of it to a person.
fn print_answer(
    settings: &Settings,
    answer: &Value,
    as_json: bool,
    file: Option<&str>,
    print: fn(&Value) -> Result<(), CommandError>,
) -> Result<(), CommandError> {
    if as_json {
        report::print_json(answer)?;
    }
    match answer.get("error") {
        Some(error) => {
            let message = error.as_str().map_or_else(|| error.to_string(), str::to_owned);
            let message = with_file_name(&message, file);
            let hint = match message.split_once(" (alc_pkg_list lists the packages)") {
                Some(_) => format!("run {} pkg list to see the packages", settings.command_line()),
                None => "correct what the message names, in the script or the command, and run it again".to_owned(),
            };
            Err(CommandError::new(message.replace(" (alc_pkg_list lists the packages)", ""), hint))
        }
        None => {
            if !as_json {
                print(answer)?;
            }
            eval_result::check_graded(answer)
        }
    }
}

/// Prints the result of a run, also of an eval that was begun elsewhere.
fn print_result(answer: &Value) -> Result<(), CommandError> {
    if answer.get("eval_id").is_some() {
        return eval_result::print(answer);
    }
    match result_of(answer) {
        Some(Value::String(text)) => report::print_line(text),
        result => report::print_json_document(&json!(result)),
    }
}

/// Returns the result of a run: of a strategy, `ctx.result` of what it returned.
pub(super) fn result_of(answer: &Value) -> Option<&Value> {
    let returned = answer.get("result")?;
    Some(returned.get("result").unwrap_or(returned))
}
