//! Each store alone, on a temporary folder and without the service.

use wardroom_alc::{Grant, OperatorSettings, PathGrants};
use wardroom_test_support::TestDir;

fn grants(dir: &TestDir) -> PathGrants {
    let operator = OperatorSettings { app_path: Some(dir.app_path()), ..OperatorSettings::default() };
    PathGrants::new(dir.open_app(), None, Vec::new(), Vec::new(), operator)
}

#[test]
fn path_grants_open_granted_folders_only() {
    let dir = TestDir::new();
    std::fs::create_dir(dir.app_path().join("mine")).unwrap();
    let grants = grants(&dir);
    let full = dir.app_path().join("mine").display().to_string();
    for granted in ["mine", "./mine", "x/../mine", full.as_str()] {
        assert!(grants.open_folder(granted, Grant::Read).is_ok(), "{granted}");
    }
    for (path, message) in [
        ("..", "wardroom mount add"),
        ("/", "wardroom mount add"),
        ("", "the path is empty"),
        ("other", "the folder other does not exist"),
    ] {
        let refused = grants.open_folder(path, Grant::Read).unwrap_err().to_string();
        assert!(refused.contains(message), "{path}: {refused}");
    }
}
