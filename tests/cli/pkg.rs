//! `wardroom pkg`: packages from a folder, and from a repository with a fake git.

use std::fs;

use serde_json::{Value, json};

use wardroom_test_support::{self, CommandOutput, TestDir, run_command, run_wardroom, wardroom_command};

fn new_home() -> TestDir {
    let dir = TestDir::new();
    for name in ["one", "many/two", "many/three"] {
        let at = dir.root().join("src").join(name);
        fs::create_dir_all(&at).unwrap();
        let last = name.rsplit('/').next().unwrap();
        fs::write(at.join("init.lua"), format!("return {{ meta = {{ name = '{last}', version = '0.1.0' }} }}"))
            .unwrap();
        fs::write(at.join("m.lua"), "return 1").unwrap();
    }
    dir
}

fn pkg(dir: &TestDir, args: &[&str]) -> CommandOutput {
    let app = dir.app_path().display().to_string();
    run_wardroom(dir.root(), &[&["--appdir", &app, "pkg"], args].concat())
}

#[test]
fn installed_package_is_listed_until_removed() {
    let dir = new_home();
    assert_eq!(pkg(&dir, &["install", "./src/one"]).expect_success(), "installed one\n");
    assert_eq!(pkg(&dir, &["install", "src/many"]).expect_success(), "installed three\ninstalled two\n");
    assert_eq!(pkg(&dir, &["install", "src/one", "again"]).expect_success(), "installed again\n");
    assert_eq!(pkg(&dir, &["install", "./src/one"]).expect_success(), "updated one\n");
    let named = pkg(&dir, &["install", "./src/many", "again"]);
    assert!(
        named.status == 1 && named.stderr.contains("is no package, and what is in it has names of its own"),
        "{named:?}"
    );
    let missing = pkg(&dir, &["install", "src/none"]);
    assert!(missing.stderr.contains(", and there is no folder src/none\n"), "{missing:?}");
    let listed = pkg(&dir, &["list"]).expect_success();
    let names: Vec<&str> = listed.lines().map(|line| line.split_whitespace().next().unwrap()).collect();
    assert_eq!(names, ["again", "one", "three", "two"]);
    let json: Value = serde_json::from_str(&pkg(&dir, &["list", "--json"]).expect_success()).unwrap();
    assert_eq!((&json["total"], &json["packages"][0]["version"]), (&json!(4), &json!("0.1.0")));
    assert_eq!(pkg(&dir, &["remove", "one"]).expect_success(), "removed one\n");
    assert!(!dir.app_path().join("packages/one").exists());
    let manifest = fs::read_to_string(dir.app_path().join("packages/installed.json")).unwrap();
    assert!(!manifest.contains("\"one\""), "{manifest}");
    let again = pkg(&dir, &["remove", "one"]);
    assert_eq!(again.status, 1);
    assert!(again.stderr.starts_with("error: no package one is installed in packages\nhint: "), "{}", again.stderr);
    assert_eq!(pkg(&dir, &["remove", "../app"]).status, 1);
    assert!(dir.app_path().join("packages/two/m.lua").exists());
}

#[test]
fn package_that_is_no_lua_is_named_when_it_is_installed_and_listed() {
    let dir = new_home();
    fs::write(dir.root().join("src/many/two/init.lua"), "return {{ meta").unwrap();
    let installed = pkg(&dir, &["install", "src/many"]);
    assert!(installed.stderr.contains("warning: two is broken: "), "{installed:?}");
    assert!(!installed.stderr.contains("three"), "{installed:?}");
    let listed = pkg(&dir, &["list"]).expect_success();
    let row = listed.lines().find(|line| line.starts_with("two ")).unwrap();
    assert!(row.contains("broken: ") && listed.matches("broken").count() == 1, "{listed}");
}

#[test]
fn package_without_a_record_is_lost_only_by_force() {
    let dir = new_home();
    let own = dir.app_path().join("packages/one");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("init.lua"), "return { meta = { name = 'one' } } -- mine").unwrap();
    for args in [&["remove", "one"][..], &["install", "./src/one"], &["install", "./src/many", "--json"]] {
        fs::create_dir_all(dir.app_path().join("packages/two")).unwrap();
        fs::write(dir.app_path().join("packages/two/init.lua"), "return {} -- mine").unwrap();
        let refused = pkg(&dir, args);
        if args[1] == "./src/many" {
            let done: Value = serde_json::from_str(&refused.expect_success()).unwrap();
            assert_eq!((&done["installed"], &done["skipped"]), (&json!(["three"]), &json!(["two"])));
        } else {
            let expected =
                "error: packages/one has no record of an installation: it may be the only copy\nhint: --force";
            assert!(refused.status == 1 && refused.stderr.starts_with(expected), "{refused:?}");
        }
        assert!(fs::read_to_string(own.join("init.lua")).unwrap().ends_with("-- mine"));
        assert!(fs::read_to_string(dir.app_path().join("packages/two/init.lua")).unwrap().ends_with("-- mine"));
    }
    // Nothing is lost where the same stands already, as after an installation that was killed before its record.
    fs::copy(dir.root().join("src/many/two/init.lua"), dir.app_path().join("packages/two/init.lua")).unwrap();
    assert!(pkg(&dir, &["install", "./src/many"]).expect_success().contains("kept, as it was there: two\n"));
    fs::copy(dir.root().join("src/many/two/m.lua"), dir.app_path().join("packages/two/m.lua")).unwrap();
    assert!(pkg(&dir, &["install", "./src/many"]).expect_success().contains("updated two\n"));
    assert_eq!(pkg(&dir, &["install", "./src/one", "--force"]).expect_success(), "updated one\n");
    assert_eq!(pkg(&dir, &["remove", "one"]).expect_success(), "removed one\n");
    fs::create_dir_all(own.join("notes")).unwrap();
    assert_eq!(pkg(&dir, &["remove", "one"]).status, 1);
    assert_eq!(pkg(&dir, &["remove", "one", "--force"]).expect_success(), "removed one\n");
    assert!(!own.exists());
}

#[test]
fn folder_around_the_app_dir_is_not_installed() {
    let dir = TestDir::new();
    fs::write(dir.root().join("init.lua"), "return {}").unwrap();
    std::os::unix::fs::symlink(dir.root(), dir.app_path().join("up")).unwrap();
    for from in [dir.root().to_path_buf(), dir.app_path(), dir.app_path().join("up")] {
        let refused = pkg(&dir, &["install", &from.display().to_string()]);
        assert!(refused.status == 1 && refused.stderr.contains("contains the AppDir"), "{refused:?}");
    }
    let listed: Value = serde_json::from_str(&pkg(&dir, &["list", "--json"]).expect_success()).unwrap();
    assert_eq!(listed["total"], 0);
}

#[test]
fn refused_packages_are_reported_and_others_installed() {
    let dir = new_home();
    std::os::unix::fs::symlink("/etc/passwd", dir.root().join("src/many/two/out")).unwrap();
    let finished = pkg(&dir, &["install", "src/many", "--json"]);
    assert_eq!(finished.status, 1);
    assert!(finished.stderr.contains("1 package was not installed"), "{}", finished.stderr);
    let done: Value = serde_json::from_str(&finished.stdout).unwrap();
    assert_eq!((&done["installed"], &done["failures"][0]["code"]), (&json!(["three"]), &json!("LEAVES_TREE")));
    let missing = pkg(&dir, &["install", "./nowhere"]);
    assert_eq!(missing.status, 1);
    let app = dir.app_path().display().to_string();
    let refused = run_wardroom(dir.root(), &["--appdir", &app, "--read-only", "pkg", "install", "./src/one"]);
    assert!(refused.stderr.contains("--read-only"), "{}", refused.stderr);
    assert!(!dir.app_path().join("packages/one").exists());
}

#[test]
fn repository_url_must_be_https() {
    let dir = new_home();
    for url in [
        "http://example.org/a",
        "ssh://example.org/a",
        "git@example.org:a/b",
        "file:///etc",
        "ext::sh -c id",
        "https://user:secret@example.org/a",
        "https:///a",
        "https://example.org",
        "https://exam ple.org/a",
        "no-host/a",
    ] {
        let finished = pkg(&dir, &["install", url]);
        assert_eq!(finished.status, 1, "{url}");
        assert!(finished.stderr.starts_with("error: cannot install from that address: "), "{url}: {}", finished.stderr);
        assert!(!finished.stderr.contains("secret"), "{}", finished.stderr);
    }
}

/// Installs with `script` in place of git; its last argument is the target of the clone.
fn with_git(dir: &TestDir, script: &str) -> CommandOutput {
    let bin = dir.root().join("bin");
    fs::create_dir_all(&bin).unwrap();
    let version = "if [ \"$1\" = --version ]; then echo git version 2.50.0; exit; fi";
    wardroom_test_support::write_script(
        &bin.join("git"),
        &format!("#!/bin/sh\n{version}\nfor into; do :; done\n{script}\n"),
    );
    let mut command = wardroom_command(dir.root());
    command.env("PATH", format!("{}:/usr/bin:/bin", bin.display())).env("GIT_SSL_NO_VERIFY", "1").env("SECRET", "x");
    run_command(command.arg("--appdir").arg(dir.app_path()).args([
        "pkg",
        "install",
        "example.org/strategies/fetched.git",
    ]))
}

#[test]
fn repository_is_fetched_without_hooks_prompts_or_submodules() {
    let dir = new_home();
    let script = "echo \"$@\" > \"$into/said\"; env >> \"$into/said\"; mkdir -p \"$into/.git\"; echo x > \"$into/.git/config\"; echo 'return {}' > \"$into/init.lua\"";
    assert_eq!(with_git(&dir, script).expect_success(), "installed fetched\n");
    let said = dir.app_path().join("packages/fetched/said");
    let said = fs::read_to_string(said).unwrap();
    for wanted in [
        "-c protocol.allow=never -c protocol.https.allow=always -c core.hooksPath=/dev/null",
        "--depth=1",
        "--no-recurse-submodules",
        "--template=",
        "-- https://example.org/strategies/fetched.git .",
        "GIT_TERMINAL_PROMPT=0",
        "GIT_CONFIG_GLOBAL=/dev/null",
    ] {
        assert!(said.contains(wanted), "{wanted}: {said}");
    }
    assert!(!said.contains("GIT_SSL_NO_VERIFY") && !said.contains("SECRET"), "{said}");
    assert!(!dir.app_path().join("packages/fetched/.git").exists());
    let manifest = fs::read_to_string(dir.app_path().join("packages/installed.json")).unwrap();
    assert!(manifest.contains("https://example.org/strategies/fetched.git"), "{manifest}");
    assert!(fs::read_to_string(dir.app_path().join("packages/hub_registries.json")).unwrap().contains("pkg_install"));
    assert_eq!(fs::read_dir(dir.app_path().join("cache/git")).unwrap().count(), 0);
    // A package from a repository replaces no other one.
    let again = with_git(&dir, "echo 'return {}' > \"$into/init.lua\"");
    assert!(again.stderr.contains("Package 'fetched' already exists"), "{}", again.stderr);
}

#[test]
fn failed_or_oversized_clone_leaves_nothing() {
    let dir = new_home();
    let failed = with_git(&dir, "exit 3").stderr;
    assert!(failed.contains("git failed") && failed.contains("hint: check the address and the network"), "{failed}");
    // It would run past any timeout.
    let grows = "for n in 1 2 3; do truncate -s 200M \"$into/$n\"; done; sleep 1000";
    let finished = with_git(&dir, grows);
    assert!(finished.stderr.contains("the repository is too large: "), "{}", finished.stderr);
    let finished = with_git(&dir, "ln -s /etc \"$into/out\"; echo 'return {}' > \"$into/init.lua\"");
    assert!(finished.stderr.contains("leads outside"), "{}", finished.stderr);
    assert!(!dir.app_path().join("packages/fetched").exists());
    assert_eq!(fs::read_dir(dir.app_path().join("cache/git")).unwrap().count(), 0);
}
