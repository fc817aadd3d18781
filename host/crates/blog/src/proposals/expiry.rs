//! Ends proposals whose time is over while a server runs.
//!
//! Owns: the thread that does so, and that also finishes the decisions of processes that died, and removes what was decided
//! long ago and what killed writers left.
//! Never: is needed for an answer: a proposal has expired when its time is over, swept or not.

use std::sync::{Arc, Weak};
use std::thread;
use std::time::Instant;

use super::decide::sweep;
use super::store::ProposalStore;
use crate::content::layout::OWN_DIR;
use crate::index::BlogIndex;
use crate::limits::{DECIDED_CLEANUP_INTERVAL, PROPOSAL_SWEEP_INTERVAL};
use wardroom_appdir::AppDirError;
use wardroom_appdir::limits::STALE_TEMP_FILE_AGE;
use wardroom_base::background_thread::BackgroundThread;
use wardroom_service::audit::{AuditChannel, AuditSource, AuditTrail};
use wardroom_service::proposal::proposal_time_ms;

#[derive(Debug, Default)]
pub(crate) struct ExpirySweeper {
    thread: BackgroundThread,
}

impl ExpirySweeper {
    /// Starts the thread, unless it runs. It ends with the index.
    pub(crate) fn start(&self, index: &Arc<BlogIndex>, trail: &AuditTrail) {
        if index.source().folder.is_read_only() {
            return;
        }
        let (index, trail) = (Arc::downgrade(index), trail.clone());
        if let Err(error) = self.thread.start("blog-proposals", move || run(&index, &trail)) {
            tracing::error!(%error, "proposals that expire are not removed until a thread can be started");
        }
    }
}

fn run(index: &Weak<BlogIndex>, trail: &AuditTrail) {
    let by = AuditSource { who: "expiry".to_owned(), through: AuditChannel::Server };
    let mut cleaned = None::<Instant>;
    while let Some(index) = index.upgrade() {
        let source = index.source();
        if let Err(error) = sweep(source, (&by, trail), proposal_time_ms()) {
            tracing::warn!(?error, "proposals that expired cannot be removed");
        }
        if cleaned.is_none_or(|at| at.elapsed() >= DECIDED_CLEANUP_INTERVAL) {
            cleaned = Some(Instant::now());
            if let Err(error) = ProposalStore::new(&source.folder).remove_old(proposal_time_ms()) {
                tracing::warn!(%error, "old decisions on proposals cannot be removed");
            }
            match source.folder.open_folder(OWN_DIR) {
                Ok(own) => {
                    // The files of proposals and drafts are one level down, decisions two.
                    if let Err(error) = own.sweep_stale_recursive(2, STALE_TEMP_FILE_AGE) {
                        tracing::warn!(%error, "leftovers of killed writers cannot be removed from the blog");
                    }
                }
                Err(AppDirError::NotFound(_)) => {}
                Err(error) => tracing::warn!(%error, "leftovers of killed writers cannot be looked for in the blog"),
            }
        }
        drop(index);
        thread::sleep(PROPOSAL_SWEEP_INTERVAL);
    }
}
