//! What writers that were killed left in the folders of this service, removed while nobody waits.
//!
//! Never: touches what was written to within the last hour: its writer may live.

use super::{Alc, WRITTEN};
use crate::appdir::{AppDirError, EntryKind, Folder};
use crate::limits::{LEFTOVER_TIME, MAX_NAMES_SCANNED};

impl Alc {
    /// Removes temporary files and trees from the folders that are written, and from those in them.
    pub(super) fn sweep_leftovers(&self) {
        if self.folders.app.is_read_only() {
            return;
        }
        let mut removed = 0;
        for name in WRITTEN {
            let Ok(folder) = self.folders.app.folder(name) else { continue };
            match sweep(&folder) {
                Ok(count) => removed += count,
                Err(error) => tracing::debug!(%error, folder = name, "leftovers stay"),
            }
        }
        if removed > 0 {
            tracing::info!(removed, "what writers that were killed left behind is removed");
        }
    }
}

fn sweep(folder: &Folder) -> Result<usize, AppDirError> {
    let mut removed = folder.sweep(LEFTOVER_TIME)? + folder.sweep_staged(LEFTOVER_TIME)?;
    let mut below = Vec::new();
    folder.each_name_within(&mut { MAX_NAMES_SCANNED }, |name, _, kind| {
        if kind == EntryKind::Folder {
            below.push(name.to_owned());
        }
    })?;
    for name in below {
        if let Ok(folder) = folder.folder(&name) {
            removed += folder.sweep(LEFTOVER_TIME)?;
        }
    }
    Ok(removed)
}
