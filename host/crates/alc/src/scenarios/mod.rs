//! Scenarios: Lua files with the cases of an evaluation, as `alc://scenarios/{name}` and for tools and scripts.
//!
//! Owns: `scenarios/`, and which files of a folder are scenarios.
//! Gives: a scenario as a resource and as text, their names, and the copy of new ones.
//! Never: replaces a scenario.

mod copy;
mod tools;

pub(super) use self::tools::TOOLS;
use super::DOCUMENT_LIMITS;
use crate::limits::MAX_COMPARED_NAMES;
use crate::listed_names::list_stems;
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_appdir::{AppDirError, EntryKind, Folder};
use wardroom_base::uri::ScenarioName;
use wardroom_ranking::closest_name;
use wardroom_service::{Dependencies, ResourceContent, ServiceError, Work, mime};

/// The folder of scenarios, below the AppDir.
const SCENARIOS_DIR: &str = "scenarios";
const SCENARIO_SUFFIX: &str = ".lua";

/// The scenarios of one AppDir.
pub struct ScenarioStore {
    app: Folder,
}

impl ScenarioStore {
    /// Creates the store of the AppDir `app`.
    #[must_use]
    pub fn new(app: Folder) -> Self {
        Self { app }
    }

    /// Resolves the read of a scenario.
    pub(crate) fn resolve_scenario(
        &self,
        name: &ScenarioName,
        uri: &str,
    ) -> Result<Work<ResourceContent>, ServiceError> {
        let file = self.app.open(&scenario_path(name.as_str()));
        let file = file.map_err(|error| ServiceError::from_read_error(uri, error))?;
        Ok(DOCUMENT_LIMITS.read_text(file, uri, |text, modified| Ok(ResourceContent::new(mime::LUA, text, modified))))
    }

    /// Reads the source of a scenario.
    pub(crate) fn read_source(&self, name: &ScenarioName, limit: u64) -> Result<String, AppDirError> {
        self.app.read_text(&scenario_path(name.as_str()), limit).map(|(text, _)| text)
    }

    /// Opens the folder of scenarios, which need not exist.
    fn open_folder(&self) -> Result<Folder, AppDirError> {
        self.app.open_folder(SCENARIOS_DIR)
    }

    /// Opens the folder of scenarios, and creates it if it is missing.
    fn create_folder(&self) -> Result<Folder, AppDirError> {
        self.app.create_folder(SCENARIOS_DIR)
    }

    /// Returns the names of the scenarios that are wanted, unordered.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn list_names(
        &self,
        budget: &mut usize,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<String>, ServiceError> {
        list_stems(&self.app, SCENARIOS_DIR, SCENARIO_SUFFIX, budget, is_wanted)
    }

    /// Returns the scenario that a misspelt name most likely means.
    pub(crate) fn closest_scenario(&self, name: &str) -> Option<String> {
        let mut names_left = MAX_COMPARED_NAMES;
        let mut names = self.list_names(&mut names_left, &|name| ScenarioName::parse(name).is_ok()).ok()?;
        // Of several that are as similar, the same one each time.
        names.sort_unstable();
        closest_name(name, names.iter().map(String::as_str)).filter(|_| names_left > 0).map(str::to_owned)
    }

    /// Adds the file of a scenario.
    pub(crate) fn add_dependencies(&self, name: &ScenarioName, dependencies: &mut Dependencies) {
        dependencies.add_file(&self.app, &scenario_path(name.as_str()));
    }
}

/// Returns a scenario's path below the AppDir.
fn scenario_path(name: &str) -> String {
    format!("{SCENARIOS_DIR}/{name}{SCENARIO_SUFFIX}")
}

/// Returns the names of the `.lua` files of a folder, sorted and without the suffix. Temporary files are excluded.
fn list_scenario_stems(folder: &Folder, what: &str) -> Result<Vec<String>, ServiceError> {
    let entries = folder.entries(MAX_NAMES_SCANNED);
    let entries = entries.map_err(|error| ServiceError::from_list_error(what, error))?;
    let files = entries.into_iter().filter(|entry| matches!(entry.kind, EntryKind::File | EntryKind::Symlink));
    Ok(files.filter_map(|entry| entry.name.strip_suffix(SCENARIO_SUFFIX).map(str::to_owned)).collect())
}
