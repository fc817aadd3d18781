//! Package indexes, fetched by the real server: the results of a search, and the warnings when a source fails.

use std::fs;
use std::io::{self, Write};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};

use super::web::{Web, WebRequest, reply};
use super::{call, command, serving};
use wardroom_test_support::{ClientRevision, StdioClient, TestDir, wardroom_command};

fn index(names: &[&str]) -> String {
    let packages: Vec<Value> =
        names.iter().map(|name| json!({"name": name, "version": "9", "description": "far away"})).collect();
    json!({"schema_version": "hub_index/v0", "updated_at": "", "packages": packages}).to_string()
}

/// A web server with an index that can be changed, and an AppDir whose hub is that index.
struct Hub {
    dir: TestDir,
    web: Web,
    answer: Arc<Mutex<(u16, String)>>,
}

impl Hub {
    fn new() -> Self {
        let answer = Arc::new(Mutex::new((200, index(&["remote"]))));
        let current = Arc::clone(&answer);
        let web = Web::start(move |_: &WebRequest, out: &mut dyn Write| -> io::Result<()> {
            let (status, text) = current.lock().unwrap().clone();
            reply(out, status, &[], text)
        });
        let dir = TestDir::new();
        dir.write_file("config.toml", format!("[hub]\ncollection_url = \"{}\"\n", web.url("/hub_index.json")));
        Self { dir, web, answer }
    }

    fn answers(&self, status: u16, text: impl Into<String>) {
        *self.answer.lock().unwrap() = (status, text.into());
    }

    fn serving(&self) -> StdioClient {
        serving(&self.dir, &self.web, &format!("hub = true\nprivate = [\"{}\"]", self.web.host()))
    }

    fn cached(&self) -> Vec<std::path::PathBuf> {
        let Ok(entries) = fs::read_dir(self.dir.app_path().join("hub_cache")) else { return Vec::new() };
        entries.map(|entry| entry.unwrap().path()).collect()
    }

    fn age(&self, age: Duration) {
        let file = fs::File::options().write(true).open(&self.cached()[0]).unwrap();
        file.set_modified(SystemTime::now() - age).unwrap();
    }
}

fn search(client: &mut StdioClient) -> (Vec<String>, Vec<String>) {
    let found = call(client, "alc_hub_search", json!({}));
    let names = found["results"].as_array().unwrap_or_else(|| panic!("{found}")).iter();
    let names = names.map(|row| row["name"].as_str().unwrap().to_owned()).collect();
    let warnings = found["warnings"].as_array().into_iter().flatten();
    (names, warnings.map(|warning| warning.as_str().unwrap().to_owned()).collect())
}

#[test]
fn index_is_fetched_once_and_searched() {
    let hub = Hub::new();
    let mut client = hub.serving();
    assert_eq!(search(&mut client), (vec!["remote".to_owned()], vec![]));
    let info = call(&mut client, "alc_hub_info", json!({"pkg": "remote"}));
    assert_eq!((&info["pkg"]["version"], &info["pkg"]["installed"]), (&json!("9"), &json!(false)));
    assert_eq!(hub.web.paths(), ["/hub_index.json"]);
    // The file name that the original gives it, so that both share a cache.
    let name = hub.cached()[0].file_stem().unwrap().to_str().unwrap().to_owned();
    assert!(name.len() == 16 && name.chars().all(|c| c.is_ascii_hexdigit()), "{name}");
    // Another server on the same AppDir uses the cache too.
    assert_eq!(search(&mut hub.serving()).0, ["remote"]);
    assert_eq!(hub.web.connections(), 1);
    // After an hour the index is fetched again.
    hub.age(Duration::from_secs(2 * 60 * 60));
    hub.answers(200, index(&["remote", "newer"]));
    assert_eq!(search(&mut client), (vec!["newer".to_owned(), "remote".to_owned()], vec![]));
    assert_eq!(hub.web.connections(), 2);
    assert!(client.finish().0.success());
}

#[test]
fn failed_source_keeps_cache_and_is_not_retried_at_once() {
    let hub = Hub::new();
    assert_eq!(search(&mut hub.serving()).0, ["remote"]);
    hub.age(Duration::from_secs(90 * 60));
    hub.answers(500, "down");
    let mut client = hub.serving();
    for _ in 0..2 {
        let (names, warnings) = search(&mut client);
        assert_eq!(names, ["remote"]);
        let [warning] = warnings.as_slice() else { panic!("{warnings:?}") };
        assert!(warning.starts_with("https://localhost:") && warning.contains("the server answers 500"), "{warning}");
        assert!(warning.contains("fetched 90 minutes ago is searched"), "{warning}");
    }
    assert_eq!(hub.web.connections(), 2);
}

#[test]
fn invalid_index_is_not_cached() {
    let deep = format!("{{\"schema_version\":\"hub_index/v0\",\"packages\":{}{}}}", "[".repeat(200), "]".repeat(200));
    for (text, why) in [
        ("<html>", "not JSON"),
        ("{}", "not an index of the form hub_index/v0"),
        (r#"{"schema_version": "hub_index/v9", "packages": []}"#, "not an index of the form hub_index/v0"),
        (&deep, "nested deeper"),
        (&format!("{}{}", index(&["x"]), " ".repeat(4 * 1024 * 1024)), "larger than 4 MiB"),
    ] {
        let hub = Hub::new();
        hub.answers(200, text);
        let (names, warnings) = search(&mut hub.serving());
        assert!(names.is_empty() && hub.cached().is_empty(), "{why}");
        assert!(warnings.iter().any(|warning| warning.contains(why)), "{why}: {warnings:?}");
    }
}

#[test]
fn refused_source_hides_no_other_source() {
    let hub = Hub::new();
    // As they are recorded when a package is installed from another source; not all of them are index sources.
    let registries = [
        hub.web.url("/second.json"),
        format!("https://127.0.0.1:{}/third.json", hub.web.port()),
        "http://localhost/plain.json".to_owned(),
        "/a/folder".to_owned(),
    ];
    let registries: Vec<Value> = registries.iter().map(|source| json!({"source": source})).collect();
    hub.dir.write_file("packages/hub_registries.json", json!({"registries": registries}).to_string());
    let (names, warnings) = search(&mut hub.serving());
    assert_eq!(names, ["remote"]);
    let mut paths = hub.web.paths();
    paths.sort_unstable();
    assert_eq!(paths, ["/hub_index.json", "/second.json"]);
    let [warning] = warnings.as_slice() else { panic!("{warnings:?}") };
    assert!(
        warning.contains("127.0.0.1 is in a private network") && warning.contains("[network] private"),
        "{warning}"
    );
}

#[test]
fn disabled_hub_fetches_nothing() {
    let hub = Hub::new();
    for (network, args, why) in [
        ("", &[][..], "[network] hub = false"),
        ("git = false\nprivate = [\"localhost\"]", &[], "[network] hub = false"),
        ("hub = true\nprivate = [\"localhost\"]", &["--read-only"], "by a server that may write"),
    ] {
        let mut serving = command(&hub.dir, &hub.web, network);
        let mut client = StdioClient::spawn(
            {
                serving.args(args);
                serving
            },
            ClientRevision::Legacy,
        );
        client.initialize();
        let (_, warnings) = search(&mut client);
        assert!(warnings.iter().any(|warning| warning.contains(why)), "{warnings:?}");
        assert!(super::processes::helpers_of(client.process_id()).is_empty());
    }
    assert_eq!(hub.web.connections(), 0);
    // Without the host being allowed the index is not fetched either.
    let (_, warnings) = search(&mut serving(&hub.dir, &hub.web, "hub = true"));
    assert!(warnings[0].contains("[network] private"), "{warnings:?}");
    assert_eq!(hub.web.connections(), 0);
}

#[test]
fn config_accepts_only_host_names() {
    let dir = TestDir::new();
    for (key, host, said) in [
        ("[network]\nprivate", "https://x", "name the host alone"),
        ("[network]\nprivate", "*", "no * is allowed"),
        ("[network]\nprivate", "*.x.org", "no * is allowed"),
        ("[network]\nprivate", "", "not a host"),
        ("[network]\nprivate", "a b", "not a host"),
        ("[network]\nprivate", "--x", "not a host"),
        ("[network]\nprivate", "a:99999", "the port must be a number"),
        ("[network]\nprivate", "[::1]:x", "the port must be a number"),
        ("[registry]\nhosts", "https://api.example.org", "leave out https://"),
        ("[registry]\nhosts", "api.example.org/v1", "name the host alone"),
        ("[registry]\nhosts", "http://*.example.org:x", "the port must be a number"),
        ("[registry]\nhosts", "*api.example.org", "before the first dot"),
        ("[registry]\nhosts", "api.*.org", "no * is allowed"),
    ] {
        let file = dir.root().join("config.toml");
        fs::write(&file, format!("{key} = [{host:?}]\n")).unwrap();
        let finished = wardroom_test_support::run_command(
            wardroom_command(dir.root()).arg("--appdir").arg(dir.app_path()).args(["--config", "config.toml", "ls"]),
        );
        assert!(finished.status == 1 && finished.stderr.contains(said), "{host}: {}", finished.stderr);
    }
}
