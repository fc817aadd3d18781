//! A tool whose calls are recorded.
//!
//! Owns: which calls: those of tools that say that they change something, and what was refused by any tool.
//! Never: changes a call or its answer.

use std::sync::Arc;

use super::{AuditAction, AuditEvent, AuditSource, AuditTrail};
use crate::limits::MAX_INLINE_DIGEST_BYTES;
use crate::{
    Caller, Cost, Owner, ParamHeader, RequestInfo, ResolvedTool, ServiceError, Step, TaskSupport, ToolErrorCode,
    ToolOutput, Work,
};
use wardroom_base::payload::Payload;

pub(crate) struct AuditedTool {
    tool: Arc<dyn ResolvedTool>,
    trail: AuditTrail,
}

impl AuditedTool {
    #[expect(clippy::new_ret_no_self, reason = "it is used as a resolved tool only")]
    pub(crate) fn new(tool: Arc<dyn ResolvedTool>, trail: &AuditTrail) -> Arc<dyn ResolvedTool> {
        if trail.0.is_none() || tool.stands_for_another() {
            return tool;
        }
        Arc::new(Self { tool, trail: trail.clone() })
    }
}

impl ResolvedTool for AuditedTool {
    fn name(&self) -> &str {
        self.tool.name()
    }

    fn may_change(&self) -> bool {
        self.tool.may_change()
    }

    fn may_destroy(&self) -> bool {
        self.tool.may_destroy()
    }

    fn is_on_demand(&self) -> bool {
        self.tool.is_on_demand()
    }

    fn task_support(&self) -> Option<TaskSupport> {
        self.tool.task_support()
    }

    fn param_headers(&self) -> &[ParamHeader] {
        self.tool.param_headers()
    }

    fn call(self: Arc<Self>, arguments: Payload) -> Work<ToolOutput> {
        let is_recorded = self.tool.may_change() && !self.tool.records_itself();
        if is_recorded && arguments.text_bytes() > MAX_INLINE_DIGEST_BYTES {
            return Work::in_steps(Cost::Worker, move |_| {
                let digest = arguments.canonical_digest();
                Ok(Step::Next(self.call_with_digest(arguments, Some(digest))))
            });
        }
        let digest = is_recorded.then(|| arguments.canonical_digest());
        self.call_with_digest(arguments, digest)
    }
}

impl AuditedTool {
    fn call_with_digest(self: Arc<Self>, arguments: Payload, digest: Option<[u8; 32]>) -> Work<ToolOutput> {
        let work = Arc::clone(&self.tool).call(arguments);
        work.inspect(move |ended, info| record_call(&self.trail, &*self.tool, digest, ended, info))
    }
}

fn record_call(
    trail: &AuditTrail,
    tool: &dyn ResolvedTool,
    digest: Option<[u8; 32]>,
    ended: Result<&ToolOutput, &ServiceError>,
    info: &RequestInfo,
) {
    let source = || AuditSource::from_caller(&info.caller);
    let (name, changes) = (tool.name(), tool.may_change());
    match ended {
        Ok(output) if digest.is_some() => {
            let outcome = if output.input_required.is_some() {
                "input_required"
            } else if output.is_error {
                "error"
            } else {
                "ok"
            };
            trail.record(&source(), &AuditEvent { action: AuditAction::ToolCalled, subject: name, digest, outcome });
        }
        Ok(_) => {}
        Err(ServiceError::InputRequired(_)) => {}
        Err(ServiceError::Tool { code, .. }) if changes || is_denial(*code, &info.caller) => {
            trail.refuse(&source(), name, code.as_str());
        }
        Err(ServiceError::Tool { .. }) => {}
        Err(_) if changes => trail.refuse(&source(), name, "error"),
        Err(_) => {}
    }
}

/// The codes by which a call that only reads is denied, also those that services declare.
const DENIALS: [&str; 7] =
    ["NOT_PERMITTED", "READ_ONLY", "OUT_OF_MEMORY", "NOT_MOUNTED", "NOT_ALLOWED", "NETWORK_OFF", "PROTECTED"];

/// Whether the caller is denied something. For whom not everything is there, what is not found may be another caller's.
fn is_denial(code: ToolErrorCode, caller: &Caller) -> bool {
    DENIALS.contains(&code.as_str()) || caller.owner != Owner::Operator && code.is_absence()
}
