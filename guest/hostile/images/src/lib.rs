//! The hostile guests as machine code, for the host's sandbox tests.
//!
//! Owns: a table of names and images of the guests of packages, and the image of the guest of documents. It is a crate of
//! its own because the compiler must not become part of the host.

include!(concat!(env!("OUT_DIR"), "/images.rs"));
