//! The syntax of Lua 5.4 scripts, checked as Lua's own compiler checks it.
//!
//! Owns: the grammar, and the rules that the compiler adds: the targets of assignments, labels, attributes, `...` and
//! `break`.
//! Never: executes anything, and never counts registers, upvalues or constants: a function that needs more than Lua has
//! (255 arguments, for example) passes the check.
//!
//! A syntax error ends the check, because the rest cannot be understood; other problems are collected.

mod expression;
mod limits;
mod parser;
mod scope;
mod statement;
#[cfg(test)]
mod tests;

use crate::problem::{Problem, Problems};
use limits::MAX_SOURCE_BYTES;
use parser::Parser;

/// Returns what is wrong with a script, in the order of the source; nothing for one that is correct.
#[must_use]
pub fn check(source: &[u8]) -> Vec<Problem> {
    let mut problems = Problems::default();
    if source.len() > MAX_SOURCE_BYTES {
        let _halt = problems.fatal(0, format!("script is longer than {MAX_SOURCE_BYTES} bytes"));
        return problems.locate(source);
    }
    match Parser::new(source, &mut problems) {
        Ok(mut parser) => drop(parser.chunk()),
        Err(_halt) => {}
    }
    problems.locate(source)
}
