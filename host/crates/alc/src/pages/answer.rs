//! The answer of a person to a question that waits.
//!
//! Owns: that the answer is taken as `alc_continue` takes one: of the same callers, and each question once.
//! Never: answers a question that the form does not name.

use super::{AlcPage, RUN, run};
use crate::error_code as code;
use crate::runs::continue_failure;
use sha2::{Digest as _, Sha256};
use wardroom_service::audit::{AuditAction, AuditEvent, AuditSource};
use wardroom_service::{PageReply, ServiceError};

const NOT_TAKEN: &str = "Your answer was not taken";
const STOPPED: &str = "Your answer is in the journal, and the run did not go on";
/// The tool that does the same for agents, by whose name the audit trail has an answer.
const CONTINUE_TOOL: &str = "alc_continue";

pub(super) fn answer(page: &AlcPage<'_>, id: &str) -> Result<PageReply, ServiceError> {
    let form = &page.request.form;
    let (Some(question), Some(text)) = (form.filled("question"), form.get("answer")) else {
        return refuse(page, id, &format!("{NOT_TAKEN}: it is empty."));
    };
    if text.trim().is_empty() {
        return refuse(page, id, &format!("{NOT_TAKEN}: it is empty."));
    }
    // A form sends line ends of its own.
    let text = text.replace("\r\n", "\n");
    let Some(runs) = &page.alc.runs else {
        return refuse(page, id, &format!("{NOT_TAKEN}: this server runs no strategies."));
    };
    let digest = Some(Sha256::digest(&text).into());
    let taken = runs.answer_question(id, question, text.clone(), page.info);
    let outcome = if taken.is_ok() { "ok" } else { "refused" };
    let event = AuditEvent { action: AuditAction::ToolCalled, subject: CONTINUE_TOOL, digest, outcome };
    page.info.catalogue.audit().record(&AuditSource::review_page(), &event);
    match taken {
        // The page shows what became of the run, also where its script failed.
        Ok(_) => Ok(PageReply::Redirect(page.request.link(&[RUN, id], &[]))),
        // A run of which the caller knows nothing, or one that ended: then there is no such page, or it says so.
        Err(ServiceError::Tool { code: code::SESSION_NOT_FOUND, .. }) => {
            refuse(page, id, &format!("{NOT_TAKEN}: the run does not wait any more."))
        }
        Err(ServiceError::Tool { message, .. }) => {
            let why = continue_failure(&message);
            // The answer may be in the journal, and the run may have stopped after it.
            let what = if run::has_answer(page, id, question, &text)? { STOPPED } else { NOT_TAKEN };
            refuse(page, id, &format!("{what}: {why}."))
        }
        Err(error) => Err(error),
    }
}

fn refuse(page: &AlcPage<'_>, id: &str, why: &str) -> Result<PageReply, ServiceError> {
    run::show(page, id, Some(why)).map(PageReply::Page)
}
