//! `wardroom doctor --shared`, with one file system twice. `docs/SCALING.md` says what it found on others.

use std::fs;

use wardroom_test_support::{TestDir, run_wardroom};

fn checked(dir: &TestDir, shared: &str, peer: &str) -> wardroom_test_support::CommandOutput {
    run_wardroom(dir.root(), &["doctor", "--shared", shared, "--peer", peer])
}

#[test]
fn local_file_system_passes_every_check_and_gets_no_stamp() {
    let dir = TestDir::new_demo();
    let app = dir.app_path().display().to_string();
    let found = checked(&dir, &app, &app);
    assert_eq!(found.status, 0, "{found:?}");
    let passed = found.stdout.lines().filter(|line| line.starts_with("ok ")).count();
    assert!(passed == 7 && found.stderr.contains("no stamp is written"), "{found:?}");
    let left: Vec<_> =
        fs::read_dir(dir.app_path().join("server")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert!(!left.iter().any(|name| name.to_string_lossy().contains("check")), "{left:?}");
    assert!(!dir.app_path().join("server/file-system.json").exists());
}

#[test]
fn two_folders_are_no_shared_one() {
    let (dir, other) = (TestDir::new_demo(), TestDir::new_demo());
    let refused = checked(&dir, &dir.app_path().display().to_string(), &other.app_path().display().to_string());
    assert_eq!(refused.status, 1);
    assert!(
        refused.stderr.contains("the two paths are not one folder") && refused.stderr.contains("hint: "),
        "{refused:?}"
    );
    let refused = checked(&dir, "/none", "/none");
    assert!(refused.status == 1 && refused.stderr.contains("cannot open /none"), "{refused:?}");
}

#[test]
fn doctor_says_whose_the_file_system_is() {
    let dir = TestDir::new_demo();
    let found = run_wardroom(dir.root(), &["doctor", "--appdir", &dir.app_path().display().to_string()]);
    assert!(
        found.stdout.lines().any(|line| line.contains("file system") && line.contains("this machine's alone")),
        "{found:?}"
    );
}
