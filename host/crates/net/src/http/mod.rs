//! HTTP requests, made by `wardroom helper http`, a process that has sockets and nothing else.
//!
//! Owns: what a request and its answer are, and their bounds on this side.
//! Gives: [`Http::request`], which several threads may call at once.
//! Never: opens a socket.

mod exchange;
pub(super) mod process;

use std::io;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::helper::{Beginning, Helper, Ready};
use super::{NetError, Policy};
use wardroom_base::limits::{LUA_LOOK_TIME, MAX_FETCHES, MAX_HTTP_BODY_BYTES, MAX_HTTP_TIME};

/// What is asked. The body of the answer is kept as it came: nothing is decompressed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// `GET`, `HEAD`, `POST`, `PUT`, `PATCH`, `DELETE` or `OPTIONS`.
    pub method: String,
    pub url: String,
    /// Not those that say how the message itself is made, such as `host` and `content-length`.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
    /// For all of it, redirects and body included.
    pub time: Duration,
    /// Of the answer's body.
    pub max_bytes: usize,
    /// Where it may go, redirects included.
    pub policy: Policy,
}

impl Request {
    #[must_use]
    pub fn get(url: &str, policy: Policy, time: Duration, max_bytes: usize) -> Self {
        let (method, url) = ("GET".to_owned(), url.to_owned());
        Self { method, url, headers: Vec::new(), body: Vec::new(), time, max_bytes, policy }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Response {
    /// Of any kind: a server that answers 404 has answered.
    pub status: u16,
    /// Where the last redirect led.
    pub url: String,
    /// In lower case; those that are not text are left out.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

/// A request as the helper gets it, before `length` bytes of body.
#[derive(Debug, Serialize, Deserialize)]
struct Asked {
    method: String,
    url: String,
    headers: Vec<(String, String)>,
    length: usize,
    time: Duration,
    max_bytes: usize,
    policy: Policy,
}

/// What it answers, before `length` bytes of body.
#[derive(Debug, Serialize, Deserialize)]
struct Answered {
    status: u16,
    url: String,
    headers: Vec<(String, String)>,
    length: usize,
}

/// The handle on the process that makes requests.
pub struct Http(Helper);

impl Http {
    /// Starts the process.
    ///
    /// # Errors
    /// When the system does not start it.
    pub fn start(beginning: Beginning<'_>) -> io::Result<Self> {
        Helper::start("http", MAX_FETCHES, beginning, None).map(Self)
    }

    #[must_use]
    pub fn ready(&self) -> &Ready {
        self.0.ready()
    }

    /// The number of the process.
    #[must_use]
    pub fn id(&self) -> u32 {
        self.0.id()
    }

    /// Makes a request, and looks at `cancelled` again and again meanwhile.
    ///
    /// # Errors
    /// When there is no answer within the bounds, or the request goes where it may not.
    pub fn request(&self, request: &Request, cancelled: &dyn Fn() -> bool) -> Result<Response, NetError> {
        if let Some(lacks) = &self.ready().lacks {
            return Err(NetError::Failed(lacks.clone()));
        }
        if request.body.len() > MAX_HTTP_BODY_BYTES {
            return Err(NetError::Refused(format!("a request has at most {MAX_HTTP_BODY_BYTES} bytes")));
        }
        let asked = Asked {
            method: request.method.clone(),
            url: request.url.clone(),
            headers: request.headers.clone(),
            length: request.body.len(),
            time: request.time.min(MAX_HTTP_TIME),
            max_bytes: request.max_bytes.min(MAX_HTTP_BODY_BYTES),
            policy: request.policy.clone(),
        };
        // The helper is the first to give up, and says why.
        let deadline = Instant::now() + asked.time + 50 * LUA_LOOK_TIME;
        let mut call = self.0.call(&asked, &request.body, None)?;
        let Answered { status, url, headers, length } =
            call.message::<Result<Answered, NetError>>(deadline, cancelled)??;
        if length > asked.max_bytes {
            return Err(NetError::TooLarge(asked.max_bytes as u64));
        }
        let body = call.bytes(length, deadline, cancelled)?;
        Ok(Response { status, url, headers, body })
    }
}
