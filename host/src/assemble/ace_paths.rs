//! Which files are the learning log of this process: those of a project, or those in the AppDir.
//!
//! Owns: the order of precedence: variables, configuration, a named project, a project that is found, the AppDir.
//! Never: opens a file of them.

use std::path::{Path, PathBuf};

use super::settings::Settings;
use wardroom_ace::{INSIGHTS_FILE, PLAYBOOK_FILE, TRACES_FILE};
use wardroom_appdir::ambient;

/// Where the files are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum LearningLogLocation {
    AppDir,
    Project(LearningPaths),
}

/// The files of a project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct LearningPaths {
    /// The folder of the project.
    pub(super) root: PathBuf,
    pub(super) playbook: PathBuf,
    pub(super) traces: PathBuf,
    pub(super) insights: PathBuf,
    /// Whether the operator named the files or their folder, and not a project for other reasons.
    pub(super) is_named: bool,
}

/// What a log is located for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LocatedFor {
    Use,
    /// A new log lies in the project around the working directory, if there is one.
    Creation,
}

impl LearningPaths {
    /// Whether the project has a learning log, and not only a file for agents.
    pub(super) fn exist(&self) -> bool {
        ambient::is_file(&self.traces) || ambient::is_file(&self.insights)
    }
}

pub(super) fn locate(settings: &Settings, purpose: LocatedFor) -> LearningLogLocation {
    let (config, named) = (&settings.config.ace, &settings.learning_files);
    let working_dir = ambient::working_dir().unwrap_or_else(|| PathBuf::from("."));
    let own = |variable: &Option<PathBuf>, configured: &Option<PathBuf>| {
        let configured = configured.clone().map(|path| match &config.root {
            Some(root) => root.join(path),
            None => path,
        });
        variable.as_ref().map(|path| working_dir.join(path)).or(configured)
    };
    let playbook = own(&named.playbook, &config.knowledge_base);
    let traces = own(&named.traces, &config.traces_path);
    let insights = own(&named.insights, &config.insights_path);
    let are_files_named = playbook.is_some() || traces.is_some() || insights.is_some();
    let of_playbook = || playbook.as_ref()?.parent().map(Path::to_path_buf);
    let root = config.root.clone().or_else(of_playbook).or_else(|| settings.global_args.project.clone());
    let root = root.map(|root| working_dir.join(root));
    let root = root.or_else(|| find_project(&working_dir, purpose));
    let Some(root) = root.or_else(|| are_files_named.then(|| working_dir.clone())) else {
        return LearningLogLocation::AppDir;
    };
    LearningLogLocation::Project(LearningPaths {
        playbook: playbook.unwrap_or_else(|| root.join(PLAYBOOK_FILE)),
        traces: traces.unwrap_or_else(|| root.join(TRACES_FILE)),
        insights: insights.unwrap_or_else(|| root.join(INSIGHTS_FILE)),
        is_named: are_files_named || config.root.is_some(),
        root,
    })
}

/// Finds the nearest folder with a learning log; a new one may lie in any project.
fn find_project(working_dir: &Path, purpose: LocatedFor) -> Option<PathBuf> {
    let has_log = |folder: &Path| {
        let is_file = |name| ambient::is_file(&folder.join(name));
        is_file(PLAYBOOK_FILE) && (is_file(TRACES_FILE) || is_file(INSIGHTS_FILE))
    };
    let is_project =
        |folder: &Path| ambient::is_file(&folder.join("alc.toml")) || ambient::exists(&folder.join(".git"));
    let found = ambient::find_ancestor(working_dir, has_log);
    found.or_else(|| match purpose {
        LocatedFor::Use => None,
        LocatedFor::Creation => ambient::find_ancestor(working_dir, is_project),
    })
}
