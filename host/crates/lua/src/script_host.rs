//! What a script may ask of the world, as one door.

use serde_json::Value;

/// Performs the effects of one run. In a worker this is the socket to the server, in tests a list of what was asked.
///
/// Operations and their arguments are the protocol between the library and the server; each is described where the library
/// uses it.
pub trait ScriptHost {
    /// Asks and waits. An error is a sentence for the script, which may catch it.
    fn request(&self, operation: &str, arguments: Value) -> Result<Value, String>;

    /// Tells without waiting for an answer. What was posted happens before whatever is asked afterwards.
    fn notify(&self, operation: &str, arguments: Value) -> Result<(), String>;
}
