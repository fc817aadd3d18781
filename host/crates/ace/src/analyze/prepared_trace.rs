//! A trace with the signatures of its errors: what can be computed of each trace on its own, on any thread.

use super::error_kind::ErrorSignature;
use crate::trace::Trace;

#[derive(Debug)]
pub(crate) struct PreparedTrace {
    pub(super) trace: Trace,
    /// Of the errors of executions that failed, in their order; `None` for an error without a message.
    pub(super) signatures: std::vec::IntoIter<Option<ErrorSignature>>,
}

impl PreparedTrace {
    pub(crate) fn new(trace: Trace) -> Self {
        let failed = trace.execution_results.iter().filter(|execution| execution.has_failed());
        let signatures: Vec<Option<ErrorSignature>> = failed
            .flat_map(|execution| &execution.errors)
            .map(|error| (!error.message.trim().is_empty()).then(|| ErrorSignature::new(error)))
            .collect();
        Self { trace, signatures: signatures.into_iter() }
    }
}
