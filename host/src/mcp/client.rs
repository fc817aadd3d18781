//! The client of one request, as services see it.
//!
//! Owns: what the two eras let a server say and ask while a call goes on, and the seal on what a call is known by when it
//! comes again.
//! Never: asks a client for what it did not declare, or takes a handle that is not ours, whole, and of the same call.

#![expect(deprecated, reason = "later revisions drop sampling; clients of today's have it")]

use std::sync::{Arc, OnceLock};

use rmcp::RoleServer;
use rmcp::model::{
    CallToolRequestParams, ClientResult, CreateMessageRequest, CreateMessageRequestParams, CreateMessageResult,
    ErrorCode, ErrorData, InputRequest, InputRequiredResult, ProgressNotificationParam, ProgressToken, RequestId,
    RequestStateCodec, SamplingMessage, SealOptions, ServerRequest,
};
use rmcp::service::{OriginatingRequestId, Peer, PeerRequestOptions, RequestContext};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use tokio::runtime::Handle;
use tokio::sync::{Semaphore, mpsc};
use tokio_util::sync::CancellationToken;

use super::error;
use crate::limits::{HANDLE_TIME, MAX_WAITING_PROGRESS, SAMPLING_TIME};
use crate::payload::Payload;
use crate::services::{Asks, Brought, Client, Sample, Sampling};

/// The key of the seals; asked for when the first one is made. Nothing where the system gives none that is secret.
pub type SealKey = Box<dyn Fn() -> Option<[u8; 32]> + Send + Sync>;

/// What seals handles.
pub(super) struct Seal {
    key: SealKey,
    codec: OnceLock<Option<RequestStateCodec>>,
}

/// One request's client.
pub(super) struct OfRequest {
    /// The request, whose reply is where a question over HTTP goes.
    id: RequestId,
    peer: Peer<RoleServer>,
    cancelled: CancellationToken,
    runtime: Handle,
    sampling: Sampling,
    /// How many calls of this server may wait for a model.
    waiting: Arc<Semaphore>,
    brought: Option<Brought>,
    progress: Option<(mpsc::Sender<ProgressNotificationParam>, ProgressToken)>,
}

impl Seal {
    pub(super) const fn new(key: SealKey) -> Self {
        Self { key, codec: OnceLock::new() }
    }

    fn codec(&self) -> Result<&RequestStateCodec, ErrorData> {
        let codec = self.codec.get_or_init(|| (self.key)().map(RequestStateCodec::new));
        codec.as_ref().ok_or_else(|| ErrorData::new(ErrorCode::INTERNAL_ERROR, "there is no key to seal with", None))
    }

    /// What a client gets that is to call again.
    pub(super) fn ask(&self, asks: &Asks, call: &CallToolRequestParams) -> Result<InputRequiredResult, ErrorData> {
        let digest = call_digest(call);
        let options = SealOptions::new().associated_data(&digest).ttl(HANDLE_TIME);
        let sealed = self.codec()?.seal_with(asks.handle.as_bytes(), &options);
        let requests =
            asks.samples.iter().map(|sample| (sample.key.clone(), InputRequest::CreateMessage(request(sample))));
        Ok(InputRequiredResult::new(Some(requests.collect()), Some(sealed)))
    }

    fn open(&self, call: &CallToolRequestParams) -> Result<Option<Brought>, ErrorData> {
        let Some(sealed) = &call.request_state else { return Ok(None) };
        let refused = |_| {
            error::invalid_params("requestState is not one of this call's, or its time is over: call again without it")
        };
        let opened = self.codec()?.open_with(sealed, &call_digest(call)).map_err(refused)?;
        let handle = String::from_utf8(opened).map_err(|_| error::invalid_params("requestState is not text"))?;
        let answers = call.input_responses.iter().flatten().map(|(key, answer)| (key.clone(), text_of(answer)));
        Ok(Some(Brought { handle, answers: answers.collect() }))
    }
}

/// The same call again has the same one.
fn call_digest(call: &CallToolRequestParams) -> Vec<u8> {
    let mut hash = Sha256::new();
    hash.update(call.name.as_bytes());
    hash.update([0]);
    hash.update(serde_json::to_vec(&call.arguments).unwrap_or_default());
    hash.finalize().to_vec()
}

/// A model's answer, or what came instead.
fn text_of(answer: &Value) -> Result<String, Payload> {
    let sampled: Option<CreateMessageResult> = serde_json::from_value(answer.clone()).ok();
    sampled.and_then(|result| words(&result)).ok_or_else(|| Payload::from_value(answer.clone()))
}

fn words(result: &CreateMessageResult) -> Option<String> {
    let content = serde_json::to_value(&result.message.content).ok()?;
    let blocks = match content {
        Value::Array(blocks) => blocks,
        block => vec![block],
    };
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block.get("text")?.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

fn request(sample: &Sample) -> CreateMessageRequest {
    let max_tokens = u32::try_from(sample.max_tokens).unwrap_or(u32::MAX);
    let mut params = CreateMessageRequestParams::new(vec![SamplingMessage::user_text(&sample.prompt)], max_tokens);
    params.system_prompt.clone_from(&sample.system);
    CreateMessageRequest::new(params)
}

impl OfRequest {
    /// The client of a call, and what sends on how far the call is: to be run until this is dropped.
    pub(super) fn new(
        context: &RequestContext<RoleServer>,
        call: &CallToolRequestParams,
        seal: &Seal,
        waiting: &Arc<Semaphore>,
    ) -> Result<(Arc<Self>, impl Future<Output = ()> + use<>), ErrorData> {
        let declared = context.client_capabilities().is_some_and(|client| client.sampling.is_some());
        let is_older = context.protocol_version().is_some_and(|version| version.has_initialize());
        let sampling = match (declared, is_older) {
            (false, _) => Sampling::Never,
            (true, true) => Sampling::Now,
            (true, false) => Sampling::ByReturn,
        };
        let token = context.meta.get_progress_token();
        let (sender, mut told) = mpsc::channel(MAX_WAITING_PROGRESS);
        let peer = context.peer.clone();
        let tell = async move {
            while let Some(progress) = told.recv().await {
                if peer.notify_progress(progress).await.is_err() {
                    return;
                }
            }
        };
        let client = Self {
            id: context.id.clone(),
            peer: context.peer.clone(),
            cancelled: context.ct.clone(),
            runtime: Handle::current(),
            sampling,
            waiting: Arc::clone(waiting),
            brought: seal.open(call)?,
            progress: token.map(|token| (sender, token)),
        };
        Ok((Arc::new(client), tell))
    }
}

impl Client for OfRequest {
    fn progress(&self, step: f64, total: Option<f64>, message: Option<&str>) {
        let Some((sender, token)) = &self.progress else { return };
        let mut progress = ProgressNotificationParam::new(token.clone(), step);
        (progress.total, progress.message) = (total, message.map(str::to_owned));
        // Where a client does not read, the latest are as good as none.
        drop(sender.try_send(progress));
    }

    fn sampling(&self) -> Sampling {
        self.sampling
    }

    fn sample(&self, samples: &[Sample]) -> Result<Vec<String>, String> {
        // Whoever waits for a person keeps a thread that other calls need.
        let _permit =
            self.waiting.try_acquire().map_err(|_| "too many calls wait for the client's model".to_owned())?;
        let ask = async {
            let mut asked = Vec::new();
            for sample in samples {
                let mut request = request(sample);
                request.extensions.insert(OriginatingRequestId(self.id.clone()));
                let request = ServerRequest::CreateMessageRequest(request);
                let options = PeerRequestOptions::with_timeout(SAMPLING_TIME);
                asked.push(self.peer.send_cancellable_request(request, options).await.map_err(|e| e.to_string())?);
            }
            let mut answers = Vec::new();
            for handle in asked {
                let answer = handle.await_response().await.map_err(|error| error.to_string())?;
                let ClientResult::CreateMessageResult(result) = answer else {
                    return Err("the client's answer is not one of a model".to_owned());
                };
                answers.push(words(&result).ok_or("the model's answer has no text")?);
            }
            Ok(answers)
        };
        let asked = self.runtime.block_on(self.cancelled.run_until_cancelled(ask));
        asked.unwrap_or_else(|| Err("the call was cancelled".to_owned()))
    }

    fn brought(&self) -> Option<&Brought> {
        self.brought.as_ref()
    }
}
