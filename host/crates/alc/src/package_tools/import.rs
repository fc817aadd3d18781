//! Imports the cards of a package, and the scenarios beside it.
//!
//! Never: replaces an existing card or scenario.

use super::PackageInstaller;
use crate::error_code as code;
use crate::storage_error::{access_error, write_error};
use wardroom_appdir::{AppDirError, Folder};
use wardroom_base::uri::{CardId, PackageName, ScenarioName};
use wardroom_net::limits::MAX_INSTALL_ENTRIES;
use wardroom_service::limits::MAX_DOCUMENT_BYTES;
use wardroom_service::{ServiceError, escape_and_truncate};

/// The cards and scenarios imported with a package.
#[derive(Default)]
pub(super) struct ImportSummary {
    pub(super) cards: Vec<String>,
    pub(super) card_failures: Vec<String>,
    pub(super) scenarios: Vec<String>,
    pub(super) scenario_failures: Vec<String>,
}

impl PackageInstaller<'_> {
    /// Imports the cards of a package, and the scenarios beside it. Those whose id exists already are kept as they are.
    pub(super) fn import_cards_and_scenarios(
        &self,
        from: &Folder,
        package: Option<&PackageName>,
    ) -> Result<ImportSummary, ServiceError> {
        let mut imported = ImportSummary::default();
        // A link of the source may lead into a folder of the services.
        let open = |name: &str| match from.open_folder(name) {
            _ if self.packages.grants().is_private(from, name) => Ok(None),
            Err(AppDirError::NotFound(_)) => Ok(None),
            opened => opened.map(Some).map_err(|error| access_error(name, error).to_string()),
        };
        if let Some(package) = package {
            match open("cards") {
                Ok(Some(cards)) => self.import_new_cards(&cards, package, &mut imported)?,
                Ok(None) => {}
                Err(why) => imported.card_failures.push(why),
            }
        }
        match open("scenarios") {
            Ok(Some(scenarios)) => self.import_new_scenarios(&scenarios, &mut imported)?,
            Ok(None) => {}
            Err(why) => imported.scenario_failures.push(why),
        }
        Ok(imported)
    }

    /// Imports cards like `alc_card_install`: a card's id is unique in all packages.
    fn import_new_cards(
        &self,
        from: &Folder,
        package: &PackageName,
        imported: &mut ImportSummary,
    ) -> Result<(), ServiceError> {
        for entry in from.entries(MAX_INSTALL_ENTRIES).map_err(|error| write_error("cards", error))? {
            let Some(id) = entry.name.strip_suffix(".toml").and_then(|stem| CardId::parse(stem).ok()) else { continue };
            match self.cards.import_card_file(from, package, &id) {
                Ok(Some(true)) => imported.cards.push(id.to_string()),
                Ok(Some(false) | None) => {}
                Err(
                    error @ ServiceError::Tool {
                        code: code::DISK_FULL | code::BUSY | code::READ_ONLY | code::NOT_PERMITTED,
                        ..
                    },
                ) => {
                    return Err(error);
                }
                Err(error) => imported.card_failures.push(format!("{id}: {error}")),
            }
        }
        Ok(())
    }

    fn import_new_scenarios(&self, from: &Folder, imported: &mut ImportSummary) -> Result<(), ServiceError> {
        let failed = |error| write_error("scenarios", error);
        for entry in from.entries(MAX_INSTALL_ENTRIES).map_err(failed)? {
            let Some(stem) = entry.name.strip_suffix(".lua") else { continue };
            if ScenarioName::parse(stem).is_err() || stem.starts_with(['.', '_']) {
                imported
                    .scenario_failures
                    .push(format!("{}: not the name of a scenario", escape_and_truncate(&entry.name)));
                continue;
            }
            let scenarios = self.scenarios.create_folder().map_err(failed)?;
            match scenarios.copy_file_from(&entry.name, from, &entry.name, MAX_DOCUMENT_BYTES) {
                Ok(()) => imported.scenarios.push(stem.to_owned()),
                Err(AppDirError::AlreadyExists(_)) => {}
                Err(
                    error @ (AppDirError::DiskFull(_) | AppDirError::ReadOnly(_) | AppDirError::PermissionDenied(_)),
                ) => {
                    return Err(failed(error));
                }
                Err(error) => {
                    tracing::warn!(%error, "cannot import a scenario");
                    imported.scenario_failures.push(format!("{stem}: cannot be imported"));
                }
            }
        }
        Ok(())
    }
}
