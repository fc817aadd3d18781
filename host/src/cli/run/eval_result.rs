//! What a person sees of an eval: a table of its cases, those that failed in full, and the whole.
//!
//! Never: leaves out a case, or prints more of an answer in the table than a line.

use serde_json::Value;

use crate::report::{self, Cell, Column, CommandError, Table, TextRole};

/// Characters of an answer that the table shows.
const MAX_ANSWER_CHARS: usize = 60;

pub(super) fn print(answer: &Value) -> Result<(), CommandError> {
    let list = |path: &str| answer.pointer(path).and_then(Value::as_array).into_iter().flatten();
    let columns =
        [Column::new("CASE", 24), Column::new("RESULT", 6), Column::new("SCORE", 5).right(), Column::text("ANSWER", 0)];
    let mut table = Table::new("  ", columns);
    for case in list("/result/results") {
        let result = match case.get("passed") {
            Some(Value::Bool(true)) => Cell::new("passed", TextRole::Good),
            _ => Cell::new("failed", TextRole::Bad),
        };
        let score = case.get("score").and_then(Value::as_f64).map(|score| format!("{score:.2}"));
        let said = ["/response/text", "/response/error", "/error"].iter().find_map(|path| case.pointer(path));
        let said = said.map(|said| report::shorten(&plain(said), MAX_ANSWER_CHARS)).unwrap_or_default();
        let name = case.pointer("/case/name").map(plain).unwrap_or_default();
        table.add([name.into(), result, score.unwrap_or_default().into(), said.into()]);
    }
    table.print()?;
    for failure in list("/result/failures") {
        let field = |path: &str| failure.pointer(path).map(plain).unwrap_or_default();
        report::print_line(&format!("failed  {}", field("/case/name")))?;
        let lines = [("asked", "/case/input"), ("expected", "/case/expected"), ("answered", "/response/text")];
        for (name, path) in lines {
            report::print_line(&format!("        {name:<8}  {}", field(path)))?;
        }
    }
    match answer.pointer("/result/summary").and_then(Value::as_str) {
        Some(summary) => summary.lines().try_for_each(|line| report::print_line(&report::escape_name(line)))?,
        None => report::print_line(&answer.pointer("/result/aggregated").map(Value::to_string).unwrap_or_default())?,
    }
    for (name, path) in [("eval", "/eval_id"), ("card", "/result/card_id")] {
        if let Some(id) = answer.pointer(path).and_then(Value::as_str) {
            report::print_line(&format!("{name}  {}", report::escape_name(id)))?;
        }
    }
    Ok(())
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => report::escape_name(text),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(" or "),
        other => other.to_string(),
    }
}
