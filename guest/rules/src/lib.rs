//! The rules for identifiers and resource URIs: from text to typed parts or one typed refusal.
//!
//! Owns: the identifier alphabet, the shape of every resource URI, the query parameters with their caps, and the
//! wording of each refusal. Host and guest compile this same crate, so that a rule holds in code and in the sandbox.
//! Never: accesses files, allocates for a valid input beyond its parts, or decides whether an object exists.
#![no_std]

extern crate alloc;

pub mod alc;
pub mod id;
pub mod uri;
