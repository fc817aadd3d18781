//! `wardroom agents`: our entry in the configuration files of agents on this machine.
//!
//! Owns: the environment in which agents' files are located, and the command of an entry.
//! Never: writes a file; `update_files` does.

mod status;
mod update_files;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use directories::BaseDirs;
use serde_json::{Value, json};

use self::update_files::AgentFilesUpdate;
use super::agents_args::{AgentSelectionArgs, AgentsAction, EntryNameArgs};
use super::args::LogFormat;
use super::server_probe;
use crate::assemble;
use crate::assemble::settings::{self, AppDirSource, Settings};
use crate::report::{self, Cell, Column, CommandError, Progress, SELF_START_HINT, Table, TextRole};
use wardroom_agents::{
    AGENTS, Agent, AgentFile, AgentHelper, AgentHelperConfig, EntryChange, EntrySpec, InstalledEntry, LaunchCommand,
    OwnPrograms, PathEnvironment, Platform, ServerName, find_agent, locate_files, render_snippet,
};
use wardroom_appdir::ambient;

pub(super) fn run(settings: &Settings, action: &AgentsAction) -> Result<(), CommandError> {
    match action {
        AgentsAction::List { agents, json } => list_agents(agents, *json),
        AgentsAction::Status { which, entry, json } => status::run(which, &parse_server_name(entry)?, *json),
        AgentsAction::Install { which, entry, change, create } => {
            let launch = server_launch(settings)?;
            warn_uncarried_variables(settings);
            let job = AgentFilesUpdate {
                name: parse_server_name(entry)?,
                own_programs: own_programs()?,
                change,
                create: *create,
                check: &|| {
                    // An AppDir that an entry names must be there.
                    if settings.app_dir.source == AppDirSource::Platform && !settings.read_only {
                        assemble::open_app_dir(settings)?;
                    }
                    try_server(settings, &launch)
                },
            };
            job.run(which, EntryChange::Install(&launch))
        }
        AgentsAction::Uninstall { which, entry, change } => {
            let job = AgentFilesUpdate {
                name: parse_server_name(entry)?,
                own_programs: own_programs()?,
                change,
                create: false,
                check: &|| Ok(()),
            };
            job.run(which, EntryChange::Uninstall)
        }
        AgentsAction::Print { agent, entry } => print_entry(settings, agent, &parse_server_name(entry)?),
    }
}

fn parse_server_name(EntryNameArgs { name }: &EntryNameArgs) -> Result<ServerName, CommandError> {
    ServerName::parse(name).map_err(|rule| {
        CommandError::new(
            format!("the name {name:?} cannot be used: {rule}"),
            "choose another --name, or leave it out to use wardroom",
        )
    })
}

/// The environment that determines the files of these agents.
fn agent_environment(agents: &[&Agent]) -> Result<PathEnvironment, CommandError> {
    let environment = read_environment()?;
    let misleading = |agent: &&Agent| Some((agent.id, agent.invalid_variable(&environment)?));
    match agents.iter().find_map(misleading) {
        None => Ok(environment),
        Some((agent, variable)) => Err(CommandError::new(
            format!("the variable {variable}, which locates the file of {agent}, is not an absolute path in UTF-8"),
            format!("set {variable} to an absolute path, unset it, or name other agents"),
        )),
    }
}

fn read_environment() -> Result<PathEnvironment, CommandError> {
    const HINT: &str = "set the variable HOME to the folder of the agents' files: an absolute path in UTF-8";
    let base = BaseDirs::new().ok_or_else(|| CommandError::new("this user has no home folder", HINT))?;
    let home =
        base.home_dir().to_str().ok_or_else(|| CommandError::new("the path of the home folder is not UTF-8", HINT))?;
    let value = |name: &str| Some(settings::env_variable(name)?.to_string_lossy().into_owned());
    let variables = PathEnvironment::VARIABLES.iter().filter_map(|name| Some(((*name).to_owned(), value(name)?)));
    let environment =
        PathEnvironment { platform: Platform::current(), home: home.to_owned(), variables: variables.collect() };
    if environment.is_absolute(home) {
        Ok(environment)
    } else {
        Err(CommandError::new(format!("the path of the home folder is relative: {home:?}"), HINT))
    }
}

/// The path of this program, which every entry contains: agents have another `PATH` than shells.
fn own_program_path() -> Result<String, CommandError> {
    let failed = |error| CommandError::with_cause("cannot find the path of this program", error, SELF_START_HINT);
    let program = ambient::current_exe().map_err(failed)?;
    absolute_utf8_path(&program)
}

/// This program, as other programs have a shell start it.
pub(super) fn own_program() -> Result<String, CommandError> {
    Ok(settings::shell_quote(Path::new(&own_program_path()?)))
}

/// The command that starts this program on these folders, as other programs have a shell run it: their `PATH` may lack it.
pub(super) fn own_command_line(settings: &Settings) -> Result<String, CommandError> {
    let command = settings.command_line();
    let arguments = command.strip_prefix("wardroom").unwrap_or(&command);
    Ok(format!("{}{arguments}", own_program()?))
}

fn own_programs() -> Result<OwnPrograms, CommandError> {
    let program = own_program_path()?;
    let resolved = ambient::canonicalize(Path::new(&program)).ok().and_then(|path| path.to_str().map(str::to_owned));
    // A folder that is not UTF-8 is skipped.
    let path = settings::env_variable("PATH").map(|path| path.to_string_lossy().into_owned()).unwrap_or_default();
    Ok(OwnPrograms { programs: std::iter::once(program).chain(resolved).collect(), search_path: path })
}

/// An absolute path in UTF-8, as other programs' files need it.
fn absolute_utf8_path(path: &Path) -> Result<String, CommandError> {
    let whole = ambient::canonicalize(path).or_else(|error| match ambient::working_dir() {
        Some(folder) => Ok(folder.join(path)),
        None => Err(CommandError::with_cause(
            format!("cannot find the absolute path of {}", path.display()),
            error,
            "give its absolute path",
        )),
    })?;
    let text = whole.to_str().map(str::to_owned);
    text.ok_or_else(|| {
        let what = format!("{} is not UTF-8, as the files of agents must be", whole.display());
        CommandError::new(what, "rename it, or name another one")
    })
}

/// The command of the entry: this program with its current arguments, since the agent starts it from another folder and
/// environment.
fn server_launch(settings: &Settings) -> Result<LaunchCommand, CommandError> {
    let global = &settings.global_args;
    assemble::check_service_names(&global.services)?;
    let mut args: Vec<String> = Vec::new();
    let mut path = |flag: &str, path: &Path| -> Result<(), CommandError> {
        args.extend([flag.to_owned(), absolute_utf8_path(path)?]);
        Ok(())
    };
    let is_of_this_shell = match settings.app_dir.source {
        AppDirSource::Argument | AppDirSource::Environment => true,
        AppDirSource::Original => false,
        AppDirSource::Platform => settings::env_variable("XDG_DATA_HOME").is_some(),
    };
    if is_of_this_shell {
        path("--appdir", &settings.app_dir.path)?;
    }
    let is_config_of_this_shell = global.config.is_none() && settings::env_variable("XDG_CONFIG_HOME").is_some();
    if is_config_of_this_shell && ambient::is_file(&settings.config_file) {
        path("--config", &settings.config_file)?;
    }
    let given = [
        ("--config", &global.config),
        ("--project", &global.project),
        ("--registry", &global.registry),
        ("--blog", &global.blog),
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
    Ok(LaunchCommand { command: own_program_path()?, args })
}

/// Starts this program with the arguments of an entry, and without the variables of this shell that an agent may lack.
fn try_server(settings: &Settings, launch: &LaunchCommand) -> Result<(), CommandError> {
    let _progress = Progress::spinner("trying the server of the entry");
    let entry = InstalledEntry { launch: launch.clone(), environment: BTreeMap::new(), is_disabled: false };
    let tried = match status::stdio_server_args(launch) {
        Some(global) => server_probe::handshake(&global, &entry, server_probe::COMMON_VARIABLES),
        None => Err("its arguments are not those of a server".to_owned()),
    };
    let Err(reason) = tried else { return Ok(()) };
    let what = format!("nothing was written: the server of the entry does not start: {}", report::escape_name(&reason));
    Err(CommandError::new(what, format!("{}, or pass --force to write the entry anyway", settings.doctor_hint())))
}

/// Warns of set variables that no argument can carry into an entry.
fn warn_uncarried_variables(settings: &Settings) {
    const UNCARRIED_VARIABLES: [&str; 9] = [
        "ALC_PACKAGES_PATH",
        "ALC_LOG_DIR",
        "ALC_LOG_LEVEL",
        "ALC_CARD_SINKS",
        "ALC_PROMPT_PREVIEW_CHARS",
        "ALC_SHAPE_CHECK",
        "ACE_KNOWLEDGE_BASE",
        "ACE_TRACES_PATH",
        "ACE_INSIGHTS_PATH",
    ];
    let of_handlers = settings.config.registry.env.iter().map(String::as_str);
    for name in UNCARRIED_VARIABLES.into_iter().chain(of_handlers) {
        if settings::env_variable(name).is_none() {
            continue;
        }
        report::print_note(&format!(
            "note: the variable {name} is set here but is no part of the entry: set it for the agent too"
        ));
    }
}

/// Starts the helper that edits agents' files for a server's tools, if they are enabled. Returns it with the command
/// line that starts the server by hand.
pub(super) fn start_helper(settings: &Settings) -> Result<Option<(AgentHelper, String)>, CommandError> {
    const FAILED: &str = "cannot start the process that edits files of agents";
    if !settings.config.agents.tools || settings.read_only || !settings.offers("agents") {
        return Ok(None);
    }
    let (environment, launch, owners) = (read_environment()?, server_launch(settings)?, own_programs()?);
    let typed = launch.shell_command();
    let beginning = AgentHelperConfig {
        home: environment.home,
        variables: environment.variables,
        command: launch.command,
        args: launch.args,
        programs: owners.programs,
        path: owners.search_path,
    };
    let program = ambient::current_exe().map_err(|error| CommandError::with_cause(FAILED, error, SELF_START_HINT))?;
    let helper = AgentHelper::start(&program, &beginning)
        .map_err(|error| CommandError::with_cause(FAILED, error, SELF_START_HINT))?;
    Ok(Some((helper, typed)))
}

impl AgentSelectionArgs {
    fn agents(&self) -> Vec<&'static Agent> {
        agents_by_name(&self.agents)
    }
}

/// The agents with these ids or aliases, without duplicates; all agents if there are none.
fn agents_by_name(names: &[String]) -> Vec<&'static Agent> {
    let named: Vec<&Agent> = names.iter().filter_map(|name| find_agent(name)).collect();
    let is_named = |agent: &&Agent| named.is_empty() || named.iter().any(|named| named.id == agent.id);
    AGENTS.iter().filter(is_named).collect()
}

fn list_agents(ids: &[String], json: bool) -> Result<(), CommandError> {
    let agents = agents_by_name(ids);
    let environment = agent_environment(&agents)?;
    let mut table = Table::new(" ", [Column::new("AGENT", 15), Column::new("STATE", 10), Column::new("FILE", 0)]);
    let mut rows = Vec::new();
    for agent in agents {
        for file in locate_files(agent, &environment) {
            let state = Cell::new(if file.is_installed { "installed" } else { "" }, TextRole::Good);
            table.add([Cell::new(agent.id, TextRole::Name), state, file.path.display().to_string().into()]);
            rows.push(agent_row_json(agent, &file));
        }
    }
    if json { report::print_json(&Value::from(rows)) } else { table.print() }
}

fn agent_row_json(agent: &Agent, file: &AgentFile) -> Value {
    json!({
        "agent": agent.id,
        "title": file.target.title,
        "file": file.path,
        "exists": file.exists,
        "installed": file.is_installed,
    })
}

fn print_entry(settings: &Settings, id: &str, name: &ServerName) -> Result<(), CommandError> {
    let Some(agent) = find_agent(id) else {
        return Err(CommandError::new(
            format!("no agent is called {id}"),
            "run wardroom agents list to see the agents",
        ));
    };
    let (environment, owners, launch) = (agent_environment(&[agent])?, own_programs()?, server_launch(settings)?);
    warn_uncarried_variables(settings);
    // Programs that take the same entry are printed together.
    let mut printed: BTreeMap<String, String> = BTreeMap::new();
    for file in locate_files(agent, &environment) {
        let spec = EntrySpec { target: file.target, name, own_programs: &owners, force: false };
        let heading = printed.entry(render_snippet(&spec, &launch)).or_default();
        let _ = writeln!(heading, "{}: {}", file.target.title, file.path.display());
    }
    for (snippet, heading) in printed {
        report::print_note(heading.trim_end());
        report::print_line(&snippet)?;
    }
    Ok(())
}
