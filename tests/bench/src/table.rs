//! The table of results, as Markdown.

use std::fmt;

#[derive(Default)]
pub(crate) struct Table(Vec<[String; 4]>);

impl Table {
    /// Adds a figure, its floor, and the ratio of the two.
    pub(crate) fn row(&mut self, what: &str, figure: impl Into<String>, floor: impl Into<String>, ratio: Option<f64>) {
        let ratio = ratio.map_or_else(String::new, |ratio| format!("{ratio:.2}"));
        self.0.push([what.into(), figure.into(), floor.into(), ratio]);
    }
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "| figure, p50 | wardroom | floor, same run | ratio |\n| --- | --- | --- | --- |")?;
        self.0.iter().try_for_each(|row| writeln!(f, "| {} |", row.join(" | ")))
    }
}

/// Formats microseconds with few digits.
pub(crate) fn micros(value: f64) -> String {
    match value {
        v if v < 100.0 => format!("{v:.1} µs"),
        v if v < 10_000.0 => format!("{v:.0} µs"),
        v => format!("{:.1} ms", v / 1000.0),
    }
}
