//! Help, version, and the errors for wrong arguments.

use insta::assert_snapshot;

use wardroom_test_support::{TestDir, run_wardroom};

fn check(name: &str, args: &[&str]) {
    let dir = TestDir::new();
    assert_snapshot!(name, run_wardroom(dir.root(), args).snapshot_text(dir.root()));
}

#[test]
fn help_output_matches_snapshot() {
    check("help", &["--help"]);
    for command in ["serve", "init", "ls", "read", "extract", "mount", "pkg", "doctor", "guest", "completions"] {
        let dir = TestDir::new();
        let finished = run_wardroom(dir.root(), &[command, "--help"]);
        assert_eq!((finished.status, finished.stderr.as_str()), (0, ""), "{command}");
        assert!(finished.stdout.contains(&format!("Usage: wardroom {command}")), "{}", finished.stdout);
    }
}

#[test]
fn version_flag_prints_version() {
    let dir = TestDir::new();
    let finished = run_wardroom(dir.root(), &["--version"]);
    assert_eq!(finished.expect_success(), format!("wardroom {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn usage_error_exits_2_with_empty_stdout() {
    let rows: [&[&str]; 8] = [
        &["--no-such-flag"],
        &["no-such-command"],
        &["read"],
        &["extract"],
        &["mount", "add", "name"],
        &["completions", "no-such-shell"],
        &["--log-format", "xml"],
        &["ls", "alc", "more"],
    ];
    let dir = TestDir::new();
    for args in rows {
        let finished = run_wardroom(dir.root(), args);
        assert_eq!((finished.status, finished.stdout.as_str()), (2, ""), "{args:?}");
        assert!(finished.stderr.starts_with("error: ") && finished.stderr.contains("--help"), "{}", finished.stderr);
    }
    assert_eq!(run_wardroom(dir.root(), &["mount"]).status, 2);
    check("usage_error", &["--no-such-flag"]);
}

#[test]
fn unknown_service_is_refused_with_known_names() {
    check("unknown_service", &["--service", "alc,weblog", "ls"]);
}

#[test]
fn mistyped_service_is_suggested() {
    let dir = TestDir::new();
    let refused = run_wardroom(dir.root(), &["--service", "alc,regsitry", "ls"]);
    assert_eq!(refused.status, 1);
    assert!(
        refused.stderr.contains("error: unknown service: regsitry\nhint: did you mean registry? the services are: ")
    );
}

#[test]
fn invalid_config_prevents_serving() {
    let rows = [
        ("unknown_key", "[server]\nnmae = \"x\"\n"),
        ("unknown_table", "\n[sever]\n"),
        ("wrong_type", "[services]\nenabled = \"alc\"\n"),
        ("relative_mount", "[mounts.x]\npath = \"here\"\nas = \"package\"\n"),
        ("bad_mount_name", "[mounts.\"../x\"]\npath = \"/\"\nas = \"package\"\n"),
        ("relative_blog", "[blog]\nroot = \"here\"\n"),
        ("relative_cache", "[cache]\ndir = \"here\"\n"),
        ("no_language", "[blog]\nlanguage = \"English\"\n"),
        ("no_address", "[blog]\npublic_url = \"site.example\"\n"),
        ("no_toml", "[server\n"),
    ];
    for (name, config) in rows {
        let dir = TestDir::new();
        let path = dir.root().join("config.toml");
        std::fs::write(&path, config).unwrap();
        let path = path.display().to_string();
        for command in ["serve", "ls"] {
            let finished = run_wardroom(dir.root(), &["--config", &path, command]);
            assert_eq!((finished.status, finished.stdout.as_str()), (1, ""), "{command}");
            assert_snapshot!(name, finished.snapshot_text(dir.root()));
        }
    }
    check("missing_config", &["--config", "no-such-file", "ls"]);
}

#[test]
fn commands_without_config_ignore_invalid_config() {
    let dir = TestDir::new();
    dir.write_package("x", "return { meta = { name = 'x' } }");
    let path = dir.root().join("config.toml");
    std::fs::write(&path, "[server\n").unwrap();
    let app = dir.app_path().display().to_string();
    let run = |args: &[&str]| {
        run_wardroom(dir.root(), &[&["--config", path.to_str().unwrap(), "--appdir", &app], args].concat())
    };
    assert_eq!(run(&["extract", "app/packages/x"]).expect_success(), "{\"name\":\"x\"}\n");
    assert_eq!(run(&["guest", "-o", "guest.wasm"]).expect_success(), "");
    run(&["completions", "bash"]).expect_success();
    run(&["init"]).expect_success();
    run(&["agents", "list"]).expect_success();
    run(&["agents", "status", "zed"]).expect_success();
    run(&["agents", "uninstall", "zed", "--yes"]).expect_success();
    assert_eq!(run(&["ls"]).status, 1);
    assert_eq!(run(&["agents", "print", "zed"]).status, 1);
}

#[test]
fn flags_have_one_default() {
    let dir = TestDir::new();
    let help = run_wardroom(dir.root(), &["--help"]).expect_success();
    for flag in help.split("\n      --") {
        assert!(flag.matches("[default: ").count() <= 1, "{flag}");
    }
}
