//! An analysis on two threads: one reads and prepares traces, the other adds them in their order.
//!
//! Never: changes what is found: the order of traces is that of the log.

use std::sync::mpsc::{SyncSender, sync_channel};
use std::{mem, thread};

use super::{Analysis, AnalysisFindings, PreparedTrace};
use crate::hundredths::Hundredths;
use crate::trace::Trace;
use wardroom_service::ServiceError;

/// Traces that are handed over at once, since each time costs a wake-up.
const BATCH_TRACES: usize = 64;
/// Batches that wait. They are in memory.
const WAITING_BATCHES: usize = 4;

/// Hands traces over to the analysis.
pub(crate) struct TraceSink {
    batch: Vec<PreparedTrace>,
    sender: SyncSender<Vec<PreparedTrace>>,
}

impl TraceSink {
    pub(crate) fn add(&mut self, trace: Trace) {
        self.batch.push(PreparedTrace::new(trace));
        if self.batch.len() == BATCH_TRACES {
            self.flush();
        }
    }

    fn flush(&mut self) {
        // The other thread ends after this one.
        let _ = self.sender.send(mem::take(&mut self.batch));
    }
}

/// Analyzes the traces that `read` hands over. Returns what `read` returned, what was found, and the number of traces.
///
/// # Errors
/// As `read`, and when no thread can be started.
pub(crate) fn analyze_in_parallel<R>(
    min_frequency: usize,
    min_confidence: Hundredths,
    read: impl FnOnce(&mut TraceSink) -> Result<R, ServiceError>,
) -> Result<(R, AnalysisFindings, usize), ServiceError> {
    let (sender, receiver) = sync_channel::<Vec<PreparedTrace>>(WAITING_BATCHES);
    thread::scope(|scope| {
        let analyze = move || {
            let mut analysis = Analysis::default();
            receiver.into_iter().flatten().for_each(|trace| analysis.add(trace));
            let n_traces = analysis.n_traces();
            (analysis.finish(min_frequency, min_confidence), n_traces)
        };
        let failed = |error| ServiceError::internal("cannot start a thread for the analysis", error);
        let analyzing = thread::Builder::new().spawn_scoped(scope, analyze).map_err(failed)?;
        let mut sink = TraceSink { batch: Vec::new(), sender };
        let done = read(&mut sink)?;
        sink.flush();
        drop(sink);
        match analyzing.join() {
            Ok((findings, n_traces)) => Ok((done, findings, n_traces)),
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
