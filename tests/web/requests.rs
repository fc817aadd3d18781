//! Requests that are refused, and the headers of every reply.

use wardroom_test_support::{HttpServer, TestDir, serve_command};

use super::review_server::{ReviewServer, SECURITY_HEADERS, Visitor, blog_dir, connect, write_post};

#[test]
fn every_reply_has_the_security_headers() {
    let dir = blog_dir();
    write_post(&dir, "one", "title: One\n", "Text");
    let server = ReviewServer::start(&dir);
    let visitor = server.visitor_of(1);
    let nobody = Visitor { cookie: String::new(), ..visitor.clone() };
    let replies = [
        (visitor.get("/review"), 200),
        (visitor.get("/review/blog"), 200),
        (visitor.get("/review/blog/posts/one"), 200),
        (visitor.get("/review/blog/posts/none"), 404),
        (visitor.get("/review/blog?offset=x"), 400),
        (visitor.get("/review/none"), 404),
        (visitor.get("/review/%ff"), 404),
        (visitor.get("/review/assets/review.js"), 200),
        (visitor.get("/review/assets/none"), 404),
        (nobody.get("/review"), 403),
        (nobody.get("/review/open?key=1"), 403),
        (visitor.request("PUT", "/review", &[], Some("")), 405),
        (visitor.request("POST", "/review/sign-out", &[], Some("{}")), 415),
        (visitor.post_raw("/review/sign-out", ""), 403),
        (visitor.request("GET", "/review", &[("host", "localhost")], None), 403),
    ];
    for (reply, status) in replies {
        let reply = reply.expect(status).0;
        for (name, value) in SECURITY_HEADERS {
            assert_eq!(reply.header(name), Some(value), "{name}: {reply:?}");
        }
        let policy = reply.header("content-security-policy").unwrap();
        assert_eq!(
            policy,
            "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src 'self' data:; \
             frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
        );
        assert_eq!(reply.header("access-control-allow-origin"), None);
    }
}

#[test]
fn page_is_served_under_its_own_host_only() {
    let dir = blog_dir();
    let server = ReviewServer::start(&dir);
    let visitor = server.visitor();
    let (name, port) = server.host.split_once(':').unwrap();
    let foreign = [
        "localhost".to_owned(),
        format!("127.0.0.1:{port}"),
        format!("[::1]:{port}"),
        format!("wardroom-0000000000000000.localhost:{port}"),
        format!("{name}.example:{port}"),
        format!("a.{name}:{port}"),
        format!("{name}.:{port}"),
        format!("{name}:x"),
        "example.org".to_owned(),
    ];
    for host in foreign {
        visitor.request("GET", "/review", &[("host", &host)], None).expect(403);
    }
    visitor.request("GET", "/review", &[("host", &server.host.to_uppercase())], None).expect(200);
    // The request line names a host too, and there may be one only.
    let absolute = "http://example.org/review";
    visitor.request("GET", absolute, &[("host", &server.host)], None).expect(403);
    visitor.request("GET", "/review", &[("host", &server.host), ("host", "example.org")], None).expect(403);
}

#[test]
fn name_of_the_pages_opens_no_endpoint() {
    let dir = blog_dir();
    let pages = ReviewServer::start(&dir);
    let (name, _) = pages.host.split_once(':').unwrap();
    let server = HttpServer::start_with(&dir, "", &["--service", "blog"]);
    let port = server.address.port();
    let host = format!("{name}:{port}");
    for path in ["/mcp", "/healthz", "/", "/reviews"] {
        let reply = connect(port, &host).exchange("GET", path, &[], None);
        assert_eq!(reply.status, 403, "{path}");
    }
    // The server shows the same pages, to who is signed in.
    let visitor = Visitor { port, host, ..pages.visitor() };
    visitor.get("/review/blog").expect(200);
    Visitor { cookie: String::new(), ..visitor }.get("/review/blog").expect(403);
    // Its other names open the endpoint and not the pages.
    let reply = connect(port, &format!("127.0.0.1:{port}")).exchange("GET", "/healthz", &[], None);
    assert_eq!(reply.status, 200);
}

#[test]
fn listener_for_other_machines_has_no_pages() {
    let dir = blog_dir();
    let pages = ReviewServer::start(&dir);
    let visitor = pages.visitor();
    let config = "[blog]\nremote = true\n[http.tokens.a]\nsha256 = \"0000000000000000000000000000000000000000000000000000000000000000\"\n";
    let server = HttpServer::spawn(serve_command(&dir, config, &["--http", "0.0.0.0:0", "--service", "blog"]));
    let port = server.address.port();
    let host = format!("{}:{port}", pages.host.split_once(':').unwrap().0);
    let there = Visitor { port, host, ..visitor };
    there.get("/review").expect(403);
    there.request("GET", "/review", &[("host", "localhost")], None).expect(404);
}

#[test]
fn request_of_another_page_is_refused() {
    let dir = blog_dir();
    let server = ReviewServer::start(&dir);
    let visitor = server.visitor();
    let own = format!("http://{}", server.host);
    let form = ("content-type", "application/x-www-form-urlencoded");
    let sent = |headers: &[(&str, &str)]| {
        let body = format!("form_token={}", visitor.form_token());
        visitor.request("POST", "/review/none", &[&[form], headers].concat(), Some(&body)).0.status
    };
    for foreign in
        ["http://example.org", "null", "http://localhost", &own.replace("http:", "https:"), &format!("{own}1")]
    {
        assert_eq!(sent(&[("origin", foreign)]), 403, "{foreign}");
        visitor.request("GET", "/review", &[("origin", foreign)], None).expect(403);
    }
    for site in ["cross-site", "same-site", "none"] {
        assert_eq!(sent(&[("sec-fetch-site", site)]), 403, "{site}");
    }
    // 404 is the answer of the router, which all of these reach.
    assert_eq!(sent(&[]), 404);
    assert_eq!(sent(&[("origin", &own)]), 404);
    assert_eq!(sent(&[("origin", &own), ("sec-fetch-site", "same-origin")]), 404);
    assert_eq!(sent(&[("origin", "null"), ("sec-fetch-site", "same-origin")]), 404);
}

#[test]
fn form_without_token_of_its_session_changes_nothing() {
    let dir = blog_dir();
    let server = ReviewServer::start(&dir);
    let visitor = server.visitor();
    let second = ReviewServer::start(&dir);
    let other_token = second.visitor().form_token();
    for body in ["", "form_token=", "form_token=0", &format!("form_token={other_token}"), "token=1"] {
        visitor.post_raw("/review/sign-out", body).expect(403);
    }
    visitor.get("/review").expect(200);
}

#[test]
fn head_and_other_methods() {
    let dir = blog_dir();
    let server = ReviewServer::start(&dir);
    let visitor = server.visitor();
    let mut connection = server.connect();
    connection.send_request("HEAD", "/review", &[("cookie", visitor.cookie.clone())], None);
    assert_eq!(connection.read_head().status, 200);
    for method in ["PUT", "DELETE", "OPTIONS", "PATCH", "TRACE"] {
        let reply = visitor.request(method, "/review", &[], None).expect(405);
        assert_eq!(reply.0.header("allow"), Some("GET, HEAD, POST"), "{method}");
    }
    // A public path takes no form, not even from a person who is signed in.
    for path in ["/review/open", "/review/assets/review.js"] {
        for method in ["POST", "PUT"] {
            let reply = visitor.request(method, path, &[], None).expect(405);
            assert_eq!(reply.0.header("allow"), Some("GET, HEAD"), "{method} {path}");
        }
    }
    // A page that is only read takes no form, and a form is no page.
    visitor.post("/review", "").expect(404);
    visitor.get("/review/sign-out").expect(404);
}

#[test]
fn too_long_form_is_not_read() {
    let dir = blog_dir();
    let server = ReviewServer::start(&dir);
    let visitor = server.visitor();
    let form = ("content-type", "application/x-www-form-urlencoded");
    let mut connection = server.connect();
    let headers = [("cookie", visitor.cookie), (form.0, form.1.to_owned()), ("content-length", "4194305".to_owned())];
    connection.send_request("POST", "/review/sign-out", &headers, None);
    assert_eq!(connection.read_head().status, 413);
}

#[test]
fn form_for_public_path_is_refused_before_it_is_sent() {
    let dir = blog_dir();
    let server = ReviewServer::start(&dir);
    for path in ["/review/open", "/review/assets/review.js"] {
        let mut connection = server.connect();
        let form = [
            ("content-type", "application/x-www-form-urlencoded".to_owned()),
            ("content-length", "1000000".to_owned()),
        ];
        connection.send_request("POST", path, &form, None);
        assert_eq!(connection.read_head().status, 405, "{path}");
    }
}

#[test]
fn endpoint_cannot_take_the_path_of_pages() {
    let dir = TestDir::new();
    for path in ["/review", "/review/blog"] {
        let config = format!("[http.endpoints.a]\npath = \"{path}\"\n");
        let refused = wardroom_test_support::run_command(&mut serve_command(&dir, &config, &["--http", "127.0.0.1:0"]));
        assert_eq!(refused.status, 1, "{refused:?}");
        assert!(refused.stderr.contains("must not be /review or below it"), "{refused:?}");
    }
}
