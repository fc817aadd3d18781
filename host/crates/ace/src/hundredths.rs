//! Confidence in hundredths: sums of decimals are exact, and a threshold is reached where the sum says so.

/// A confidence of 0 to 100 hundredths.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Hundredths(u8);

impl Hundredths {
    /// Returns so many hundredths, at most 100.
    #[must_use]
    pub const fn new(hundredths: u8) -> Self {
        Self(if hundredths > 100 { 100 } else { hundredths })
    }

    /// Rounds a number between 0 and 1: `0.7999999999999999`, which other programs wrote, is 80 hundredths.
    #[must_use]
    pub fn from_fraction(fraction: f64) -> Option<Self> {
        let rounded = (fraction * 100.0).round();
        // A comparison with NaN is false.
        let is_in_range = (0.0..=1.0).contains(&fraction);
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "it is between 0 and 100")]
        is_in_range.then_some(Self(rounded as u8))
    }

    #[must_use]
    pub fn fraction(self) -> f64 {
        f64::from(self.0) / 100.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_other_programs_reach_their_threshold() {
        assert_eq!(Hundredths::from_fraction(0.5 + 0.2 + 0.1), Some(Hundredths::new(80)));
        assert_eq!(Hundredths::from_fraction(0.3), Some(Hundredths::new(30)));
        assert_eq!(Hundredths::new(29).fraction(), 0.29);
        for outside in [-0.01, 1.01, f64::NAN, f64::INFINITY] {
            assert_eq!(Hundredths::from_fraction(outside), None);
        }
        assert_eq!(Hundredths::new(200), Hundredths::new(100));
    }
}
