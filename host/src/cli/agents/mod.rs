//! `wardroom agents`: our entry in the files of the agents on this machine.
//!
//! Owns: where this user's agents are looked for, and what an entry starts.
//! Never: writes; that is `job`'s.

mod job;
mod status;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use directories::BaseDirs;
use serde_json::{Value, json};

use self::job::Job;
use super::args::{AgentsAction, LogFormat, Named, Which};
use crate::assemble;
use crate::assemble::settings::{self, LocatedBy, Settings};
use crate::report::{self, Failure, ITSELF};
use wardroom_agents::{
    AGENTS, Agent, Beginning, Change, Environment, File, Helper, Launch, Owners, ServerName, System, Wanted, agent,
    look, snippet,
};
use wardroom_appdir::ambient;

pub(super) fn run(settings: &Settings, action: &AgentsAction) -> Result<(), Failure> {
    match action {
        AgentsAction::List { agents, json } => list(agents, *json),
        AgentsAction::Status { which, entry, json } => status::status(which, &parsed(entry)?, *json),
        AgentsAction::Install { which, entry, change, create } => {
            let launch = launch(settings)?;
            note_unsaid();
            let job = Job { name: parsed(entry)?, owners: owners()?, change, create: *create };
            job.run(which, Change::Install(&launch))
        }
        AgentsAction::Uninstall { which, entry, change } => {
            let job = Job { name: parsed(entry)?, owners: owners()?, change, create: false };
            job.run(which, Change::Uninstall)
        }
        AgentsAction::Print { agent, entry } => print(settings, agent, &parsed(entry)?),
    }
}

fn parsed(Named { name }: &Named) -> Result<ServerName, Failure> {
    ServerName::parse(name).map_err(|rule| {
        Failure::new(
            format!("the name {name:?} cannot be used: {rule}"),
            "leave --name out for the usual one, wardroom",
        )
    })
}

/// Where the files of these agents are.
fn environment(agents: &[&Agent]) -> Result<Environment, Failure> {
    let environment = any_environment()?;
    let misleading = |agent: &&Agent| Some((agent.id, agent.misleading(&environment)?));
    match agents.iter().find_map(misleading) {
        None => Ok(environment),
        Some((agent, variable)) => Err(Failure::new(
            format!("the variable {variable} says where the file of {agent} is, and holds no absolute path in UTF-8"),
            format!("set {variable} to a whole path, or unset it; or name the agents that you mean"),
        )),
    }
}

fn any_environment() -> Result<Environment, Failure> {
    const HINT: &str = "say with the variable HOME where agents keep their files: a whole path, in UTF-8";
    let base = BaseDirs::new().ok_or_else(|| Failure::new("this user has no home folder", HINT))?;
    let home =
        base.home_dir().to_str().ok_or_else(|| Failure::new("the path of the home folder is not UTF-8", HINT))?;
    let value = |name: &str| Some(settings::variable(name)?.to_string_lossy().into_owned());
    let variables = Environment::VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), value(name)?)));
    let environment = Environment { system: System::here(), home: home.to_owned(), variables: variables.collect() };
    if environment.is_absolute(home) {
        Ok(environment)
    } else {
        Err(Failure::new(format!("the path of the home folder is relative: {home:?}"), HINT))
    }
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
    // A folder that is not UTF-8 is not found, and the others are.
    let path = settings::variable("PATH").map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(Owners { programs: std::iter::once(program).chain(resolved).collect(), path })
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
    assemble::known(&global.services)?;
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
    if global.log_format == LogFormat::Json {
        args.extend(["--log-format".to_owned(), "json".to_owned()]);
    }
    Ok(Launch { command: program()?, args })
}

/// What no argument says, an entry does not carry.
fn note_unsaid() {
    const UNSAID: [&str; 4] = ["ALC_PACKAGES_PATH", "ALC_LOG_DIR", "ALC_LOG_LEVEL", "ALC_CARD_SINKS"];
    for name in UNSAID.into_iter().filter(|name| settings::variable(name).is_some()) {
        report::note(&format!(
            "note: {name} is set here, and the entry does not carry it: the agent has to set it, too"
        ));
    }
}

/// The process that edits files for a server's tools, where the configuration says that there are some, and how that server
/// is started by hand.
pub(super) fn helper(settings: &Settings) -> Result<Option<(Helper, String)>, Failure> {
    const FAILED: &str = "cannot start the process that edits files of agents";
    let is_offered = settings.services.as_ref().is_none_or(|names| names.iter().any(|name| name == "agents"));
    if !settings.config.agents.tools || settings.read_only || !is_offered {
        return Ok(None);
    }
    let (environment, launch, owners) = (any_environment()?, launch(settings)?, owners()?);
    let typed = launch.typed();
    let beginning = Beginning {
        home: environment.home,
        variables: environment.variables,
        command: launch.command,
        args: launch.args,
        programs: owners.programs,
        path: owners.path,
    };
    let program = ambient::own_program().map_err(|error| Failure::of(FAILED, error, ITSELF))?;
    let helper = Helper::start(&program, &beginning).map_err(|error| Failure::of(FAILED, error, ITSELF))?;
    Ok(Some((helper, typed)))
}

impl Which {
    fn agents(&self) -> Vec<&'static Agent> {
        known(&self.agents)
    }
}

/// Those with these ids, each once; without any, all of them.
fn known(ids: &[String]) -> Vec<&'static Agent> {
    AGENTS.iter().filter(|agent| ids.is_empty() || ids.iter().any(|id| id == agent.id)).collect()
}

fn list(ids: &[String], json: bool) -> Result<(), Failure> {
    let agents = known(ids);
    let environment = environment(&agents)?;
    let mut rows = Vec::new();
    for agent in agents {
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

fn print(settings: &Settings, id: &str, name: &ServerName) -> Result<(), Failure> {
    let Some(agent) = agent(id) else {
        return Err(Failure::new(format!("no agent is called {id}"), "wardroom agents list shows them"));
    };
    let (environment, owners, launch) = (environment(&[agent])?, owners()?, launch(settings)?);
    note_unsaid();
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
