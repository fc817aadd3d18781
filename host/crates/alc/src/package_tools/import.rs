//! Imports the cards of a package, and the scenarios beside it.
//!
//! Never: replaces an existing card or scenario.

use super::PackageInstaller;
use crate::storage_error::{access_error, is_obstacle, write_error};
use wardroom_appdir::{AppDirError, Folder};
use wardroom_base::uri::{CardId, PackageName};
use wardroom_net::limits::MAX_INSTALL_ENTRIES;
use wardroom_service::ServiceError;

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
        stop: &dyn Fn() -> bool,
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
            Ok(Some(scenarios)) => {
                let is_private = |file: &str| self.packages.grants().is_private(&scenarios, file);
                match self.scenarios.copy_new_from(&scenarios, &is_private, stop) {
                    Ok(copied) => {
                        (imported.scenarios, imported.scenario_failures) = (copied.installed, copied.failures);
                    }
                    Err(error) if is_obstacle(&error) => return Err(error),
                    Err(error) => imported.scenario_failures.push(error.to_string()),
                }
            }
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
                Err(error) if is_obstacle(&error) => return Err(error),
                Err(error) => imported.card_failures.push(format!("{id}: {error}")),
            }
        }
        Ok(())
    }
}
