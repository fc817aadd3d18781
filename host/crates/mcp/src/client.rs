//! The client of one request, as services see it.
//!
//! Owns: what the two eras let a server say and ask while a call goes on, and the seal on what a call is known by when it
//! comes again.
//! Never: asks a client for what it did not declare, or takes a handle that is not ours, whole, and of the same call.

#![expect(deprecated, reason = "later revisions drop logging; clients of today's have it")]

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, OnceLock};

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, CancelledNotification, CancelledNotificationParam, ClientCapabilities, ErrorCode, ErrorData,
    GetExtensions as _, GetPromptRequestParams, InputRequiredResult, InputResponses, LoggingMessageNotification,
    LoggingMessageNotificationParam, ProgressNotificationParam, ProgressToken, ReadResourceRequestParams, RequestId,
    RequestStateCodec, SealOptions, ServerNotification,
};
use rmcp::service::{OriginatingRequestId, Peer, PeerRequestOptions, RequestContext};
use serde::Serialize;
use sha2::{Digest as _, Sha256};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, SemaphorePermit, mpsc};
use tokio_util::sync::CancellationToken;

use super::changes::Changes;
use super::secret::Secret;
use super::to_wire::Era;
use super::{asks, error, log};
use wardroom_base::limits::{
    HANDLE_TIME, MAX_SAMPLING, MAX_SAMPLING_OF_SESSION, MAX_WAITING_PROGRESS, SAMPLING_TIME, WITHDRAW_TIME,
};
use wardroom_base::payload::Payload;
use wardroom_service::{Ask, Asks, Brought, Caller, Changed, Client, Feature, Level, Sampling};

/// The key of the seals; asked for when the first one is made. Nothing where the system gives none that is secret.
pub type SealKey = Box<dyn Fn() -> Option<[u8; 32]> + Send + Sync>;

/// What seals handles.
pub(super) struct Seal {
    key: SealKey,
    codec: OnceLock<Option<(RequestStateCodec, Secret)>>,
}

/// What a request is for, and what it brought: a call that comes again is for the same.
pub(super) struct Subject<'r> {
    digest: Vec<u8>,
    state: Option<&'r String>,
    responses: Option<&'r InputResponses>,
}

/// How many calls may wait for their clients: the narrowest bound first, that of all clients last.
#[derive(Clone)]
pub(super) struct Asking(Vec<Arc<Semaphore>>);

impl Default for Asking {
    /// Of a server's only client.
    fn default() -> Self {
        Self(vec![Arc::new(Semaphore::new(MAX_SAMPLING))])
    }
}

impl Asking {
    /// Of one more client, of a caller who may have others.
    pub(super) fn of_another(&self, caller: &Arc<Semaphore>) -> Self {
        let own = Arc::new(Semaphore::new(MAX_SAMPLING_OF_SESSION));
        Self([own, Arc::clone(caller)].into_iter().chain(self.0.iter().cloned()).collect())
    }

    fn permits(&self) -> Option<Vec<SemaphorePermit<'_>>> {
        self.0.iter().map(|bound| bound.try_acquire().ok()).collect()
    }
}

/// One request's client.
pub(super) struct OfRequest {
    /// The request, whose reply is where a question over HTTP goes.
    id: RequestId,
    peer: Peer<RoleServer>,
    changes: Arc<Changes>,
    cancelled: CancellationToken,
    runtime: Handle,
    capabilities: ClientCapabilities,
    era: Era,
    asking: Option<Asking>,
    brought: Option<Brought>,
    told: mpsc::Sender<Told>,
    progress: Option<ProgressToken>,
    /// The least of what its log gets.
    log: Option<Level>,
}

/// What a client is told while its call goes on.
enum Told {
    Progress(ProgressNotificationParam),
    Log(LoggingMessageNotificationParam),
}

impl<'r> Subject<'r> {
    pub(super) fn tool(call: &'r CallToolRequestParams, caller: &Caller) -> Self {
        let digest = digest(b"tools/call", &call.name, &call.arguments, caller);
        Self { digest, state: call.request_state.as_ref(), responses: call.input_responses.as_ref() }
    }

    pub(super) fn prompt(call: &'r GetPromptRequestParams, caller: &Caller) -> Self {
        let digest = digest(b"prompts/get", &call.name, &call.arguments, caller);
        Self { digest, state: call.request_state.as_ref(), responses: call.input_responses.as_ref() }
    }

    pub(super) fn resource(call: &'r ReadResourceRequestParams, caller: &Caller) -> Self {
        let digest = digest(b"resources/read", &call.uri, &(), caller);
        Self { digest, state: call.request_state.as_ref(), responses: call.input_responses.as_ref() }
    }
}

/// Whoever asks at another endpoint, with another token or in other groups is somebody else.
pub(super) fn principal(caller: &Caller) -> [u8; 32] {
    Sha256::digest(format!("{:?} {:?} {:?}", caller.scope, caller.groups, caller.who)).into()
}

/// The same call again has the same one.
fn digest(method: &[u8], name: &str, arguments: &impl Serialize, caller: &Caller) -> Vec<u8> {
    let mut hash = Sha256::new();
    let caller = principal(caller);
    for part in [method, name.as_bytes(), &caller, &serde_json::to_vec(arguments).unwrap_or_default()] {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    hash.finalize().to_vec()
}

impl Seal {
    pub(super) const fn new(key: SealKey) -> Self {
        Self { key, codec: OnceLock::new() }
    }

    fn codec(&self) -> Result<&(RequestStateCodec, Secret), ErrorData> {
        let codec = self.codec.get_or_init(|| {
            let key = (self.key)()?;
            Some((RequestStateCodec::new(key), Secret::new(&key)))
        });
        codec.as_ref().ok_or_else(|| ErrorData::new(ErrorCode::INTERNAL_ERROR, "there is no key to seal with", None))
    }

    /// What a client gets that is to call again.
    pub(super) fn ask(&self, asked: &Asks, subject: &Subject) -> Result<InputRequiredResult, ErrorData> {
        let options = SealOptions::new().associated_data(&subject.digest).ttl(HANDLE_TIME);
        let (codec, secret) = self.codec()?;
        let closed = secret.closed(asked.handle.as_bytes());
        let closed = closed.ok_or_else(|| ErrorData::new(ErrorCode::INTERNAL_ERROR, "there is no randomness", None))?;
        let sealed = codec.seal_with(&closed, &options);
        let mut requests = rmcp::model::InputRequests::new();
        for ask in &asked.asks {
            let request = asks::request(ask).map_err(|why| ErrorData::new(ErrorCode::INTERNAL_ERROR, why, None))?;
            requests.insert(ask.key.clone(), request);
        }
        Ok(InputRequiredResult::new(Some(requests), Some(sealed)))
    }

    fn open(&self, subject: &Subject) -> Result<Option<Brought>, ErrorData> {
        let answers = subject.responses.into_iter().flatten();
        let answers: BTreeMap<_, _> =
            answers.map(|(key, answer)| (key.clone(), Payload::from_value(answer.clone()))).collect();
        let Some(sealed) = subject.state else {
            // A client may know beforehand what it will be asked.
            return Ok((!answers.is_empty()).then(|| Brought { handle: String::new(), answers }));
        };
        let refused = || {
            error::invalid_params("requestState is not one of this call's, or its time is over: call again without it")
        };
        let (codec, secret) = self.codec()?;
        let opened = codec.open_with(sealed, &subject.digest).ok().and_then(|closed| secret.opened(&closed));
        let handle = opened.and_then(|handle| String::from_utf8(handle).ok()).ok_or_else(refused)?;
        Ok(Some(Brought { handle, answers }))
    }
}

/// What is told while the request with this id goes on: over HTTP it goes where the reply does.
fn of_request(mut told: ServerNotification, id: &RequestId) -> ServerNotification {
    told.extensions_mut().insert(OriginatingRequestId(id.clone()));
    told
}

impl OfRequest {
    /// The client of a call, and what sends on what it is told: to be run until this is dropped. `log` is what a client
    /// of the older eras asked for.
    pub(super) fn new(
        context: &RequestContext<RoleServer>,
        subject: &Subject,
        seal: &Seal,
        asking: Option<&Asking>,
        log: Option<Level>,
        changes: &Arc<Changes>,
    ) -> Result<(Arc<Self>, impl Future<Output = ()> + use<>), ErrorData> {
        let era = Era::of(context);
        let (sender, mut told) = mpsc::channel(MAX_WAITING_PROGRESS);
        let (id, peer, cancelled) = (context.id.clone(), context.peer.clone(), context.ct.clone());
        let tell = async move {
            let telling = async {
                while let Some(told) = told.recv().await {
                    let told = match told {
                        Told::Progress(progress) => peer.notify_progress(progress).await,
                        Told::Log(line) => {
                            let line = LoggingMessageNotification::new(line);
                            peer.send_notification(of_request(line.into(), &id)).await
                        }
                    };
                    if told.is_err() {
                        return;
                    }
                }
            };
            // Whoever took the request back is told nothing more of it, and not waited for.
            cancelled.run_until_cancelled(telling).await;
        };
        let client = Self {
            changes: Arc::clone(changes),
            id: context.id.clone(),
            peer: context.peer.clone(),
            cancelled: context.ct.clone(),
            runtime: Handle::current(),
            capabilities: context.client_capabilities().unwrap_or_default(),
            era,
            asking: asking.cloned(),
            brought: seal.open(subject)?,
            told: sender,
            progress: context.meta.get_progress_token(),
            log: if era == Era::Newer { context.meta.log_level().map(log::from_wire) } else { log },
        };
        Ok((Arc::new(client), tell))
    }

    /// Asks everything, and waits for the answers. In `open` are the requests that have none yet.
    async fn ask_all(&self, asks: &[Ask], open: &mut VecDeque<RequestId>) -> Result<Vec<Payload>, String> {
        let mut asked = Vec::new();
        for ask in asks {
            let request = asks::of_server(asks::request(ask)?, &self.id).ok_or("it cannot be asked")?;
            let options = PeerRequestOptions::with_timeout(SAMPLING_TIME);
            let sent = self.peer.send_cancellable_request(request, options).await.map_err(|error| error.to_string())?;
            open.push_back(sent.id.clone());
            asked.push(sent);
        }
        let mut answers = Vec::new();
        for sent in asked {
            let answer = sent.await_response().await;
            open.pop_front();
            answers.push(asks::answer(&answer.map_err(|error| error.to_string())?));
        }
        Ok(answers)
    }
}

impl Client for OfRequest {
    fn progress(&self, step: f64, total: Option<f64>, message: Option<&str>) {
        let Some(token) = &self.progress else { return };
        let mut progress = ProgressNotificationParam::new(token.clone(), step);
        (progress.total, progress.message) = (total, message.map(str::to_owned));
        // Where a client does not read, the latest are as good as none.
        drop(self.told.try_send(Told::Progress(progress)));
    }

    fn log(&self, level: Level, logger: Option<&str>, data: Payload) {
        if self.log.is_none_or(|least| level < least) {
            return;
        }
        let mut line = LoggingMessageNotificationParam::new(log::to_wire(level), data.into_value());
        line.logger = logger.map(str::to_owned);
        drop(self.told.try_send(Told::Log(line)));
    }

    fn can(&self, feature: Feature) -> Sampling {
        match (asks::declares(&self.capabilities, feature), self.era) {
            (false, _) => Sampling::Never,
            (true, Era::Older) if self.asking.is_none() => Sampling::Never,
            (true, Era::Older) => Sampling::Now,
            (true, Era::Newer) => Sampling::ByReturn,
        }
    }

    fn changed(&self, what: &Changed) {
        self.changes.changed(what);
    }

    fn check(&self, ask: &Ask) -> Result<(), String> {
        asks::request(ask).map(drop)
    }

    fn ask(&self, asks: &[Ask]) -> Result<Vec<Payload>, String> {
        // Whoever waits for a person keeps a thread that other calls need.
        let asking = self.asking.as_ref().ok_or("it cannot be asked")?;
        let _permits = asking.permits().ok_or("too many calls wait for their clients: try again later")?;
        self.runtime.block_on(async {
            let mut open = VecDeque::new();
            let asked = self.cancelled.run_until_cancelled(self.ask_all(asks, &mut open)).await;
            let asked = asked.unwrap_or_else(|| Err("the call was cancelled".to_owned()));
            // Nobody waits for the others any more. A client that does not read is not waited for.
            let withdrawing = async {
                for id in open {
                    let params = CancelledNotificationParam::new(Some(id), asked.as_ref().err().cloned());
                    let withdrawn = of_request(CancelledNotification::new(params).into(), &self.id);
                    if self.peer.send_notification(withdrawn).await.is_err() {
                        return;
                    }
                }
            };
            let withdrawn = tokio::time::timeout(WITHDRAW_TIME, withdrawing).await;
            drop(withdrawn);
            asked
        })
    }

    fn brought(&self) -> Option<&Brought> {
        self.brought.as_ref()
    }
}
