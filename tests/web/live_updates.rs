//! The versions of open pages.

use std::time::{Duration, Instant};

use super::review_server::{ReviewServer, blog_dir, write_post};

#[test]
fn open_page_learns_of_a_change() {
    let dir = blog_dir();
    write_post(&dir, "one", "title: One\n", "Text");
    let server = ReviewServer::start(&dir);
    let visitor = server.visitor_of(1);
    let mut connection = server.connect();
    connection.send_request("GET", "/review/events/blog", &[("cookie", visitor.cookie.clone())], None);
    let head = connection.read_head();
    assert_eq!((head.status, head.header("content-type")), (200, Some("text/event-stream")));
    let mut version = || loop {
        let chunk = String::from_utf8(connection.read_chunk().unwrap()).unwrap();
        if let Some(data) = chunk.lines().find_map(|line| line.strip_prefix("data: ")) {
            assert!(chunk.starts_with("event: version\n"), "{chunk}");
            return data.to_owned();
        }
    };
    let shown = |visitor: &super::review_server::Visitor| {
        visitor.get("/review/blog").between("data-version=\"", "\"").to_owned()
    };
    assert_eq!(version(), shown(&visitor));
    write_post(&dir, "two", "title: Two\n", "Text");
    let second = version();
    assert_eq!(second, shown(&visitor));
    assert!(visitor.get("/review/blog").text().contains("2 posts<"));
}

#[test]
fn unknown_service_has_no_events() {
    let dir = blog_dir();
    let server = ReviewServer::start(&dir);
    server.visitor().get("/review/events/none").expect(404);
}

#[test]
fn open_page_does_not_keep_the_server_from_ending() {
    let dir = blog_dir();
    let mut server = ReviewServer::start(&dir);
    let visitor = server.visitor();
    let mut connection = server.connect();
    connection.send_request("GET", "/review/events/blog", &[("cookie", visitor.cookie)], None);
    assert_eq!(connection.read_head().status, 200);
    assert!(connection.read_chunk().is_some());
    let started = Instant::now();
    assert!(server.interrupt());
    // Long before the grace period is over.
    assert!(started.elapsed() < Duration::from_secs(5), "{:?}", started.elapsed());
    assert_eq!(connection.read_chunk(), None);
}
