//! The store of handlers: values by key, separate for each namespace of entries, with a time to live.
//!
//! Owns: its files, one for each key, so that two processes that write different keys never conflict. Key and expiry
//! precede the value in a file, so that listing keys reads no values.
//! Never: names a file after a key, changes a file in place, or searches many files for a cancelled request.

use std::time::SystemTime;

use serde::de::DeserializeOwned;
use serde_json::{Deserializer, Value, json};
use sha2::{Digest as _, Sha256};

use super::{HandlerCapabilities, OperationAnswer, StoredKeyCounts, text_argument};
use crate::limits::{MAX_HANDLER_STORE_KEY_BYTES, MAX_HANDLER_STORE_KEYS, MAX_HANDLER_STORE_VALUE_BYTES};
use wardroom_appdir::limits::STALE_TEMP_FILE_AGE;
use wardroom_appdir::{AppDirError, EntryKind, Folder, Privacy};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::hex::encode_hex;
use wardroom_base::payload;
use wardroom_base::unix_time;

/// The folder of the store in the AppDir.
pub(crate) const STORE_FOLDER: &str = "store";

/// The suffix of the files.
const VALUE_FILE_SUFFIX: &str = ".json";

/// The largest part of a file beside the value, in bytes: the key may be escaped.
const MAX_HEADER_BYTES: usize = 8 * MAX_HANDLER_STORE_KEY_BYTES + 1024;

struct NamespaceStore<'f> {
    app_dir: &'f Folder,
    namespace: &'f str,
    key_counts: &'f StoredKeyCounts,
    relative_path: String,
    /// A name that no namespace can have.
    lock_file: String,
    /// Whether the request was cancelled or its time is over.
    is_cancelled: &'f dyn Fn() -> bool,
}

/// The files in the folder of a namespace.
#[derive(Default)]
struct NamespaceFiles {
    value_files: Vec<String>,
    /// Such as those of writers, of which some may have been killed.
    has_stray_files: bool,
}

/// A stored value.
struct StoredValue {
    header: StoredHeader,
    value: Value,
}

/// The part of a file before the value.
struct StoredHeader {
    key: String,
    /// Seconds since 1970.
    expires_at: Option<f64>,
}

pub(super) fn perform_operation(
    capabilities: &HandlerCapabilities,
    namespace: &str,
    operation: &str,
    arguments: &Value,
    is_over: &dyn Fn() -> bool,
) -> OperationAnswer {
    let app = capabilities.app_dir.as_ref().ok_or("this server has no store for handlers")?;
    let lock = format!("{STORE_FOLDER}/@{namespace}.lock");
    let store = NamespaceStore {
        app_dir: app,
        namespace,
        key_counts: &capabilities.stored_keys,
        relative_path: format!("{STORE_FOLDER}/{namespace}"),
        lock_file: lock,
        is_cancelled: is_over,
    };
    if operation == "store.keys" {
        let prefix = arguments.get("prefix").and_then(Value::as_str).unwrap_or_default();
        return store.keys(prefix);
    }
    let key = text_argument(arguments, "key")?;
    if key.is_empty() || key.len() > MAX_HANDLER_STORE_KEY_BYTES {
        return Err(format!("a key must have 1 to {MAX_HANDLER_STORE_KEY_BYTES} bytes"));
    }
    match operation {
        "store.get" => Ok(match store.get(key)? {
            Some(value) => json!({"found": true, "value": value}),
            None => json!({"found": false, "value": null}),
        }),
        "store.has" => Ok(store.get(key)?.is_some().into()),
        "store.set" => store.set(key, arguments.get("value").unwrap_or(&Value::Null), arguments.get("ttl")),
        "store.delete" => store.delete(key),
        other => Err(format!("unknown operation: {other}")),
    }
}

fn error_message(error: AppDirError) -> String {
    let sentence = match &error {
        AppDirError::Locked(_) => "another process uses the store, try again",
        AppDirError::DiskFull(_) => "the disk or a quota is full; nothing was changed",
        AppDirError::ReadOnly(_) => "this server was started with --read-only",
        AppDirError::ReadOnlyDisk(_) => "the disk is mounted read-only",
        AppDirError::TooManyOpenFiles(_) => "too many files are open, try again",
        _ => "the store cannot be used",
    };
    tracing::warn!(%error, "the store of handlers failed");
    drop(error);
    sentence.to_owned()
}

impl NamespaceStore<'_> {
    fn value_path(&self, key: &str) -> String {
        let digest = encode_hex(Sha256::digest(key).iter().take(20));
        format!("{}/{digest}{VALUE_FILE_SUFFIX}", self.relative_path)
    }

    fn read_value(&self, path: &str) -> Result<Option<StoredValue>, String> {
        match self.app_dir.read_text(path, (MAX_HANDLER_STORE_VALUE_BYTES + MAX_HEADER_BYTES) as u64) {
            // A file that this server did not write counts as missing.
            Ok((text, _)) => Ok(StoredValue::parse(&text)),
            Err(
                AppDirError::NotFound(_)
                | AppDirError::NotUtf8(_)
                | AppDirError::NotRegularFile(_)
                | AppDirError::TooLarge { .. },
            ) => Ok(None),
            Err(error) => Err(error_message(error)),
        }
    }

    /// Reads only the beginning of a file.
    fn read_header(&self, path: &str) -> Result<Option<StoredHeader>, String> {
        if (self.is_cancelled)() {
            return Err("the call was cancelled".to_owned());
        }
        match self.app_dir.read_prefix(path, MAX_HEADER_BYTES as u64) {
            Ok(start) => match StoredHeader::parse(&start) {
                Some(header) => Ok(Some(header)),
                // A file whose fields were put in another order.
                None => Ok(self.read_value(path)?.map(|stored| stored.header)),
            },
            Err(AppDirError::NotFound(_)) => Ok(None),
            Err(error) => Err(error_message(error)),
        }
    }

    fn get(&self, key: &str) -> Result<Option<Value>, String> {
        let stored = self.read_value(&self.value_path(key))?.filter(|stored| {
            stored.header.key == key && stored.header.is_unexpired(unix_time::to_fractional_seconds(SystemTime::now()))
        });
        Ok(stored.map(|stored| stored.value))
    }

    fn set(&self, key: &str, value: &Value, ttl: Option<&Value>) -> OperationAnswer {
        let until = match ttl {
            None | Some(Value::Null) => None,
            Some(ttl) => {
                let seconds = ttl.as_f64().filter(|seconds| seconds.is_finite() && *seconds > 0.0);
                Some(
                    unix_time::to_fractional_seconds(SystemTime::now())
                        + seconds.ok_or("ttl must be a number of seconds, more than 0")?,
                )
            }
        };
        let value = value.to_string();
        if value.len() > MAX_HANDLER_STORE_VALUE_BYTES {
            return Err(format!(
                "the value is over the limit of {} as JSON",
                ByteSize(MAX_HANDLER_STORE_VALUE_BYTES as u64)
            ));
        }
        let text = format!("{{\"key\":{},\"until\":{},\"value\":{value}}}", json!(key), json!(until));
        let folder = self.app_dir.create_folder(&self.relative_path).map_err(|error| {
            match self.app_dir.open_folder(STORE_FOLDER) {
                // The kernel lets this process write in the folder that existed at its start, and create no other.
                Err(AppDirError::NotFound(_)) => format!("the folder {STORE_FOLDER} was removed: restart the server"),
                _ => error_message(error),
            }
        })?;
        let _lock = self.app_dir.lock(&self.lock_file).map_err(error_message)?;
        let path = self.value_path(key);
        let mut n_keys = self.key_counts.get(self.namespace, &folder);
        if self.app_dir.stat(&path).is_err() {
            let n_others = match n_keys {
                Some(n_keys) if n_keys < MAX_HANDLER_STORE_KEYS => n_keys,
                _ => self.ensure_capacity()?,
            };
            n_keys = Some(n_others + 1);
        }
        self.app_dir.write(&path, text.as_bytes(), Privacy::Owner).map_err(error_message)?;
        self.key_counts.set(self.namespace, &folder, n_keys);
        Ok(true.into())
    }

    fn delete(&self, key: &str) -> OperationAnswer {
        let folder = match self.app_dir.open_folder(&self.relative_path) {
            Err(AppDirError::NotFound(_)) => return Ok(false.into()),
            opened => opened.map_err(error_message)?,
        };
        let _lock = self.app_dir.lock(&self.lock_file).map_err(error_message)?;
        let was_there = self.get(key)?.is_some();
        let n_keys = self.key_counts.get(self.namespace, &folder);
        match self.app_dir.remove_file(&self.value_path(key)) {
            Ok(()) => self.key_counts.set(self.namespace, &folder, n_keys.map(|n_keys| n_keys.saturating_sub(1))),
            Err(AppDirError::NotFound(_)) => {}
            Err(error) => return Err(error_message(error)),
        }
        Ok(was_there.into())
    }

    fn list_files(&self) -> Result<NamespaceFiles, String> {
        let mut files = NamespaceFiles::default();
        let folder = match self.app_dir.open_folder(&self.relative_path) {
            Ok(folder) => folder,
            Err(AppDirError::NotFound(_)) => return Ok(files),
            Err(error) => return Err(error_message(error)),
        };
        folder
            .visit_names(&mut { 2 * MAX_HANDLER_STORE_KEYS }, |name, _, kind| {
                if kind == EntryKind::File && name.ends_with(VALUE_FILE_SUFFIX) {
                    files.value_files.push(format!("{}/{name}", self.relative_path));
                }
                files.has_stray_files |= !name.ends_with(VALUE_FILE_SUFFIX);
            })
            .map_err(error_message)?;
        Ok(files)
    }

    /// Makes space for one more key, and removes the files of killed writers; returns the number of keys. Called under the lock
    /// that every writer takes.
    fn ensure_capacity(&self) -> Result<usize, String> {
        let files = self.list_files()?;
        if files.has_stray_files
            && let Err(error) = self
                .app_dir
                .open_folder(&self.relative_path)
                .and_then(|folder| folder.sweep_temp_files(STALE_TEMP_FILE_AGE))
        {
            tracing::debug!(%error, "cannot remove temporary files from the store");
        }
        if files.value_files.len() < MAX_HANDLER_STORE_KEYS {
            return Ok(files.value_files.len());
        }
        self.remove_expired(files)?;
        let n_keys = self.list_files()?.value_files.len();
        if n_keys < MAX_HANDLER_STORE_KEYS {
            return Ok(n_keys);
        }
        Err(format!("the limit of {MAX_HANDLER_STORE_KEYS} keys for a namespace is reached: delete some"))
    }

    fn keys(&self, prefix: &str) -> OperationAnswer {
        let (mut keys, now) = (Vec::new(), unix_time::to_fractional_seconds(SystemTime::now()));
        for file in self.list_files()?.value_files {
            if let Some(header) =
                self.read_header(&file)?.filter(|header| header.is_unexpired(now) && header.key.starts_with(prefix))
            {
                keys.push(header.key);
            }
        }
        keys.sort_unstable();
        Ok(keys.into())
    }

    /// Removes expired values, under the same lock.
    fn remove_expired(&self, files: NamespaceFiles) -> Result<(), String> {
        let now = unix_time::to_fractional_seconds(SystemTime::now());
        for file in files.value_files {
            if self.read_header(&file)?.is_none_or(|header| !header.is_unexpired(now)) {
                match self.app_dir.remove_file(&file) {
                    Ok(()) | Err(AppDirError::NotFound(_)) => {}
                    Err(error) => return Err(error_message(error)),
                }
            }
        }
        Ok(())
    }
}

impl StoredValue {
    fn parse(text: &str) -> Option<Self> {
        let mut stored: Value = payload::parse_stored(text.as_bytes()).ok()?;
        let key = stored.get("key")?.as_str()?.to_owned();
        let until = stored.get("until").and_then(Value::as_f64);
        Some(Self { header: StoredHeader { key, expires_at: until }, value: stored.get_mut("value")?.take() })
    }
}

impl StoredHeader {
    /// Parses the beginning of a file, if it begins as ours do.
    fn parse(start: &[u8]) -> Option<Self> {
        let (key, rest) = split_first_value(start.strip_prefix(br#"{"key":"#)?)?;
        let (until, rest) = split_first_value(rest.strip_prefix(br#","until":"#)?)?;
        rest.starts_with(br#","value":"#).then_some(Self { key, expires_at: until })
    }

    fn is_unexpired(&self, now: f64) -> bool {
        self.expires_at.is_none_or(|until| now < until)
    }
}

/// Returns the value that a text begins with, and the rest of the text.
fn split_first_value<T: DeserializeOwned>(text: &[u8]) -> Option<(T, &[u8])> {
    let mut values = Deserializer::from_slice(text).into_iter();
    let value = values.next()?.ok()?;
    Some((value, text.get(values.byte_offset()..)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use wardroom_appdir::{Access, ambient};

    #[test]
    fn key_listing_stops_when_request_is_cancelled() {
        let dir = tempfile::TempDir::new().unwrap();
        let app = ambient::open_folder(dir.path(), Access::ReadWrite).unwrap();
        let capabilities = HandlerCapabilities { app_dir: Some(app), ..HandlerCapabilities::default() };
        let done = |operation: &str, arguments: Value, is_over: bool| {
            perform_operation(&capabilities, "app", operation, &arguments, &|| is_over)
        };
        assert_eq!(done("store.set", json!({"key": "k\"\n", "value": [1.5], "ttl": 600}), false), Ok(json!(true)));
        assert_eq!(done("store.keys", json!({}), false), Ok(json!(["k\"\n"])));
        assert_eq!(done("store.keys", json!({}), true), Err("the call was cancelled".to_owned()));
        let found = json!({"found": true, "value": [1.5]});
        assert_eq!(done("store.get", json!({"key": "k\"\n"}), false), Ok(found));
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "files that no server wrote")]
    fn known_count_holds_until_another_process_writes() {
        let dir = tempfile::TempDir::new().unwrap();
        let process = || HandlerCapabilities {
            app_dir: Some(ambient::open_folder(dir.path(), Access::ReadWrite).unwrap()),
            ..HandlerCapabilities::default()
        };
        let (ours, other) = (process(), process());
        let done = |process: &HandlerCapabilities, operation: &str, key: &str| {
            perform_operation(process, "app", operation, &json!({"key": key, "value": 1}), &|| false)
        };
        let refused =
            || Err(format!("the limit of {MAX_HANDLER_STORE_KEYS} keys for a namespace is reached: delete some"));
        let known = || {
            let app = ours.app_dir.as_ref().unwrap();
            ours.stored_keys.get("app", &app.open_folder("store/app").unwrap())
        };
        for (key, n_keys) in [("a", 1), ("b", 2), ("a", 2), ("c", 3)] {
            assert_eq!(done(&ours, "store.set", key), Ok(json!(true)));
            assert_eq!(known(), Some(n_keys));
        }
        assert_eq!(done(&ours, "store.delete", "b"), Ok(json!(true)));
        assert_eq!(known(), Some(2));
        for number in 2..MAX_HANDLER_STORE_KEYS - 1 {
            std::fs::write(dir.path().join(format!("store/app/{number}.json")), "").unwrap();
        }
        assert_eq!(done(&other, "store.set", "last"), Ok(json!(true)));
        assert_eq!(known(), None);
        assert_eq!(done(&ours, "store.set", "a"), Ok(json!(true)));
        assert_eq!(known(), None);
        // The files that are not of a server are removed as expired ones.
        assert_eq!(done(&ours, "store.set", "new"), Ok(json!(true)));
        assert_eq!(known(), Some(4));
        for number in 4..MAX_HANDLER_STORE_KEYS {
            let text = format!("{{\"key\":\"{number}\",\"until\":null,\"value\":1}}");
            std::fs::write(dir.path().join(format!("store/app/{number}.json")), text).unwrap();
        }
        assert_eq!(done(&ours, "store.set", "more"), refused());
        assert_eq!(done(&other, "store.delete", "last"), Ok(json!(true)));
        assert_eq!(done(&ours, "store.set", "more"), Ok(json!(true)));
        assert_eq!(known(), Some(MAX_HANDLER_STORE_KEYS));
        assert_eq!(done(&ours, "store.set", "too many"), refused());
    }

    #[test]
    fn header_of_foreign_file_is_not_parsed() {
        let header = |text: &str| StoredHeader::parse(text.as_bytes()).map(|header| (header.key, header.expires_at));
        assert_eq!(header(r#"{"key":"a","until":null,"value":[1,"#), Some(("a".to_owned(), None)));
        assert_eq!(header(r#"{"key":"a","until":1.5,"value":"#), Some(("a".to_owned(), Some(1.5))));
        for other in ["", r#"{"key":"a"#, r#"{"key":1,"until":null,"value":1}"#, r#"{"key":"a","value":1,"until":2}"#] {
            assert_eq!(header(other), None, "{other}");
        }
    }
}
