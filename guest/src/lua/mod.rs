//! The part of Lua 5.4 that finds constants: the beginnings of statements, and expressions without names.
//!
//! Owns: the scan over a whole chunk, constant folding.
//! Never: knows what a package is, and never executes anything.

pub(crate) mod arith;
pub(crate) mod blocks;
pub(crate) mod fold;
pub(crate) mod scan;
pub(crate) mod scope;
pub(crate) mod value;
