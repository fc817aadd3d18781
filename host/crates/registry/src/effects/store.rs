//! What handlers keep: values by key, each namespace of entries for itself, with a time to live.
//!
//! Owns: the files for that, one for each key, so that two processes that write different keys never meet. Key and time stand
//! before the value, so that whoever looks for keys reads no values.
//! Never: names a file after a key, replaces one in place, or looks through many for somebody who waits no more.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::de::DeserializeOwned;
use serde_json::{Deserializer, Value, json};
use sha2::{Digest as _, Sha256};

use super::{HandlerCapabilities, text_argument};
use crate::limits::{MAX_HANDLER_STORE_KEY_BYTES, MAX_HANDLER_STORE_KEYS, MAX_HANDLER_STORE_VALUE_BYTES};
use wardroom_appdir::limits::STALE_TEMP_FILE_AGE;
use wardroom_appdir::{AppDirError, EntryKind, Folder, Privacy};
use wardroom_base::hex::encode_hex;

/// The folder of the AppDir that it is in.
pub(crate) const STORE_FOLDER: &str = "store";

/// The end of the files.
const VALUE_FILE_SUFFIX: &str = ".json";

/// What stands in a file beside the value, in bytes: the key may be escaped.
const MAX_HEADER_BYTES: usize = 8 * MAX_HANDLER_STORE_KEY_BYTES + 1024;

struct NamespaceStore<'f> {
    app_dir: &'f Folder,
    relative_path: String,
    /// A name that no namespace can have.
    lock_file: String,
    /// Whether nobody waits for this any more.
    is_cancelled: &'f dyn Fn() -> bool,
}

/// What is in the folder of a namespace.
#[derive(Default)]
struct NamespaceFiles {
    value_files: Vec<String>,
    /// Such as those of writers, one of whom may have been killed.
    has_stray_files: bool,
}

/// One value that is kept.
struct StoredValue {
    header: StoredHeader,
    value: Value,
}

/// What is known of it without the value.
struct StoredHeader {
    key: String,
    /// Seconds since 1970.
    expires_at: Option<f64>,
}

pub(super) fn perform_operation(
    reach: &HandlerCapabilities,
    namespace: &str,
    operation: &str,
    arguments: &Value,
    is_over: &dyn Fn() -> bool,
) -> Result<Value, String> {
    let app = reach.app_dir.as_ref().ok_or("nothing is stored here")?;
    let lock = format!("{STORE_FOLDER}/@{namespace}.lock");
    let store = NamespaceStore {
        app_dir: app,
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
        return Err(format!("a key has 1 to {MAX_HANDLER_STORE_KEY_BYTES} bytes"));
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

fn unix_seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

fn error_message(error: AppDirError) -> String {
    let sentence = match &error {
        AppDirError::Locked(_) => "another process uses the store, try again",
        AppDirError::DiskFull(_) => "the disk or a quota is full; nothing was changed",
        AppDirError::ReadOnly(_) => "this server was started with --read-only",
        AppDirError::TooManyOpenFiles(_) => "too many files are open, try again",
        _ => "the store cannot be used",
    };
    tracing::warn!(%error, "the store of handlers");
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
            // What nobody here wrote is not there.
            Ok((text, _)) => Ok(StoredValue::parse(&text)),
            Err(AppDirError::NotFound(_)) => Ok(None),
            Err(error) => Err(error_message(error)),
        }
    }

    /// Only the beginning of a file.
    fn read_header(&self, path: &str) -> Result<Option<StoredHeader>, String> {
        if (self.is_cancelled)() {
            return Err("nobody waits for this any more".to_owned());
        }
        match self.app_dir.read_prefix(path, MAX_HEADER_BYTES as u64) {
            Ok(start) => match StoredHeader::parse(&start) {
                Some(head) => Ok(Some(head)),
                // One whose fields somebody put in another order.
                None => Ok(self.read_value(path)?.map(|kept| kept.header)),
            },
            Err(AppDirError::NotFound(_)) => Ok(None),
            Err(error) => Err(error_message(error)),
        }
    }

    fn get(&self, key: &str) -> Result<Option<Value>, String> {
        let kept = self
            .read_value(&self.value_path(key))?
            .filter(|kept| kept.header.key == key && kept.header.is_unexpired(unix_seconds()));
        Ok(kept.map(|kept| kept.value))
    }

    fn set(&self, key: &str, value: &Value, ttl: Option<&Value>) -> Result<Value, String> {
        let until = match ttl {
            None | Some(Value::Null) => None,
            Some(ttl) => {
                let seconds = ttl.as_f64().filter(|seconds| seconds.is_finite() && *seconds > 0.0);
                Some(unix_seconds() + seconds.ok_or("ttl must be seconds, more than 0")?)
            }
        };
        let value = value.to_string();
        if value.len() > MAX_HANDLER_STORE_VALUE_BYTES {
            return Err(format!("a stored value has at most {MAX_HANDLER_STORE_VALUE_BYTES} bytes as JSON"));
        }
        let text = format!("{{\"key\":{},\"until\":{},\"value\":{value}}}", json!(key), json!(until));
        self.app_dir.create_folder(&self.relative_path).map_err(|error| {
            match self.app_dir.open_folder(STORE_FOLDER) {
                // The kernel lets this process write in the one that was there when it began, and make no other.
                Err(AppDirError::NotFound(_)) => {
                    format!("the folder {STORE_FOLDER} was removed: the server has to be started again")
                }
                _ => error_message(error),
            }
        })?;
        let _lock = self.app_dir.lock(&self.lock_file).map_err(error_message)?;
        let path = self.value_path(key);
        if self.app_dir.stat(&path).is_err() {
            self.ensure_capacity()?;
        }
        self.app_dir.write(&path, text.as_bytes(), Privacy::Owner).map_err(error_message)?;
        Ok(true.into())
    }

    fn delete(&self, key: &str) -> Result<Value, String> {
        if self.app_dir.open_folder(&self.relative_path).is_err() {
            return Ok(false.into());
        }
        let _lock = self.app_dir.lock(&self.lock_file).map_err(error_message)?;
        let was_there = self.get(key)?.is_some();
        match self.app_dir.remove_file(&self.value_path(key)) {
            Ok(()) | Err(AppDirError::NotFound(_)) => Ok(was_there.into()),
            Err(error) => Err(error_message(error)),
        }
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

    /// Makes room for one more key, and removes what writers left who were killed. Held is the lock that every writer takes.
    fn ensure_capacity(&self) -> Result<(), String> {
        let files = self.list_files()?;
        if files.has_stray_files
            && let Err(error) = self
                .app_dir
                .open_folder(&self.relative_path)
                .and_then(|folder| folder.sweep_temp_files(STALE_TEMP_FILE_AGE))
        {
            tracing::debug!(%error, "what is left of writers stays in the store");
        }
        if files.value_files.len() < MAX_HANDLER_STORE_KEYS {
            return Ok(());
        }
        self.remove_expired(files)?;
        if self.list_files()?.value_files.len() < MAX_HANDLER_STORE_KEYS {
            return Ok(());
        }
        Err(format!("a namespace stores at most {MAX_HANDLER_STORE_KEYS} keys: delete some"))
    }

    fn keys(&self, prefix: &str) -> Result<Value, String> {
        let (mut keys, now) = (Vec::new(), unix_seconds());
        for file in self.list_files()?.value_files {
            if let Some(head) =
                self.read_header(&file)?.filter(|head| head.is_unexpired(now) && head.key.starts_with(prefix))
            {
                keys.push(head.key);
            }
        }
        keys.sort_unstable();
        Ok(keys.into())
    }

    /// Removes what lives no more, under the same lock.
    fn remove_expired(&self, files: NamespaceFiles) -> Result<(), String> {
        let now = unix_seconds();
        for file in files.value_files {
            if self.read_header(&file)?.is_none_or(|head| !head.is_unexpired(now)) {
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
        let mut kept: Value = serde_json::from_str(text).ok()?;
        let key = kept.get("key")?.as_str()?.to_owned();
        let until = kept.get("until").and_then(Value::as_f64);
        Some(Self { header: StoredHeader { key, expires_at: until }, value: kept.get_mut("value")?.take() })
    }
}

impl StoredHeader {
    /// Of a text that begins as ours do.
    fn parse(start: &[u8]) -> Option<Self> {
        let (key, rest) = split_first_value(start.strip_prefix(br#"{"key":"#)?)?;
        let (until, rest) = split_first_value(rest.strip_prefix(br#","until":"#)?)?;
        rest.starts_with(br#","value":"#).then_some(Self { key, expires_at: until })
    }

    fn is_unexpired(&self, now: f64) -> bool {
        self.expires_at.is_none_or(|until| now < until)
    }
}

/// The value that a text begins with, and what follows it.
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
    fn nobody_looks_through_a_store_for_somebody_who_is_gone() {
        let dir = tempfile::TempDir::new().unwrap();
        let app = ambient::open_folder(dir.path(), Access::ReadWrite).unwrap();
        let reach = HandlerCapabilities { app_dir: Some(app), ..HandlerCapabilities::default() };
        let done = |operation: &str, arguments: Value, is_over: bool| {
            perform_operation(&reach, "app", operation, &arguments, &|| is_over)
        };
        assert_eq!(done("store.set", json!({"key": "k\"\n", "value": [1.5], "ttl": 600}), false), Ok(json!(true)));
        assert_eq!(done("store.keys", json!({}), false), Ok(json!(["k\"\n"])));
        assert_eq!(done("store.keys", json!({}), true), Err("nobody waits for this any more".to_owned()));
        let found = json!({"found": true, "value": [1.5]});
        assert_eq!(done("store.get", json!({"key": "k\"\n"}), false), Ok(found));
    }

    #[test]
    fn a_head_is_that_of_a_file_of_ours() {
        let head = |text: &str| StoredHeader::parse(text.as_bytes()).map(|head| (head.key, head.expires_at));
        assert_eq!(head(r#"{"key":"a","until":null,"value":[1,"#), Some(("a".to_owned(), None)));
        assert_eq!(head(r#"{"key":"a","until":1.5,"value":"#), Some(("a".to_owned(), Some(1.5))));
        for other in ["", r#"{"key":"a"#, r#"{"key":1,"until":null,"value":1}"#, r#"{"key":"a","value":1,"until":2}"#] {
            assert_eq!(head(other), None, "{other}");
        }
    }
}
