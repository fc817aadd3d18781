//! Clients are told of what changes, in both eras, and only of what they asked for.

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

/// Asks to be told of resources, and of the list when `list` is set: the id of the subscription.
fn subscribe(client: &mut StdioClient, era: ClientRevision, uris: &[&str], list: bool) -> Value {
    match era {
        ClientRevision::Legacy => {
            for uri in uris {
                let answer = client.call("resources/subscribe", json!({"uri": uri}));
                assert_eq!(answer["result"], json!({}), "{answer}");
            }
            Value::Null
        }
        ClientRevision::Modern => {
            let wanted = json!({"resourceSubscriptions": uris, "resourcesListChanged": list});
            let id = client.send_request("subscriptions/listen", json!({"notifications": wanted}));
            let told = client.receive();
            assert_eq!(told["method"], "notifications/subscriptions/acknowledged");
            let accepted = told["params"]["notifications"]["resourceSubscriptions"].as_array().cloned();
            assert_eq!(accepted.unwrap_or_default(), uris);
            json!(id)
        }
    }
}

/// The next message must say that `uri` changed.
#[track_caller]
fn expect_update(client: &mut StdioClient, uri: &str, subscription: &Value) {
    let told = client.receive();
    assert_eq!(told["method"], "notifications/resources/updated", "{told}");
    assert_eq!(told["params"]["uri"], uri, "{told}");
    assert_eq!(told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"], *subscription, "{told}");
    // A change in the middle of a burst may be told twice.
    while !client.is_silent_for(A_WHILE) {}
}

#[test]
fn every_kind_of_change_is_told() {
    for era in ClientRevision::ALL {
        let dir = TestDir::new_demo();
        let package = dir.app_path().join("packages/hello");
        let source = package.join("init.lua");
        let _ = fs::remove_dir_all(&package);
        let mut client = StdioClient::start(&dir, era);
        let id = subscribe(&mut client, era, &[SOURCE], false);
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
        for (what, change) in changes {
            println!("{era:?}: {what}");
            change();
            // An empty folder is no package, and so no change of one.
            if what != "the folder is made" {
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
fn each_kind_of_resource_is_watched_where_it_is_read() {
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
    for era in ClientRevision::ALL {
        let dir = TestDir::new();
        dir.write_file(&format!("cards/my_pkg/{CARD}.toml"), "a = 1");
        let mut client = StdioClient::start(&dir, era);
        for (uri, file) in &uris {
            let id = subscribe(&mut client, era, &[uri], false);
            // What was changed just before may have been told by now.
            while !client.is_silent_for(A_WHILE) {}
            println!("{era:?}: {uri}");
            dir.write_file(file, format!("b = \"{uri}\""));
            let mut told = vec![client.receive()];
            told.extend(std::iter::from_fn(|| client.receive_within(A_WHILE)));
            let is_meant = |told: &Value| {
                told["params"]["uri"] == *uri && told["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"] == id
            };
            assert!(told.iter().any(is_meant), "{told:?}");
        }
    }
}

#[test]
fn the_list_is_told_to_change_when_what_it_says_does() {
    for era in ClientRevision::ALL {
        let dir = TestDir::new_demo();
        let mut client = StdioClient::start(&dir, era);
        subscribe(&mut client, era, &[], true);
        while !client.is_silent_for(A_WHILE) {}
        dir.write_file("types/alc.d.lua", "-- another size");
        assert_eq!(client.receive()["method"], "notifications/resources/list_changed");
    }
}

#[test]
fn neither_reading_nor_a_change_beside_it_is_a_change() {
    for era in ClientRevision::ALL {
        let dir = TestDir::new_demo();
        dir.write_file("scenarios/watched.lua", "return 1");
        dir.wait_until_settled("scenarios/watched.lua");
        let mut client = StdioClient::start(&dir, era);
        subscribe(&mut client, era, &["alc://scenarios/watched"], false);
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
fn a_link_that_leads_outside_is_not_watched() {
    for era in ClientRevision::ALL {
        let dir = TestDir::new();
        let outside = dir.root().join("outside");
        fs::create_dir(&outside).unwrap();
        fs::create_dir(dir.app_path().join("packages")).unwrap();
        symlink(&outside, dir.app_path().join("packages/hello")).unwrap();
        let mut client = StdioClient::start(&dir, era);
        subscribe(&mut client, era, &[SOURCE], false);
        while !client.is_silent_for(A_WHILE) {}
        fs::write(outside.join("init.lua"), "return {}").unwrap();
        assert!(client.is_silent_for(A_WHILE));
        // A real folder in its place is.
        fs::remove_file(dir.app_path().join("packages/hello")).unwrap();
        dir.write_file("packages/hello/init.lua", "return {}");
        assert_eq!(client.receive()["params"]["uri"], SOURCE);
    }
}

#[test]
fn who_unsubscribes_is_told_no_more() {
    let dir = TestDir::new_demo();
    let change = |text: &str| dir.write_file("packages/hello/init.lua", text);
    let mut older = StdioClient::start(&dir, ClientRevision::Legacy);
    subscribe(&mut older, ClientRevision::Legacy, &[SOURCE], false);
    let mut newer = StdioClient::start(&dir, ClientRevision::Modern);
    let id = subscribe(&mut newer, ClientRevision::Modern, &[SOURCE], false);
    change("return 1");
    expect_update(&mut older, SOURCE, &Value::Null);
    expect_update(&mut newer, SOURCE, &id);
    assert_eq!(older.call("resources/unsubscribe", json!({"uri": SOURCE}))["result"], json!({}));
    newer.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id}}));
    newer.call("tools/list", json!({}));
    change("return 2");
    assert!(older.is_silent_for(A_WHILE));
    assert!(newer.is_silent_for(A_WHILE));
}

#[test]
fn what_names_nothing_cannot_be_subscribed_to() {
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
    let wanted = json!({"resourceSubscriptions": ["alc://nothing/x", SOURCE, "alc://packages/../init.lua"]});
    client.send_request("subscriptions/listen", json!({"notifications": wanted}));
    let accepted = client.receive()["params"]["notifications"].take();
    assert_eq!(accepted, json!({"resourceSubscriptions": [SOURCE]}));
    while !client.is_silent_for(A_WHILE) {}
    for method in ["resources/subscribe", "resources/unsubscribe"] {
        assert_eq!(client.call(method, json!({"uri": SOURCE}))["error"]["code"], -32601);
    }
}

#[test]
fn there_is_an_end_to_what_is_watched() {
    let dir = TestDir::new();
    let uri = |n: usize| format!("alc://scenarios/s{n}");
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    // The lists of resources, tools and prompts are three of them.
    for n in 3..MAX_WATCHED_RESOURCES {
        client.send_request("resources/subscribe", json!({"uri": uri(n)}));
    }
    let answers: Vec<Value> = (3..MAX_WATCHED_RESOURCES).map(|_| client.receive()).collect();
    assert!(answers.iter().all(|answer| answer["result"] == json!({})));
    assert_eq!(client.call("resources/subscribe", json!({"uri": uri(0)}))["error"]["code"], -31000);
    // Twice is once.
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

/// A client that does not read is owed each changed resource once, whatever happens meanwhile.
#[test]
fn changes_gather_for_a_client_that_does_not_read() {
    let dir = TestDir::new();
    dir.write_file("evals/big_1.json", format!("\"{}\"", "x".repeat(4 * 1024 * 1024)));
    dir.write_file("packages/hello/init.lua", "return 0");
    let answers = MAX_UNSENT_BYTES / (4 * 1024 * 1024) + 2;
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path());
    let mut client = StdioClient::spawn_unread(command, ClientRevision::Modern);
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
    client.start_reading();
    let (mut answered, mut updates) = (0, 0);
    while answered < answers || updates == 0 {
        let told = client.receive();
        answered += usize::from(told["id"].is_u64());
        updates += usize::from(told["method"] == "notifications/resources/updated");
    }
    updates += std::iter::from_fn(|| client.receive_within(A_WHILE)).count();
    // One for what was there just before, one that was under way, and the one that is owed.
    assert!(updates <= 3, "{updates}");
}

#[test]
fn an_operator_decides_how_changes_are_found() {
    for era in ClientRevision::ALL {
        let dir = TestDir::new_demo();
        let config = dir.root().join("config.toml");
        fs::write(&config, "[server]\nwatch = \"off\"\n").unwrap();
        let mut command = wardroom_command(dir.root());
        command.arg("--appdir").arg(dir.app_path()).arg("--config").arg(&config);
        let mut client = StdioClient::spawn(command, era);
        let capabilities = match era {
            ClientRevision::Legacy => client.initialize()["result"]["capabilities"].take(),
            ClientRevision::Modern => client.call("server/discover", json!({}))["result"]["capabilities"].take(),
        };
        assert_eq!(capabilities["resources"], json!({}));
        if era == ClientRevision::Legacy {
            assert_eq!(client.call("resources/subscribe", json!({"uri": SOURCE}))["error"]["code"], -32601);
        }

        fs::write(&config, "[server]\nwatch = \"poll\"\n").unwrap();
        let mut client = StdioClient::start_with(&dir, era, &["--config", config.to_str().unwrap()]);
        let id = subscribe(&mut client, era, &[SOURCE], false);
        dir.write_file("packages/hello/init.lua", "return {}");
        expect_update(&mut client, SOURCE, &id);
    }
}

/// The number of queues and of watches is limited for each user, and other programs use them up.
#[test]
fn changes_are_found_without_help_of_the_system() {
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
            eprintln!("skipped: this system lets nobody set user.{limit}");
            continue;
        }
        let mut client = StdioClient::spawn(command, ClientRevision::Modern);
        let id = subscribe(&mut client, ClientRevision::Modern, &[SOURCE], false);
        dir.write_file("packages/hello/init.lua", format!("return '{limit}'"));
        expect_update(&mut client, SOURCE, &id);
    }
}

#[test]
fn what_the_operator_switched_on_is_watched_too() {
    for era in ClientRevision::ALL {
        let dir = TestDir::new_demo();
        dir.write_file("hub_cache/a.json", "{}");
        dir.write_file("logs/l.json", "{}");
        let config = dir.root().join("config.toml");
        fs::write(&config, "[alc]\nv2 = true\nenumerate = true\n").unwrap();
        let mut client = StdioClient::start_with(&dir, era, &["--config", config.to_str().unwrap()]);
        let uris = ["alc://hub/index", "alc://packages/cot/narrative"];
        subscribe(&mut client, era, &uris, true);
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
            println!("{era:?}: {file}");
            dir.write_file(file, format!("-- {file}"));
            let told = client.receive();
            assert_eq!((told["method"].as_str(), told["params"]["uri"].as_str().unwrap_or("")), (Some(method), uri));
            while !client.is_silent_for(A_WHILE) {}
        }
    }
}

/// What a link leads to can change where nobody is told of it.
#[test]
fn behind_links_changes_are_found_even_when_others_never_cease() {
    for era in ClientRevision::ALL {
        let dir = TestDir::new();
        dir.write_file("src/a/init.lua", "return 1");
        dir.write_file("src/b/init.lua", "return 22");
        fs::create_dir(dir.app_path().join("packages")).unwrap();
        symlink("a", dir.app_path().join("src/current")).unwrap();
        symlink("../src/current", dir.app_path().join("packages/hello")).unwrap();
        dir.write_file("scenarios/busy.lua", "return 0");
        let mut client = StdioClient::start(&dir, era);
        subscribe(&mut client, era, &[SOURCE, "alc://scenarios/busy"], false);
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
            let uri_of = |told: Value| told["params"]["uri"].as_str().unwrap_or_default().to_owned();
            let busy = uri_of(client.receive());
            symlink("b", dir.app_path().join("src/next")).unwrap();
            fs::rename(dir.app_path().join("src/next"), dir.app_path().join("src/current")).unwrap();
            let told: Vec<String> =
                (0..200).map(|_| uri_of(client.receive())).take_while(|uri| uri != SOURCE).collect();
            stop.store(true, Ordering::Relaxed);
            assert_eq!(busy, "alc://scenarios/busy");
            assert!(told.len() < 200, "never told of the link");
        });
    }
}

#[test]
fn a_variant_that_appears_hides_the_package() {
    for era in ClientRevision::ALL {
        let dir = TestDir::new_demo();
        let project = dir.root().join("project");
        fs::create_dir(&project).unwrap();
        fs::write(project.join("alc.local.toml"), "[packages]\nhello = { path = \"variants/deep/hello\" }\n").unwrap();
        let mut client = StdioClient::start_with(&dir, era, &["--project", project.to_str().unwrap()]);
        let id = subscribe(&mut client, era, &[SOURCE], false);
        while !client.is_silent_for(A_WHILE) {}
        fs::create_dir_all(project.join("variants/deep/hello")).unwrap();
        fs::write(project.join("variants/deep/hello/init.lua"), "return {}").unwrap();
        expect_update(&mut client, SOURCE, &id);
        fs::rename(project.join("variants"), project.join("gone")).unwrap();
        expect_update(&mut client, SOURCE, &id);
    }
}

#[test]
fn each_era_is_told_in_its_own_way_only() {
    let dir = TestDir::new_demo();
    // Not of the older eras, whatever it sends.
    let mut newer = StdioClient::start(&dir, ClientRevision::Modern);
    newer.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    newer.call("tools/list", json!({}));
    // Subscribed before it said that it is ready.
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path());
    let mut older = StdioClient::spawn(command, ClientRevision::Legacy);
    let params =
        json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    older.call("initialize", params);
    subscribe(&mut older, ClientRevision::Legacy, &[SOURCE], false);
    older.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}));
    older.call("resources/subscribe", json!({"uri": SOURCE}));
    dir.write_file("types/alc.d.lua", "-- another size");
    assert_eq!(older.receive()["method"], "notifications/resources/list_changed");
    assert!(newer.is_silent_for(A_WHILE));
}

/// Each of these would wait for a look, and the client takes it back.
#[test]
fn subscriptions_that_are_taken_back_leave_nothing() {
    let dir = TestDir::new();
    for n in 0..2000 {
        fs::create_dir_all(dir.app_path().join(format!("cards/{n}"))).unwrap();
    }
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    let before = client.resident_bytes();
    let id = "_a".repeat(90);
    for n in 0..20_000 {
        let uri = format!("alc://cards/x{}{id}", n % 10);
        let asked = client.send_request("resources/subscribe", json!({"uri": uri}));
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": asked}}));
    }
    let last = client.send_request("tools/list", json!({}));
    while client.receive()["id"] != last {}
    let grown = client.resident_bytes().saturating_sub(before);
    assert!(grown < 16 * 1024 * 1024, "{grown} bytes more");
}
