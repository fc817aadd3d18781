//! From numbers to places.

/// Maps a range of numbers to a range of places, such as pixels or columns.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Scale {
    first: f64,
    last: f64,
    start: f64,
    end: f64,
}

impl Scale {
    /// Creates a scale that puts `numbers.0` at `places.0` and `numbers.1` at `places.1`.
    #[must_use]
    pub const fn new(numbers: (f64, f64), places: (f64, f64)) -> Self {
        Self { first: numbers.0, last: numbers.1, start: places.0, end: places.1 }
    }

    /// Returns the place of a number. One outside of the range is at its end, and a range of one number is its middle.
    #[must_use]
    pub fn place(&self, number: f64) -> f64 {
        let width = self.last - self.first;
        let share = if width > 0.0 { ((number - self.first) / width).clamp(0.0, 1.0) } else { 0.5 };
        // A number that is none has no place of its own.
        let share = if share.is_nan() { 0.0 } else { share };
        self.start + share * (self.end - self.start)
    }
}

/// Writes a place in an SVG, to a tenth.
pub(crate) fn coordinate(place: f64) -> String {
    let text = format!("{place:.1}");
    text.strip_suffix(".0").map(str::to_owned).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_placed_within_the_range() {
        let scale = Scale::new((0.0, 1.0), (100.0, 0.0));
        let places = [-1.0, 0.0, 0.25, 1.0, 7.0, f64::NAN].map(|number| coordinate(scale.place(number)));
        assert_eq!(places, ["100", "100", "75", "0", "0", "100"]);
        assert_eq!(coordinate(Scale::new((3.0, 3.0), (0.0, 10.0)).place(3.0)), "5");
        assert_eq!(coordinate(1.26), "1.3");
    }
}
