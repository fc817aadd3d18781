//! Backpressure: a large answer waits until clients have read most of the earlier ones.
//!
//! Never: knows a transport; each implements [`Backpressure`] for what it counts.

use std::pin::Pin;
use std::time::Duration;

/// The unsent bytes of a transport.
pub(crate) trait Backpressure: Send + Sync {
    /// Waits until few enough bytes are unsent to make another large answer.
    fn wait_for_capacity(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;

    /// How long a request waits for other clients; `None` where the only client waits for nothing but itself.
    fn admission_timeout(&self) -> Option<Duration>;

    /// How many requests may wait for capacity.
    fn max_waiting(&self) -> usize;
}
