//! Whether the AppDir's file system may be written to: one of a network or of FUSE only after `wardroom doctor --shared`
//! found that its locks, renames and caches are what wardroom needs.
//!
//! Owns: the stamp that the check leaves in the AppDir, and whether it fits what is mounted.
//! Never: checks anything itself. A local file system costs one system call.

use serde::{Deserialize, Serialize};

use super::settings::Settings;
use crate::limits::MAX_STAMP_BYTES;
use wardroom_appdir::{AppDirError, FileSystemReach, Folder, MountedVolume, Privacy, ambient};

const STAMP_FILE: &str = "server/file-system.json";
/// The needs that a stamp of this version stands for. A later program that needs more has another one.
const STAMP_VERSION: u32 = 1;

/// What a check found, for the servers of all machines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FileSystemStamp {
    version: u32,
    file_system: String,
    volume: String,
    /// The two mounts that were checked, on the machine of the check.
    mounts: [String; 2],
    /// The program that checked.
    wardroom: String,
    /// Unix time in seconds.
    checked: u64,
}

impl FileSystemStamp {
    pub(crate) fn new(volume: &MountedVolume, mounts: [String; 2], checked: u64) -> Self {
        Self {
            version: STAMP_VERSION,
            file_system: volume.file_system.clone(),
            volume: volume.volume().to_owned(),
            mounts,
            wardroom: env!("CARGO_PKG_VERSION").to_owned(),
            checked,
        }
    }

    pub(crate) fn write(&self, app: &Folder) -> Result<(), AppDirError> {
        app.create_folder("server")?;
        let text = serde_json::to_string_pretty(self).unwrap_or_default();
        app.write(STAMP_FILE, text.as_bytes(), Privacy::Owner)
    }

    pub(crate) fn remove(app: &Folder) -> Result<(), AppDirError> {
        match app.remove_file(STAMP_FILE) {
            Err(AppDirError::NotFound(_)) => Ok(()),
            removed => removed,
        }
    }

    fn read(app: &Folder) -> Option<Self> {
        serde_json::from_slice(&app.read(STAMP_FILE, MAX_STAMP_BYTES).ok()?.bytes).ok()
    }

    fn fits(&self, volume: &MountedVolume) -> bool {
        self.version == STAMP_VERSION && self.file_system == volume.file_system && self.volume == volume.volume()
    }
}

/// What is known of the file system of an AppDir.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum FileSystemTrust {
    Local,
    /// Shared, and checked.
    Stamped(String),
    /// Shared, and trusted by the operator.
    Configured(String),
    /// Shared, and not checked: it is only read.
    Unchecked(String),
}

impl FileSystemTrust {
    /// Looks at the AppDir. One that does not exist yet, and one that cannot be opened, is trusted: whatever opens it says
    /// what is wrong.
    pub(crate) fn of(settings: &Settings) -> Self {
        let Ok(app) = ambient::open_folder(&settings.app_dir.path, wardroom_appdir::Access::ReadOnly) else {
            return Self::Local;
        };
        if app.file_system_reach().is_ok_and(|reach| reach == FileSystemReach::Local) {
            return Self::Local;
        }
        let volume = ambient::mounted_volume(&app);
        let name = volume.as_ref().map_or_else(|| "an unknown file system".to_owned(), |v| v.file_system.clone());
        if volume.is_some_and(|volume| FileSystemStamp::read(&app).is_some_and(|stamp| stamp.fits(&volume))) {
            return Self::Stamped(name);
        }
        if settings.config.appdir.trust_filesystem { Self::Configured(name) } else { Self::Unchecked(name) }
    }
}
