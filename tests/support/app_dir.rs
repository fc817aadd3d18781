//! A real folder that is removed after the test.

use std::fs;
use std::io::{ErrorKind, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tempfile::TempDir;
use wardroom_appdir::{Access, Folder, ambient};

use super::{eventually, run_wardroom};

/// A temporary folder that contains an AppDir (`app/`), with space beside it for files that must not be reached.
pub struct TestDir(TempDir);

impl Default for TestDir {
    fn default() -> Self {
        Self::new()
    }
}

impl TestDir {
    pub fn new() -> Self {
        let dir = TempDir::new().unwrap();
        create_app_dir(dir.path());
        Self(dir)
    }

    /// Creates an AppDir with the demo in it.
    pub fn new_demo() -> Self {
        Self::new().init_demo()
    }

    /// Creates an AppDir with the demo on the file system of `folder`.
    pub fn new_demo_in(folder: &Path) -> Self {
        let dir = TempDir::new_in(folder).unwrap();
        create_app_dir(dir.path());
        Self(dir).init_demo()
    }

    fn init_demo(self) -> Self {
        let dir = self;
        let app = dir.app_path().display().to_string();
        run_wardroom(dir.root(), &["init", "--demo", "--appdir", &app]).expect_success();
        dir
    }

    /// Returns the folder around the AppDir.
    pub fn root(&self) -> &Path {
        self.0.path()
    }

    pub fn app_path(&self) -> PathBuf {
        self.0.path().join("app")
    }

    /// Opens the AppDir.
    pub fn open_app(&self) -> Folder {
        ambient::open_folder(&self.app_path(), Access::ReadWrite).unwrap()
    }

    /// Writes a file below the AppDir, and creates its parents.
    pub fn write_file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.app_path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, content).unwrap();
        path
    }

    /// Waits until caches treat a file as settled: its change time cannot be set.
    pub fn wait_until_settled(&self, name: &str) {
        let changed = || {
            let metadata = fs::metadata(self.app_path().join(name)).unwrap();
            UNIX_EPOCH + Duration::new(metadata.ctime().try_into().unwrap(), metadata.ctime_nsec().try_into().unwrap())
        };
        while SystemTime::now().duration_since(changed()).unwrap_or_default() < Duration::from_millis(2100) {
            std::thread::sleep(Duration::from_millis(50));
        }
    }

    /// Edits a file in place, keeping its length and modification time.
    pub fn edit_preserving_mtime(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.app_path().join(name);
        let before = fs::metadata(&path).unwrap();
        assert_eq!(before.len(), content.as_ref().len() as u64);
        let mut file = fs::File::options().write(true).open(&path).unwrap();
        file.write_all(content.as_ref()).unwrap();
        let changed = |metadata: fs::Metadata| (metadata.ctime(), metadata.ctime_nsec());
        // The file system's clock may not advance for some milliseconds.
        let earlier = changed(before.clone());
        while changed(fs::metadata(&path).unwrap()) == earlier {
            std::thread::sleep(Duration::from_millis(1));
            file.set_modified(before.modified().unwrap()).unwrap();
        }
        file.set_modified(before.modified().unwrap()).unwrap();
    }

    /// Writes a package with the given source.
    pub fn write_package(&self, name: &str, source: &str) -> PathBuf {
        self.write_file(&format!("packages/{name}/init.lua"), source)
    }

    /// Writes a card with `rows` as its samples, each a line of JSON.
    pub fn write_card(&self, package: &str, id: &str, rows: &[&str]) {
        let toml = format!("card_id = \"{id}\"\nschema_version = \"card/v0\"\n\n[pkg]\nname = \"{package}\"\n");
        self.write_file(&format!("cards/{package}/{id}.toml"), toml);
        if !rows.is_empty() {
            self.write_file(&format!("cards/{package}/{id}.samples.jsonl"), rows.join("\n") + "\n");
        }
    }
}

/// Creates an empty AppDir with the permissions that `init` gives it.
fn create_app_dir(root: &Path) {
    use std::os::unix::fs::DirBuilderExt as _;
    fs::DirBuilder::new().mode(0o700).create(root.join("app")).unwrap();
}

/// Removes a folder in which a server may be writing at this moment.
#[track_caller]
pub fn remove_folder_in_use(path: &Path) {
    eventually("the folder is removed", || match fs::remove_dir_all(path) {
        Ok(()) => true,
        Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => false,
        Err(error) => panic!("{}: {error}", path.display()),
    });
}
