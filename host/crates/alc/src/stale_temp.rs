//! Removes temporary files that killed writers left in the folders of this service, while the server warms up.
//!
//! Never: removes a file that was written within the last hour: its writer may be alive.

use super::WRITABLE_DIRS;
use wardroom_appdir::limits::STALE_TEMP_FILE_AGE;
use wardroom_appdir::{AppDirError, CacheDir, Folder};

/// Removes temporary files and trees from the writable folders, and from the folders in them; only temporary files from those that are
/// `granted` outside the AppDir, each with what the log calls it.
pub(super) fn sweep_stale_temp<'f>(
    app: &Folder,
    cache: &CacheDir,
    granted: impl Iterator<Item = (&'static str, &'f Folder)>,
) {
    if app.is_read_only() {
        return;
    }
    let mut removed = 0;
    let own = WRITABLE_DIRS.into_iter().chain(["server"]).map(|name| (name, app.open_folder(name)));
    let elsewhere = cache.granted_folder().map(|_| ("[cache] dir", cache.open()));
    let mut count = |name: &str, swept: Result<usize, AppDirError>| match swept {
        Ok(count) => removed += count,
        Err(error) => tracing::debug!(%error, folder = name, "cannot remove leftovers"),
    };
    for (name, folder) in own.chain(elsewhere) {
        let Ok(folder) = folder else { continue };
        count(name, folder.sweep_stale_recursive(1, STALE_TEMP_FILE_AGE));
    }
    for (name, folder) in granted {
        count(name, folder.sweep_temp_files_recursive(1, STALE_TEMP_FILE_AGE));
    }
    if removed > 0 {
        tracing::info!(removed, "removed leftovers of killed writers");
    }
}
