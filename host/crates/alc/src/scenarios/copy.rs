//! The copy of new scenarios from a folder.
//!
//! Owns: which files of a folder are copied, and why one is not.
//! Never: replaces a scenario.

use super::{SCENARIO_SUFFIX, ScenarioStore, list_scenario_stems};
use crate::error_code as code;
use crate::limits::MAX_INSTALLED_SCENARIOS;
use crate::storage_error::{access_error, is_obstacle};
use wardroom_appdir::{AppDirError, Folder, Privacy};
use wardroom_base::uri::ScenarioName;
use wardroom_service::limits::MAX_DOCUMENT_BYTES;
use wardroom_service::{ServiceError, escape_and_truncate};

/// The scenarios of a folder, by what became of them.
#[derive(Default)]
pub(crate) struct CopiedScenarios {
    pub(crate) installed: Vec<String>,
    /// Scenarios that existed before, and stay as they were.
    pub(crate) skipped: Vec<String>,
    /// Files that could not be copied, each with the reason.
    pub(crate) failures: Vec<String>,
}

impl CopiedScenarios {
    /// Whether the folder had no scenario.
    pub(crate) fn is_empty(&self) -> bool {
        self.installed.is_empty() && self.skipped.is_empty() && self.failures.is_empty()
    }
}

impl ScenarioStore {
    /// Copies those scenarios of a folder that are new here, and no file that `is_private`.
    ///
    /// # Errors
    /// When the folder cannot be listed or has too many scenarios, when `stop` returns true, and when what keeps one scenario
    /// from being written keeps all others too, such as a full disk.
    pub(crate) fn copy_new_from(
        &self,
        source: &Folder,
        is_private: &dyn Fn(&str) -> bool,
        stop: &dyn Fn() -> bool,
    ) -> Result<CopiedScenarios, ServiceError> {
        let mut copied = CopiedScenarios::default();
        let stems = list_scenario_stems(source, "the folder")?;
        if stems.is_empty() {
            return Ok(copied);
        }
        if stems.len() > MAX_INSTALLED_SCENARIOS {
            let message = format!(
                "the folder has {} .lua files, the limit is {MAX_INSTALLED_SCENARIOS}: nothing was installed",
                stems.len()
            );
            return Err(ServiceError::tool(code::TOO_LARGE, message));
        }
        let target = self.create_folder().map_err(|error| ServiceError::from_write_error("the scenarios", error))?;
        for stem in stems {
            if stop() {
                return Err(access_error("the folder", AppDirError::Cancelled(stem)));
            }
            let file = format!("{stem}{SCENARIO_SUFFIX}");
            if let Err(error) = ScenarioName::parse(&stem) {
                copied.failures.push(format!("{}: the name {error}", escape_and_truncate(&file)));
                continue;
            }
            if is_private(&file) {
                copied.failures.push(format!("{file} leads to a folder of this server's own data"));
                continue;
            }
            let text = match source.read_text(&file, MAX_DOCUMENT_BYTES) {
                Ok((text, _)) => text,
                Err(AppDirError::NotFound(_) | AppDirError::DanglingLink(_)) => {
                    copied.failures.push(format!("{file} is missing, or is a link to a missing file"));
                    continue;
                }
                Err(error) => {
                    copied.failures.push(ServiceError::from_read_error(&file, error).to_string());
                    continue;
                }
            };
            match target.create_file(&file, text.as_bytes(), Privacy::Shared) {
                Ok(()) => copied.installed.push(stem),
                Err(AppDirError::AlreadyExists(_)) => copied.skipped.push(stem),
                Err(error) => match access_error(&file, error) {
                    obstacle if is_obstacle(&obstacle) => return Err(obstacle),
                    error => copied.failures.push(error.to_string()),
                },
            }
        }
        Ok(copied)
    }
}
