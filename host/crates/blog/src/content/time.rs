//! Times: how files write them, and how answers show them.
//!
//! Owns: the accepted formats. A time without a zone is in UTC, so that the same file means the same on every machine.

use chrono::{DateTime, Datelike as _, NaiveDate, NaiveDateTime, SecondsFormat, Utc};

/// Parses a time of the years 1 to 9999, in milliseconds since 1970.
pub(crate) fn parse_time(text: &str) -> Option<i64> {
    parse_any_time(text).filter(|ms| (1..=9999).contains(&date_of(*ms).0))
}

fn parse_any_time(text: &str) -> Option<i64> {
    let text = text.trim();
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.timestamp_millis());
    }
    // As Jekyll, Ruby and Go print them.
    for format in [
        "%Y-%m-%d %H:%M:%S%.f %z",
        "%Y-%m-%d %H:%M %z",
        "%Y-%m-%dT%H:%M:%S%.f%z",
        "%Y-%m-%dT%H:%M%z",
        "%a, %d %b %Y %H:%M:%S %z",
    ] {
        if let Ok(time) = DateTime::parse_from_str(text, format) {
            return Some(time.timestamp_millis());
        }
    }
    let zones = [" UTC", " GMT", "Z"];
    let text = zones.iter().find_map(|zone| text.strip_suffix(zone)).unwrap_or(text);
    for format in [
        "%Y-%m-%dT%H:%M:%S%.f",
        "%Y-%m-%d %H:%M:%S%.f",
        "%Y-%m-%dT%H:%M",
        "%Y-%m-%d %H:%M",
        "%Y-%m-%d %I:%M:%S %p",
        "%Y-%m-%d %I:%M %p",
        "%Y/%m/%d %H:%M:%S",
        "%Y/%m/%d %H:%M",
        "%a, %d %b %Y %H:%M:%S",
    ] {
        if let Ok(time) = NaiveDateTime::parse_from_str(text, format) {
            return Some(time.and_utc().timestamp_millis());
        }
    }
    for format in ["%Y-%m-%d", "%Y/%m/%d", "%d %B %Y", "%b %d, %Y", "%B %d, %Y", "%b %d %Y", "%B %d %Y"] {
        if let Ok(date) = NaiveDate::parse_from_str(text, format) {
            return Some(date.and_hms_opt(0, 0, 0)?.and_utc().timestamp_millis());
        }
    }
    // Unix time: in seconds as long as it is too small for milliseconds of this century.
    let number: i64 = text.parse().ok().filter(|_| text.len() >= 9)?;
    let ms = if number.unsigned_abs() < 100_000_000_000 { number.checked_mul(1000)? } else { number };
    DateTime::from_timestamp_millis(ms).map(|_| ms)
}

/// Formats a time for answers.
pub(crate) fn format_time(ms: i64) -> String {
    let time = DateTime::<Utc>::from_timestamp_millis(ms).unwrap_or_default();
    time.to_rfc3339_opts(SecondsFormat::Millis, true)
}

/// Returns the year, the month and the day of a time, in UTC.
pub(crate) fn date_of(ms: i64) -> (i32, u32, u32) {
    let time = DateTime::<Utc>::from_timestamp_millis(ms).unwrap_or_default();
    (time.year(), time.month(), time.day())
}

/// Returns the number of days before the first one of a month in its week, which begins on Monday, and its length in
/// days; `None` for a month that does not exist.
pub(crate) fn month_shape(year: i32, month: u32) -> Option<(u32, u32)> {
    let first = NaiveDate::from_ymd_opt(year, month, 1)?;
    Some((first.weekday().num_days_from_monday(), u32::from(first.num_days_in_month())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_of_every_program_are_read() {
        let expected = Some(1_709_980_200_000);
        for text in [
            "2024-03-09T10:30:00.000Z",
            "2024-03-09T11:30:00+01:00",
            "2024-03-09 11:30:00 +0100",
            "2024-03-09 10:30",
            "2024-03-09T10:30:00",
            "1709980200",
            "1709980200000",
            "2024-03-09 10:30:00 UTC",
            "2024-03-09 11:30:00+0100",
            "2024-03-09 11:30:00 +01:00",
            "2024-03-09T11:30+01:00",
            "2024-03-09T10:30Z",
            "2024-3-9 10:30:00",
            "2024-03-09 10:30 AM",
            "2024/03/09 10:30",
            "Sat, 09 Mar 2024 10:30:00 +0000",
            "Sat, 09 Mar 2024 10:30:00 GMT",
        ] {
            assert_eq!(parse_time(text), expected, "{text}");
        }
        // No time of any calendar.
        assert_eq!(parse_time("99999999999999999"), None);
        for text in ["2024-03-09", "Mar 9, 2024", "9 March 2024", "2024/03/09"] {
            assert_eq!(parse_time(text).map(format_time).as_deref(), Some("2024-03-09T00:00:00.000Z"), "{text}");
        }
        for text in ["", "yesterday", "2024-13-40", "12"] {
            assert_eq!(parse_time(text), None, "{text}");
        }
        assert_eq!(date_of(1_709_980_200_000), (2024, 3, 9));
        assert_eq!(month_shape(2024, 2), Some((3, 29)));
        assert_eq!(month_shape(2024, 13), None);
    }
}
