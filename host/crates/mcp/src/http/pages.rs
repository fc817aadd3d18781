//! Pages for people, beside the endpoints of the protocol.
//!
//! Owns: who is asked for a page, that each is made on a worker thread, and the streams of their versions.
//! Never: knows what a page shows, or serves one through a listener that other machines reach.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use bytes::Bytes;
use hyper::http::request::Parts;
use hyper::{Method, Response, StatusCode};
use tokio::task::spawn_blocking;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;

use super::connection_info::ConnectionInfo;
use super::quota::{CallerQuota, Quotas, RequestPermit};
use super::request_body::RequestBody;
use super::response::{ResponseBody, page_response, version_response};
use crate::http::limits::{MAX_PAGE_REQUESTS, PAGE_VERSION_INTERVAL, SSE_KEEP_ALIVE_INTERVAL};
use crate::permits::PermitChain;
use wardroom_base::memory::MemoryShare;
use wardroom_service::{HttpPageBody, HttpPages, VersionSource};

/// The pages of a server, and the quota of the people who read them.
pub(super) struct PageEndpoint {
    pages: Arc<dyn HttpPages>,
    quota: CallerQuota,
    workers: PermitChain,
}

impl PageEndpoint {
    pub(super) fn new(pages: Arc<dyn HttpPages>, memory: &MemoryShare) -> Self {
        Self { pages, quota: CallerQuota::new(memory), workers: PermitChain::new(MAX_PAGE_REQUESTS) }
    }

    /// Whether a request is for a page: by its path, and through a listener that only this machine reaches.
    pub(super) fn is_asked(&self, path: &str, info: ConnectionInfo) -> bool {
        !info.is_remote
            && info.local_ip.is_some_and(|address: IpAddr| address.is_loopback())
            && self.pages.owns_path(path)
    }

    pub(super) async fn handle(&self, head: Parts, body: RequestBody<'_>, quotas: &Quotas) -> Response<ResponseBody> {
        let answered = self.try_handle(head, body, quotas).await;
        answered
            .unwrap_or_else(|(status, reason)| self.render(self.pages.refuse(status.as_u16(), reason), None, quotas))
    }

    async fn try_handle(
        &self,
        head: Parts,
        body: RequestBody<'_>,
        quotas: &Quotas,
    ) -> Result<Response<ResponseBody>, (StatusCode, &'static str)> {
        const BUSY: (StatusCode, &str) =
            (StatusCode::SERVICE_UNAVAILABLE, "Too much runs at once. Try again in a moment.");
        let checked = match self.pages.check_head(&head) {
            Ok(checked) => checked,
            Err(refusal) => return Ok(self.render(*refusal, None, quotas)),
        };
        let (body, lease) = if head.method == Method::POST {
            let lease = quotas.receive_lease(&self.quota);
            let read = body.read(&head.headers, lease, checked.max_body_bytes).await;
            let (body, lease) = read.map_err(|error| (error.status(), "The form is too long, or came too slowly."))?;
            (body, Some(lease))
        } else {
            (Vec::new(), None)
        };
        let permit = quotas.acquire_request(&self.quota).await.map_err(|_| BUSY)?;
        let worker = self.workers.acquire().await.ok_or(BUSY)?;
        // Cancelled when the browser no longer waits for this page.
        let cancellation = quotas.terminated.child_token();
        let guard = cancellation.clone().drop_guard();
        let pages = Arc::clone(&self.pages);
        let made = spawn_blocking(move || {
            let reply = pages.respond(&head, body, &cancellation);
            drop((worker, permit, lease));
            reply
        });
        let made = made.await;
        drop(guard);
        // A panic is logged where it happens.
        let reply = made.map_err(|_| (StatusCode::INTERNAL_SERVER_ERROR, "The page could not be made."))?;
        let stream_permit = match reply.body() {
            HttpPageBody::Versions(_) => Some(quotas.acquire_stream(&self.quota).map_err(|_| BUSY)?),
            HttpPageBody::Bytes(_) => None,
        };
        Ok(self.render(reply, stream_permit, quotas))
    }

    fn render(
        &self,
        reply: Response<HttpPageBody>,
        permit: Option<RequestPermit>,
        quotas: &Quotas,
    ) -> Response<ResponseBody> {
        let (head, body) = reply.into_parts();
        match body {
            HttpPageBody::Bytes(bytes) => page_response(head, bytes),
            HttpPageBody::Versions(source) => version_response(
                head,
                VersionStream::new(source, permit, quotas.draining.clone(), self.workers.clone()),
            ),
        }
    }
}

/// The versions of the pages as server-sent events, until the server drains.
pub(super) struct VersionStream {
    source: VersionSource,
    workers: PermitChain,
    draining: CancellationToken,
    next: Pin<Box<dyn Future<Output = io::Result<u64>> + Send>>,
    last: Option<u64>,
    silent: Duration,
    _permit: Option<RequestPermit>,
}

impl VersionStream {
    fn new(
        source: VersionSource,
        permit: Option<RequestPermit>,
        draining: CancellationToken,
        workers: PermitChain,
    ) -> Self {
        let next = Box::pin(read_version(Arc::clone(&source), workers.clone(), draining.clone(), Duration::ZERO));
        Self { source, workers, draining, next, last: None, silent: Duration::ZERO, _permit: permit }
    }

    pub(super) fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<Bytes>> {
        loop {
            let Ok(version) = ready!(self.next.as_mut().poll(context)) else { return Poll::Ready(None) };
            let (source, workers, draining) = (Arc::clone(&self.source), self.workers.clone(), self.draining.clone());
            self.next = Box::pin(read_version(source, workers, draining, PAGE_VERSION_INTERVAL));
            if self.last.replace(version) != Some(version) {
                self.silent = Duration::ZERO;
                return Poll::Ready(Some(Bytes::from(format!("event: version\ndata: {version}\n\n"))));
            }
            self.silent += PAGE_VERSION_INTERVAL;
            if self.silent >= SSE_KEEP_ALIVE_INTERVAL {
                self.silent = Duration::ZERO;
                return Poll::Ready(Some(Bytes::from_static(b":\n\n")));
            }
        }
    }
}

/// Reads the version on a worker thread, after some time; an error when the server drains.
async fn read_version(
    source: VersionSource,
    workers: PermitChain,
    draining: CancellationToken,
    delay: Duration,
) -> io::Result<u64> {
    let read = async {
        sleep(delay).await;
        let permit = workers.acquire().await.ok_or_else(|| io::Error::other("the server ends"))?;
        let version = spawn_blocking(move || source()).await.map_err(io::Error::other);
        drop(permit);
        version
    };
    tokio::select! {
        () = draining.cancelled() => Err(io::Error::other("the server drains")),
        version = read => version,
    }
}
