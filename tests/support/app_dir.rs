//! A real folder that is gone after the test.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use tempfile::TempDir;
use wardroom::appdir::{Access, Folder, ambient};

use super::wardroom;

/// A temporary folder that holds an AppDir (`app/`) and room beside it, for what must not be reached.
pub struct TestDir(TempDir);

impl TestDir {
    pub fn new() -> Self {
        let dir = TempDir::new().unwrap();
        fs::create_dir(dir.path().join("app")).unwrap();
        Self(dir)
    }

    /// An AppDir with the demo in it.
    pub fn demo() -> Self {
        let dir = Self::new();
        let app = dir.app().display().to_string();
        wardroom(dir.outside(), &["init", "--demo", "--appdir", &app]).ok();
        dir
    }

    /// The folder around the AppDir.
    pub fn outside(&self) -> &Path {
        self.0.path()
    }

    pub fn app(&self) -> PathBuf {
        self.0.path().join("app")
    }

    /// The AppDir as a handle.
    pub fn folder(&self) -> Folder {
        ambient::open(&self.app(), Access::ReadWrite).unwrap()
    }

    /// Writes a file below the AppDir, with the folders above it.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.app().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Makes a file look old, so that caches believe that it holds still.
    pub fn settle(&self, name: &str) {
        let old = SystemTime::now() - Duration::from_secs(60);
        fs::File::options().write(true).open(self.app().join(name)).unwrap().set_modified(old).unwrap();
    }

    /// A package whose source is `source`.
    pub fn package(&self, name: &str, source: &str) -> PathBuf {
        self.file(&format!("packages/{name}/init.lua"), source)
    }

    /// A card with `rows` as its samples, each already a line of JSON.
    pub fn card(&self, package: &str, id: &str, rows: &[&str]) {
        let toml = format!("card_id = \"{id}\"\nschema_version = \"card/v0\"\n\n[pkg]\nname = \"{package}\"\n");
        self.file(&format!("cards/{package}/{id}.toml"), toml);
        if !rows.is_empty() {
            self.file(&format!("cards/{package}/{id}.samples.jsonl"), rows.join("\n") + "\n");
        }
    }
}
