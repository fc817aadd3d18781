//! Catches panics of handlers: a request whose handler panics still gets an answer.
//!
//! Owns: the wrapper around the server. Without it rmcp would drop the request, and its client would wait for ever.

use std::borrow::Cow;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use rmcp::model::{ClientNotification, ClientRequest, ErrorData, ProtocolVersion, ServerConfig, ServerResult};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::{RoleServer, Service};

use super::{McpServer, error};

/// The server as rmcp runs it. Unwind safe: handlers share only counters, and locks that ignore poisoning.
pub struct CatchPanic(pub McpServer);

impl Service<RoleServer> for CatchPanic {
    async fn handle_request(
        &self,
        request: ClientRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<ServerResult, ErrorData> {
        let id = context.id.clone();
        let mut work = pin!(self.0.handle_request(request, context));
        poll_fn(|context| {
            let polled = catch_unwind(AssertUnwindSafe(|| work.as_mut().poll(context)));
            polled.unwrap_or_else(|_| Poll::Ready(Err(error::panicked(&id))))
        })
        .await
    }

    async fn handle_notification(
        &self,
        notification: ClientNotification,
        context: NotificationContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.0.handle_notification(notification, context).await
    }

    fn get_info(&self) -> ServerConfig {
        Service::get_info(&self.0)
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Service::supported_protocol_versions(&self.0)
    }
}
