//! The WASI component in which wardroom parses untrusted documents.
//!
//! Owns: the Lua metadata extractor, and the component's exports, which only convert. Everything but `exports` is
//! ordinary safe Rust that also builds natively, so that it is tested and fuzzed without a sandbox.
//! Never: executes any of its input, opens anything, or grows past `limits` on any input.

#[cfg(target_arch = "wasm32")]
mod exports;
pub mod json;
pub mod limits;
mod lua;
pub mod package_meta;
pub mod report;
