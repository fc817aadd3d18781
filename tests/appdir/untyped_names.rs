//! A file system that reports names without saying what they are, as some of networks do: packages and cards are listed all the same.
//!
//! Such a disk requires `mkfs.ext4` and a superuser who may mount it. Without them the test says so and passes.

use std::fs::File;
use std::process::{Command, Stdio};

use wardroom_test_support::{TestDir, run_command, skip, wardroom_command};

/// The shell's script in a mount namespace of its own: it mounts the disk `$1` at `$2`, and then runs the remaining arguments.
const MOUNT: &str = "mount -o loop \"$1\" \"$2\" && shift 2 && exec \"$@\"";

#[test]
fn names_without_a_type_are_listed() {
    let dir = TestDir::new();
    dir.write_file("packages/cot/init.lua", "return { meta = { name = \"cot\" } }\n");
    dir.write_file("cards/cot/cot_1.toml", "card_id = \"cot_1\"\n");
    dir.write_file("logs/s.json", "{}");
    dir.write_file("config.toml", "[alc]\nenumerate = true\n");
    let (disk, place) = (dir.root().join("disk"), dir.root().join("mounted"));
    File::create(&disk).unwrap().set_len(16 << 20).unwrap();
    std::fs::create_dir(&place).unwrap();
    let mut format = Command::new("/usr/sbin/mkfs.ext4");
    format.args(["-q", "-O", "^filetype,^has_journal", "-d"]).arg(dir.app_path()).arg(&disk);
    if !format.stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
        skip("names without a type: there is no mkfs.ext4");
        return;
    }
    let mounted = |program: &Command| {
        let mut command = Command::new("unshare");
        command.args(["--mount", "sh", "-c", MOUNT, "sh"]).args([&disk, &place]);
        command.arg(program.get_program()).args(program.get_args());
        command.envs(program.get_envs().filter_map(|(name, value)| Some((name, value?))));
        command
    };
    if !mounted(&Command::new("true")).stderr(Stdio::null()).status().is_ok_and(|status| status.success()) {
        skip("names without a type: this process may not mount a disk");
        return;
    }
    let run = |args: &[&str]| {
        let mut program = wardroom_command(dir.root());
        program.arg("--config").arg(dir.app_path().join("config.toml")).arg("--appdir").arg(&place).args(args);
        run_command(&mut mounted(&program)).expect_success()
    };
    let listed = run(&["ls"]);
    for uri in ["alc://packages/cot/meta", "alc://cards/cot_1", "alc://logs/s"] {
        assert!(listed.contains(uri), "{uri}: {listed}");
    }
    assert!(run(&["call", "alc_card_list"]).contains("cot_1"));
    assert!(run(&["call", "alc_pkg_list"]).contains("cot"));
}
