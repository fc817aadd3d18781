//! The WASI component in which wardroom parses the documents of a blog: posts, sidecars, templates, scripts and pictures.
//!
//! Owns: the parsers, and the component's exports, which only convert. Everything but `exports` is ordinary safe Rust that
//! also builds natively, so that it is tested and fuzzed without a sandbox.
//! Never: executes any of its input, opens anything, or grows past `limits` on any input.

pub mod edit;
pub mod error;
#[cfg(target_arch = "wasm32")]
mod exports;
#[cfg(test)]
mod fixture_tests;
pub mod front_matter;
pub mod image;
pub mod limits;
mod markdown;
#[cfg(test)]
mod mutation;
mod position;
pub mod post;
pub mod preview;
pub mod problem;
pub mod script_check;
pub mod sidecar;
mod source;
pub mod template_check;
mod value;
