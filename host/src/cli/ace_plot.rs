//! Traces and insights by day: as bars at a terminal, and as lines elsewhere.
//!
//! Never: draws where a program reads.

use std::io::{self, IsTerminal as _};

use serde_json::Value;

use crate::report::{self, CommandError};
use wardroom_plot::terminal::counts;

/// The rows, by their names and their fields.
const ROWS: [(&str, &str); 3] = [("traces", "traces"), ("failed", "failed"), ("insights", "insights")];

/// Prints the days of the statistics on which something happened.
pub(super) fn print(stats: &Value) -> Result<(), CommandError> {
    let days: Vec<&Value> = stats.get("timeline").and_then(Value::as_array).into_iter().flatten().collect();
    let number = |day: &Value, name: &str| day.get(name).and_then(Value::as_u64).unwrap_or_default();
    let name = |day: &Value| report::escape_name(day.get("day").and_then(Value::as_str).unwrap_or_default());
    if !io::stdout().is_terminal() {
        for day in days.iter().filter(|day| ROWS.iter().any(|(_, field)| number(day, field) > 0)) {
            let numbers = ROWS.map(|(label, field)| format!("{label} {}", number(day, field)));
            report::print_line(&format!("{}: {}", name(day), numbers.join(", ")))?;
        }
        return Ok(());
    }
    let (Some(first), Some(last)) = (days.first(), days.last()) else { return Ok(()) };
    report::print_line(&format!("{} to {}:", name(first), name(last)))?;
    ROWS.iter().try_for_each(|(label, field)| {
        let numbers: Vec<u64> = days.iter().map(|day| number(day, field)).collect();
        let most = numbers.iter().max().copied().unwrap_or_default();
        report::print_line(&format!("{label:>8} {}  most {most}", counts(&numbers)))
    })
}
