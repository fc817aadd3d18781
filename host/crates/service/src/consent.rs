//! The consent of the client's user to one change.
//!
//! Owns: the form that is shown, and that an answer counts for exactly what was shown.
//! Never: decides for the user: a client that cannot ask gives no consent.

use serde_json::{Value, json};

use super::{
    ClientCapability, Elicitation, InputMode, InputRequest, InputRequestKind, InputRequired, RequestInfo, ServiceError,
};
use wardroom_base::payload::Payload;

/// What the user is asked.
#[derive(Debug, Clone, Copy)]
pub struct ConsentRequest<'r> {
    /// The name of the form's one field.
    pub key: &'r str,
    /// What the field says, such as `Publish it`.
    pub title: &'r str,
    /// What is going to change.
    pub message: &'r str,
    /// The digest of all that is shown. An answer to anything else is none.
    pub digest: &'r str,
}

/// Why there is no answer.
#[derive(Debug)]
pub enum ConsentError {
    /// The client cannot ask its user; the text says why.
    CannotAsk(String),
    /// The call ends here, and is repeated with the answer.
    Deferred(ServiceError),
}

/// Returns whether the user agrees, now or by ending the call.
///
/// # Errors
/// When the client cannot ask, or asks after the call.
pub fn request_consent(info: &RequestInfo, request: &ConsentRequest) -> Result<bool, ConsentError> {
    let refused = |why: &str| ConsentError::CannotAsk(why.to_owned());
    let never = || refused("this client cannot ask its user");
    let client = info.client.as_deref().ok_or_else(never)?;
    let ConsentRequest { key, title, message, digest } = *request;
    let schema = json!({
        "type": "object",
        "properties": {key: {"type": "boolean", "title": title, "default": false}},
        "required": [key],
    });
    let form = Elicitation::Form { message: message.to_owned(), schema: Payload::from_value(schema) };
    let ask = InputRequest { key: key.to_owned(), kind: InputRequestKind::Elicit(form) };
    let answer = match client.input_mode(ClientCapability::FormElicitation) {
        InputMode::Unsupported => return Err(never()),
        InputMode::Inline => {
            client.check_request(&ask).map_err(|why| refused(&why))?;
            let answers = client.request_input(&[ask]).map_err(|why| refused(&why))?;
            answers.into_iter().next()
        }
        InputMode::Deferred => {
            let responses =
                client.client_responses().filter(|responses| responses.continuation_token.as_deref() == Some(digest));
            match responses.and_then(|responses| responses.responses.get(key)).cloned() {
                Some(answer) => Some(answer),
                None => {
                    let required =
                        InputRequired { requests: vec![ask], continuation_token: digest.to_owned(), may_repeat: false };
                    return Err(ConsentError::Deferred(ServiceError::InputRequired(Box::new(required))));
                }
            }
        }
    };
    let answer = answer.map(Payload::into_value).unwrap_or_default();
    let is_accepted = answer.get("action").and_then(Value::as_str) == Some("accept");
    let is_checked = answer.get("content").and_then(|content| content.get(key)) == Some(&Value::Bool(true));
    Ok(is_accepted && is_checked)
}
