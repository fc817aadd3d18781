//! Tests of the crate that edits other programs' configuration: the text edits first, then the files.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]

mod files;
mod json;
mod paths;
mod toml;
mod tools;

use std::collections::BTreeMap;

use wardroom_agents::{
    Agent, ConfigTarget, EditError, EntryChange, EntrySpec, InstalledEntry, LaunchCommand, OwnPrograms,
    PathEnvironment, Platform, ServerName, edit_entry, find_agent, find_entry, render_snippet,
};

/// The program of these tests.
const PROGRAM: &str = "/opt/bin/wardroom";

fn launch(args: &[&str]) -> LaunchCommand {
    LaunchCommand { command: PROGRAM.to_owned(), args: args.iter().map(|arg| (*arg).to_owned()).collect() }
}

fn own_programs() -> OwnPrograms {
    OwnPrograms { programs: vec![PROGRAM.to_owned()], search_path: String::new() }
}

fn known(id: &str) -> &'static Agent {
    find_agent(id).unwrap()
}

/// Returns the first file of an agent.
fn target(id: &str) -> &'static ConfigTarget {
    &known(id).targets[0]
}

fn with<T>(target: &'static ConfigTarget, force: bool, run: impl FnOnce(&EntrySpec<'_>) -> T) -> T {
    let (name, own_programs) = (ServerName::parse("wardroom").unwrap(), own_programs());
    run(&EntrySpec { target, name: &name, own_programs: &own_programs, force })
}

fn installed(target: &'static ConfigTarget, text: &str) -> Result<Option<String>, EditError> {
    with(target, false, |wanted| edit_entry(text, wanted, EntryChange::Install(&launch(&["--service", "alc"]))))
}

fn uninstalled(target: &'static ConfigTarget, text: &str) -> Result<Option<String>, EditError> {
    with(target, false, |wanted| edit_entry(text, wanted, EntryChange::Uninstall))
}

/// Applies a change that may also touch another program's entry.
#[track_caller]
fn forced(target: &'static ConfigTarget, text: &str, change: EntryChange<'_>) -> String {
    with(target, true, |wanted| edit_entry(text, wanted, change)).unwrap().unwrap()
}

fn found(target: &'static ConfigTarget, text: &str) -> Result<Option<LaunchCommand>, EditError> {
    with(target, false, |wanted| find_entry(text, wanted)).map(|found| found.map(|found| found.launch))
}

/// Returns the entry that the text has.
fn entry(id: &str, text: &str) -> InstalledEntry {
    with(target(id), false, |wanted| find_entry(text, wanted)).unwrap().unwrap()
}

/// Installs into `before`, and again: the second time changes nothing.
#[track_caller]
fn check_install(target: &'static ConfigTarget, before: &str, expected: &str) {
    let after = installed(target, before).unwrap().unwrap();
    assert_eq!(after, expected);
    assert_eq!(installed(target, &after), Ok(None), "a second time");
    assert_eq!(found(target, &after), Ok(Some(launch(&["--service", "alc"]))));
}

/// Checks an install as [`check_install`] does, and that uninstalling restores the file.
#[track_caller]
fn check_round(target: &'static ConfigTarget, before: &str, expected: &str) {
    check_install(target, before, expected);
    assert_eq!(uninstalled(target, expected).unwrap().as_deref(), Some(before), "and back");
    assert_eq!(uninstalled(target, before), Ok(None), "nothing to take away");
}

/// Checks that files are refused unchanged, each with the number of the malformed line.
#[track_caller]
fn check_refused(rows: &[(&str, &str, usize)]) {
    for &(id, text, expected) in rows {
        for error in [installed(target(id), text).unwrap_err(), uninstalled(target(id), text).unwrap_err()] {
            let (EditError::Malformed { line, .. }
            | EditError::DuplicateKey { line, .. }
            | EditError::UnexpectedType { line, .. }) = error
            else {
                panic!("{text}: {error}")
            };
            assert_eq!(line, expected, "{text}: {error}");
        }
    }
}

#[test]
fn printed_snippet_equals_written_entry() {
    for agent in wardroom_agents::AGENTS {
        for target in agent.targets {
            let printed = with(target, false, |wanted| render_snippet(wanted, &launch(&["--service", "alc"])));
            let written = installed(target, "").unwrap().unwrap();
            assert_eq!(printed, written.trim_end(), "{}", target.title);
        }
    }
}

#[test]
fn agent_ids_are_unique_and_files_exist_on_some_platform() {
    let mut ids: Vec<_> = wardroom_agents::AGENTS.iter().map(|agent| agent.id).collect();
    assert!(ids.iter().all(|id| id.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')), "{ids:?}");
    let all = ids.len();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), all);
    for target in wardroom_agents::AGENTS.iter().flat_map(|agent| agent.targets) {
        let is_on = |system| {
            let home = if system == Platform::Windows { "C:\\Users\\ada" } else { "/home/ada" };
            !target
                .candidate_paths(&PathEnvironment {
                    platform: system,
                    home: home.to_owned(),
                    variables: BTreeMap::new(),
                })
                .is_empty()
        };
        assert!([Platform::Linux, Platform::MacOs, Platform::Windows].into_iter().any(is_on), "{}", target.title);
    }
}

#[test]
fn server_name_accepts_only_common_characters() {
    for name in ["wardroom", "alc", "a-b_C9"] {
        assert_eq!(ServerName::parse(name).unwrap().as_str(), name);
    }
    for name in ["", "a b", "a.b", "ä", "a\"b", "x]", "__proto__", &"a".repeat(65)] {
        assert!(ServerName::parse(name).is_err(), "{name:?}");
    }
}

#[test]
fn entry_has_environment_and_disabled_state() {
    let json = |more: &str| format!("{{\"mcpServers\": {{\"wardroom\": {{\"command\": \"wardroom\"{more}}}}}}}");
    let plain = entry("cursor", &json(""));
    assert!(plain.environment.is_empty() && !plain.is_disabled);
    let set = entry("cursor", &json(", \"env\": {\"A\": \"b\", \"n\": 1}, \"disabled\": true"));
    assert_eq!((set.environment, set.is_disabled), ([("A".to_owned(), "b".to_owned())].into(), true));
    let text = "[mcp_servers.wardroom]\ncommand = \"wardroom\"\nenabled = false\nenv = { A = \"b\" }\n";
    let set = entry("openai_codex", text);
    assert_eq!((set.environment, set.is_disabled), ([("A".to_owned(), "b".to_owned())].into(), true));
    let text =
        "{\"mcp\": {\"wardroom\": {\"command\": [\"wardroom\"], \"enabled\": false, \"environment\": {\"A\": \"b\"}}}}";
    let set = entry("opencode", text);
    assert_eq!((set.environment, set.is_disabled), ([("A".to_owned(), "b".to_owned())].into(), true));
}

/// An existing program is identified by its content.
#[test]
fn existing_program_is_recognized_by_content() {
    let dir = tempfile::TempDir::new().unwrap();
    let path = |name: &str| dir.path().canonicalize().unwrap().join(name).display().to_string();
    for folder in ["own", "old", "other"] {
        std::fs::create_dir(path(folder)).unwrap();
    }
    let own = wardroom_test_support::wardroom_binary();
    std::fs::copy(own, path("own/wardroom")).unwrap();
    let own_programs = OwnPrograms { programs: vec![path("own/wardroom")], search_path: String::new() };
    std::os::unix::fs::symlink(path("own/wardroom"), path("linked")).unwrap();
    assert!(own_programs.is_own_command(&path("linked"), ""));
    // Another version of it, and another program of its name.
    std::fs::hard_link(own, path("old/wardroom"))
        .or_else(|_| std::fs::copy(own, path("old/wardroom")).map(drop))
        .unwrap();
    assert!(own_programs.is_own_command(&path("old/wardroom"), ""));
    std::fs::write(path("other/wardroom"), "#!/bin/sh\n").unwrap();
    assert!(!own_programs.is_own_command(&path("other/wardroom"), ""));
    // A bare name resolves to the first program that the system would start.
    let found = || own_programs.is_own_command("wardroom", &format!("{}:{}", path("other"), path("own")));
    assert!(found());
    std::fs::set_permissions(path("other/wardroom"), std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    assert!(!found());
    assert!(!own_programs.is_own_command("wardroom", &format!("relative:{}:{}", path("other"), path("own"))));
    assert!(own_programs.is_own_command("wardroom", &format!("{}:{}", path("missing"), path("old"))));
    assert!(own_programs.is_own_command("wardroom", &path("missing")));
    // A missing program of our name counts as ours.
    std::fs::remove_file(path("other/wardroom")).unwrap();
    assert!(own_programs.is_own_command(&path("other/wardroom"), ""));
}

#[test]
fn missing_program_is_recognized_by_path_or_name() {
    let own_programs = OwnPrograms { programs: vec!["/opt/bin/renamed".to_owned()], search_path: String::new() };
    for ours in ["/opt/bin/renamed", "wardroom", "/old/place/wardroom", r"C:\Tools\Wardroom.exe"] {
        assert!(own_programs.is_own_command(ours, ""), "{ours}");
    }
    for other in [
        "",
        "npx",
        "/opt/bin/other",
        "/opt/wardroom/other",
        "wardroom-like",
        "/opt/bin/wardroom/",
        "./wardroom",
        "bin/wardroom",
    ] {
        assert!(!own_programs.is_own_command(other, ""), "{other}");
    }
}
