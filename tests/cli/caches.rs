//! `[cache] dir`: caches in a folder outside the AppDir, which may be emptied at any moment.

use std::fs;
use std::path::PathBuf;

use insta::assert_snapshot;
use serde_json::{Value, json};

use wardroom_test_support::{RunClient, TestDir, remove_folder_in_use, run_wardroom};

/// `CARD_INDEX_FILE_MIN_CARDS` of the service `alc`.
const INDEXED_CARDS: usize = 1_000;

/// An AppDir with a blog and as many cards as are kept in an index, and a configuration that names a folder of caches.
struct CachedDir {
    dir: TestDir,
    caches: PathBuf,
    config: String,
}

impl CachedDir {
    fn new() -> Self {
        let dir = TestDir::new();
        for n in 0..INDEXED_CARDS {
            dir.write_card("p", &format!("p_{n}"), &[]);
        }
        dir.write_file(
            "blog/posts/one.md",
            "---\nid: 00000000-0000-4000-8000-000000000001\ntitle: One\nslug: one\n---\nalpha\n",
        );
        let caches = dir.root().join("other disk");
        fs::create_dir(&caches).unwrap();
        let config = dir.root().join("config.toml");
        let text = format!("[cache]\ndir = '{}'\n[network]\ngit = true\n", caches.display());
        fs::write(&config, text).unwrap();
        let config = config.display().to_string();
        Self { dir, caches, config }
    }

    fn client(&self) -> RunClient {
        RunClient::start_with(&self.dir, &["--config", &self.config])
    }

    /// Returns the names below the one folder of this AppDir.
    fn cached(&self) -> Vec<String> {
        names(&self.own_folder())
    }

    fn own_folder(&self) -> PathBuf {
        let [own] = names(&self.caches).try_into().unwrap();
        self.caches.join(own)
    }
}

fn names(folder: &std::path::Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.collect();
    names.sort();
    names
}

/// Uses the indexes of cards and of the blog.
#[track_caller]
fn use_caches(client: &mut RunClient) {
    let found = client.call_ok("search_posts", json!({"query": "alpha"}));
    assert_eq!(found["total"], 1, "{found:#}");
    let cards = client.call_ok("alc_card_find", json!({"limit": 1}));
    assert_eq!(cards["cards"].as_array().map(Vec::len), Some(1), "{cards:#}");
}

#[test]
fn named_folder_has_all_caches() {
    let cached = CachedDir::new();
    use_caches(&mut cached.client());
    // The folder of git is made when a server starts, the others when something is kept in them.
    assert_eq!(cached.cached(), ["blog", "cards.index", "git", "lines"]);
    assert_eq!(names(&cached.own_folder().join("blog")).len(), 1);
    assert!(!cached.dir.app_path().join("cache").exists());
    // The AppDir's own permissions hold there too.
    let mode = |name: &str| {
        use std::os::unix::fs::PermissionsExt as _;
        fs::metadata(cached.own_folder().join(name)).unwrap().permissions().mode() & 0o777
    };
    assert_eq!((mode(""), mode("blog"), mode("cards.index")), (0o700, 0o700, 0o600));
    // Another AppDir has a folder of its own.
    let other = TestDir::new();
    other.write_file("blog/meta/project.json", "{}");
    let app = other.app_path().display().to_string();
    run_wardroom(other.root(), &["--config", &cached.config, "--appdir", &app, "blog", "index"]).expect_success();
    assert_eq!(names(&cached.caches).len(), 2);
    assert!(!other.app_path().join("cache").exists());
}

#[test]
fn caches_are_made_again_while_serving() {
    let cached = CachedDir::new();
    let mut client = cached.client();
    use_caches(&mut client);
    remove_folder_in_use(&cached.own_folder());
    use_caches(&mut client);
    assert!(cached.cached().contains(&"blog".to_owned()), "{:?}", cached.cached());
    drop(client);
    use_caches(&mut cached.client());
    assert_eq!(cached.cached(), ["blog", "cards.index", "git", "lines"]);
}

#[test]
fn folder_of_caches_holds_nothing_else() {
    let dir = TestDir::new();
    let at = |name: &str| dir.root().join(name);
    fs::create_dir_all(at("mounted/inner")).unwrap();
    fs::create_dir_all(dir.app_path().join("packages")).unwrap();
    fs::create_dir_all(at("blog")).unwrap();
    let config = at("config.toml");
    let run = |cache: PathBuf| {
        let text = format!(
            "[cache]\ndir = '{}'\n[blog]\nroot = '{}'\n[mounts.m]\npath = '{}'\nas = \"files\"\n",
            cache.display(),
            at("blog").display(),
            at("mounted").display()
        );
        fs::write(&config, text).unwrap();
        run_wardroom(dir.root(), &["--config", &config.display().to_string(), "--appdir", "app", "ls"])
    };
    for shared in ["", "app", "app/packages", "mounted", "mounted/inner", "blog"] {
        let output = run(at(shared));
        assert_eq!(output.status, 1, "{shared}");
        assert!(output.stderr.contains("one contains the other"), "{shared}: {output:?}");
    }
    assert_snapshot!("shared", run(at("mounted/inner")).snapshot_text(dir.root()));
    assert_snapshot!("missing", run(at("missing")).snapshot_text(dir.root()));
    fs::create_dir(at("caches")).unwrap();
    run(at("caches")).expect_success();
}

#[test]
fn doctor_reports_a_folder_that_cannot_be_opened() {
    let cached = CachedDir::new();
    let app = cached.dir.app_path().display().to_string();
    let doctor = || {
        let args = ["--config", &cached.config, "--appdir", &app, "doctor", "--json"];
        let output = run_wardroom(cached.dir.root(), &args);
        let rows: Value = serde_json::from_str(output.stdout.lines().next().unwrap()).unwrap();
        rows.as_array().unwrap().iter().any(|row| {
            row["state"] == "error" && row["detail"].as_str().unwrap().contains("cannot open the folder of caches")
        })
    };
    assert!(!doctor());
    fs::remove_dir_all(&cached.caches).unwrap();
    assert!(doctor());
}
