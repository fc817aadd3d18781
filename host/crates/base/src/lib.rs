//! Plain types and rules that every other crate stands on.
//!
//! Owns: URIs and typed ids, JSON whose size and depth were checked, JSON Schemas with their bounds, the depth of TOML
//! documents, hexadecimal digits, and the system's random bytes.
//! Gives: values whose construction is their validation.
//! Never: touches a file, a socket or a process.

pub mod hex;
pub mod json_schema;
pub mod limits;
pub mod payload;
pub mod random;
pub mod state_rules;
pub mod toml_text;
pub mod uri;
