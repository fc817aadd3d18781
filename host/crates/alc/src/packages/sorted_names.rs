//! The names in folders of packages, sorted, for pages of a list.
//!
//! Owns: when the names that it remembers of a folder are current: while the folder's stat is what it was before they were read.
//! Never: opens a package.

use std::sync::{Mutex, PoisonError};

use wardroom_rules::id;

use crate::limits::MAX_NAMES_SCANNED_PER_CARD;
use wardroom_appdir::{AppDirError, EntryKind, Folder, FolderSnapshot};

/// The names in each folder, as they were read last.
#[derive(Default)]
pub(super) struct SortedNames(Mutex<Vec<FolderNames>>);

#[derive(Default)]
struct FolderNames {
    snapshot: Option<FolderSnapshot>,
    /// The names behind one another.
    text: String,
    /// Where each name begins and ends, sorted by name.
    ranges: Vec<(u32, u32)>,
}

impl SortedNames {
    /// Returns names after one, at most `most` of each folder, of those that can be ids and that `is_wanted`. Of a folder it
    /// knows `max_names`.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub(super) fn after(
        &self,
        folders: &[Folder],
        after: Option<&str>,
        most: usize,
        max_names: usize,
        is_wanted: impl Fn(&Folder, &str) -> bool,
    ) -> Result<Vec<String>, AppDirError> {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.resize_with(folders.len(), FolderNames::default);
        let mut found = Vec::new();
        for (folder, names) in folders.iter().zip(known.iter_mut()) {
            match names.refresh(folder, max_names) {
                Ok(()) => {}
                // A granted folder that was removed.
                Err(AppDirError::NotFound(_)) => *names = FolderNames::default(),
                Err(error) => return Err(error),
            }
            let wanted = names.after(after).filter(|name| is_wanted(folder, name));
            found.extend(wanted.take(most).map(str::to_owned));
        }
        Ok(found)
    }
}

impl FolderNames {
    fn refresh(&mut self, folder: &Folder, max_names: usize) -> Result<(), AppDirError> {
        let now = FolderSnapshot::from_stat(folder.stat_self()?);
        if self.snapshot.is_some_and(|then| then.is_unchanged(now.stat())) {
            return Ok(());
        }
        let mut read = Self { snapshot: Some(now), ..Self::default() };
        // Names that are none of packages count in another bound, which no folder of packages reaches.
        let mut left = max_names.saturating_mul(MAX_NAMES_SCANNED_PER_CARD);
        let mut has_more = false;
        folder.visit_names(&mut left, |name, _, kind| {
            let start = u32::try_from(read.text.len());
            let end = u32::try_from(read.text.len() + name.len());
            let is_folder = matches!(kind, EntryKind::Folder | EntryKind::Symlink) && !name.starts_with('.');
            if let (true, Ok(start), Ok(end)) = (is_folder && id::check_alphabet(name).is_ok(), start, end) {
                if read.ranges.len() == max_names {
                    has_more = true;
                    return;
                }
                read.text.push_str(name);
                read.ranges.push((start, end));
            }
        })?;
        if has_more || left == 0 {
            tracing::warn!(
                "there are more packages than `[alc] max_records`: the others are left out of the list of what is stored"
            );
        }
        let Self { text, ranges, .. } = &mut read;
        ranges.sort_unstable_by(|a, b| name_in(text, *a).cmp(name_in(text, *b)));
        text.shrink_to_fit();
        ranges.shrink_to_fit();
        *self = read;
        Ok(())
    }

    fn after(&self, name: Option<&str>) -> impl Iterator<Item = &str> {
        let first = self.ranges.partition_point(|range| name.is_some_and(|after| name_in(&self.text, *range) <= after));
        self.ranges.get(first..).unwrap_or_default().iter().map(|range| name_in(&self.text, *range))
    }
}

fn name_in(text: &str, (start, end): (u32, u32)) -> &str {
    text.get(start as usize..end as usize).unwrap_or_default()
}
