//! Connections: accepted in a bounded number from listeners that were bound before this process was confined, and
//! closed in order.
//!
//! Owns: the timeouts of a client, and that open requests are answered before the end.
//! Never: reads a request.

use std::convert::Infallible;
use std::io::{self, IoSlice};
use std::net::IpAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
#[cfg(unix)]
use tokio::net::{UnixListener, UnixStream};
use tokio::task::JoinSet;
use tokio::time::{Instant, Sleep, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::connection_info::ConnectionInfo;
use super::connection_limiter::ConnectionSlot;
use super::service::HttpService;
use super::write_timeout::StallTimer;
use crate::http::limits::{
    MAX_HTTP_CONNECTIONS, MAX_REQUEST_HEAD_BYTES, MAX_REQUEST_HEADERS, REQUEST_HEAD_TIMEOUT, WRITE_STALL_TIMEOUT,
};
use crate::limits::SHUTDOWN_TIMEOUT;

/// A listening socket, bound and not yet used.
#[derive(Debug)]
pub enum Listener {
    Tcp(std::net::TcpListener),
    #[cfg(unix)]
    Unix(std::os::unix::net::UnixListener),
}

enum AsyncListener {
    Tcp(TcpListener),
    #[cfg(unix)]
    Unix(UnixListener),
}

enum SocketStream {
    Tcp(TcpStream),
    #[cfg(unix)]
    Unix(UnixStream),
}

impl Listener {
    /// Whether other machines can reach it.
    #[must_use]
    pub fn is_remote(&self) -> bool {
        match self {
            // If the address is unknown, it may be reachable.
            Self::Tcp(listener) => listener.local_addr().map_or(true, |address| !address.ip().is_loopback()),
            #[cfg(unix)]
            Self::Unix(_) => false,
        }
    }

    fn into_async(self) -> io::Result<AsyncListener> {
        match self {
            Self::Tcp(listener) => {
                listener.set_nonblocking(true)?;
                Ok(AsyncListener::Tcp(TcpListener::from_std(listener)?))
            }
            #[cfg(unix)]
            Self::Unix(listener) => {
                listener.set_nonblocking(true)?;
                Ok(AsyncListener::Unix(UnixListener::from_std(listener)?))
            }
        }
    }
}

impl AsyncListener {
    async fn accept(&self) -> io::Result<(SocketStream, Option<IpAddr>)> {
        match self {
            Self::Tcp(listener) => {
                let (stream, _) = listener.accept().await?;
                // An answer is sent in one piece, so that Nagle's algorithm would only delay it.
                // A connection that its client has closed is noticed when it is read.
                let _ = stream.set_nodelay(true);
                let local_ip = stream.local_addr().ok().map(|address| address.ip().to_canonical());
                Ok((SocketStream::Tcp(stream), local_ip))
            }
            #[cfg(unix)]
            Self::Unix(listener) => Ok((SocketStream::Unix(listener.accept().await?.0), None)),
        }
    }
}

/// Accepts connections until `http_service` drains, and lets their requests finish within `grace`.
pub(super) async fn accept_connections(
    listener: Listener,
    http_service: Arc<HttpService>,
    grace: Duration,
) -> io::Result<()> {
    /// Resources that the system lacks may be free again soon.
    const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);
    let is_remote = listener.is_remote();
    let listener = listener.into_async()?;
    let mut open = JoinSet::new();
    let stop = http_service.drain_token().clone();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        let (stream, local_ip) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                sleep(ACCEPT_RETRY_DELAY).await;
                continue;
            }
        };
        let slot = tokio::select! {
            () = stop.cancelled() => break,
            slot = http_service.connection_limiter().acquire(MAX_HTTP_CONNECTIONS) => slot,
        };
        while open.try_join_next().is_some() {}
        let (http_service, info, stop) =
            (Arc::clone(&http_service), ConnectionInfo { local_ip, is_remote }, stop.clone());
        open.spawn(async move { serve_connection(stream, Arc::new(slot), http_service, info, &stop).await });
    }
    drop(listener);
    let finish = async { while open.join_next().await.is_some() {} };
    if timeout(grace, finish).await.is_err() {
        tracing::warn!("requests still run after the grace period: cancelling them");
        http_service.terminate();
        let _ = timeout(SHUTDOWN_TIMEOUT, async { while open.join_next().await.is_some() {} }).await;
    }
    open.shutdown().await;
    Ok(())
}

/// Serves one connection that a fuzz target made.
#[cfg(feature = "fuzzing")]
pub(crate) async fn serve_fuzzed_stream(stream: UnixStream, http_service: &Arc<HttpService>) {
    let slot = http_service.connection_limiter().acquire(MAX_HTTP_CONNECTIONS).await;
    let info = ConnectionInfo { local_ip: None, is_remote: false };
    let stop = http_service.drain_token().clone();
    serve_connection(SocketStream::Unix(stream), Arc::new(slot), Arc::clone(http_service), info, &stop).await;
}

async fn serve_connection(
    stream: SocketStream,
    slot: Arc<ConnectionSlot>,
    http_service: Arc<HttpService>,
    info: ConnectionInfo,
    stop: &CancellationToken,
) {
    let connection_slot = Arc::clone(&slot);
    let service = service_fn(move |request| {
        let (http_service, slot) = (Arc::clone(&http_service), Arc::clone(&slot));
        async move { Ok::<_, Infallible>(http_service.handle(&slot, request, info).await) }
    });
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(REQUEST_HEAD_TIMEOUT)
        .max_headers(MAX_REQUEST_HEADERS)
        .max_buf_size(MAX_REQUEST_HEAD_BYTES);
    let stream = TokioIo::new(TimeoutStream::new(stream, Arc::clone(&connection_slot)));
    let mut connection = pin!(builder.serve_connection(stream, service));
    let done = tokio::select! {
        biased;
        done = connection.as_mut() => done,
        () = connection_slot.evicted.cancelled() => {
            if !connection_slot.has_unanswered_request() {
                return tracing::debug!("closed a connection, because another one waits for its place");
            }
            connection_slot.decline_eviction();
            connection.as_mut().graceful_shutdown();
            connection.await
        }
        () = stop.cancelled() => {
            // An incomplete head may never be completed.
            if connection_slot.is_idle() {
                return;
            }
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = done {
        tracing::debug!(%error, "a connection failed");
    }
}

/// A stream whose writes fail when the client is stalled for too long.
struct TimeoutStream {
    stream: SocketStream,
    slot: Arc<ConnectionSlot>,
    stall_timer: StallTimer,
    /// Wakes this task when the client's time is over.
    deadline: Pin<Box<Sleep>>,
}

impl TimeoutStream {
    fn new(stream: SocketStream, slot: Arc<ConnectionSlot>) -> Self {
        Self { stream, slot, stall_timer: StallTimer::default(), deadline: Box::pin(sleep(WRITE_STALL_TIMEOUT)) }
    }

    /// Applies the timeout to the result of writing `bytes`.
    fn check_write(
        &mut self,
        context: &mut Context<'_>,
        bytes: usize,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        let now = Instant::now();
        if let Poll::Ready(written) = written {
            self.stall_timer.record_written(*written.as_ref().unwrap_or(&0), now);
            if matches!(written, Ok(1..)) {
                self.slot.note_progress();
            }
            return Poll::Ready(written);
        }
        self.slot.set_write_blocked(true);
        let Some(until) = self.stall_timer.next_deadline(bytes + self.slot.unsent_bytes(), now) else {
            return Poll::Ready(Err(io::ErrorKind::TimedOut.into()));
        };
        self.deadline.as_mut().reset(until);
        self.deadline.as_mut().poll(context).map(|()| Err(io::ErrorKind::TimedOut.into()))
    }
}

impl AsyncRead for TimeoutStream {
    fn poll_read(self: Pin<&mut Self>, context: &mut Context<'_>, buffer: &mut ReadBuf<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().stream {
            SocketStream::Tcp(stream) => Pin::new(stream).poll_read(context, buffer),
            #[cfg(unix)]
            SocketStream::Unix(stream) => Pin::new(stream).poll_read(context, buffer),
        }
    }
}

impl AsyncWrite for TimeoutStream {
    fn poll_write(self: Pin<&mut Self>, context: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = match &mut this.stream {
            SocketStream::Tcp(stream) => Pin::new(stream).poll_write(context, bytes),
            #[cfg(unix)]
            SocketStream::Unix(stream) => Pin::new(stream).poll_write(context, bytes),
        };
        this.check_write(context, bytes.len(), written)
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let this = self.get_mut();
        let written = match &mut this.stream {
            SocketStream::Tcp(stream) => Pin::new(stream).poll_write_vectored(context, slices),
            #[cfg(unix)]
            SocketStream::Unix(stream) => Pin::new(stream).poll_write_vectored(context, slices),
        };
        this.check_write(context, slices.iter().map(|slice| slice.len()).sum(), written)
    }

    fn is_write_vectored(&self) -> bool {
        true
    }

    fn poll_flush(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let this = self.get_mut();
        // Everything of the reply so far is written.
        this.slot.set_write_blocked(false);
        if this.slot.unsent_bytes() == 0 {
            this.stall_timer.reset();
        }
        match &mut this.stream {
            SocketStream::Tcp(stream) => Pin::new(stream).poll_flush(context),
            #[cfg(unix)]
            SocketStream::Unix(stream) => Pin::new(stream).poll_flush(context),
        }
    }

    fn poll_shutdown(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        match &mut self.get_mut().stream {
            SocketStream::Tcp(stream) => Pin::new(stream).poll_shutdown(context),
            #[cfg(unix)]
            SocketStream::Unix(stream) => Pin::new(stream).poll_shutdown(context),
        }
    }
}
