//! Notifications of changes, in both revisions: clients get those that they subscribed to.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use wardroom_mcp::limits::{MAX_UNSENT_BYTES, MAX_WATCHED_RESOURCES};

use wardroom_test_support::{ClientRevision, StdioClient, TestDir, wardroom_command};

const SOURCE: &str = "alc://packages/hello/init.lua";
/// Far longer than a burst of changes is gathered.
const A_WHILE: Duration = Duration::from_millis(500);

/// Subscribes to resources, and to the list if `list` is set. Returns the id of the subscription.
fn subscribe(client: &mut StdioClient, revision: ClientRevision, uris: &[&str], list: bool) -> Value {
    match revision {
        ClientRevision::Legacy => {
            for uri in uris {
                let answer = client.call("resources/subscribe", json!({"uri": uri}));
                assert_eq!(answer["result"], json!({}), "{answer}");
            }
            Value::Null
        }
        ClientRevision::Modern => {
            let filter = json!({"resourceSubscriptions": uris, "resourcesListChanged": list});
            let id = client.send_request("subscriptions/listen", json!({"notifications": filter}));
            let message = client.receive();
            assert_eq!(message["method"], "notifications/subscriptions/acknowledged");
            let accepted = message["params"]["notifications"]["resourceSubscriptions"].as_array().cloned();
            assert_eq!(accepted.unwrap_or_default(), uris);
            json!(id)
        }
    }
}

/// Asserts that the next message reports a change of `uri`.
#[track_caller]
fn expect_update(client: &mut StdioClient, uri: &str, subscription: &Value) {
    let message = client.receive();
    assert_eq!(message["method"], "notifications/resources/updated", "{message}");
    assert_eq!(message["params"]["uri"], uri, "{message}");
    assert_eq!(message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], *subscription, "{message}");
    // A change in the middle of a burst may be reported twice.
    while !client.is_silent_for(A_WHILE) {}
}

#[test]
fn every_kind_of_change_is_reported() {
    for revision in ClientRevision::ALL {
        let dir = TestDir::new_demo();
        let package = dir.app_path().join("packages/hello");
        let source = package.join("init.lua");
        let _ = fs::remove_dir_all(&package);
        let mut client = StdioClient::start(&dir, revision);
        let id = subscribe(&mut client, revision, &[SOURCE], false);
        let changes: [(&str, &dyn Fn()); 9] = [
            ("the folder is made", &|| fs::create_dir(&package).unwrap()),
            ("the file is made", &|| fs::write(&source, "return 1").unwrap()),
            ("edited in place, same length", &|| fs::write(&source, "return 2").unwrap()),
            ("replaced", &|| replace(&source, "return 3")),
            ("removed", &|| fs::remove_file(&source).unwrap()),
            ("made again", &|| fs::write(&source, "return 4").unwrap()),
            ("its folder is replaced", &|| {
                fs::rename(&package, dir.app_path().join("packages/old")).unwrap();
                fs::create_dir(&package).unwrap();
                fs::write(&source, "return 5").unwrap();
            }),
            ("edited in the new folder", &|| fs::write(&source, "return 6").unwrap()),
            ("the folder above is moved away", &|| {
                fs::rename(dir.app_path().join("packages"), dir.app_path().join("moved")).unwrap();
            }),
        ];
        for (description, change) in changes {
            println!("{revision:?}: {description}");
            change();
            // An empty folder is not a package, so that creating it changes none.
            if description != "the folder is made" {
                expect_update(&mut client, SOURCE, &id);
            }
        }
    }
}

fn replace(path: &Path, text: &str) {
    let temporary = path.with_extension("new");
    fs::write(&temporary, text).unwrap();
    fs::rename(temporary, path).unwrap();
}

#[test]
fn every_kind_of_resource_is_watched() {
    const CARD: &str = "my_pkg_opus46_20260101T000000_abcdef";
    let uris = [
        ("alc://types/alc.d.lua".to_owned(), "types/alc.d.lua".to_owned()),
        ("alc://packages/hello/meta".to_owned(), "packages/hello/init.lua".to_owned()),
        (format!("alc://cards/{CARD}"), format!("cards/my_pkg/{CARD}.toml")),
        (format!("alc://cards/{CARD}/samples?limit=1"), format!("cards/my_pkg/{CARD}.samples.jsonl")),
        ("alc://scenarios/s".to_owned(), "scenarios/s.lua".to_owned()),
        ("alc://eval/my-strategy_1".to_owned(), "evals/my_strategy_1.json".to_owned()),
        ("alc://logs/l".to_owned(), "logs/l.json".to_owned()),
    ];
    for revision in ClientRevision::ALL {
        let dir = TestDir::new();
        dir.write_file(&format!("cards/my_pkg/{CARD}.toml"), "a = 1");
        let mut client = StdioClient::start(&dir, revision);
        for (uri, file) in &uris {
            let id = subscribe(&mut client, revision, &[uri], false);
            // Wait for notifications of the previous change.
            while !client.is_silent_for(A_WHILE) {}
            println!("{revision:?}: {uri}");
            dir.write_file(file, format!("b = \"{uri}\""));
            let mut messages = vec![client.receive()];
            messages.extend(std::iter::from_fn(|| client.receive_within(A_WHILE)));
            let is_expected = |message: &Value| {
                message["params"]["uri"] == *uri
                    && message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == id
            };
            assert!(messages.iter().any(is_expected), "{messages:?}");
        }
    }
}

#[test]
fn list_change_is_reported_when_entry_changes() {
    for revision in ClientRevision::ALL {
        let dir = TestDir::new_demo();
        let mut client = StdioClient::start(&dir, revision);
        subscribe(&mut client, revision, &[], true);
        while !client.is_silent_for(A_WHILE) {}
        dir.write_file("types/alc.d.lua", "-- another size");
        assert_eq!(client.receive()["method"], "notifications/resources/list_changed");
    }
}

#[test]
fn read_or_sibling_change_is_not_reported() {
    for revision in ClientRevision::ALL {
        let dir = TestDir::new_demo();
        dir.write_file("scenarios/watched.lua", "return 1");
        dir.wait_until_settled("scenarios/watched.lua");
        let mut client = StdioClient::start(&dir, revision);
        subscribe(&mut client, revision, &["alc://scenarios/watched"], false);
        while !client.is_silent_for(A_WHILE) {}
        for _ in 0..20 {
            client.read_resource("alc://scenarios/watched").unwrap();
        }
        dir.write_file("scenarios/other.lua", "return 2");
        assert!(client.is_silent_for(A_WHILE));
        dir.write_file("scenarios/watched.lua", "return 3");
        assert_eq!(client.receive()["params"]["uri"], "alc://scenarios/watched");
    }
}

#[test]
fn link_to_outside_is_not_watched() {
    for revision in ClientRevision::ALL {
        let dir = TestDir::new();
        let outside = dir.root().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::create_dir(dir.app_path().join("packages")).unwrap();
        symlink(&outside, dir.app_path().join("packages/hello")).unwrap();
        let mut client = StdioClient::start(&dir, revision);
        subscribe(&mut client, revision, &[SOURCE], false);
        while !client.is_silent_for(A_WHILE) {}
        fs::write(outside.join("init.lua"), "return {}").unwrap();
        assert!(client.is_silent_for(A_WHILE));
        // A real folder in its place is watched.
        fs::remove_file(dir.app_path().join("packages/hello")).unwrap();
        dir.write_file("packages/hello/init.lua", "return {}");
        assert_eq!(client.receive()["params"]["uri"], SOURCE);
    }
}

#[test]
fn unsubscribed_client_is_not_notified() {
    let dir = TestDir::new_demo();
    let change = |text: &str| dir.write_file("packages/hello/init.lua", text);
    let mut legacy = StdioClient::start(&dir, ClientRevision::Legacy);
    subscribe(&mut legacy, ClientRevision::Legacy, &[SOURCE], false);
    let mut modern = StdioClient::start(&dir, ClientRevision::Modern);
    let id = subscribe(&mut modern, ClientRevision::Modern, &[SOURCE], false);
    change("return 1");
    expect_update(&mut legacy, SOURCE, &Value::Null);
    expect_update(&mut modern, SOURCE, &id);
    assert_eq!(legacy.call("resources/unsubscribe", json!({"uri": SOURCE}))["result"], json!({}));
    modern.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    modern.call("tools/list", json!({}));
    change("return 2");
    assert!(legacy.is_silent_for(A_WHILE));
    assert!(modern.is_silent_for(A_WHILE));
}

#[test]
fn invalid_uri_cannot_be_subscribed_to() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    for (uri, message) in [
        ("alc://nothing/x", "unknown service: nothing"),
        ("http://example.org", "invalid URI scheme: expected 'alc://', got 'http://example.org'"),
        ("alc://packages/../init.lua", "resource not found: alc://packages/../init.lua"),
    ] {
        let error = client.call("resources/subscribe", json!({"uri": uri}))["error"].take();
        assert_eq!(error["code"], -32602, "{error}");
        assert_eq!(error["message"], client.read_resource(uri).unwrap_err()["message"], "as reading it: {message}");
    }
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    let filter = json!({"resourceSubscriptions": ["alc://nothing/x", SOURCE, "alc://packages/../init.lua"]});
    client.send_request("subscriptions/listen", json!({"notifications": filter}));
    let accepted = client.receive()["params"]["notifications"].take();
    assert_eq!(accepted, json!({"resourceSubscriptions": [SOURCE]}));
    while !client.is_silent_for(A_WHILE) {}
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        assert_eq!(client.call(method, json!({"uri": SOURCE}))["error"]["code"], -32601);
    }
}

#[test]
fn subscriptions_beyond_limit_are_refused() {
    let dir = TestDir::new();
    let uri = |n: usize| format!("alc://scenarios/s{n}");
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    // The lists of resources, tools and prompts do not count.
    for n in 1..=MAX_WATCHED_RESOURCES {
        client.send_request("resources/subscribe", json!({"uri": uri(n)}));
    }
    let answers: Vec<Value> = (1..=MAX_WATCHED_RESOURCES).map(|_| client.receive()).collect();
    assert!(answers.iter().all(|answer| answer["result"] == json!({})));
    assert_eq!(client.call("resources/subscribe", json!({"uri": uri(0)}))["error"]["code"], -31000);
    // A second subscription to the same resource does not count.
    assert_eq!(client.call("resources/subscribe", json!({"uri": uri(3)}))["result"], json!({}));
    client.call("resources/unsubscribe", json!({"uri": uri(3)}));
    assert_eq!(client.call("resources/subscribe", json!({"uri": uri(0)}))["result"], json!({}));

    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    let uris: Vec<String> = (0..2 * MAX_WATCHED_RESOURCES).map(uri).collect();
    client.send_request("subscriptions/listen", json!({"notifications": {"resourceSubscriptions": uris}}));
    let accepted = client.receive()["params"]["notifications"]["resourceSubscriptions"].take();
    assert_eq!(accepted.as_array().unwrap().len(), MAX_WATCHED_RESOURCES);
    let id = client.send_request("subscriptions/listen", json!({"notifications": {"resourceSubscriptions": [SOURCE]}}));
    assert_eq!(client.receive()["method"], "notifications/subscriptions/acknowledged");
    let refused = client.receive();
    assert_eq!((&refused["id"], &refused["error"]["code"]), (&json!(id), &json!(-31000)), "{refused}");
}

/// For a client that does not read, each changed resource is pending once, however often it changes.
#[test]
fn changes_coalesce_for_stalled_client() {
    let dir = TestDir::new();
    dir.write_file("evals/big_1.json", format!("\"{}\"", "x".repeat(4 * 1024 * 1024)));
    dir.write_file("packages/hello/init.lua", "return 0");
    let answers = MAX_UNSENT_BYTES / (4 * 1024 * 1024) + 2;
    let mut client = StdioClient::start_unread(&dir, ClientRevision::Modern);
    client.send_request("subscriptions/listen", json!({"notifications": {"resourceSubscriptions": [SOURCE]}}));
    client.wait_for_output();
    for _ in 0..answers {
        client.send_request("resources/read", json!({"uri": "alc://eval/big_1"}));
    }
    let settled = |client: &StdioClient| {
        let before = client.resident_bytes();
        std::thread::sleep(Duration::from_millis(200));
        client.resident_bytes() == before
    };
    while client.resident_bytes() < MAX_UNSENT_BYTES || !settled(&client) {}
    for n in 0..30 {
        dir.write_file("packages/hello/init.lua", format!("return {n}"));
        std::thread::sleep(Duration::from_millis(60));
    }
    // On a busy machine the notices of the system are late.
    std::thread::sleep(A_WHILE);
    client.start_reading();
    let (mut answered, mut updates) = (0, 0);
    while answered < answers || updates == 0 {
        let message = client.receive();
        answered += usize::from(message["id"].is_u64());
        updates += usize::from(message["method"] == "notifications/resources/updated");
    }
    updates += std::iter::from_fn(|| client.receive_within(A_WHILE)).count();
    // One for a change just before, one that was being sent, the pending one, and what a late notice adds.
    assert!(updates <= 5, "{updates}");
}

#[test]
fn watch_mode_is_configurable() {
    for revision in ClientRevision::ALL {
        let dir = TestDir::new_demo();
        let config = dir.root().join("config.toml");
        fs::write(&config, "[server]\nwatch = \"off\"\n").unwrap();
        let mut command = wardroom_command(dir.root());
        command.arg("--appdir").arg(dir.app_path()).arg("--config").arg(&config);
        let mut client = StdioClient::spawn(command, revision);
        let capabilities = match revision {
            ClientRevision::Legacy => client.initialize()["result"]["capabilities"].take(),
            ClientRevision::Modern => client.call("server/discover", json!({}))["result"]["capabilities"].take(),
        };
        assert_eq!(capabilities["resources"], json!({}));
        if revision == ClientRevision::Legacy {
            assert_eq!(client.call("resources/subscribe", json!({"uri": SOURCE}))["error"]["code"], -32601);
        }

        fs::write(&config, "[server]\nwatch = \"poll\"\n").unwrap();
        let mut client = StdioClient::start_with(&dir, revision, &["--config", config.to_str().unwrap()]);
        let id = subscribe(&mut client, revision, &[SOURCE], false);
        dir.write_file("packages/hello/init.lua", "return {}");
        expect_update(&mut client, SOURCE, &id);
    }
}

/// Inotify queues and watches are limited for each user, and other programs use them up.
#[test]
fn changes_are_found_without_inotify() {
    for limit in ["max_inotify_instances", "max_inotify_watches"] {
        let dir = TestDir::new_demo();
        let script = format!("echo 0 > /proc/sys/user/{limit} && exec \"$@\"");
        let plain = wardroom_command(dir.root());
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "sh", "-c", &script, "sh"]).arg(plain.get_program());
        command.arg("--appdir").arg(dir.app_path()).current_dir(dir.root());
        command.envs(plain.get_envs().filter_map(|(name, value)| Some((name, value?))));
        let possible = Command::new("unshare")
            .args(["--user", "--map-root-user", "sh", "-c", &format!("echo 0 > /proc/sys/user/{limit}")])
            .status();
        if !possible.is_ok_and(|status| status.success()) {
            wardroom_test_support::skip(&format!("this system does not allow setting user.{limit}"));
            continue;
        }
        let mut client = StdioClient::spawn(command, ClientRevision::Modern);
        let id = subscribe(&mut client, ClientRevision::Modern, &[SOURCE], false);
        dir.write_file("packages/hello/init.lua", format!("return '{limit}'"));
        expect_update(&mut client, SOURCE, &id);
    }
}

#[test]
fn optional_resources_are_watched() {
    for revision in ClientRevision::ALL {
        let dir = TestDir::new_demo();
        dir.write_file("hub_cache/a.json", "{}");
        dir.write_file("logs/l.json", "{}");
        let config = dir.root().join("config.toml");
        fs::write(&config, "[alc]\nv2 = true\nenumerate = true\n").unwrap();
        let mut client = StdioClient::start_with(&dir, revision, &["--config", config.to_str().unwrap()]);
        let uris = ["alc://hub/index", "alc://packages/cot/narrative"];
        subscribe(&mut client, revision, &uris, true);
        while !client.is_silent_for(A_WHILE) {}
        let changes = [
            ("hub_cache/a.json", "notifications/resources/updated", uris[0]),
            ("hub_cache/b.json", "notifications/resources/updated", uris[0]),
            ("packages/cot/narrative.md", "notifications/resources/updated", uris[1]),
            ("packages/new/init.lua", "notifications/resources/list_changed", ""),
            ("cards/cot/cot_m_1.toml", "notifications/resources/list_changed", ""),
            ("cards/new/new_m_1.toml", "notifications/resources/list_changed", ""),
            ("evals/new_1.json", "notifications/resources/list_changed", ""),
            ("logs/new.json", "notifications/resources/list_changed", ""),
        ];
        for (file, method, uri) in changes {
            println!("{revision:?}: {file}");
            dir.write_file(file, format!("-- {file}"));
            let message = client.receive();
            assert_eq!(
                (message["method"].as_str(), message["params"]["uri"].as_str().unwrap_or("")),
                (Some(method), uri)
            );
            while !client.is_silent_for(A_WHILE) {}
        }
    }
}

/// The target of a link can change where nothing is watched.
#[test]
fn retargeted_link_is_noticed_during_constant_changes() {
    for revision in ClientRevision::ALL {
        let dir = TestDir::new();
        dir.write_file("src/a/init.lua", "return 1");
        dir.write_file("src/b/init.lua", "return 22");
        fs::create_dir(dir.app_path().join("packages")).unwrap();
        symlink("a", dir.app_path().join("src/current")).unwrap();
        symlink("../src/current", dir.app_path().join("packages/hello")).unwrap();
        dir.write_file("scenarios/busy.lua", "return 0");
        let mut client = StdioClient::start(&dir, revision);
        subscribe(&mut client, revision, &[SOURCE, "alc://scenarios/busy"], false);
        while !client.is_silent_for(A_WHILE) {}
        let stop = AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let mut n = 0;
                while !stop.load(Ordering::Relaxed) {
                    n += 1;
                    dir.write_file("scenarios/busy.lua", format!("return {n}"));
                    std::thread::sleep(Duration::from_millis(100));
                }
            });
            let uri_of = |message: Value| message["params"]["uri"].as_str().unwrap_or_default().to_owned();
            let busy = uri_of(client.receive());
            symlink("b", dir.app_path().join("src/next")).unwrap();
            fs::rename(dir.app_path().join("src/next"), dir.app_path().join("src/current")).unwrap();
            let uris: Vec<String> =
                (0..200).map(|_| uri_of(client.receive())).take_while(|uri| uri != SOURCE).collect();
            stop.store(true, Ordering::Relaxed);
            assert_eq!(busy, "alc://scenarios/busy");
            assert!(uris.len() < 200, "never notified of the link");
        });
    }
}

#[test]
fn new_variant_is_reported_as_change_of_package() {
    for revision in ClientRevision::ALL {
        let dir = TestDir::new_demo();
        let project = dir.root().join("project");
        fs::create_dir(&project).unwrap();
        fs::write(project.join("alc.local.toml"), "[packages]\nhello = { path = \"variants/deep/hello\" }\n").unwrap();
        let mut client = StdioClient::start_with(&dir, revision, &["--project", project.to_str().unwrap()]);
        let id = subscribe(&mut client, revision, &[SOURCE], false);
        while !client.is_silent_for(A_WHILE) {}
        fs::create_dir_all(project.join("variants/deep/hello")).unwrap();
        fs::write(project.join("variants/deep/hello/init.lua"), "return {}").unwrap();
        expect_update(&mut client, SOURCE, &id);
        fs::rename(project.join("variants"), project.join("gone")).unwrap();
        expect_update(&mut client, SOURCE, &id);
    }
}

#[test]
fn clients_are_notified_by_their_own_revision_only() {
    let dir = TestDir::new_demo();
    // Not a legacy client, whatever it sends.
    let mut modern = StdioClient::start(&dir, ClientRevision::Modern);
    modern.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    modern.call("tools/list", json!({}));
    // This client subscribes before it sends `initialized`.
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path());
    let mut legacy = StdioClient::spawn(command, ClientRevision::Legacy);
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    legacy.call("initialize", params);
    subscribe(&mut legacy, ClientRevision::Legacy, &[SOURCE], false);
    legacy.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    legacy.call("resources/subscribe", json!({"uri": SOURCE}));
    dir.write_file("types/alc.d.lua", "-- another size");
    assert_eq!(legacy.receive()["method"], "notifications/resources/list_changed");
    assert!(modern.is_silent_for(A_WHILE));
}

/// Each of these would wait for a scan, and is cancelled.
#[test]
fn cancelled_subscriptions_free_their_memory() {
    let dir = TestDir::new();
    for n in 0..2000 {
        fs::create_dir_all(dir.app_path().join(format!("cards/{n}"))).unwrap();
    }
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    let before = client.resident_bytes();
    let id = "_a".repeat(90);
    for n in 0..20_000 {
        let uri = format!("alc://cards/x{}{id}", n % 10);
        let request_id = client.send_request("resources/subscribe", json!({"uri": uri}));
        client
            .send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": request_id}}));
    }
    let last = client.send_request("tools/list", json!({}));
    while client.receive()["id"] != last {}
    let grown = client.resident_bytes().saturating_sub(before);
    assert!(grown < 16 * 1024 * 1024, "{grown} bytes more");
}
