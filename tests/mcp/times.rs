//! Files with times outside the calendar. Most file systems change such a time; tmpfs keeps it.

use std::fs;
use std::path::Path;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use serde_json::json;

use wardroom_test_support::{ClientRevision, StdioClient, TestDir, run_wardroom};

const URIS: [&str; 8] = [
    "alc://types/alc.d.lua",
    "alc://packages/cot/init.lua",
    "alc://packages/cot/meta",
    "alc://cards/cot_opus46_20261121T090000_1a2b3c",
    "alc://cards/cot_opus46_20261121T090000_1a2b3c/samples",
    "alc://scenarios/math_basic",
    "alc://eval/cot_1763715600",
    "alc://logs/s-18a1b2c3d4e5f-0123456789abcdef",
];

fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files_below(&path) } else { vec![path] }).collect()
}

#[test]
fn file_with_any_time_is_listed_and_read() {
    const FAR: Duration = Duration::from_secs(i64::MAX as u64 / 2);
    let memory = Path::new("/dev/shm");
    if !memory.is_dir() {
        return wardroom_test_support::skip(&format!("there is no file system in memory at {}", memory.display()));
    }
    let dir = TestDir::new_demo_in(memory);
    let after_calendars = UNIX_EPOCH + Duration::from_secs(1 << 53);
    let first = UNIX_EPOCH - Duration::from_secs(1 << 63);
    let times: [SystemTime; 6] =
        [UNIX_EPOCH + FAR, after_calendars, UNIX_EPOCH - Duration::from_nanos(1), UNIX_EPOCH - FAR, first, UNIX_EPOCH];
    let config = dir.root().join("config.toml");
    fs::write(&config, "[alc]\nenumerate = true\n").unwrap();
    for time in times {
        for file in files_below(&dir.app_path()) {
            let file = fs::File::open(file).unwrap();
            file.set_modified(time).unwrap();
            assert_eq!(file.metadata().unwrap().modified().unwrap(), time, "the file system bends it");
        }
        let mut client = StdioClient::start(&dir, ClientRevision::Modern);
        let listed = client.call("resources/list", json!({}));
        assert_eq!(listed["result"]["resources"].as_array().map(Vec::len), Some(16), "{listed}");
        // The second read is answered from the cache that the first one filled.
        for uri in URIS.iter().chain(&URIS) {
            let content = client.read_resource(uri).unwrap();
            let known = time == UNIX_EPOCH && !uri.ends_with("/samples");
            assert_eq!(content["_meta"]["lastModified"].as_str(), known.then_some("1970-01-01T00:00:00Z"), "{uri}");
        }
        let mut client = StdioClient::start_with(&dir, ClientRevision::Modern, &["--config", config.to_str().unwrap()]);
        let listed = client.call("resources/list", json!({}));
        assert!(listed["result"]["resources"].as_array().is_some_and(|all| all.len() > 8), "{listed}");
        let app = dir.app_path().display().to_string();
        run_wardroom(dir.root(), &["--appdir", &app, "doctor"]).expect_success();
        run_wardroom(dir.root(), &["--appdir", &app, "ls"]).expect_success();
    }
}
