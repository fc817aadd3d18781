//! The command line: ports, addresses, and a server without pages.

use std::net::{TcpListener, TcpStream};

use super::review_server::{ReviewServer, Visitor, blog_dir};
use wardroom_test_support::{
    HttpConnection, HttpServer, TestDir, eventually, landlock_or_skip, run_wardroom, serve_command, wardroom_command,
    write_script,
};

#[test]
fn taken_port_is_left_to_its_program() {
    let dir = blog_dir();
    // Another program of this machine may listen there, and end in the middle of the test.
    let taken = TcpListener::bind(("127.0.0.1", 4124));
    let servers = [ReviewServer::start(&dir), ReviewServer::start(&dir)];
    assert_ne!(servers[0].port, servers[1].port);
    for server in &servers {
        assert!(taken.is_err() || server.port != 4124);
        server.visitor().get("/review/blog").expect(200);
    }
}

#[test]
fn port_is_taken_at_both_loopback_addresses() {
    let dir = blog_dir();
    let Ok(other) = TcpListener::bind(("::1", 0)) else {
        return wardroom_test_support::skip("this system has no IPv6");
    };
    // A browser tries both addresses: another program at one of them would get the address that signs in.
    let server = ReviewServer::start(&dir);
    assert!(TcpListener::bind(("::1", server.port)).is_err());
    let reply = HttpConnection::new(TcpStream::connect(("::1", server.port)).unwrap(), server.host.clone()).exchange(
        "GET",
        "/review",
        &[],
        None,
    );
    assert_eq!(reply.status, 403);
    // A server at a port that another program has at the other address shows no pages.
    let port = other.local_addr().unwrap().port();
    let address = format!("127.0.0.1:{port}");
    let taken = HttpServer::spawn(serve_command(&dir, "", &["--http", &address, "--service", "blog"]));
    let visitor =
        Visitor { port, host: format!("{}:{port}", server.host.split_once(':').unwrap().0), ..server.visitor() };
    visitor.get("/review").expect(403);
    assert_eq!(taken.connect().exchange("GET", "/review", &[], None).status, 404);
}

/// Returns the lines of a process's status that show whether it is confined.
fn confinement(status: &str) -> Vec<&str> {
    status.lines().filter(|line| line.starts_with("NoNewPrivs:") || line.starts_with("Seccomp:")).collect()
}

#[test]
fn review_opens_the_browser_and_is_confined_then() {
    let dir = blog_dir();
    let bin = dir.root().join("bin");
    std::fs::create_dir(&bin).unwrap();
    // The browser inherits the confinement of the process that starts it, and reports it.
    let browser = "#!/bin/sh\ncd \"$HOME\" && cat /proc/self/status >opened.new && echo \"$1\" >>opened.new && mv opened.new opened\n";
    write_script(&bin.join("xdg-open"), browser);
    let mut command = wardroom_command(dir.root());
    command.env("PATH", format!("{}:/usr/bin:/bin", bin.display())).env("DISPLAY", ":0").env("RUST_LOG", "info");
    command.arg("--appdir").arg(dir.app_path()).arg("review");
    let log = dir.root().join("log");
    let server = ReviewServer::spawn_with_log(command, std::fs::File::create(&log).unwrap().into());
    eventually("the browser is opened", || dir.root().join("opened").exists());
    let opened = std::fs::read_to_string(dir.root().join("opened")).unwrap();
    assert_eq!(opened.lines().last(), Some(&*server.sign_in_address));
    let own = std::fs::read_to_string("/proc/self/status").unwrap();
    assert_eq!(confinement(&opened), confinement(&own));
    let logged = || std::fs::read_to_string(&log).unwrap();
    eventually("the server is confined", || logged().contains("confined: "));
    assert_eq!(confinement(&server.process_status()), ["NoNewPrivs:\t1", "Seccomp:\t2"]);
    if landlock_or_skip(1).is_some() {
        let logged = logged().to_lowercase();
        assert!(logged.contains("landlock (") && !logged.contains("no landlock"), "{logged}");
    }
    // The address that the browser got signs in, behind the walls.
    server.visitor().get("/review/blog").expect(200);
}

#[test]
fn review_without_a_screen_opens_nothing() {
    let dir = blog_dir();
    let bin = dir.root().join("bin");
    std::fs::create_dir(&bin).unwrap();
    write_script(&bin.join("xdg-open"), "#!/bin/sh\necho >\"$HOME/opened\"\n");
    let mut command = wardroom_command(dir.root());
    command.env("PATH", format!("{}:/usr/bin:/bin", bin.display())).arg("--appdir").arg(dir.app_path()).arg("review");
    let mut server = ReviewServer::spawn(command);
    server.visitor().get("/review/blog").expect(200);
    assert!(server.interrupt());
    assert!(!dir.root().join("opened").exists());
}

#[test]
fn server_of_services_without_pages_has_none() {
    let dir = TestDir::new();
    let app = dir.app_path().display().to_string();
    let refused = run_wardroom(dir.root(), &["review", "--no-open", "--service", "docs", "--appdir", &app]);
    assert_eq!(refused.status, 1);
    assert!(refused.stderr.contains("there is nothing to review"), "{refused:?}");
    assert!(refused.stderr.contains("--service: alc"), "{refused:?}");
    let server = HttpServer::start_with(&dir, "", &["--service", "docs"]);
    let reply = server.connect().exchange("GET", "/review", &[], None);
    assert_eq!(reply.status, 404);
}

#[test]
fn service_that_is_switched_off_has_no_pages() {
    let dir = blog_dir();
    for (offered, switched_off) in [("blog", "alc"), ("alc", "blog")] {
        let mut command = wardroom_command(dir.root());
        command.arg("--appdir").arg(dir.app_path()).args(["--service", offered, "review", "--no-open"]);
        let review = ReviewServer::spawn(command);
        let serving = HttpServer::start_with(&dir, "", &["--service", offered]);
        let of_review = review.visitor();
        let name = review.host.split_once(':').unwrap().0;
        let port = serving.address.port();
        let of_serving = Visitor { port, host: format!("{name}:{port}"), ..of_review.clone() };
        for visitor in [of_review, of_serving] {
            visitor.get(&format!("/review/{offered}")).expect(200);
            let home = visitor.get("/review").expect(200);
            assert!(!home.text().contains(&format!("/review/{switched_off}")), "{}", home.text());
            for path in ["", "/runs/none", "/posts"] {
                visitor.get(&format!("/review/{switched_off}{path}")).expect(404);
            }
            visitor.get(&format!("/review/events/{switched_off}")).expect(404);
            visitor.post(&format!("/review/{switched_off}/runs/none/answer"), "question=q-0&answer=x").expect(404);
        }
    }
}

#[test]
fn log_of_a_server_has_neither_key_nor_host_name() {
    let dir = blog_dir();
    for (settings, how) in
        [("", " review to sign in"), ("\n[blog]\naccept = \"human-strict\"\n", "start this server at a terminal")]
    {
        let server = HttpServer::start_with(&dir, settings, &["--service", "blog"]);
        let line = server.wait_for_log_line("review page: ");
        assert!(line.contains("http://127.0.0.1:") && line.contains(how), "{line}");
        assert!(!line.contains("localhost") && !line.contains("key="), "{line}");
    }
}

#[test]
fn read_only_server_has_pages() {
    let dir = blog_dir();
    // Another process makes the index.
    drop(ReviewServer::start(&dir).visitor_of(0));
    let mut command = wardroom_command(dir.root());
    command.arg("--appdir").arg(dir.app_path()).args(["--read-only", "review", "--no-open"]);
    ReviewServer::spawn(command).visitor().get("/review/blog").expect(200);
}
