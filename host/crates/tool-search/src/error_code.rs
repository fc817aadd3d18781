//! The error codes of the tool search.
//!
//! Never: changes a code that clients know.

wardroom_service::error_codes! {
    CALL_BY_NAME = "CALL_BY_NAME": "The tool is listed, or it may replace or remove something: it is called by its own name.";
    TOOL_NOT_FOUND = "TOOL_NOT_FOUND": "No tool that the caller may call has that name.";
}
