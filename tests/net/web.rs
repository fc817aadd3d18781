//! A web server of a test: TLS with a certificate that was made for it, on a port of this machine.

use std::io::{self, BufRead as _, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::thread;

use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use tempfile::TempDir;

/// A received request.
#[derive(Debug, Clone, Default)]
pub(super) struct WebRequest {
    pub(super) method: String,
    /// The path with the query.
    pub(super) path: String,
    /// With names in lower case.
    pub(super) headers: Vec<(String, String)>,
    pub(super) body: Vec<u8>,
}

impl WebRequest {
    pub(super) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Writes the response; an error ends the connection.
type Answer = dyn Fn(&WebRequest, &mut dyn Write) -> io::Result<()> + Send + Sync;

pub(super) struct Web {
    port: u16,
    seen: Arc<Mutex<Vec<WebRequest>>>,
    connections: Arc<Mutex<usize>>,
    dir: TempDir,
}

impl Web {
    /// Starts a server with TLS, as `localhost`.
    pub(super) fn start(
        answer: impl Fn(&WebRequest, &mut dyn Write) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self::start_as(&["localhost"], answer)
    }

    pub(super) fn start_as(
        names: &[&str],
        answer: impl Fn(&WebRequest, &mut dyn Write) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let made = rcgen::generate_simple_self_signed(names).unwrap();
        let key = PrivateKeyDer::Pkcs8(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions().unwrap();
        let config = config.with_no_client_auth().with_single_cert(vec![made.cert.der().clone()], key).unwrap();
        let config = Arc::new(config);
        Self::listen(&made.cert.pem(), Arc::new(answer), move |stream| {
            let connection = ServerConnection::new(Arc::clone(&config)).unwrap();
            Box::new(StreamOwned::new(connection, stream))
        })
    }

    /// Starts a server with plain HTTP.
    pub(super) fn plain(
        answer: impl Fn(&WebRequest, &mut dyn Write) -> io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self::listen("", Arc::new(answer), |stream| Box::new(stream))
    }

    fn listen(
        certificate: &str,
        answer: Arc<Answer>,
        wrap: impl Fn(TcpStream) -> Box<dyn ReadWrite> + Send + Sync + 'static,
    ) -> Self {
        let dir = TempDir::new().unwrap();
        std::fs::write(dir.path().join("certificate.pem"), certificate).unwrap();
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let (seen, connections) = (Arc::default(), Arc::default());
        let web = Self { port, seen: Arc::clone(&seen), connections: Arc::clone(&connections), dir };
        let wrap = Arc::new(wrap);
        // The thread ends with the tests.
        thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                *connections.lock().unwrap() += 1;
                let (answer, seen, wrap) = (Arc::clone(&answer), Arc::clone(&seen), Arc::clone(&wrap));
                thread::spawn(move || {
                    let raw = stream.try_clone().unwrap();
                    let mut stream = BufReader::new(wrap(stream));
                    if let Ok(request) = read(&mut stream) {
                        seen.lock().unwrap().push(request.clone());
                        let stream = stream.get_mut();
                        if answer(&request, stream).is_ok() {
                            let _ = stream.flush();
                        }
                    }
                    let _ = raw.shutdown(std::net::Shutdown::Write);
                });
            }
        });
        web
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Returns a URL of this server.
    pub(super) fn url(&self, path: &str) -> String {
        format!("https://localhost:{}{path}", self.port)
    }

    /// Returns the host as an allow-list names it.
    pub(super) fn host(&self) -> String {
        format!("localhost:{}", self.port)
    }

    /// Returns the path of the certificate.
    pub(super) fn certificate(&self) -> PathBuf {
        self.folder().join("certificate.pem")
    }

    fn folder(&self) -> &Path {
        self.dir.path()
    }

    /// Returns the requests so far.
    pub(super) fn seen(&self) -> Vec<WebRequest> {
        self.seen.lock().unwrap().clone()
    }

    pub(super) fn paths(&self) -> Vec<String> {
        self.seen().into_iter().map(|seen| seen.path).collect()
    }

    /// Returns the number of connections so far.
    pub(super) fn connections(&self) -> usize {
        *self.connections.lock().unwrap()
    }
}

trait ReadWrite: Read + Write {}
impl<T: Read + Write> ReadWrite for T {}

fn read(stream: &mut BufReader<Box<dyn ReadWrite>>) -> io::Result<WebRequest> {
    let mut line = String::new();
    stream.read_line(&mut line)?;
    let mut words = line.split_whitespace();
    let mut seen = WebRequest {
        method: words.next().ok_or(io::ErrorKind::InvalidData)?.to_owned(),
        path: words.next().ok_or(io::ErrorKind::InvalidData)?.to_owned(),
        ..WebRequest::default()
    };
    loop {
        let mut line = String::new();
        stream.read_line(&mut line)?;
        let Some((name, value)) = line.trim_end().split_once(':') else { break };
        seen.headers.push((name.to_ascii_lowercase(), value.trim().to_owned()));
    }
    if seen.header("transfer-encoding") == Some("chunked") {
        loop {
            let mut line = String::new();
            stream.read_line(&mut line)?;
            let length = usize::from_str_radix(line.trim(), 16).map_err(io::Error::other)?;
            let mut piece = vec![0; length + 2];
            stream.read_exact(&mut piece)?;
            if length == 0 {
                return Ok(seen);
            }
            seen.body.extend_from_slice(&piece[..length]);
        }
    }
    let length = seen.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
    seen.body = vec![0; length];
    stream.read_exact(&mut seen.body)?;
    Ok(seen)
}

/// Writes a whole response.
pub(super) fn reply(
    out: &mut dyn Write,
    status: u16,
    headers: &[(&str, &str)],
    body: impl AsRef<[u8]>,
) -> io::Result<()> {
    let body = body.as_ref();
    write!(out, "HTTP/1.1 {status} X\r\ncontent-length: {}\r\nconnection: close\r\n", body.len())?;
    for (name, value) in headers {
        write!(out, "{name}: {value}\r\n")?;
    }
    out.write_all(b"\r\n")?;
    out.write_all(body)?;
    out.flush()
}
