//! Input requests of services, in the protocol's types.
//!
//! Owns: the conversion of the three kinds of request that a server may make of a client, however they are delivered.
//! Never: sends one.

use rmcp::model::{ClientCapabilities, ClientResult, ElicitRequestParams, InputRequest, RequestId, ServerRequest};
use rmcp::service::OriginatingRequestId;
use serde_json::{Map, Value, json};

use wardroom_base::payload::Payload;
use wardroom_service::{self as service, ClientCapability, Elicitation, InputRequestKind, SamplingRequest, mime};

/// The extension of the protocol for pages in the window of a client.
const APPS_EXTENSION_ID: &str = "io.modelcontextprotocol/ui";

/// Converts an input request to the protocol's type.
///
/// # Errors
/// If the request does not have the form that the protocol defines.
pub(super) fn to_input_request(request: &service::InputRequest) -> Result<InputRequest, String> {
    let (method, params) = match &request.kind {
        InputRequestKind::Sample(request) => ("sampling/createMessage", sampling_params(request)),
        InputRequestKind::Elicit(Elicitation::Form { message, schema }) => {
            let schema = schema.clone().into_value();
            ("elicitation/create", json!({"mode": "form", "message": message, "requestedSchema": schema}))
        }
        // The legacy revisions require an id for a notification of completion. This server sends none.
        InputRequestKind::Elicit(Elicitation::Url { message, url }) => {
            ("elicitation/create", json!({"mode": "url", "message": message, "url": url, "elicitationId": request.key}))
        }
        InputRequestKind::Roots => ("roots/list", json!({})),
    };
    let what = match &request.kind {
        InputRequestKind::Sample(_) => "the sampling request",
        InputRequestKind::Elicit(_) => "the elicitation request",
        InputRequestKind::Roots => "the roots request",
    };
    serde_json::from_value(json!({"method": method, "params": params}))
        .map_err(|_| format!("{what} does not have the form that the protocol defines"))
}

/// Returns the schema of the form that a request shows.
pub(super) fn form_schema(request: &InputRequest) -> Option<Payload> {
    let InputRequest::Elicitation(request) = request else { return None };
    match &request.params {
        ElicitRequestParams::FormElicitationParams { requested_schema, .. } => {
            serde_json::to_value(requested_schema).ok().map(Payload::from_value)
        }
        _ => None,
    }
}

fn sampling_params(request: &SamplingRequest) -> Value {
    let fields = [
        ("messages", Some(request.messages.clone().into_value())),
        ("maxTokens", Some(u32::try_from(request.max_tokens).unwrap_or(u32::MAX).into())),
        ("systemPrompt", request.system.clone().map(Value::from)),
        ("temperature", request.temperature.map(Value::from)),
        ("stopSequences", Some(&request.stop_sequences).filter(|stop| !stop.is_empty()).map(|stop| json!(stop))),
        ("modelPreferences", request.preferences.clone().map(Payload::into_value)),
        ("tools", request.tools.clone().map(Payload::into_value)),
        ("toolChoice", request.tool_choice.clone().map(Payload::into_value)),
    ];
    let fields = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Value::Object(fields.collect::<Map<_, _>>())
}

/// Converts an input request to a server request of the call with this id.
pub(super) fn to_server_request(request: InputRequest, id: &RequestId) -> Option<ServerRequest> {
    let origin = OriginatingRequestId(id.clone());
    match request {
        InputRequest::CreateMessage(mut request) => {
            request.extensions.insert(origin);
            Some(ServerRequest::CreateMessageRequest(request))
        }
        InputRequest::Elicitation(mut request) => {
            request.extensions.insert(origin);
            Some(ServerRequest::ElicitRequest(request))
        }
        InputRequest::ListRoots(mut request) => {
            request.extensions.insert(origin);
            Some(ServerRequest::ListRootsRequest(request))
        }
        _ => None,
    }
}

/// Returns the response of a client, unchanged.
pub(super) fn response_payload(result: &ClientResult) -> Payload {
    Payload::from_value(serde_json::to_value(result).unwrap_or_default())
}

/// Whether a client declared this capability.
pub(super) fn is_declared(client: &ClientCapabilities, feature: ClientCapability) -> bool {
    match feature {
        ClientCapability::Sampling => client.sampling.is_some(),
        ClientCapability::SamplingWithTools => {
            client.sampling.as_ref().is_some_and(|sampling| sampling.tools.is_some())
        }
        // Without a mode, `elicitation` means forms.
        ClientCapability::FormElicitation => client
            .elicitation
            .as_ref()
            .is_some_and(|elicitation| elicitation.form.is_some() || elicitation.url.is_none()),
        ClientCapability::UrlElicitation => {
            client.elicitation.as_ref().is_some_and(|elicitation| elicitation.url.is_some())
        }
        ClientCapability::Roots => client.roots.is_some(),
    }
}

/// Whether a client declared that it shows pages of MCP Apps.
pub(super) fn shows_apps(client: &ClientCapabilities) -> bool {
    let extension = client.extensions.as_ref().and_then(|extensions| extensions.get(APPS_EXTENSION_ID));
    let types = extension.and_then(|settings| settings.get("mimeTypes")).and_then(Value::as_array);
    types.is_some_and(|types| types.iter().any(|known| known == mime::MCP_APP))
}
