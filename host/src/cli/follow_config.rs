//! The process that reads the configuration for a server over HTTP, which cannot open the file once it is confined: a
//! file that replaced the one of before would be another one for the kernel.
//!
//! Owns: both ends: the process, which reads the file when it changes, and the server's handle on it.
//! Never: is reachable from a client, reads another file, or decides what a text means.

use std::io::{self, BufRead as _, BufReader, Write as _};
use std::os::unix::process::CommandExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use rustix::event::{PollFd, PollFlags, Timespec};
use serde::{Deserialize, Serialize};

use crate::assemble::settings::Settings;
use crate::report::{CommandError, SELF_START_HINT, STARTED_BY_SERVER_HINT};
use wardroom_alc::limits::MAX_CONFIG_BYTES;
use wardroom_appdir::{Access, AppDirError, Stat, ambient};
use wardroom_process::confine::{self, FolderRights, Grants, NetworkAccess};

/// How often the file is looked at. A look opens its folder and reads its metadata.
const LOOK_INTERVAL: Timespec = Timespec { tv_sec: 1, tv_nsec: 0 };
/// The same, while another program may be writing the file in place.
const WRITING_LOOK_INTERVAL: Timespec = Timespec { tv_sec: 0, tv_nsec: 250_000_000 };
/// After as many of these looks, the file is read as it is: some program may touch it all the time.
const MAX_WRITING_LOOKS: usize = 12;
/// The name of the argument with which the process ends unless it is confined in full.
const REQUIRE_ARGUMENT: &str = "--require";
/// The name of the hidden command.
const COMMAND: &str = "follow-config";

/// What the process found at the path of the file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum ConfigReading {
    Text(String),
    Missing,
    /// The reason.
    Unreadable(String),
}

/// The server's handle on the process, which ends when this is dropped.
pub(super) struct ConfigFollower {
    child: Child,
    _stdin: ChildStdin,
    readings: BufReader<ChildStdout>,
}

impl ConfigFollower {
    /// Starts the process. A server does so before it is confined.
    pub(super) fn start(settings: &Settings) -> Result<Self, CommandError> {
        const FAILED: &str = "cannot start the process that reads the configuration";
        let failed = |error: io::Error| CommandError::with_cause(FAILED, error, SELF_START_HINT);
        let program =
            ambient::current_exe().map_err(|error| CommandError::with_cause(FAILED, error, SELF_START_HINT))?;
        #[expect(clippy::disallowed_methods, reason = "this program again, before the server is confined")]
        let mut command = Command::new(program);
        command.arg(COMMAND).args(settings.config.sandbox.require.then_some(REQUIRE_ARGUMENT));
        command.arg("--").arg(&settings.config_file).env_clear();
        // An interrupt at the terminal is for the server, whose end it sees.
        command.process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(failed)?;
        let (Some(stdin), Some(stdout)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(failed(io::Error::other("a process without pipes")));
        };
        Ok(Self { child, _stdin: stdin, readings: BufReader::new(stdout) })
    }

    /// Waits until the file has changed. The first reading is the file as it is.
    pub(super) fn next_reading(&mut self) -> io::Result<ConfigReading> {
        let mut line = String::new();
        if self.readings.read_line(&mut line)? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        serde_json::from_str(&line).map_err(io::Error::other)
    }
}

impl Drop for ConfigFollower {
    fn drop(&mut self) {
        // Reaped if it has ended; else it ends with its input.
        drop(self.child.try_wait());
    }
}

/// Runs the process until its server has ended.
pub(super) fn run(file: &Path, require: bool) -> Result<(), CommandError> {
    let failed = |error: io::Error| {
        CommandError::with_cause("the process that reads the configuration failed", error, STARTED_BY_SERVER_HINT)
    };
    let missing = confine::confine_launcher(&grants(file), NetworkAccess::None).missing();
    if require && !missing.0.is_empty() {
        return Err(failed(io::Error::other(missing.to_string())));
    }
    let (mut reported, mut read) = (None, None);
    let mut writing_looks = 0;
    loop {
        let found = stat(file);
        let is_settled = !matches!(&found, Ok(Some(stat)) if stat.is_recently_modified());
        let must_read = reported.is_none() || is_settled || writing_looks == MAX_WRITING_LOOKS;
        // What changed within the granularity of the time stamps has the same ones, so that it is read once more.
        if read.as_ref() != Some(&found) && must_read {
            (read, writing_looks) = (is_settled.then_some(found), 0);
            let reading = read_config(file);
            if reported.as_ref() != Some(&reading) {
                send(&reading).map_err(failed)?;
                reported = Some(reading);
            }
        }
        writing_looks = if is_settled { 0 } else { writing_looks + 1 };
        if has_server_ended(if is_settled { LOOK_INTERVAL } else { WRITING_LOOK_INTERVAL }) {
            return Ok(());
        }
    }
}

/// The folders of the file: that of its name, and that of what a link with its name leads to. Where a folder is missing,
/// the nearest one above it, in which it may be created.
fn grants(file: &Path) -> Grants {
    let mut grants = Grants::default();
    let mut grant = |file: &Path| {
        let folder = file.parent().map(|folder| if folder == Path::new("") { Path::new(".") } else { folder });
        let opened = folder.and_then(|folder| {
            folder.ancestors().find_map(|folder| ambient::open_folder(folder, Access::ReadOnly).ok())
        });
        opened.iter().for_each(|folder| grants.add_folder(folder, FolderRights::Read));
    };
    grant(file);
    ambient::resolve_target(file).iter().for_each(|target: &PathBuf| grant(target));
    grants
}

/// Returns the metadata of the file; `None` if there is no file, and the reason if that is not known.
fn stat(file: &Path) -> Result<Option<Stat>, String> {
    let found = ambient::resolve_target(file).and_then(|target| {
        let (parent, name) = ambient::split_path(&target)?;
        ambient::open_folder(parent, Access::ReadOnly)?.stat(name)
    });
    match found {
        Ok(stat) => Ok(Some(stat)),
        Err(AppDirError::NotFound(_)) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

fn read_config(file: &Path) -> ConfigReading {
    match ambient::read_text(file, MAX_CONFIG_BYTES) {
        Ok(text) => ConfigReading::Text(text),
        Err(AppDirError::NotFound(_)) => ConfigReading::Missing,
        Err(error) => ConfigReading::Unreadable(error.to_string()),
    }
}

fn send(reading: &ConfigReading) -> io::Result<()> {
    let mut line = serde_json::to_vec(reading)?;
    line.push(b'\n');
    let mut output = io::stdout();
    output.write_all(&line)?;
    output.flush()
}

/// Waits for this time, or until the server has closed the other end of the input.
fn has_server_ended(time: Timespec) -> bool {
    let input = io::stdin();
    let mut ends = [PollFd::new(&input, PollFlags::empty())];
    rustix::io::retry_on_intr(|| rustix::event::poll(&mut ends, Some(&time))).is_ok_and(|ended| ended > 0)
}
