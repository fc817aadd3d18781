//! What handlers keep: values by key, each namespace of entries for itself, with a time to live.
//!
//! Owns: the files for that, one for each key, so that two processes that write different keys never meet. Key and time stand
//! before the value, so that whoever looks for keys reads no values.
//! Never: names a file after a key, replaces one in place, or looks through many for somebody who waits no more.

use std::time::{SystemTime, UNIX_EPOCH};

use serde::de::DeserializeOwned;
use serde_json::{Deserializer, Value, json};
use sha2::{Digest as _, Sha256};

use super::{Reach, text};
use wardroom_appdir::{AppDirError, EntryKind, Folder, Privacy};
use wardroom_base::hex::hex;
use wardroom_base::limits::{LEFTOVER_TIME, MAX_STORED_BYTES, MAX_STORED_KEY_BYTES, MAX_STORED_KEYS};

/// The folder of the AppDir that it is in.
pub(crate) const STORE: &str = "store";

/// The end of the files.
const END: &str = ".json";

/// What stands in a file beside the value, in bytes: the key may be escaped.
const BESIDE: usize = 8 * MAX_STORED_KEY_BYTES + 1024;

struct Namespace<'f> {
    app: &'f Folder,
    way: String,
    /// A name that no namespace can have.
    lock: String,
    /// Whether nobody waits for this any more.
    is_over: &'f dyn Fn() -> bool,
}

/// What is in the folder of a namespace.
#[derive(Default)]
struct Files {
    kept: Vec<String>,
    /// Such as those of writers, one of whom may have been killed.
    has_others: bool,
}

/// One value that is kept.
struct Kept {
    head: Head,
    value: Value,
}

/// What is known of it without the value.
struct Head {
    key: String,
    /// Seconds since 1970.
    until: Option<f64>,
}

pub(super) fn perform(
    reach: &Reach,
    namespace: &str,
    operation: &str,
    arguments: &Value,
    is_over: &dyn Fn() -> bool,
) -> Result<Value, String> {
    let app = reach.app.as_ref().ok_or("nothing is stored here")?;
    let lock = format!("{STORE}/@{namespace}.lock");
    let store = Namespace { app, way: format!("{STORE}/{namespace}"), lock, is_over };
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
        let digest = hex(Sha256::digest(key).iter().take(20));
        format!("{}/{digest}{END}", self.way)
    }

    fn read(&self, path: &str) -> Result<Option<Kept>, String> {
        match self.app.read_text(path, (MAX_STORED_BYTES + BESIDE) as u64) {
            // What nobody here wrote is not there.
            Ok((text, _)) => Ok(Kept::parse(&text)),
            Err(AppDirError::NotFound(_)) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    /// Only the beginning of a file.
    fn read_head(&self, path: &str) -> Result<Option<Head>, String> {
        if (self.is_over)() {
            return Err("nobody waits for this any more".to_owned());
        }
        match self.app.read_start(path, BESIDE as u64) {
            Ok(start) => match Head::parse(&start) {
                Some(head) => Ok(Some(head)),
                // One whose fields somebody put in another order.
                None => Ok(self.read(path)?.map(|kept| kept.head)),
            },
            Err(AppDirError::NotFound(_)) => Ok(None),
            Err(error) => Err(failed(error)),
        }
    }

    fn get(&self, key: &str) -> Result<Option<Value>, String> {
        let kept = self.read(&self.path(key))?.filter(|kept| kept.head.key == key && kept.head.lives(now()));
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
        let value = value.to_string();
        if value.len() > MAX_STORED_BYTES {
            return Err(format!("a stored value has at most {MAX_STORED_BYTES} bytes as JSON"));
        }
        let text = format!("{{\"key\":{},\"until\":{},\"value\":{value}}}", json!(key), json!(until));
        self.app.create_folder(&self.way).map_err(|error| match self.app.folder(STORE) {
            // The kernel lets this process write in the one that was there when it began, and make no other.
            Err(AppDirError::NotFound(_)) => {
                format!("the folder {STORE} was removed: the server has to be started again")
            }
            _ => failed(error),
        })?;
        let _lock = self.app.lock(&self.lock).map_err(failed)?;
        let path = self.path(key);
        if self.app.stat(&path).is_err() {
            self.make_room()?;
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

    fn files(&self) -> Result<Files, String> {
        let mut files = Files::default();
        let folder = match self.app.folder(&self.way) {
            Ok(folder) => folder,
            Err(AppDirError::NotFound(_)) => return Ok(files),
            Err(error) => return Err(failed(error)),
        };
        folder
            .each_name_within(&mut { 2 * MAX_STORED_KEYS }, |name, _, kind| {
                if kind == EntryKind::File && name.ends_with(END) {
                    files.kept.push(format!("{}/{name}", self.way));
                }
                files.has_others |= !name.ends_with(END);
            })
            .map_err(failed)?;
        Ok(files)
    }

    /// Makes room for one more key, and removes what writers left who were killed. Held is the lock that every writer takes.
    fn make_room(&self) -> Result<(), String> {
        let files = self.files()?;
        if files.has_others
            && let Err(error) = self.app.folder(&self.way).and_then(|folder| folder.sweep(LEFTOVER_TIME))
        {
            tracing::debug!(%error, "what is left of writers stays in the store");
        }
        if files.kept.len() < MAX_STORED_KEYS {
            return Ok(());
        }
        self.sweep(files)?;
        if self.files()?.kept.len() < MAX_STORED_KEYS {
            return Ok(());
        }
        Err(format!("a namespace stores at most {MAX_STORED_KEYS} keys: delete some"))
    }

    fn keys(&self, prefix: &str) -> Result<Value, String> {
        let (mut keys, now) = (Vec::new(), now());
        for file in self.files()?.kept {
            if let Some(head) = self.read_head(&file)?.filter(|head| head.lives(now) && head.key.starts_with(prefix)) {
                keys.push(head.key);
            }
        }
        keys.sort_unstable();
        Ok(keys.into())
    }

    /// Removes what lives no more, under the same lock.
    fn sweep(&self, files: Files) -> Result<(), String> {
        let now = now();
        for file in files.kept {
            if self.read_head(&file)?.is_none_or(|head| !head.lives(now)) {
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
        Some(Self { head: Head { key, until }, value: kept.get_mut("value")?.take() })
    }
}

impl Head {
    /// Of a text that begins as ours do.
    fn parse(start: &[u8]) -> Option<Self> {
        let (key, rest) = first(start.strip_prefix(br#"{"key":"#)?)?;
        let (until, rest) = first(rest.strip_prefix(br#","until":"#)?)?;
        rest.starts_with(br#","value":"#).then_some(Self { key, until })
    }

    fn lives(&self, now: f64) -> bool {
        self.until.is_none_or(|until| now < until)
    }
}

/// The value that a text begins with, and what follows it.
fn first<T: DeserializeOwned>(text: &[u8]) -> Option<(T, &[u8])> {
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
        let app = ambient::open(dir.path(), Access::ReadWrite).unwrap();
        let reach = Reach { app: Some(app), ..Reach::default() };
        let done = |operation: &str, arguments: Value, is_over: bool| {
            perform(&reach, "app", operation, &arguments, &|| is_over)
        };
        assert_eq!(done("store.set", json!({"key": "k\"\n", "value": [1.5], "ttl": 600}), false), Ok(json!(true)));
        assert_eq!(done("store.keys", json!({}), false), Ok(json!(["k\"\n"])));
        assert_eq!(done("store.keys", json!({}), true), Err("nobody waits for this any more".to_owned()));
        let found = json!({"found": true, "value": [1.5]});
        assert_eq!(done("store.get", json!({"key": "k\"\n"}), false), Ok(found));
    }

    #[test]
    fn a_head_is_that_of_a_file_of_ours() {
        let head = |text: &str| Head::parse(text.as_bytes()).map(|head| (head.key, head.until));
        assert_eq!(head(r#"{"key":"a","until":null,"value":[1,"#), Some(("a".to_owned(), None)));
        assert_eq!(head(r#"{"key":"a","until":1.5,"value":"#), Some(("a".to_owned(), Some(1.5))));
        for other in ["", r#"{"key":"a"#, r#"{"key":1,"until":null,"value":1}"#, r#"{"key":"a","value":1,"until":2}"#] {
            assert_eq!(head(other), None, "{other}");
        }
    }
}
