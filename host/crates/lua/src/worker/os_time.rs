//! `os.date` and `os.time` without a clock: times are seconds since 1970-01-01, and the zone is UTC.
//!
//! Owns: the equivalents of C's `strftime` and `mktime`.
//! Never: reads a clock.

use std::fmt::Write as _;

use chrono::{DateTime, Datelike as _, Days, Months, NaiveDate, TimeDelta, Timelike as _, Utc};

/// The conversions that Lua 5.4 accepts after `%`.
const CONVERSIONS: &str = "aAbBcCdDeFgGhHIjmMnprRStTuUVwWxXyYzZ%";
/// The conversions that Lua 5.4 accepts after `%E` and `%O`, which change nothing here.
const MODIFIED_CONVERSIONS: [(char, &str); 2] = [('E', "cCxXyY"), ('O', "deHImMSuUVwWy")];

/// Formats a time. `None` when the format is invalid or the time out of range.
pub(super) fn format_time(format: &str, time: i64) -> Option<String> {
    let time = DateTime::<Utc>::from_timestamp(time, 0)?;
    let mut checked = String::with_capacity(format.len());
    let mut rest = format.chars();
    while let Some(char) = rest.next() {
        if char != '%' {
            checked.push(char);
            continue;
        }
        let mut conversion = rest.next()?;
        let mut possible = CONVERSIONS;
        if let Some((_, modified)) = MODIFIED_CONVERSIONS.iter().find(|(modifier, _)| *modifier == conversion) {
            conversion = rest.next()?;
            possible = modified;
        }
        if !possible.contains(conversion) {
            return None;
        }
        // `chrono` writes a year of five digits with a sign, and pads a short one.
        match conversion {
            'Y' => write!(checked, "{}", time.year()),
            'C' => write!(checked, "{:02}", time.year().div_euclid(100)),
            'G' => write!(checked, "{}", time.iso_week().year()),
            'F' => write!(checked, "{}-%m-%d", time.year()),
            'c' => write!(checked, "%a %b %e %H:%M:%S {}", time.year()),
            other => write!(checked, "%{other}"),
        }
        .ok()?;
    }
    let mut shown = String::new();
    write!(shown, "{}", time.format(&checked)).ok()?;
    Some(shown)
}

/// The timestamp of (year, month, day, hour, minute, second). Fields out of their range carry over.
pub(super) fn timestamp_from_fields(
    (year, month, day, hour, minute, second): (i64, i64, i64, i64, i64, i64),
) -> Option<i64> {
    let first = NaiveDate::from_ymd_opt(i32::try_from(year).ok()?, 1, 1)?;
    let months = u32::try_from(month.checked_sub(1)?.unsigned_abs()).ok().map(Months::new)?;
    let first = if month > 0 { first.checked_add_months(months) } else { first.checked_sub_months(months) }?;
    let days = Days::new(day.checked_sub(1)?.unsigned_abs());
    let date = if day > 0 { first.checked_add_days(days) } else { first.checked_sub_days(days) }?;
    let seconds = hour.checked_mul(3600)?.checked_add(minute.checked_mul(60)?)?.checked_add(second)?;
    let time = date.and_hms_opt(0, 0, 0)?.checked_add_signed(TimeDelta::try_seconds(seconds)?)?;
    Some(time.and_utc().timestamp())
}

/// The fields of a time under Lua's names.
pub(super) fn calendar_fields(time: i64) -> Option<[(&'static str, i64); 8]> {
    let time = DateTime::<Utc>::from_timestamp(time, 0)?;
    Some([
        ("year", time.year().into()),
        ("month", time.month().into()),
        ("day", time.day().into()),
        ("hour", time.hour().into()),
        ("min", time.minute().into()),
        ("sec", time.second().into()),
        ("yday", time.ordinal().into()),
        ("wday", i64::from(time.weekday().num_days_from_sunday()) + 1),
    ])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_time_follows_c_strftime() {
        let time = 1_000_000_007;
        for (format, expected) in [
            ("%Y-%m-%d %H:%M:%S", "2001-09-09 01:46:47"),
            ("%c|%x|%X|%p", "Sun Sep  9 01:46:47 2001|09/09/01|01:46:47|AM"),
            ("%a %A %b %B %j %U %w %y %%", "Sun Sunday Sep September 252 36 0 01 %"),
            ("%Ey%Od%e", "0109 9"),
            ("plain ü", "plain ü"),
            ("", ""),
        ] {
            assert_eq!(format_time(format, time).as_deref(), Some(expected), "{format}");
        }
        for format in ["%", "%Q", "%E", "%Ed", "%-d", "%:z", "%.3f", "%+", "%s"] {
            assert_eq!(format_time(format, time), None, "{format}");
        }
        assert_eq!(format_time("%Y", i64::MAX), None);
        let late = timestamp_from_fields((12345, 1, 1, 0, 0, 0)).unwrap();
        let shown = "12345-01-01 12345 12345 123 Mon Jan  1 00:00:00 12345";
        assert_eq!(format_time("%F %Y %G %C %c", late).as_deref(), Some(shown));
    }

    #[test]
    fn timestamp_fields_out_of_range_carry_over() {
        assert_eq!(timestamp_from_fields((2001, 9, 9, 1, 46, 47)), Some(1_000_000_007));
        assert_eq!(timestamp_from_fields((2000, 21, 9, 1, 46, 47)), Some(1_000_000_007));
        assert_eq!(timestamp_from_fields((2002, -3, 9, 0, 106, 47)), Some(1_000_000_007));
        assert_eq!(timestamp_from_fields((2001, 10, -21, 1, 46, 47)), Some(1_000_000_007));
        assert_eq!(timestamp_from_fields((1970, 1, 1, 0, 0, -1)), Some(-1));
        for impossible in [i64::MAX, i64::MIN] {
            assert_eq!(timestamp_from_fields((impossible, 1, 1, 0, 0, 0)), None);
            assert_eq!(timestamp_from_fields((2000, impossible, 1, 0, 0, 0)), None);
            assert_eq!(timestamp_from_fields((2000, 1, impossible, 0, 0, 0)), None);
            assert_eq!(timestamp_from_fields((2000, 1, 1, impossible, 0, 0)), None);
        }
        let fields = calendar_fields(1_000_000_007).unwrap();
        assert_eq!(fields.map(|(_, value)| value), [2001, 9, 9, 1, 46, 47, 252, 1]);
    }
}
