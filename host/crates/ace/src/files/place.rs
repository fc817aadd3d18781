//! Where the files of a learning log are, which the operator decides.
//!
//! Owns: the names of the files below one folder.
//! Never: opens a file.

use super::playbook_helper::PlaybookHelper;
use wardroom_appdir::{AppDirError, Folder};
use wardroom_process::helper_channel::HelperError;

pub(crate) const PLAYBOOK_FILE: &str = "AGENTS.md";
pub(crate) const LOGS_DIR: &str = "logs";
/// The issues of the tracker `bd`.
const TRACKER_FILE: &str = ".beads/issues.jsonl";

/// A file by its name below a folder.
#[derive(Debug, Clone)]
pub struct FilePlace {
    pub folder: Folder,
    pub name: String,
}

/// The files of a learning log.
#[derive(Debug, Clone)]
pub struct LearningPlaces {
    pub playbook: PlaybookPlace,
    pub traces: FilePlace,
    pub insights: FilePlace,
    /// The issues of a tracker, which have the titles of tasks.
    pub tracker: Option<FilePlace>,
}

/// Why the playbook cannot be read or replaced.
#[derive(Debug, thiserror::Error)]
pub enum PlaybookError {
    #[error(transparent)]
    File(#[from] AppDirError),
    #[error("the process that reads and changes {PLAYBOOK_FILE}: {0}")]
    Helper(#[from] HelperError),
}

/// The playbook, and who reads and replaces it.
#[derive(Debug, Clone)]
pub enum PlaybookPlace {
    /// This process.
    Own(FilePlace),
    /// A helper: a confined server has no rights in the folder of a project. Changes of the file show all the same.
    Helper { helper: PlaybookHelper, watched: FilePlace },
}

impl FilePlace {
    #[must_use]
    pub fn new(folder: &Folder, name: impl Into<String>) -> Self {
        Self { folder: folder.clone(), name: name.into() }
    }

    /// Returns the place of another file in the same folder.
    pub(crate) fn sibling(&self, name: &str) -> Self {
        let parent = self.name.rsplit_once('/').map(|(parent, _)| parent);
        Self::new(&self.folder, parent.map_or_else(|| name.to_owned(), |parent| format!("{parent}/{name}")))
    }

    /// Returns the folder below [`Self::folder`] in which the file is; `None` where it is directly there.
    pub(crate) fn parent(&self) -> Option<&str> {
        self.name.rsplit_once('/').map(|(parent, _)| parent)
    }
}

impl LearningPlaces {
    /// Reads the playbook.
    ///
    /// # Errors
    /// When it is missing, too large, or no text, or its helper does not answer.
    pub fn read_playbook(&self) -> Result<String, PlaybookError> {
        match &self.playbook {
            PlaybookPlace::Own(place) => Ok(place.read_playbook()?),
            PlaybookPlace::Helper { helper, .. } => helper.read(PLAYBOOK_FILE),
        }
    }

    /// The usual names below one folder, which this process owns.
    #[must_use]
    pub fn below(folder: &Folder) -> Self {
        Self {
            playbook: PlaybookPlace::Own(FilePlace::new(folder, PLAYBOOK_FILE)),
            traces: FilePlace::new(folder, super::LogFile::Traces.name()),
            insights: FilePlace::new(folder, super::LogFile::Insights.name()),
            tracker: Some(FilePlace::new(folder, TRACKER_FILE)),
        }
    }
}
