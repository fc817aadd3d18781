//! Public addresses, and the resolution of host names to them.
//!
//! Owns: the table of non-public address blocks, and name resolution with a timeout.
//! Never: lets a name lead to this machine or its local networks, unless the operator allowed it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, ToSocketAddrs as _};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::NetError;
use crate::limits::MAX_NAME_LOOKUPS;
use wardroom_base::permits::ThreadPermits;

/// First address and prefix length of the IPv4 blocks that are not public.
const NON_PUBLIC_BLOCKS_V4: [(Ipv4Addr, u32); 15] = [
    // This network, private, shared by providers, this machine, this link.
    (Ipv4Addr::new(0, 0, 0, 0), 8),
    (Ipv4Addr::new(10, 0, 0, 0), 8),
    (Ipv4Addr::new(100, 64, 0, 0), 10),
    (Ipv4Addr::new(127, 0, 0, 0), 8),
    (Ipv4Addr::new(169, 254, 0, 0), 16),
    (Ipv4Addr::new(172, 16, 0, 0), 12),
    (Ipv4Addr::new(192, 168, 0, 0), 16),
    // Protocols, documentation, relays, benchmarks.
    (Ipv4Addr::new(192, 0, 0, 0), 24),
    (Ipv4Addr::new(192, 0, 2, 0), 24),
    (Ipv4Addr::new(192, 88, 99, 0), 24),
    (Ipv4Addr::new(198, 18, 0, 0), 15),
    (Ipv4Addr::new(198, 51, 100, 0), 24),
    (Ipv4Addr::new(203, 0, 113, 0), 24),
    // Multicast, reserved, broadcast.
    (Ipv4Addr::new(224, 0, 0, 0), 4),
    (Ipv4Addr::new(240, 0, 0, 0), 4),
];

/// The non-public blocks within [`GLOBAL_UNICAST_V6`].
const NON_PUBLIC_BLOCKS_V6: [(Ipv6Addr, u32); 4] = [
    // Protocols, including Teredo; documentation, twice; 6to4, which carries an IPv4 address.
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20),
    (Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0), 16),
];
const GLOBAL_UNICAST_V6: (Ipv6Addr, u32) = (Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0), 3);
/// The prefix under which IPv6-only networks reach IPv4 addresses.
const NAT64_PREFIX: (Ipv6Addr, u32) = (Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0), 96);

/// Whether an address is public, and so not of this machine or its local networks.
#[must_use]
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => match address.to_ipv4_mapped() {
            Some(inner) => is_public_v4(inner),
            None if has_prefix_v6(address, NAT64_PREFIX) => {
                let [.., a, b, c, d] = address.octets();
                is_public_v4(Ipv4Addr::new(a, b, c, d))
            }
            None => {
                has_prefix_v6(address, GLOBAL_UNICAST_V6)
                    && !NON_PUBLIC_BLOCKS_V6.iter().any(|block| has_prefix_v6(address, *block))
            }
        },
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let bits = u32::from(address);
    !NON_PUBLIC_BLOCKS_V4.iter().any(|(block, length)| (bits ^ u32::from(*block)).leading_zeros() >= *length)
}

fn has_prefix_v6(address: Ipv6Addr, (block, length): (Ipv6Addr, u32)) -> bool {
    (u128::from(address) ^ u128::from(block)).leading_zeros() >= length
}

/// The hosts that the operator allowed in private networks; `*` for all.
#[derive(Debug, Clone)]
pub(super) struct PrivateHosts(Vec<String>);

impl PrivateHosts {
    pub(super) fn new(hosts: Vec<String>) -> Self {
        Self(hosts.into_iter().map(|host| host.to_ascii_lowercase()).collect())
    }

    pub(super) fn is_wildcard(&self) -> bool {
        self.0.iter().any(|known| known == "*")
    }

    fn contains_host(&self, host: &str, port: u16) -> bool {
        let host = host.to_ascii_lowercase();
        self.is_wildcard() || self.0.iter().any(|known| *known == host || *known == format!("{host}:{port}"))
    }
}

/// Resolves a host to the addresses that may be connected to.
///
/// # Errors
/// When the name does not resolve, or only to addresses that are not allowed.
pub(super) fn resolve_allowed(
    host: &str,
    port: u16,
    private: &PrivateHosts,
    time: Duration,
) -> Result<Vec<SocketAddr>, NetError> {
    let found = resolve(host, port, time)?;
    if private.contains_host(host, port) {
        return Ok(found);
    }
    // Of a name with both public and private addresses only the public ones are used.
    let public: Vec<SocketAddr> = found.into_iter().filter(|address| is_public(address.ip())).collect();
    if public.is_empty() {
        return Err(NetError::Refused(format!(
            "{host} is in a private network or on this machine; the operator can allow it with [network] private = \
             [\"{host}\"]"
        )));
    }
    Ok(public)
}

static LOOKUPS: ThreadPermits = ThreadPermits::new(MAX_NAME_LOOKUPS);

/// Resolves a name on a thread of its own, because the system may take longer than `time`.
fn resolve(host: &str, port: u16, time: Duration) -> Result<Vec<SocketAddr>, NetError> {
    let unknown = || NetError::Failed(format!("the name {host} cannot be resolved"));
    let bare = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(host).to_owned();
    if let Ok(address) = bare.parse::<IpAddr>() {
        return Ok(vec![SocketAddr::new(address, port)]);
    }
    let deadline = Instant::now() + time;
    let permit = LOOKUPS.acquire(time).ok_or(NetError::Busy)?;
    let (sender, found) = mpsc::sync_channel(1);
    let look = move || {
        let _permit = permit;
        drop(sender.send((bare.as_str(), port).to_socket_addrs().map(Iterator::collect)));
    };
    thread::Builder::new().name("names".to_owned()).spawn(look).map_err(|_| NetError::Busy)?;
    let found: Vec<SocketAddr> = match found.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
        Ok(found) => found.map_err(|_| unknown())?,
        Err(_) => return Err(NetError::TimedOut),
    };
    if found.is_empty() { Err(unknown()) } else { Ok(found) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A domain whose servers never answer keeps a thread for longer than its fetch.
    #[test]
    fn lookups_that_do_not_end_take_no_more_threads() {
        let time = Duration::from_millis(20);
        let running: Vec<_> = (0..MAX_NAME_LOOKUPS).map(|_| LOOKUPS.acquire(time).unwrap()).collect();
        assert!(matches!(resolve("localhost", 80, time), Err(NetError::Busy)));
        drop(running);
        assert!(!resolve("localhost", 80, Duration::from_secs(10)).unwrap().is_empty());
    }
}
