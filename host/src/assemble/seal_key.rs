//! The key that encrypts the state that clients carry between two calls, and signs what the pages of a blog accept.
//!
//! Owns: `server/seal.key` in the AppDir, so that every server on it accepts what the others made. Where it cannot be stored, a
//! process has a key of its own.
//! Never: replaces a key, or takes one that could not be read for one that is not there.

use wardroom_appdir::{AppDirError, Folder, Privacy};
use wardroom_base::random;

use super::SERVER_DIR;

type SealKey = [u8; 32];

/// Returns the key; `None` where it cannot be read now, or the system has no random numbers.
pub(crate) type KeySource = Box<dyn Fn() -> Option<SealKey> + Send + Sync>;

const FILE: &str = "server/seal.key";
/// The earlier place. A cache may be deleted, or lie on another disk.
const OLD_FILE: &str = "cache/seal.key";

/// What a file of a key has.
enum StoredKey {
    Known(SealKey),
    Missing,
    /// It has another length.
    Invalid,
}

/// Returns the source of the key of an AppDir, which is read when it is needed.
pub(crate) fn key_source(app: Folder) -> KeySource {
    Box::new(move || read_or_create(&app))
}

/// Returns that key now, before the process is confined.
pub(crate) fn current_key(app: &Folder) -> Option<SealKey> {
    if !app.is_read_only()
        && let Err(error) = app.create_folder(SERVER_DIR)
    {
        tracing::warn!(%error, "the key of this server cannot be stored: other servers on the AppDir have another one");
    }
    read_or_create(app)
}

fn read_or_create(app: &Folder) -> Option<SealKey> {
    let key = find_or_create(app);
    key.inspect_err(|error| tracing::error!(%error, "cannot read the key of this server")).ok().flatten()
}

fn find_or_create(app: &Folder) -> Result<Option<SealKey>, AppDirError> {
    if let StoredKey::Known(key) = read(app, FILE)? {
        return Ok(Some(key));
    }
    let old = match read(app, OLD_FILE)? {
        StoredKey::Known(key) => Some(key),
        StoredKey::Missing | StoredKey::Invalid => None,
    };
    let mut key = old.unwrap_or_default();
    if old.is_none()
        && let Err(error) = random::fill(&mut key)
    {
        tracing::error!(%error, "no random bytes for the key of this server");
        return Ok(None);
    }
    let Err(error) = app.create_file(FILE, &key, Privacy::Owner) else {
        if old.is_some()
            && let Err(error) = app.remove_file(OLD_FILE)
        {
            tracing::debug!(%error, "cannot remove the key of this server from its earlier place");
        }
        return Ok(Some(key));
    };
    match read(app, FILE)? {
        // Another server created it first.
        StoredKey::Known(key) => return Ok(Some(key)),
        StoredKey::Invalid => {
            tracing::warn!(
                "{FILE} is no key: remove it, since no server accepts what another one made until there is one"
            );
        }
        StoredKey::Missing => tracing::debug!(%error, "the key of this server cannot be stored"),
    }
    Ok(Some(key))
}

fn read(app: &Folder, name: &str) -> Result<StoredKey, AppDirError> {
    match app.read(name, size_of::<SealKey>() as u64) {
        Ok(content) => Ok(SealKey::try_from(content.bytes).map_or(StoredKey::Invalid, StoredKey::Known)),
        Err(AppDirError::NotFound(_)) => Ok(StoredKey::Missing),
        Err(AppDirError::TooLarge { .. } | AppDirError::NotRegularFile(_)) => Ok(StoredKey::Invalid),
        Err(error) => Err(error),
    }
}
