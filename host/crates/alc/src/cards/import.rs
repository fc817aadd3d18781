//! `alc_card_install`: the cards of a collection, copied as they are.
//!
//! Owns: what a collection is: a folder with `alc_cards.toml`, and in it a folder for each package.
//! Never: replaces a card, or reads outside the folders that were granted.

use serde_json::{Value, json};

use super::store::{SCHEMA, samples_name};
use super::{Stop, failed, file_name, refused};
use crate::fetched::local;
use crate::{Alc, places};
use wardroom_appdir::{AppDirError, EntryKind, Folder};
use wardroom_base::limits::{MAX_CARD_BYTES, MAX_COPIED_SAMPLES_BYTES, MAX_NAMES_SCANNED};
use wardroom_base::toml_text;
use wardroom_base::uri::{CardId, PackageName};
use wardroom_service::{CallContext, ServiceError, shown};

const MARK: &str = "alc_cards.toml";

impl Alc {
    /// Installs the cards of a folder on this machine, or of a repository.
    pub(super) fn install_cards(&self, source: &str, context: &CallContext) -> Result<Value, ServiceError> {
        let stop: Stop = &|| context.cancelled.is_cancelled();
        // As the original: what is no path is fetched.
        let Some(path) = local(source) else {
            let repository = self.repository(source, context)?;
            let done = self.take_cards(repository.folder(), &repository.url, stop)?;
            self.add_registry(&repository.url, "card_install")?;
            return Ok(done);
        };
        let (granted, name) = places::place(self, path, places::Grant::Read)?;
        let folder = if name.is_empty() {
            granted
        } else {
            granted.folder(&name).map_err(|error| failed("the collection", error))?
        };
        self.take_cards(&folder, source, stop)
    }

    fn take_cards(&self, folder: &Folder, source: &str, stop: Stop) -> Result<Value, ServiceError> {
        let io = |error| failed("the collection", error);
        match folder.stat(MARK) {
            Err(AppDirError::NotFound(_)) => {
                let message = format!("{} is no collection of cards: it has no {MARK}", shown(source));
                return Err(refused("NOT_A_COLLECTION", message));
            }
            stat => stat.map(drop).map_err(io)?,
        }
        let mut installed = Installed::default();
        for entry in folder.entries(MAX_NAMES_SCANNED).map_err(io)? {
            let is_package = entry.kind == EntryKind::Folder && !entry.name.starts_with(['_', '.']);
            let Some(package) = PackageName::parse(&entry.name).ok().filter(|_| is_package) else { continue };
            let below = folder.folder(&entry.name).map_err(io)?;
            let before = installed.cards.len() + installed.skipped.len();
            self.import_package(&below, &package, &mut installed, stop)?;
            if installed.cards.len() + installed.skipped.len() > before {
                installed.packages.push(package.to_string());
            }
        }
        let mut answer = json!({
            "installed_cards": installed.cards,
            "skipped_cards": installed.skipped,
            "packages": installed.packages,
            "source": source,
            "mode": "card_collection",
        });
        if let Some(answer) = answer.as_object_mut().filter(|_| !installed.warnings.is_empty()) {
            answer.insert("storage_warnings".to_owned(), installed.warnings.into());
        }
        Ok(answer)
    }

    /// Imports the cards of one package.
    fn import_package(
        &self,
        folder: &Folder,
        package: &PackageName,
        installed: &mut Installed,
        stop: Stop,
    ) -> Result<(), ServiceError> {
        for entry in folder.entries(MAX_NAMES_SCANNED).map_err(|error| failed("the collection", error))? {
            if stop() {
                return Err(failed("the collection", AppDirError::Stopped(entry.name)));
            }
            let id = entry.name.strip_suffix(".toml").filter(|_| entry.kind == EntryKind::File);
            let Some(card) = id.and_then(|id| CardId::parse(id).ok()) else { continue };
            match self.import_file(folder, package, &card) {
                Ok(Some(true)) => installed.cards.push(card.to_string()),
                Ok(Some(false)) => installed.skipped.push(card.to_string()),
                // Another file of TOML.
                Ok(None) => {}
                Err(error) => installed.warnings.push(format!("card '{card}': {error}")),
            }
        }
        Ok(())
    }

    /// Copies one card of a folder with its rows, where no card in any package has its id: whether it did, and nothing for
    /// what is no card.
    pub(crate) fn import_file(
        &self,
        folder: &Folder,
        package: &PackageName,
        card: &CardId,
    ) -> Result<Option<bool>, ServiceError> {
        let what = format!("card '{card}'");
        let (text, _) = folder.read_text(&file_name(card), MAX_CARD_BYTES).map_err(|error| failed(&what, error))?;
        let schema = toml_text::parse(&text).ok().and_then(|mut card| card.remove("schema_version"));
        if schema.as_ref().and_then(toml::Value::as_str) != Some(SCHEMA) {
            return Ok(None);
        }
        let samples = match folder.read_text(&samples_name(card), MAX_COPIED_SAMPLES_BYTES) {
            Ok((samples, _)) => Some(samples),
            Err(AppDirError::NotFound(_)) => None,
            Err(error) => return Err(failed(&format!("the samples of {what}"), error)),
        };
        self.import_card(package, card, &text, samples.as_deref()).map(Some)
    }
}

#[derive(Default)]
struct Installed {
    cards: Vec<String>,
    skipped: Vec<String>,
    packages: Vec<String>,
    warnings: Vec<String>,
}
