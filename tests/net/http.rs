//! Requests: allowed hosts, limits of size and time, and error messages.

use std::io::{self, Write};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use wardroom_net::limits::{MAX_CONCURRENT_FETCHES, MAX_FETCH_REDIRECTS};
use wardroom_net::{FetchPolicy, FetchRequest, FetchResponse, HelperConfig, HttpFetcher, NetError};

use super::web::{Web, WebRequest, reply};
use super::{TEST_TIMEOUT, eventually, program};

const MOST: usize = 64 * 1024;

fn helper(web: &Web, private: &[String]) -> HttpFetcher {
    let environment = vec![("SSL_CERT_FILE", web.certificate().into_os_string())];
    let http = HttpFetcher::start(HelperConfig { program: program(), environment, private_hosts: private }).unwrap();
    assert_eq!(http.status().unavailable_reason, None);
    http
}

/// Starts a helper that may reach the web server.
fn allowed(web: &Web) -> HttpFetcher {
    helper(web, &[web.host()])
}

fn get(url: &str, hosts: &[&str]) -> FetchRequest {
    FetchRequest::get(url, FetchPolicy::new(hosts.iter().map(|host| (*host).to_owned())), TEST_TIMEOUT, MOST)
}

fn ask(http: &HttpFetcher, request: &FetchRequest) -> Result<FetchResponse, NetError> {
    http.request(request, &|| false)
}

fn of(web: &Web, path: &str) -> FetchRequest {
    get(&web.url(path), &[&web.host()])
}

#[track_caller]
fn refused(asked: Result<FetchResponse, NetError>) -> String {
    match asked {
        Err(NetError::Refused(why) | NetError::Invalid(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn failed(asked: Result<FetchResponse, NetError>) -> String {
    match asked {
        Err(NetError::Failed(why)) => why,
        other => panic!("{other:?}"),
    }
}

fn echo(seen: &WebRequest, out: &mut dyn Write) -> io::Result<()> {
    let text = [format!("{} {} ", seen.method, seen.path).as_bytes(), &seen.body].concat();
    reply(out, 200, &[("X-Kind", "echo")], text)
}

#[test]
fn request_and_response_round_trip() {
    let web = Web::start(|seen, out| match seen.path.as_str() {
        "/missing" => reply(out, 404, &[], "no"),
        _ => echo(seen, out),
    });
    let http = allowed(&web);
    let answer = ask(&http, &of(&web, "/a?b=c#d")).unwrap();
    assert_eq!((answer.status, answer.body.as_slice()), (200, &b"GET /a?b=c "[..]));
    assert_eq!(answer.url, web.url("/a?b=c"));
    assert!(answer.headers.contains(&("x-kind".to_owned(), "echo".to_owned())), "{:?}", answer.headers);
    let missing = ask(&http, &of(&web, "/missing")).unwrap();
    assert_eq!((missing.status, missing.body.as_slice()), (404, &b"no"[..]));
    // More than a pipe holds, in both directions.
    let body = vec![7; 300_000];
    let post = FetchRequest {
        method: "POST".into(),
        body: body.clone(),
        max_bytes: 400_000,
        headers: vec![("Content-Type".into(), "x/y".into()), ("Authorization".into(), "secret".into())],
        ..of(&web, "/p")
    };
    assert_eq!(ask(&http, &post).unwrap().body, [b"POST /p ".to_vec(), body].concat());
    let seen = web.seen().pop().unwrap();
    assert_eq!((seen.header("content-type"), seen.header("authorization")), (Some("x/y"), Some("secret")));
    assert!(seen.header("user-agent").unwrap().starts_with("wardroom/"));
    assert_eq!(seen.header("accept-encoding"), None);
    let head = ask(&http, &FetchRequest { method: "HEAD".into(), ..of(&web, "/h") }).unwrap();
    assert_eq!((head.status, head.body.len()), (200, 0));
    for method in ["PUT", "PATCH", "DELETE", "OPTIONS"] {
        let asked = FetchRequest { method: method.into(), ..of(&web, "/m") };
        assert_eq!(ask(&http, &asked).unwrap().body, format!("{method} /m ").into_bytes());
    }
}

/// Wall 1 for a name that resolves to this machine: its address is checked, whatever the name.
#[test]
fn private_host_is_reached_only_if_allowed() {
    let web = Web::start_as(&["localhost", "127.0.0.1"], echo);
    let port = web.port();
    let closed = helper(&web, &[]);
    for host in [
        "localhost",
        "LOCALHOST",
        "127.0.0.1",
        "127.1",
        "2130706433",
        "0x7f.1",
        "0.0.0.0",
        "[::1]",
        "[::]",
        "[::ffff:127.0.0.1]",
        "[64:ff9b::7f00:1]",
        "169.254.169.254",
        "10.0.0.1",
        "192.168.0.1",
        "[fd00::1]",
        "[fe80::1]",
    ] {
        let url = format!("https://{host}:{port}/");
        let parsed = url::Url::parse(&url).unwrap();
        let why = refused(ask(&closed, &get(&url, &[&format!("{}:{port}", parsed.host_str().unwrap())])));
        assert!(
            why.contains("in a private network or on this machine") && why.contains("[network] private"),
            "{host}: {why}"
        );
    }
    // Not every system resolves this name.
    assert!(ask(&closed, &get(&format!("https://localhost.:{port}/"), &[&format!("localhost.:{port}")])).is_err());
    assert_eq!(web.connections(), 0);
    // A permission is for that name, and for its port if it has one.
    for private in ["127.0.0.1", "localhost:1", "ocalhost", "localhost.evil"] {
        refused(ask(&helper(&web, &[private.to_owned()]), &of(&web, "/")));
    }
    assert_eq!(web.connections(), 0);
    for private in ["localhost".to_owned(), "LocalHost".to_owned(), web.host()] {
        assert_eq!(ask(&helper(&web, &[private]), &of(&web, "/")).unwrap().status, 200);
    }
    let own = get(&format!("https://127.0.0.1:{port}/"), &[&format!("127.0.0.1:{port}")]);
    assert_eq!(ask(&helper(&web, &["127.0.0.1".to_owned()]), &own).unwrap().status, 200);
}

/// With the address allowed, only the request's own allow-list protects.
#[test]
fn request_policy_limits_hosts() {
    let web = Web::start(echo);
    let http = helper(&web, &["localhost".to_owned()]);
    for hosts in [&[][..], &["localhost"], &["*"], &["example.org"], &["http://localhost"]] {
        let not_allowed = NetError::HostNotAllowed { host: web.host(), is_redirect: false };
        assert_eq!(ask(&http, &get(&web.url("/"), hosts)), Err(not_allowed), "{hosts:?}");
    }
    for url in ["ftp://localhost/", "file:///etc/passwd", "data:,x"] {
        assert!(refused(ask(&http, &get(url, &["*"]))).starts_with("only https"), "{url}");
    }
    for url in ["", "localhost", "https://", "http:"] {
        refused(ask(&http, &get(url, &["*"])));
    }
    let user = format!("https://user:secret@{}/", web.host());
    assert!(refused(ask(&http, &get(&user, &[&web.host()]))).contains("must not contain a user"));
    for header in ["Host", "content-length", "Transfer-Encoding", "connection", "accept-encoding", "a b", "a\r\nb"] {
        let headers = vec![(header.to_owned(), "x".to_owned())];
        refused(ask(&http, &FetchRequest { headers, ..of(&web, "/") }));
    }
    let headers = vec![("x".to_owned(), "a\r\nb: c".to_owned())];
    refused(ask(&http, &FetchRequest { headers, ..of(&web, "/") }));
    let headers = (0..100).map(|n| (format!("x-{n}"), String::new())).collect();
    refused(ask(&http, &FetchRequest { headers, ..of(&web, "/") }));
    for method in ["CONNECT", "TRACE", "get", "", "GET /x HTTP/1.1\r\n"] {
        refused(ask(&http, &FetchRequest { method: method.to_owned(), ..of(&web, "/") }));
    }
    assert_eq!(web.connections(), 0);
}

#[test]
fn redirects_are_checked_like_first_url() {
    let other = Web::start_as(&["localhost", "127.0.0.1"], echo);
    let elsewhere = format!("https://127.0.0.1:{}/landed", other.port());
    let plain = Web::plain(echo);
    let to_plain = format!("http://localhost:{}/", plain.port());
    let web = Web::start(move |seen, out| {
        let to = match seen.path.as_str() {
            "/private" => elsewhere.clone(),
            "/plain" => to_plain.clone(),
            "/file" => "file:///etc/passwd".to_owned(),
            "/relative" => "below/x?y".to_owned(),
            "/loop" => "/loop".to_owned(),
            "/nowhere" => "https://".to_owned(),
            "/see" => return reply(out, 303, &[("location", "/seen")], ""),
            "/keep" => return reply(out, 307, &[("location", "/kept")], ""),
            "/none" => return reply(out, 302, &[], "nothing"),
            _ => return echo(seen, out),
        };
        reply(out, 302, &[("location", &to)], "")
    });
    let http = helper(&web, &["localhost".to_owned()]);
    let hosts = [web.host(), format!("127.0.0.1:{}", other.port()), format!("http://localhost:{}", plain.port())];
    let hosts: Vec<&str> = hosts.iter().map(String::as_str).collect();
    let asked = |path: &str| get(&web.url(path), &hosts);
    assert!(refused(ask(&http, &asked("/private"))).contains("in a private network"));
    let other_host = format!("127.0.0.1:{}", other.port());
    let not_allowed = NetError::HostNotAllowed { host: other_host, is_redirect: true };
    assert_eq!(ask(&http, &of(&web, "/private")), Err(not_allowed));
    assert_eq!(other.connections(), 0);
    assert!(refused(ask(&http, &asked("/plain"))).contains("from https to another scheme"));
    assert!(refused(ask(&http, &asked("/file"))).contains("from https to another scheme"));
    assert_eq!(plain.connections(), 0);
    assert!(failed(ask(&http, &asked("/nowhere"))).contains("redirects to an invalid URL"));
    let relative = ask(&http, &asked("/relative")).unwrap();
    assert_eq!((relative.url, relative.body.as_slice()), (web.url("/below/x?y"), &b"GET /below/x?y "[..]));
    let before = web.paths().len();
    assert_eq!(ask(&http, &asked("/loop")), Err(NetError::TooManyRedirects));
    assert_eq!(web.paths().len() - before, MAX_FETCH_REDIRECTS + 1);
    assert_eq!(ask(&http, &asked("/none")).unwrap().body, b"nothing");
    let post = |path: &str| FetchRequest { method: "POST".into(), body: b"body".to_vec(), ..asked(path) };
    assert_eq!(ask(&http, &post("/see")).unwrap().body, b"GET /seen ");
    assert_eq!(ask(&http, &post("/keep")).unwrap().body, b"POST /kept body");
}

#[test]
fn cross_origin_redirect_drops_secrets() {
    let other = Web::start(echo);
    let to = other.url("/landed");
    let web = Web::start(move |seen, out| match seen.path.as_str() {
        "/away" => reply(out, 307, &[("location", &to)], ""),
        "/home" => reply(out, 307, &[("location", "/landed")], ""),
        _ => echo(seen, out),
    });
    // Both certificates are in the one file of trusted certificates.
    let both = [web.certificate(), other.certificate()].map(|file| std::fs::read_to_string(file).unwrap()).concat();
    std::fs::write(web.certificate(), both).unwrap();
    let http = helper(&web, &["localhost".to_owned()]);
    let secret = |path: &str| FetchRequest {
        headers: [("Authorization", "s"), ("Cookie", "s"), ("X-Token", "s"), ("Accept", "a/b")]
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .into(),
        ..get(&web.url(path), &[&web.host(), &other.host()])
    };
    ask(&http, &secret("/away")).unwrap();
    let seen = other.seen().pop().unwrap();
    assert_eq!((seen.path.as_str(), seen.header("accept")), ("/landed", Some("a/b")));
    for name in ["authorization", "cookie", "x-token"] {
        assert_eq!(seen.header(name), None, "{name}");
    }
    ask(&http, &secret("/home")).unwrap();
    assert_eq!(web.seen().pop().unwrap().header("x-token"), Some("s"));
    // The body, too.
    let arrived = other.seen().len();
    let post = |path: &str| FetchRequest { method: "POST".into(), body: b"secret".to_vec(), ..secret(path) };
    assert!(refused(ask(&http, &post("/away"))).contains("redirects the body of the request to another host"));
    assert_eq!(other.seen().len(), arrived);
    ask(&http, &post("/home")).unwrap();
    assert_eq!(web.seen().pop().unwrap().body, b"secret");
}

#[test]
fn response_over_limits_is_refused() {
    let web = Web::start(|seen, out| match seen.path.as_str() {
        "/fits" => reply(out, 200, &[], vec![b'x'; MOST]),
        "/said" => reply(out, 200, &[], vec![b'x'; MOST + 1]),
        "/unsaid" => {
            out.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")?;
            // Until the client stops reading.
            loop {
                out.write_all(format!("{:x}\r\n", 4096).as_bytes())?;
                out.write_all(&[b'x'; 4096])?;
                out.write_all(b"\r\n")?;
            }
        }
        "/headers" => {
            out.write_all(b"HTTP/1.1 200 OK\r\n")?;
            loop {
                out.write_all(b"x-more: and more\r\n")?;
            }
        }
        "/header" => {
            out.write_all(b"HTTP/1.1 200 OK\r\nx-more: ")?;
            loop {
                out.write_all(b"and more and more and more and more")?;
            }
        }
        "/compressed" => reply(out, 200, &[("content-encoding", "gzip")], "bomb"),
        "/short" => out.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\nshort"),
        "/nonsense" => out.write_all(b"nonsense\r\n\r\n"),
        _ => Err(io::ErrorKind::Other.into()),
    });
    let http = allowed(&web);
    assert_eq!(ask(&http, &of(&web, "/fits")).unwrap().body.len(), MOST);
    for path in ["/said", "/unsaid"] {
        assert_eq!(ask(&http, &of(&web, path)), Err(NetError::TooLarge(MOST as u64)), "{path}");
    }
    assert!(failed(ask(&http, &of(&web, "/header"))).contains("64 KiB of headers"));
    assert!(failed(ask(&http, &of(&web, "/headers"))).contains("too many headers"));
    assert!(failed(ask(&http, &of(&web, "/compressed"))).contains("compressed"));
    for path in ["/short", "/nonsense", "/nothing"] {
        failed(ask(&http, &of(&web, path)));
    }
    // None of them harmed the helper.
    assert_eq!(ask(&http, &of(&web, "/fits")).unwrap().status, 200);
}

/// Sends a byte now and then until the client closes the connection, and then sets `ended`.
fn drip_bytes(
    ended: &Arc<AtomicBool>,
) -> impl Fn(&WebRequest, &mut dyn Write) -> io::Result<()> + Send + Sync + 'static {
    let ended = Arc::clone(ended);
    move |_, out| {
        let mut drip = || -> io::Result<()> {
            out.write_all(b"HTTP/1.1 200 OK\r\n\r\n")?;
            loop {
                out.write_all(b"x")?;
                out.flush()?;
                std::thread::sleep(Duration::from_millis(10));
            }
        };
        let done = drip();
        ended.store(true, Ordering::Relaxed);
        done
    }
}

#[test]
fn slow_response_times_out() {
    let ended = Arc::new(AtomicBool::new(false));
    let web = Web::start(drip_bytes(&ended));
    let http = allowed(&web);
    let slow = FetchRequest { timeout: Duration::from_millis(300), ..of(&web, "/") };
    assert_eq!(ask(&http, &slow), Err(NetError::TimedOut));
    eventually("the connection ends", || ended.load(Ordering::Relaxed));
}

#[test]
fn cancelled_request_closes_connection() {
    let ended = Arc::new(AtomicBool::new(false));
    let web = Web::start(drip_bytes(&ended));
    let http = allowed(&web);
    let is_there = || !web.seen().is_empty();
    assert_eq!(http.request(&of(&web, "/"), &is_there), Err(NetError::Cancelled));
    eventually("the connection ends", || ended.load(Ordering::Relaxed));
}

#[test]
fn unknown_certificate_is_refused() {
    let web = Web::start(echo);
    let stranger = Web::start(echo);
    let http = helper(&web, &["localhost".to_owned(), "127.0.0.1".to_owned()]);
    let why = failed(ask(&http, &of(&stranger, "/")));
    assert!(why.starts_with("localhost cannot be trusted"), "{why}");
    // The certificate is trusted, but for another name.
    let port = web.port();
    let why = failed(ask(&http, &get(&format!("https://127.0.0.1:{port}/"), &[&format!("127.0.0.1:{port}")])));
    assert!(why.starts_with("127.0.0.1 cannot be trusted"), "{why}");
    assert!(web.seen().is_empty() && stranger.seen().is_empty());
    let none = HttpFetcher::start(HelperConfig {
        program: program(),
        environment: vec![("SSL_CERT_FILE", web.certificate().with_file_name("none").into_os_string())],
        private_hosts: &[],
    })
    .unwrap();
    assert!(failed(ask(&none, &of(&web, "/"))).contains("SSL_CERT_FILE"));
}

#[test]
fn plain_http_requires_explicit_pattern() {
    let plain = Web::plain(echo);
    // Without any certificate the helper would not start a request.
    let http = helper(&Web::start(echo), &["localhost".to_owned()]);
    let url = format!("http://localhost:{}/", plain.port());
    assert!(refused(ask(&http, &get(&url, &[&plain.host(), "*"]))).starts_with("only https"));
    assert_eq!(plain.connections(), 0);
    assert_eq!(ask(&http, &get(&url, &[&format!("http://{}", plain.host())])).unwrap().body, b"GET / ");
    // A server without TLS is not contacted in plain text instead.
    failed(ask(&http, &of(&plain, "/")));
}

#[test]
fn failed_request_names_cause() {
    let web = Web::start(echo);
    let http = helper(&web, &["localhost".to_owned()]);
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().port()
    };
    let url = format!("https://localhost:{closed}/");
    let why = failed(ask(&http, &get(&url, &[&format!("localhost:{closed}")])));
    assert_eq!(why, "the connection to localhost failed: connection refused");
}

#[test]
fn caller_leaves_requests_to_others() {
    let released = Arc::new(AtomicBool::new(false));
    let waits = Arc::clone(&released);
    let web = Web::start(move |seen, out| {
        while seen.path.starts_with("/slow") && !waits.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(5));
        }
        echo(seen, out)
    });
    let http = allowed(&web);
    let by = |caller: &str, path: &str| ask(&http, &FetchRequest { caller: Some(caller.to_owned()), ..of(&web, path) });
    std::thread::scope(|scope| {
        let by = &by;
        let asked: Vec<_> =
            (0..MAX_CONCURRENT_FETCHES).map(|n| scope.spawn(move || by("one", &format!("/slow{n}")))).collect();
        eventually("its share arrives", || web.seen().len() == MAX_CONCURRENT_FETCHES * 3 / 4);
        assert_eq!(by("other", "/quick").unwrap().status, 200);
        assert_eq!(web.seen().len(), MAX_CONCURRENT_FETCHES * 3 / 4 + 1);
        released.store(true, Ordering::Relaxed);
        assert!(asked.into_iter().all(|asked| asked.join().unwrap().unwrap().status == 200));
    });
}

#[test]
fn request_over_concurrency_limit_is_busy() {
    let released = Arc::new(AtomicBool::new(false));
    let waits = Arc::clone(&released);
    let web = Web::start(move |seen, out| {
        while !waits.load(Ordering::Relaxed) {
            std::thread::sleep(Duration::from_millis(5));
        }
        echo(seen, out)
    });
    let http = allowed(&web);
    let one = |n: usize| ask(&http, &of(&web, &format!("/{n}")));
    std::thread::scope(|scope| {
        let one = &one;
        let asked: Vec<_> = (0..MAX_CONCURRENT_FETCHES).map(|n| (n, scope.spawn(move || one(n)))).collect();
        eventually("all of them arrive", || web.seen().len() == MAX_CONCURRENT_FETCHES);
        let impatient = FetchRequest { timeout: Duration::from_millis(50), ..of(&web, "/more") };
        assert_eq!(ask(&http, &impatient), Err(NetError::Busy));
        // A more patient one waits for one of them.
        let patient = scope.spawn(|| ask(&http, &of(&web, "/patient")));
        released.store(true, Ordering::Relaxed);
        for (n, asked) in asked {
            assert_eq!(asked.join().unwrap().unwrap().body, format!("GET /{n} ").into_bytes());
        }
        assert_eq!(patient.join().unwrap().unwrap().body, b"GET /patient ");
    });
    assert_eq!(ask(&http, &of(&web, "/more")).unwrap().status, 200);
}
