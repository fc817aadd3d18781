//! Plots of block characters, each within a number of columns.
//!
//! Never: writes to a terminal, or asks for its width.

use crate::scale::Scale;

/// Bars of growing height. The first one is that of nothing.
const HEIGHTS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
const STEPS: usize = HEIGHTS.len() - 1;

/// Draws a bar for each number, of which the highest is full. A number that is not 0 is seen.
#[must_use]
pub fn counts(numbers: &[u64]) -> String {
    let most = numbers.iter().max().copied().unwrap_or_default().max(1);
    let bar = |n: &u64| {
        let height = (u128::from(*n) * STEPS as u128).div_ceil(u128::from(most));
        usize::try_from(height).ok().and_then(|height| HEIGHTS.get(height)).copied().unwrap_or(' ')
    };
    numbers.iter().map(bar).collect()
}

/// Draws a bar for each share from 0 to 1. A share of 0 is the lowest bar, and a missing one is a blank.
#[must_use]
pub fn shares(shares: &[Option<f64>]) -> String {
    let scale = Scale::new((0.0, 1.0), (1.0, STEPS as f64));
    let bar = |share: &Option<f64>| share.and_then(|share| pick(&HEIGHTS, scale.place(share))).unwrap_or(' ');
    shares.iter().map(bar).collect()
}

/// Returns the mean share of each of `n_parts` equal parts of a range of `x`; `None` for a part without one. `points`
/// are pairs of x and share.
#[must_use]
pub fn mean_shares(points: &[(f64, f64)], ends: (f64, f64), n_parts: usize) -> Vec<Option<f64>> {
    let scale = Scale::new(ends, (0.0, n_parts as f64));
    let mut sums = vec![(0.0, 0_u32); n_parts];
    for (x, share) in points {
        let part = round(scale.place(*x).floor()).min(n_parts.saturating_sub(1));
        if let Some((sum, count)) = sums.get_mut(part) {
            (*sum, *count) = (*sum + share, *count + 1);
        }
    }
    sums.into_iter().map(|(sum, count)| (count > 0).then(|| sum / f64::from(count))).collect()
}

/// Draws an interval with its estimate on a scale from `ends.0` to `ends.1`, in `width` columns. A `zero` within the
/// scale is a mark too.
#[must_use]
pub fn interval(low: f64, middle: f64, high: f64, ends: (f64, f64), zero: Option<f64>, width: usize) -> String {
    let scale = Scale::new(ends, (0.0, width.saturating_sub(1) as f64));
    let column = |number: f64| round(scale.place(number));
    let (low, middle, high, zero) = (column(low), column(middle), column(high), zero.map(column));
    let mark = |at: usize| match at {
        _ if at == middle => '●',
        _ if low == high => ' ',
        _ if at == low => '├',
        _ if at == high => '┤',
        _ if low < at && at < high => '─',
        _ => ' ',
    };
    let with_zero = |at: usize| match mark(at) {
        ' ' if zero == Some(at) => '│',
        '─' if zero == Some(at) => '┼',
        mark => mark,
    };
    (0..width).map(with_zero).collect()
}

fn pick(marks: &[char], place: f64) -> Option<char> {
    marks.get(round(place)).copied()
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "places are within a few columns, and a scale has no other ones"
)]
fn round(place: f64) -> usize {
    place.round().max(0.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn highest_number_is_a_full_bar_and_one_of_many_is_seen() {
        assert_eq!(counts(&[0, 1, 4, 8]), " ▁▄█");
        assert_eq!(counts(&[1, u64::MAX, 0]), "▁█ ");
        assert_eq!(counts(&[0, 0]), "  ");
        assert_eq!(counts(&[]), "");
    }

    #[test]
    fn shares_rise_from_the_lowest_bar() {
        assert_eq!(shares(&[Some(0.0), None, Some(0.5), Some(1.0), Some(9.0)]), "▁ ▅██");
    }

    #[test]
    fn first_and_last_share_are_in_the_outer_parts() {
        let points = [(0.0, 0.0), (1.0, 0.5), (1.5, 1.0), (10.0, 1.0)];
        assert_eq!(mean_shares(&points, (0.0, 10.0), 5), [Some(0.5), None, None, None, Some(1.0)]);
        assert_eq!(mean_shares(&[(3.9, 0.5)], (0.0, 10.0), 10)[3], Some(0.5));
        assert_eq!(mean_shares(&[(3.0, 0.5)], (3.0, 3.0), 1), [Some(0.5)]);
        assert_eq!(mean_shares(&[], (0.0, 1.0), 2), [None, None]);
    }

    #[test]
    fn interval_has_its_ends_its_estimate_and_zero() {
        assert_eq!(interval(-0.5, 0.5, 1.0, (-1.0, 1.0), Some(0.0), 9), "  ├─┼─●─┤");
        assert_eq!(interval(0.5, 0.75, 1.0, (-1.0, 1.0), Some(0.0), 9), "    │ ├●┤");
        assert_eq!(interval(0.2, 0.2, 0.2, (0.0, 1.0), None, 6), " ●    ");
        assert_eq!(interval(0.2, 0.2, 0.2, (0.0, 1.0), None, 0), "");
    }
}
