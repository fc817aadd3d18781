//! How a client's model answers a run: through the client's next call, through a request while the call waits, or by
//! ending the call with an input request that the client answers when it repeats the call. The run is the same in each
//! case.
//!
//! Owns: the choice between the three.
//! Never: requests sampling from a client that did not declare it, or in the legacy revisions unless the operator
//! allowed it.

use super::run::QueryReply;
use super::{ReplySource, Runs};
use crate::error_code as code;
use wardroom_base::payload::Payload;
use wardroom_service::{
    Client, ClientResponses, InputMode, InputRequest, RequestInfo, ServiceError, ToolOutput, sampling_response_text,
};

impl Runs {
    /// Starts a run. If the call is cancelled before it is answered, the run is cancelled as well, because the client
    /// never learns its id.
    pub(super) fn begin_cancellable(
        &self,
        info: &RequestInfo,
        begin: impl FnOnce() -> Result<ToolOutput, ServiceError>,
    ) -> Result<ToolOutput, ServiceError> {
        let mut session = None;
        let answer = self.begin_or_resume(info, || {
            let answer = begin()?;
            session = answer.input_required.as_ref().map(|asks| asks.continuation_token.clone());
            Ok(answer)
        });
        if let Some(session) = session.filter(|_| info.cancellation.is_cancelled()) {
            match self.cancel(&session, info) {
                // The run finished meanwhile.
                Ok(_) | Err(ServiceError::Tool { code: code::SESSION_NOT_FOUND, .. }) => {}
                Err(error) => tracing::warn!(%error, session, "cannot cancel the run of a cancelled call"),
            }
        }
        answer
    }

    /// Starts a run or, where the call is repeated with responses, resumes the run that the first call started.
    pub(super) fn begin_or_resume(
        &self,
        info: &RequestInfo,
        begin: impl FnOnce() -> Result<ToolOutput, ServiceError>,
    ) -> Result<ToolOutput, ServiceError> {
        let client = info.client.as_deref();
        // Only a run with queries has a continuation token.
        let brought = client.and_then(|client| client.client_responses());
        let answer = match brought.and_then(|brought| Some((brought.continuation_token.as_ref()?, brought))) {
            Some((session, brought)) => {
                self.resume(session, &sampling_replies(brought), ReplySource::Sampling, info)?
            }
            None => begin()?,
        };
        match client.map_or(InputMode::Unsupported, Client::sampling_mode) {
            InputMode::Deferred => Ok(answer),
            InputMode::Inline if self.may_sample => self.sample_until_done(answer, info),
            InputMode::Inline | InputMode::Unsupported => Ok(ToolOutput { input_required: None, ..answer }),
        }
    }

    /// Requests sampling until the run has finished. If the client refuses, the run waits for the client's next call.
    fn sample_until_done(&self, mut answer: ToolOutput, info: &RequestInfo) -> Result<ToolOutput, ServiceError> {
        while let Some((asks, client)) = answer.input_required.take().zip(info.client.as_deref()) {
            let texts = match client.request_input(&asks.requests).and_then(answer_texts) {
                Ok(texts) => texts,
                Err(why) => {
                    tracing::warn!(why, "the client's model gave no answer");
                    break;
                }
            };
            let at_hand = answer.clone();
            let answered = asks.requests.into_iter().zip(texts);
            let reply = |(ask, text): (InputRequest, String)| QueryReply { id: Some(ask.key), text, usage: None };
            let replies: Vec<QueryReply> = answered.map(reply).collect();
            let resume = || self.resume(&asks.continuation_token, &replies, ReplySource::Sampling, info);
            let resumed = match resume() {
                Err(ServiceError::Tool { code: code::BUSY, .. }) => resume(),
                resumed => resumed,
            };
            answer = match resumed {
                // Another call executes the run: the client can reply by its next call.
                Err(ServiceError::Tool { code: code::BUSY, .. }) => return Ok(at_hand),
                // The run waits as before: the client needs the id to resume it.
                Err(ServiceError::Tool { code: code @ (code::STORE | code::OUT_OF_MEMORY), message, details }) => {
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
    let text = |answer| sampling_response_text(answer).ok_or_else(|| "the model's response has no text".to_owned());
    answers.into_iter().map(text).collect()
}

/// Converts the client's responses to replies. A response without text is ignored, and requested again.
fn sampling_replies(brought: &ClientResponses) -> Vec<QueryReply> {
    let texts =
        brought.responses.iter().filter_map(|(key, answer)| Some((key, sampling_response_text(answer.clone())?)));
    texts.map(|(key, text)| QueryReply { id: Some(key.clone()), text, usage: None }).collect()
}
