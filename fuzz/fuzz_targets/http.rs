//! HTTP heads and bodies, through a connection of the server: whatever arrives is answered in replies that can be read, and
//! a call reaches a tool only under a name of this server, from an allowed page, and with the token of its endpoint.
#![no_main]

#[path = "http/reply.rs"]
mod reply;

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use sha2::{Digest as _, Sha256};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::UnixStream;
use tokio::runtime::Runtime;
use wardroom_base::memory::MemoryShare;
use wardroom_config::WatchMode;
use wardroom_mcp::fuzzing::serve_stream;
use wardroom_mcp::http::{
    CallerQuotas, Endpoint, EndpointParts, HttpService, HttpServiceBuilder, OriginPolicy, SessionLimits, TokenHash,
};
use wardroom_mcp::{McpServer, ServerIdentity};
use wardroom_service::limits::MAX_MESSAGE_BYTES;
use wardroom_service::{Caller, Catalogue, ResolvedTool, Service, ToolEntry, ToolProvider};

use reply::Reply;

#[derive(Arbitrary, Debug)]
enum Input {
    /// Any bytes, in pieces.
    Stream(Vec<u8>, u8),
    Request(Request),
}

#[derive(Arbitrary, Debug)]
struct Request {
    method: u8,
    path: u8,
    host: Header,
    origin: Header,
    token: Header,
    accept: Header,
    kind: Header,
    version: Header,
    method_header: Header,
    name_header: Header,
    session: Header,
    body: Body,
    is_chunked: bool,
    /// How much of the body is sent.
    cut: Option<u8>,
    more: Vec<(Text, Text)>,
}

/// A header that is missing, one of a few, any, or there twice.
#[derive(Arbitrary, Debug)]
enum Header {
    Usual,
    Missing,
    Known(u8),
    Other(Text),
    Twice(u8, u8),
}

/// What a header may hold.
#[derive(Arbitrary, Debug)]
struct Text(String);

#[derive(Arbitrary, Debug)]
enum Body {
    LegacyCall,
    ModernCall,
    Initialize,
    Notification,
    Ping,
    Long(u16),
    Other(Vec<u8>),
}

const METHODS: [&str; 8] = ["POST", "GET", "DELETE", "OPTIONS", "PUT", "HEAD", "PATCH", "X-y"];
const PATHS: [&str; 8] =
    ["/open", "/secret", "/sessions", "/healthz", "/", "/open/", "/%6fpen", "http://localhost/open"];
const HOSTS: [&str; 8] = [
    "localhost",
    "127.0.0.1:80",
    "[::1]:8",
    "LOCALHOST:1",
    "named.example",
    "evil.example",
    "localhost.",
    "localhost@evil",
];
const GOOD_HOSTS: usize = 5;
const ORIGINS: [&str; 6] =
    ["http://app.example", "http://app.example:81", "https://app.example", "null", "http://localhost", "x"];
const GOOD_ORIGINS: usize = 1;
const TOKENS: [&str; 6] = ["Bearer right", "bearer  right", "Bearer wrong", "Basic right", "Bearer", "Bearer right x"];
const GOOD_TOKENS: usize = 2;
const ACCEPTS: [&str; 4] = ["application/json, text/event-stream", "*/*", "text/html", "application/json;q=0, */*"];
const KINDS: [&str; 4] = ["application/json", "Application/JSON; charset=utf-8", "text/plain", ""];
const VERSIONS: [&str; 4] = ["2026-07-28", "2025-06-18", "2025-11-25", "1999-01-01"];
const METHOD_HEADERS: [&str; 3] = ["tools/call", "tools/list", "ping"];
const NAMES: [&str; 3] = ["t", "=?base64?dA==?=", "u"];

impl Header {
    /// The values of the header, by its usual ones.
    fn values(&self, known: &[&str], usual: Option<&str>) -> Vec<String> {
        let at = |index: u8| known[usize::from(index) % known.len()].to_owned();
        match self {
            Self::Usual => usual.map(str::to_owned).into_iter().collect(),
            Self::Missing => Vec::new(),
            Self::Known(index) => vec![at(*index)],
            Self::Other(text) => vec![text.value()],
            Self::Twice(one, other) => vec![at(*one), at(*other)],
        }
    }
}

impl Text {
    fn value(&self) -> String {
        self.0.chars().filter(|c| matches!(c, ' '..='~')).take(100).collect::<String>().trim().to_owned()
    }

    fn name(&self) -> String {
        let name: String = self.0.chars().filter(char::is_ascii_alphanumeric).take(20).collect();
        format!("X-{name}")
    }
}

impl Body {
    fn bytes(&self) -> Vec<u8> {
        const META: &str = r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"","version":""},"io.modelcontextprotocol/clientCapabilities":{}"#;
        match self {
            Self::LegacyCall => {
                br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{}}}"#.to_vec()
            }
            Self::ModernCall => format!(
                r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"t","_meta":{{{META}}}}}}}"#
            )
            .into_bytes(),
            Self::Initialize => br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"","version":""}}}"#.to_vec(),
            Self::Notification => br#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#.to_vec(),
            Self::Ping => br#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#.to_vec(),
            Self::Long(length) => vec![b' '; usize::from(*length)],
            Self::Other(bytes) => bytes.clone(),
        }
    }
}

/// A service whose only tool is looked for and never found.
#[derive(Default)]
struct Lookups(AtomicUsize);

impl Service for Lookups {
    fn name(&self) -> &'static str {
        "lookups"
    }

    fn instructions(&self) -> &'static str {
        ""
    }

    fn tools(self: Arc<Self>) -> Option<Arc<dyn ToolProvider>> {
        Some(self)
    }
}

impl ToolProvider for Lookups {
    fn list(&self, _: Option<&str>, _: usize, _: &Caller) -> Vec<Arc<ToolEntry>> {
        Vec::new()
    }

    fn resolve(self: Arc<Self>, _: &str, _: &Arc<Caller>) -> Option<Arc<dyn ResolvedTool>> {
        self.0.fetch_add(1, Ordering::Relaxed);
        None
    }
}

struct Fixture {
    runtime: Runtime,
    service: Arc<HttpService>,
    lookups: Arc<Lookups>,
}

impl Fixture {
    fn new() -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let _entered = runtime.enter();
        let lookups = Arc::<Lookups>::default();
        let catalogue = Arc::new(Catalogue::new(vec![Arc::<Lookups>::clone(&lookups)]));
        let identity = ServerIdentity { name: "s".to_owned(), version: "0".to_owned(), instructions: String::new() };
        let builder = HttpServiceBuilder::new(&MemoryShare::budget(64 << 20));
        let server = McpServer::new(catalogue, identity, WatchMode::Off, Box::new(|| Some([7; 32])));
        let server = builder.with_send_budget(server);
        let quotas = CallerQuotas::default();
        let endpoint = |path: &str, has_token: bool, has_sessions: bool| {
            let digest = Sha256::digest("right").into();
            let token = TokenHash { name: "n".to_owned(), digest, groups: Vec::new() };
            let limits = SessionLimits {
                max_sessions: 4,
                idle_timeout: Duration::from_secs(1),
                max_lifetime: Duration::from_secs(1),
            };
            let parts = EndpointParts {
                path: path.to_owned(),
                server: server.clone(),
                scope: None,
                groups: None,
                tokens: has_token.then_some(token).into_iter().collect(),
                shares_runs: false,
                sessions: has_sessions.then_some(limits),
            };
            Endpoint::new(parts, &quotas)
        };
        let endpoints =
            vec![endpoint("/open", false, false), endpoint("/secret", true, false), endpoint("/sessions", false, true)];
        let origins = ["http://app.example".to_owned()];
        let policy = OriginPolicy::new(vec!["named.example".to_owned()], Some(&origins)).expect("a policy");
        let service = Arc::new(builder.build(policy, endpoints));
        drop(_entered);
        Self { runtime, service, lookups }
    }

    /// Sends pieces, and returns everything that comes back, with the number of lookups of a tool.
    fn exchange(&self, pieces: Vec<&[u8]>, ends: bool) -> (Vec<u8>, usize) {
        let before = self.lookups.0.load(Ordering::Relaxed);
        let exchanged = self.runtime.block_on(async {
            let (mut client, server) = UnixStream::pair().expect("a pair of sockets");
            let talk = async {
                for piece in pieces {
                    if client.write_all(piece).await.is_err() {
                        break;
                    }
                    tokio::task::yield_now().await;
                }
                if ends {
                    let _ = client.shutdown().await;
                }
                let mut replies = Vec::new();
                // An answer that is not read to its end is reset.
                let _ = client.read_to_end(&mut replies).await;
                replies
            };
            let both = async { tokio::join!(serve_stream(server, &self.service), talk).1 };
            tokio::time::timeout(Duration::from_secs(20), both).await.expect("a connection ends")
        });
        (exchanged, self.lookups.0.load(Ordering::Relaxed) - before)
    }

    fn check_stream(&self, bytes: &[u8], piece: usize) {
        let (replies, lookups) = self.exchange(bytes.chunks(piece).collect(), true);
        let text = String::from_utf8_lossy(bytes).to_ascii_lowercase();
        assert!(lookups == 0 || text.contains("host") && text.contains("post"), "{text:?}");
        // Whether a reply has a body depends on its request.
        if !text.contains("head") {
            let mut rest = &replies[..];
            while let Some(reply) = Reply::take(&mut rest, true) {
                check_reply(&reply);
            }
        }
    }

    fn check_request(&self, request: &Request) {
        let method = METHODS[usize::from(request.method) % METHODS.len()];
        let path = PATHS[usize::from(request.path) % PATHS.len()];
        let hosts = request.host.values(&HOSTS, Some(HOSTS[0]));
        let origins = request.origin.values(&ORIGINS, None);
        let tokens = request.token.values(&TOKENS, Some(TOKENS[0]));
        let mut head = format!("{method} {path} HTTP/1.1\r\nConnection: close\r\n");
        let mut add = |name: &str, values: &[String]| {
            values.iter().for_each(|value| head.push_str(&format!("{name}: {value}\r\n")));
        };
        add("Host", &hosts);
        add("Origin", &origins);
        add("Authorization", &tokens);
        add("Accept", &request.accept.values(&ACCEPTS, Some(ACCEPTS[0])));
        add("Content-Type", &request.kind.values(&KINDS, Some(KINDS[0])));
        let versions = request.version.values(&VERSIONS, None);
        add("MCP-Protocol-Version", &versions);
        add("Mcp-Method", &request.method_header.values(&METHOD_HEADERS, None));
        add("Mcp-Name", &request.name_header.values(&NAMES, None));
        add("Mcp-Session-Id", &request.session.values(&["", "0"], None));
        for (name, value) in request.more.iter().take(8) {
            add(&name.name(), &[value.value()]);
        }
        let body = request.body.bytes();
        if request.is_chunked {
            head.push_str("Transfer-Encoding: chunked\r\n\r\n");
        } else {
            head.push_str(&format!("Content-Length: {}\r\n\r\n", body.len()));
        }
        let mut sent = head.clone().into_bytes();
        let sent_body = if request.is_chunked {
            let chunks =
                body.chunks(100).map(|chunk| [format!("{:x}\r\n", chunk.len()).as_bytes(), chunk, b"\r\n"].concat());
            [chunks.collect::<Vec<_>>().concat(), b"0\r\n\r\n".to_vec()].concat()
        } else {
            body.clone()
        };
        let kept = request.cut.map_or(sent_body.len(), |cut| sent_body.len().min(cut.into()));
        sent.extend(&sent_body[..kept]);
        let is_whole = kept == sent_body.len();
        let (replies, lookups) = self.exchange(sent.chunks(1000).collect(), !is_whole);

        // What a naive reader of the head says.
        let good = |values: &[String], known: &[&str], count: usize| {
            let [value] = values else { return false };
            known[..count].contains(&value.as_str())
        };
        let is_known = |header: &Header| !matches!(header, Header::Other(_));
        let (has_host, has_token) = (good(&hosts, &HOSTS, GOOD_HOSTS), good(&tokens, &TOKENS, GOOD_TOKENS));
        let has_origin = origins.is_empty() || good(&origins, &ORIGINS, GOOD_ORIGINS);
        let endpoint = match path {
            "http://localhost/open" => "/open",
            path => path,
        };
        if lookups > 0 {
            assert!(has_host || !is_known(&request.host), "{head}");
            assert!(has_origin || !is_known(&request.origin), "{head}");
            assert!(
                endpoint == "/open"
                    || endpoint == "/sessions"
                    || endpoint == "/secret" && (has_token || !is_known(&request.token))
            );
            assert!(method == "POST" && body.len() <= MAX_MESSAGE_BYTES, "{head}");
        }
        let mut rest = &replies[..];
        let reply = Reply::take(&mut rest, method != "HEAD");
        let Some(reply) = reply else {
            assert!(!is_whole, "{head:?} is not answered: {:?}", String::from_utf8_lossy(&replies));
            return;
        };
        assert!(rest.is_empty(), "one request has one reply: {}", String::from_utf8_lossy(&replies));
        check_reply(&reply);
        if !(is_known(&request.host) && is_known(&request.origin) && is_known(&request.token)) {
            return;
        }
        let expected: &[u16] = match () {
            () if hosts.len() != 1 => &[400],
            () if !has_host || !has_origin => &[403],
            () if endpoint == "/healthz" && matches!(method, "GET" | "HEAD") => &[200],
            () if endpoint == "/healthz" => &[405],
            () if !matches!(endpoint, "/open" | "/secret" | "/sessions") => &[404],
            () if method == "OPTIONS" => &[200, 204],
            () if endpoint == "/secret" && !has_token => &[401],
            () if method == "POST" => &[200, 202, 400, 404, 406, 408, 413, 415, 503],
            // The revisions from 2026-07-28 on have no sessions.
            () if endpoint == "/sessions" && matches!(method, "GET" | "DELETE") => match &versions[..] {
                [version] if version.as_str() >= "2026-07-28" => &[405],
                _ => &[400, 404, 406],
            },
            () => &[405],
        };
        assert!(expected.contains(&reply.status), "{} and not {expected:?}: {head}", reply.status);
        let allowed = reply.header("access-control-allow-origin");
        assert!(
            allowed.is_none() || Some(allowed.unwrap_or_default()) == origins.first().map(String::as_str) && has_origin
        );
        if is_whole && method == "POST" && reply.status == 200 {
            assert!(lookups <= 2 && body.len() <= MAX_MESSAGE_BYTES);
        }
    }
}

/// What holds of every reply.
fn check_reply(reply: &Reply) {
    assert!(reply.status != 500, "{}", String::from_utf8_lossy(&reply.body));
    if reply.status >= 400 && !reply.body.is_empty() {
        let error: serde_json::Value = serde_json::from_slice(&reply.body).expect("an error is JSON");
        assert!(error.pointer("/error/message").is_some_and(serde_json::Value::is_string), "{error}");
    }
}

thread_local! {
    static FIXTURE: RefCell<Option<Fixture>> = const { RefCell::new(None) };
}

fuzz_target!(|input: Input| {
    FIXTURE.with_borrow_mut(|fixture| {
        let fixture = fixture.get_or_insert_with(Fixture::new);
        match input {
            Input::Stream(bytes, piece) => fixture.check_stream(&bytes, 1 + usize::from(piece) * 4),
            Input::Request(request) => fixture.check_request(&request),
        }
    });
});
