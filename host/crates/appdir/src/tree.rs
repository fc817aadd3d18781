//! Whole trees: staged in a hidden folder beside their name, then renamed.
//!
//! Owns: which entries of a tree are copied, the limits for that, and the exchange of an old tree for a new one.
//! Never: follows a link out of the tree that is copied, or shows a partial tree under its name.

use std::collections::HashSet;
use std::io::{self, Read as _, Write as _};

use cap_std::fs::OpenOptions;

use super::folder::trim_trailing_slash;
use super::write::{is_temporary_name, unique_id};
use super::{AppDirError, EntryKind, Folder, Privacy, Stat, failpoint, fence};
use crate::limits::FILE_READ_CHUNK_BYTES;

/// The remaining budget of all copies that share it.
#[derive(Debug, Clone, Copy)]
pub struct TreeBudget {
    /// Files, folders and links.
    pub entries: usize,
    pub bytes: u64,
    /// The limit of nested folders.
    pub max_depth: usize,
}

/// Why a tree is not copied. Its names are relative to the tree.
#[derive(Debug, thiserror::Error)]
pub enum TreeError {
    #[error("it has too many files and folders")]
    TooManyEntries,
    #[error("its files are too large together")]
    TooLarge,
    #[error("its folders are nested too deep: {0}")]
    TooDeep(String),
    #[error("a link in it leads outside: {0}")]
    LinkOutside(String),
    #[error("a link in it leads to a folder that contains the link: {0}")]
    LinkCycle(String),
    #[error("neither a file nor a folder: {0}")]
    SpecialFile(String),
    #[error("it has a name that is not UTF-8: {0}")]
    NotUtf8(String),
    /// On some systems both would be the same file.
    #[error("it has two names that differ in case only: {0}")]
    CaseConflict(String),
    #[error(transparent)]
    AppDir(#[from] AppDirError),
}

/// What is done with a link that leads out of a copied tree.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutsideLink {
    /// The tree is not copied.
    Refuse,
    /// The copy does not have it.
    Skip,
}

/// What a published tree may replace.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PublishMode {
    /// Nothing: the name must be free.
    New,
    /// The tree that has the name, if any.
    Replace,
}

/// A tree that is built under a hidden name. If it is dropped without being published, it is removed.
#[derive(Debug)]
pub struct StagedTree {
    parent: Folder,
    name: String,
    base: String,
    folder: Folder,
    is_published: bool,
}

impl Folder {
    /// Creates a staged tree that will be named `base`.
    ///
    /// # Errors
    /// When this handle is read-only, or the disk fails.
    pub fn stage_tree(&self, base: &str) -> Result<StagedTree, AppDirError> {
        self.ensure_writable(base)?;
        if base.contains('/') || matches!(base, "" | "." | "..") {
            return Err(AppDirError::NotFound(base.into()));
        }
        let name = format!(".{base}.{:016x}.tmp", unique_id());
        let made = failpoint::hit("create staged").and_then(|()| self.create_one_dir(&name));
        made.map_err(|error| AppDirError::from_io(base, error))?;
        let folder = match self.open_folder(&name) {
            Ok(folder) => folder,
            Err(error) => {
                let _ = self.dir.remove_dir(&name);
                return Err(error);
            }
        };
        Ok(StagedTree { parent: self.clone(), name, base: base.into(), folder, is_published: false })
    }

    /// Returns the kind of an entry, without following a link.
    ///
    /// # Errors
    /// When the entry does not exist.
    pub fn entry_kind(&self, name: &str) -> Result<EntryKind, AppDirError> {
        let metadata =
            self.dir.symlink_metadata(trim_trailing_slash(name)).map_err(|error| AppDirError::from_io(name, error))?;
        Ok(EntryKind::from_file_type(metadata.file_type()))
    }

    /// Removes a tree: its name disappears in one step, so no reader sees a partial tree. What cannot be removed of it now has a
    /// hidden name, and is swept later.
    ///
    /// # Errors
    /// When this handle is read-only, or the tree does not exist. If only the flush fails, the name is gone.
    pub fn remove_tree(&self, name: &str) -> Result<(), AppDirError> {
        self.ensure_writable(name)?;
        let hidden = format!(".{name}.{:016x}.tmp", unique_id());
        let failed = |error| AppDirError::from_io(name, error);
        self.entry_kind(name)?;
        let renamed = fence::commit("hide").and_then(|()| {
            // The trees that this one replaced are removed first, so that no sweep gives their name back after a kill.
            for old in self.replaced_trees(name).unwrap_or_default() {
                let _ = self.dir.remove_dir_all(&old);
            }
            self.dir.rename(name, &self.dir, &hidden)
        });
        renamed.map_err(failed)?;
        let flushed = self.sync_dir();
        let _ = failpoint::hit("remove").and_then(|()| self.dir.remove_dir_all(&hidden));
        flushed.map_err(failed)
    }

    /// Whether the tree below this folder is within the limits, as far as can be seen while other processes write
    /// there.
    #[must_use]
    pub fn is_within_budget(&self, mut budget: TreeBudget) -> bool {
        self.charge_budget(&mut budget, 0).is_ok()
    }

    fn charge_budget(&self, budget: &mut TreeBudget, depth: usize) -> Result<(), TreeError> {
        if depth > budget.max_depth {
            return Err(TreeError::TooDeep(String::new()));
        }
        let Ok(entries) = self.dir.entries() else { return Ok(()) };
        for entry in entries.flatten() {
            budget.entries = budget.entries.checked_sub(1).ok_or(TreeError::TooManyEntries)?;
            let Ok(metadata) = entry.metadata() else { continue };
            if metadata.is_dir() {
                if let Ok(dir) = entry.open_dir() {
                    self.child(dir).charge_budget(budget, depth + 1)?;
                }
            } else {
                budget.bytes = budget.bytes.checked_sub(metadata.len()).ok_or(TreeError::TooLarge)?;
            }
        }
        Ok(())
    }

    fn is_same_folder(&self, other: &Self) -> bool {
        let own = |folder: &Self| folder.stat_self().ok().map(|stat| stat.file_id);
        own(self).is_some_and(|identity| own(other) == Some(identity))
    }
}

impl StagedTree {
    /// Returns the folder in which the tree is built.
    #[must_use]
    pub fn folder(&self) -> &Folder {
        &self.folder
    }

    /// Copies all of `from` except git's files: files, folders, and the targets of links that stay inside. `stopped` is
    /// polled for cancellation.
    ///
    /// # Errors
    /// For the first entry of the tree that is not accepted.
    pub fn copy_from(
        &self,
        from: &Folder,
        budget: &mut TreeBudget,
        outside_link: OutsideLink,
        stopped: &dyn Fn() -> bool,
    ) -> Result<(), TreeError> {
        let (buffer, around) = (vec![0; FILE_READ_CHUNK_BYTES], vec![from.clone()]);
        let mut copy = TreeCopy {
            root: from,
            target: &self.folder,
            budget,
            outside_link,
            is_cancelled: stopped,
            buffer,
            ancestors: around,
        };
        copy.copy_folder(from, "", &self.folder, 0)
    }

    /// Renames the tree to its name, in one step.
    ///
    /// # Errors
    /// [`AppDirError::AlreadyExists`] when the name must be free and is not; then, as after any other error, all is as
    /// before. If only the last flush fails, the new tree is there.
    pub fn publish(mut self, how: PublishMode) -> Result<(), AppDirError> {
        let failed = |error| AppDirError::from_io(&self.base, error);
        let parent = &self.parent;
        let renamed = fence::commit("publish").and_then(|()| match how {
            PublishMode::New => parent.rename_tree_noreplace(&self.name, &self.base),
            PublishMode::Replace => match parent.rename_tree_noreplace(&self.name, &self.base) {
                Err(error) if is_name_taken(&error) => parent.exchange_trees(&self.name, &self.base),
                named => named,
            },
        });
        renamed.map_err(failed)?;
        // From here on the hidden name is that of the old tree, if there was one.
        let flushed = failpoint::hit("flush names").and_then(|()| parent.sync_dir());
        self.is_published = true;
        // A tree that cannot be removed now is swept later.
        let _ = failpoint::hit("remove old").and_then(|()| parent.dir.remove_dir_all(&self.name));
        flushed.map_err(failed)
    }
}

impl Drop for StagedTree {
    fn drop(&mut self) {
        if !self.is_published {
            let _ = self.parent.dir.remove_dir_all(&self.name);
        }
    }
}

fn is_name_taken(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::AlreadyExists | io::ErrorKind::DirectoryNotEmpty)
}

impl Folder {
    /// Renames a tree to a free name.
    #[cfg(target_os = "linux")]
    fn rename_tree_noreplace(&self, staged: &str, base: &str) -> io::Result<()> {
        use rustix::fs::{RenameFlags, renameat_with};
        match renameat_with(&*self.dir, staged, &*self.dir, base, RenameFlags::NOREPLACE) {
            Err(rustix::io::Errno::INVAL | rustix::io::Errno::NOSYS | rustix::io::Errno::NOTSUP) => {
                self.rename_tree(staged, base)
            }
            renamed => Ok(renamed?),
        }
    }

    #[cfg(not(target_os = "linux"))]
    fn rename_tree_noreplace(&self, staged: &str, base: &str) -> io::Result<()> {
        self.rename_tree(staged, base)
    }

    /// Renames a tree with a plain rename, which replaces an empty folder only.
    fn rename_tree(&self, staged: &str, base: &str) -> io::Result<()> {
        self.dir.rename(staged, &self.dir, base)
    }

    /// Exchanges two trees.
    fn exchange_trees(&self, staged: &str, base: &str) -> io::Result<()> {
        match self.try_exchange(staged, base) {
            None => self.exchange_trees_in_steps(staged, base),
            // Another process removed it in between.
            Some(Err(error)) if error.kind() == io::ErrorKind::NotFound => self.rename_tree_noreplace(staged, base),
            Some(exchanged) => exchanged,
        }
    }

    /// Exchanges two trees with three renames. For a moment the name does not exist: a process that is killed then leaves the old
    /// tree under a name of its own, which [`Self::sweep_staged_trees`] gives back.
    fn exchange_trees_in_steps(&self, staged: &str, base: &str) -> io::Result<()> {
        let old = format!(".{base}.{:016x}{REPLACED_SUFFIX}", unique_id());
        failpoint::hit("hide old")?;
        self.dir.rename(base, &self.dir, &old)?;
        if let Err(error) = failpoint::hit("take name").and_then(|()| self.dir.rename(staged, &self.dir, base)) {
            self.dir.rename(&old, &self.dir, base)?;
            return Err(error);
        }
        self.dir.rename(&old, &self.dir, staged)
    }
}

/// The end of the name of a tree that another one takes the place of, where the system cannot exchange names.
pub(super) const REPLACED_SUFFIX: &str = ".replaced";

/// A copy in progress.
struct TreeCopy<'c> {
    root: &'c Folder,
    target: &'c Folder,
    budget: &'c mut TreeBudget,
    outside_link: OutsideLink,
    is_cancelled: &'c dyn Fn() -> bool,
    buffer: Vec<u8>,
    /// The folders that are being copied, outermost first.
    ancestors: Vec<Folder>,
}

impl TreeCopy<'_> {
    /// Copies the folder at the path `at` of the tree.
    fn copy_folder(&mut self, from: &Folder, at: &str, to: &Folder, depth: usize) -> Result<(), TreeError> {
        if depth > self.budget.max_depth {
            return Err(TreeError::TooDeep(at.into()));
        }
        let mut seen = HashSet::new();
        for (name, kind) in self.read_entries(from, at)? {
            let full = if at.is_empty() { name.clone() } else { format!("{at}/{name}") };
            if !seen.insert(name.to_lowercase()) {
                return Err(TreeError::CaseConflict(full));
            }
            match kind {
                EntryKind::File => self.copy_file(from, &name, to, &name, &full)?,
                EntryKind::Symlink => self.copy_link_target(&full, to, &name, depth)?,
                EntryKind::Other => return Err(TreeError::SpecialFile(full)),
                EntryKind::Folder => {
                    let folder = from.open_folder(&name)?;
                    self.copy_subfolder(&folder, &full, to, &name, depth)?;
                }
            }
        }
        to.sync_dir().map_err(|error| AppDirError::from_io(at, error).into())
    }

    /// Copies a folder into a new one called `name`.
    fn copy_subfolder(
        &mut self,
        from: &Folder,
        at: &str,
        to: &Folder,
        name: &str,
        depth: usize,
    ) -> Result<(), TreeError> {
        // The source may contain the destination.
        if from.is_same_folder(self.target) {
            return Ok(());
        }
        let made = failpoint::hit("create folder").and_then(|()| to.create_one_dir(name));
        made.map_err(|error| AppDirError::from_io(at, error))?;
        self.ancestors.push(from.clone());
        self.copy_folder(from, at, &to.open_folder(name)?, depth + 1)?;
        self.ancestors.pop();
        Ok(())
    }

    /// Lists a folder's entries, sorted; each is charged to the budget before it is stored.
    fn read_entries(&mut self, from: &Folder, at: &str) -> Result<Vec<(String, EntryKind)>, TreeError> {
        let io = |error| AppDirError::from_io(if at.is_empty() { "." } else { at }, error);
        let mut names = Vec::new();
        for entry in from.dir.entries().map_err(io)? {
            self.check_cancelled()?;
            let entry = entry.map_err(io)?;
            self.budget.entries = self.budget.entries.checked_sub(1).ok_or(TreeError::TooManyEntries)?;
            let name = entry.file_name().into_string();
            let name = name.map_err(|name| TreeError::NotUtf8(name.to_string_lossy().into_owned()))?;
            if !name.eq_ignore_ascii_case(".git") && !is_temporary_name(&name) {
                let kind = from.listed_kind(&entry, &name);
                names.push((name, kind));
            }
        }
        names.sort_unstable();
        Ok(names)
    }

    /// Copies the file `file` of a folder, which is `full` in the tree, to another folder as `name`.
    fn copy_file(&mut self, from: &Folder, file: &str, to: &Folder, name: &str, full: &str) -> Result<(), TreeError> {
        let failed = |error| AppDirError::from_io(full, error);
        let (mut source, stat) = from.open_file(file)?;
        // Checked before anything is written: a sparse file of any size costs its maker nothing.
        if stat.len > self.budget.bytes {
            return Err(TreeError::TooLarge);
        }
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        to.set_file_mode(&mut options, Privacy::Shared, None);
        failpoint::hit("create file").map_err(failed)?;
        let mut target = to.dir.open_with(name, &options).map_err(failed)?;
        loop {
            self.check_cancelled()?;
            let read = source.read(&mut self.buffer).map_err(failed)?;
            if read == 0 {
                break;
            }
            self.budget.bytes = self.budget.bytes.checked_sub(read as u64).ok_or(TreeError::TooLarge)?;
            failpoint::hit("write").map_err(failed)?;
            target.write_all(self.buffer.get(..read).unwrap_or_default()).map_err(failed)?;
        }
        // An editor that writes in place meanwhile would leave a part of each version.
        let after = source.metadata().map_err(failed)?;
        if !Stat::from_metadata(&after).has_same_content(&stat) {
            return Err(AppDirError::ChangedDuringRead(full.to_owned()).into());
        }
        failpoint::hit("flush").and_then(|()| target.sync_all()).map_err(failed)?;
        Ok(())
    }

    /// Copies a link's target in place of the link, if it stays in the tree: a confined process makes no links, and not
    /// every system has them. A dangling link is left out.
    fn copy_link_target(&mut self, full: &str, to: &Folder, name: &str, depth: usize) -> Result<(), TreeError> {
        match self.root.dir.metadata(full).map_err(|error| AppDirError::from_io(full, error)) {
            Ok(metadata) if metadata.is_file() => self.copy_file(self.root, full, to, name, full),
            Ok(metadata) if metadata.is_dir() => {
                let folder = self.root.open_folder(full)?;
                if self.ancestors.iter().any(|around| around.is_same_folder(&folder)) {
                    return Err(TreeError::LinkCycle(full.into()));
                }
                self.copy_subfolder(&folder, full, to, name, depth)
            }
            Ok(_) => Err(TreeError::SpecialFile(full.into())),
            Err(AppDirError::NotFound(_)) => Ok(()),
            Err(AppDirError::OutsideRoot(_)) if self.outside_link == OutsideLink::Skip => Ok(()),
            Err(AppDirError::OutsideRoot(_)) => Err(TreeError::LinkOutside(full.into())),
            Err(error) => Err(error.into()),
        }
    }

    fn check_cancelled(&self) -> Result<(), AppDirError> {
        if (self.is_cancelled)() { Err(AppDirError::Cancelled(".".into())) } else { Ok(()) }
    }
}
