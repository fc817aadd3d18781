//! The metadata extractor beside a real Lua.
//!
//! Owns: the programs that are generated, and the comparison of what extraction says with what running a program makes.
//! Never: decides which programs are run; that are the tests, and the fuzz target.

pub mod choices;
pub mod generate;
pub mod inputs;
pub mod oracle;
