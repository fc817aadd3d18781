//! Traces and insights by day: as bars at a terminal, and as lines elsewhere.
//!
//! Never: draws where a program reads.

use std::io::{self, IsTerminal as _};

use serde_json::Value;

use crate::report::{self, CommandError};

/// Bars of growing height. The first one is that of nothing.
const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

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
        report::print_line(&format!("{label:>8} {}  most {most}", bars(&numbers)))
    })
}

/// Draws a bar for each number, of which the highest is full. A number that is not 0 is seen.
fn bars(numbers: &[u64]) -> String {
    let most = numbers.iter().max().copied().unwrap_or_default().max(1);
    let full = BARS.len() - 1;
    let bar = |n: &u64| {
        let height = u128::from(*n) * full as u128;
        let height = usize::try_from(height.div_ceil(u128::from(most))).unwrap_or(full);
        BARS.get(height).copied().unwrap_or(' ')
    };
    numbers.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::bars;

    #[test]
    fn highest_number_is_a_full_bar_and_one_of_many_is_seen() {
        assert_eq!(bars(&[0, 1, 4, 8]), " ▁▄█");
        assert_eq!(bars(&[1, u64::MAX, 0]), "▁█ ");
        assert_eq!(bars(&[0, 0]), "  ");
        assert_eq!(bars(&[]), "");
    }
}
