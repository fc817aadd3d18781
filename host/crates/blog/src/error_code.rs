//! The error codes of the service `blog`, and those that it shares.
//!
//! Never: changes a code that clients know.

pub use wardroom_service::error_code::{BUSY, INVALID_ARGUMENTS, NOT_FOUND};

wardroom_service::error_codes! {
    NO_INDEX = "NO_INDEX": "The blog has no index, and this server may not write one.";
    NO_TRANSLATION = "NO_TRANSLATION": "The post exists, and has no translation into that language.";
}
