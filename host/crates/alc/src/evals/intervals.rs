//! Intervals of 95 % for pass rates and for differences between two evals.
//!
//! Owns: the formulas. A pass rate has Wilson's score interval, and a difference of two has Newcombe's (his tenth method,
//! which combines both score intervals): both hold for few cases and for rates of 0 and 1. The two evals count as
//! independent; where both ran the same cases, the interval is wider than it has to be.
//! Never: draws random numbers: the same evals have the same interval.

use super::welch::{SampleStats, quantile_975};

/// The quantile 0.975 of the normal distribution.
const Z: f64 = 1.959_963_984_540_054;

/// An estimate with its interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    pub low: f64,
    pub value: f64,
    pub high: f64,
}

/// A number of cases, and how many of them passed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PassCount {
    pub passed: u64,
    pub total: u64,
}

impl PassCount {
    /// Returns the pass rate; `None` without a case.
    #[must_use]
    pub fn rate(&self) -> Option<Estimate> {
        if self.total == 0 || self.passed > self.total {
            return None;
        }
        let n = self.total as f64;
        let value = self.passed as f64 / n;
        let center = (value + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
        let half = Z * (value * (1.0 - value) / n + Z * Z / (4.0 * n * n)).sqrt() / (1.0 + Z * Z / n);
        Some(Estimate { low: (center - half).clamp(0.0, value), value, high: (center + half).clamp(value, 1.0) })
    }
}

/// Returns the rate of `a` minus that of `b`; `None` where one of them has no case.
#[must_use]
pub fn rate_difference(a: PassCount, b: PassCount) -> Option<Estimate> {
    let (a, b) = (a.rate()?, b.rate()?);
    let value = a.value - b.value;
    let below = ((a.value - a.low).powi(2) + (b.high - b.value).powi(2)).sqrt();
    let above = ((a.high - a.value).powi(2) + (b.value - b.low).powi(2)).sqrt();
    Some(Estimate { low: (value - below).max(-1.0), value, high: (value + above).min(1.0) })
}

/// Returns the mean of `a` minus that of `b`, by Student's distribution with Welch's degrees of freedom; `None` where
/// one of them has fewer than two scores.
#[must_use]
pub fn mean_difference(a: SampleStats, b: SampleStats) -> Option<Estimate> {
    if a.n < 2.0 || b.n < 2.0 {
        return None;
    }
    let value = a.mean - b.mean;
    let (of_a, of_b) = (a.std_dev.powi(2) / a.n, b.std_dev.powi(2) / b.n);
    let half = if of_a + of_b > 0.0 {
        let df = (of_a + of_b).powi(2) / (of_a.powi(2) / (a.n - 1.0) + of_b.powi(2) / (b.n - 1.0));
        quantile_975(df) * (of_a + of_b).sqrt()
    } else {
        0.0
    };
    Some(Estimate { low: value - half, value, high: value + half })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(estimate: Option<Estimate>) -> String {
        estimate.map_or_else(|| "none".to_owned(), |of| format!("{:.4} {:.4}", of.low, of.high))
    }

    fn count(passed: u64, total: u64) -> PassCount {
        PassCount { passed, total }
    }

    /// The examples of Newcombe, Statistics in Medicine 17 (1998), 857-872, table I, method 3.
    #[test]
    fn rates_have_the_published_intervals() {
        let cases = [
            (81, 263, "0.2553 0.3662"),
            (15, 148, "0.0624 0.1605"),
            (0, 20, "0.0000 0.1611"),
            (1, 29, "0.0061 0.1718"),
        ];
        for (passed, total, expected) in cases {
            assert_eq!(rounded(count(passed, total).rate()), expected, "{passed} of {total}");
        }
        assert_eq!(rounded(count(20, 20).rate()), "0.8389 1.0000");
        assert_eq!(rounded(count(0, 0).rate()), "none");
        assert_eq!(rounded(count(3, 2).rate()), "none");
    }

    /// The examples of Newcombe, Statistics in Medicine 17 (1998), 873-890, table II, method 10.
    #[test]
    fn differences_have_the_published_intervals() {
        let cases = [
            ((56, 70), (48, 80), "0.0524 0.3339"),
            ((9, 10), (3, 10), "0.1705 0.8090"),
            ((6, 7), (2, 7), "0.0582 0.8062"),
            ((5, 56), (0, 29), "-0.0381 0.1926"),
            ((0, 10), (0, 20), "-0.1611 0.2775"),
            ((0, 10), (0, 10), "-0.2775 0.2775"),
            ((10, 10), (0, 20), "0.6791 1.0000"),
            ((10, 10), (0, 10), "0.6075 1.0000"),
        ];
        for ((a, m), (b, n), expected) in cases {
            assert_eq!(rounded(rate_difference(count(a, m), count(b, n))), expected, "{a}/{m} - {b}/{n}");
        }
        assert_eq!(rate_difference(count(1, 2), count(0, 0)), None);
    }

    #[test]
    fn difference_of_means_is_that_of_students_distribution() {
        // Equal sizes and deviations: 10 degrees of freedom, whose quantile is 2.2281.
        let (a, b) = (SampleStats { n: 6.0, mean: 3.0, std_dev: 1.0 }, SampleStats { n: 6.0, mean: 1.0, std_dev: 1.0 });
        let half = 2.228_138_9 * (2.0_f64 / 6.0).sqrt();
        let estimate = mean_difference(a, b).unwrap();
        assert!((estimate.high - 2.0 - half).abs() < 1e-5 && (2.0 - estimate.low - half).abs() < 1e-5, "{estimate:?}");
        let same = SampleStats { n: 3.0, mean: 0.5, std_dev: 0.0 };
        assert_eq!(mean_difference(same, same), Some(Estimate { low: 0.0, value: 0.0, high: 0.0 }));
        assert_eq!(mean_difference(SampleStats { n: 1.0, ..a }, b), None);
    }
}
