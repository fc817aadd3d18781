//! The single interface for a script's effects.

use serde_json::Value;

use wardroom_base::payload::Payload;

/// Performs the effects of one run. In a worker this is the socket to the server, in tests a list of the requests.
///
/// Operations and their arguments are the protocol between the library and the server: `alc/src/runs/operations.rs`
/// performs those of strategies, `registry/src/operations/` those of handlers.
pub trait ScriptHost {
    /// Sends a request and waits for its answer. An error is a message for the script, which may catch it.
    fn request(&self, operation: &str, arguments: Value) -> Result<Payload, String>;

    /// Sends a notification, which has no answer. The server handles it before every later request.
    fn notify(&self, operation: &str, arguments: Value) -> Result<(), String>;
}
