//! Turns: large documents are answered a few at a time, and not before the client took most of what it was sent.
//!
//! Owns: the permits for that, each held from before the document is read until its answer is encoded.
//! Never: holds up the protocol's thread, or a call that was cancelled: who waits is one of the workers.

use std::sync::{Arc, OnceLock};

use rmcp::RoleServer;
use rmcp::service::RequestContext;
use tokio::runtime::Handle;
use tokio::sync::{AcquireError, OwnedSemaphorePermit, Semaphore};

use super::stdio::Outbox;
use crate::limits::MAX_LARGE_READS;
use crate::services::Turn;

#[derive(Clone)]
pub(super) struct Turns(Arc<Semaphore>);

impl Turns {
    pub(super) fn new() -> Self {
        Self(Arc::new(Semaphore::new(MAX_LARGE_READS)))
    }

    /// The turn of one call, however often it asks.
    pub(super) fn of(&self, context: &RequestContext<RoleServer>, outbox: Option<Outbox>) -> Turn {
        let (permits, answered, runtime) = (Arc::clone(&self.0), context.ct.clone(), Handle::current());
        let taken: OnceLock<Option<Arc<Permit>>> = OnceLock::new();
        let take = move || {
            let turn = async {
                let permit = Arc::new(Arc::clone(&permits).acquire_owned().await);
                if let Some(outbox) = &outbox {
                    outbox.has_room().await;
                }
                permit
            };
            let permit = runtime.block_on(async {
                tokio::select! {
                    permit = turn => Some(permit),
                    () = answered.cancelled() => None,
                }
            });
            if let Some(permit) = &permit {
                // rmcp cancels the token as it takes the answer to the transport, which encodes it in the same step.
                let (answered, permit) = (answered.clone(), Arc::clone(permit));
                release_after(&runtime, async move { answered.cancelled().await }, permit);
            }
            permit
        };
        // Held here too: a call that was cancelled goes on until it notices.
        Arc::new(move || taken.get_or_init(&take).is_some())
    }
}

type Permit = Result<OwnedSemaphorePermit, AcquireError>;

#[expect(clippy::disallowed_methods, reason = "it ends with its request, and nobody waits for it")]
fn release_after(runtime: &Handle, answered: impl Future<Output = ()> + Send + 'static, permit: impl Send + 'static) {
    let _runtime = runtime.enter();
    drop(tokio::spawn(async move {
        answered.await;
        drop(permit);
    }));
}
