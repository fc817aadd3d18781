//! The error codes of the service `ace`: those of its founding document.
//!
//! Never: changes a code that clients know.

pub use wardroom_service::error_code::{BUSY, HELPER_GONE};

wardroom_service::error_codes! {
    INVALID_PARAMS = "INVALID_PARAMS": "A parameter is missing or invalid.";
    TRACE_NOT_FOUND = "TRACE_NOT_FOUND": "No trace in the log has this id.";
    FILE_NOT_FOUND = "FILE_NOT_FOUND": "`AGENTS.md` or a log is missing.";
    PARSE_ERROR = "PARSE_ERROR": "No line of a log can be read, or `AGENTS.md` is not text.";
    WRITE_ERROR = "WRITE_ERROR": "A file cannot be written; `details.cause` says why, where that is known.";
    SECTION_NOT_FOUND = "SECTION_NOT_FOUND": "`AGENTS.md` has no section of this name.";
    BULLET_NOT_FOUND = "BULLET_NOT_FOUND": "`AGENTS.md` has no bullet with this id.";
    PROPOSAL_NOT_FOUND = "PROPOSAL_NOT_FOUND": "No proposal has this id.";
    PROPOSAL_CONFLICT = "PROPOSAL_CONFLICT": "A proposal was decided, expired, or is not what was shown.";
    TOO_MANY_PROPOSALS = "TOO_MANY_PROPOSALS": "As many proposals as may wait for a person do.";
}
