//! What clients have not taken yet, of whichever transport: what large answers wait for.

use std::sync::Arc;

use super::http::Tally;
use super::stdio::Outbox;

/// The bytes that are on their way.
#[derive(Clone)]
pub(super) enum Unread {
    Pipe(Outbox),
    Sockets(Arc<Tally>),
}

impl Unread {
    /// Waits until so much was taken that another large answer may be made.
    pub(super) async fn has_room(&self) {
        match self {
            Self::Pipe(outbox) => outbox.has_room().await,
            Self::Sockets(tally) => tally.has_room().await,
        }
    }
}
