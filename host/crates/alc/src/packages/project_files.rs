//! `alc.toml` and `alc.local.toml`: the packages that a project requires, and the paths of its own ones.
//!
//! Owns: the meaning of their table `packages`, and its cache, valid as long as the file is unchanged.
//! Never: writes the files (see `project_edit.rs`).

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use toml::Value;

use wardroom_appdir::{AppDirError, FileCache, FileCacheLimits, Folder};
use wardroom_base::byte_size::ByteSize;
use wardroom_base::toml_text;
use wardroom_service::ServiceError;

/// The packages that the project requires, and the paths of its own ones.
pub(crate) const REQUIREMENTS_FILE: &str = "alc.toml";
/// The same for this machine only, with precedence over `alc.toml`.
pub(crate) const VARIANTS_FILE: &str = "alc.local.toml";

/// The entry of one package.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PackageEntry {
    pub(crate) path: Option<String>,
    pub(crate) git: Option<String>,
    /// A version, or `*`.
    pub(crate) version: Option<String>,
}

pub(crate) type PackageTable = BTreeMap<String, PackageEntry>;

impl PackageEntry {
    fn from_toml(value: &Value) -> Self {
        let field = |name| value.get(name).and_then(Value::as_str).map(str::to_owned);
        match value {
            Value::String(version) => Self { version: Some(version.clone()), ..Self::default() },
            _ => Self { path: field("path"), git: field("git"), version: field("version") },
        }
    }

    /// Returns the exact version that the entry pins.
    pub(crate) fn pinned_version(&self) -> Option<&str> {
        let exact = |version: &&str| wardroom_rules::id::check_alphabet(version).is_ok();
        self.version.as_deref().filter(|_| self.path.is_none() && self.git.is_none()).filter(exact)
    }
}

/// The cached tables of files: a client may subscribe to a thousand packages.
pub(crate) struct PackageTableCache(FileCache<PackageTable>);

impl Default for PackageTableCache {
    fn default() -> Self {
        // One file each, of at most `MAX_CONFIG_BYTES`.
        Self(FileCache::new(FileCacheLimits { max_entries: 1, max_bytes: usize::MAX, max_age: Duration::MAX }))
    }
}

impl PackageTableCache {
    /// Returns the table of `file`, if the file exists. Errors name `uri`.
    pub(crate) fn read(
        &self,
        folder: &Folder,
        file: &str,
        uri: &str,
        limit: u64,
    ) -> Result<Option<Arc<PackageTable>>, ServiceError> {
        let stat = match folder.stat(file) {
            Err(AppDirError::NotFound(_)) => return Ok(None),
            stat => stat.ok(),
        };
        if let Some(known) = stat.and_then(|stat| self.0.get(&stat)) {
            return Ok(Some(known));
        }
        let entries = Arc::new(read_package_table(folder, file, uri, limit)?);
        if let Some(stat) = stat {
            // `stat` was taken before the read.
            self.0.insert(stat, &entries, 0, Instant::now());
        }
        Ok(Some(entries))
    }
}

/// Returns the table `packages` of a file, empty if the file does not exist.
pub(crate) fn read_package_table(
    folder: &Folder,
    file: &str,
    uri: &str,
    limit: u64,
) -> Result<PackageTable, ServiceError> {
    let text = match folder.read_text(file, limit) {
        Ok((text, _)) => text,
        Err(AppDirError::NotFound(_)) => return Ok(PackageTable::new()),
        Err(cause @ AppDirError::TooLarge { .. }) => {
            return Err(ServiceError::TooLarge {
                public_message: format!("{file} is larger than {}", ByteSize(limit)),
                cause,
            });
        }
        Err(error) => return Err(ServiceError::from_read_error(&format!("{file} for {uri}"), error)),
    };
    let mut document = toml_text::parse(&text)
        .map_err(|error| ServiceError::internal(format!("malformed {file}: {}", error.public_message()), error))?;
    match document.remove("packages") {
        Some(Value::Table(packages)) => {
            Ok(packages.iter().map(|(name, value)| (name.clone(), PackageEntry::from_toml(value))).collect())
        }
        Some(_) => Err(ServiceError::Internal {
            public_message: format!("malformed {file}: packages is not a table"),
            cause: None,
        }),
        None => Ok(PackageTable::new()),
    }
}
