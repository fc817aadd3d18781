//! The answer of a person to a question that waits.
//!
//! Owns: that the answer is taken as `alc_continue` takes one: of the same callers, and each question once.
//! Never: answers a question that the form does not name.

use super::{AlcPage, RUN, run};
use crate::error_code as code;
use wardroom_service::{PageReply, ServiceError};

const NOT_TAKEN: &str = "Your answer was not taken";

pub(super) fn answer(page: &AlcPage<'_>, id: &str) -> Result<PageReply, ServiceError> {
    let form = &page.request.form;
    let (Some(question), Some(text)) = (form.filled("question"), form.filled("answer")) else {
        return refuse(page, id, &format!("{NOT_TAKEN}: it is empty."));
    };
    // A form sends line ends of its own.
    let text = text.replace("\r\n", "\n");
    let Some(runs) = &page.alc.runs else {
        return refuse(page, id, &format!("{NOT_TAKEN}: this server runs no strategies."));
    };
    match runs.answer_question(id, question, text, page.info) {
        // The page shows what became of the run, also where its script failed.
        Ok(_) => Ok(PageReply::Redirect(page.request.link(&[RUN, id], &[]))),
        // A run of which the caller knows nothing, or one that ended: then there is no such page, or it says so.
        Err(ServiceError::Tool { code: code::SESSION_NOT_FOUND, .. }) => {
            refuse(page, id, &format!("{NOT_TAKEN}: the run does not wait any more."))
        }
        Err(ServiceError::Tool { message, .. }) => {
            let why = message.strip_prefix("Continue failed: ").unwrap_or(&message);
            refuse(page, id, &format!("{NOT_TAKEN}: {why}."))
        }
        Err(error) => Err(error),
    }
}

fn refuse(page: &AlcPage<'_>, id: &str, why: &str) -> Result<PageReply, ServiceError> {
    run::show(page, id, Some(why)).map(PageReply::Page)
}
