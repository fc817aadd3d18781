//! `wardroom mount`: grants in the configuration, whose other content stays.

use std::fs;
use std::os::unix::fs::symlink;

use insta::assert_snapshot;
use serde_json::{Value, json};

use wardroom_test_support::{CommandOutput, TestDir, run_wardroom};

const CONFIG: &str = "# Mine.\n[server]\nname = \"mess\" # of the ship\n\n[mounts]\n# Of the project.\n[mounts.old]\npath = \"/tmp\"\nas = \"packages\"\n";

fn dir() -> TestDir {
    let dir = TestDir::new();
    dir.write_package("own", "return {}");
    fs::create_dir_all(dir.root().join("one")).unwrap();
    fs::write(dir.root().join("one/init.lua"), "return { meta = { name = 'one' } }").unwrap();
    fs::create_dir_all(dir.root().join("many/two")).unwrap();
    dir
}

fn run(dir: &TestDir, args: &[&str]) -> CommandOutput {
    let (app, config) = (dir.app_path().display().to_string(), config_file(dir));
    run_wardroom(dir.root(), &[&["mount", "--appdir", &app, "--config", &config], args].concat())
}

fn config_file(dir: &TestDir) -> String {
    dir.root().join("config.toml").display().to_string()
}

fn config(dir: &TestDir) -> String {
    fs::read_to_string(config_file(dir)).unwrap().replace(&dir.root().display().to_string(), "$HOME")
}

#[test]
fn added_mount_is_listed_and_served_until_removed() {
    let dir = dir();
    fs::write(config_file(&dir), "").unwrap();
    assert_snapshot!("add_package", run(&dir, &["add", "one", "one"]).snapshot_text(dir.root()));
    assert_snapshot!(
        "add_packages",
        run(&dir, &["add", "many", "./many/../many", "--read-only"]).snapshot_text(dir.root())
    );
    assert_snapshot!("list", run(&dir, &["list"]).snapshot_text(dir.root()));
    let rows: Value = serde_json::from_str(&run(&dir, &["list", "--json"]).expect_success()).unwrap();
    let at = |name: &str| dir.root().join(name).canonicalize().unwrap();
    let many = json!({"name": "many", "path": at("many"), "as": "packages", "readOnly": true});
    let one = json!({"name": "one", "path": at("one"), "as": "package", "readOnly": false});
    assert_eq!(rows, json!([many, one]));

    let (app, file) = (dir.app_path().display().to_string(), config_file(&dir));
    let read = || run_wardroom(dir.root(), &["--appdir", &app, "--config", &file, "read", "alc://packages/one/meta"]);
    assert_eq!(read().expect_success(), "{\"name\":\"one\"}\n");
    assert_snapshot!("remove", run(&dir, &["remove", "one"]).snapshot_text(dir.root()));
    assert_eq!(read().status, 1);
    assert_snapshot!("remove_again", run(&dir, &["remove", "one"]).snapshot_text(dir.root()));
}

#[test]
fn mount_keeps_rest_of_config() {
    let dir = dir();
    fs::write(config_file(&dir), CONFIG).unwrap();
    run(&dir, &["add", "one", "one"]).expect_success();
    assert_eq!(config(&dir), format!("{CONFIG}\n[mounts.one]\npath = \"$HOME/one\"\nas = \"package\"\n"));
    run(&dir, &["remove", "one"]).expect_success();
    assert_eq!(config(&dir), CONFIG);
}

#[test]
fn symlinked_config_is_changed_at_its_target() {
    let dir = dir();
    fs::create_dir(dir.root().join("dotfiles")).unwrap();
    let target = dir.root().join("dotfiles/wardroom.toml");
    fs::write(&target, CONFIG).unwrap();
    symlink(&target, dir.root().join("dotfiles/second")).unwrap();
    fs::create_dir(dir.root().join("etc")).unwrap();
    symlink("../dotfiles/second", dir.root().join("etc/config.toml")).unwrap();
    let run = |args: &[&str]| run_wardroom(dir.root(), &[&["mount", "--config", "etc/config.toml"], args].concat());
    assert!(run(&["list"]).expect_success().starts_with("old "));
    run(&["add", "one", "one"]).expect_success();
    assert!(fs::read_to_string(&target).unwrap().contains("[mounts.one]"));
    assert!(fs::symlink_metadata(dir.root().join("etc/config.toml")).unwrap().is_symlink());
    // A dangling link is not a missing configuration.
    fs::remove_file(&target).unwrap();
    for args in [&["list"][..], &["add", "many", "many"]] {
        let refused = run(args);
        assert_eq!(refused.status, 1);
        assert!(refused.stderr.contains("etc/config.toml: dangling link"), "{}", refused.stderr);
    }
    let default = dir.root().join(".config/wardroom");
    fs::create_dir_all(&default).unwrap();
    symlink(&target, default.join("config.toml")).unwrap();
    assert_eq!(run_wardroom(dir.root(), &["mount", "list"]).status, 1);
    assert!(!target.exists());
}

#[test]
fn missing_config_is_created_for_owner_only() {
    let dir = dir();
    let app = dir.app_path().display().to_string();
    run_wardroom(dir.root(), &["mount", "add", "one", "one", "--appdir", &app]).expect_success();
    let file = dir.root().join(".config/wardroom/config.toml");
    assert_eq!(std::os::unix::fs::MetadataExt::mode(&fs::metadata(&file).unwrap()) & 0o777, 0o600);
    assert!(fs::read_to_string(file).unwrap().starts_with("[mounts.one]\n"));
}

#[test]
fn missing_explicit_config_is_created_by_mount_add_only() {
    let dir = dir();
    let run = |args: &[&str]| run_wardroom(dir.root(), &[&["--config", "new/c.toml", "mount"], args].concat());
    for args in [&["list"][..], &["remove", "one"]] {
        assert_eq!(run(args).status, 1);
        assert!(!dir.root().join("new").exists());
    }
    run(&["add", "one", "one"]).expect_success();
    assert!(fs::read_to_string(dir.root().join("new/c.toml")).unwrap().starts_with("[mounts.one]\n"));
    assert!(run(&["list"]).expect_success().starts_with("one "));
}

#[test]
fn stale_config_temp_files_are_removed() {
    let dir = dir();
    fs::write(config_file(&dir), CONFIG).unwrap();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 3600);
    let file = |name: &str, time| {
        let path = dir.root().join(name);
        fs::write(&path, "half").unwrap();
        fs::File::open(&path).unwrap().set_modified(time).unwrap();
        path
    };
    let leftover = || file(".config.toml.0123456789abcdef.tmp", old);
    let others = [
        file(".other.toml.0123456789abcdef.tmp", old),
        file(".config.toml.0123456789abcdee.tmp", std::time::SystemTime::now()),
        file("config.toml.tmp", old),
    ];
    for args in [&["add", "one", "one"][..], &["remove", "one"]] {
        let left = leftover();
        run(&dir, args).expect_success();
        assert!(!left.exists(), "{args:?}");
        assert!(others.iter().all(|other| other.exists()), "{args:?}");
    }
}

#[test]
fn invalid_mount_changes_nothing() {
    let dir = dir();
    fs::write(config_file(&dir), CONFIG).unwrap();
    let rows: [(&str, &[&str]); 4] = [
        ("duplicate", &["add", "old", "one"]),
        ("nonexistent", &["add", "none", "no/such/folder"]),
        ("a_file", &["add", "file", "one/init.lua"]),
        ("bad_name", &["add", "../x", "one"]),
    ];
    for (name, args) in rows {
        assert_snapshot!(name, run(&dir, args).snapshot_text(dir.root()));
        assert_eq!(config(&dir), CONFIG, "{name}");
    }
}

#[test]
fn import_links_turns_external_links_into_mounts() {
    let dir = dir();
    fs::write(config_file(&dir), CONFIG).unwrap();
    symlink(dir.root().join("one"), dir.app_path().join("packages/one")).unwrap();
    symlink("own", dir.app_path().join("packages/within")).unwrap();
    symlink(dir.root().join("gone"), dir.app_path().join("packages/dangling")).unwrap();
    assert_snapshot!("dry_run", run(&dir, &["import-links", "--dry-run"]).snapshot_text(dir.root()));
    assert_eq!(config(&dir), CONFIG);
    assert_snapshot!("import", run(&dir, &["import-links"]).snapshot_text(dir.root()));
    assert_snapshot!("import_again", run(&dir, &["import-links"]).snapshot_text(dir.root()));
    assert_eq!(config(&dir), format!("{CONFIG}\n[mounts.one]\npath = \"$HOME/one\"\nas = \"package\"\n"));
}

#[test]
fn missing_mount_is_reported_and_skipped() {
    let dir = dir();
    fs::write(config_file(&dir), "[mounts.gone]\npath = \"/no/such\"\nas = \"package\"\n").unwrap();
    let (app, config) = (dir.app_path().display().to_string(), config_file(&dir));
    let finished =
        run_wardroom(dir.root(), &["--appdir", &app, "--config", &config, "read", "alc://packages/own/meta"]);
    assert_snapshot!("gone", finished.snapshot_text(dir.root()));
}

/// The rest of the file stays as its author wrote it.
#[test]
fn comments_and_line_ends_of_config_stay() {
    use std::os::unix::fs::PermissionsExt as _;
    let dir = dir();
    let before = "# My server.\r\n\r\n# The first.\r\n[mounts.old]\r\npath = \"/tmp\"\r\nas = \"packages\"\r\n\r\n[server]\r\nname = \"a\"\r\n";
    fs::write(config_file(&dir), before).unwrap();
    fs::set_permissions(config_file(&dir), fs::Permissions::from_mode(0o640)).unwrap();
    run(&dir, &["add", "one", "one"]).expect_success();
    let added = config(&dir);
    assert!(added.starts_with("# My server.\r\n") && !added.replace("\r\n", "").contains('\n'), "{added}");
    run(&dir, &["remove", "one"]).expect_success();
    assert_eq!(config(&dir), before);
    // The comment of the first table is removed with it, and the comment of the file stays.
    run(&dir, &["remove", "old"]).expect_success();
    assert_eq!(config(&dir), "# My server.\r\n\r\n[server]\r\nname = \"a\"\r\n");
    assert_eq!(fs::metadata(config_file(&dir)).unwrap().permissions().mode() & 0o777, 0o640);
    // The comment of the last table, too.
    fs::write(config_file(&dir), "# My server.\n\n[mounts.old]\npath = \"/tmp\"\nas = \"packages\"\n").unwrap();
    run(&dir, &["remove", "old"]).expect_success();
    assert_eq!(config(&dir).trim_end(), "# My server.");
    let names: Vec<_> = fs::read_dir(dir.root()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(names.iter().all(|name| !name.to_str().unwrap().contains("config.toml.")), "{names:?}");
}

/// A handler that writes there would decide what the next server may do.
#[test]
fn configuration_and_app_dir_do_not_lie_where_a_handler_may_write() {
    let dir = dir();
    let (app, file) = (dir.app_path().display().to_string(), config_file(&dir));
    let outside = TestDir::new();
    symlink(dir.root(), outside.root().join("link")).unwrap();
    for (path, is_refused) in [
        (dir.root().to_path_buf(), true),
        (outside.root().join("link"), true),
        (dir.app_path(), true),
        (dir.root().join("many"), false),
    ] {
        for read_only in [false, true] {
            let mount = format!("[mounts.m]\npath = \"{}\"\nas = \"files\"\nread_only = {read_only}\n", path.display());
            fs::write(config_file(&dir), mount).unwrap();
            let called = run_wardroom(dir.root(), &["--appdir", &app, "--config", &file, "call", "alc_info"]);
            let serves = run_wardroom(dir.root(), &["--appdir", &app, "--config", &file, "serve"]);
            let expected = i32::from(is_refused && !read_only);
            assert_eq!((called.status, serves.status), (expected, expected), "{path:?} {called:?} {serves:?}");
            assert_eq!(called.stderr.contains("handlers could write"), expected == 1, "{called:?}");
        }
    }
}
