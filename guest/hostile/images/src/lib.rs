//! The hostile guests as machine code, for the host's sandbox tests.
//!
//! Owns: a table of name and image. A crate of its own, because what compiles them must not become part of the host.

include!(concat!(env!("OUT_DIR"), "/images.rs"));
