//! The AppDir: the only crate that touches files, each through a directory that was opened before.
//!
//! Owns: directory handles, atomic writes, advisory locks, the line index of JSON Lines files, and the few functions
//! (`ambient.rs`) that turn a path of the machine into a handle.
//! Gives: handles, bytes and [`AppDirError`]; a caller names files relative to a handle and cannot name one outside.
//! Never: follows a name or a link out of its directory, blocks on a pipe, or leaves a partly written file.

#![expect(clippy::disallowed_methods, reason = "this crate wraps the methods that the lint disallows elsewhere")]

pub mod ambient;
mod cache_dir;
mod create_mode;
mod debounce;
mod error;
mod failpoint;
mod fence;
mod file_cache;
mod file_system;
mod fixed_record;
mod folder;
mod folder_snapshot;
mod foreign_file;
mod journal;
mod jsonl;
pub mod limits;
mod link_resolution;
mod lock;
mod open_file;
mod positioned_file;
mod read_cache;
mod removed_folder;
mod saved_bytes;
mod stale_temp;
mod tree;
mod uncached_read;
mod user;
mod watch;
mod write;

pub use self::cache_dir::CacheDir;
pub use self::create_mode::TightenedEntries;
pub use self::debounce::DebouncedWatcher;
pub use self::error::AppDirError;
#[doc(hidden)]
pub use self::failpoint::{hit as failpoint, with_failpoints};
#[doc(hidden)]
pub use self::fence::with_shared_file_system;
pub use self::file_cache::{FileCache, FileCacheLimits};
pub use self::file_system::{FileSystemReach, MountedVolume};
pub use self::fixed_record::FixedRecord;
pub use self::folder::{Access, DirEntry, EntryKind, FileId, Folder, Stat};
pub use self::folder_snapshot::FolderSnapshot;
pub use self::journal::JournalFile;
pub use self::jsonl::{FollowedRow, LineIndexCache, RowFollower, RowPage, RowPageRequest, VisitedRow};
pub use self::lock::{FileLock, UnfencedLock};
pub use self::open_file::{FileContent, OpenFile};
pub use self::positioned_file::{NewFile, PositionedFile};
pub use self::saved_bytes::{SavedBytesReader, SavedBytesWriter};
pub use self::tree::{OutsideLink, PublishMode, StagedTree, TreeBudget, TreeError};
pub use self::user::user_id;
pub use self::watch::{FolderChanges, FolderWatcher};
pub use self::write::Privacy;
