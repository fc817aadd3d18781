//! How a client's model answers a run: by the client's next call, by a request while the call waits, or by ending the call
//! with the question and being called again. The run is the same, whichever it is.
//!
//! Owns: which of the three it is.
//! Never: asks a client that did not say that it has a model, or in the older eras one that the operator did not allow.

use super::session::Reply;
use super::{By, Runs};
use crate::Alc;
use wardroom_base::payload::Payload;
use wardroom_service::{Ask, Brought, CallContext, Client, Sampling, ServiceError, ToolAnswer, answer_text};

impl Runs {
    /// Does what a call is for that begins a run. Where the call is cancelled before it is answered, nobody ever hears the
    /// run's name: it ends with the call.
    pub(super) fn begun(
        &self,
        alc: &Alc,
        context: &CallContext,
        begin: impl FnOnce() -> Result<ToolAnswer, ServiceError>,
    ) -> Result<ToolAnswer, ServiceError> {
        let mut session = None;
        let answer = self.answered(alc, context, || {
            let answer = begin()?;
            session = answer.asks.as_ref().map(|asks| asks.handle.clone());
            Ok(answer)
        });
        if let Some(session) = session.filter(|_| context.cancelled.is_cancelled()) {
            match self.cancel(alc, &session) {
                // It came to its end meanwhile.
                Ok(_) | Err(ServiceError::Tool { code: "SESSION_NOT_FOUND", .. }) => {}
                Err(error) => tracing::warn!(%error, session, "a run whose call was cancelled waits on"),
            }
        }
        answer
    }

    /// Does what a call is for, or when it was made before and brings answers, goes on with what that one began.
    pub(super) fn answered(
        &self,
        alc: &Alc,
        context: &CallContext,
        begin: impl FnOnce() -> Result<ToolAnswer, ServiceError>,
    ) -> Result<ToolAnswer, ServiceError> {
        let client = context.client.as_deref();
        // A run has names for its questions only once it asks them.
        let brought = client.and_then(|client| client.brought()).filter(|brought| !brought.handle.is_empty());
        let answer = match brought {
            Some(brought) => self.resume(alc, &brought.handle, &replies(brought), By::Sampling, context)?,
            None => begin()?,
        };
        match client.map_or(Sampling::Never, Client::sampling) {
            Sampling::ByReturn => Ok(answer),
            Sampling::Now if alc.additions.sampling => self.sample(alc, answer, context),
            Sampling::Now | Sampling::Never => Ok(ToolAnswer { asks: None, ..answer }),
        }
    }

    /// Asks the client's model until the run is over. When it refuses, the run waits for the client's next call.
    fn sample(&self, alc: &Alc, mut answer: ToolAnswer, context: &CallContext) -> Result<ToolAnswer, ServiceError> {
        while let Some((asks, client)) = answer.asks.take().zip(context.client.as_deref()) {
            let texts = match client.ask(&asks.asks).and_then(texts) {
                Ok(texts) => texts,
                Err(why) => {
                    tracing::warn!(why, "the client's model does not answer");
                    break;
                }
            };
            let at_hand = answer.clone();
            let answered = asks.asks.into_iter().zip(texts);
            let reply = |(ask, text): (Ask, String)| Reply { id: Some(ask.key), text, usage: None };
            let replies: Vec<Reply> = answered.map(reply).collect();
            let resume = || self.resume(alc, &asks.handle, &replies, By::Sampling, context);
            let resumed = match resume() {
                Err(ServiceError::Tool { code: "BUSY", .. }) => resume(),
                resumed => resumed,
            };
            answer = match resumed {
                // Others are in the way: the client can answer by its next call.
                Err(ServiceError::Tool { code: "BUSY", .. }) => return Ok(at_hand),
                // By its name the client can carry it on.
                Err(ServiceError::Tool { code: code @ "STORE", message, details }) => {
                    let message = format!("{message} (alc_continue, session_id '{}')", asks.handle);
                    return Err(ServiceError::Tool { code, message, details });
                }
                resumed => resumed?,
            };
        }
        Ok(answer)
    }
}

fn texts(answers: Vec<Payload>) -> Result<Vec<String>, String> {
    let text = |answer| answer_text(answer).ok_or_else(|| "the model's answer has no text".to_owned());
    answers.into_iter().map(text).collect()
}

/// What is no answer of a model counts as none, and is asked for again.
fn replies(brought: &Brought) -> Vec<Reply> {
    let texts = brought.answers.iter().filter_map(|(key, answer)| Some((key, answer_text(answer.clone())?)));
    texts.map(|(key, text)| Reply { id: Some(key.clone()), text, usage: None }).collect()
}
