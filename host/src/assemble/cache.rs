//! The folder of caches: `cache` in the AppDir, or the folder that the operator granted, on another disk perhaps.
//!
//! Owns: the rule that a granted folder of caches is that alone: no other grant lies in it or around it, so that no tool
//! reads or writes a cache by its path.

use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::settings::Settings;
use super::{app_dir_paths, own_access};
use crate::report::CommandError;
use wardroom_appdir::{CacheDir, Folder, ambient};
use wardroom_base::hex::encode_hex;

/// Bytes of the digest of the AppDir's path that name its caches.
const NAME_BYTES: usize = 8;

/// Opens the folder of caches.
pub(crate) fn open_cache_dir(settings: &Settings, app: &Folder) -> Result<CacheDir, CommandError> {
    let Some(path) = &settings.config.cache.dir else { return Ok(CacheDir::in_app(app)) };
    let failed = |error| {
        let hint = "create that folder, or leave out [cache] dir: the caches are then in the AppDir";
        CommandError::with_cause(format!("cannot open the folder of caches {}", path.display()), error, hint)
    };
    let folder = ambient::open_folder(path, own_access(settings)).map_err(failed)?.with_owner_only();
    let own = ambient::canonicalize(path).map_err(failed)?;
    if let Some(other) = other_grants(settings).into_iter().find(|other| overlap(&own, other)) {
        let what =
            format!("[cache] dir: {} and {} are granted, and one contains the other", own.display(), other.display());
        return Err(CommandError::new(what, "name a folder that holds nothing but caches"));
    }
    let app_path = app_dir_paths(settings).into_iter().next().unwrap_or_else(|| settings.app_dir.path.clone());
    let digest = Sha256::digest(app_path.as_os_str().as_encoded_bytes());
    let name = encode_hex(digest.get(..NAME_BYTES).unwrap_or(&digest));
    Ok(CacheDir::granted(folder, name))
}

/// The other folders of the operator, as far as they exist.
fn other_grants(settings: &Settings) -> Vec<PathBuf> {
    let mounts = settings.config.mounts.values().map(|mount| &mount.path);
    let named = [&settings.project, &settings.blog, &settings.config.ace.root, &settings.log_dir, &settings.registry];
    let named = named.into_iter().flatten().chain(mounts).chain(&settings.package_roots);
    app_dir_paths(settings).into_iter().chain(named.filter_map(|path| ambient::canonicalize(path).ok())).collect()
}

/// Whether one of two paths contains the other.
pub(super) fn overlap(one: &Path, other: &Path) -> bool {
    one.starts_with(other) || other.starts_with(one)
}
