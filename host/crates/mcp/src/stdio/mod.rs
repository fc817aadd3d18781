//! MCP on standard input and output: one JSON message a line.
//!
//! Owns: the transport between rmcp and the two ends: framing with a cap, answers to what is no message, bounds on what
//! runs and waits, coalesced writes, and the end of input.
//! Never: writes anything but messages to standard output.

mod calls;
mod ends;
mod frames;
mod inbox;
#[cfg(unix)]
mod nonblocking;
mod outbox;
mod transport;

use std::time::Duration;

use rmcp::service::serve_directly;

pub use self::ends::Ends;
pub(super) use self::frames::Frame;
pub(super) use self::inbox::{Inbound, Kind, decode, weight};
pub(super) use self::outbox::Outbox;
use self::transport::StdioTransport;
use super::{Guarded, Server};

/// Serves one client until the end of input, and for `grace` longer while its requests still run.
///
/// # Errors
/// When standard input or output cannot be used, or the protocol's task failed.
pub async fn serve(server: Server, ends: Ends, grace: Duration) -> std::io::Result<()> {
    let (input, output) = ends.start()?;
    let (outbox, writer) = Outbox::start(output);
    let server = server.writing_to(outbox.clone());
    let transport = StdioTransport::new(input, outbox, writer, grace);
    // Without a handshake of rmcp's own: which era a client belongs to is decided for each request.
    serve_directly(Guarded(server), transport, None).waiting().await.map_err(std::io::Error::other)?;
    Ok(())
}
