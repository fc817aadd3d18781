//! `wardroom test`: the tests beside strategies, scenarios and tools.
//!
//! Owns: the copy on which tests run: what a test stores is gone with it.
//! Never: asks a model or a person, or writes to the AppDir or to a folder that the operator grants.

mod found_files;
mod test_file;

use std::sync::Arc;

use serde_json::{Map, Value, json};
use tempfile::TempDir;

use self::found_files::{find_files, open_if_there};
use self::test_file::{TestFile, WrittenTest};
use super::args::GlobalArgs;
use super::call::{self, display_item};
use super::run::{Answerer, Conversation, Interruption, RunView, result_of};
use crate::assemble;
use crate::assemble::settings::{MissingConfig, Settings};
use crate::limits::{MAX_TEST_COPY_BYTES, MAX_TEST_COPY_ENTRIES};
use crate::report::{self, CommandError, TextRole};
use wardroom_appdir::{Access, Folder, OutsideLink, PublishMode, TreeBudget, ambient};
use wardroom_base::payload::Payload;
use wardroom_config::NetworkConfig;
use wardroom_net::limits::MAX_INSTALL_DEPTH;
use wardroom_ranking::closest_name;
use wardroom_service::{Catalogue, ContentMode, RequestInfo};

/// The end of the names of files with tests.
pub(super) const TEST_SUFFIX: &str = ".test.toml";
/// The folders of the AppDir that are copied.
const COPIED_FOLDERS: [&str; 3] = ["packages", "scenarios", assemble::REGISTRY_DIR];
/// The folders of what runs and handlers leave: each test begins without.
const LEFT_FOLDERS: [&str; 6] = ["cards", "evals", "logs", "runs", "state", "store"];

/// How a test ended, or why a file of tests cannot be read.
struct TestOutcome {
    /// With the line of the problem where the file cannot be read.
    file: String,
    name: Option<String>,
    failure: Option<String>,
}

pub(super) fn run(settings: &Settings, names: &[String], as_json: bool) -> Result<(), CommandError> {
    let app = assemble::open_app_dir(settings)?;
    let mut files = find_files(settings, &app)?;
    if let Some(unknown) = names.iter().find(|name| !files.iter().any(|file| file.name == **name)) {
        let meant = closest_name(unknown, files.iter().map(|file| file.name.as_str()));
        let meant = meant.map(|meant| format!("; did you mean {}?", report::escape_name(meant)));
        let what = format!("there is no test of {}{}", report::escape_name(unknown), meant.unwrap_or_default());
        return Err(CommandError::new(what, format!("write one in NAME{TEST_SUFFIX} beside it")));
    }
    files.retain(|file| names.is_empty() || names.contains(&file.name));
    let copy = AppDirCopy::make(settings, &app)?;
    let copied = copy.settings(settings)?;
    let (catalogue, info) = call::serving_catalogue(&copied)?;
    let tests = Tests { settings: &copied, catalogue, info, interruption: Interruption::watch(settings)? };
    let mut outcomes = Vec::new();
    for file in &files {
        let mut report = |file: String, name: Option<String>, failure: Option<String>| {
            let outcome = TestOutcome { file, name, failure };
            if !as_json {
                print_outcome(&outcome)?;
            }
            outcomes.push(outcome);
            Ok::<_, CommandError>(())
        };
        let parsed = match &file.text {
            Ok(text) => TestFile::parse(text),
            Err(why) => {
                report(file.path.clone(), None, Some(why.clone()))?;
                continue;
            }
        };
        match parsed {
            Ok(parsed) if parsed.test.is_empty() && !names.is_empty() => {
                report(file.path.clone(), None, Some("it has no [[test]]".to_owned()))?;
            }
            Ok(parsed) => {
                for test in &parsed.test {
                    copy.remove_what_is_left(settings)?;
                    report(file.path.clone(), Some(test.name.clone()), tests.run(test)?.err())?;
                }
            }
            // The tests of other files say something nevertheless.
            Err((line, why)) => {
                let why = format!("{why} (run wardroom help strategies to see the keys of a test)");
                report(format!("{}:{line}", file.path), None, Some(why))?;
            }
        }
    }
    print_summary(&outcomes, as_json)
}

fn print_outcome(outcome: &TestOutcome) -> Result<(), CommandError> {
    let mut what = report::escape_name(&outcome.file);
    if let Some(name) = &outcome.name {
        what.push_str(&format!(": {}", report::escape_name(name)));
    }
    match &outcome.failure {
        None => report::print_colored(&format!("ok      {what}"), Some(TextRole::Good)),
        Some(why) => {
            let line = format!("failed  {what}\n        {}", report::escape_name(why));
            report::print_colored(&line, Some(TextRole::Bad))
        }
    }
}

fn print_summary(outcomes: &[TestOutcome], as_json: bool) -> Result<(), CommandError> {
    if as_json {
        let row = |outcome: &TestOutcome| json!({"file": outcome.file, "name": outcome.name, "error": outcome.failure});
        report::print_json(&outcomes.iter().map(row).collect::<Value>())?;
    }
    let n_failed = outcomes.iter().filter(|outcome| outcome.failure.is_some()).count();
    if n_failed > 0 {
        let what = format!("{n_failed} of {} tests failed", outcomes.len());
        return Err(CommandError::new(what, "each line above says what came; wardroom run shows a run as it goes"));
    }
    if as_json {
        return Ok(());
    }
    report::print_line(&match outcomes.len() {
        0 => "there are no tests: wardroom new writes one beside what it makes".to_owned(),
        1 => "1 test passed".to_owned(),
        n => format!("{n} tests passed"),
    })
}

/// The folder of the registry: that of the settings, or the AppDir's.
pub(super) fn registry_folder(settings: &Settings) -> Result<Folder, CommandError> {
    let failed =
        |error| CommandError::with_cause("cannot open the registry", error, "name a folder with --registry DIR");
    match &settings.registry {
        Some(path) => assemble::open_granted(settings, path, Access::ReadWrite).map_err(failed),
        None => assemble::open_app_dir(settings)?.create_folder(assemble::REGISTRY_DIR).map_err(failed),
    }
}

/// A copy of what the AppDir has of packages, scenarios and declared tools. It is removed when it is dropped.
struct AppDirCopy(TempDir);

impl AppDirCopy {
    fn make(settings: &Settings, app: &Folder) -> Result<Self, CommandError> {
        const HINT: &str = "set TMPDIR to a folder with space";
        const FAILED: &str = "cannot copy the AppDir for the tests";
        let failed = |error| CommandError::with_cause(FAILED, error, HINT);
        let made = tempfile::Builder::new().prefix("wardroom-test-").tempdir();
        let made = Self(made.map_err(|error| CommandError::with_cause(FAILED, error, HINT))?);
        let copy = ambient::open_folder(made.0.path(), Access::ReadWrite).map_err(failed)?;
        let mut budget =
            TreeBudget { entries: MAX_TEST_COPY_ENTRIES, bytes: MAX_TEST_COPY_BYTES, max_depth: MAX_INSTALL_DEPTH };
        for folder in COPIED_FOLDERS {
            let Some(from) = open_if_there(app, folder).map_err(failed)? else { continue };
            let tree = copy.stage_tree(folder).map_err(failed)?;
            // A linked package is one of the mounts, which the copy has too.
            tree.copy_from(&from, &mut budget, OutsideLink::Skip, &|| false).map_err(|error| {
                let what = format!("cannot copy {folder} for the tests");
                CommandError::with_cause(what, error, settings.doctor_hint())
            })?;
            tree.publish(PublishMode::New).map_err(failed)?;
        }
        Ok(made)
    }

    /// Removes what the test before left, so that no test depends on the order.
    fn remove_what_is_left(&self, settings: &Settings) -> Result<(), CommandError> {
        let failed = |error| CommandError::with_cause("cannot remove what a test left", error, settings.doctor_hint());
        let copy = ambient::open_folder(self.0.path(), Access::ReadWrite).map_err(failed)?;
        for folder in LEFT_FOLDERS {
            if open_if_there(&copy, folder).map_err(failed)?.is_some() {
                copy.remove_tree(folder).map_err(failed)?;
            }
        }
        Ok(())
    }

    /// Returns the settings of a server on the copy, with the services that run Lua.
    fn settings(&self, settings: &Settings) -> Result<Settings, CommandError> {
        let global = GlobalArgs {
            appdir: Some(self.0.path().to_path_buf()),
            services: vec!["alc".to_owned(), "registry".to_owned()],
            // The copy is the tests' own.
            read_only: false,
            ..settings.global_args.clone()
        };
        let mut copied = Settings::load(&global, MissingConfig::Create)?;
        // What the environment grants outside the copy.
        (copied.log_dir, copied.card_sinks) = (None, Vec::new());
        // Mounts and the project are not copied.
        copied.are_grants_read_only = true;
        if settings.read_only {
            (copied.config.network, copied.config.registry.hosts) = (NetworkConfig::default(), Vec::new());
        }
        Ok(copied)
    }
}

/// What tests run on.
struct Tests<'s> {
    settings: &'s Settings,
    catalogue: Arc<Catalogue>,
    info: RequestInfo,
    interruption: Interruption,
}

impl Tests<'_> {
    /// Runs a test. The inner error says what is not as it was expected.
    ///
    /// # Errors
    /// When the person interrupts it.
    fn run(&self, test: &WrittenTest) -> Result<Result<(), String>, CommandError> {
        let came = match (&test.strategy, &test.scenario, &test.tool) {
            (Some(strategy), None, None) => {
                let mut opts = json!({"strategy": strategy, "opts": test.ctx});
                if let (Some(task), Some(fields)) = (&test.task, opts.as_object_mut()) {
                    fields.insert("task".into(), task.clone().into());
                }
                self.hold("alc_advice", opts, test)
            }
            (Some(strategy), Some(scenario), None) => {
                let arguments = json!({"strategy": strategy, "scenario_name": scenario, "strategy_opts": test.ctx,
                    "auto_card": false});
                self.hold("alc_eval", arguments, test)
            }
            (None, None, Some(tool)) => self.call_tool(tool, test),
            _ => Err("it needs a strategy, a strategy and a scenario, or a tool".to_owned()),
        };
        if self.interruption.is_here() {
            return Err(CommandError::new("the tests were interrupted", "run them again"));
        }
        Ok(test.check(&came))
    }

    /// Runs a strategy with scripted answers. Returns its result, or why there is none.
    fn hold(&self, tool: &str, arguments: Value, test: &WrittenTest) -> Result<Value, String> {
        let answerer = Answerer::scripted(test.answers.clone());
        let (catalogue, info) = (Arc::clone(&self.catalogue), self.info.clone());
        let view = Arc::new(RunView::quiet());
        let shown = Arc::clone(&view);
        let conversation = Conversation::new(self.settings, catalogue, info, answerer, view, self.interruption.clone());
        let answer = conversation.hold(tool, arguments).map_err(|error| match shown.unanswered() {
            Some(question) => format!("none of the test's answers is left for this: {question}"),
            None => error.to_string(),
        })?;
        match answer.get("error") {
            Some(error) => Err(error.as_str().map_or_else(|| error.to_string(), str::to_owned)),
            None => Ok(Value::Object(fields_of(result_of(&answer).cloned().unwrap_or_default()))),
        }
    }

    /// Calls a declared tool. Returns the fields of its structured result, with all texts as `text`.
    fn call_tool(&self, tool: &str, test: &WrittenTest) -> Result<Value, String> {
        let arguments = Payload::from_value(Value::Object(test.arguments.clone()));
        let answer = self.catalogue.call_blocking(tool, arguments, &self.info).map_err(|error| error.to_string())?;
        let (items, value) = match answer.content_mode {
            ContentMode::FromValue => (Vec::new(), answer.value.into_value()),
            ContentMode::ContentOnly(items) => (items, Value::Null),
            ContentMode::Both(items) => (items, answer.value.into_value()),
        };
        let texts: Vec<String> = items.iter().map(display_item).collect();
        let text = if texts.is_empty() { value.to_string() } else { texts.join("\n") };
        if answer.is_error {
            return Err(text);
        }
        let mut fields = fields_of(value);
        fields.insert("text".into(), text.into());
        Ok(Value::Object(fields))
    }
}

/// The fields of a result. One that is no object is the field `value`, so that a path leads to it as well.
fn fields_of(result: Value) -> Map<String, Value> {
    match result {
        Value::Object(fields) => fields,
        value => Map::from_iter([("value".to_owned(), value)]),
    }
}
