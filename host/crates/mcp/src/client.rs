//! The client of one request, as services see it.
//!
//! Owns: the notifications and input requests that each revision allows during a call, and the continuation token
//! (`requestState`) that identifies a repeated call.
//! Never: requests input for which the client declared no capability, or accepts a token that this server did not seal,
//! that was altered, or that belongs to another call.

#![expect(deprecated, reason = "later revisions drop logging, but today's clients use it")]

use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CancelledNotification, CancelledNotificationParam, ClientCapabilities, ErrorData,
    GetExtensions as _, GetPromptRequestParams, InputRequiredResult, InputResponses, LoggingMessageNotification,
    LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken, ReadResourceRequestParams, RequestId,
    RequestStateCodec, SealOptions, ServerNotification,
};
use rmcp::service::{OriginatingRequestId, Peer, PeerRequestOptions, RequestContext};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::changes::ChangeNotifier;
use super::permits::PermitChain;
use super::revision::Revision;
use super::state_cipher::StateCipher;
use super::{error, input_request, log_level};
use crate::limits::{
    CONTINUATION_TOKEN_TTL, INPUT_REQUEST_CANCEL_TIMEOUT, MAX_QUEUED_PROGRESS_NOTIFICATIONS, SAMPLING_TIMEOUT,
};
use wardroom_base::activity::CallName;
use wardroom_base::memory::{MemoryLease, MemoryShare};
use wardroom_base::payload::Payload;
use wardroom_service::{
    Caller, ChangeNotification, Client, ClientCapability, ClientResponses, InputMode, InputRequest, InputRequired,
    LogLevel,
};

/// Returns the key that seals tokens; called until there is one. `None` where there is none now.
pub type SealKeySource = Box<dyn Fn() -> Option<[u8; 32]> + Send + Sync>;

/// Seals continuation tokens.
pub(super) struct RequestStateSealer {
    key_source: SealKeySource,
    codec: OnceLock<(RequestStateCodec, StateCipher)>,
}

/// A call, and the token and responses that its client sent. A repeated call has the same digest.
pub(super) struct CallIdentity<'r> {
    call: CallParts<'r>,
    caller: &'r Caller,
    request_state: Option<&'r String>,
    responses: Option<&'r InputResponses>,
}

enum CallParts<'r> {
    Tool(&'r str, &'r Payload),
    Prompt(&'r str, Option<&'r Map<String, Value>>),
    Resource(&'r str),
}

/// What a token holds, encrypted.
#[derive(Serialize, Deserialize)]
struct TokenContent<'t> {
    /// The service's own token.
    #[serde(borrow)]
    token: Cow<'t, str>,
    may_repeat: bool,
    /// The keys of the input requests.
    #[serde(borrow)]
    keys: Vec<Cow<'t, str>>,
}

/// A token that a client sent with responses to its input requests.
pub(super) struct UsedToken {
    pub(super) digest_of_responses: [u8; 32],
    /// A digest of what the token carries.
    pub(super) content: [u8; 32],
    pub(super) may_repeat: bool,
}

/// The client of one request.
pub(super) struct RequestClient {
    /// The request whose reply carries the input requests over HTTP.
    request_id: RequestId,
    peer: Peer<RoleServer>,
    changes: Arc<ChangeNotifier>,
    cancelled: CancellationToken,
    runtime: Handle,
    capabilities: ClientCapabilities,
    revision: Revision,
    /// How many calls may wait for their clients.
    input_limits: Option<PermitChain>,
    client_responses: Option<ClientResponses>,
    notifications: mpsc::Sender<(CallNotification, MemoryLease)>,
    /// What the notifications that are not sent yet may hold.
    memory: MemoryShare,
    progress_token: Option<ProgressToken>,
    /// The lowest level that is logged; `None` logs nothing.
    log_level: Option<LogLevel>,
}

/// A notification to a client during its call.
enum CallNotification {
    Progress(ProgressNotificationParam),
    Log(LoggingMessageNotificationParam),
}

impl<'r> CallIdentity<'r> {
    /// Returns the sealed token that the client sent.
    pub(super) const fn request_state(&self) -> Option<&'r String> {
        self.request_state
    }

    pub(super) fn for_tool(call: &'r CallToolRequestParams, arguments: &'r Payload, caller: &'r Caller) -> Self {
        let (request_state, responses) = (call.request_state.as_ref(), call.input_responses.as_ref());
        Self { call: CallParts::Tool(&call.name, arguments), caller, request_state, responses }
    }

    pub(super) fn for_prompt(call: &'r GetPromptRequestParams, caller: &'r Caller) -> Self {
        let (request_state, responses) = (call.request_state.as_ref(), call.input_responses.as_ref());
        Self { call: CallParts::Prompt(&call.name, call.arguments.as_ref()), caller, request_state, responses }
    }

    pub(super) fn for_resource(call: &'r ReadResourceRequestParams, caller: &'r Caller) -> Self {
        let (request_state, responses) = (call.request_state.as_ref(), call.input_responses.as_ref());
        Self { call: CallParts::Resource(&call.uri), caller, request_state, responses }
    }

    /// Returns the call's method and name, and whose it is.
    pub(super) fn call_name(&self) -> CallName {
        let (method, name) = self.call.method_and_name();
        CallName::new(method, name, self.caller.owner.display_name())
    }

    /// Computes the digest, which few calls need.
    fn digest(&self) -> Vec<u8> {
        let (method, name) = self.call.method_and_name();
        let arguments = match self.call {
            CallParts::Tool(_, arguments) => arguments.canonical_digest().to_vec(),
            CallParts::Prompt(_, given) => serde_json::to_vec(&given).unwrap_or_default(),
            CallParts::Resource(_) => Vec::new(),
        };
        let mut hash = Sha256::new();
        for part in [method.as_bytes(), name.as_bytes(), &self.caller.digest(), &arguments] {
            hash.update((part.len() as u64).to_le_bytes());
            hash.update(part);
        }
        hash.finalize().to_vec()
    }
}

impl<'r> CallParts<'r> {
    const fn method_and_name(&self) -> (&'static str, &'r str) {
        match self {
            Self::Tool(name, _) => ("tools/call", name),
            Self::Prompt(name, _) => ("prompts/get", name),
            Self::Resource(uri) => ("resources/read", uri),
        }
    }
}

impl RequestStateSealer {
    pub(super) const fn new(key: SealKeySource) -> Self {
        Self { key_source: key, codec: OnceLock::new() }
    }

    fn codec(&self) -> Result<&(RequestStateCodec, StateCipher), ErrorData> {
        if let Some(codec) = self.codec.get() {
            return Ok(codec);
        }
        // Without a key now, the next token tries again.
        let key = (self.key_source)();
        let key = key.ok_or_else(|| error::internal_with_message("this server has no key for requestState"))?;
        Ok(self.codec.get_or_init(|| (RequestStateCodec::new(key), StateCipher::new(&key))))
    }

    /// Returns the result that makes a client call again: the input requests, and the sealed token.
    pub(super) fn input_required(
        &self,
        required: &InputRequired,
        identity: &CallIdentity,
    ) -> Result<InputRequiredResult, ErrorData> {
        let digest = identity.digest();
        let options = SealOptions::new().associated_data(&digest).ttl(CONTINUATION_TOKEN_TTL);
        let (codec, cipher) = self.codec()?;
        let content = TokenContent {
            token: required.continuation_token.as_str().into(),
            may_repeat: required.may_repeat,
            keys: required.requests.iter().map(|request| request.key.as_str().into()).collect(),
        };
        let encrypted = cipher.encrypt(&serde_json::to_vec(&content).unwrap_or_default());
        let encrypted = encrypted.ok_or_else(|| error::internal_with_message("the system gives no random bytes"))?;
        let sealed = codec.seal_with(&encrypted, &options);
        let mut requests = rmcp::model::InputRequests::new();
        for ask in &required.requests {
            let request = input_request::to_input_request(ask).map_err(error::internal_with_message)?;
            requests.insert(ask.key.clone(), request);
        }
        Ok(InputRequiredResult::new(Some(requests), Some(sealed)))
    }

    /// Returns what a client sent with a call: its responses, and the service's own token.
    pub(super) fn open(&self, identity: &CallIdentity) -> Result<Option<ClientResponses>, ErrorData> {
        let answers = identity.responses.into_iter().flatten();
        let answers: BTreeMap<_, _> =
            answers.map(|(key, answer)| (key.clone(), Payload::from_value(answer.clone()))).collect();
        let Some(sealed) = identity.request_state else {
            // A client may answer requests that it expects.
            return Ok(
                (!answers.is_empty()).then_some(ClientResponses { continuation_token: None, responses: answers })
            );
        };
        let decrypted = self.decrypt(sealed, identity)?;
        let content = parse_content(&decrypted)?;
        Ok(Some(ClientResponses { continuation_token: Some(content.token.into_owned()), responses: answers }))
    }

    fn decrypt(&self, sealed: &str, identity: &CallIdentity) -> Result<Vec<u8>, ErrorData> {
        let (codec, cipher) = self.codec()?;
        let decrypted =
            codec.open_with(sealed, &identity.digest()).ok().and_then(|encrypted| cipher.decrypt(&encrypted));
        decrypted.ok_or_else(refused_token)
    }

    /// Returns how a call uses its token: `None` without one, and without a response to one of its requests.
    pub(super) fn used_token(&self, identity: &CallIdentity) -> Result<Option<UsedToken>, ErrorData> {
        let (Some(sealed), Some(responses)) = (identity.request_state, identity.responses) else { return Ok(None) };
        let decrypted = self.decrypt(sealed, identity)?;
        let TokenContent { may_repeat, keys, .. } = parse_content(&decrypted)?;
        if !keys.iter().any(|key| responses.contains_key(key.as_ref())) {
            return Ok(None);
        }
        let digest = Sha256::digest(serde_json::to_vec(responses).unwrap_or_default());
        let content = Sha256::digest(&decrypted).into();
        Ok(Some(UsedToken { digest_of_responses: digest.into(), content, may_repeat }))
    }

    /// Whether a token of the same call carries this: then nothing happened since the one that was used.
    pub(super) fn carries(&self, sealed: &str, content: &[u8; 32], identity: &CallIdentity) -> bool {
        self.decrypt(sealed, identity).is_ok_and(|decrypted| Sha256::digest(&decrypted)[..] == content[..])
    }
}

fn parse_content(decrypted: &[u8]) -> Result<TokenContent<'_>, ErrorData> {
    serde_json::from_slice(decrypted).map_err(|_| refused_token())
}

fn refused_token() -> ErrorData {
    error::invalid_params("requestState belongs to another call, or has expired: call again without it")
}

/// Assigns a notification to the request with this id: over HTTP it goes where that request's reply goes.
fn with_originating_request(mut notification: ServerNotification, id: &RequestId) -> ServerNotification {
    notification.extensions_mut().insert(OriginatingRequestId(id.clone()));
    notification
}

impl RequestClient {
    /// Returns the client of a call, and a future that sends its notifications, to be polled until the client is
    /// dropped. `log` is the level that a legacy client set.
    pub(super) fn new(
        context: &RequestContext<RoleServer>,
        identity: &CallIdentity,
        sealer: &RequestStateSealer,
        limits: Option<&PermitChain>,
        log: Option<LogLevel>,
        (changes, memory): (&Arc<ChangeNotifier>, &MemoryShare),
    ) -> Result<(Arc<Self>, impl Future<Output = ()> + use<>), ErrorData> {
        let revision = Revision::from_context(context);
        let (sender, mut receiver) = mpsc::channel(MAX_QUEUED_PROGRESS_NOTIFICATIONS);
        let (id, peer, cancelled) = (context.id.clone(), context.peer.clone(), context.ct.clone());
        let send_notifications = async move {
            let sending = async {
                while let Some((notification, _memory)) = receiver.recv().await {
                    let sent = match notification {
                        CallNotification::Progress(progress) => peer.notify_progress(progress).await,
                        CallNotification::Log(line) => {
                            let line = LoggingMessageNotification::new(line);
                            peer.send_notification(with_originating_request(line.into(), &id)).await
                        }
                    };
                    if sent.is_err() {
                        return;
                    }
                }
            };
            // After a cancellation nothing more is sent, and a slow client is not waited for.
            cancelled.run_until_cancelled(sending).await;
        };
        let client = Self {
            changes: Arc::clone(changes),
            request_id: context.id.clone(),
            peer: context.peer.clone(),
            cancelled: context.ct.clone(),
            runtime: Handle::current(),
            capabilities: context.client_capabilities().unwrap_or_default(),
            revision,
            input_limits: limits.cloned(),
            client_responses: sealer.open(identity)?,
            notifications: sender,
            memory: memory.clone(),
            progress_token: context.meta.get_progress_token(),
            log_level: if revision == Revision::Modern {
                context.meta.log_level().map(log_level::from_wire)
            } else {
                log
            },
        };
        Ok((Arc::new(client), send_notifications))
    }

    /// Queues a notification that takes as many bytes beside its fixed fields. It is dropped when the queue is full,
    /// because the client does not read, and when the memory of the call has no bytes left.
    fn queue_notification(&self, notification: CallNotification, bytes: usize) {
        const FIXED_BYTES: usize = 512;
        if let Ok(memory) = self.memory.lease(FIXED_BYTES + bytes) {
            drop(self.notifications.try_send((notification, memory)));
        }
    }

    /// Sends all requests and waits for the responses. `open` holds the requests that have no response yet.
    async fn send_input_requests(
        &self,
        requests: &[InputRequest],
        open: &mut VecDeque<RequestId>,
    ) -> Result<Vec<Payload>, String> {
        let mut asked = Vec::new();
        for ask in requests {
            let request = input_request::to_server_request(input_request::to_input_request(ask)?, &self.request_id)
                .ok_or("the client cannot receive this kind of request")?;
            let options = PeerRequestOptions::with_timeout(SAMPLING_TIMEOUT);
            let sent = self.peer.send_cancellable_request(request, options).await.map_err(|error| error.to_string())?;
            open.push_back(sent.id.clone());
            asked.push(sent);
        }
        let mut answers = Vec::new();
        for sent in asked {
            let answer = sent.await_response().await;
            open.pop_front();
            answers.push(input_request::response_payload(&answer.map_err(|error| error.to_string())?));
        }
        Ok(answers)
    }
}

impl Client for RequestClient {
    fn notify_progress(&self, step: f64, total: Option<f64>, message: Option<&str>) {
        let Some(token) = &self.progress_token else { return };
        let mut progress = ProgressNotificationParam::new(token.clone(), step);
        (progress.total, progress.message) = (total, message.map(str::to_owned));
        self.queue_notification(CallNotification::Progress(progress), message.map_or(0, str::len));
    }

    fn log_message(&self, level: LogLevel, logger: Option<&str>, data: Payload) {
        if self.log_level.is_none_or(|least| level < least) {
            return;
        }
        let bytes = data.text_bytes() + data.value_bytes() + logger.map_or(0, str::len);
        let mut line = LoggingMessageNotificationParam::new(log_level::to_wire(level), data.into_value());
        line.logger = logger.map(str::to_owned);
        self.queue_notification(CallNotification::Log(line), bytes);
    }

    fn input_mode(&self, feature: ClientCapability) -> InputMode {
        match (input_request::is_declared(&self.capabilities, feature), self.revision) {
            (false, _) => InputMode::Unsupported,
            (true, Revision::Legacy) if self.input_limits.is_none() => InputMode::Unsupported,
            (true, Revision::Legacy) => InputMode::Inline,
            (true, Revision::Modern) => InputMode::Deferred,
        }
    }

    fn notify_changed(&self, what: &ChangeNotification) {
        self.changes.notify_change(what);
    }

    fn check_request(&self, request: &InputRequest) -> Result<Option<Payload>, String> {
        Ok(input_request::form_schema(&input_request::to_input_request(request)?))
    }

    fn request_input(&self, requests: &[InputRequest]) -> Result<Vec<Payload>, String> {
        // A call that waits for a person occupies a thread that other calls need.
        let limits = self.input_limits.as_ref().ok_or("the client takes no requests during this call")?;
        let _permits = limits.try_acquire().ok_or("too many calls wait for their clients: try again later")?;
        self.runtime.block_on(async {
            let mut open = VecDeque::new();
            let responses = self.cancelled.run_until_cancelled(self.send_input_requests(requests, &mut open)).await;
            let responses = responses.unwrap_or_else(|| Err("the call was cancelled".to_owned()));
            // The remaining requests are withdrawn, with a timeout for a client that does not read.
            let withdrawing = async {
                for id in open {
                    let params = CancelledNotificationParam::new(Some(id), responses.as_ref().err().cloned());
                    let withdrawn =
                        with_originating_request(CancelledNotification::new(params).into(), &self.request_id);
                    if self.peer.send_notification(withdrawn).await.is_err() {
                        return;
                    }
                }
            };
            let withdrawn = tokio::time::timeout(INPUT_REQUEST_CANCEL_TIMEOUT, withdrawing).await;
            drop(withdrawn);
            responses
        })
    }

    fn shows_apps(&self) -> bool {
        input_request::shows_apps(&self.capabilities)
    }

    fn client_responses(&self) -> Option<&ClientResponses> {
        self.client_responses.as_ref()
    }
}
