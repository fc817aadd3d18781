//! The part of Lua 5.4 that finds constants: every token, the beginnings of statements, expressions without names.
//!
//! Owns: the lexer, the scan over a whole chunk, constant folding.
//! Never: knows what a package is, and never executes anything.

pub(crate) mod arith;
mod chars;
pub(crate) mod fold;
pub(crate) mod lexer;
pub(crate) mod number;
pub(crate) mod scan;
pub(crate) mod scope;
pub(crate) mod string;
pub(crate) mod token;
pub(crate) mod value;
