//! `wardroom agents`: our entry in the files of the agents on this machine, shown before it is written.
//!
//! Owns: what the entry starts, the question before a change, and what is said about each file.
//! Never: writes without a word of the person's, or asks where nobody sits at a terminal.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, IsTerminal as _};
use std::path::Path;

use directories::BaseDirs;
use serde_json::{Value, json};

use super::args::{AgentsAction, Change as Flags, Which};
use super::probe;
use super::report::{self, Failure, ITSELF};
use super::settings::{self, LocatedBy, Settings};
use crate::agents::{
    AGENTS, Agent, AgentError, Beginning, Change, EditError, Environment, File, Helper, Launch, Owners, Ready,
    ServerName, System, Wanted, agent, find, look, prepare, snippet,
};
use crate::appdir::{Folder, ambient};

pub(super) fn run(settings: &Settings, action: &AgentsAction) -> Result<(), Failure> {
    match action {
        AgentsAction::List { json } => list(*json),
        AgentsAction::Status { which, name, json } => status(which, &parsed(name)?, *json),
        AgentsAction::Install { which, name, change, create } => {
            let launch = launch(settings)?;
            let job = Job { name: parsed(name)?, owners: owners()?, change, create: *create };
            job.run(settings, which, Change::Install(&launch))
        }
        AgentsAction::Uninstall { which, name, change } => {
            let job = Job { name: parsed(name)?, owners: owners()?, change, create: false };
            job.run(settings, which, Change::Uninstall)
        }
        AgentsAction::Print { agent, name } => print(settings, agent, &parsed(name)?),
    }
}

fn parsed(name: &str) -> Result<ServerName, Failure> {
    ServerName::parse(name).map_err(|rule| {
        Failure::new(
            format!("the name {name:?} cannot be used: {rule}"),
            "leave --name out for the usual one, wardroom",
        )
    })
}

fn environment() -> Result<Environment, Failure> {
    const HINT: &str = "say with the variable HOME where agents keep their files";
    let base = BaseDirs::new().ok_or_else(|| Failure::new("this user has no home folder", HINT))?;
    let home =
        base.home_dir().to_str().ok_or_else(|| Failure::new("the path of the home folder is not UTF-8", HINT))?;
    let value = |name: &str| settings::variable(name)?.into_string().ok();
    let variables = Environment::VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), value(name)?)));
    Ok(Environment { system: System::here(), home: home.to_owned(), variables: variables.collect() })
}

/// The path of this program, which every entry has: agents know another `PATH` than shells.
fn program() -> Result<String, Failure> {
    let failed = |error| Failure::of("cannot tell where this program is", error, ITSELF);
    let program = ambient::own_program().map_err(failed)?;
    text(&program)
}

fn owners() -> Result<Owners, Failure> {
    let program = program()?;
    let resolved = ambient::canonical(Path::new(&program)).ok().and_then(|path| path.to_str().map(str::to_owned));
    Ok(Owners { programs: std::iter::once(program).chain(resolved).collect() })
}

/// A path as other programs' files take it, and from anywhere.
fn text(path: &Path) -> Result<String, Failure> {
    let whole = ambient::canonical(path).or_else(|error| match ambient::working_dir() {
        Some(folder) => Ok(folder.join(path)),
        None => Err(Failure::of(format!("cannot tell where {} is", path.display()), error, "say its whole path")),
    })?;
    let text = whole.to_str().map(str::to_owned);
    text.ok_or_else(|| {
        let what = format!("{} is not UTF-8, which such files are", whole.display());
        Failure::new(what, "rename it, or name another one")
    })
}

/// This program, with what was said to it: the agent starts it elsewhere and with another environment.
fn launch(settings: &Settings) -> Result<Launch, Failure> {
    let global = &settings.given;
    let mut args: Vec<String> = Vec::new();
    let mut path = |flag: &str, path: &Path| -> Result<(), Failure> {
        args.extend([flag.to_owned(), text(path)?]);
        Ok(())
    };
    if matches!(settings.app_dir.by, LocatedBy::Argument | LocatedBy::Environment) {
        path("--appdir", &settings.app_dir.path)?;
    }
    let given = [
        ("--config", &global.config),
        ("--project", &global.project),
        ("--registry", &global.registry),
        ("--log-file", &global.log_file),
    ];
    for (flag, given) in given {
        given.as_deref().map_or(Ok(()), |given| path(flag, given))?;
    }
    if !global.services.is_empty() {
        args.extend(["--service".to_owned(), global.services.join(",")]);
    }
    if global.read_only {
        args.push("--read-only".to_owned());
    }
    Ok(Launch { command: program()?, args })
}

/// The process that edits files for a server's tools, where the configuration says that there are some.
pub(super) fn helper(settings: &Settings) -> Result<Option<Helper>, Failure> {
    const FAILED: &str = "cannot start the process that edits files of agents";
    let is_offered = settings.services.as_ref().is_none_or(|names| names.iter().any(|name| name == "agents"));
    if !settings.config.agents.tools || settings.read_only || !is_offered {
        return Ok(None);
    }
    let (environment, launch) = (environment()?, launch(settings)?);
    let nowhere = |error| Failure::of(FAILED, error, "name the configuration with --config FILE");
    let (parent, _) = ambient::split(&settings.config_file).map_err(nowhere)?;
    let beginning = Beginning {
        home: environment.home,
        variables: environment.variables,
        command: launch.command,
        args: launch.args,
        programs: owners()?.programs,
        locks: parent.to_path_buf(),
    };
    let program = ambient::own_program().map_err(|error| Failure::of(FAILED, error, ITSELF))?;
    Helper::start(&program, &beginning).map(Some).map_err(|error| Failure::of(FAILED, error, ITSELF))
}

impl Which {
    fn agents(&self) -> Vec<&'static Agent> {
        if self.agents.is_empty() {
            return AGENTS.iter().collect();
        }
        self.agents.iter().filter_map(|id| agent(id)).collect()
    }
}

fn list(json: bool) -> Result<(), Failure> {
    let environment = environment()?;
    let mut rows = Vec::new();
    for agent in AGENTS {
        for file in look(agent, &environment) {
            if !json {
                let state = if file.installed { "installed" } else { "" };
                let path = report::name(&file.path.display().to_string());
                report::line(format!("{:<15} {:<10} {path}", agent.id, state).trim_end())?;
            }
            rows.push(row(agent, &file));
        }
    }
    if json { report::line(&Value::from(rows).to_string()) } else { Ok(()) }
}

fn row(agent: &Agent, file: &File) -> Value {
    json!({
        "agent": agent.id,
        "title": file.target.title,
        "file": file.path,
        "exists": file.exists,
        "installed": file.installed,
    })
}

/// What is known of one file's entry.
enum State {
    NotInstalled,
    NoEntry,
    Foreign(Launch),
    Problem(String),
    Ours(Launch, Result<String, String>),
}

fn status(which: &Which, name: &ServerName, json: bool) -> Result<(), Failure> {
    let (environment, owners) = (environment()?, owners()?);
    let mut started = Vec::new();
    let (mut rows, mut bad) = (Vec::new(), 0);
    for agent in which.agents() {
        for file in look(agent, &environment) {
            let wanted = Wanted { target: file.target, name, owners: &owners, force: false };
            let state = state(&file, &wanted, &mut started);
            bad += usize::from(matches!(state, State::Problem(_) | State::Ours(_, Err(_))));
            if json {
                rows.push(state.json(agent, &file));
            } else {
                report::line(&state.text(agent, &file))?;
            }
        }
    }
    if json {
        report::line(&Value::from(rows).to_string())?;
    }
    if bad == 0 {
        return Ok(());
    }
    let hint = "wardroom agents install AGENT brings the entry up to date";
    Err(Failure::new(format!("{bad} of these files are not as they should be"), hint))
}

/// Entries that start the same are started once.
fn state(file: &File, wanted: &Wanted<'_>, started: &mut Vec<(Launch, Result<String, String>)>) -> State {
    let text = match file.read() {
        Ok(Some(text)) => text,
        Ok(None) if file.installed => return State::NoEntry,
        Ok(None) => return State::NotInstalled,
        Err(error) => return State::Problem(error.to_string()),
    };
    let launch = match find(&text, wanted) {
        Ok(None) => return State::NoEntry,
        Ok(Some(launch)) => launch,
        Err(error) => return State::Problem(error.to_string()),
    };
    // What somebody else's entry starts is nothing to be started from here.
    if !wanted.owners.owns(&launch.command) {
        return State::Foreign(launch);
    }
    if let Some((_, greeted)) = started.iter().find(|(known, _)| *known == launch) {
        return State::Ours(launch, greeted.clone());
    }
    let greeted = probe::greet(&launch);
    started.push((launch.clone(), greeted.clone()));
    State::Ours(launch, greeted)
}

impl State {
    fn text(&self, agent: &Agent, file: &File) -> String {
        let path = report::name(&file.path.display().to_string());
        let what = match self {
            Self::NotInstalled => "not installed".to_owned(),
            Self::NoEntry => "no entry".to_owned(),
            Self::Foreign(launch) => format!("the entry starts another program: {}", report::name(&launch.command)),
            Self::Problem(problem) => report::name(problem),
            Self::Ours(_, Ok(server)) => format!("starts: {}", report::name(server)),
            Self::Ours(launch, Err(reason)) => {
                format!("{} {}", report::name(&launch.command), report::name(reason))
            }
        };
        format!("{:<15} {path}\n{:<15} {what}", agent.id, "")
    }

    fn json(&self, agent: &Agent, file: &File) -> Value {
        let mut row = row(agent, file);
        let entry = |launch: &Launch| json!({"command": launch.command, "args": launch.args});
        let said = match self {
            Self::NotInstalled | Self::NoEntry => json!({"entry": null}),
            Self::Foreign(launch) => json!({"entry": entry(launch), "ours": false}),
            Self::Problem(problem) => json!({"problem": problem}),
            Self::Ours(launch, Ok(server)) => {
                json!({"entry": entry(launch), "ours": true, "starts": true, "server": server})
            }
            Self::Ours(launch, Err(reason)) => {
                json!({"entry": entry(launch), "ours": true, "starts": false, "problem": reason})
            }
        };
        if let (Some(row), Value::Object(said)) = (row.as_object_mut(), said) {
            row.extend(said);
        }
        row
    }
}

fn print(settings: &Settings, id: &str, name: &ServerName) -> Result<(), Failure> {
    let (environment, owners, launch) = (environment()?, owners()?, launch(settings)?);
    let Some(agent) = agent(id) else {
        return Err(Failure::new(format!("no agent is called {id}"), "wardroom agents list shows them"));
    };
    // Programs that take the same entry are named together.
    let mut printed: BTreeMap<String, String> = BTreeMap::new();
    for file in look(agent, &environment) {
        let wanted = Wanted { target: file.target, name, owners: &owners, force: false };
        let heading = printed.entry(snippet(&wanted, &launch)).or_default();
        let _ = writeln!(heading, "{}: {}", file.target.title, file.path.display());
    }
    for (snippet, heading) in printed {
        report::note(heading.trim_end());
        report::line(&snippet)?;
    }
    Ok(())
}

/// A change of several files.
struct Job<'j> {
    name: ServerName,
    owners: Owners,
    change: &'j Flags,
    create: bool,
}

impl Job<'_> {
    fn run(&self, settings: &Settings, which: &Which, change: Change<'_>) -> Result<(), Failure> {
        if which.agents.is_empty() && !which.all {
            return Err(Failure::new("no agent is named", "name some, or say --all; wardroom agents list shows them"));
        }
        let environment = environment()?;
        let (mut ready, mut failed) = (Vec::new(), 0);
        for agent in which.agents() {
            for file in self.files(agent, &environment, which.agents.is_empty()) {
                let wanted =
                    Wanted { target: file.target, name: &self.name, owners: &self.owners, force: self.change.force };
                match prepare(&file, &wanted, change, self.create) {
                    Ok(Some(prepared)) => ready.push((agent, prepared)),
                    Ok(None) => report::note(&unchanged(agent, &file, change)),
                    Err(error) => {
                        report::failure(&advised(error));
                        failed += 1;
                    }
                }
            }
        }
        for (_, prepared) in &ready {
            report::line(prepared.diff().trim_end())?;
        }
        if !self.change.dry_run && !ready.is_empty() {
            if self.agreed(ready.len())? {
                failed += apply(settings, &ready)?;
            } else {
                report::note("nothing was written");
            }
        }
        let what = match failed {
            0 => return Ok(()),
            1 => "one file is left as it was".to_owned(),
            _ => format!("{failed} files are left as they were"),
        };
        Err(Failure::new(what, "do what is said above, and the same again: what is done already stays done"))
    }

    /// Of an agent that is several programs those that are installed; where none is, the first: whoever names it gets told,
    /// and whoever says --all has the others in mind.
    fn files(&self, agent: &'static Agent, environment: &Environment, all: bool) -> Vec<File> {
        let (installed, others): (Vec<_>, Vec<_>) =
            look(agent, environment).into_iter().partition(|file| file.installed);
        if installed.is_empty() && (!all || self.create) {
            return others.into_iter().take(1).collect();
        }
        installed
    }

    /// Whether the person agrees. Where nobody can be asked, `--yes` must say so.
    fn agreed(&self, files: usize) -> Result<bool, Failure> {
        if self.change.yes {
            return Ok(true);
        }
        if !io::stdin().is_terminal() {
            return Err(Failure::new("nothing was written", "say --yes to have it written, or --dry-run to look only"));
        }
        report::note(&format!("Write {}? [y/N]", if files == 1 { "it".to_owned() } else { format!("these {files}") }));
        let mut answer = String::new();
        let unread =
            |error| Failure::of("cannot read the answer", error, "say --yes to have it written without a question");
        io::stdin().read_line(&mut answer).map_err(unread)?;
        Ok(matches!(answer.trim(), "y" | "Y" | "yes"))
    }
}

fn unchanged(agent: &Agent, file: &File, change: Change<'_>) -> String {
    let what = match change {
        Change::Install(_) => "has the entry",
        Change::Uninstall => "has no entry",
    };
    format!("{}: {} {what}", agent.id, file.path.display())
}

/// Writes them, one after the other; how many could not be.
fn apply(settings: &Settings, ready: &[(&Agent, Ready)]) -> Result<usize, Failure> {
    let locks = locks(settings)?;
    let mut failed = 0;
    for (agent, prepared) in ready {
        match prepared.apply(&locks) {
            Ok(copy) => {
                let copy = copy.map(|copy| format!(" (before: {})", copy.display())).unwrap_or_default();
                report::note(&format!(
                    "wrote {}{copy}\n{}: {}",
                    prepared.path().display(),
                    agent.title,
                    agent.afterwards
                ));
            }
            Err(error) => {
                report::failure(&advised(error));
                failed += 1;
            }
        }
    }
    Ok(failed)
}

/// The folder of our own configuration: another program's holds nothing of ours but the entry.
fn locks(settings: &Settings) -> Result<Folder, Failure> {
    let failed = |error| {
        let hint = "look at the folder of the configuration, or name another one with --config FILE";
        Failure::of("cannot lock what agents read", error, hint)
    };
    let (parent, _) = ambient::split(&settings.config_file).map_err(failed)?;
    ambient::create(parent).map_err(failed)
}

fn advised(error: AgentError) -> Failure {
    let hint = match &error {
        AgentError::Edit { source: EditError::Foreign { .. }, .. } => {
            "choose another --name, or say --force to have that entry replaced or removed"
        }
        AgentError::Edit { source: EditError::NotAlone, .. } => {
            "edit it yourself: wardroom agents print AGENT shows the entry"
        }
        AgentError::Edit { .. } => "mend the file, which its program cannot read either, and try again",
        AgentError::NotInstalled { .. } => "say --create to have the file made all the same",
        AgentError::Changed { .. } => "its program may be running: end it, and try again",
        AgentError::File { .. } => "look whether the file is there, who owns it, and how large it is",
    };
    Failure::of("cannot edit", error, hint)
}
