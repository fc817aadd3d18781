//! Damage to the files of the index, and indexes that no program uses any more.
//!
//! Owns: what counts as damage, and that an index is removed under the lock of its writer.
//! Never: removes an index because the system fails: that says nothing about its files.

use std::cmp::Reverse;

use tantivy::Index;

use super::directory::IndexDirectory;
use super::segments::open_index_reader;
use super::writing::lock;
use super::{BlogIndex, INDEXES_DIR, IndexError, LOCK_FILE, META_FILE, UpdateScope, guarded};
use crate::limits::{MAX_INDEXES_OF_OTHER_SETTINGS, MAX_OLD_INDEX_AGE};
use wardroom_appdir::{AppDirError, Folder};

impl BlogIndex {
    /// Makes the index again if it is damaged.
    pub(crate) fn repair(&self) -> Result<(), IndexError> {
        if !self.is_read_only() && self.remove_if_damaged()? {
            self.update(&UpdateScope::Everything, &mut |_, _| {})?;
        }
        Ok(())
    }

    /// Removes the index if it is damaged, so that the next update makes it again. Returns whether it was.
    pub(crate) fn remove_if_damaged(&self) -> Result<bool, IndexError> {
        let Some(folder) = self.open_store()? else { return Ok(false) };
        // Without the lock first: reading everything takes a while. A writer may remove files meanwhile, and another
        // process may have made the index again.
        if self.find_damage(&folder).is_none() {
            return Ok(false);
        }
        let _lock = lock(&folder)?;
        let Some(reason) = self.find_damage(&folder) else { return Ok(false) };
        tracing::warn!(%reason, "the index of the blog is made again");
        *self.lock_opened() = None;
        let mut names = Vec::new();
        folder.visit_names(&mut { usize::MAX }, |name, _, _| {
            if name != LOCK_FILE {
                names.push(name.to_owned());
            }
        })?;
        // What the others name goes first.
        names.sort_by_key(|name| name != META_FILE);
        for name in names {
            folder.remove_file(&name)?;
        }
        Ok(true)
    }

    /// Reads all of the index's files, and compares their checksums. Returns what is wrong; a file that cannot be read now
    /// says nothing.
    pub(super) fn find_damage(&self, folder: &Folder) -> Option<String> {
        let checked = guarded(|| {
            let directory = IndexDirectory::new(folder.clone());
            let index = match Index::open(directory.clone()).map_err(IndexError::from) {
                Err(IndexError::Missing) => return Ok(()),
                opened => opened?,
            };
            if index.schema() != self.schema {
                return Err(IndexError::Damaged("it has other fields".to_owned()));
            }
            // A missing file is found here.
            open_index_reader(&index)?;
            for segment in index.searchable_segment_metas()? {
                directory.verify_checksums(&segment)?;
            }
            Ok(())
        });
        match checked {
            Err(IndexError::Damaged(reason)) => Some(reason),
            Ok(()) | Err(_) => None,
        }
    }

    /// Removes the indexes that programs of other versions made of the blog, once no such program runs any more, and those that
    /// this version made long ago for other settings or for another folder of that name, but for the last few: a server that only
    /// reads may use one of a blog that does not change.
    pub(super) fn remove_old_versions(&self) -> Result<(), AppDirError> {
        let all = self.cache.open_folder(INDEXES_DIR)?;
        let (mut of_others, mut own) = (Vec::new(), Vec::new());
        let own_start = self.version.rsplit_once('-').map_or(self.version.as_str(), |(maker, _)| maker);
        all.visit_names(&mut { usize::MAX }, |name, _, _| {
            if name.starts_with(&self.blog) && name != self.version {
                if name.starts_with(own_start) { &mut own } else { &mut of_others }.push(name.to_owned());
            }
        })?;
        let changed = |name: &String| all.stat(&format!("{name}/{META_FILE}")).ok().and_then(|stat| stat.modified);
        own.sort_by_cached_key(|name| Reverse(changed(name)));
        for name in of_others.iter().chain(own.iter().skip(MAX_INDEXES_OF_OTHER_SETTINGS)) {
            let age = changed(name).and_then(|changed| changed.elapsed().ok());
            if age.is_some_and(|age| age > MAX_OLD_INDEX_AGE) {
                all.remove_tree(name)?;
            }
        }
        Ok(())
    }
}
