//! The error codes of the agent tools.
//!
//! Never: changes a code that clients know.

pub use wardroom_service::error_code::BUSY;

wardroom_service::error_codes! {
    DECLINED = "DECLINED": "The user did not agree. Nothing was written.";
    INVALID_NAME = "INVALID_NAME": "The name of the entry breaks the rules for names.";
    NOT_ASKED = "NOT_ASKED": "The user could not be asked. The message names the command to run by hand.";
    NOT_WRITTEN = "NOT_WRITTEN": "None of the files could be changed.";
    UNKNOWN_AGENT = "UNKNOWN_AGENT": "No agent has that id.";
}
