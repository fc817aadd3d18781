//! The tools for scenarios: `alc_scenario_list`, `alc_scenario_show` and `alc_scenario_install`.
//!
//! Never: replaces a scenario.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::copy::CopiedScenarios;
use super::{SCENARIO_SUFFIX, SCENARIOS_DIR, ScenarioStore, list_scenario_stems, scenario_path};
use crate::error_code as code;
use crate::git_source::{GitSource, local_path};
use crate::grants::Grant;
use crate::limits::MAX_LISTED_SCENARIOS;
use crate::storage_error::access_error;
use crate::tool::{AlcTool, ToolCall, continue_large};
use wardroom_appdir::{AppDirError, Folder};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::uri::ScenarioName;
use wardroom_service::limits::MAX_PAGE_BYTES;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{RequestInfo, ServiceError, Step, ToolBehavior, ToolOutput, escape_and_truncate};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ScenarioListArgs {}

#[derive(Serialize, JsonSchema)]
struct ScenarioListOutput {
    /// Sorted by name.
    scenarios: Vec<ScenarioEntry>,
    /// Files that cannot be used as scenarios, each with the reason.
    failures: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct ScenarioEntry {
    name: String,
    /// The path below the AppDir.
    path: String,
    size_bytes: u64,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ScenarioShowArgs {
    /// The scenario, without `.lua`.
    name: String,
}

#[derive(Serialize, JsonSchema)]
struct ScenarioShowOutput {
    name: String,
    /// The path below the AppDir.
    path: String,
    /// Its Lua source.
    content: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ScenarioInstallArgs {
    /// A folder with `.lua` files, inside the AppDir, the project or a mount: an absolute path, or one that begins with
    /// `./`, below the project or, without a project, below the AppDir. Or the https address of a git repository, if
    /// the operator allows it: its folder `scenarios`, or else its files.
    url: String,
}

#[derive(Serialize, JsonSchema)]
struct ScenarioInstallOutput {
    installed: Vec<String>,
    /// Scenarios that existed before, and stay as they were.
    skipped: Vec<String>,
    /// Scenarios that could not be read or written, each with the reason.
    failures: Vec<String>,
}

pub(crate) const TOOLS: &[AlcTool] = &[
    AlcTool {
        name: "alc_scenario_list",
        title: "List scenarios",
        description: "Lists every installed scenario by name: the suites (sets) of test cases available on this \
                      machine for grading strategies.",
        behavior: ToolBehavior::READ_ONLY,
        is_on_demand: false,
        input: input_schema::<ScenarioListArgs>,
        output: output_schema::<ScenarioListOutput>,
        // The number of names is unbounded.
        call: ToolCall::Large(|alc, arguments, _| {
            let ScenarioListArgs {} = parse_arguments(arguments)?;
            serialize_output(&list_scenarios(&alc.scenarios)?).map(ToolOutput::from)
        }),
    },
    AlcTool {
        name: "alc_scenario_show",
        title: "Show a scenario",
        description: "Prints what is inside one scenario (benchmark): read the test cases with questions, expected \
                      answers and graders, as Lua source.",
        behavior: ToolBehavior::READ_ONLY,
        is_on_demand: true,
        input: input_schema::<ScenarioShowArgs>,
        output: output_schema::<ScenarioShowOutput>,
        call: ToolCall::Worker(|alc, arguments, _| {
            let ScenarioShowArgs { name } = parse_arguments(arguments)?;
            serialize_output(&show_scenario(&alc.scenarios, &name)?).map(ToolOutput::from)
        }),
    },
    AlcTool {
        name: "alc_scenario_install",
        title: "Install scenarios",
        description: "Imports scenarios: bring evaluation cases (test sets) from a folder, path, URL or allowed git \
                      repository to this machine. Existing ones are kept.",
        behavior: ToolBehavior { is_open_world: true, ..ToolBehavior::IDEMPOTENT },
        is_on_demand: true,
        input: input_schema::<ScenarioInstallArgs>,
        output: output_schema::<ScenarioInstallOutput>,
        call: ToolCall::Steps(|alc, arguments, info| {
            let ScenarioInstallArgs { url } = parse_arguments(arguments)?;
            match local_path(&url) {
                // A folder may hold any number of names.
                Some(path) => {
                    let source = alc.grants.open_folder(path, Grant::Read)?;
                    let grants = Arc::clone(&alc.grants);
                    Ok(continue_large(&alc.scenarios, move |scenarios, info| {
                        let is_private = |file: &str| grants.is_private(&source, file);
                        serialize_output(&install_scenarios(scenarios, &source, &is_private, info)?)
                            .map(ToolOutput::from)
                    }))
                }
                None => {
                    let installed = install_repository_scenarios(&alc.scenarios, &alc.git, &url, info)?;
                    serialize_output(&installed).map(ToolOutput::from).map(Step::Done)
                }
            }
        }),
    },
];

fn list_scenarios(scenarios: &ScenarioStore) -> Result<ScenarioListOutput, ServiceError> {
    let mut listed = ScenarioListOutput { scenarios: Vec::new(), failures: Vec::new() };
    let folder = match scenarios.open_folder() {
        Ok(folder) => folder,
        Err(AppDirError::NotFound(_)) => return Ok(listed),
        Err(error) => return Err(ServiceError::from_list_error("the scenarios", error)),
    };
    for stem in list_scenario_stems(&folder, "the scenarios")? {
        if listed.scenarios.len() + listed.failures.len() >= MAX_LISTED_SCENARIOS {
            listed.failures.push(format!("more than {MAX_LISTED_SCENARIOS} scenarios: the others are left out"));
            break;
        }
        let file = format!("{stem}{SCENARIO_SUFFIX}");
        match (ScenarioName::parse(&stem), folder.stat(&file)) {
            (Ok(_), Ok(stat)) => {
                listed.scenarios.push(ScenarioEntry { path: scenario_path(&stem), name: stem, size_bytes: stat.len });
            }
            (Err(error), _) => listed.failures.push(format!("{}: the name {error}", escape_and_truncate(&file))),
            // Removed since the listing.
            (Ok(_), Err(AppDirError::NotFound(_))) => {}
            (Ok(_), Err(AppDirError::DanglingLink(_))) => {
                listed.failures.push(format!("{file} is a link to a missing file"));
            }
            (Ok(_), Err(error)) => listed.failures.push(access_error(&file, error).to_string()),
        }
    }
    Ok(listed)
}

fn show_scenario(scenarios: &ScenarioStore, name: &str) -> Result<ScenarioShowOutput, ServiceError> {
    let name = ScenarioName::parse(name).map_err(|error| {
        ServiceError::tool(
            code::INVALID_NAME,
            format!("Invalid scenario name: '{}' {error}", escape_and_truncate(name)),
        )
    })?;
    let path = scenario_path(name.as_str());
    match scenarios.read_source(&name, MAX_PAGE_BYTES as u64) {
        Ok(content) => Ok(ScenarioShowOutput { name: name.to_string(), path, content }),
        Err(AppDirError::NotFound(_)) => {
            Err(ServiceError::tool(code::NOT_FOUND, format!("Scenario '{name}' not found")))
        }
        Err(AppDirError::TooLarge { len, limit, .. }) => Err(ServiceError::tool(
            code::TOO_LARGE,
            format!(
                "scenario '{name}' has {}, the limit is {}: read alc://scenarios/{name}",
                ByteSize(len),
                ByteSize(limit)
            ),
        )),
        Err(error) => Err(ServiceError::from_read_error(&format!("scenario '{name}'"), error)),
    }
}

/// Installs the scenarios of a repository: those of its folder `scenarios`, or else its files.
fn install_repository_scenarios(
    scenarios: &ScenarioStore,
    git: &GitSource,
    url: &str,
    info: &RequestInfo,
) -> Result<ScenarioInstallOutput, ServiceError> {
    let repository = git.fetch(url, info)?;
    let root = repository.folder();
    match root.open_folder(SCENARIOS_DIR) {
        Ok(source) => install_scenarios(scenarios, &source, &|_| false, info),
        Err(AppDirError::NotFound(_)) => install_scenarios(scenarios, root, &|_| false, info),
        Err(error) => Err(access_error("the scenarios of the repository", error)),
    }
}

fn install_scenarios(
    scenarios: &ScenarioStore,
    source: &Folder,
    is_private: &dyn Fn(&str) -> bool,
    info: &RequestInfo,
) -> Result<ScenarioInstallOutput, ServiceError> {
    let copied = scenarios.copy_new_from(source, is_private, &|| info.cancellation.is_cancelled())?;
    if copied.is_empty() {
        return Err(ServiceError::tool(code::NOT_FOUND, "No .lua scenario files found in source."));
    }
    let CopiedScenarios { installed, skipped, failures } = copied;
    Ok(ScenarioInstallOutput { installed, skipped, failures })
}
