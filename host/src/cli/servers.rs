//! The servers that run on an AppDir: a file for each under `cache/servers`, with a lock that ends with its process.
//!
//! Owns: the format of those files, and when one is believed: as long as its lock is held.
//! Never: is needed by a server. One that cannot write there runs as well, and is not shown.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use wardroom_appdir::{AppDirError, Folder, Lock, Privacy};
use wardroom_base::entropy;
use wardroom_base::limits::{LEFTOVER_TIME, MAX_SERVER_BYTES, MAX_SERVERS};

const FOLDER: &str = "cache/servers";

/// How a server is reached.
#[derive(Debug, Clone)]
pub(super) enum At {
    Stdio,
    Tcp { host: String, port: u16, paths: Vec<String> },
    Socket { path: String, paths: Vec<String> },
}

/// This server, shown as long as this is held.
pub(super) struct Shown {
    servers: Folder,
    name: String,
    lock: Option<Lock>,
}

/// A server that runs or that was killed.
pub(super) struct Server {
    /// An object.
    pub(super) value: Value,
    pub(super) is_running: bool,
}

impl Shown {
    /// Shows this process, and removes what killed ones left.
    pub(super) fn new(app: &Folder, at: &[At]) -> Option<Self> {
        let shown = Self::try_new(app, at);
        shown.inspect_err(|error| tracing::debug!(%error, "this server is not shown by `wardroom status`")).ok()
    }

    fn try_new(app: &Folder, at: &[At]) -> Result<Self, AppDirError> {
        let servers = app.create_folder(FOLDER)?;
        sweep(&servers);
        let mut random = [0; 8];
        let failed = |_| AppDirError::Io { name: FOLDER.into(), source: std::io::Error::other("no random bytes") };
        entropy::fill(&mut random).map_err(failed)?;
        let process = std::process::id();
        let name = format!("{process}-{:016x}", u64::from_le_bytes(random));
        // First the lock: whoever sees the file without it takes its server for dead.
        let lock = Some(servers.lock(&format!("{name}.lock"))?);
        let shown = Self { servers, name, lock };
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs();
        let listens: Value = at.iter().map(At::value).collect();
        let value = json!({"process": process, "started": started, "listens": listens});
        shown.servers.create(&format!("{}.json", shown.name), value.to_string().as_bytes(), Privacy::Owner)?;
        Ok(shown)
    }
}

impl Drop for Shown {
    fn drop(&mut self) {
        remove(&self.servers, &self.name);
        self.lock = None;
    }
}

impl At {
    fn value(&self) -> Value {
        match self {
            Self::Stdio => json!({"transport": "stdio"}),
            Self::Tcp { host, port, paths } => {
                json!({"transport": "http", "host": host, "port": port, "paths": paths})
            }
            Self::Socket { path, paths } => json!({"transport": "unix", "socket": path, "paths": paths}),
        }
    }
}

/// All of them, in the order in which they were started.
pub(super) fn all(app: &Folder) -> Result<Vec<Server>, AppDirError> {
    let servers = match app.folder(FOLDER) {
        Err(AppDirError::NotFound(_)) => return Ok(Vec::new()),
        opened => opened?,
    };
    let mut found = Vec::new();
    for name in names(&servers, ".json")? {
        // It may have ended meanwhile.
        let Ok(document) = servers.read(&format!("{name}.json"), MAX_SERVER_BYTES) else { continue };
        let Ok(value) = serde_json::from_slice(&document.bytes) else { continue };
        found.push(Server { value, is_running: servers.is_locked(&format!("{name}.lock")) });
    }
    found.sort_by_key(|server| server.value.get("started").and_then(Value::as_u64));
    Ok(found)
}

fn names(servers: &Folder, ending: &str) -> Result<Vec<String>, AppDirError> {
    let entries = servers.entries(MAX_SERVERS)?;
    Ok(entries.into_iter().filter_map(|entry| Some(entry.name.strip_suffix(ending)?.to_owned())).collect())
}

/// Removes the files of servers that were killed.
fn sweep(servers: &Folder) {
    for name in names(servers, ".json").unwrap_or_default() {
        if !servers.is_locked(&format!("{name}.lock")) {
            remove(servers, &name);
        }
    }
    // A lock alone may be one that is about to be taken.
    for name in names(servers, ".lock").unwrap_or_default() {
        let lock = format!("{name}.lock");
        let is_old = servers
            .stat(&lock)
            .is_ok_and(|stat| stat.modified.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > LEFTOVER_TIME));
        if is_old && !servers.is_locked(&lock) {
            remove(servers, &name);
        }
    }
}

/// The lock goes last: a file without one is no server's.
fn remove(servers: &Folder, name: &str) {
    for ending in [".json", ".lock"] {
        match servers.remove(&format!("{name}{ending}")) {
            Ok(()) | Err(AppDirError::NotFound(_)) => {}
            Err(error) => tracing::debug!(%error, "a file of a server stays"),
        }
    }
}
