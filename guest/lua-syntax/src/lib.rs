//! The tokens of Lua 5.4, their values, and positions in a source, for every guest that reads Lua.
//!
//! Owns: the lexer, and the decoding of numerals and strings.
//! Never: knows a grammar beyond tokens, or executes anything.
//!
//! The methods of the lexer and of tokens are `#[inline]`: without that, a guest reads a package about 15% slower.

mod chars;
pub mod lexer;
pub mod number;
pub mod position;
pub mod string;
pub mod token;
