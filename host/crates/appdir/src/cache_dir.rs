//! The folder of caches: `cache` in the AppDir, or a folder on another disk that the operator granted.
//!
//! Owns: the names below which caches lie.
//! Never: creates or holds the folder of one cache. Everything below may be deleted at any moment, so that each cache
//! opens its folder by name, and creates it again.

use super::{AppDirError, Folder};

/// Where the caches of one AppDir are.
#[derive(Debug, Clone)]
pub struct CacheDir {
    root: Folder,
    /// The folder of this AppDir's caches, below the root.
    name: String,
    is_in_app: bool,
}

impl CacheDir {
    /// The folder of the AppDir with its caches, unless the operator named another one.
    pub const IN_APP: &str = "cache";

    /// The caches in the AppDir.
    #[must_use]
    pub fn in_app(app: &Folder) -> Self {
        Self { root: app.clone(), name: Self::IN_APP.to_owned(), is_in_app: true }
    }

    /// The caches in another folder, where those of several AppDirs may lie side by side: `name` is that of one AppDir.
    #[must_use]
    pub const fn granted(root: Folder, name: String) -> Self {
        Self { root, name, is_in_app: false }
    }

    /// Returns the granted folder; `None` for the AppDir's own.
    #[must_use]
    pub fn granted_folder(&self) -> Option<&Folder> {
        (!self.is_in_app).then_some(&self.root)
    }

    /// Whether caches may be read, and not written.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.root.is_read_only()
    }

    /// Returns a cache's path, with the folder below which it begins.
    #[must_use]
    pub fn locate(&self, cache: &str) -> (&Folder, String) {
        (&self.root, format!("{}/{cache}", self.name))
    }

    /// Opens the folder of all caches.
    ///
    /// # Errors
    /// When it does not exist.
    pub fn open(&self) -> Result<Folder, AppDirError> {
        self.root.open_folder(&self.name)
    }

    /// Opens the folder of all caches, and creates it if it is missing.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn create(&self) -> Result<Folder, AppDirError> {
        self.root.create_folder(&self.name)
    }

    /// Opens the folder of a cache.
    ///
    /// # Errors
    /// When it does not exist.
    pub fn open_folder(&self, cache: &str) -> Result<Folder, AppDirError> {
        let (root, path) = self.locate(cache);
        root.open_folder(&path)
    }

    /// Opens the folder of a cache, and creates it if it is missing.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn create_folder(&self, cache: &str) -> Result<Folder, AppDirError> {
        let (root, path) = self.locate(cache);
        root.create_folder(&path)
    }

    /// Returns what a cache's folder is called in messages.
    #[must_use]
    pub fn describe(&self, cache: &str) -> String {
        let (_, path) = self.locate(cache);
        if self.is_in_app { format!("{path} in the AppDir") } else { format!("{path} below [cache] dir") }
    }
}
