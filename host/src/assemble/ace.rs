//! The service `ace`: the playbook, the logs, and the helper that replaces the playbook of a project.
//!
//! Owns: what a server may write: the folders of the logs, and the playbook through its helper alone.
//! Never: opens a folder that the operator did not name, or creates one for a server that was not asked for the
//! service.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::ace_paths::{LearningLogLocation, LearningPaths, LocatedFor, locate};
use super::settings::Settings;
use super::{AssembledFor, ServiceInputs, grant_access, helpers, open_app_dir, open_granted};
use crate::report::{CommandError, SELF_START_HINT};
use wardroom_ace::{
    Ace, AceInputs, AceOptions, BulletBudget, BulletReview, FilePlace, Hundredths, LEARNING_DIR, LearningPlaces,
    LearningPreview, PlaybookHelper, PlaybookHelperConfig, PlaybookPlace, SectionRoute,
};
use wardroom_appdir::{AppDirError, Folder, ambient};
use wardroom_base::payload::Payload;
use wardroom_config::AceConfig;
use wardroom_net::HelperConfinement;
use wardroom_process::confine::FolderRights;
use wardroom_service::audit::AuditTrail;
use wardroom_service::{Catalogue, ServiceError};

/// The name and the version by which clients of the original know the server.
pub(super) const ORIGINAL_IDENTITY: (&str, &str) = ("ace-learning-server", "1.0.0");
/// The folder of the tracker `bd` in a project.
const TRACKER_DIR: &str = ".beads";

pub(crate) fn build(parts: &ServiceInputs<'_>) -> Result<Ace, CommandError> {
    let settings = parts.settings;
    let Some(mut inputs) = open_learning_log(settings, &parts.app)? else { return Ok(Ace::new(None)) };
    if !inputs.is_in_app_dir {
        let places = &mut inputs.places;
        if let (AssembledFor::Server, PlaybookPlace::Own(watched)) = (parts.purpose, &places.playbook) {
            let helper = start_playbook_helper(settings, watched)?;
            places.playbook = PlaybookPlace::Helper { helper, watched: watched.clone() };
        }
        // An append that fails is cut off again.
        let rights = if settings.read_only { FolderRights::Read } else { FolderRights::Write };
        let mut grants = parts.extra_grants.borrow_mut();
        grants.extend([&places.traces, &places.insights].map(|place| (place.folder.clone(), rights)));
        grants.extend(places.tracker.iter().map(|place| (place.folder.clone(), FolderRights::Read)));
    }
    Ok(Ace::new(Some(inputs)))
}

/// Returns the folders and files of a project's learning log that a server writes.
pub(super) fn written_folders(settings: &Settings) -> Vec<PathBuf> {
    let LearningLogLocation::Project(paths) = locate(settings, LocatedFor::Use) else { return Vec::new() };
    if !settings.offers("ace") {
        return Vec::new();
    }
    let folders = [&paths.traces, &paths.insights].map(|path| path.parent().map(Path::to_path_buf));
    folders.into_iter().flatten().chain([paths.playbook]).collect()
}

fn start_playbook_helper(settings: &Settings, place: &FilePlace) -> Result<PlaybookHelper, CommandError> {
    const FAILED: &str = "cannot start the process that replaces the playbook";
    let LearningLogLocation::Project(paths) = locate(settings, LocatedFor::Use) else {
        return Err(CommandError::new(FAILED, SELF_START_HINT));
    };
    let failed = |error| CommandError::with_cause(FAILED, error, SELF_START_HINT);
    let folder = paths
        .playbook
        .parent()
        .and_then(Path::to_str)
        .ok_or_else(|| CommandError::new(FAILED, "give the folders above the playbook names in UTF-8"))?;
    let config = PlaybookHelperConfig {
        folder: folder.to_owned(),
        file: place.name.clone(),
        is_read_only: settings.read_only,
        creates_sections: settings.config.ace.create_sections,
    };
    let program = ambient::current_exe().map_err(|error| CommandError::with_cause(FAILED, error, SELF_START_HINT))?;
    let helper = PlaybookHelper::start(&program, &config).map_err(failed)?;
    // The start of a server does not wait for what it can log afterwards.
    if settings.config.sandbox.require {
        let walls = helper.walls().map_err(|error| CommandError::with_cause(FAILED, error, SELF_START_HINT))?;
        let walls = HelperConfinement { active: walls.active, missing: walls.missing };
        helpers::check_walls(settings, "the playbook", &walls)?;
    }
    Ok(helper)
}

/// Returns the files of the learning log, for a command that creates those that are missing, and where they are.
pub(crate) fn create_learning_places(settings: &Settings) -> Result<(LearningPlaces, String), CommandError> {
    let failed = |error| {
        let hint = "name a folder that you may write with --project, or with `[ace] root` in the configuration";
        CommandError::with_cause("cannot make the learning log", error, hint)
    };
    match locate(settings, LocatedFor::Creation) {
        LearningLogLocation::Project(paths) => {
            if !ambient::is_dir(&paths.root) {
                ambient::create_folder(&paths.root).map_err(failed)?;
            }
            let places = open_places(settings, &paths)?;
            Ok((places, paths.root.display().to_string()))
        }
        LearningLogLocation::AppDir => {
            let folder = open_app_dir(settings)?.create_folder(LEARNING_DIR).map_err(failed)?;
            let shown = settings.app_dir.path.join(LEARNING_DIR).display().to_string();
            Ok((LearningPlaces::below(&folder), shown))
        }
    }
}

/// Opens the files of the learning log for a command, with the folder of its project. A log in the AppDir is about the
/// working directory.
pub(crate) fn learning_places(settings: &Settings) -> Result<(LearningPlaces, PathBuf), CommandError> {
    let root = match locate(settings, LocatedFor::Use) {
        LearningLogLocation::Project(paths) => paths.root,
        LearningLogLocation::AppDir => ambient::working_dir().unwrap_or_else(|| PathBuf::from(".")),
    };
    Ok((open_existing(settings)?.1.places, root))
}

/// Returns the path of the playbook, where it is in a project.
pub(crate) fn playbook_path(settings: &Settings) -> Option<PathBuf> {
    match locate(settings, LocatedFor::Use) {
        LearningLogLocation::Project(paths) => Some(paths.playbook),
        LearningLogLocation::AppDir => None,
    }
}

/// Opens the learning log alone, for a command.
pub(crate) fn standalone_ace(settings: &Settings) -> Result<Arc<Catalogue>, CommandError> {
    let (app, inputs) = open_existing(settings)?;
    Ok(Arc::new(Catalogue::new(vec![Arc::new(Ace::new(Some(inputs)))]).with_audit(AuditTrail::new(&app))))
}

fn open_existing(settings: &Settings) -> Result<(Folder, AceInputs), CommandError> {
    let app = open_app_dir(settings)?;
    let inputs = open_learning_log(settings, &app)?;
    Ok((app, inputs.ok_or_else(|| no_learning_log(settings))?))
}

/// Opens the proposals of the learning log, for a command.
pub(crate) fn bullet_review(settings: &Settings) -> Result<BulletReview, CommandError> {
    let (app, inputs) = open_existing(settings)?;
    Ace::new(Some(inputs)).review(AuditTrail::new(&app)).ok_or_else(|| no_learning_log(settings))
}

/// Returns what an analysis and an update would do with these arguments of both tools. Nothing is written.
pub(crate) fn preview_learning(
    settings: &Settings,
    analysis: Payload,
    update: Payload,
) -> Result<Result<LearningPreview, ServiceError>, CommandError> {
    let ace = Ace::new(Some(open_existing(settings)?.1));
    ace.preview_learning(analysis, update).ok_or_else(|| no_learning_log(settings))
}

fn no_learning_log(settings: &Settings) -> CommandError {
    let hint = format!("run {} ace init to make one", settings.command_line());
    CommandError::new("there is no learning log", hint)
}

/// Opens the files; `None` if there is no log, and the service was not asked for by name.
fn open_learning_log(settings: &Settings, app: &Folder) -> Result<Option<AceInputs>, CommandError> {
    let failed = |error| CommandError::with_cause("cannot open the learning log", error, settings.doctor_hint());
    let options = options_of(&settings.config.ace);
    let is_named = settings.services.as_ref().is_some_and(|names| names.iter().any(|name| name == "ace"));
    if let LearningLogLocation::Project(paths) = locate(settings, LocatedFor::Use) {
        if !is_named && !paths.is_named && !paths.exist() {
            return Ok(None);
        }
        let places = open_places(settings, &paths)?;
        return Ok(Some(AceInputs { places, is_in_app_dir: false, options }));
    }
    let folder = match app.open_folder(LEARNING_DIR) {
        Err(AppDirError::NotFound(_)) if is_named && !app.is_read_only() => app.create_folder(LEARNING_DIR),
        Err(AppDirError::NotFound(_)) => return Ok(None),
        opened => opened,
    };
    let places = LearningPlaces::below(&folder.map_err(failed)?.reporting_removal());
    Ok(Some(AceInputs { places, is_in_app_dir: true, options }))
}

/// Opens the folders of a project's log. Those of the logs are created when missing: a confined server cannot.
fn open_places(settings: &Settings, paths: &LearningPaths) -> Result<LearningPlaces, CommandError> {
    let failed = |error| {
        let hint = "correct --project, the variables ACE_…, or `[ace]` in the configuration, or create that folder";
        CommandError::with_cause("cannot open the learning log", error, hint)
    };
    let (folder, name) = ambient::split_path(&paths.playbook).map_err(failed)?;
    let beside = open_granted(settings, folder, grant_access(settings)).map_err(failed)?.reporting_removal();
    let project = open_granted(settings, &paths.root, grant_access(settings)).map_err(failed)?;
    let log = |path: &Path| open_log_place(settings, &project, paths, path);
    let tracker = project.open_folder(TRACKER_DIR).ok().map(|folder| FilePlace::new(&folder, "issues.jsonl"));
    Ok(LearningPlaces {
        traces: log(&paths.traces)?,
        insights: log(&paths.insights)?,
        playbook: PlaybookPlace::Own(FilePlace::new(&beside, name)),
        tracker,
    })
}

/// Opens the folder of a log, which a server may write. So it is not the one in which the project has its programs.
fn open_log_place(
    settings: &Settings,
    project: &Folder,
    paths: &LearningPaths,
    path: &Path,
) -> Result<FilePlace, CommandError> {
    const FAILED: &str = "cannot open the folder of a log";
    let failed = |error| CommandError::with_cause(FAILED, error, "create that folder, or name another one");
    let (folder, name) = ambient::split_path(path).map_err(failed)?;
    // Below the project, a link of the project's decides nothing.
    let folder = match folder.strip_prefix(&paths.root).ok().and_then(Path::to_str).filter(|below| !below.is_empty()) {
        Some(below) if project.read_link(below).is_ok() => {
            let what = format!("the folder of the logs is a link: {}", folder.display());
            return Err(CommandError::new(what, "replace the link by a folder, or name the folder with `[ace]`"));
        }
        Some(below) => match project.open_folder(below) {
            Err(AppDirError::NotFound(_)) if !settings.read_only => project.create_folder(below),
            // What is missing is reported when it is read.
            Err(AppDirError::NotFound(_)) => return Ok(FilePlace::new(project, format!("{below}/{name}"))),
            opened => opened,
        },
        None => open_granted(settings, folder, grant_access(settings)),
    };
    let folder = folder.map_err(failed)?.reporting_removal();
    let own = ambient::canonicalize(path.parent().unwrap_or(Path::new("."))).map_err(failed)?;
    let holds = |other: Option<&Path>| ambient::canonicalize(other?).ok().map(|other| other.starts_with(&own));
    if [Some(paths.root.as_path()), paths.playbook.parent()].into_iter().any(|other| holds(other) != Some(false)) {
        let what = format!("the logs and the playbook may not share a folder: {}", own.display());
        return Err(CommandError::new(what, "move the logs to a folder of their own, such as logs"));
    }
    Ok(FilePlace::new(&folder, name))
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
        budget: BulletBudget {
            max_lines: config.max_bullet_lines.unwrap_or(default.budget.max_lines),
            max_tokens: config.max_bullet_tokens.unwrap_or(default.budget.max_tokens),
        },
        routes: routes.unwrap_or(default.routes),
    }
}
