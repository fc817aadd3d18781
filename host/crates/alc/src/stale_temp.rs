//! What writers that were killed left in the folders of this service, removed while nobody waits.
//!
//! Never: touches what was written to within the last hour: its writer may live.

use super::{Alc, WRITABLE_DIRS};
use wardroom_appdir::limits::STALE_TEMP_FILE_AGE;

impl Alc {
    /// Removes temporary files and trees from the folders that are written, and from those in them.
    pub(super) fn sweep_stale_temp(&self) {
        if self.folders.app.is_read_only() {
            return;
        }
        let mut removed = 0;
        for name in WRITABLE_DIRS {
            let Ok(folder) = self.folders.app.open_folder(name) else { continue };
            match folder.sweep_stale_recursive(1, STALE_TEMP_FILE_AGE) {
                Ok(count) => removed += count,
                Err(error) => tracing::debug!(%error, folder = name, "leftovers stay"),
            }
        }
        if removed > 0 {
            tracing::info!(removed, "what writers that were killed left behind is removed");
        }
    }
}
