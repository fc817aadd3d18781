//! Reads that are repeated at once: the server keeps their results, and gives none that a change made wrong.

use std::fs;
use std::os::unix::fs::symlink;
use std::time::Duration;

use serde_json::json;

use wardroom_test_support::{ClientRevision, HttpServer, StdioClient, TestDir, modern_request};

const SOURCE: &str = "alc://packages/cot/init.lua";

/// Reads often enough for the result to be kept.
fn read_repeatedly(client: &mut StdioClient, uri: &str) -> String {
    let texts: Vec<_> = (0..4).map(|_| client.read_resource(uri).unwrap()["text"].take()).collect();
    assert!(texts.windows(2).all(|pair| pair[0] == pair[1]), "{texts:?}");
    texts[0].as_str().unwrap().to_owned()
}

/// Returns how many folders a process watches.
fn watched_folders(process: u32) -> usize {
    let infos = fs::read_dir(format!("/proc/{process}/fdinfo")).unwrap();
    let infos = infos.filter_map(|entry| fs::read_to_string(entry.ok()?.path()).ok());
    infos.map(|info| info.lines().filter(|line| line.starts_with("inotify wd:")).count()).sum()
}

/// Folders that a service may begin to watch late, on a slow machine. A kept result needs more.
const WATCHED_LATE: usize = 1;

/// Starts a server, and returns how many folders it watches when its services are ready.
fn start_ready(dir: &TestDir, revision: ClientRevision) -> (StdioClient, usize) {
    let mut client = StdioClient::start(dir, revision);
    client.read_resource("alc://types/alc.d.lua").unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let watched = watched_folders(client.process_id());
    (client, watched)
}

fn source(text: &str) -> String {
    format!("return {{ meta = {{ name = \"cot\", description = \"{text}\" }} }}\n")
}

#[test]
fn every_change_shows_in_the_next_read() {
    for revision in [ClientRevision::Legacy, ClientRevision::Modern] {
        let dir = TestDir::new();
        let path = dir.write_package("cot", &source("first"));
        let mut client = StdioClient::start(&dir, revision);
        assert_eq!(read_repeatedly(&mut client, SOURCE), source("first"));
        let expect = |client: &mut StdioClient, text: &str| {
            assert_eq!(client.read_resource(SOURCE).unwrap()["text"], source(text));
            assert_eq!(read_repeatedly(client, SOURCE), source(text));
        };
        for round in 0..20 {
            fs::write(&path, source(&format!("in place {round}"))).unwrap();
            expect(&mut client, &format!("in place {round}"));
            let new = path.with_extension("new");
            fs::write(&new, source(&format!("renamed {round}"))).unwrap();
            fs::rename(&new, &path).unwrap();
            expect(&mut client, &format!("renamed {round}"));
        }
        let folder = path.parent().unwrap();
        let aside = dir.root().join("aside");
        fs::rename(folder, &aside).unwrap();
        assert!(client.read_resource(SOURCE).is_err(), "{revision:?}");
        fs::rename(&aside, folder).unwrap();
        expect(&mut client, "renamed 19");
        fs::remove_file(&path).unwrap();
        assert!(client.read_resource(SOURCE).is_err(), "{revision:?}");
    }
}

#[test]
fn folder_that_becomes_a_link_out_of_the_app_dir_is_not_read() {
    let dir = TestDir::new();
    let path = dir.write_package("cot", &source("inside"));
    let outside = dir.root().join("outside");
    fs::create_dir(&outside).unwrap();
    fs::write(outside.join("init.lua"), source("outside")).unwrap();
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    read_repeatedly(&mut client, SOURCE);
    let folder = path.parent().unwrap();
    fs::rename(folder, dir.root().join("aside")).unwrap();
    symlink(&outside, folder).unwrap();
    assert!(client.read_resource(SOURCE).is_err());
}

/// The system reports no change that is made through a name in another folder. A kept result ends by its age all the same.
#[test]
fn change_that_is_not_reported_shows_soon() {
    let dir = TestDir::new();
    let path = dir.write_package("cot", &source("first"));
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    read_repeatedly(&mut client, SOURCE);
    let other_name = dir.root().join("other.lua");
    fs::hard_link(&path, &other_name).unwrap();
    fs::write(&other_name, source("second")).unwrap();
    std::thread::sleep(Duration::from_millis(600));
    assert_eq!(client.read_resource(SOURCE).unwrap()["text"], source("second"));
}

#[test]
fn only_repeated_reads_watch_folders() {
    let dir = TestDir::new();
    dir.write_package("cot", &source("first"));
    let (mut client, before) = start_ready(&dir, ClientRevision::Modern);
    client.read_resource(SOURCE).unwrap();
    assert!(watched_folders(client.process_id()) <= before + WATCHED_LATE);
    // Two reads are repeated where no more than a quarter of a second lies between them.
    read_repeatedly(&mut client, SOURCE);
    let repeated = (0..40).any(|_| {
        read_repeatedly(&mut client, SOURCE);
        watched_folders(client.process_id()) > before + WATCHED_LATE
    });
    assert!(repeated);
}

/// Reads that fail, and those whose results are too long, leave no watch behind.
#[test]
fn reads_that_are_not_kept_watch_nothing() {
    let dir = TestDir::new();
    for number in 0..40 {
        dir.write_package(&format!("long{number}"), &source(&"x".repeat(70 * 1024)));
        fs::create_dir_all(dir.app_path().join(format!("packages/empty{number}"))).unwrap();
    }
    let (mut client, before) = start_ready(&dir, ClientRevision::Modern);
    for number in 0..40 {
        for _ in 0..3 {
            client.read_resource(&format!("alc://packages/long{number}/init.lua")).unwrap();
            client.read_resource(&format!("alc://packages/empty{number}/init.lua")).unwrap_err();
        }
    }
    assert!(watched_folders(client.process_id()) <= before + WATCHED_LATE);
}

/// An id that the decoder refuses is refused as well where the result is kept.
#[test]
fn reserved_text_is_refused() {
    let dir = TestDir::new();
    dir.write_package("cot", &source("first"));
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    read_repeatedly(&mut client, SOURCE);
    let params = format!("{{\"uri\":\"{SOURCE}\"}}");
    for _ in 0..4 {
        let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"resources/read\",\"params\":{params}}}");
        assert!(client.exchange(line)["result"].is_object());
    }
    let id = "{\"$serde_json::private::RawValue\":\"7\"}";
    let line = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"resources/read\",\"params\":{params}}}");
    assert_eq!(client.exchange(line)["error"]["code"], -32600);
}

/// A file with another name is read anew each time: it can change under that one unseen.
#[test]
fn linked_files_are_not_kept() {
    let dir = TestDir::new();
    let path = dir.write_package("cot", &source("first"));
    fs::hard_link(&path, dir.root().join("other.lua")).unwrap();
    let (mut client, before) = start_ready(&dir, ClientRevision::Modern);
    read_repeatedly(&mut client, SOURCE);
    fs::write(dir.root().join("other.lua"), source("second")).unwrap();
    assert_eq!(client.read_resource(SOURCE).unwrap()["text"], source("second"));
    assert!(watched_folders(client.process_id()) <= before + WATCHED_LATE);
}

#[test]
fn kept_result_answers_no_running_id_and_no_other_params() {
    let dir = TestDir::new();
    dir.write_package("cot", &source("first"));
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    read_repeatedly(&mut client, SOURCE);
    let slow = json!({"name": "alc_run", "arguments": {"code": "while true do end"}});
    let call = json!({"jsonrpc": "2.0", "id": 700, "method": "tools/call", "params": client.with_meta(slow)});
    let read = |client: &StdioClient, id: &serde_json::Value, uri: &str| {
        let params = client.with_meta(json!({"uri": uri}));
        json!({"jsonrpc": "2.0", "id": id, "method": "resources/read", "params": params})
    };
    client.send(&call);
    let same_id = read(&client, &json!(700), SOURCE);
    client.send(&same_id);
    let refused = client.receive();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(700), &json!(-32600)), "{refused}");
    for id in [json!("a \"quoted\" id"), json!(i64::MIN), json!("")] {
        let request = read(&client, &id, SOURCE);
        client.send(&request);
        assert_eq!(client.receive()["id"], id);
    }
    assert!(client.read_resource("alc://packages/cot/init.luu").is_err());
}

#[test]
fn callers_over_http_get_what_they_may_read() {
    const CONFIG: &str = "[http.endpoints.default]\npath = \"/mcp\"\ntokens = []\n\
                          [http.endpoints.few]\npath = \"/few\"\ntokens = []\nservices = [\"ace\"]\n";
    let dir = TestDir::new();
    let path = dir.write_package("cot", &source("0"));
    let server = HttpServer::start_with(&dir, CONFIG, &[]);
    let mut connection = server.connect();
    let mut read = |path: &str| connection.call_at(path, &[], "resources/read", json!({"uri": SOURCE})).json();
    for round in 0..20 {
        for _ in 0..4 {
            assert_eq!(read("/mcp")["result"]["contents"][0]["text"], source(&round.to_string()));
        }
        assert!(read("/few")["error"].is_object());
        fs::write(&path, source(&(round + 1).to_string())).unwrap();
    }
}

#[test]
fn headers_of_a_kept_read_are_checked() {
    let dir = TestDir::new();
    dir.write_package("cot", &source("first"));
    let server = HttpServer::start(&dir);
    let mut connection = server.connect();
    let (headers, body) = modern_request(7, "resources/read", json!({"uri": SOURCE}));
    for _ in 0..4 {
        assert_eq!(connection.post("/mcp", &headers, &body).status, 200);
    }
    for (name, value) in [
        ("mcp-name", "alc://packages/panel/init.lua"),
        ("mcp-method", "tools/call"),
        ("mcp-protocol-version", "2025-11-25"),
    ] {
        let changed =
            headers.iter().map(|(known, given)| (*known, if *known == name { value } else { given }.to_owned()));
        let reply = connection.post("/mcp", &changed.collect::<Vec<_>>(), &body);
        assert_eq!((reply.status, reply.error_code()), (400, -32020), "{name}");
        let fewer: Vec<_> = headers.iter().filter(|(known, _)| *known != name).cloned().collect();
        assert_eq!(connection.post("/mcp", &fewer, &body).status, 400, "{name}");
    }
}
