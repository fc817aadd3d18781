//! `alc_card_install`: copies the cards of a collection unchanged.
//!
//! Owns: the layout of a collection: a folder with `alc_cards.toml` and one subfolder per package.
//! Never: replaces a card, or reads outside the granted folders.

use serde_json::{Value, json};

use super::{CancelCheck, CardStore};
use crate::error_code as code;
use crate::git_source::{GitSource, local_path};
use crate::grants::Grant;
use crate::packages::PackageStore;
use crate::storage_error::access_error;
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_appdir::{AppDirError, EntryKind, Folder};
use wardroom_base::uri::{CardId, PackageName};
use wardroom_service::{RequestInfo, ServiceError, escape_and_truncate};

const COLLECTION_FILE: &str = "alc_cards.toml";

/// Installs the cards of a folder on this machine, or of a repository.
pub(super) fn install_cards(
    cards: &CardStore,
    packages: &PackageStore,
    git: &GitSource,
    source: &str,
    info: &RequestInfo,
) -> Result<Value, ServiceError> {
    let stop: CancelCheck = &|| info.cancellation.is_cancelled();
    // As in the original, a source that is not a path is fetched.
    let Some(path) = local_path(source) else {
        let repository = git.fetch(source, info)?;
        let done = import_collection(cards, repository.folder(), &repository.url, stop)?;
        packages.add_registry(&repository.url, "card_install")?;
        return Ok(done);
    };
    let (granted, name) = packages.grants().resolve_path(path, Grant::Read)?;
    let folder = if name.is_empty() {
        granted
    } else {
        granted.open_folder(&name).map_err(|error| access_error("the collection", error))?
    };
    import_collection(cards, &folder, source, stop)
}

fn import_collection(
    cards: &CardStore,
    folder: &Folder,
    source: &str,
    stop: CancelCheck,
) -> Result<Value, ServiceError> {
    let io = |error| access_error("the collection", error);
    match folder.stat(COLLECTION_FILE) {
        Err(AppDirError::NotFound(_)) => {
            let message =
                format!("{} is not a card collection: it has no {COLLECTION_FILE}", escape_and_truncate(source));
            return Err(ServiceError::tool(code::NOT_A_COLLECTION, message));
        }
        stat => stat.map(drop).map_err(io)?,
    }
    let mut summary = CardImportSummary::default();
    for entry in folder.entries(MAX_NAMES_SCANNED).map_err(io)? {
        let is_package = entry.kind == EntryKind::Folder && !entry.name.starts_with(['_', '.']);
        let Some(package) = PackageName::parse(&entry.name).ok().filter(|_| is_package) else { continue };
        let below = folder.open_folder(&entry.name).map_err(io)?;
        let before = summary.imported.len() + summary.skipped.len();
        import_package_cards(cards, &below, &package, &mut summary, stop)?;
        if summary.imported.len() + summary.skipped.len() > before {
            summary.packages.push(package.to_string());
        }
    }
    let mut answer = json!({
        "installed_cards": summary.imported,
        "skipped_cards": summary.skipped,
        "packages": summary.packages,
        "source": source,
        "mode": "card_collection",
    });
    if let Some(answer) = answer.as_object_mut().filter(|_| !summary.warnings.is_empty()) {
        answer.insert("storage_warnings".to_owned(), summary.warnings.into());
    }
    Ok(answer)
}

/// Imports the cards of one package.
fn import_package_cards(
    cards: &CardStore,
    folder: &Folder,
    package: &PackageName,
    summary: &mut CardImportSummary,
    stop: CancelCheck,
) -> Result<(), ServiceError> {
    for entry in folder.entries(MAX_NAMES_SCANNED).map_err(|error| access_error("the collection", error))? {
        if stop() {
            return Err(access_error("the collection", AppDirError::Cancelled(entry.name)));
        }
        let id = entry.name.strip_suffix(".toml").filter(|_| entry.kind == EntryKind::File);
        let Some(card) = id.and_then(|id| CardId::parse(id).ok()) else { continue };
        match cards.import_card_file(folder, package, &card) {
            Ok(Some(true)) => summary.imported.push(card.to_string()),
            Ok(Some(false)) => summary.skipped.push(card.to_string()),
            // A TOML file that is not a card.
            Ok(None) => {}
            Err(error) => summary.warnings.push(format!("card '{card}': {error}")),
        }
    }
    Ok(())
}

#[derive(Default)]
struct CardImportSummary {
    imported: Vec<String>,
    skipped: Vec<String>,
    packages: Vec<String>,
    warnings: Vec<String>,
}
