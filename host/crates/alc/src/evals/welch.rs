//! Welch's t-test: whether two sets of scores differ by more than chance, by their sizes, means and deviations.
//!
//! Owns: the test and the distribution that it needs.
//! Never: uses single scores.

/// A set of scores.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SampleStats {
    pub n: f64,
    pub mean: f64,
    /// The standard deviation of the sample: with n - 1.
    pub std_dev: f64,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct WelchResult {
    pub t_stat: f64,
    /// Degrees of freedom.
    pub df: f64,
    /// Two-sided; absent where there is no test.
    pub p_value: Option<f64>,
    /// At the level of 5 %.
    pub is_significant: bool,
    pub direction: &'static str,
}

/// Compares two sets. There is no test if one of them has fewer than two scores, or if both deviations are 0.
#[must_use]
pub fn welch_t_test(a: SampleStats, b: SampleStats) -> WelchResult {
    const SIGNIFICANCE_LEVEL: f64 = 0.05;
    let untested = |df, direction| WelchResult { t_stat: 0.0, df, p_value: None, is_significant: false, direction };
    if a.n < 2.0 || b.n < 2.0 {
        return untested(0.0, "insufficient_data");
    }
    let (of_a, of_b) = (a.std_dev.powi(2) / a.n, b.std_dev.powi(2) / b.n);
    if of_a + of_b == 0.0 {
        return untested(a.n + b.n - 2.0, direction(a.mean - b.mean));
    }
    let t_stat = (a.mean - b.mean) / (of_a + of_b).sqrt();
    let df = (of_a + of_b).powi(2) / (of_a.powi(2) / (a.n - 1.0) + of_b.powi(2) / (b.n - 1.0));
    let p_value = two_sided_p_value(t_stat, df);
    WelchResult {
        t_stat,
        df,
        p_value: Some(p_value),
        is_significant: p_value < SIGNIFICANCE_LEVEL,
        direction: direction(t_stat),
    }
}

/// Returns the direction in the original's form. Differences below the tolerance are `equal`.
fn direction(difference: f64) -> &'static str {
    const EQUALITY_TOLERANCE: f64 = 0.001;
    if difference.abs() < EQUALITY_TOLERANCE {
        "equal"
    } else if difference > 0.0 {
        "a>b"
    } else {
        "a<b"
    }
}

/// Returns the probability of a t at least that far from 0, by Student's distribution.
fn two_sided_p_value(t: f64, df: f64) -> f64 {
    incomplete_beta(df / (df + t * t), df / 2.0, 0.5)
}

/// Returns the quantile 0.975 of Student's distribution, by halving the range in which it lies.
pub(super) fn quantile_975(df: f64) -> f64 {
    const HALVINGS: u32 = 80;
    let (mut low, mut high) = (0.0, 1e4);
    for _ in 0..HALVINGS {
        let middle = f64::midpoint(low, high);
        if two_sided_p_value(middle, df) > 0.05 {
            low = middle;
        } else {
            high = middle;
        }
    }
    f64::midpoint(low, high)
}

/// Computes the regularized incomplete beta function by its continued fraction, on the side where that converges fast.
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return x.clamp(0.0, 1.0);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp();
    if x < (a + 1.0) / (a + b + 2.0) {
        front * beta_continued_fraction(x, a, b) / a
    } else {
        1.0 - front * beta_continued_fraction(1.0 - x, b, a) / b
    }
}

/// Computes the continued fraction by the modified Lentz method.
fn beta_continued_fraction(x: f64, a: f64, b: f64) -> f64 {
    const MAX_ITERATIONS: u32 = 500;
    let away_from_zero = |value: f64| if value.abs() < f64::MIN_POSITIVE { f64::MIN_POSITIVE } else { value };
    let (mut c, mut d) = (1.0, 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0)));
    let mut product = d;
    for step in 1..=MAX_ITERATIONS {
        let m = f64::from(step);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + term * d);
            c = away_from_zero(1.0 + term / c);
            change = c * d;
            product *= change;
        }
        if (change - 1.0).abs() < f64::EPSILON {
            break;
        }
    }
    product
}

/// Computes the logarithm of the gamma function of a positive number, by Stirling's series from 10 on.
fn ln_gamma(x: f64) -> f64 {
    const STIRLING_MIN: f64 = 10.0;
    let (mut x, mut below) = (x, 0.0);
    while x < STIRLING_MIN {
        below += x.ln();
        x += 1.0;
    }
    let y = 1.0 / (x * x);
    let series = (1.0 / 12.0 - y * (1.0 / 360.0 - y * (1.0 / 1260.0 - y * (1.0 / 1680.0 - y / 1188.0)))) / x;
    (x - 0.5) * x.ln() - x + 0.5 * std::f64::consts::TAU.ln() + series - below
}
