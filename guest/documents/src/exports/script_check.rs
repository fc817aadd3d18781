//! `wardroom:documents/script-check`.

use super::Component;
use super::bindings::exports::wardroom::documents::script_check as wit;
use crate::problem::Problem;
use crate::script_check;

impl wit::Guest for Component {
    fn check(source: Vec<u8>) -> Vec<wit::Problem> {
        script_check::check(&source).into_iter().map(problem).collect()
    }
}

fn problem(Problem { position, message }: Problem) -> wit::Problem {
    wit::Problem { line: position.line, column: position.column, message }
}
