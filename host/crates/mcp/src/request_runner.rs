//! Runs the handlers of one connection's requests in the task of its transport.
//!
//! Owns: what a handler is given, and the handlers that wait for something. The loop of rmcp starts a task for each request
//! and passes its answer through a channel and one more task, which takes longer than most handlers.
//! Never: runs a subscription: rmcp acknowledges it, and writes its stream.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use rmcp::model::{ClientRequest, GetExtensions as _, GetMeta as _, JsonRpcRequest, ServerJsonRpcMessage};
use rmcp::service::{Peer, RequestContext};
use rmcp::{RoleServer, Service as _};
use tokio::sync::SetOnce;
use tokio_util::sync::CancellationToken;

use super::{CatchPanic, McpServer};
use wardroom_base::CONTENT_TARGET;

pub(super) struct RequestRunner {
    server: Arc<CatchPanic>,
    peer: ClientPeer,
    running: FuturesUnordered<RunningHandler>,
}

/// The way to the client, which rmcp makes from the transport.
pub(super) type ClientPeer = Arc<SetOnce<Peer<RoleServer>>>;

type RunningHandler = Pin<Box<dyn Future<Output = ServerJsonRpcMessage> + Send>>;

impl RequestRunner {
    /// Creates a runner. Its handlers begin when `peer` is set.
    pub(super) fn new(server: McpServer, peer: ClientPeer) -> Self {
        Self { server: Arc::new(CatchPanic(server)), peer, running: FuturesUnordered::new() }
    }

    /// Starts the handler of a request, which `cancellation` cancels.
    pub(super) fn start(&self, request: JsonRpcRequest<ClientRequest>, cancellation: CancellationToken) {
        let JsonRpcRequest { id, mut request, .. } = request;
        tracing::debug!(target: CONTENT_TARGET, %id, ?request, "a request");
        let (server, peer) = (Arc::clone(&self.server), Arc::clone(&self.peer));
        self.running.push(Box::pin(async move {
            let mut context = RequestContext::new(id.clone(), peer.wait().await.clone());
            context.ct = cancellation;
            context.meta = std::mem::take(request.get_meta_mut());
            context.extensions = std::mem::take(request.extensions_mut());
            let answer = match server.handle_request(request, context).await {
                Ok(result) => ServerJsonRpcMessage::response(result, id),
                Err(error) => ServerJsonRpcMessage::error(error, Some(id)),
            };
            tracing::debug!(target: CONTENT_TARGET, ?answer, "its answer");
            answer
        }));
    }

    /// Returns the next answer; `None` when no handler runs. Cancel safe.
    pub(super) async fn next_answer(&mut self) -> Option<ServerJsonRpcMessage> {
        self.running.next().await
    }

    /// Runs the handlers that have something to do. Returns an answer, if there is one now.
    pub(super) async fn ready_answer(&mut self) -> Option<ServerJsonRpcMessage> {
        poll_fn(|context| match self.running.poll_next_unpin(context) {
            Poll::Ready(answer) => Poll::Ready(answer),
            Poll::Pending => Poll::Ready(None),
        })
        .await
    }
}
