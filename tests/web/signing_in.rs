//! Signing in and out: addresses, cookies, and whose they are.

use super::review_server::{ReviewServer, Visitor, blog_dir};
use wardroom_test_support::{run_wardroom, wardroom_command};

fn is_sign_in_page(text: &str) -> bool {
    text.contains("<h1>Sign in</h1>") && text.contains("wardroom review") && !text.contains("key=")
}

#[test]
fn address_signs_in_once() {
    let dir = blog_dir();
    let server = ReviewServer::start(&dir);
    let path = server.sign_in_path();
    // A program that looks at the address does not use it up.
    for method in ["HEAD", "POST"] {
        let form = [("content-type", "application/x-www-form-urlencoded".to_owned())];
        let mut connection = server.connect();
        connection.send_request(method, path, &form, (method == "POST").then_some(b"".as_slice()));
        assert_eq!(connection.read_head().status, 405);
    }
    let reply = server.connect().exchange("GET", path, &[], None);
    let cookie = reply.header("set-cookie").unwrap();
    let (pair, attributes) = cookie.split_once("; ").unwrap();
    assert_eq!((reply.status, attributes), (200, "Path=/review; HttpOnly; SameSite=Strict; Max-Age=43200"));
    let visitor = Visitor { port: server.port, host: server.host.clone(), cookie: pair.to_owned() };
    assert!(visitor.get("/review").expect(200).text().contains("<h1>Review</h1>"));
    let again = server.connect().exchange("GET", path, &[], None);
    assert_eq!((again.status, again.header("set-cookie")), (403, None));
    assert!(is_sign_in_page(std::str::from_utf8(&again.body).unwrap()));
}

#[test]
fn guessed_key_does_not_sign_in() {
    let dir = blog_dir();
    let server = ReviewServer::start(&dir);
    let digits = "0".repeat(64);
    for path in ["/review/open", "/review/open?key=", &format!("/review/open?key={digits}")] {
        let reply = server.connect().exchange("GET", path, &[], None);
        assert_eq!((reply.status, reply.header("set-cookie")), (403, None), "{path}");
    }
    // The right one still works.
    server.visitor().get("/review").expect(200);
}

#[test]
fn page_without_session_shows_how_to_sign_in() {
    let dir = blog_dir();
    let server = ReviewServer::start(&dir);
    for path in ["/review", "/review/", "/review/blog", "/review/events/blog", "/review/none"] {
        let reply = server.connect().exchange("GET", path, &[], None);
        assert_eq!(reply.status, 403, "{path}");
        assert!(is_sign_in_page(std::str::from_utf8(&reply.body).unwrap()), "{path}");
    }
    // Its style is shown to everyone.
    let style = server.connect().exchange("GET", "/review/assets/style.css", &[], None);
    assert_eq!((style.status, style.header("content-type")), (200, Some("text/css; charset=utf-8")));
}

#[test]
fn cookie_is_of_its_app_dir() {
    let (dir, other) = (blog_dir(), blog_dir());
    let (server, server_of_other) = (ReviewServer::start(&dir), ReviewServer::start(&other));
    let visitor = server.visitor();
    assert_ne!(server.host.split(':').next(), server_of_other.host.split(':').next());
    let there =
        Visitor { port: server_of_other.port, host: server_of_other.host.clone(), cookie: visitor.cookie.clone() };
    there.get("/review").expect(403);
    // Another server on the same AppDir, under the same name.
    let second = ReviewServer::start(&dir);
    assert_eq!(second.host.split(':').next(), server.host.split(':').next());
    Visitor { port: second.port, host: second.host.clone(), cookie: visitor.cookie }.get("/review").expect(200);
}

#[test]
fn strict_server_cannot_read_the_key_of_the_page_that_decides() {
    let dir = blog_dir();
    // Its pages have the key that each server on the AppDir can read.
    let of_app_dir = ReviewServer::start(&dir);
    let visitor = of_app_dir.visitor();
    visitor.get("/review").expect(200);
    let config = dir.write_file("config.toml", "[blog]\naccept = \"human-strict\"\n");
    let start = || {
        let mut command = wardroom_command(dir.root());
        command.arg("--appdir").arg(dir.app_path()).arg("--config").arg(&config).args(["review", "--no-open"]);
        ReviewServer::spawn(command)
    };
    let (one, other) = (start(), start());
    // The name of the pages is made of their key.
    let name = |server: &ReviewServer| server.host.split(':').next().unwrap().to_owned();
    assert!(name(&one) != name(&other) && name(&one) != name(&of_app_dir));
    for server in [&one, &other] {
        let cookie = visitor.cookie.clone();
        Visitor { port: server.port, host: server.host.clone(), cookie }.get("/review").expect(403);
    }
    let own = one.visitor();
    own.get("/review").expect(200);
    Visitor { port: other.port, host: other.host.clone(), cookie: own.cookie }.get("/review").expect(403);
}

#[test]
fn forged_cookie_is_refused() {
    let dir = blog_dir();
    let server = ReviewServer::start(&dir);
    let visitor = server.visitor();
    let (name, value) = visitor.cookie.split_once('=').unwrap();
    let [id, began, signature] = value.split('.').collect::<Vec<_>>()[..] else { panic!("{value}") };
    let later = began.parse::<u64>().unwrap() + 1;
    let forged = [
        format!("{name}="),
        format!("{name}={id}"),
        format!("{name}={id}.{later}.{signature}"),
        format!("{name}={id}0.{began}.{signature}"),
        format!("{name}={id}.{began}.{}", "0".repeat(64)),
        format!("{name}={id}.{began}."),
        format!("other={value}"),
    ];
    for cookie in forged {
        Visitor { cookie: cookie.clone(), ..visitor.clone() }.get("/review").expect(403);
    }
    visitor.get("/review").expect(200);
}

#[test]
fn audit_trail_says_who_signed_in_and_what_was_refused() {
    let dir = blog_dir();
    let server = ReviewServer::start(&dir);
    server.connect().exchange("GET", "/review/open?key=1", &[], None);
    let visitor = server.visitor();
    visitor.post_raw("/review/sign-out", "form_token=1").expect(403);
    visitor.request("GET", "/review", &[("host", "localhost")], None).expect(403);
    Visitor { cookie: String::new(), ..visitor.clone() }.get("/review").expect(403);
    let app = dir.app_path().display().to_string();
    let expected = [
        "refused operator review form without its token",
        "refused unauthenticated http host or origin",
        "refused unauthenticated http no session",
        "refused unauthenticated http no valid key",
        "signed_in operator review ok",
    ];
    let mut listed = String::new();
    // Counts are written beside the answers.
    wardroom_test_support::eventually("each has a line", || {
        listed = run_wardroom(dir.root(), &["audit", "list", "--json", "--appdir", &app]).expect_success();
        let records: Vec<serde_json::Value> = serde_json::from_str(&listed).unwrap();
        let line = |record: &serde_json::Value| {
            ["action", "who", "through", "outcome"].map(|key| record[key].as_str().unwrap()).join(" ")
        };
        let mut found: Vec<_> = records.iter().filter(|record| record["action"] != "file_begun").map(line).collect();
        found.sort();
        found == expected
    });
    assert!(!listed.contains(visitor.cookie.split('.').next_back().unwrap()));
}

#[test]
fn signed_out_session_is_over() {
    let dir = blog_dir();
    let server = ReviewServer::start(&dir);
    let visitor = server.visitor();
    let reply = visitor.post("/review/sign-out", "").expect(200);
    let removed = reply.0.header("set-cookie").unwrap();
    assert!(removed.starts_with("wardroom-review=; Path=/review;") && removed.ends_with("Max-Age=0"), "{removed}");
    visitor.get("/review").expect(403);
}
