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
    for (number, case) in list("/result/results").enumerate() {
        let result = match case.get("passed") {
            Some(Value::Bool(true)) => Cell::new("passed", TextRole::Good),
            _ => Cell::new("failed", TextRole::Bad),
        };
        let score = case.get("score").and_then(Value::as_f64).map(|score| format!("{score:.2}"));
        let said = match error_of(case) {
            Some(error) => format!("error: {error}"),
            None => case.pointer("/response/text").map(plain).unwrap_or_default(),
        };
        let said = report::shorten(&said, MAX_ANSWER_CHARS);
        let name =
            case.get("case").and_then(|case| text(case, "name")).unwrap_or_else(|| format!("case {}", number + 1));
        table.add([name.into(), result, score.unwrap_or_default().into(), said.into()]);
    }
    table.print()?;
    for failure in list("/result/failures") {
        let field = |path: &str| failure.pointer(path).map(plain).unwrap_or_default();
        let name = field("/case/name");
        let name = if name.is_empty() { report::shorten(&field("/case/input"), MAX_ANSWER_CHARS) } else { name };
        report::print_line(&format!("failed  {name}"))?;
        let mut lines = vec![("asked", field("/case/input")), ("expected", field("/case/expected"))];
        lines.push(match error_of(failure) {
            Some(error) => ("error", error),
            None => ("answered", field("/response/text")),
        });
        lines.extend(grades(failure).filter_map(|grade| {
            let grader = grade.get("grader").map(plain).unwrap_or_default();
            Some(("grader", format!("{grader}: {}", text(grade, "error")?)))
        }));
        for (name, said) in lines {
            report::print_line(&format!("        {name:<8}  {said}"))?;
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

/// Checks that an eval answered and graded a case, if the answer is that of one.
///
/// # Errors
/// When each of its cases, or of its grades, ended with an error: its pass rate says nothing of the strategy.
pub(super) fn check_graded(answer: &Value) -> Result<(), CommandError> {
    let cases = answer.pointer("/result/results").and_then(Value::as_array).filter(|_| answer.get("eval_id").is_some());
    let Some(cases) = cases.filter(|cases| !cases.is_empty()) else { return Ok(()) };
    let what = if cases.iter().all(|case| error_of(case).is_some()) {
        "the strategy answered no case"
    } else if cases.iter().all(|case| grades(case).all(|grade| text(grade, "error").is_some())) {
        "the graders graded no case"
    } else {
        return Ok(());
    };
    Err(CommandError::new(what, "correct what the errors above name, and run it again"))
}

fn grades(case: &Value) -> impl Iterator<Item = &Value> {
    case.get("grades").and_then(Value::as_array).into_iter().flatten()
}

/// Returns why a case has no answer, if it has none.
fn error_of(case: &Value) -> Option<String> {
    case.get("response").and_then(|response| text(response, "error")).or_else(|| text(case, "error"))
}

/// Returns a text of an object, if it is there and not empty.
fn text(object: &Value, key: &str) -> Option<String> {
    object.get(key).map(plain).filter(|text| !text.is_empty() && text != "null")
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => report::escape_name(text),
        Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(" or "),
        other => other.to_string(),
    }
}
