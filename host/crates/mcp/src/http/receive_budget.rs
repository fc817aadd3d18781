//! The bytes of messages that do not run yet, which their clients may send slowly.
//!
//! Owns: their count, in the share of each caller and in the limit of all callers.
//! Never: counts above a limit: a small message for which nothing is left is read uncounted.

use super::response::HttpError;
use wardroom_base::memory::{MemoryLease, MemoryShare};

/// The bytes of one message, until this is dropped.
pub(super) struct ReceiveLease {
    /// In the share of the caller, and with it in the server's memory.
    of_caller: MemoryLease,
    of_all: MemoryLease,
}

impl ReceiveLease {
    pub(super) fn new(of_caller: &MemoryShare, of_all: &MemoryShare) -> Self {
        Self { of_caller: of_caller.lease_none(), of_all: of_all.lease_none() }
    }

    /// Counts as many bytes for the message.
    ///
    /// # Errors
    /// When the caller, or all callers together, send too much.
    pub(super) fn resize(&mut self, bytes: usize) -> Result<(), HttpError> {
        self.of_caller.resize(bytes).map_err(|error| HttpError::service_unavailable(error.to_string()))?;
        let refused =
            |_| HttpError::service_unavailable("clients send too much to this server at once: try again later");
        self.of_all.resize(bytes).map_err(refused)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use wardroom_base::memory::MemoryHolder;

    #[test]
    fn message_of_one_caller_leaves_bytes_to_others() {
        let (memory, all) = (MemoryShare::budget(200), MemoryShare::budget(100));
        let [alice, bob] = [0; 2].map(|_| memory.share(MemoryHolder::Caller, 75));
        let mut first = ReceiveLease::new(&alice, &all);
        assert!(first.resize(75).is_ok());
        assert!(ReceiveLease::new(&alice, &all).resize(1).is_err());
        let mut second = ReceiveLease::new(&bob, &all);
        assert!(second.resize(25).is_ok());
        assert!(second.resize(26).is_err());
        drop(first);
        assert!(second.resize(75).is_ok());
        drop(second);
        assert_eq!((memory.used(), all.used()), (0, 0));
    }
}
