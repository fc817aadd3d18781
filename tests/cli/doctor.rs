//! `wardroom doctor`: its findings and their hints.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;

use insta::assert_snapshot;
use serde_json::Value;
use wardroom_sandbox::{GUEST_COMPONENT, WASMTIME_VERSION};

use wardroom_test_support::{CommandOutput, TestDir, run_wardroom, wardroom_binary, wardroom_command};

fn run(dir: &TestDir, args: &[&str]) -> CommandOutput {
    let app = dir.app_path().display().to_string();
    run_wardroom(dir.root(), &[&["doctor", "--appdir", &app], args].concat())
}

fn check(name: &str, dir: &TestDir, finished: &CommandOutput) {
    let mut sheet = without_walls(&finished.snapshot_text(dir.root()));
    // The hash of the guest depends on the compiler.
    if let Some(at) = sheet.find("sha256 ") {
        sheet.replace_range(at + 7..at + 7 + 64, "<hash>");
    }
    let program = fs::canonicalize(wardroom_binary()).unwrap();
    let versions = format!("{}, wasmtime {WASMTIME_VERSION}, {}", env!("CARGO_PKG_VERSION"), program.display());
    let sheet =
        sheet.replace(&versions, "<versions and place>").replace(&format!("{} bytes", GUEST_COMPONENT.len()), "<size>");
    assert_snapshot!(name, sheet);
}

/// The walls depend on the kernel; `tests/confine` tests them.
fn without_walls(sheet: &str) -> String {
    let mut rest = String::new();
    let mut is_hint_of_wall = false;
    for line in sheet.lines() {
        let is_wall =
            ["process", "Landlock", "seccomp", "workers"].contains(&line.split_whitespace().nth(1).unwrap_or_default());
        is_hint_of_wall = is_wall || is_hint_of_wall && line.trim_start().starts_with("hint:");
        if !is_hint_of_wall {
            rest += &without_rows(line);
            rest.push('\n');
        }
    }
    rest
}

/// Removes the rows of walls from the JSON report, which is one line.
fn without_rows(line: &str) -> String {
    let Ok(Value::Array(rows)) = serde_json::from_str(line) else { return line.to_owned() };
    let is_wall = |row: &Value| ["process", "Landlock", "seccomp", "workers"].iter().any(|wall| row["check"] == *wall);
    Value::Array(rows.into_iter().filter(|row| !is_wall(row)).collect()).to_string()
}

fn config(dir: &TestDir, text: &str) {
    let folder = dir.root().join(".config/wardroom");
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("config.toml"), text).unwrap();
}

/// What a server over HTTP would refuse to start with, and what it would leave out.
#[test]
fn endpoints_and_mounts_of_every_kind_are_checked() {
    let token = format!("[http.tokens.a]\nsha256 = \"{}\"\n[http.endpoints.a]\npath = \"/a\"\n", "0".repeat(64));
    for (text, status, expected) in [
        (format!("{token}tokens = [\"a\"]\n"), 1, "no token is left for the endpoint /mcp"),
        ("[http.endpoints.x]\npath = \"/x\"\nservices = [\"nope\"]\n".to_owned(), 1, "names an unknown service: nope"),
        ("[mounts.x]\npath = \"/nope\"\nas = \"files\"\n".to_owned(), 0, "x is skipped: not found: /nope"),
        ("[mounts.x]\npath = \"/nope\"\nas = \"registry\"\n".to_owned(), 0, "x is skipped: not found: /nope"),
    ] {
        let dir = TestDir::new();
        config(&dir, &text);
        let found = run(&dir, &[]);
        assert!(found.status == status && found.stdout.contains(expected), "{text}: {found:?}");
    }
}

#[test]
fn valid_app_dir_has_no_problems() {
    let dir = TestDir::new_demo();
    check("good", &dir, &run(&dir, &[]));
    check("good_json", &dir, &run(&dir, &["--json"]));
    check("good_read_only", &dir, &run(&dir, &["--read-only"]));
}

#[test]
fn every_finding_has_a_hint() {
    let dir = TestDir::new_demo();
    dir.write_file("types/alc.d.lua", "-- an older one");
    fs::create_dir(dir.root().join("elsewhere")).unwrap();
    std::os::unix::fs::symlink(dir.root().join("elsewhere"), dir.app_path().join("packages/linked")).unwrap();
    for (name, target) in [("lost", "../../no/such/folder"), ("lost-inside", "no-such-package"), ("loop", "loop")] {
        std::os::unix::fs::symlink(target, dir.app_path().join("packages").join(name)).unwrap();
    }
    dir.write_package("broken", "return {");
    dir.write_package("ünï", "return {}");
    fs::create_dir(dir.app_path().join("packages/hollow")).unwrap();
    config(&dir, "[mounts.gone]\npath = \"/no/such/folder\"\nas = \"package\"\n");
    check("findings", &dir, &run(&dir, &[]));
    let rows: Vec<Value> = serde_json::from_str(&run(&dir, &["--json"]).expect_success()).unwrap();
    for row in rows {
        assert_eq!(row["state"] == "ok", row["hint"].is_null(), "{row}");
    }
}

#[test]
fn invalid_config_is_reported_and_other_checks_run() {
    let dir = TestDir::new_demo();
    config(&dir, "[server]\nnmae = 'x'\n");
    check("misread", &dir, &run(&dir, &[]));
    let named = run(&dir, &["--config", "no-such-file"]);
    assert_eq!(named.status, 1);
    assert!(named.stdout.contains("error    configuration  cannot read the configuration no-such-file: not found"));
}

#[test]
fn startup_failures_and_skipped_parts_are_reported() {
    let dir = TestDir::new_demo();
    check("unknown_service", &dir, &run(&dir, &["--service", "alc,weblog"]));
    let mut command = wardroom_command(dir.root());
    command.args(["doctor", "--appdir"]).arg(dir.app_path()).env("ALC_LOG_DIR", dir.root().join("none"));
    check("stale_log_dir", &dir, &wardroom_test_support::run_command(&mut command));
    check("no_project", &dir, &run(&dir, &["--project", "none"]));
}

#[test]
fn configuration_in_a_writable_folder_is_reported() {
    let dir = TestDir::new();
    config(&dir, "");
    fs::write(dir.root().join("alc.toml"), "").unwrap();
    let project = dir.root().display().to_string();
    let found = run(&dir, &["--project", &project]).stdout;
    assert!(
        found.contains("this server may write ") && found.contains("config.toml, which is in the project"),
        "{found}"
    );
    assert!(!run(&dir, &["--project", &project, "--read-only"]).stdout.contains("this server may write"));
}

#[test]
fn files_that_a_blog_leaves_out_are_counted() {
    let dir = TestDir::new();
    let row = |args: &[&str]| {
        let rows: Vec<Value> = serde_json::from_str(&run(&dir, &[args, &["--json"]].concat()).stdout).unwrap();
        rows.into_iter().find(|row| row["check"] == "blog").unwrap_or_default()
    };
    assert_eq!(row(&[]), Value::Null, "no blog");
    dir.write_file("blog/a.md", "---\ntitle: A\n---\n");
    let nothing = row(&[]);
    assert_eq!((&nothing["state"], &nothing["detail"]), (&"warning".into(), &"0 files".into()), "{nothing}");
    assert!(nothing["hint"].as_str().unwrap().contains("posts/YYYY/MM"), "{nothing}");
    dir.write_file("blog/posts/2024/03/a.md", "---\ntitle: A\nid: 01890c2e-1111-7000-8000-000000000001\n---\n");
    assert_eq!((row(&[])["state"].clone(), row(&[])["detail"].clone()), ("ok".into(), "1 file".into()));
    dir.write_file("blog/posts/2024/03/b.md", "---\ntitle: [\n---\n");
    let left_out = row(&[]);
    assert_eq!(left_out["detail"], "1 of 2 files left out", "{left_out}");
    assert!(left_out["hint"].as_str().unwrap().contains("blog check"), "{left_out}");
    assert_eq!(row(&["--service", "alc"]), Value::Null);
    assert_eq!(row(&["--read-only"])["detail"], "its files are not checked, since its index is not written");
}

#[test]
fn missing_app_dir_fails() {
    let dir = TestDir::new();
    fs::remove_dir(dir.app_path()).unwrap();
    check("missing", &dir, &run(&dir, &[]));
    assert!(!dir.app_path().exists());
}

#[test]
fn control_characters_in_names_are_escaped() {
    let dir = TestDir::new_demo();
    std::os::unix::fs::symlink("nowhere", dir.app_path().join("packages/a\n\u{1b}[2J\u{9b}1m\u{202e}b")).unwrap();
    for arguments in [&["doctor"][..], &["mount", "import-links", "--dry-run"]] {
        let app = dir.app_path().display().to_string();
        let finished = run_wardroom(dir.root(), &[&["--appdir", &app], arguments].concat());
        let said = format!("{}{}", finished.stdout, finished.stderr);
        assert!(!said.contains(['\u{1b}', '\u{9b}', '\u{202e}']) && !said.contains("a\n"), "{said}");
        if arguments == ["doctor"] {
            assert!(said.contains("a\\u{a}\\u{1b}[2J\\u{9b}1m\\u{202e}b"), "{said}");
        }
    }
}

#[test]
fn permissions_of_others_are_reported_and_taken() {
    let dir = TestDir::new_demo();
    let mode = |name: &str| fs::metadata(dir.app_path().join(name)).unwrap().permissions().mode() & 0o777;
    let open = |name: &str, mode| fs::set_permissions(dir.app_path().join(name), Permissions::from_mode(mode));
    // `init` gives others nothing.
    assert_eq!((mode("packages"), mode("packages/cot/init.lua")), (0o700, 0o600));
    open(".", 0o755).unwrap();
    open("packages/cot/init.lua", 0o644).unwrap();
    let reported = run(&dir, &[]);
    assert!(reported.stdout.contains("others have permissions on 2 entries"), "{}", reported.stdout);
    let fixed = run(&dir, &["--fix"]);
    assert!(fixed.stderr.contains("permissions of 2 entries changed"), "{}", fixed.stderr);
    assert!(fixed.stdout.contains("the owner's alone"), "{}", fixed.stdout);
    assert_eq!((mode("."), mode("packages/cot/init.lua")), (0o700, 0o600));
    // A mistyped path changes nothing.
    let site = TestDir::new();
    site.write_file("index.html", "");
    let refused = run(&site, &["--fix"]);
    assert!(refused.stderr.contains("does not look like an AppDir"), "{}", refused.stderr);
    let refused = run(&dir, &["--fix", "--read-only"]);
    assert!(refused.stderr.contains("cannot change the permissions"), "{}", refused.stderr);
}

#[test]
fn folder_with_a_reserved_name_is_reported_and_removed() {
    let dir = TestDir::new_demo();
    dir.write_file("packages/hub_index.json/init.lua", "return {}");
    dir.write_file("cards/_aliases.toml/x.toml", "");
    let reported = run(&dir, &[]).stdout;
    assert!(reported.contains("packages/hub_index.json is a folder where"), "{reported}");
    assert!(reported.contains("pkg remove hub_index.json") && reported.contains("cards/_aliases.toml"), "{reported}");
    let app = dir.app_path().display().to_string();
    run_wardroom(dir.root(), &["pkg", "remove", "hub_index.json", "--appdir", &app]).expect_success();
    assert!(!run(&dir, &[]).stdout.contains("hub_index.json"));
}
