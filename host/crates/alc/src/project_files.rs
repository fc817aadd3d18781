//! `alc.toml` and `alc.local.toml`: which packages a project asks for, and where it has some of its own.
//!
//! Owns: the meaning of their table `packages`, and the memory of it as long as the file stays the same.
//! Never: writes them (see `pkg/edit.rs`).

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use toml::Value;

use wardroom_appdir::{AppDirError, Folder, Stat};
use wardroom_base::toml_text;
use wardroom_service::ServiceError;

/// What the project asks for, and where it has its own.
pub(super) const REQUIREMENTS: &str = "alc.toml";
/// The same for whoever works on it here, before the others.
pub(super) const VARIANTS: &str = "alc.local.toml";

/// What is said of one package.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Entry {
    pub(super) path: Option<String>,
    pub(super) git: Option<String>,
    /// A version, or `*`.
    pub(super) version: Option<String>,
}

pub(super) type Entries = BTreeMap<String, Entry>;

impl Entry {
    fn of(value: &Value) -> Self {
        let field = |name| value.get(name).and_then(Value::as_str).map(str::to_owned);
        match value {
            Value::String(version) => Self { version: Some(version.clone()), ..Self::default() },
            _ => Self { path: field("path"), git: field("git"), version: field("version") },
        }
    }

    /// The one version that will do.
    pub(super) fn pin(&self) -> Option<&str> {
        let exact = |version: &&str| wardroom_rules::id::check_alphabet(version).is_ok();
        self.version.as_deref().filter(|_| self.path.is_none() && self.git.is_none()).filter(exact)
    }
}

/// One such file as it was read last: a client may subscribe to a thousand packages.
#[derive(Default)]
pub(super) struct EntriesCache(Mutex<Option<(Stat, Arc<Entries>)>>);

impl EntriesCache {
    /// What `file` says, which need not be there. `uri` is whose reader is told what is wrong.
    pub(super) fn read(
        &self,
        folder: &Folder,
        file: &str,
        uri: &str,
        limit: u64,
    ) -> Result<Arc<Entries>, ServiceError> {
        let stat = match folder.stat(file) {
            Err(AppDirError::NotFound(_)) => return Ok(Arc::default()),
            stat => stat.ok(),
        };
        if let Some(known) = stat.and_then(|stat| self.find(stat)) {
            return Ok(known);
        }
        let entries = Arc::new(read(folder, file, uri, limit)?);
        if let Some(stat) = stat {
            self.keep(stat, &entries);
        }
        Ok(entries)
    }

    fn find(&self, stat: Stat) -> Option<Arc<Entries>> {
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        known.as_ref().filter(|(known, _)| *known == stat).map(|(_, entries)| Arc::clone(entries))
    }

    /// `stat` is from before the file was read.
    fn keep(&self, stat: Stat, entries: &Arc<Entries>) {
        if stat.holds_still() {
            *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some((stat, Arc::clone(entries)));
        }
    }
}

/// The table `packages` of a file, which need not be there.
pub(super) fn read(folder: &Folder, file: &str, uri: &str, limit: u64) -> Result<Entries, ServiceError> {
    let text = match folder.read_text(file, limit) {
        Ok((text, _)) => text,
        Err(AppDirError::NotFound(_)) => return Ok(Entries::new()),
        Err(cause @ AppDirError::TooLarge { .. }) => {
            return Err(ServiceError::TooLarge { public: format!("{file} is larger than {limit} bytes"), cause });
        }
        Err(error) => return Err(ServiceError::internal(format!("cannot read {file} for {uri}"), error)),
    };
    let mut document = toml_text::parse(&text)
        .map_err(|error| ServiceError::internal(format!("malformed {file}: {}", error.public()), error))?;
    match document.remove("packages") {
        Some(Value::Table(packages)) => {
            Ok(packages.iter().map(|(name, value)| (name.clone(), Entry::of(value))).collect())
        }
        Some(_) => {
            Err(ServiceError::Internal { public: format!("malformed {file}: packages is not a table"), cause: None })
        }
        None => Ok(Entries::new()),
    }
}
