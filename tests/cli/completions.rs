//! `wardroom completions`.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};

use wardroom_docs::PAGES;

use wardroom_test_support::{TestDir, run_wardroom};

#[test]
fn completions_name_every_command_in_every_shell() {
    let dir = TestDir::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = run_wardroom(dir.root(), &["completions", shell]).expect_success();
        for word in ["wardroom", "serve", "init", "extract", "doctor", "import-links", "log-format"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn completions_work_without_home_and_valid_config() {
    let dir = TestDir::new();
    std::fs::create_dir_all(dir.root().join(".config/wardroom")).unwrap();
    std::fs::write(dir.root().join(".config/wardroom/config.toml"), "wrong").unwrap();
    assert!(run_wardroom(dir.root(), &["completions", "bash"]).expect_success().contains("_wardroom"));
}

/// The completions of bash for the last of these words.
fn completed(script: &str, words: &[&str]) -> Vec<String> {
    let mut shell = Command::new("bash");
    let ask = "source /dev/stdin; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); \
               _wardroom wardroom \"${COMP_WORDS[COMP_CWORD]}\" \"${COMP_WORDS[COMP_CWORD-1]}\"; printf '%s\\n' \"${COMPREPLY[@]}\"";
    shell.args(["--norc", "-c", ask, "bash"]).args(words).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = shell.spawn().unwrap();
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success(), "{words:?}");
    String::from_utf8(done.stdout).unwrap().lines().filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[test]
fn bash_completes_visible_commands_only() {
    let dir = TestDir::new();
    let script = run_wardroom(dir.root(), &["completions", "bash"]).expect_success();
    let offered = |words: &[&str]| completed(&script, words);
    let flags = |words: &[String]| words.iter().filter(|word| !word.starts_with('-')).cloned().collect::<Vec<_>>();
    let root = offered(&["wardroom", ""]);
    assert!(root.contains(&"doctor".to_owned()) && root.contains(&"--version".to_owned()), "{root:?}");
    let topics: BTreeSet<String> = flags(&offered(&["wardroom", "help", ""])).into_iter().collect();
    let pages = PAGES.iter().map(|page| page.name.to_owned());
    assert_eq!(topics, pages.chain(flags(&root)).collect());
    assert_eq!(offered(&["wardroom", "--service", "re"]), ["resources", "registry"]);
    assert_eq!(offered(&["wardroom", "ls", "--service", "al"]), ["alc"]);
    assert_eq!(offered(&["wardroom", "agents", "pr"]), ["print"]);
    assert_eq!(offered(&["wardroom", "agents", "print", "claude_c"]), ["claude_code"]);
    for hidden in ["spawner", "helper", "lua-worker", "worker-walls"] {
        assert_eq!(offered(&["wardroom", hidden]), [""; 0], "{hidden}");
        for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
            let script = run_wardroom(dir.root(), &["completions", shell]).expect_success();
            assert!(!script.contains(hidden), "{shell}: {hidden}");
        }
    }
}
