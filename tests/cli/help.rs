//! `wardroom help`, and its pages as resources.

use std::fs;

use serde_json::{Value, json};
use wardroom_docs::PAGES;

use wardroom_test_support::{ClientRevision, HttpServer, StdioClient, TestDir, run_wardroom};

fn page(file: &str) -> String {
    fs::read_to_string(wardroom_test_support::workspace_root().join("docs").join(file)).unwrap()
}

fn help(args: &[&str]) -> wardroom_test_support::CommandOutput {
    let dir = TestDir::new();
    run_wardroom(dir.root(), &[&["help"], args].concat())
}

#[test]
fn every_page_has_a_line_and_is_shown_as_it_is() {
    let mut files: Vec<String> = fs::read_dir(wardroom_test_support::workspace_root().join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        // Pictures have a folder of their own.
        .filter(|name| name != "pictures")
        .collect();
    files.sort();
    let named: Vec<String> = PAGES.iter().map(|page| format!("{}.md", page.name.to_uppercase())).collect();
    assert_eq!(named, files);
    let listed = help(&[]);
    assert_eq!((listed.status, listed.stdout.lines().count()), (0, PAGES.len()));
    for (row, (file, known)) in listed.stdout.lines().zip(files.iter().zip(PAGES)) {
        assert_eq!(row.split_once(' ').unwrap().0, known.name);
        assert!(row.ends_with(known.summary), "{row}");
        let shown = help(&[known.name]);
        assert_eq!((shown.status, &shown.stdout), (0, &page(file)), "{file}");
        for link in [file.clone(), format!("docs/{file}"), known.name.to_uppercase()] {
            assert_eq!(help(&[&link]).expect_success(), shown.stdout, "{link}");
        }
    }
}

#[test]
fn help_prints_help_of_commands() {
    let dir = TestDir::new();
    for command in ["read", "init", "doctor"] {
        assert_eq!(
            help(&[command]).expect_success(),
            run_wardroom(dir.root(), &[command, "--help"]).expect_success(),
            "{command}"
        );
    }
    // A name of a page and of a command: the page, and a note about the command.
    let both = help(&["agents"]);
    assert_eq!(both.stdout, page("AGENTS.md"));
    assert_eq!(both.stderr, "run wardroom agents --help to see the flags of that command\n");
    assert_eq!(help(&["spawner"]).status, 1);
    for words in [["agents", "install"], ["mount", "import-links"]] {
        let own = run_wardroom(dir.root(), &[words.as_slice(), &["--help"]].concat()).expect_success();
        assert_eq!(help(&words).expect_success(), own, "{words:?}");
    }
    // The help of a group is the list of its commands.
    for group in ["token", "registry", "mount", "agents", "pkg", "sessions"] {
        let own = run_wardroom(dir.root(), &[group, "--help"]).expect_success();
        assert!(!own.contains("\n  help "), "{own}");
    }
}

#[test]
fn help_works_without_home_and_valid_config() {
    let dir = TestDir::new();
    fs::create_dir_all(dir.root().join(".config/wardroom")).unwrap();
    fs::write(dir.root().join(".config/wardroom/config.toml"), "wrong").unwrap();
    assert_eq!(run_wardroom(dir.root(), &["help", "config"]).expect_success(), page("CONFIG.md"));
}

#[test]
fn client_reads_same_pages() {
    for era in [ClientRevision::Legacy, ClientRevision::Modern] {
        let dir = TestDir::new();
        fs::create_dir_all(dir.root().join(".config/wardroom")).unwrap();
        fs::write(dir.root().join(".config/wardroom/config.toml"), "[services]\ndocs = \"listed\"\n").unwrap();
        let mut client = StdioClient::start(&dir, era);
        let listed = client.call("resources/list", json!({}))["result"]["resources"].take();
        let listed: Vec<&Value> = listed.as_array().unwrap().iter().collect();
        // The resources of the specification come first.
        assert_eq!(listed[0]["uri"], "alc://types/alc.d.lua");
        let docs = &listed[listed.len() - PAGES.len()..];
        for (entry, known) in docs.iter().zip(PAGES) {
            assert_eq!(entry["uri"], format!("wardroom://docs/{}", known.name));
            assert_eq!((&entry["mimeType"], &entry["description"]), (&json!("text/markdown"), &json!(known.summary)));
            let read = client.call("resources/read", json!({"uri": entry["uri"]}))["result"]["contents"][0].take();
            assert_eq!((&read["text"], &read["mimeType"]), (&json!(known.text), &json!("text/markdown")));
        }
        // In the spellings in which the pages link to each other.
        for name in ["CONFIG.md", "CONFIG", "config.md"] {
            let uri = format!("wardroom://docs/{name}");
            let read = client.call("resources/read", json!({"uri": uri}))["result"]["contents"][0].take();
            assert_eq!((&read["uri"], &read["text"]), (&json!(uri), &json!(page("CONFIG.md"))));
        }
        let reference = json!({"type": "ref/resource", "uri": "wardroom://docs/{page}"});
        let argument = json!({"name": "page", "value": "con"});
        let completed = client.call("completion/complete", json!({"ref": reference, "argument": argument}));
        assert_eq!(completed["result"]["completion"]["values"], json!(["config", "confinement", "conformance"]));
        for (uri, message) in [
            ("wardroom://docs/no-such-page", "resource not found: wardroom://docs/no-such-page"),
            ("wardroom://docs/config/x", "resource not found: wardroom://docs/config/x"),
            ("wardroom://docs/config?x=1", "query params not supported on wardroom://docs/config?x=1"),
            ("wardroom://docs/../config", "path traversal segment rejected: .."),
            ("wardroom://docs", "missing path segment in wardroom://docs"),
            ("wardroom://etc/passwd", "unknown service: etc"),
        ] {
            let refused = client.call("resources/read", json!({"uri": uri}))["error"].take();
            assert_eq!((&refused["code"], &refused["message"]), (&json!(-32602), &json!(message)), "{uri}");
        }
    }
}

#[test]
fn pages_follow_service_selection() {
    let dir = TestDir::new();
    let app = dir.app_path().display().to_string();
    let read = |services: &str| {
        run_wardroom(dir.root(), &["--appdir", &app, "--service", services, "read", "wardroom://docs/config"])
    };
    assert_eq!(read("docs").expect_success(), page("CONFIG.md"));
    assert_eq!(read("alc,resources").status, 1);
}

#[test]
fn endpoint_offers_pages_only_if_it_names_docs() {
    let endpoint =
        |name: &str, services: &str| format!("[http.endpoints.{name}]\npath = \"/{name}\"\nservices = [{services}]\n");
    let config = "[services]\ndocs = \"listed\"\n".to_owned()
        + &endpoint("with", "\"resources\", \"docs\"")
        + &endpoint("without", "\"resources\"");
    let dir = TestDir::new();
    let server = HttpServer::start_with(&dir, &config, &[]);
    for (path, listed) in [("/mcp", PAGES.len()), ("/with", PAGES.len()), ("/without", 0)] {
        let mut connection = server.connect();
        let all = connection.call_at(path, &[], "resources/list", json!({})).json()["result"]["resources"].take();
        let docs = |entry: &&Value| entry["uri"].as_str().unwrap().starts_with("wardroom://");
        assert_eq!(all.as_array().unwrap().iter().filter(docs).count(), listed, "{path}");
        let read = connection.call_at(path, &[], "resources/read", json!({"uri": "wardroom://docs/mcp"})).json();
        assert_eq!(read["error"].is_null(), listed > 0, "{path}: {read}");
    }
}

#[test]
fn list_cursor_within_pages_continues() {
    use wardroom_config::DocsListing;
    use wardroom_docs::DocsService;
    use wardroom_service::{Catalogue, RequestInfo, ResourceProvider as _};
    let context = RequestInfo::new(&std::sync::Arc::new(Catalogue::new(Vec::new())));
    let docs = DocsService { listing: DocsListing::Listed };
    for limit in 1..=PAGES.len() + 1 {
        let (mut seen, mut mark) = (Vec::new(), None);
        loop {
            let page = docs.list(mark.as_deref(), limit, &context).unwrap();
            assert!(page.items.len() <= limit && !page.items.is_empty());
            seen.extend(page.items.into_iter().map(|entry| entry.uri));
            mark = page.next_cursor;
            if mark.is_none() {
                break;
            }
        }
        let all: Vec<String> = PAGES.iter().map(|page| format!("wardroom://docs/{}", page.name)).collect();
        assert_eq!(seen, all, "{limit}");
    }
    assert!(docs.list(Some("no-such-page"), 5, &context).is_err());
}
