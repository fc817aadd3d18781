//! Templates in the subset of Liquid that blogs may use.
//!
//! Owns: the grammar of the subset. A tag ends at the first `%}` and an output at the first `}}`, as in Liquid, even
//! within a string. `else` belongs to `if` alone; `for` takes a list and no range, and no `limit`, `offset` or
//! `reversed`; `render` takes a name in quotes and parameters, and no `with` or `for`.
//! Never: renders anything, or knows which variables, templates and arguments of filters there are.
//!
//! After a mistake, the check goes on with the next tag.

mod blocks;
mod expression;
mod limits;
mod markup;
#[cfg(test)]
mod tests;
mod token;

use crate::problem::{Problem, Problems};
use limits::MAX_SOURCE_BYTES;
use markup::Checker;

/// Returns what is wrong with a template, in the order of the source; nothing for one that is correct.
#[must_use]
pub fn check(source: &[u8]) -> Vec<Problem> {
    let mut problems = Problems::default();
    if source.len() > MAX_SOURCE_BYTES {
        let _halt = problems.fatal(0, format!("template is longer than {MAX_SOURCE_BYTES} bytes"));
    } else if let Err(error) = str::from_utf8(source) {
        let _halt = problems.fatal(error.valid_up_to(), "template is not UTF-8");
    } else {
        let _ended = Checker::new(source, &mut problems).check();
    }
    problems.locate(source)
}
