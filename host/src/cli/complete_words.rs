//! `wardroom complete-words`: what may stand in the place of the last word of a command line. The scripts of shells start it.
//!
//! Owns: the names that exist on this machine: packages, tools, URIs, sessions and others.
//! Never: fails, or changes anything: where nothing can be read, no name is offered.

use std::ffi::{OsStr, OsString};
use std::sync::Arc;

use clap::{Arg, Command, Id, Parser as _};
use clap_complete::engine::{ArgValueCandidates, ArgValueCompleter, CompletionCandidate, complete};

use super::args::Args;
use super::completions::command_tree;
use super::{listing, ls};
use crate::assemble;
use crate::assemble::settings::{MissingConfig, Settings};
use crate::report::{self, CommandError};
use wardroom_alc::RunStore;
use wardroom_appdir::ambient;
use wardroom_service::audit::AuditTrail;

/// What a name is the name of.
#[derive(Debug, Clone, Copy)]
enum NameKind {
    Package,
    Scenario,
    /// A strategy or a scenario, which may have tests.
    Tested,
    Tool,
    Prompt,
    Session,
    BlogProposal,
    BulletProposal,
    Mount,
    Token,
    Endpoint,
}

/// The arguments that are names: the command, the argument's id in `args.rs`, and what it names.
const NAMED_ARGUMENTS: [(&[&str], &str, NameKind); 22] = [
    (&["run"], "strategy", NameKind::Package),
    (&["run"], "session", NameKind::Session),
    (&["eval"], "strategy", NameKind::Package),
    (&["eval"], "scenario", NameKind::Scenario),
    (&["new", "scenario"], "strategy", NameKind::Package),
    (&["test"], "names", NameKind::Tested),
    (&["pkg", "remove"], "name", NameKind::Package),
    (&["call"], "tool", NameKind::Tool),
    (&["call"], "endpoint", NameKind::Endpoint),
    (&["read"], "endpoint", NameKind::Endpoint),
    (&["prompt"], "name", NameKind::Prompt),
    (&["sessions", "show"], "session", NameKind::Session),
    (&["sessions", "answer"], "session", NameKind::Session),
    (&["sessions", "drop"], "session", NameKind::Session),
    (&["proposals", "show"], "id", NameKind::BlogProposal),
    (&["proposals", "accept"], "ids", NameKind::BlogProposal),
    (&["proposals", "discard"], "ids", NameKind::BlogProposal),
    (&["ace", "proposals", "show"], "id", NameKind::BulletProposal),
    (&["ace", "proposals", "accept"], "id", NameKind::BulletProposal),
    (&["ace", "proposals", "discard"], "id", NameKind::BulletProposal),
    (&["mount", "remove"], "name", NameKind::Mount),
    (&["token", "remove"], "name", NameKind::Token),
];

/// The arguments that are URIs.
const URI_ARGUMENTS: [(&[&str], &str); 2] = [(&["read"], "uri"), (&["ls"], "what")];

/// The options that choose what is served, and so which names exist.
const SERVING_OPTIONS: [&str; 5] = ["--appdir", "--config", "--project", "--registry", "--blog"];

/// Prints a line for each candidate: the word, a tab, and what it is.
pub(super) fn run(words: &[OsString]) -> Result<(), CommandError> {
    let Some(last) = words.len().checked_sub(1) else { return Ok(()) };
    let mut tree = with_names(command_tree(), settings(words.get(..last).unwrap_or_default()));
    // An error says that nothing can be completed.
    let candidates = complete(&mut tree, words.to_vec(), last, None).unwrap_or_default();
    candidates.iter().filter(|candidate| !candidate.is_hide_set()).try_for_each(|candidate| {
        let help = candidate.get_help().map(ToString::to_string).unwrap_or_default();
        let value = report::escape_name(&candidate.get_value().to_string_lossy());
        report::print_line(&format!("{value}\t{}", report::escape_name(help.lines().next().unwrap_or_default())))
    })
}

/// The settings that the typed options stand for; `None` if they cannot be read.
fn settings(typed: &[OsString]) -> Option<Arc<Settings>> {
    let is_serving = |word: &OsStr| SERVING_OPTIONS.iter().any(|option| word == *option);
    let mut given = vec![OsString::from("wardroom")];
    for (word, value) in typed.iter().zip(typed.iter().skip(1)).filter(|(word, _)| is_serving(word)) {
        given.extend([word.clone(), value.clone()]);
    }
    let with_value = |word: &&OsString| {
        let word = word.to_string_lossy();
        SERVING_OPTIONS.iter().any(|option| word.strip_prefix(option).is_some_and(|rest| rest.starts_with('=')))
    };
    given.extend(typed.iter().filter(with_value).cloned());
    let global = Args::try_parse_from(given).ok()?.global;
    let settings = Settings::load(&global, MissingConfig::Refuse).ok()?;
    // To open an AppDir that does not exist would create it.
    ambient::is_dir(&settings.app_dir.path).then(|| Arc::new(settings))
}

fn with_names(tree: Command, settings: Option<Arc<Settings>>) -> Command {
    let Some(settings) = settings else { return tree };
    let tree = NAMED_ARGUMENTS.iter().fold(tree, |tree, (command, id, kind)| {
        let (settings, kind) = (Arc::clone(&settings), *kind);
        let list = move || -> Vec<CompletionCandidate> {
            names(&settings, kind).unwrap_or_default().into_iter().map(CompletionCandidate::new).collect()
        };
        change_argument(tree, command, id, |arg| arg.add(ArgValueCandidates::new(list)))
    });
    URI_ARGUMENTS.iter().fold(tree, |tree, (command, id)| {
        let settings = Arc::clone(&settings);
        let list = move |current: &OsStr| -> Vec<CompletionCandidate> {
            let uris = ls::complete_uri(&settings, &current.to_string_lossy()).unwrap_or_default();
            uris.into_iter().map(CompletionCandidate::new).collect()
        };
        change_argument(tree, command, id, |arg| arg.add(ArgValueCompleter::new(list)))
    })
}

/// Changes an argument of a command below another one.
fn change_argument(tree: Command, command: &[&str], id: &'static str, change: impl FnOnce(Arg) -> Arg) -> Command {
    match command.split_first() {
        None => with_positions(tree).mut_arg(id, change),
        Some((name, below)) => tree.mut_subcommand(name, |tree| change_argument(tree, below, id, change)),
    }
}

/// Says of each positional argument which one it is: a changed argument becomes the last one otherwise.
fn with_positions(tree: Command) -> Command {
    let unnumbered = tree.get_positionals().filter(|arg| arg.get_index().is_none());
    let ids: Vec<Id> = unnumbered.map(|arg| arg.get_id().clone()).collect();
    ids.iter().enumerate().fold(tree, |tree, (at, id)| tree.mut_arg(id, |arg| arg.index(at + 1)))
}

/// Returns the names of one kind, or the reason why there are none.
fn names(settings: &Settings, kind: NameKind) -> Result<Vec<String>, CommandError> {
    Ok(match kind {
        NameKind::Package => ls::names_of(settings, "alc://packages/{name}/meta")?,
        NameKind::Scenario => ls::names_of(settings, "alc://scenarios/{name}")?,
        NameKind::Tested => [names(settings, NameKind::Package)?, names(settings, NameKind::Scenario)?].concat(),
        NameKind::Tool => {
            let catalogue = assemble::build_catalogue(settings)?;
            let tools = listing::all_tools(settings, &catalogue, &assemble::command_line_context(&catalogue))?;
            tools.iter().map(|tool| tool.name.to_string()).collect()
        }
        NameKind::Prompt => {
            let catalogue = assemble::build_catalogue(settings)?;
            let prompts = listing::all_prompts(settings, &catalogue, &assemble::command_line_context(&catalogue))?;
            prompts.iter().map(|prompt| prompt.name.clone()).collect()
        }
        NameKind::Session => {
            let runs = RunStore::new(assemble::open_app_dir(settings)?).list().unwrap_or_default();
            runs.into_iter().map(|run| run.run_id).collect()
        }
        NameKind::BlogProposal => {
            let trail = AuditTrail::new(&assemble::open_app_dir(settings)?);
            ids(assemble::standalone_blog(settings)?.review(trail).list("pending", MAX_PROPOSALS).unwrap_or_default())
        }
        NameKind::BulletProposal => ids(assemble::bullet_review(settings)?.list().unwrap_or_default()),
        NameKind::Mount => settings.config.mounts.keys().cloned().collect(),
        NameKind::Token => settings.config.http.tokens.keys().cloned().collect(),
        NameKind::Endpoint => settings.config.http.endpoints.keys().cloned().collect(),
    })
}

/// Proposals that are offered.
const MAX_PROPOSALS: usize = 1_000;

fn ids(proposals: Vec<serde_json::Value>) -> Vec<String> {
    let is_pending = |item: &serde_json::Value| item.get("status").is_none_or(|status| status == "pending");
    let pending = proposals.into_iter().filter(is_pending);
    pending.filter_map(|item| item.get("id")?.as_str().map(str::to_owned)).collect()
}
