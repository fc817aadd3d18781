//! The sandbox: extracts plain values from untrusted documents in a fresh instance of a guest.
//!
//! Owns: the engines, the pools of instances and their permits, the limits of each call, and the only bindings to the
//! guests: one for packages, and one for the documents of a blog.
//! Gives: plain values, and [`SandboxError`] for a guest that was stopped.
//! Never: gives a guest anything but its arguments, reuses an instance for a second document, or blocks an async task
//! (callers are worker threads).

mod bindings;
#[cfg(test)]
mod command_test;
mod documents;
mod engine;
mod error;
mod image;
mod imports;
mod instance_permits;
pub mod limits;
mod packages;
mod runner;
mod store;
mod ticker;

pub use self::documents::{
    DocumentPosition, DocumentProblem, DocumentRefusal, DocumentSandbox, FrontMatterField, ParsedFrontMatter,
    ParsedPost, PictureFormat, PictureInfo, PictureRefusal, PostHeading, PostLink, Thumbnail,
};
pub use self::error::SandboxError;
pub use self::image::{DOCUMENTS_COMPONENT, DOCUMENTS_COMPONENT_ID, GUEST_COMPONENT, GuestImage, WASMTIME_VERSION};
pub use self::packages::{
    CodeInput, CodeInputs, ExtractRefusal, InputNeed, PackageMetadata, ParsedUri, Sandbox, UnresolvedMetadata,
};
