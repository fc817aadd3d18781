//! The rules for identifiers and resource URIs: pure text in, typed parts or one typed refusal out.
//!
//! Owns: the identifier alphabet, the shape of every resource URI, the query parameters with their caps, and the
//! wording of each refusal. Host and guest compile this same crate, so a rule holds in code and in the sandbox.
//! Never: touches files, allocates for a valid input beyond its parts, or decides whether a thing exists.
#![no_std]

extern crate alloc;

pub mod alc;
pub mod id;
pub mod uri;
