//! `wardroom extract` and `wardroom guest`: the sandbox without an AppDir.

use std::fs;

use insta::assert_snapshot;
use serde_json::{Value, json};
use wardroom_sandbox::GUEST_COMPONENT;

use wardroom_test_support::{CommandOutput, TestDir, run_wardroom, wardroom_command};

const GOOD: &str = "--- Doc.\nlocal M = {}\nM.meta = { name = 'good', version = f(), tags = { g, 'b' } }\nreturn M\n";

fn dir() -> TestDir {
    let dir = TestDir::new();
    dir.write_package("good", GOOD);
    dir.write_package("bad", "x = '");
    dir
}

fn run(dir: &TestDir, args: &[&str]) -> CommandOutput {
    run_wardroom(dir.root(), &[&["extract"], args].concat())
}

#[test]
fn extract_follows_symlinked_file() {
    let dir = dir();
    std::os::unix::fs::symlink("../app/packages/good/init.lua", dir.root().join("app/linked.lua")).unwrap();
    let linked = run(&dir, &["app/linked.lua"]).expect_success();
    assert_eq!(linked, run(&dir, &["app/packages/good"]).expect_success());
}

#[test]
fn extract_of_file_equals_extract_of_folder() {
    let dir = dir();
    let file = run(&dir, &["app/packages/good/init.lua"]);
    assert_snapshot!("file", file.snapshot_text(dir.root()));
    assert_eq!(run(&dir, &["app/packages/good"]).expect_success(), file.expect_success());
    let row: Value = serde_json::from_str(&run(&dir, &["--json", "app/packages/good"]).expect_success()).unwrap();
    let unresolved = json!([
        {"path": "version", "line": 3, "column": 37, "reason": "calls a function"},
        {"path": "tags[1]", "line": 3, "column": 51, "reason": "names a variable that is not a constant"},
    ]);
    let meta = json!({"name": "good", "version": null, "tags": [null, "b"]});
    assert_eq!(row, json!({"file": "app/packages/good", "meta": meta, "doc": "Doc.", "unresolved": unresolved}));
}

#[test]
fn extract_of_several_prints_valid_and_fails_for_invalid() {
    let dir = dir();
    let all =
        ["app/packages/good", "app/packages/bad", "app/packages/none", "app/packages", "app/packages/good/init.lua"];
    assert_snapshot!("several", run(&dir, &all).snapshot_text(dir.root()));
    let json = run(&dir, &[&["--json"], all.as_slice()].concat());
    assert_eq!((json.status, json.stdout.lines().count()), (1, 2));
}

#[test]
fn extract_of_single_file_needs_no_name_or_app_dir() {
    let dir = dir();
    fs::write(dir.root().join("lone source.lua"), GOOD).unwrap();
    assert_eq!(run(&dir, &["lone source.lua"]).stdout, "{\"name\":\"good\",\"tags\":[null,\"b\"],\"version\":null}\n");
    assert!(!dir.root().join(".local").exists());
}

#[test]
fn guest_writes_the_component() {
    let dir = TestDir::new();
    let output = wardroom_command(dir.root()).arg("guest").output().unwrap();
    assert!(output.stdout == GUEST_COMPONENT && GUEST_COMPONENT.starts_with(b"\0asm"));
    // A missing folder may be a typing error.
    assert_eq!(run_wardroom(dir.root(), &["guest", "-o", "out/guest.wasm"]).status, 1);
    assert!(!dir.root().join("out").exists());
    fs::create_dir(dir.root().join("out")).unwrap();
    assert_eq!(run_wardroom(dir.root(), &["guest", "-o", "out/guest.wasm"]).expect_success(), "");
    assert!(fs::read(dir.root().join("out/guest.wasm")).unwrap() == GUEST_COMPONENT);
    assert_snapshot!(
        "guest_fails",
        run_wardroom(dir.root(), &["guest", "-o", "/proc/none/x"]).snapshot_text(dir.root())
    );
}

/// The slave side of a pseudo-terminal is a terminal, too.
#[cfg(target_os = "linux")]
#[test]
fn guest_to_terminal_is_refused() {
    let dir = TestDir::new();
    let terminal = fs::File::options().read(true).write(true).open("/dev/ptmx").unwrap();
    let output = wardroom_command(dir.root()).arg("guest").stdout(terminal).output().unwrap();
    let words = "error: the component is binary, and standard output is a terminal\nhint: run wardroom guest --output wardroom.wasm to write it to a file\n";
    assert_eq!((output.status.code(), String::from_utf8(output.stderr).unwrap()), (Some(1), words.to_owned()));
}

#[test]
fn guest_output_replaces_only_regular_files() {
    let dir = TestDir::new();
    let path = |name: &str| dir.root().join(name);
    fs::write(path("old.wasm"), "old").unwrap();
    fs::write(path("target"), "kept").unwrap();
    fs::create_dir(path("folder")).unwrap();
    std::os::unix::fs::symlink("target", path("link")).unwrap();
    std::os::unix::fs::symlink("nowhere", path("dangling")).unwrap();
    assert_eq!(run_wardroom(dir.root(), &["guest", "-o", "old.wasm"]).expect_success(), "");
    assert!(fs::read(path("old.wasm")).unwrap() == GUEST_COMPONENT);
    for name in ["link", "dangling", "folder", "/dev/null"] {
        let refused = run_wardroom(dir.root(), &["guest", "-o", name]);
        let message = format!(
            "error: cannot write the component: not a regular file: {name}\nhint: name another file with --output FILE; its folder must exist\n"
        );
        assert_eq!((refused.status, refused.stderr), (1, message));
    }
    assert!(fs::symlink_metadata(path("link")).unwrap().is_symlink());
    assert_eq!(fs::read_to_string(path("target")).unwrap(), "kept");
    assert!(!path("nowhere").exists());
}
