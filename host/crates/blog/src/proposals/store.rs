//! The files of proposals.
//!
//! Owns: `.wardroom/proposals/{id}.json` for each pending proposal, `.wardroom/decided/{time}/{id}.json` for each decided one,
//! and the lock below which decisions are made. Creating the second file, which only one process can, is the decision. A
//! server that may not decide cannot write there: all that it writes is in the folders of proposals and drafts.
//! Never: knows what a change is.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use wardroom_appdir::{AppDirError, EntryKind, FileLock, Folder, Privacy, Stat};
use wardroom_base::payload::{self, PayloadError};
use wardroom_service::Dependencies;
use wardroom_service::proposal::{PROPOSAL_ID_LEN, is_proposal_id};

use super::decided_cache::{DecidedCache, DecidedEntry};
use super::pending_cache::{PendingCache, PendingEntry};
use super::validity::{check_decided, check_proposal};
use super::{Decided, MAX_DECIDED_AGE_MS, Proposal, ProposalState};
use crate::content::layout::DRAFTS_DIR;
use crate::limits::{
    MAX_DECIDED_AGE, MAX_OWN_PROPOSAL_BYTES, MAX_OWN_PROPOSALS, MAX_PENDING_PROPOSALS, MAX_PROPOSAL_BYTES,
    MAX_PROPOSAL_NAMES,
};

const PENDING_DIR: &str = ".wardroom/proposals";
const DECIDED_DIR: &str = ".wardroom/decided";
/// No ids.
const LOCK_FILE: &str = ".wardroom/proposals/lock";
const PLACES_LOCK_FILE: &str = ".wardroom/proposals/places";
const GITIGNORE: &str = ".wardroom/.gitignore";
/// Digits of an id that are the time of some hours: the name of a folder of decided proposals.
const TIME_DIGITS: usize = 6;
/// Digits of an id that are its time in milliseconds since 1970.
const TIME_MS_DIGITS: usize = 12;

/// The proposals of a blog.
pub(crate) struct ProposalStore<'b> {
    blog: &'b Folder,
}

/// Why the files of proposals cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum StoreError {
    #[error("there are {MAX_PENDING_PROPOSALS} proposals already")]
    Full,
    #[error("one caller has {MAX_OWN_PROPOSALS} of them")]
    OwnFull,
    #[error("one caller has proposals of {MAX_OWN_PROPOSAL_BYTES} bytes")]
    OwnLarge,
    #[error("the proposal is too large")]
    TooLarge,
    #[error("the proposal {0} was written by a newer version of this program")]
    Newer(String),
    #[error("the file of the proposal {0} cannot be read")]
    Unreadable(String, #[source] PayloadError),
    #[error("the file of the proposal {0} cannot be used: {1}")]
    Invalid(String, &'static str),
    #[error(transparent)]
    Files(#[from] AppDirError),
}

impl<'b> ProposalStore<'b> {
    pub(crate) const fn new(blog: &'b Folder) -> Self {
        Self { blog }
    }

    /// Takes the lock for decisions.
    pub(crate) fn lock(&self) -> Result<FileLock, StoreError> {
        self.create_folders()?;
        Ok(self.blog.lock(LOCK_FILE)?)
    }

    /// Takes the lock for the choice of a new file's name, which ends with the proposal of that file.
    pub(crate) fn lock_places(&self) -> Result<FileLock, StoreError> {
        self.create_folders()?;
        Ok(self.blog.lock(PLACES_LOCK_FILE)?)
    }

    /// Creates the folders in which a server writes that may not decide, and returns them.
    pub(crate) fn create_own_folders(&self) -> Result<[Folder; 2], AppDirError> {
        self.create_folders()?;
        Ok([self.blog.create_folder(PENDING_DIR)?, self.blog.create_folder(DRAFTS_DIR)?])
    }

    fn create_folders(&self) -> Result<(), AppDirError> {
        self.blog.create_folder(PENDING_DIR)?;
        // None of this belongs in the history of the blog. The folder is watched: nothing is created there without need.
        if self.blog.stat(GITIGNORE).is_ok() {
            return Ok(());
        }
        match self.blog.create_file(GITIGNORE, b"*\n", Privacy::Shared) {
            Err(AppDirError::AlreadyExists(_)) | Ok(()) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Creates a proposal.
    pub(crate) fn create(&self, cache: &PendingCache, proposal: &Proposal) -> Result<(), StoreError> {
        if self.blog.open_folder(PENDING_DIR).is_err() {
            self.create_folders()?;
        }
        // What could not be read again is not written.
        check_proposal(&proposal.id, proposal).map_err(|reason| StoreError::Invalid(proposal.id.clone(), reason))?;
        // A decision has the texts once more.
        let bytes = encode(proposal, MAX_PROPOSAL_BYTES / 2)?;
        self.check_room(cache, proposal, bytes.len() as u64)?;
        Ok(self.blog.create_file(&pending_path(&proposal.id), &bytes, Privacy::Shared)?)
    }

    /// Checks that there is room for a proposal, and that its caller leaves some for others.
    fn check_room(&self, cache: &PendingCache, proposal: &Proposal, len: u64) -> Result<(), StoreError> {
        let files = self.pending_files()?;
        if files.len() >= MAX_PENDING_PROPOSALS {
            return Err(StoreError::Full);
        }
        // Whose they are matters only where one caller could have too many.
        let all_bytes: u64 = files.iter().map(|(_, stat)| stat.len).sum();
        if files.len() < MAX_OWN_PROPOSALS && all_bytes + len <= MAX_OWN_PROPOSAL_BYTES {
            return Ok(());
        }
        let principal = proposal.proposer.principal_hash();
        let own: Vec<u64> = self
            .read_pending(cache, files)
            .iter()
            .filter_map(|entry| entry.is_of(principal).then_some(entry.len))
            .collect();
        if own.len() >= MAX_OWN_PROPOSALS {
            return Err(StoreError::OwnFull);
        }
        if own.iter().sum::<u64>() + len > MAX_OWN_PROPOSAL_BYTES {
            return Err(StoreError::OwnLarge);
        }
        Ok(())
    }

    /// Returns the pending proposals, the newest first, without reading again what did not change. Some may be decided
    /// already.
    pub(crate) fn pending(&self, cache: &PendingCache) -> Result<Vec<PendingEntry>, StoreError> {
        Ok(self.read_pending(cache, self.pending_files()?))
    }

    fn read_pending(&self, cache: &PendingCache, files: Vec<(String, Stat)>) -> Vec<PendingEntry> {
        cache.entries(files, |id| self.read(id, &pending_path(id)))
    }

    /// Returns the ids of the pending proposals with what the system says of their files, the newest first.
    fn pending_files(&self) -> Result<Vec<(String, Stat)>, StoreError> {
        let folder = match self.blog.open_folder(PENDING_DIR) {
            Ok(folder) => folder,
            Err(AppDirError::NotFound(_)) => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        let with_stat = |id: [u8; PROPOSAL_ID_LEN]| {
            let id = String::from_utf8_lossy(&id).into_owned();
            // One that is gone was decided.
            let stat = folder.stat(&format!("{id}.json")).ok()?;
            Some((id, stat))
        };
        Ok(ids_in(&folder)?.into_iter().filter_map(with_stat).collect())
    }

    /// Replaces a proposal that is pending by one that says something else. `_lock` is that of decisions: none is made
    /// meanwhile.
    ///
    /// # Errors
    /// [`AppDirError::NotFound`] where it is decided.
    pub(crate) fn replace(&self, _lock: &FileLock, proposal: &Proposal) -> Result<(), StoreError> {
        let path = pending_path(&proposal.id);
        self.blog.stat(&path)?;
        if self.is_decided(&proposal.id) {
            return Err(AppDirError::NotFound(path).into());
        }
        let bytes = encode(proposal, MAX_PROPOSAL_BYTES / 2)?;
        Ok(self.blog.write(&path, &bytes, Privacy::Preserve)?)
    }

    /// Returns how many proposals are pending at a time, in milliseconds since 1970.
    pub(crate) fn count_pending(&self, cache: &PendingCache, now: i64) -> Result<usize, StoreError> {
        let pending = self.pending(cache)?;
        Ok(pending.iter().filter(|entry| entry.is_pending(now) && !self.is_decided(&entry.id)).count())
    }

    /// Returns a number that differs once proposals came, changed or were decided, without reading one of them.
    pub(crate) fn version(&self) -> u64 {
        let Ok(folder) = self.blog.open_folder(PENDING_DIR) else { return 0 };
        let mut hasher = DefaultHasher::new();
        folder.stat_self().ok().and_then(|stat| stat.changed).hash(&mut hasher);
        // Several changes may fall in one tick of the clock.
        self.pending_ids().unwrap_or_default().hash(&mut hasher);
        hasher.finish()
    }

    /// Returns a proposal with what became of it; `None` if there is none, or if it was decided long before `now`, in
    /// milliseconds since 1970.
    pub(crate) fn find(&self, id: &str, now: i64) -> Result<Option<ProposalState>, StoreError> {
        if !is_proposal_id(id) {
            return Ok(None);
        }
        // A proposal is pending until it is decided: in this order none is missed in between.
        let pending = self.read::<Proposal>(id, &pending_path(id))?;
        match self.read_decided(id)? {
            Some(decided) => Ok(decided.decision.still_answers(now).then(|| decided.into())),
            None => Ok(pending.map(|proposal| {
                let decision = proposal.withdrawal(now);
                ProposalState { proposal, decision, left_alone: Vec::new(), is_carried_out: true }
            })),
        }
    }

    /// Returns what was decided on a proposal.
    pub(crate) fn read_decided(&self, id: &str) -> Result<Option<Decided>, StoreError> {
        self.read(id, &decided_path(id))
    }

    /// Returns what was decided on a proposal, from the folder that its file is in.
    pub(crate) fn read_decided_in(folder: &Folder, id: &str) -> Result<Option<Decided>, StoreError> {
        read_from(folder, id, &format!("{id}.json"))
    }

    /// Returns the ids of the pending proposals, the newest first. Some may be decided already.
    pub(crate) fn pending_ids(&self) -> Result<Vec<String>, StoreError> {
        Ok(self.ids_in(PENDING_DIR)?.collect())
    }

    /// Visits the decided proposals before `before`, the newest first, each with the folder of its file, until `visit`
    /// returns false for one.
    pub(crate) fn visit_decided(
        &self,
        cache: &DecidedCache,
        before: Option<&str>,
        mut visit: impl FnMut(&Folder, &DecidedEntry) -> bool,
    ) -> Result<(), StoreError> {
        let limit = before.map(|id| id.get(..TIME_DIGITS).unwrap_or_default());
        for name in self.decided_folders()? {
            if limit.is_some_and(|limit| name.as_str() > limit) {
                continue;
            }
            let folder = match self.blog.open_folder(&format!("{DECIDED_DIR}/{name}")) {
                Ok(folder) => folder,
                Err(AppDirError::NotFound(_)) => continue,
                Err(error) => return Err(error.into()),
            };
            let entries = cache.entries(&name, &folder)?;
            let first = before.map_or(0, |before| entries.partition_point(|entry| entry.id() >= before));
            for entry in entries.iter().skip(first) {
                if !visit(&folder, entry) {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    /// Decides on a proposal. Of several processes that try, one succeeds.
    ///
    /// # Errors
    /// [`AppDirError::AlreadyExists`] where it is decided.
    pub(crate) fn decide(&self, decided: &Decided) -> Result<(), StoreError> {
        let id = &decided.proposal.id;
        self.blog.create_folder(&format!("{DECIDED_DIR}/{}", time_of(id)))?;
        let bytes = encode(decided, MAX_PROPOSAL_BYTES)?;
        Ok(self.blog.create_file(&decided_path(id), &bytes, Privacy::Shared)?)
    }

    /// Adds to a decision that it is carried out, and what could not be.
    pub(crate) fn amend(&self, decided: &Decided) -> Result<(), StoreError> {
        let bytes = encode(decided, MAX_PROPOSAL_BYTES)?;
        Ok(self.blog.write(&decided_path(&decided.proposal.id), &bytes, Privacy::Preserve)?)
    }

    /// Ends a decision whose steps are done.
    pub(crate) fn finish(&self, id: &str) -> Result<(), AppDirError> {
        match self.blog.remove_file(&pending_path(id)) {
            Ok(()) | Err(AppDirError::NotFound(_)) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Whether a decision on a proposal was made, carried out or not.
    pub(crate) fn is_decided(&self, id: &str) -> bool {
        self.blog.stat(&decided_path(id)).is_ok()
    }

    /// Adds what shows that proposals came or were decided: all of them, or one.
    pub(crate) fn add_dependencies(&self, dependencies: &mut Dependencies, id: Option<&str>) {
        match id {
            None => drop(dependencies.add_dir_listing(self.blog, PENDING_DIR)),
            Some(id) if is_proposal_id(id) => {
                dependencies.add_file(self.blog, &pending_path(id));
                dependencies.add_file(self.blog, &decided_path(id));
            }
            Some(_) => {}
        }
    }

    /// Removes what was decided long before `now`, in milliseconds since 1970.
    pub(crate) fn remove_old(&self, now: i64) -> Result<(), StoreError> {
        let is_recent = |created: Option<i64>| created.is_some_and(|created| now - created < MAX_DECIDED_AGE_MS);
        // What was proposed a short while ago was not decided long ago: these folders need no look.
        let mut folders = self.decided_folders()?;
        folders.retain(|folder| !is_recent(folder_time(folder)));
        if folders.is_empty() {
            return Ok(());
        }
        let _lock = self.lock()?;
        for folder in folders {
            let path = format!("{DECIDED_DIR}/{folder}");
            let ids = self.ids_in(&path)?;
            let mut left = ids.len();
            for id in ids.filter(|id| !is_recent(id_time(id))) {
                // One that is not carried out yet is needed for that.
                let is_finished = matches!(self.blog.stat(&pending_path(&id)), Err(AppDirError::NotFound(_)));
                if is_finished && self.is_old(&id, now)? {
                    self.blog.remove_file(&decided_path(&id))?;
                    left -= 1;
                }
            }
            if left == 0 {
                self.blog.open_folder(DECIDED_DIR)?.remove_tree(&folder)?;
            }
        }
        Ok(())
    }

    /// Whether a decision was made long ago. The time of its file counts where the file cannot be read.
    fn is_old(&self, id: &str, now: i64) -> Result<bool, StoreError> {
        match self.read_decided(id) {
            Ok(decided) => Ok(decided.is_some_and(|decided| !decided.decision.still_answers(now))),
            Err(StoreError::Unreadable(..) | StoreError::Invalid(..)) => {
                let modified = self.blog.stat(&decided_path(id))?.modified;
                Ok(modified.and_then(|at| at.elapsed().ok()).is_some_and(|age| age >= MAX_DECIDED_AGE))
            }
            // A newer program removes it.
            Err(StoreError::Newer(_)) => Ok(false),
            Err(error) => Err(error),
        }
    }

    fn decided_folders(&self) -> Result<Vec<String>, StoreError> {
        let folder = match self.blog.open_folder(DECIDED_DIR) {
            Ok(folder) => folder,
            Err(AppDirError::NotFound(_)) => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        let mut names = Vec::new();
        folder.visit_names(&mut { MAX_PROPOSAL_NAMES }, |name, _, kind| {
            if kind == EntryKind::Folder && name.len() == TIME_DIGITS && name.bytes().all(|b| b.is_ascii_hexdigit()) {
                names.push(name.to_owned());
            }
        })?;
        names.sort_unstable_by(|a, b| b.cmp(a));
        Ok(names)
    }

    /// Returns the ids in a folder, the newest first.
    fn ids_in(&self, path: &str) -> Result<impl ExactSizeIterator<Item = String> + use<>, StoreError> {
        let ids = match self.blog.open_folder(path) {
            Ok(folder) => ids_in(&folder)?,
            Err(AppDirError::NotFound(_)) => Vec::new(),
            Err(error) => return Err(error.into()),
        };
        // An id has ASCII characters alone.
        Ok(ids.into_iter().map(|id| String::from_utf8_lossy(&id).into_owned()))
    }

    fn read<T: StoredFile>(&self, id: &str, path: &str) -> Result<Option<T>, StoreError> {
        read_from(self.blog, id, path)
    }
}

/// Returns the ids in a folder, the newest first. A folder may have thousands, of which few are shown.
pub(super) fn ids_in(folder: &Folder) -> Result<Vec<[u8; PROPOSAL_ID_LEN]>, StoreError> {
    let mut ids: Vec<[u8; PROPOSAL_ID_LEN]> = Vec::new();
    folder.visit_names(&mut { MAX_PROPOSAL_NAMES }, |name, _, kind| {
        let id = name.strip_suffix(".json").filter(|id| kind == EntryKind::File && is_proposal_id(id));
        ids.extend(id.and_then(|id| <[u8; PROPOSAL_ID_LEN]>::try_from(id.as_bytes()).ok()));
    })?;
    ids.sort_unstable_by(|a, b| b.cmp(a));
    Ok(ids)
}

fn read_from<T: StoredFile>(folder: &Folder, id: &str, path: &str) -> Result<Option<T>, StoreError> {
    let content = match folder.read(path, MAX_PROPOSAL_BYTES) {
        Ok(content) => content,
        Err(AppDirError::NotFound(_)) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let version: VersionOf =
        payload::parse_stored(&content.bytes).map_err(|error| StoreError::Unreadable(id.to_owned(), error))?;
    if version.version > super::PROPOSAL_VERSION {
        return Err(StoreError::Newer(id.to_owned()));
    }
    let found: T =
        payload::parse_stored(&content.bytes).map_err(|error| StoreError::Unreadable(id.to_owned(), error))?;
    found.check(id).map_err(|reason| StoreError::Invalid(id.to_owned(), reason))?;
    Ok(Some(found))
}

/// The version of a file.
#[derive(serde::Deserialize)]
struct VersionOf {
    version: u32,
}

/// What a file of this store says, with a version.
trait StoredFile: serde::de::DeserializeOwned {
    /// Checks what was read from the file of an id. Nothing acts on a file that was not checked.
    fn check(&self, id: &str) -> Result<(), &'static str>;
}

impl StoredFile for Proposal {
    fn check(&self, id: &str) -> Result<(), &'static str> {
        check_proposal(id, self)
    }
}

impl StoredFile for Decided {
    fn check(&self, id: &str) -> Result<(), &'static str> {
        check_decided(id, self)
    }
}

fn encode(value: &impl serde::Serialize, limit: u64) -> Result<Vec<u8>, StoreError> {
    // These types have string keys alone.
    let bytes = serde_json::to_vec(value).unwrap_or_default();
    if bytes.len() as u64 > limit { Err(StoreError::TooLarge) } else { Ok(bytes) }
}

fn pending_path(id: &str) -> String {
    format!("{PENDING_DIR}/{id}.json")
}

fn decided_path(id: &str) -> String {
    format!("{DECIDED_DIR}/{}/{id}.json", time_of(id))
}

fn time_of(id: &str) -> &str {
    id.get(..TIME_DIGITS).unwrap_or_default()
}

/// Returns the time in an id, in milliseconds since 1970.
pub(super) fn id_time(id: &str) -> Option<i64> {
    let digits: String = id.chars().filter(|c| *c != '-').take(TIME_MS_DIGITS).collect();
    i64::from_str_radix(&digits, 16).ok()
}

/// Returns the time at which the first ids of a folder could be made.
fn folder_time(folder: &str) -> Option<i64> {
    let digit_bits = 4 * (TIME_MS_DIGITS - TIME_DIGITS);
    i64::from_str_radix(folder, 16).ok().map(|start| start << digit_bits)
}
