//! MCP on standard input and output: one JSON message a line.
//!
//! Owns: the transport between rmcp and the two streams: framing with a cap, errors for malformed lines, bounds on what
//! runs and waits, coalesced writes, and the end of input.
//! Never: writes anything but messages to standard output.

mod in_flight;
#[cfg(unix)]
mod nonblocking;
mod outbox;
mod ready_tasks;
mod streams;
mod transport;

use std::sync::Arc;
use std::time::Duration;

use rmcp::service::serve_directly;

use self::outbox::Outbox;
pub use self::streams::StdioStreams;
use self::transport::StdioTransport;
use super::{CatchPanic, McpServer};
use crate::request_runner::ClientPeer;

/// Serves one client until the end of input, and for `grace` longer while its requests still run.
///
/// # Errors
/// When standard input or output cannot be used, or the protocol's task failed.
pub async fn serve(server: McpServer, streams: StdioStreams, grace: Duration) -> std::io::Result<()> {
    let (input, output) = streams.into_async()?;
    let (outbox, writer) = Outbox::start(output, server.memory());
    let server = server.with_backpressure(Arc::new(outbox.clone()));
    let peer = ClientPeer::default();
    let transport = StdioTransport::new(input, (outbox, writer), (server.clone(), Arc::clone(&peer)), grace);
    // Without rmcp's handshake, because each request decides its revision.
    let service = serve_directly(CatchPanic(server), transport, None);
    // It is set once.
    drop(peer.set(service.peer().clone()));
    service.waiting().await.map_err(std::io::Error::other)?;
    Ok(())
}
