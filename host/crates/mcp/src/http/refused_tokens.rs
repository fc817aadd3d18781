//! The requests that were refused because their token opens no endpoint.
//!
//! Owns: their count, and that a flood of them is a line of the log now and then.
//! Never: sees a token.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use tokio::time::{Instant, sleep};

use crate::http::limits::{REFUSAL_LOG_INTERVAL, REFUSED_TOKEN_REPORT_INTERVAL};

/// Counts requests with a token that is not valid.
#[derive(Default)]
pub struct RefusedTokens {
    count: AtomicU64,
    /// How many of them the log has.
    logged: AtomicU64,
    /// A task reports the count.
    is_reporting: AtomicBool,
    observer: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl RefusedTokens {
    #[must_use]
    pub fn count(&self) -> u64 {
        self.count.load(Ordering::Relaxed)
    }

    /// Has `observer` called on a thread for slow work, soon after the count changed. The first observer stays.
    pub fn observe(&self, observer: impl Fn() + Send + Sync + 'static) {
        drop(self.observer.set(Box::new(observer)));
    }

    #[expect(
        clippy::disallowed_methods,
        reason = "a task that ends by itself, and a short job, which are not waited for"
    )]
    pub(super) fn record(self: &Arc<Self>) {
        self.count.fetch_add(1, Ordering::SeqCst);
        if !self.is_reporting.swap(true, Ordering::SeqCst) {
            tokio::spawn(Arc::clone(self).report());
        }
    }

    /// Reports the count until it has not changed for an interval of the log.
    async fn report(self: Arc<Self>) {
        let (mut observed, mut next_line) = (self.logged.load(Ordering::SeqCst), Instant::now());
        loop {
            let count = self.count.load(Ordering::SeqCst);
            if count != observed {
                observed = count;
                let this = Arc::clone(&self);
                drop(tokio::task::spawn_blocking(move || {
                    this.observer.get().into_iter().for_each(|observe| observe());
                }));
            }
            if Instant::now() >= next_line {
                let requests = count - self.logged.swap(count, Ordering::SeqCst);
                if requests > 0 {
                    tracing::warn!(requests, total = count, "refused requests with a token that opens no endpoint");
                    next_line = Instant::now() + REFUSAL_LOG_INTERVAL;
                } else if self.stop_reporting(count) {
                    return;
                }
            }
            sleep(REFUSED_TOKEN_REPORT_INTERVAL).await;
        }
    }

    /// Ends the task that reports, unless a request was counted after its last look.
    fn stop_reporting(&self, reported: u64) -> bool {
        self.is_reporting.store(false, Ordering::SeqCst);
        self.count.load(Ordering::SeqCst) == reported || self.is_reporting.swap(true, Ordering::SeqCst)
    }
}
