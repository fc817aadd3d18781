//! The hidden commands: processes that this program and the scripts of shells start, and their arguments.
//!
//! Never: appears in help, documentation or completions.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{Subcommand, ValueEnum};

use wardroom_lua::WorkerConfinement;
use wardroom_lua::processes::LivingWorker;

#[derive(Debug, Subcommand)]
pub enum InternalCommand {
    /// Start, kill and reap the processes in which Lua runs; a server starts it
    #[command(hide = true)]
    Spawner {
        /// Whether workers without all their walls end
        #[arg(long)]
        require: bool,
        /// The workers that it had before it executed itself
        #[arg(long)]
        living: Option<String>,
    },
    /// Fetch for a server, which starts it
    #[command(hide = true)]
    Helper {
        job: HelperJob,
        /// The hosts that may be in private networks
        private: Vec<String>,
    },
    /// Do what a check of a file system asks for on one of its mounts; the check starts it
    #[command(hide = true)]
    FileSystemPeer { folder: PathBuf },
    /// Say which walls stand around a process that runs scripts
    #[command(hide = true)]
    WorkerWalls,
    /// Say what may stand in the place of the last word of a command line; the scripts of shells start it
    #[command(hide = true)]
    CompleteWords {
        /// The command line up to its cursor, with the program's name
        #[arg(last = true)]
        words: Vec<OsString>,
    },
    /// Write the manual page of each command into a folder; what packs a release starts it
    #[command(hide = true)]
    ManPages { folder: PathBuf },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum HelperJob {
    Git,
    Http,
    Agents,
    Playbook,
}

impl InternalCommand {
    /// The hidden command of this process, if it has one. Parsing by clap would take longer than everything else before
    /// the first byte.
    pub(super) fn from_process_args() -> Option<Self> {
        let mut given = std::env::args_os().skip(1);
        let name = given.next()?;
        let texts = |given: &mut dyn Iterator<Item = OsString>| -> Option<Vec<String>> {
            given.map(|text| text.into_string().ok()).collect()
        };
        let own = match name.to_str()? {
            "spawner" => return Self::spawner(given),
            "file-system-peer" => Self::FileSystemPeer { folder: given.next()?.into() },
            "worker-walls" => Self::WorkerWalls,
            "man-pages" => Self::ManPages { folder: given.next()?.into() },
            "complete-words" => {
                return (given.next()? == "--").then(|| Self::CompleteWords { words: given.collect() });
            }
            "helper" => {
                let job = match given.next()?.to_str()? {
                    "git" => HelperJob::Git,
                    "http" => HelperJob::Http,
                    "agents" => HelperJob::Agents,
                    "playbook" => HelperJob::Playbook,
                    _ => return None,
                };
                Self::Helper { job, private: texts(&mut given)? }
            }
            _ => return None,
        };
        given.next().is_none().then_some(own)
    }

    fn spawner(given: impl Iterator<Item = OsString>) -> Option<Self> {
        let (mut require, mut living) = (false, None);
        for argument in given {
            let argument = argument.into_string().ok()?;
            match argument.strip_prefix(LivingWorker::ARGUMENT) {
                Some(workers) => living = Some(workers.to_owned()),
                None if argument == WorkerConfinement::REQUIRE_ARGUMENT => require = true,
                None => return None,
            }
        }
        Some(Self::Spawner { require, living })
    }
}
