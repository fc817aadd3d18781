//! The tools over scenarios: `alc_scenario_list`, `alc_scenario_show` and `alc_scenario_install`.
//!
//! Owns: which files of a folder are scenarios.
//! Never: replaces a scenario.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Alc;
use super::fetched::local;
use super::places::{Grant, folder};
use super::tools::Tool;
use wardroom_appdir::{AppDirError, EntryKind, Folder, Privacy};
use wardroom_base::limits::{
    MAX_DOCUMENT_BYTES, MAX_INSTALLED_SCENARIOS, MAX_LISTED_SCENARIOS, MAX_NAMES_SCANNED, MAX_PAGE_BYTES,
};
use wardroom_base::uri::ScenarioName;
use wardroom_service::schema::{answer, answer_schema, parse, schema};
use wardroom_service::{CallContext, Hints, ServiceError, ToolAnswer, shown};

const FOLDER: &str = "scenarios";
const SUFFIX: &str = ".lua";

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Nothing {}

#[derive(Serialize, JsonSchema)]
struct Listed {
    /// By name.
    scenarios: Vec<Entry>,
    /// What is there and is no scenario that could be read.
    failures: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Entry {
    name: String,
    /// Below the AppDir.
    path: String,
    size_bytes: u64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ShowOf {
    /// The scenario, without `.lua`.
    name: String,
}

#[derive(Serialize, JsonSchema)]
struct Shown {
    name: String,
    /// Below the AppDir.
    path: String,
    /// Its Lua source.
    content: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct InstallFrom {
    /// A folder with `.lua` files in it, inside the AppDir, the project or a mount: an absolute path, or one that begins
    /// with `./`, which is below the project, or the AppDir where there is none. Or the https address of a git repository,
    /// where the operator allows it: its folder `scenarios`, else its files.
    url: String,
}

#[derive(Serialize, JsonSchema)]
struct Installed {
    installed: Vec<String>,
    /// Those whose name is taken; what is there stays.
    skipped: Vec<String>,
    /// Those that could not be read or written, with the reason.
    failures: Vec<String>,
}

pub(super) const TOOLS: &[Tool] = &[
    Tool {
        name: "alc_scenario_list",
        title: "List scenarios",
        description: "Lists the scenarios that are installed, by name.",
        hints: Hints::READS,
        input: schema::<Nothing>,
        output: answer_schema::<Listed>,
        call: |alc, arguments, context| {
            let Nothing {} = parse(arguments)?;
            answer(&alc.scenarios(context)?).map(ToolAnswer::from)
        },
    },
    Tool {
        name: "alc_scenario_show",
        title: "Show a scenario",
        description: "Shows the Lua source of a scenario.",
        hints: Hints::READS,
        input: schema::<ShowOf>,
        output: answer_schema::<Shown>,
        call: |alc, arguments, context| {
            let ShowOf { name } = parse(arguments)?;
            answer(&alc.scenario(&name, context)?).map(ToolAnswer::from)
        },
    },
    Tool {
        name: "alc_scenario_install",
        title: "Install scenarios",
        description: "Copies the .lua files of a folder, or of a git repository where the operator allows it, to the scenarios \
                      of the AppDir. What is there already is kept.",
        hints: Hints { open_world: true, ..Hints::SETS },
        input: schema::<InstallFrom>,
        output: answer_schema::<Installed>,
        call: |alc, arguments, context| {
            let InstallFrom { url } = parse(arguments)?;
            answer(&alc.install_scenarios(&url, context)?).map(ToolAnswer::from)
        },
    },
];

impl Alc {
    fn scenarios(&self, context: &CallContext) -> Result<Listed, ServiceError> {
        // There may be any number of names.
        context.needs_large()?;
        let mut listed = Listed { scenarios: Vec::new(), failures: Vec::new() };
        let folder = match self.folders.app.folder(FOLDER) {
            Ok(folder) => folder,
            Err(AppDirError::NotFound(_)) => return Ok(listed),
            Err(error) => return Err(ServiceError::internal("cannot list the scenarios", error)),
        };
        for stem in stems(&folder, "the scenarios")? {
            if listed.scenarios.len() + listed.failures.len() >= MAX_LISTED_SCENARIOS {
                listed.failures.push(format!("there are more than {MAX_LISTED_SCENARIOS}, the rest is left out"));
                break;
            }
            let file = format!("{stem}{SUFFIX}");
            match (ScenarioName::parse(&stem), folder.stat(&file)) {
                (Ok(_), Ok(stat)) => {
                    listed.scenarios.push(Entry { path: path(&stem), name: stem, size_bytes: stat.len });
                }
                (Err(error), _) => listed.failures.push(format!("{}: the name {error}", shown(&file))),
                // Gone by now.
                (Ok(_), Err(AppDirError::NotFound(_))) => {}
                (Ok(_), Err(error)) => listed.failures.push(failure(&stem, &error)),
            }
        }
        Ok(listed)
    }

    fn scenario(&self, name: &str, context: &CallContext) -> Result<Shown, ServiceError> {
        context.needs_full()?;
        let name = ScenarioName::parse(name).map_err(|error| {
            ServiceError::tool("INVALID_NAME", format!("Invalid scenario name: '{}' {error}", shown(name)))
        })?;
        let path = path(name.as_str());
        match self.folders.app.read_text(&path, MAX_PAGE_BYTES as u64) {
            Ok((content, _)) => Ok(Shown { name: name.to_string(), path, content }),
            Err(AppDirError::NotFound(_)) => {
                Err(ServiceError::tool("NOT_FOUND", format!("Scenario '{name}' not found")))
            }
            Err(AppDirError::TooLarge { len, limit, .. }) => Err(ServiceError::tool(
                "TOO_LARGE",
                format!("scenario '{name}' has {len} bytes, the limit is {limit}: read alc://scenarios/{name}"),
            )),
            Err(error) => Err(ServiceError::reading(&format!("scenario '{name}'"), error)),
        }
    }

    fn install_scenarios(&self, url: &str, context: &CallContext) -> Result<Installed, ServiceError> {
        let Some(local) = local(url) else {
            let repository = self.repository(url, context)?;
            let root = repository.folder();
            return match root.folder(FOLDER) {
                Ok(scenarios) => self.take_scenarios(&scenarios, context),
                Err(_) => self.take_scenarios(root, context),
            };
        };
        context.needs_large()?;
        self.take_scenarios(&folder(self, local, Grant::Read)?, context)
    }

    fn take_scenarios(&self, source: &Folder, context: &CallContext) -> Result<Installed, ServiceError> {
        let stems = stems(source, "the folder")?;
        if stems.is_empty() {
            return Err(ServiceError::tool("NOT_FOUND", "No .lua scenario files found in source."));
        }
        if stems.len() > MAX_INSTALLED_SCENARIOS {
            let message = format!(
                "the folder has {} .lua files, the limit is {MAX_INSTALLED_SCENARIOS}: nothing was installed",
                stems.len()
            );
            return Err(ServiceError::tool("TOO_LARGE", message));
        }
        let to = self.folders.app.create_folder(FOLDER);
        let to = to.map_err(|error| ServiceError::writing("the scenarios", error))?;
        let mut done = Installed { installed: Vec::new(), skipped: Vec::new(), failures: Vec::new() };
        for stem in stems {
            if context.cancelled.is_cancelled() {
                return Err(ServiceError::reading("the folder", AppDirError::Stopped(stem)));
            }
            let file = format!("{stem}{SUFFIX}");
            if let Err(error) = ScenarioName::parse(&stem) {
                done.failures.push(format!("{}: the name {error}", shown(&file)));
                continue;
            }
            let read = source.read_text(&file, MAX_DOCUMENT_BYTES);
            match read.and_then(|(text, _)| to.create(&file, text.as_bytes(), Privacy::Shared)) {
                Ok(()) => done.installed.push(stem),
                Err(AppDirError::Exists(_)) => done.skipped.push(stem),
                Err(error) => done.failures.push(failure(&stem, &error)),
            }
        }
        Ok(done)
    }
}

fn path(name: &str) -> String {
    format!("{FOLDER}/{name}{SUFFIX}")
}

/// The names of the `.lua` files of a folder, sorted. A temporary file of a writer is none.
fn stems(folder: &Folder, what: &str) -> Result<Vec<String>, ServiceError> {
    let entries = folder.entries(MAX_NAMES_SCANNED);
    let entries = entries.map_err(|error| ServiceError::internal(format!("cannot list {what}"), error))?;
    let files = entries.into_iter().filter(|entry| matches!(entry.kind, EntryKind::File | EntryKind::Link));
    Ok(files.filter_map(|entry| entry.name.strip_suffix(SUFFIX).map(str::to_owned)).collect())
}

/// Why one file was left out. The names in `error` are relative to a folder that was granted.
fn failure(stem: &str, error: &AppDirError) -> String {
    let why = match error {
        AppDirError::NotFound(_) | AppDirError::LeadsNowhere(_) => "leads nowhere",
        AppDirError::Escapes(_) => "leads outside its folder",
        AppDirError::NotRegular(_) => "is not a regular file",
        AppDirError::TooLarge { .. } => "is too large",
        AppDirError::NotUtf8(_) => "is not UTF-8 text",
        AppDirError::Full(_) => "no room on the disk",
        AppDirError::Denied(_) => "the system does not permit it",
        AppDirError::NotAFolder(_)
        | AppDirError::Exists(_)
        | AppDirError::ReadOnly(_)
        | AppDirError::Locked(_)
        | AppDirError::TooManyOpen(_)
        | AppDirError::NotIndexed(_)
        | AppDirError::Unsteady(_)
        | AppDirError::Stopped(_)
        | AppDirError::Io { .. } => "cannot be copied now",
    };
    format!("{stem}{SUFFIX}: {why}")
}
