//! How a client's model answers a run: by the client's next call, by a request while the call waits, or by ending the call
//! with the question and being called again. The run is the same, whichever it is.
//!
//! Owns: which of the three it is.
//! Never: asks a client that did not say that it has a model, or in the older eras one that the operator did not allow.

use super::run::QueryReply;
use super::{ReplySource, Runs};
use crate::Alc;
use crate::error_code as code;
use wardroom_base::payload::Payload;
use wardroom_service::{
    CallContext, Client, ClientResponses, InputMode, InputRequest, ServiceError, ToolOutput, sampling_response_text,
};

impl Runs {
    /// Does what a call is for that begins a run. Where the call is cancelled before it is answered, nobody ever hears the
    /// run's name: it ends with the call.
    pub(super) fn begin_cancellable(
        &self,
        alc: &Alc,
        context: &CallContext,
        begin: impl FnOnce() -> Result<ToolOutput, ServiceError>,
    ) -> Result<ToolOutput, ServiceError> {
        let mut session = None;
        let answer = self.begin_or_resume(alc, context, || {
            let answer = begin()?;
            session = answer.input_required.as_ref().map(|asks| asks.continuation_token.clone());
            Ok(answer)
        });
        if let Some(session) = session.filter(|_| context.cancellation.is_cancelled()) {
            match self.cancel(alc, &session) {
                // It came to its end meanwhile.
                Ok(_) | Err(ServiceError::Tool { code: code::SESSION_NOT_FOUND, .. }) => {}
                Err(error) => tracing::warn!(%error, session, "a run whose call was cancelled waits on"),
            }
        }
        answer
    }

    /// Does what a call is for, or when it was made before and brings answers, goes on with what that one began.
    pub(super) fn begin_or_resume(
        &self,
        alc: &Alc,
        context: &CallContext,
        begin: impl FnOnce() -> Result<ToolOutput, ServiceError>,
    ) -> Result<ToolOutput, ServiceError> {
        let client = context.client.as_deref();
        // A run has names for its questions only once it asks them.
        let brought = client
            .and_then(|client| client.client_responses())
            .filter(|brought| !brought.continuation_token.is_empty());
        let answer = match brought {
            Some(brought) => self.resume(
                alc,
                &brought.continuation_token,
                &sampling_replies(brought),
                ReplySource::Sampling,
                context,
            )?,
            None => begin()?,
        };
        match client.map_or(InputMode::Unsupported, Client::sampling_mode) {
            InputMode::Deferred => Ok(answer),
            InputMode::Inline if alc.config.sampling => self.sample_until_done(alc, answer, context),
            InputMode::Inline | InputMode::Unsupported => Ok(ToolOutput { input_required: None, ..answer }),
        }
    }

    /// Asks the client's model until the run is over. When it refuses, the run waits for the client's next call.
    fn sample_until_done(
        &self,
        alc: &Alc,
        mut answer: ToolOutput,
        context: &CallContext,
    ) -> Result<ToolOutput, ServiceError> {
        while let Some((asks, client)) = answer.input_required.take().zip(context.client.as_deref()) {
            let texts = match client.request_input(&asks.requests).and_then(answer_texts) {
                Ok(texts) => texts,
                Err(why) => {
                    tracing::warn!(why, "the client's model does not answer");
                    break;
                }
            };
            let at_hand = answer.clone();
            let answered = asks.requests.into_iter().zip(texts);
            let reply = |(ask, text): (InputRequest, String)| QueryReply { id: Some(ask.key), text, usage: None };
            let replies: Vec<QueryReply> = answered.map(reply).collect();
            let resume = || self.resume(alc, &asks.continuation_token, &replies, ReplySource::Sampling, context);
            let resumed = match resume() {
                Err(ServiceError::Tool { code: code::BUSY, .. }) => resume(),
                resumed => resumed,
            };
            answer = match resumed {
                // Others are in the way: the client can answer by its next call.
                Err(ServiceError::Tool { code: code::BUSY, .. }) => return Ok(at_hand),
                // By its name the client can carry it on.
                Err(ServiceError::Tool { code: code @ code::STORE, message, details }) => {
                    let message = format!("{message} (alc_continue, session_id '{}')", asks.continuation_token);
                    return Err(ServiceError::Tool { code, message, details });
                }
                resumed => resumed?,
            };
        }
        Ok(answer)
    }
}

fn answer_texts(answers: Vec<Payload>) -> Result<Vec<String>, String> {
    let text = |answer| sampling_response_text(answer).ok_or_else(|| "the model's answer has no text".to_owned());
    answers.into_iter().map(text).collect()
}

/// What is no answer of a model counts as none, and is asked for again.
fn sampling_replies(brought: &ClientResponses) -> Vec<QueryReply> {
    let texts =
        brought.responses.iter().filter_map(|(key, answer)| Some((key, sampling_response_text(answer.clone())?)));
    texts.map(|(key, text)| QueryReply { id: Some(key.clone()), text, usage: None }).collect()
}
