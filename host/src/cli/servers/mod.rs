//! The list of running servers on an AppDir: a file for each in `server/running`, with a lock that its process holds.
//!
//! Owns: the format of these files, and their validity: a file is valid while its lock is held.
//! Never: is required: a server that cannot write there runs unlisted.

mod activity_file;

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub(super) use self::activity_file::{
    ACTIVITY_INTERVAL, ReportedCall, ServerActivity, WATCH_RENEW_INTERVAL, WatchRequest,
};
use crate::limits::{MAX_SERVER_FILE_BYTES, MAX_SERVER_FILES};
use wardroom_appdir::limits::STALE_TEMP_FILE_AGE;
use wardroom_appdir::{AppDirError, Folder, Privacy, UnfencedLock};
use wardroom_base::activity::Activity;
use wardroom_base::memory::MemoryShare;
use wardroom_base::random;
use wardroom_base::unix_time;
use wardroom_lua::WorkerMemory;
use wardroom_mcp::http::RefusedTokens;

const SERVERS_DIR: &str = "server/running";
/// The end of the name of the file with a server's figures.
const FIGURES_ENDING: &str = ".memory";
/// The end of the name of the file that says what a server does.
const ACTIVITY_ENDING: &str = ".activity";
/// The figure of the memory is written this often at most.
const MEMORY_REPORT_INTERVAL: Duration = Duration::from_secs(1);

/// An address or transport of a server.
#[derive(Debug, Clone)]
pub(super) enum ListenAddress {
    Stdio,
    Tcp { host: String, port: u16, paths: Vec<String> },
    Socket { path: String, paths: Vec<String> },
}

/// The entry of this server in the list; dropping it removes the entry.
pub(super) struct ServerRegistration {
    entry: Arc<SharedEntry>,
}

/// The entry, until the server ends.
type SharedEntry = Mutex<Option<ServerEntry>>;

/// The files of a server; dropping it removes them.
struct ServerEntry {
    servers: Folder,
    name: String,
    lock: Option<UnfencedLock>,
}

/// The figures of a server that the list has: its memory, and how many requests it refused.
pub(super) struct ServerFigures {
    pub(super) requests: MemoryShare,
    pub(super) activity: Activity,
    /// `None` where no scripts run.
    pub(super) workers: Option<Arc<WorkerMemory>>,
    /// `None` where no request has a token.
    pub(super) refused_tokens: Option<Arc<RefusedTokens>>,
}

/// The memory of a server, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct MemoryFigures {
    pub(super) used: usize,
    pub(super) peak: usize,
    pub(super) limit: usize,
    /// `None` where no scripts run.
    pub(super) workers: Option<WorkerFigures>,
}

/// The memory of the processes that run scripts, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct WorkerFigures {
    pub(super) used: usize,
    pub(super) limit: usize,
}

impl MemoryFigures {
    fn of(figures: &ServerFigures) -> Self {
        let workers = figures.workers.as_ref();
        Self {
            used: figures.requests.used(),
            peak: figures.requests.peak(),
            limit: figures.requests.limit(),
            workers: workers.map(|workers| WorkerFigures { used: workers.used(), limit: workers.limit() }),
        }
    }
}

/// What a file of a server's figures has.
#[derive(Serialize, Deserialize)]
struct FiguresFile {
    #[serde(flatten)]
    memory: MemoryFigures,
    refused_tokens: Option<u64>,
}

/// A server that runs or was killed.
pub(super) struct ServerRecord {
    /// No two servers have the same, also on several machines.
    pub(super) name: String,
    /// A JSON object.
    pub(super) json: Value,
    /// The figures of its memory, which a server writes from time to time.
    pub(super) memory: Option<MemoryFigures>,
    /// How many requests it refused because of their token.
    pub(super) refused_tokens: Option<u64>,
    /// What it does; `None` where it did nothing since somebody watches.
    pub(super) activity: Option<ServerActivity>,
    pub(super) is_running: bool,
}

impl ServerRegistration {
    /// Lists this process, and removes the files of killed servers.
    pub(super) fn register(app: &Folder, at: &[ListenAddress]) -> Option<Self> {
        let shown = ServerEntry::try_register(app, at);
        let entry = shown.inspect_err(|error| match error {
            AppDirError::ReadOnly(_) | AppDirError::ReadOnlyDisk(_) => {
                tracing::debug!(%error, "this server is not shown by `wardroom status`");
            }
            _ => tracing::warn!(%error, "this server is not shown by `wardroom status`"),
        });
        Some(Self { entry: Arc::new(Mutex::new(Some(entry.ok()?))) })
    }

    /// Starts the thread that keeps the figures of the server's memory in the list, which sleeps until they change.
    /// Returns what writes them when another figure has changed.
    pub(super) fn report(&self, figures: ServerFigures) -> impl Fn() + Send + Sync + 'static {
        write_figures(&self.entry, &figures);
        let figures = Arc::new(figures);
        let writer = (Arc::downgrade(&self.entry), Arc::clone(&figures));
        let (watched_entry, watched) = writer.clone();
        let report_activity = move || activity_file::report_activity(&watched_entry, &watched);
        if let Err(error) = thread::Builder::new().name("activity".to_owned()).spawn(report_activity) {
            tracing::debug!(%error, "`wardroom top` does not see what this server does");
        }
        let entry = Arc::downgrade(&self.entry);
        let report = move || {
            let mut change = 0;
            loop {
                change = figures.requests.wait_for_change(change);
                thread::sleep(MEMORY_REPORT_INTERVAL);
                let Some(entry) = entry.upgrade() else { return };
                write_figures(&entry, &figures);
            }
        };
        if let Err(error) = thread::Builder::new().name("memory".to_owned()).spawn(report) {
            tracing::debug!(%error, "`wardroom status` shows no memory");
        }
        move || {
            let (entry, figures) = &writer;
            entry.upgrade().iter().for_each(|entry| write_figures(entry, figures));
        }
    }
}

/// Writes the figures, unless the server is ending.
fn write_figures(entry: &SharedEntry, figures: &ServerFigures) {
    if let Some(entry) = &*lock_entry(entry) {
        entry.write_figures(figures);
    }
}

fn lock_entry(entry: &SharedEntry) -> MutexGuard<'_, Option<ServerEntry>> {
    entry.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ServerEntry {
    fn try_register(app: &Folder, at: &[ListenAddress]) -> Result<Self, AppDirError> {
        let servers = app.create_folder(SERVERS_DIR)?;
        remove_dead_servers(&servers);
        let mut random = [0; 8];
        let failed = |_| AppDirError::Io { name: SERVERS_DIR.into(), source: std::io::Error::other("no random bytes") };
        random::fill(&mut random).map_err(failed)?;
        let process = std::process::id();
        let name = format!("{process}-{:016x}", u64::from_le_bytes(random));
        // The lock comes first: without it the file would count as one of a dead server.
        let lock = Some(servers.lock_unfenced(&format!("{name}.lock"))?);
        let shown = Self { servers, name, lock };
        let started = unix_time::now_seconds();
        let listens: Value = at.iter().map(ListenAddress::to_json).collect();
        let value = json!({"process": process, "started": started, "listens": listens});
        shown.servers.create_file(&format!("{}.json", shown.name), value.to_string().as_bytes(), Privacy::Owner)?;
        Ok(shown)
    }

    fn write_figures(&self, figures: &ServerFigures) {
        let refused_tokens = figures.refused_tokens.as_ref().map(|refused| refused.count());
        let written = json!(FiguresFile { memory: MemoryFigures::of(figures), refused_tokens });
        let name = format!("{}{FIGURES_ENDING}", self.name);
        if let Err(error) = self.servers.write_unflushed(&name, written.to_string().as_bytes(), Privacy::Owner) {
            tracing::debug!(%error, "cannot write the figures of this server");
        }
    }
}

impl Drop for ServerRegistration {
    fn drop(&mut self) {
        // The thread that writes there may hold it, and finds nothing afterwards.
        drop(lock_entry(&self.entry).take());
    }
}

impl Drop for ServerEntry {
    fn drop(&mut self) {
        remove_files(&self.servers, &self.name);
        self.lock = None;
    }
}

impl ListenAddress {
    fn to_json(&self) -> Value {
        match self {
            Self::Stdio => json!({"transport": "stdio"}),
            Self::Tcp { host, port, paths } => {
                json!({"transport": "http", "host": host, "port": port, "paths": paths})
            }
            Self::Socket { path, paths } => json!({"transport": "unix", "socket": path, "paths": paths}),
        }
    }
}

/// Returns where a server is reached, all its addresses, for a person.
pub(super) fn display_addresses(record: &Value) -> String {
    let listens = record.get("listens").and_then(Value::as_array);
    let shown: Vec<_> = listens.into_iter().flatten().map(display_address).collect();
    shown.join(" ")
}

/// Returns one address of a record's `listens`; "stdio" where the server has none.
pub(super) fn display_address(listens: &Value) -> String {
    let text = |name: &str| listens.get(name).and_then(Value::as_str).unwrap_or_default();
    let port = listens.get("port").and_then(Value::as_u64).unwrap_or_default();
    match text("transport") {
        "http" if text("host").contains(':') => format!("http://[{}]:{port}", text("host")),
        "http" => format!("http://{}:{port}", text("host")),
        "unix" => text("socket").to_owned(),
        other => other.to_owned(),
    }
}

/// All servers, in the order of their start.
pub(super) fn list_servers(app: &Folder) -> Result<Vec<ServerRecord>, AppDirError> {
    let servers = match app.open_folder(SERVERS_DIR) {
        Err(AppDirError::NotFound(_)) => return Ok(Vec::new()),
        opened => opened?,
    };
    let mut found = Vec::new();
    for name in record_names(&servers, ".json")? {
        // The server may have exited meanwhile.
        let Ok(document) = servers.read(&format!("{name}.json"), MAX_SERVER_FILE_BYTES) else { continue };
        let Ok(value) = serde_json::from_slice(&document.bytes) else { continue };
        let memory = servers.read(&format!("{name}{FIGURES_ENDING}"), MAX_SERVER_FILE_BYTES).ok();
        let figures: Option<FiguresFile> = memory.and_then(|document| serde_json::from_slice(&document.bytes).ok());
        let (memory, refused_tokens) = figures.map_or((None, None), |file| (Some(file.memory), file.refused_tokens));
        let activity = ServerActivity::read(&servers, &name);
        let is_running = servers.is_locked(&format!("{name}.lock"));
        found.push(ServerRecord { name, json: value, memory, refused_tokens, activity, is_running });
    }
    found.sort_by_key(|server| server.json.get("started").and_then(Value::as_u64));
    Ok(found)
}

fn record_names(servers: &Folder, ending: &str) -> Result<Vec<String>, AppDirError> {
    let entries = servers.entries(MAX_SERVER_FILES)?;
    Ok(entries.into_iter().filter_map(|entry| Some(entry.name.strip_suffix(ending)?.to_owned())).collect())
}

/// Removes the files of killed servers.
fn remove_dead_servers(servers: &Folder) {
    for name in record_names(servers, ".json").unwrap_or_default() {
        if !servers.is_locked(&format!("{name}.lock")) {
            remove_files(servers, &name);
        }
    }
    // A lock without a file may belong to a server that is about to register.
    for name in record_names(servers, ".lock").unwrap_or_default() {
        let lock = format!("{name}.lock");
        let is_old = servers.stat(&lock).is_ok_and(|stat| {
            stat.modified.and_then(|at| at.elapsed().ok()).is_some_and(|age| age > STALE_TEMP_FILE_AGE)
        });
        if is_old && !servers.is_locked(&lock) {
            remove_files(servers, &name);
        }
    }
}

/// Removes the lock last: a file without a lock belongs to no server.
fn remove_files(servers: &Folder, name: &str) {
    for ending in [".json", FIGURES_ENDING, ACTIVITY_ENDING, ".lock"] {
        match servers.remove_file(&format!("{name}{ending}")) {
            Ok(()) | Err(AppDirError::NotFound(_)) => {}
            Err(error) => tracing::debug!(%error, "a file of a server stays"),
        }
    }
}
