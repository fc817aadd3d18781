//! The audit trail: who decided, did or was refused what, through what, and when.
//!
//! Owns: `server/audit/`, to which each process appends in a file of its own, and `server/audit-heads/`, which says where
//! each file ends. A file is a chain: each line has the hash of the line before.
//! Gives: [`AuditTrail`], which every part of the server shares; [`verify`], which finds changed, cut and missing files.
//! Never: contains code, prompts or arguments (a digest stands for them), makes a call fail, or grows without bound.

mod audited_tool;
mod counts;
mod record;
mod verify;
mod writer;
#[cfg(test)]
mod writer_tests;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use self::counts::EventCounts;
use self::writer::TrailWriter;
use super::{Caller, Transport, escape_and_truncate};
use wardroom_appdir::{AppDirError, Folder};

pub(crate) use self::audited_tool::AuditedTool;
pub use self::record::{AuditAction, AuditRecord};
pub use self::verify::{AuditFile, read_records, verify};

const FOLDER: &str = "server/audit";
const HEADS_FOLDER: &str = "server/audit-heads";
const FILE_SUFFIX: &str = ".jsonl";

/// The audit trail of an AppDir, for this process. Without an AppDir that may be written there is none.
#[derive(Clone, Default)]
pub struct AuditTrail(Option<Arc<SharedTrail>>);

struct SharedTrail {
    app: Folder,
    /// Opened for the first record. Its lock is held while the disk is written.
    writer: Mutex<Option<TrailWriter>>,
    /// Its lock is held for a moment only: the protocol's thread counts.
    counts: Mutex<EventCounts>,
}

/// Who caused a record, and through what.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct AuditSource {
    /// `operator`, `anonymous`, `token NAME`, or `unauthenticated`.
    pub who: String,
    pub through: AuditChannel,
}

/// What a record came through.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum AuditChannel {
    Stdio,
    Http,
    /// HTTP from another machine.
    HttpRemote,
    Command,
    /// The review page.
    Review,
    /// A page of MCP Apps.
    App,
    /// A question that a client showed.
    Elicitation,
    /// A proposer who takes a proposal back.
    Withdrawal,
    /// The server by itself.
    Server,
    /// The trail, about itself.
    Audit,
    /// What a file names and no version knows.
    Unknown,
}

impl AuditChannel {
    /// Those that a file may name.
    const STORED: [Self; 8] = [
        Self::Stdio,
        Self::Http,
        Self::HttpRemote,
        Self::Command,
        Self::Review,
        Self::App,
        Self::Elicitation,
        Self::Withdrawal,
    ];

    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::HttpRemote => "http-remote",
            Self::Command => "command",
            Self::Review => "review",
            Self::App => "app",
            Self::Elicitation => "elicitation",
            Self::Withdrawal => "withdrawal",
            Self::Server => "server",
            Self::Audit => "audit",
            Self::Unknown => "unknown",
        }
    }

    /// Returns the channel that a file names.
    #[must_use]
    pub fn from_stored(name: &str) -> Self {
        Self::STORED.into_iter().find(|known| known.as_str() == name).unwrap_or(Self::Unknown)
    }

    /// Whether clients come through it, and no person who decides.
    #[must_use]
    pub const fn is_of_clients(self) -> bool {
        matches!(self, Self::Stdio | Self::Http | Self::HttpRemote)
    }

    const fn http(is_remote: bool) -> Self {
        if is_remote { Self::HttpRemote } else { Self::Http }
    }
}

/// Something that is recorded.
#[derive(Debug, Clone, Copy)]
pub struct AuditEvent<'e> {
    pub action: AuditAction,
    /// A name: of a tool, a run, a token, a mount or a package.
    pub subject: &'e str,
    /// SHA-256 of what was agreed to: the arguments of a call, the source of a script, the entry of a configuration.
    pub digest: Option<[u8; 32]>,
    /// `ok`, or what became of it.
    pub outcome: &'e str,
}

impl AuditSource {
    #[must_use]
    pub fn from_caller(caller: &Caller) -> Self {
        let through = match caller.transport {
            Transport::Stdio => AuditChannel::Stdio,
            Transport::Http { is_remote } => AuditChannel::http(is_remote),
            Transport::CommandLine => AuditChannel::Command,
        };
        Self { who: caller.owner.display_name(), through }
    }

    /// The person before a page of MCP Apps, in the window of this caller.
    #[must_use]
    pub fn from_app(caller: &Caller) -> Self {
        Self { who: caller.owner.display_name(), through: AuditChannel::App }
    }

    /// The person who answered a question that this caller's client showed.
    #[must_use]
    pub fn from_elicitation(caller: &Caller) -> Self {
        Self { who: caller.owner.display_name(), through: AuditChannel::Elicitation }
    }

    /// A request over HTTP whose sender is not known.
    #[must_use]
    pub fn unauthenticated(is_remote: bool) -> Self {
        Self { who: "unauthenticated".to_owned(), through: AuditChannel::http(is_remote) }
    }

    /// The person at the command line.
    #[must_use]
    pub fn command_line() -> Self {
        Self { who: "operator".to_owned(), through: AuditChannel::Command }
    }

    /// A person who is signed in at the review page.
    #[must_use]
    pub fn review_page() -> Self {
        Self { who: "operator".to_owned(), through: AuditChannel::Review }
    }

    /// The principal of a change that a process did not record before it ended, as a file names it.
    #[must_use]
    pub fn restored(who: &str, through: &str) -> Self {
        Self { who: escape_and_truncate(who), through: AuditChannel::from_stored(through) }
    }
}

impl AuditTrail {
    /// The trail of an AppDir; none where it is read-only.
    #[must_use]
    pub fn new(app: &Folder) -> Self {
        let shared = || Arc::new(SharedTrail { app: app.clone(), writer: Mutex::default(), counts: Mutex::default() });
        Self((!app.is_read_only()).then(shared))
    }

    /// Opens this process's file before its first record.
    pub fn prepare(&self) {
        if let Some(shared) = &self.0 {
            let mut open = shared.writer.lock().unwrap_or_else(PoisonError::into_inner);
            if open.is_none() {
                // The first record tries again, and logs why it fails.
                *open = TrailWriter::open(&shared.app).ok();
            }
        }
    }

    /// Records something that happened. It is there when this returns, also if the process is killed then; a failed write
    /// is logged. Who has filled its share of the trail is counted from then on, except for decisions of people.
    pub fn record(&self, source: &AuditSource, event: &AuditEvent) {
        if let Some(shared) = &self.0 {
            // Clients may make proposals and take them back without end.
            let is_of_client = source.through.is_of_clients()
                || matches!(source.through, AuditChannel::App | AuditChannel::Withdrawal);
            let is_taken_back = event.action == AuditAction::ProposalDiscarded && is_of_client;
            let is_decision = event.action.is_decision() && !is_taken_back;
            let may_append = shared.lock_counts().take_record(source) || is_decision;
            if may_append {
                shared.append(source, event, 1);
            } else {
                shared.lock_counts().count(source, event);
            }
            shared.append_counts(false);
        }
    }

    /// Returns the subjects of the records with one of these actions, for a process that ends what another one began. It
    /// reads all files: nothing that callers can ask for may depend on it.
    #[must_use]
    pub fn recorded_subjects(&self, actions: &[AuditAction]) -> HashSet<String> {
        let Some(shared) = &self.0 else { return HashSet::new() };
        let records = read_records(&shared.app).unwrap_or_else(|error| {
            tracing::error!(%error, "the audit trail cannot be read: something may be recorded twice");
            Vec::new()
        });
        let found = records.into_iter().filter(|record| actions.contains(&record.action));
        found.map(|record| record.subject).collect()
    }

    /// Counts a refusal. Returns whether [`Self::write_counts`] should be called, on a thread that may wait: for the first
    /// refusal of its kind and caller, and then once for each interval.
    #[must_use]
    pub fn count_refusal(&self, source: &AuditSource, subject: &str, reason: &str) -> bool {
        let event = AuditEvent { action: AuditAction::Refused, subject, digest: None, outcome: reason };
        self.0.as_ref().is_some_and(|shared| shared.lock_counts().count(source, &event))
    }

    /// Counts a refusal, and writes what is due.
    pub fn refuse(&self, source: &AuditSource, subject: &str, reason: &str) {
        if self.count_refusal(source, subject, reason) {
            self.write_counts();
        }
    }

    /// Writes the counts that are due.
    pub fn write_counts(&self) {
        self.0.iter().for_each(|shared| shared.append_counts(false));
    }

    /// Writes all counts: at the end of the process.
    pub fn finish(&self) {
        self.0.iter().for_each(|shared| shared.append_counts(true));
    }
}

impl SharedTrail {
    fn lock_counts(&self) -> MutexGuard<'_, EventCounts> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn append_counts(&self, all: bool) {
        let due = self.lock_counts().take_due(all);
        for counted in due {
            let (action, subject, outcome) = (counted.action, &*counted.subject, &*counted.outcome);
            self.append(&counted.source, &AuditEvent { action, subject, digest: None, outcome }, counted.count);
        }
    }

    fn append(&self, source: &AuditSource, event: &AuditEvent, count: u64) {
        let mut open = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        let append = |writer: TrailWriter| writer.append(&self.app, source, event, count);
        let mut written = open.take().map_or_else(|| TrailWriter::open(&self.app), Ok).and_then(append);
        if let Err(AppDirError::Locked(_)) = written {
            // Another machine took the file over, while this one did not reach the file system.
            written = TrailWriter::open(&self.app).and_then(append);
        }
        match written {
            Ok(writer) => *open = Some(writer),
            Err(error) => {
                tracing::error!(%error, "a record of the audit trail cannot be written");
            }
        }
    }
}
