//! What the fuzz targets reach without a client: one connection, and the continuation tokens of calls.
//!
//! Owns: nothing of its own; it is compiled for fuzz targets alone.
//! Never: is part of a server.

use std::sync::Arc;

use rmcp::model::{CallToolRequestParams, ErrorData};
use tokio::net::UnixStream;

use crate::client::{CallIdentity, RequestStateSealer};
use crate::http::{HttpService, serve_fuzzed_stream};
use wardroom_base::payload::Payload;
use wardroom_service::{Caller, ClientResponses, InputRequired};

/// Serves one connection to its end.
pub async fn serve_stream(stream: UnixStream, service: &Arc<HttpService>) {
    serve_fuzzed_stream(stream, service).await;
}

/// The sealer of a server with this key.
pub struct FuzzedSealer(RequestStateSealer);

impl FuzzedSealer {
    #[must_use]
    pub fn new(key: [u8; 32]) -> Self {
        Self(RequestStateSealer::new(Box::new(move || Some(key))))
    }

    /// Returns the token for the client of this call.
    ///
    /// # Errors
    /// When the system gives no random bytes.
    pub fn seal(
        &self,
        call: &CallToolRequestParams,
        arguments: &Payload,
        caller: &Caller,
        required: &InputRequired,
    ) -> Result<Option<String>, ErrorData> {
        let identity = CallIdentity::for_tool(call, arguments, caller);
        Ok(self.0.input_required(required, &identity)?.request_state)
    }

    /// Returns what the client of this call sent.
    ///
    /// # Errors
    /// When its token is refused.
    pub fn open(
        &self,
        call: &CallToolRequestParams,
        arguments: &Payload,
        caller: &Caller,
    ) -> Result<Option<ClientResponses>, ErrorData> {
        self.0.open(&CallIdentity::for_tool(call, arguments, caller))
    }

    /// Whether this call uses its token up.
    ///
    /// # Errors
    /// As [`Self::open`].
    pub fn uses_token(
        &self,
        call: &CallToolRequestParams,
        arguments: &Payload,
        caller: &Caller,
    ) -> Result<bool, ErrorData> {
        Ok(self.0.used_token(&CallIdentity::for_tool(call, arguments, caller))?.is_some())
    }
}
