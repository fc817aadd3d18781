//! What a server does at this moment, as a file that it writes while `wardroom top` runs on the AppDir.
//!
//! Owns: the format of the file, and how a server and `wardroom top` find out about each other: that one renews a file,
//! and a server that gets requests looks whether it changed.
//! Never: wakes a server that has nothing to do, or asks one for anything.

use std::thread;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::{ACTIVITY_ENDING, MemoryFigures, ServerEntry, ServerFigures, SharedEntry, lock_entry};
use crate::limits::{MAX_ACTIVITY_FILE_BYTES, MAX_REPORTED_CALLS};
use wardroom_appdir::{AppDirError, FileId, Folder, Privacy, Stat};
use wardroom_base::unix_time;

/// The file that `wardroom top` renews, in the folder of the list of servers.
const WATCH_FILE: &str = "watched";
/// How often `wardroom top` renews it.
pub(in crate::cli) const WATCH_RENEW_INTERVAL: Duration = Duration::from_secs(1);
/// A file that was not renewed for so long is one of a command that ended. Servers then write nothing more.
const WATCH_TIMEOUT: Duration = Duration::from_secs(4);
/// How often a server at work writes its file.
pub(in crate::cli) const ACTIVITY_INTERVAL: Duration = Duration::from_millis(500);

/// What a server does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::cli) struct ServerActivity {
    /// Requests that reached the services since the server's start.
    pub(in crate::cli) requests: u64,
    /// How many calls are at work.
    pub(in crate::cli) call_count: usize,
    /// Of them, the oldest.
    pub(in crate::cli) calls: Vec<ReportedCall>,
    /// Processes of scripts that have memory.
    pub(in crate::cli) workers: usize,
    pub(in crate::cli) memory: MemoryFigures,
}

/// A call at work.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(in crate::cli) struct ReportedCall {
    pub(in crate::cli) method: String,
    /// The tool, the prompt or the URI.
    pub(in crate::cli) name: String,
    pub(in crate::cli) caller: String,
    pub(in crate::cli) elapsed_ms: u64,
}

/// Whether `wardroom top` runs on the AppDir.
#[derive(Default)]
struct Watch {
    /// The watch file when it last changed, and when that was seen.
    seen: Option<((FileId, Stat), Instant)>,
}

impl Watch {
    /// Looks at the watch file, and returns whether it was renewed a short time ago.
    fn is_renewed(&mut self, servers: &Folder) -> bool {
        let Ok(stat) = servers.stat(WATCH_FILE) else {
            self.seen = None;
            return false;
        };
        match &self.seen {
            Some((last, at)) if *last == (stat.file_id, stat) => at.elapsed() < WATCH_TIMEOUT,
            _ => {
                self.seen = Some(((stat.file_id, stat), Instant::now()));
                true
            }
        }
    }
}

/// Writes the server's file while it is at work and somebody watches. Body of a thread, which ends with the server.
pub(super) fn report_activity(entry: &std::sync::Weak<SharedEntry>, figures: &ServerFigures) {
    let (mut watch, mut requests) = (Watch::default(), 0);
    loop {
        requests = figures.activity.wait_for_request(requests);
        // Once more after the last request, so that the file says that nothing is at work.
        let mut is_at_work = true;
        while is_at_work {
            thread::sleep(ACTIVITY_INTERVAL);
            let count = figures.activity.request_count();
            is_at_work = count != requests || figures.activity.ongoing_calls(0).0 > 0;
            requests = count;
            let Some(entry) = entry.upgrade() else { return };
            let entry = lock_entry(&entry);
            let Some(entry) = &*entry else { return };
            if watch.is_renewed(&entry.servers) {
                entry.write_activity(&ServerActivity::of(figures));
            } else {
                entry.remove_activity();
            }
        }
    }
}

impl ServerActivity {
    fn of(figures: &ServerFigures) -> Self {
        let (call_count, calls) = figures.activity.ongoing_calls(MAX_REPORTED_CALLS);
        let calls = calls.into_iter().map(|ongoing| ReportedCall {
            method: ongoing.call.method.to_owned(),
            name: ongoing.call.name,
            caller: ongoing.call.caller,
            elapsed_ms: unix_time::whole_ms(ongoing.elapsed),
        });
        Self {
            requests: figures.activity.request_count(),
            call_count,
            calls: calls.collect(),
            workers: figures.workers.as_ref().map_or(0, |workers| workers.active_workers()),
            memory: MemoryFigures::of(figures),
        }
    }

    /// Reads the file of the server with this name, if there is one.
    pub(super) fn read(servers: &Folder, name: &str) -> Option<Self> {
        let document = servers.read(&format!("{name}{ACTIVITY_ENDING}"), MAX_ACTIVITY_FILE_BYTES).ok()?;
        serde_json::from_slice(&document.bytes).ok()
    }
}

impl ServerEntry {
    fn write_activity(&self, activity: &ServerActivity) {
        let name = format!("{}{ACTIVITY_ENDING}", self.name);
        let written = serde_json::to_vec(activity).map_err(std::io::Error::from);
        let written = written.map_err(|source| AppDirError::Io { name: name.clone(), source });
        let written = written.and_then(|bytes| self.servers.write_unflushed(&name, &bytes, Privacy::Owner));
        if let Err(error) = written {
            tracing::debug!(%error, "`wardroom top` does not see what this server does");
        }
    }

    fn remove_activity(&self) {
        match self.servers.remove_file(&format!("{}{ACTIVITY_ENDING}", self.name)) {
            Ok(()) | Err(AppDirError::NotFound(_)) => {}
            Err(error) => tracing::debug!(%error, "a file of this server stays"),
        }
    }
}

/// Tells the servers that somebody watches, until this is dropped.
pub(in crate::cli) struct WatchRequest {
    servers: Folder,
    renewed_at: Instant,
}

impl WatchRequest {
    /// # Errors
    /// When the AppDir cannot be written.
    pub(in crate::cli) fn begin(app: &Folder) -> Result<Self, AppDirError> {
        let servers = app.create_folder(super::SERVERS_DIR)?;
        servers.write_unflushed(WATCH_FILE, b"", Privacy::Owner)?;
        Ok(Self { servers, renewed_at: Instant::now() })
    }

    /// Renews the file, if it is time.
    ///
    /// # Errors
    /// When the AppDir cannot be written any more.
    pub(in crate::cli) fn renew(&mut self) -> Result<(), AppDirError> {
        if self.renewed_at.elapsed() >= WATCH_RENEW_INTERVAL {
            self.servers.write_unflushed(WATCH_FILE, b"", Privacy::Owner)?;
            self.renewed_at = Instant::now();
        }
        Ok(())
    }
}

impl Drop for WatchRequest {
    fn drop(&mut self) {
        // Another command that watches makes it again.
        let _ = self.servers.remove_file(WATCH_FILE);
    }
}
