//! `wardroom init`: created and preserved files.

use std::fs;

use insta::assert_snapshot;

use wardroom_test_support::{TestDir, run_command, run_wardroom, wardroom_command};

#[test]
fn init_creates_folders_and_type_stubs() {
    let dir = TestDir::new();
    let at = dir.app_path().join("new/app").display().to_string();
    assert_snapshot!("init", run_wardroom(dir.root(), &["init", "--appdir", &at]).snapshot_text(dir.root()));
    let mut names: Vec<_> = fs::read_dir(&at).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, [".luarc.json", "cache", "cards", "evals", "logs", "packages", "scenarios", "types"]);
    assert!(fs::read_to_string(format!("{at}/types/alc.d.lua")).unwrap().starts_with("---@meta alc\n"));
    let mut names: Vec<_> =
        fs::read_dir(format!("{at}/types")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["alc.d.lua", "alc_shapes.d.lua", "config.schema.json", "index.schema.json"]);
}

#[test]
fn init_demo_twice_keeps_existing_files() {
    let dir = TestDir::new();
    let at = dir.app_path().display().to_string();
    let args = ["init", "--demo", "--appdir", &at];
    assert_snapshot!("demo", run_wardroom(dir.root(), &args).snapshot_text(dir.root()));
    let edited = dir.write_file("packages/cot/init.lua", "return { meta = { name = 'mine' } }");
    let renewed = ["types/alc.d.lua", "types/config.schema.json", "types/index.schema.json"];
    let before = renewed.map(|name| fs::read(dir.app_path().join(name)).unwrap());
    renewed.iter().for_each(|name| drop(dir.write_file(name, "an older one")));
    let settings = dir.write_file(".luarc.json", "{}");
    assert_snapshot!("demo_again", run_wardroom(dir.root(), &args).snapshot_text(dir.root()));
    assert_eq!(fs::read_to_string(edited).unwrap(), "return { meta = { name = 'mine' } }");
    assert_eq!(fs::read_to_string(settings).unwrap(), "{}");
    assert_eq!(renewed.map(|name| fs::read(dir.app_path().join(name)).unwrap()), before);
}

#[test]
fn doctor_reports_stale_temp_files_and_init_removes_them() {
    let dir = TestDir::new_demo();
    let at = dir.app_path().display().to_string();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(2 * 3600);
    let names = [
        "types/.alc.d.lua",
        "cache/lines/.1-2.lines",
        "packages/cot/.init.lua",
        ".x",
        "cards/mine/.a",
        "runs/.s",
        "store/.b",
    ];
    for name in names {
        let path = dir.write_file(&format!("{name}.0123456789abcdef.tmp"), "half");
        fs::File::open(path).unwrap().set_modified(old).unwrap();
    }
    let doctor = || run_wardroom(dir.root(), &["doctor", "--appdir", &at]).expect_success();
    let found = "warning  temporary      7 files of writers that were killed\n";
    let hint = format!("{found}{:<23} hint: run wardroom --appdir '{at}' init to remove them\n", "");
    assert!(doctor().contains(&hint), "{}", doctor());
    let init = run_wardroom(dir.root(), &["init", "--appdir", &at]).expect_success();
    assert!(init.contains("removed 7 temporary files of writers that were killed\n"), "{init}");
    assert!(!doctor().contains("temporary"));
}

#[test]
fn init_at_invalid_path_fails() {
    let dir = TestDir::new();
    dir.write_file("file", "");
    let at = dir.app_path().join("file/app").display().to_string();
    assert_snapshot!("init_fails", run_wardroom(dir.root(), &["init", "--appdir", &at]).snapshot_text(dir.root()));
}

#[test]
fn init_read_only_writes_nothing() {
    let dir = TestDir::new();
    let at = dir.app_path().join("new").display().to_string();
    let refused = run_wardroom(dir.root(), &["init", "--read-only", "--appdir", &at]);
    assert_eq!((refused.status, refused.stdout.as_str()), (1, ""));
    assert_eq!(
        refused.stderr,
        "error: init writes to the AppDir, which --read-only forbids\nhint: leave out --read-only\n"
    );
    assert!(!dir.app_path().join("new").exists());
}

/// Runs a command from a hint in a shell without this AppDir's variable.
fn typed(dir: &TestDir, line: &str) -> wardroom_test_support::CommandOutput {
    let folder = wardroom_test_support::wardroom_binary().parent().unwrap();
    let mut shell = std::process::Command::new("sh");
    let path = format!("{}:/usr/bin:/bin", folder.display());
    run_command(shell.args(["-c", line]).env_clear().env("HOME", dir.root()).env("PATH", path).current_dir("/"))
}

#[test]
fn init_next_steps_work_as_typed() {
    let dir = TestDir::new();
    let odd = dir.root().join("it's odd");
    let from_variable = |args: &[&str]| run_command(wardroom_command(dir.root()).env("ALC_HOME", &odd).args(args));
    let missing = from_variable(&["ls"]);
    let hint = missing.stderr.split("hint: run ").nth(1).unwrap().split(" to create it").next().unwrap().to_owned();
    assert!(!odd.exists());
    typed(&dir, &hint).expect_success();
    assert!(odd.join("packages").is_dir());
    let said = from_variable(&["init", "--demo"]).expect_success();
    let next = said.split("next: ").nth(1).unwrap().split(", or connect").next().unwrap();
    assert_eq!(typed(&dir, &format!("{next} alc://packages/cot/meta")).expect_success().lines().count(), 1);
    let connect = said.trim_end().split("on this machine: ").nth(1).unwrap();
    let connected = typed(&dir, &format!("{connect} --create --yes >&2"));
    assert!(connected.stderr.contains("it's odd"), "{connected:?}");
    let status = typed(&dir, "wardroom agents status cursor").expect_success();
    assert!(status.contains("starts: wardroom"), "{status}");
}
