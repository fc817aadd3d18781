//! A fixture for the package tools: an AppDir, a project, a granted folder and one that is not granted.

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;
use wardroom_alc::{Alc, AlcFolders, AlcOptions, OperatorSettings, PackageMount, Project, ProtectedFolder, Protection};
use wardroom_appdir::{Access, Folder, LineIndexCache, ambient};
use wardroom_base::memory::MemoryShare;
use wardroom_base::payload::Payload;
use wardroom_config::NetworkConfig;
use wardroom_service::{Catalogue, RequestInfo, RequestMemory, ServiceError};

use wardroom_test_support::{SANDBOX, TestDir, check_output_schema};

pub(super) struct PackageFixture {
    pub(super) dir: TestDir,
    pub(super) access: Access,
    pub(super) with_project: bool,
    pub(super) network: NetworkConfig,
    /// Whether what is around the AppDir is mounted as packages, in place of the folder `granted`.
    pub(super) mounts_all: bool,
    /// Folders of other services.
    pub(super) protected: Vec<(&'static str, Protection)>,
    /// Cancels every call.
    pub(super) cancelled: CancellationToken,
}

impl PackageFixture {
    pub(super) fn new() -> Self {
        let fixture = Self {
            dir: TestDir::new(),
            access: Access::ReadWrite,
            with_project: true,
            network: NetworkConfig::default(),
            mounts_all: false,
            protected: Vec::new(),
            cancelled: CancellationToken::new(),
        };
        for folder in ["project", "granted", "elsewhere"] {
            fs::create_dir(fixture.path(folder)).unwrap();
        }
        fixture
    }

    /// Returns the canonical path of a name.
    pub(super) fn path(&self, name: &str) -> PathBuf {
        fs::canonicalize(self.dir.root()).unwrap().join(name)
    }

    pub(super) fn path_text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    pub(super) fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    pub(super) fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    pub(super) fn has(&self, name: &str) -> bool {
        fs::symlink_metadata(self.path(name)).is_ok()
    }

    /// Writes a package with its name and version.
    pub(super) fn package(&self, at: &str, version: &str) {
        let name = at.rsplit('/').next().unwrap();
        let source = format!(
            "--- {name} — does something\n---\n--- Usage:\n---   it\n\nlocal M = {{}}\nM.meta = {{ name = \"{name}\", version = \"{version}\", \
             description = \"about {name}\", category = \"reasoning\" }}\nreturn M\n"
        );
        self.file(&format!("{at}/init.lua"), source);
    }

    fn open(&self, name: &str) -> Folder {
        ambient::open_folder(&self.path(name), self.access).unwrap()
    }

    pub(super) fn alc(&self) -> Alc {
        let path = if self.mounts_all { fs::canonicalize(self.dir.root()).unwrap() } else { self.path("granted") };
        let folder = ambient::open_folder(&path, self.access).unwrap();
        let linked = vec![PackageMount::Collection { folder, path }];
        let project = self.with_project.then(|| Project { folder: self.open("project"), path: self.path("project") });
        let folders = AlcFolders { app: self.open("app"), logs: None, project, package_mounts: linked };
        let operator = OperatorSettings {
            app_path: Some(self.path("app")),
            command: "wardroom".into(),
            ..OperatorSettings::default()
        };
        let protected = self.protected.iter().map(|(name, protection)| {
            let path = self.path(name);
            let folder = ambient::open_folder(&path, Access::ReadOnly).unwrap();
            ProtectedFolder { folder, path, protection: *protection }
        });
        let (protected, network) = (protected.collect(), self.network.clone());
        let options = AlcOptions { operator, network, protected, ..AlcOptions::default() };
        Alc::with_options(folders, Arc::clone(&SANDBOX), LineIndexCache::new(None), options)
    }

    pub(super) fn catalogue(&self) -> Arc<Catalogue> {
        Arc::new(Catalogue::new(vec![Arc::new(self.alc())]))
    }

    /// Calls a tool for a caller that may hold so many bytes.
    pub(super) fn call_within(&self, bytes: usize, tool: &str, arguments: Value) -> Result<Value, ServiceError> {
        let catalogue = self.catalogue();
        let memory = RequestMemory::new(&MemoryShare::budget(bytes));
        let info = RequestInfo { memory, ..RequestInfo::new(&catalogue) };
        catalogue.call_blocking(tool, Payload::from_value(arguments), &info).map(|answer| answer.value.into_value())
    }

    pub(super) fn try_call(&self, tool: &str, arguments: Value) -> Result<Value, ServiceError> {
        let catalogue = self.catalogue();
        let context = RequestInfo { cancellation: self.cancelled.clone(), ..RequestInfo::new(&catalogue) };
        let answer = catalogue.call_blocking(tool, Payload::from_value(arguments), &context)?;
        let answer = answer.value.into_value();
        check_output_schema(tool, &answer);
        Ok(answer)
    }

    #[track_caller]
    pub(super) fn call(&self, tool: &str, arguments: Value) -> Value {
        self.try_call(tool, arguments).unwrap_or_else(|error| panic!("{tool}: {error:?}"))
    }

    /// Returns the code and the message of a call that must be refused.
    #[track_caller]
    pub(super) fn refused(&self, tool: &str, arguments: Value) -> (String, String) {
        match self.try_call(tool, arguments) {
            Err(ServiceError::Tool { code, message, .. }) => (code.as_str().to_owned(), message),
            other => panic!("{tool} was not refused: {other:?}"),
        }
    }

    /// Installs from a path below the fixture's root.
    pub(super) fn install(&self, from: &str) -> Value {
        self.call("alc_pkg_install", json!({"url": self.path_text(from)}))
    }

    /// Checks that an installation left no temporary entry.
    #[track_caller]
    pub(super) fn assert_no_leftovers(&self) {
        let hidden: Vec<String> = fs::read_dir(self.path("app/packages"))
            .map(|entries| entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect())
            .unwrap_or_default();
        assert!(!hidden.iter().any(|name| name.ends_with(".tmp")), "{hidden:?}");
    }
}

/// Returns the strings of a list.
pub(super) fn names(value: &Value) -> Vec<&str> {
    value.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect()
}
