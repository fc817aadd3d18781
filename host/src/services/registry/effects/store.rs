//! What handlers keep: values by key, each namespace of entries for itself, with a time to live.
//!
//! Owns: the files for that, one for each key, so that two processes that write different keys never meet.
//! Never: names a file after a key, or replaces one in place.

use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use super::{Reach, text};
use crate::appdir::{AppDirError, EntryKind, Folder, Privacy};
use crate::limits::{MAX_STORED_BYTES, MAX_STORED_KEY_BYTES, MAX_STORED_KEYS};

/// The folder of the AppDir that it is in.
pub(in crate::services::registry) const STORE: &str = "store";

/// The end of the files.
const END: &str = ".json";

struct Namespace<'f> {
    app: &'f Folder,
    way: String,
    /// A name that no namespace can have.
    lock: String,
}

/// One value that is kept.
struct Kept {
    key: String,
    value: Value,
    /// Seconds since 1970.
    until: Option<f64>,
}

pub(super) fn perform(reach: &Reach, namespace: &str, operation: &str, arguments: &Value) -> Result<Value, String> {
    let app = reach.app.as_ref().ok_or("nothing is stored here")?;
    let store = Namespace { app, way: format!("{STORE}/{namespace}"), lock: format!("{STORE}/@{namespace}.lock") };
    if operation == "store.keys" {
        let prefix = arguments.get("prefix").and_then(Value::as_str).unwrap_or_default();
        return store.keys(prefix);
    }
    let key = text(arguments, "key")?;
    if key.is_empty() || key.len() > MAX_STORED_KEY_BYTES {
        return Err(format!("a key has 1 to {MAX_STORED_KEY_BYTES} bytes"));
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

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

fn failed(error: AppDirError) -> String {
    let sentence = match &error {
        AppDirError::Locked(_) => "another process uses the store, try again",
        AppDirError::Full(_) => "the disk or a quota is full; nothing was changed",
        AppDirError::ReadOnly(_) => "this server was started with --read-only",
        AppDirError::TooManyOpen(_) => "too many files are open, try again",
        _ => "the store cannot be used",
    };
    tracing::warn!(%error, "the store of handlers");
    drop(error);
    sentence.to_owned()
}

impl Namespace<'_> {
    fn path(&self, key: &str) -> String {
        let digest: String = Sha256::digest(key).iter().take(20).map(|byte| format!("{byte:02x}")).collect();
        format!("{}/{digest}{END}", self.way)
    }

    fn read(&self, path: &str) -> Result<Option<Kept>, String> {
        // The key and its quotes beside the value.
        const BESIDE: usize = 8 * MAX_STORED_KEY_BYTES + 1024;
        match self.app.read_text(path, (MAX_STORED_BYTES + BESIDE) as u64) {
            // What nobody here wrote is not there.
            Ok((text, _)) => Ok(Kept::parse(&text)),
            Err(AppDirError::NotFound(_)) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    fn get(&self, key: &str) -> Result<Option<Value>, String> {
        let kept = self.read(&self.path(key))?.filter(|kept| kept.key == key && kept.lives(now()));
        Ok(kept.map(|kept| kept.value))
    }

    fn set(&self, key: &str, value: &Value, ttl: Option<&Value>) -> Result<Value, String> {
        let until = match ttl {
            None | Some(Value::Null) => None,
            Some(ttl) => {
                let seconds = ttl.as_f64().filter(|seconds| seconds.is_finite() && *seconds > 0.0);
                Some(now() + seconds.ok_or("ttl must be seconds, more than 0")?)
            }
        };
        let text = json!({"key": key, "value": value, "until": until}).to_string();
        if value.to_string().len() > MAX_STORED_BYTES {
            return Err(format!("a stored value has at most {MAX_STORED_BYTES} bytes as JSON"));
        }
        self.app.create_folder(&self.way).map_err(|error| match self.app.folder(STORE) {
            // The kernel lets this process write in the one that was there when it began, and make no other.
            Err(AppDirError::NotFound(_)) => {
                format!("the folder {STORE} was removed: the server has to be started again")
            }
            _ => failed(error),
        })?;
        let _lock = self.app.lock(&self.lock).map_err(failed)?;
        let path = self.path(key);
        if self.app.stat(&path).is_err() && self.count()? >= MAX_STORED_KEYS {
            self.sweep()?;
            if self.count()? >= MAX_STORED_KEYS {
                return Err(format!("a namespace stores at most {MAX_STORED_KEYS} keys: delete some"));
            }
        }
        self.app.write(&path, text.as_bytes(), Privacy::Owner).map_err(failed)?;
        Ok(true.into())
    }

    fn delete(&self, key: &str) -> Result<Value, String> {
        if self.app.folder(&self.way).is_err() {
            return Ok(false.into());
        }
        let _lock = self.app.lock(&self.lock).map_err(failed)?;
        let was_there = self.get(key)?.is_some();
        match self.app.remove(&self.path(key)) {
            Ok(()) | Err(AppDirError::NotFound(_)) => Ok(was_there.into()),
            Err(error) => Err(failed(error)),
        }
    }

    fn files(&self) -> Result<Vec<String>, String> {
        let folder = match self.app.folder(&self.way) {
            Ok(folder) => folder,
            Err(AppDirError::NotFound(_)) => return Ok(Vec::new()),
            Err(error) => return Err(failed(error)),
        };
        let mut names = Vec::new();
        folder
            .each_name_within(&mut { 2 * MAX_STORED_KEYS }, |name, _, kind| {
                if kind == EntryKind::File && name.ends_with(END) {
                    names.push(format!("{}/{name}", self.way));
                }
            })
            .map_err(failed)?;
        Ok(names)
    }

    fn count(&self) -> Result<usize, String> {
        self.files().map(|files| files.len())
    }

    fn keys(&self, prefix: &str) -> Result<Value, String> {
        let (mut keys, now) = (Vec::new(), now());
        for file in self.files()? {
            if let Some(kept) = self.read(&file)?.filter(|kept| kept.lives(now) && kept.key.starts_with(prefix)) {
                keys.push(kept.key);
            }
        }
        keys.sort_unstable();
        Ok(keys.into())
    }

    /// Removes what lives no more. Held is the lock that every writer takes.
    fn sweep(&self) -> Result<(), String> {
        let now = now();
        for file in self.files()? {
            if self.read(&file)?.is_none_or(|kept| !kept.lives(now)) {
                match self.app.remove(&file) {
                    Ok(()) | Err(AppDirError::NotFound(_)) => {}
                    Err(error) => return Err(failed(error)),
                }
            }
        }
        Ok(())
    }
}

impl Kept {
    fn parse(text: &str) -> Option<Self> {
        let mut kept: Value = serde_json::from_str(text).ok()?;
        let key = kept.get("key")?.as_str()?.to_owned();
        let until = kept.get("until").and_then(Value::as_f64);
        Some(Self { key, value: kept.get_mut("value")?.take(), until })
    }

    fn lives(&self, now: f64) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}
