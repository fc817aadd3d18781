//! The sandbox, with the embedded guest and with hostile guests.

#![expect(clippy::disallowed_methods, reason = "tests set up real folders and real processes")]
#![cfg_attr(
    test,
    allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "a test may")
)]

mod document_hosts;
mod documents;
mod guest;
mod hostile;
mod hostile_documents;
mod hosts;
mod ids;
mod permits;
