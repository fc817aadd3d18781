//! That nothing of the server is in a worker's memory or among its descriptors.

use std::fs;
use std::io::{Read as _, Seek as _, SeekFrom};

use serde_json::json;

use super::server::{config, serving, started};
use wardroom_test_support::{TestDir, skip_without_wall};

const MAX_MAPPING_BYTES: usize = 1 << 30;

/// Returns the mapping of a process that has the text.
fn finds(process: i32, needle: &[u8]) -> Option<String> {
    let maps = fs::read_to_string(format!("/proc/{process}/maps")).unwrap();
    let mut memory = fs::File::open(format!("/proc/{process}/mem")).unwrap();
    for line in maps.lines().filter(|line| line.contains(" r")) {
        let (start, end) = line.split_once(' ').unwrap().0.split_once('-').unwrap();
        let number = |text| u64::from_str_radix(text, 16).unwrap();
        let length = usize::try_from(number(end) - number(start)).unwrap();
        // Address space that was reserved for guests.
        if length > MAX_MAPPING_BYTES {
            continue;
        }
        if memory.seek(SeekFrom::Start(number(start))).is_err() {
            continue;
        }
        // The kernel's own pages and reserved pages cannot be read, and the end of a mapping may have been unmapped meanwhile. The
        // part before counts.
        let mut bytes = Vec::new();
        let _unreadable = memory.by_ref().take(length as u64).read_to_end(&mut bytes);
        if memchr::memmem::find(&bytes, needle).is_some() {
            return Some(line.to_owned());
        }
    }
    None
}

#[test]
fn nothing_of_the_server_is_in_its_workers() {
    const WORD: &str = "canary-5b1d7f";
    let dir = TestDir::new_demo();
    config(&dir, &format!("[server]\nname = \"{WORD}-of-config\"\n"));
    let mut command = serving(&dir, &[]);
    command.env("WARDROOM_TEST", format!("{WORD}-of-environment"));
    let mut client = started(command);
    let answer = client.call(
        "tools/call",
        json!({"name": "alc_run", "arguments": {
        "code": "return alc.llm('p')", "ctx": {"secret": format!("{WORD}-of-context")}}}),
    );
    assert_eq!(answer["result"]["structuredContent"]["status"], "needs_response", "{answer:#}");
    let server = client.process_id().cast_signed();
    if fs::File::open(format!("/proc/{server}/mem")).is_err() {
        return skip_without_wall("the right to read another process's memory");
    }
    let canary = |place: &str| match place {
        "argument" => dir.app_path().to_str().unwrap().to_owned(),
        place => format!("{WORD}-of-{place}"),
    };
    for place in ["config", "argument", "environment", "context"] {
        assert!(finds(server, canary(place).as_bytes()).is_some(), "the server has no {place}");
    }
    let workers = client.grandchild_processes("lua-worker");
    let spawners = client.child_processes("spawner");
    assert!(!workers.is_empty() && spawners.len() == 1);
    for process in workers.iter().chain(&spawners) {
        for place in ["config", "argument", "environment"] {
            let found = finds(*process, canary(place).as_bytes());
            assert_eq!(found, None, "{place} in {process}");
        }
        let of = |number: &str| fs::read_link(format!("/proc/{process}/fd/{number}")).unwrap().display().to_string();
        assert!(of("0").starts_with("socket:"), "{}", of("0"));
        assert_eq!([of("1"), of("2")], ["/dev/null", "/dev/null"]);
    }
    // Another run's worker does not have the context of this one.
    let holders = workers.iter().filter(|worker| finds(**worker, canary("context").as_bytes()).is_some());
    assert_eq!(holders.count(), 1);
}
