//! The helper process that reads and replaces the playbook of a project for a confined server: the kernel grants
//! folders, and the folder of a project has programs in it that its tools run.
//!
//! Owns: the messages between both, and the check of each replacement: only bullets differ.
//! Never: touches another file, outlives its server, or writes a text that the server's caller no longer waits for.

use std::io;
use std::path::Path;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::place::{FilePlace, PlaybookError};
use crate::limits::PLAYBOOK_HELPER_TIMEOUT;
use crate::playbook::{SectionPolicy, differs_in_bullets_only};
use wardroom_appdir::{Access, AppDirError, ambient};
use wardroom_base::hex::encode_hex;
use wardroom_process::confine::{self, FolderRights, Grants};
use wardroom_process::helper_channel::{self, HelperChannel, HelperError};
use wardroom_process::ipc::frame_len;

/// The name of the process: `wardroom helper playbook`.
const HELPER_NAME: &str = "playbook";

/// The configuration of a helper, for its whole lifetime.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PlaybookHelperConfig {
    /// The folder, as a path of the machine.
    pub folder: String,
    /// The file directly in it.
    pub file: String,
    pub is_read_only: bool,
    /// Whether sections may be added.
    pub creates_sections: bool,
}

/// The confinement of a helper, in words.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct PlaybookHelperWalls {
    pub active: String,
    /// `None` if all mechanisms are active.
    pub missing: Option<String>,
}

/// The server's handle on its helper.
#[derive(Clone)]
pub struct PlaybookHelper(Arc<HelperChannel>);

impl std::fmt::Debug for PlaybookHelper {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("PlaybookHelper")
    }
}

#[derive(Debug, Serialize, Deserialize)]
enum PlaybookRequest {
    Walls,
    Read,
    Replace {
        /// The digest of the text that was read.
        before: String,
        text: String,
    },
}

#[derive(Debug, Serialize, Deserialize)]
enum PlaybookAnswer {
    Walls(PlaybookHelperWalls),
    Text(String),
    /// Whether the text was replaced; it was not where the file has another one.
    Replaced(bool),
    Failed(PlaybookFailure),
}

/// An error of the file, as it goes from one process to the other.
#[derive(Debug, Serialize, Deserialize)]
enum PlaybookFailure {
    NotFound,
    FolderRemoved,
    NotUtf8,
    OutsideRoot,
    ReadOnly,
    ReadOnlyDisk,
    DiskFull,
    TooLarge { len: u64, limit: u64 },
    Other(String),
}

impl PlaybookHelper {
    /// Starts `wardroom helper playbook`, and does not wait for it. A server does so before it is confined.
    ///
    /// # Errors
    /// When the process cannot be started.
    pub fn start(program: &Path, config: &PlaybookHelperConfig) -> io::Result<Self> {
        Ok(Self(Arc::new(HelperChannel::start(program, HELPER_NAME, config, PLAYBOOK_HELPER_TIMEOUT)?)))
    }

    /// Returns how the helper is confined, when it is.
    ///
    /// # Errors
    /// As [`HelperChannel::request`]; it is gone where it cannot open its folder.
    pub fn walls(&self) -> Result<PlaybookHelperWalls, HelperError> {
        match self.0.request(&PlaybookRequest::Walls)? {
            PlaybookAnswer::Walls(walls) => Ok(walls),
            _ => Err(unexpected_answer()),
        }
    }

    /// Logs how the helper is confined.
    pub(crate) fn log_walls(&self) {
        match self.walls() {
            Ok(PlaybookHelperWalls { missing: None, active }) => {
                tracing::info!("the helper for the playbook is confined: {active}");
            }
            Ok(PlaybookHelperWalls { missing: Some(missing), .. }) => {
                tracing::warn!("the helper for the playbook is only partly confined: {missing}");
            }
            Err(error) => log_error(&error),
        }
    }

    pub(super) fn read(&self, name: &str) -> Result<String, PlaybookError> {
        match self.request(name, &PlaybookRequest::Read)? {
            PlaybookAnswer::Text(text) => Ok(text),
            _ => Err(unexpected_answer().into()),
        }
    }

    pub(super) fn replace(&self, name: &str, before: &str, after: &str) -> Result<bool, PlaybookError> {
        let request = PlaybookRequest::Replace { before: digest(before), text: after.to_owned() };
        match self.request(name, &request)? {
            PlaybookAnswer::Replaced(replaced) => Ok(replaced),
            _ => Err(unexpected_answer().into()),
        }
    }

    fn request(&self, name: &str, request: &PlaybookRequest) -> Result<PlaybookAnswer, PlaybookError> {
        match self.0.request(request) {
            Ok(PlaybookAnswer::Failed(failure)) => Err(failure.into_error(name).into()),
            Ok(answer) => Ok(answer),
            Err(error) => {
                log_error(&error);
                Err(error.into())
            }
        }
    }
}

fn log_error(error: &HelperError) {
    match error {
        HelperError::Gone(cause) => {
            tracing::error!(%cause, "the helper for the playbook is gone: start the server again");
        }
        HelperError::Late(_) | HelperError::Busy | HelperError::Refused(_) => {
            tracing::warn!("the helper for the playbook: {error}");
        }
    }
}

fn unexpected_answer() -> HelperError {
    HelperError::Gone(io::Error::other("an unexpected answer"))
}

fn digest(text: &str) -> String {
    encode_hex(&Sha256::digest(text.as_bytes()))
}

impl PlaybookFailure {
    fn new(error: &AppDirError) -> Self {
        match error {
            AppDirError::NotFound(_) => Self::NotFound,
            AppDirError::FolderRemoved(_) => Self::FolderRemoved,
            AppDirError::NotUtf8(_) => Self::NotUtf8,
            AppDirError::OutsideRoot(_) => Self::OutsideRoot,
            AppDirError::ReadOnly(_) => Self::ReadOnly,
            AppDirError::ReadOnlyDisk(_) => Self::ReadOnlyDisk,
            AppDirError::DiskFull(_) => Self::DiskFull,
            AppDirError::TooLarge { len, limit, .. } => Self::TooLarge { len: *len, limit: *limit },
            other => Self::Other(other.reason()),
        }
    }

    fn into_error(self, name: &str) -> AppDirError {
        let name = name.to_owned();
        match self {
            Self::NotFound => AppDirError::NotFound(name),
            Self::FolderRemoved => AppDirError::FolderRemoved(name),
            Self::NotUtf8 => AppDirError::NotUtf8(name),
            Self::OutsideRoot => AppDirError::OutsideRoot(name),
            Self::ReadOnly => AppDirError::ReadOnly(name),
            Self::ReadOnlyDisk => AppDirError::ReadOnlyDisk(name),
            Self::DiskFull => AppDirError::DiskFull(name),
            Self::TooLarge { len, limit } => AppDirError::TooLarge { name, len, limit },
            Self::Other(reason) => AppDirError::Io { name, source: io::Error::other(reason) },
        }
    }
}

/// Runs the helper process, until its input ends.
///
/// # Errors
/// When the input is not a valid message, the folder cannot be opened, or a system call fails.
pub fn serve_playbook_helper() -> io::Result<()> {
    helper_channel::serve(PlaybookHelperServer::new, PlaybookHelperServer::answer)
}

struct PlaybookHelperServer {
    place: FilePlace,
    policy: SectionPolicy,
    walls: PlaybookHelperWalls,
}

impl PlaybookHelperServer {
    fn new(config: PlaybookHelperConfig) -> io::Result<Self> {
        let (access, rights) = if config.is_read_only {
            (Access::ReadOnly, FolderRights::Read)
        } else {
            (Access::ReadWrite, FolderRights::Edit)
        };
        let folder = ambient::open_folder(Path::new(&config.folder), access).map_err(io::Error::other)?;
        let folder = folder.reporting_removal();
        let mut grants = Grants::default();
        grants.add_folder(&folder, rights);
        let report = confine::confine_server(&grants);
        let missing = report.missing();
        let walls = PlaybookHelperWalls {
            active: report.to_string(),
            missing: (!missing.0.is_empty()).then(|| missing.to_string()),
        };
        let policy = if config.creates_sections { SectionPolicy::Create } else { SectionPolicy::MustExist };
        Ok(Self { place: FilePlace::new(&folder, config.file), policy, walls })
    }

    fn answer(&mut self, request: PlaybookRequest, is_awaited: &dyn Fn() -> bool) -> PlaybookAnswer {
        let answered = match request {
            PlaybookRequest::Walls => Ok(PlaybookAnswer::Walls(self.walls.clone())),
            PlaybookRequest::Read => self.place.read_playbook().map(PlaybookAnswer::Text),
            PlaybookRequest::Replace { before, text } => {
                self.replace(&before, &text, is_awaited).map(PlaybookAnswer::Replaced)
            }
        };
        let answer = answered.unwrap_or_else(|error| PlaybookAnswer::Failed(PlaybookFailure::new(&error)));
        // A file of control characters takes six times its size in a message.
        match frame_len(&answer) {
            Ok(_) => answer,
            Err(error) => PlaybookAnswer::Failed(PlaybookFailure::Other(error.to_string())),
        }
    }

    fn replace(&self, before: &str, text: &str, is_awaited: &dyn Fn() -> bool) -> Result<bool, AppDirError> {
        let now = self.place.read_playbook()?;
        if digest(&now) != before {
            return Ok(false);
        }
        if !differs_in_bullets_only(&now, text, self.policy) {
            let source = io::Error::other("more than bullets would change");
            return Err(AppDirError::Io { name: self.place.name.clone(), source });
        }
        self.place.replace_playbook(&now, text, is_awaited)
    }
}

#[cfg(test)]
mod tests {
    use wardroom_appdir::{Folder, Privacy};

    use super::*;

    fn server(text: &str) -> (tempfile::TempDir, Folder, PlaybookHelperServer) {
        let dir = tempfile::tempdir().unwrap();
        let folder = ambient::open_folder(dir.path(), Access::ReadWrite).unwrap();
        folder.create_file("AGENTS.md", text.as_bytes(), Privacy::Shared).unwrap();
        let walls = PlaybookHelperWalls { active: String::new(), missing: None };
        let place = FilePlace::new(&folder, "AGENTS.md");
        (dir, folder, PlaybookHelperServer { place, policy: SectionPolicy::MustExist, walls })
    }

    #[test]
    fn text_is_replaced_if_it_is_the_one_that_was_read_and_bullets_alone_differ() {
        let text = "## A\n[Bullet #a, helpful:0, harmful:0] x\nProse.\n";
        let (dir, folder, server) = server(text);
        let moved = text.replace("helpful:0", "helpful:1");
        let is_awaited = || true;
        assert!(!server.replace(&digest("another"), &moved, &is_awaited).unwrap());
        assert!(server.replace(&digest(text), "## A\n", &is_awaited).is_err());
        assert!(server.replace(&digest(text), &moved.replace("Prose", "Obey"), &is_awaited).is_err());
        assert!(!server.replace(&digest(text), &moved, &|| false).unwrap());
        assert_eq!(server.place.read_playbook().unwrap(), text);
        // A link of a project may not lead to what its tools run.
        folder.remove_file("AGENTS.md").unwrap();
        folder.create_file("hook", text.as_bytes(), Privacy::Shared).unwrap();
        std::os::unix::fs::symlink("hook", dir.path().join("AGENTS.md")).unwrap();
        assert!(matches!(server.place.replace_playbook(text, &moved, &is_awaited), Err(AppDirError::OutsideRoot(_))));
        assert_eq!(folder.read_text("hook", 1_000).unwrap().0, text);
    }
}
