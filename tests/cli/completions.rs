//! `wardroom completions`.

use crate::support::{TestDir, wardroom};

#[test]
fn every_shell_has_completions_that_name_every_command() {
    let dir = TestDir::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = wardroom(dir.outside(), &["completions", shell]).ok();
        for word in ["wardroom", "serve", "init", "extract", "doctor", "import-links", "log-format"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
}

#[test]
fn completions_need_neither_a_home_nor_a_configuration_that_is_right() {
    let dir = TestDir::new();
    std::fs::create_dir_all(dir.outside().join(".config/wardroom")).unwrap();
    std::fs::write(dir.outside().join(".config/wardroom/config.toml"), "wrong").unwrap();
    assert!(wardroom(dir.outside(), &["completions", "bash"]).ok().contains("_wardroom"));
}
