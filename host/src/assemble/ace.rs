//! The service `ace`: the folder with the playbook and the logs.
//!
//! Never: opens a folder that the operator did not name, or creates one for a server that was not asked for the
//! service.

use std::sync::Arc;

use super::settings::Settings;
use super::{ServiceInputs, folder_access, open_app_dir, open_granted};
use crate::report::CommandError;
use wardroom_ace::{Ace, AceInputs, AceOptions, Hundredths, LEARNING_DIR, SectionRoute};
use wardroom_appdir::{AppDirError, Folder, ambient};
use wardroom_config::AceConfig;
use wardroom_process::confine::FolderRights;
use wardroom_service::Catalogue;
use wardroom_service::audit::AuditTrail;

/// The name and the version by which clients of the original know the server.
pub(super) const ORIGINAL_IDENTITY: (&str, &str) = ("ace-learning-server", "1.0.0");

pub(crate) fn build(parts: &ServiceInputs<'_>) -> Result<Ace, CommandError> {
    let inputs = open_learning_log(parts.settings, &parts.app)?;
    if let Some(inputs) = inputs.as_ref().filter(|inputs| !inputs.is_in_app_dir) {
        let rights = if inputs.folder.is_read_only() { FolderRights::Read } else { FolderRights::Write };
        parts.extra_grants.borrow_mut().push((inputs.folder.clone(), rights));
    }
    Ok(Ace::new(inputs))
}

/// Returns the folder of the learning log, which is created when missing, for a command that fills it.
pub(crate) fn create_learning_folder(settings: &Settings) -> Result<(Folder, String), CommandError> {
    const FAILED: &str = "cannot make the learning log";
    let hint = "name a folder that you may write with `[ace] root` in the configuration";
    match &settings.config.ace.root {
        Some(root) => {
            let folder = match open_granted(settings, root, folder_access(settings)) {
                Err(AppDirError::NotFound(_)) => ambient::create_folder(root),
                opened => opened,
            };
            let folder = folder.map_err(|error| CommandError::with_cause(FAILED, error, hint))?;
            Ok((folder, root.display().to_string()))
        }
        None => {
            let app = open_app_dir(settings)?;
            let folder = app.create_folder(LEARNING_DIR);
            let folder = folder.map_err(|error| CommandError::with_cause(FAILED, error, hint))?;
            Ok((folder, settings.app_dir.path.join(LEARNING_DIR).display().to_string()))
        }
    }
}

/// Opens the learning log alone, for a command.
pub(crate) fn standalone_ace(settings: &Settings) -> Result<Arc<Catalogue>, CommandError> {
    let app = open_app_dir(settings)?;
    let inputs = open_learning_log(settings, &app)?;
    let missing = || {
        let hint = format!("run {} ace init to make one", settings.command_line());
        CommandError::new("there is no learning log", hint)
    };
    let service = Ace::new(Some(inputs.ok_or_else(missing)?));
    Ok(Arc::new(Catalogue::new(vec![Arc::new(service)]).with_audit(AuditTrail::new(&app))))
}

/// Opens the folder; `None` if there is none, and the service was not asked for by name.
fn open_learning_log(settings: &Settings, app: &Folder) -> Result<Option<AceInputs>, CommandError> {
    let failed = |error| {
        let hint = "correct `[ace] root` in the configuration, or create that folder";
        CommandError::with_cause("cannot open the learning log", error, hint)
    };
    let config = &settings.config.ace;
    let options = options_of(config);
    if let Some(root) = &config.root {
        let folder = open_granted(settings, root, folder_access(settings)).map_err(failed)?;
        return Ok(Some(AceInputs { folder, is_in_app_dir: false, options }));
    }
    let is_named = settings.services.as_ref().is_some_and(|names| names.iter().any(|name| name == "ace"));
    let folder = match app.open_folder(LEARNING_DIR) {
        Err(AppDirError::NotFound(_)) if is_named && !app.is_read_only() => app.create_folder(LEARNING_DIR),
        Err(AppDirError::NotFound(_)) => return Ok(None),
        opened => opened,
    };
    Ok(Some(AceInputs { folder: folder.map_err(failed)?, is_in_app_dir: true, options }))
}

fn options_of(config: &AceConfig) -> AceOptions {
    let default = AceOptions::default();
    let routes = config.routes.as_ref().map(|routes| {
        let route = |tags: &[String], section: &str| SectionRoute { tags: tags.to_vec(), section: section.to_owned() };
        routes.iter().map(|row| route(&row.tags, &row.section)).collect()
    });
    AceOptions {
        max_deltas: config.max_deltas.unwrap_or(default.max_deltas),
        min_confidence: config
            .min_confidence
            .map_or(default.min_confidence, |least| Hundredths::new(least.hundredths())),
        creates_sections: config.create_sections,
        routes: routes.unwrap_or(default.routes),
    }
}
