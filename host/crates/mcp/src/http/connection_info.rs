//! What is known of a connection before its first request.

use std::net::IpAddr;

/// How a client reached this server.
#[derive(Debug, Clone, Copy)]
pub(super) struct ConnectionInfo {
    /// The address of this machine that the client connected to.
    pub(super) local_ip: Option<IpAddr>,
    /// Other machines can reach the listener.
    pub(super) is_remote: bool,
}
