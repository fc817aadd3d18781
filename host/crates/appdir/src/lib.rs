//! The AppDir: the only room that touches files, and every file through a directory that was opened before.
//!
//! Owns: directory handles, atomic writes, advisory locks, the line index of JSON Lines files, and the few doors
//! (`ambient.rs`) through which a path of the machine becomes a handle.
//! Gives: handles, bytes and [`AppDirError`]; a caller names files relative to a handle and cannot name another one.
//! Never: follows a name or a link out of its directory, blocks on a pipe, or leaves a half-written file.

#![expect(clippy::disallowed_methods, reason = "this room is what the fence stands around")]

pub mod ambient;
mod error;
mod fault;
mod folder;
mod journal;
mod kept;
mod leftovers;
mod lines;
mod lock;
mod replace;
mod tree;
mod watch;
mod write;

pub use self::error::AppDirError;
#[doc(hidden)]
pub use self::fault::with_faults;
pub use self::folder::{Access, Document, Entry, EntryKind, Folder, Stat};
pub use self::journal::Journal;
pub use self::lines::{LineIndexes, Page, Wanted};
pub use self::lock::Lock;
pub use self::tree::{Publish, Staged, TreeBudget, TreeError};
pub use self::watch::{Changed, FolderId, Watcher};
pub use self::write::Privacy;
