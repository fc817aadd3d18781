//! The error codes of the service `blog`, and those that it shares.
//!
//! Never: changes a code that clients know.

pub use wardroom_service::error_code::{BUSY, INVALID_ARGUMENTS, NOT_FOUND, READ_ONLY};

wardroom_service::error_codes! {
    NO_INDEX = "NO_INDEX": "The blog has no index, and this server may not write one.";
    CONFLICT = "CONFLICT": "The file of the blog changed since the change of it was proposed.";
    EXPIRED = "EXPIRED": "The proposal expired before it was decided.";
    HUMAN_DECIDES = "HUMAN_DECIDES": "A person decides on proposals: the message says where.";
    INVALID_SOURCE = "INVALID_SOURCE": "A proposed script or template has mistakes; the message has their lines and columns.";
    TARGET_GONE = "TARGET_GONE": "The file that a proposal changes does not exist any more.";
    TOO_MANY_PROPOSALS = "TOO_MANY_PROPOSALS": "There are as many pending proposals as a blog may have.";
    UNREADABLE = "UNREADABLE": "A file of the blog cannot be edited as it is.";
    NO_TRANSLATION = "NO_TRANSLATION": "The post exists, and has no translation into that language.";
}
