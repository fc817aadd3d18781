//! Formatting and parsing of times with Go's layouts, which show how 2006-01-02 15:04:05 would be written.
//!
//! Never: uses a zone database. A zone is a name and an offset from UTC.

use std::fmt::{self, Write as _};

use chrono::{DateTime, Datelike as _, NaiveDate, TimeDelta, Timelike as _, Utc};

use super::time_layout::{LayoutElement, OffsetForm, OffsetPrecision, split_at_element};

/// A point in time with a zone.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ZonedTime {
    /// Seconds since 1970-01-01 UTC.
    pub(super) seconds: i64,
    pub(super) nanoseconds: u32,
    /// Seconds east of UTC.
    pub(super) offset: i32,
    pub(super) zone: String,
}

impl ZonedTime {
    /// The local date and time.
    pub(super) fn local(&self) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp(self.seconds.checked_add(self.offset.into())?, self.nanoseconds)
    }

    /// Formats the time with a layout. `None` if the time is out of range.
    pub(super) fn format(&self, layout: &str) -> Option<String> {
        let local = self.local()?;
        let (mut shown, mut rest) = (String::new(), layout);
        loop {
            let (before, part, after) = split_at_element(rest);
            shown.push_str(before);
            let Some(part) = part else { return Some(shown) };
            self.write_element(&mut shown, part, &local)?;
            rest = after;
        }
    }

    fn write_element(&self, shown: &mut String, part: LayoutElement, local: &DateTime<Utc>) -> Option<()> {
        let hour12 = local.hour12().1;
        match part {
            LayoutElement::LongMonth => write!(shown, "{}", local.format("%B")),
            LayoutElement::Month => write!(shown, "{}", local.format("%b")),
            LayoutElement::ZeroMonth => write!(shown, "{:02}", local.month()),
            LayoutElement::NumberMonth => write!(shown, "{}", local.month()),
            LayoutElement::LongDay => write!(shown, "{}", local.format("%A")),
            LayoutElement::WeekDay => write!(shown, "{}", local.format("%a")),
            LayoutElement::Day => write!(shown, "{}", local.day()),
            LayoutElement::SpaceDay => write!(shown, "{:>2}", local.day()),
            LayoutElement::ZeroDay => write!(shown, "{:02}", local.day()),
            LayoutElement::SpaceYearDay => write!(shown, "{:>3}", local.ordinal()),
            LayoutElement::YearDay => write!(shown, "{:03}", local.ordinal()),
            LayoutElement::Hour24 => write!(shown, "{:02}", local.hour()),
            LayoutElement::Hour12 => write!(shown, "{hour12}"),
            LayoutElement::ZeroHour12 => write!(shown, "{hour12:02}"),
            LayoutElement::Minute => write!(shown, "{}", local.minute()),
            LayoutElement::ZeroMinute => write!(shown, "{:02}", local.minute()),
            LayoutElement::Second => write!(shown, "{}", local.second()),
            LayoutElement::ZeroSecond => write!(shown, "{:02}", local.second()),
            LayoutElement::LongYear => {
                let sign = if local.year() < 0 { "-" } else { "" };
                write!(shown, "{sign}{:04}", local.year().unsigned_abs())
            }
            LayoutElement::Year => write!(shown, "{:02}", local.year().rem_euclid(100)),
            LayoutElement::UpperMeridiem => write!(shown, "{}", if local.hour() < 12 { "AM" } else { "PM" }),
            LayoutElement::LowerMeridiem => write!(shown, "{}", if local.hour() < 12 { "am" } else { "pm" }),
            LayoutElement::Zone if self.zone.is_empty() => self.write_offset(
                shown,
                OffsetForm { allows_z: false, has_colons: false, precision: OffsetPrecision::Minutes },
            ),
            LayoutElement::Zone => write!(shown, "{}", self.zone),
            LayoutElement::Offset(form) => self.write_offset(shown, form),
            LayoutElement::Fraction { separator, digits, trims_zeros } => {
                let all = format!("{:09}", self.nanoseconds);
                let kept = all.get(..digits.min(9)).unwrap_or_default();
                let kept = if trims_zeros { kept.trim_end_matches('0') } else { kept };
                if kept.is_empty() { Ok(()) } else { write!(shown, "{separator}{kept}") }
            }
        }
        .ok()
    }

    fn write_offset(&self, shown: &mut String, form: OffsetForm) -> fmt::Result {
        if form.allows_z && self.offset == 0 {
            return write!(shown, "Z");
        }
        let (sign, east) = (if self.offset < 0 { '-' } else { '+' }, self.offset.unsigned_abs());
        let between = if form.has_colons { ":" } else { "" };
        write!(shown, "{sign}{:02}", east / 3600)?;
        if form.precision >= OffsetPrecision::Minutes {
            write!(shown, "{between}{:02}", east / 60 % 60)?;
        }
        if form.precision == OffsetPrecision::Seconds {
            write!(shown, "{between}{:02}", east % 60)?;
        }
        Ok(())
    }

    /// Parses a text with a layout. Missing fields are those of 0000-01-01 in this location.
    pub(super) fn parse(layout: &str, text: &str, offset: i32, zone: &str) -> Result<Self, String> {
        let mut read = LayoutParser::new(text);
        let mut rest = layout;
        loop {
            let (before, part, after) = split_at_element(rest);
            read.remaining = read
                .remaining
                .strip_prefix(before)
                .ok_or_else(|| format!("'{text}' does not match the layout '{layout}'"))?;
            let Some(part) = part else { break };
            read.read_element(part, after).ok_or_else(|| format!("'{text}' does not match the layout '{layout}'"))?;
            rest = after;
        }
        if !read.remaining.is_empty() {
            return Err(format!("'{text}' has more text than the layout '{layout}'"));
        }
        read.into_time((offset, zone)).ok_or_else(|| format!("'{text}' is not a valid time"))
    }
}

/// The fields parsed so far, and the remaining text.
struct LayoutParser<'t> {
    remaining: &'t str,
    year: i32,
    month: u32,
    day: u32,
    year_day: Option<u32>,
    hour: u32,
    minute: u32,
    second: u32,
    nanoseconds: u32,
    /// Whether the text has AM (false) or PM (true).
    is_afternoon: Option<bool>,
    /// Seconds east of UTC.
    offset: Option<i32>,
    zone: Option<&'t str>,
    /// Whether the text says `Z`.
    is_utc: bool,
}

impl<'t> LayoutParser<'t> {
    fn new(remaining: &'t str) -> Self {
        Self {
            remaining,
            year: 0,
            month: 1,
            day: 1,
            year_day: None,
            hour: 0,
            minute: 0,
            second: 0,
            nanoseconds: 0,
            is_afternoon: None,
            offset: None,
            zone: None,
            is_utc: false,
        }
    }

    /// Reads a number with `least` to `most` digits.
    fn read_digits(&mut self, least: usize, most: usize) -> Option<u32> {
        let length = self.remaining.bytes().take(most).take_while(u8::is_ascii_digit).count();
        if length < least {
            return None;
        }
        let (number, left) = self.remaining.split_at_checked(length)?;
        self.remaining = left;
        number.parse().ok()
    }

    /// Reads one of these names, of which the first `length` characters count, and returns its index.
    fn read_name(&mut self, names: &[&str], length: Option<usize>) -> Option<u32> {
        let found = names.iter().enumerate().find_map(|(at, name)| {
            let name = length.map_or(*name, |length| name.get(..length).unwrap_or(name));
            let head = self.remaining.get(..name.len())?;
            head.eq_ignore_ascii_case(name).then_some((at, name.len()))
        })?;
        self.remaining = self.remaining.get(found.1..)?;
        u32::try_from(found.0).ok()
    }

    fn read_element(&mut self, part: LayoutElement, after: &str) -> Option<()> {
        match part {
            LayoutElement::LongMonth => self.month = self.read_name(&MONTHS, None)? + 1,
            LayoutElement::Month => self.month = self.read_name(&MONTHS, Some(3))? + 1,
            LayoutElement::ZeroMonth => self.month = self.read_digits(2, 2)?,
            LayoutElement::NumberMonth => self.month = self.read_digits(1, 2)?,
            LayoutElement::LongDay => drop(self.read_name(&DAYS, None)?),
            LayoutElement::WeekDay => drop(self.read_name(&DAYS, Some(3))?),
            LayoutElement::Day => self.day = self.read_digits(1, 2)?,
            LayoutElement::SpaceDay => {
                self.remaining = self.remaining.trim_start_matches(' ');
                self.day = self.read_digits(1, 2)?;
            }
            LayoutElement::ZeroDay => self.day = self.read_digits(2, 2)?,
            LayoutElement::SpaceYearDay => {
                let length = self.remaining.len();
                self.remaining = self.remaining.trim_start_matches(' ');
                let digits = 3_usize.checked_sub(length - self.remaining.len()).filter(|digits| *digits > 0)?;
                self.year_day = Some(self.read_digits(digits, digits)?);
            }
            LayoutElement::YearDay => self.year_day = Some(self.read_digits(3, 3)?),
            LayoutElement::Hour24 => self.hour = self.read_digits(2, 2)?,
            LayoutElement::Hour12 => self.hour = self.read_digits(1, 2)?,
            LayoutElement::ZeroHour12 => self.hour = self.read_digits(2, 2)?,
            LayoutElement::Minute => self.minute = self.read_digits(1, 2)?,
            LayoutElement::ZeroMinute => self.minute = self.read_digits(2, 2)?,
            LayoutElement::Second | LayoutElement::ZeroSecond => {
                self.second = self.read_digits(if part == LayoutElement::Second { 1 } else { 2 }, 2)?;
                // A fraction may follow even if the layout has none.
                if !matches!(split_at_element(after), ("", Some(LayoutElement::Fraction { .. }), _)) {
                    self.read_fraction(1, usize::MAX);
                }
            }
            LayoutElement::LongYear => self.year = i32::try_from(self.read_digits(4, 4)?).ok()?,
            LayoutElement::Year => {
                let year = i32::try_from(self.read_digits(2, 2)?).ok()?;
                self.year = if year < 69 { 2000 + year } else { 1900 + year };
            }
            LayoutElement::UpperMeridiem | LayoutElement::LowerMeridiem => {
                self.is_afternoon = Some(self.read_name(&["am", "pm"], None)? == 1);
            }
            LayoutElement::Zone => self.read_zone()?,
            LayoutElement::Offset(form) => self.read_offset(form)?,
            LayoutElement::Fraction { trims_zeros: true, .. } => drop(self.read_fraction(1, usize::MAX)),
            LayoutElement::Fraction { digits, trims_zeros: false, .. } => self.read_fraction(digits, digits)?,
        }
        Some(())
    }

    /// Reads digits after a point or a comma. Those beyond nanoseconds do not count.
    fn read_fraction(&mut self, least: usize, most: usize) -> Option<()> {
        let digits = self.remaining.strip_prefix(['.', ','])?;
        let length = digits.bytes().take(most).take_while(u8::is_ascii_digit).count();
        let (shown, left) = digits.split_at_checked(length).filter(|_| length >= least)?;
        self.remaining = left;
        self.nanoseconds = format!("{:0<9}", shown.get(..9).unwrap_or(shown)).parse().ok()?;
        Some(())
    }

    fn read_zone(&mut self) -> Option<()> {
        let length = self.remaining.bytes().take(5).take_while(u8::is_ascii_uppercase).count();
        let (zone, left) = self.remaining.split_at_checked(length).filter(|_| length >= 3)?;
        (self.zone, self.remaining) = (Some(zone), left);
        Some(())
    }

    fn read_offset(&mut self, form: OffsetForm) -> Option<()> {
        if let Some(left) = self.remaining.strip_prefix('Z').filter(|_| form.allows_z) {
            (self.is_utc, self.remaining) = (true, left);
            return Some(());
        }
        let sign = if self.remaining.starts_with('-') { -1 } else { 1 };
        self.remaining = self.remaining.strip_prefix(['+', '-'])?;
        let hours = self.read_digits(2, 2)?;
        let [mut minutes, mut seconds] = [0; 2];
        for (field, precision) in [(&mut minutes, OffsetPrecision::Minutes), (&mut seconds, OffsetPrecision::Seconds)] {
            if form.precision >= precision {
                if form.has_colons {
                    self.remaining = self.remaining.strip_prefix(':')?;
                }
                *field = self.read_digits(2, 2)?;
            }
        }
        let is_valid = hours < 24 && minutes < 60 && seconds < 60;
        let east = i32::try_from(hours * 3600 + minutes * 60 + seconds).ok().filter(|_| is_valid)?;
        self.offset = Some(sign * east);
        Some(())
    }

    /// Returns the offset and the zone, as in Go: an offset counts, then a zone that is the location's. A zone that is neither
    /// counts as UTC.
    fn place(&self, (offset, zone): (i32, &str)) -> (i32, String) {
        match (self.offset, self.zone) {
            _ if self.is_utc || self.zone == Some("UTC") => (0, "UTC".to_owned()),
            (Some(0), None) => (0, "UTC".to_owned()),
            (Some(east), None) if east == offset => (east, zone.to_owned()),
            (Some(east), read) => (east, read.unwrap_or_default().to_owned()),
            (None, Some(read)) => (if read == zone { offset } else { 0 }, read.to_owned()),
            (None, None) => (offset, zone.to_owned()),
        }
    }

    fn into_time(self, location: (i32, &str)) -> Option<ZonedTime> {
        let (offset, zone) = self.place(location);
        let hour = match self.is_afternoon {
            None => self.hour,
            Some(_) if !(1..=12).contains(&self.hour) => return None,
            Some(is_late) => self.hour % 12 + if is_late { 12 } else { 0 },
        };
        let date = match self.year_day {
            Some(day) => NaiveDate::from_yo_opt(self.year, day),
            None => NaiveDate::from_ymd_opt(self.year, self.month, self.day),
        };
        let local = date?.and_hms_opt(hour, self.minute, self.second)?.and_utc();
        let utc = local.checked_sub_signed(TimeDelta::seconds(offset.into()))?;
        Some(ZonedTime { seconds: utc.timestamp(), nanoseconds: self.nanoseconds, offset, zone })
    }
}

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formatted_time_parses_back() {
        let moment =
            ZonedTime { seconds: 1_703_862_245, nanoseconds: 120_000_000, offset: 19_800, zone: String::new() };
        for (layout, shown) in [
            ("2006-01-02T15:04:05Z07:00", "2023-12-29T20:34:05+05:30"),
            ("2006-01-02T15:04:05.999999999Z07:00", "2023-12-29T20:34:05.12+05:30"),
            ("Monday, January _2 2006 at 3:04:05.000pm -0700", "Friday, December 29 2023 at 8:34:05.120pm +0530"),
            ("Mon Jan 2, 06 03PM -07", "Fri Dec 29, 23 08PM +05"),
            ("002/2006 (no part)", "363/2023 (no part)"),
            ("__2/2006", "363/2023"),
            ("report_2006 Month: 01", "report_2023 Month: 12"),
            ("2006-01-02 15:04:05,000 Z07:00:00", "2023-12-29 20:34:05,120 +05:30:00"),
            ("15:04:05.99 -070000", "20:34:05.12 +053000"),
        ] {
            assert_eq!(moment.format(layout).as_deref(), Some(shown), "{layout}");
            let read = ZonedTime::parse(layout, shown, 0, "UTC").unwrap();
            let offset = if layout.contains("07") { read.offset } else { 0 };
            let whole = ZonedTime { offset, ..read };
            assert_eq!(whole.format(layout).as_deref(), Some(shown), "{layout}");
        }
        let exact = ZonedTime::parse("2006-01-02T15:04:05.999999999Z07:00", "2023-12-29T20:34:05.12+05:30", 0, "UTC");
        assert_eq!(exact, Ok(moment.clone()));
        // A zone without a name has its offset, which is no name that could be parsed.
        assert_eq!(moment.format("15:04:05.0000 MST").as_deref(), Some("20:34:05.1200 +0530"));
        // Digits beyond those of the layout count where it omits zeros.
        let read =
            ZonedTime::parse("2006-01-02T15:04:05.999Z07:00", "2024-12-29T15:04:05.5000001234567Z", 0, "").unwrap();
        assert_eq!(read.nanoseconds, 500_000_123);
        // A fraction is parsed even if the layout has none.
        let read = ZonedTime::parse("15:04:05Z07:00", "20:34:05.5Z", 0, "").unwrap();
        assert_eq!(read.nanoseconds, 500_000_000);
    }

    #[test]
    fn offset_counts_before_a_zone_and_a_zone_of_the_location_before_none() {
        let parse = |layout: &str, text: &str, offset, zone| {
            let read = ZonedTime::parse(layout, text, offset, zone).unwrap();
            (read.seconds, read.offset, read.zone)
        };
        let there = |zone: &str| (1_703_862_240, 19_800, zone.to_owned());
        for (layout, text) in [
            ("2006-01-02 15:04 -0700 MST", "2023-12-29 20:34 +0530 IST"),
            ("2006-01-02 15:04 MST -0700", "2023-12-29 20:34 IST +0530"),
        ] {
            assert_eq!(parse(layout, text, 0, "UTC"), there("IST"));
        }
        let layout = "2006-01-02 15:04 MST";
        assert_eq!(parse(layout, "2023-12-29 20:34 IST", 19_800, "IST"), there("IST"));
        assert_eq!(parse(layout, "2023-12-29 20:34 CET", 19_800, "IST"), (1_703_882_040, 0, "CET".to_owned()));
        assert_eq!(parse("2006-01-02 15:04", "2023-12-29 20:34", 19_800, "IST"), there("IST"));
        assert_eq!(parse("2006-01-02 15:04Z07:00", "2023-12-29 15:04Z", 19_800, "IST").1, 0);
    }

    #[test]
    fn invalid_time_fails_to_parse() {
        for (layout, text) in [
            ("2006-01-02", "2023-13-01"),
            ("2006-01-02", "2023-02-29"),
            ("2006-01-02", "2023-1-1"),
            ("2006-01-02", "2023-01-01 and more"),
            ("15:04", "25:00"),
            ("3:04PM", "13:00PM"),
            ("Jan 2", "Foo 2"),
            ("-07:00", "+99:00"),
            ("2006", ""),
            ("2006", "ääää"),
        ] {
            assert!(ZonedTime::parse(layout, text, 0, "").is_err(), "{layout}: {text}");
        }
        let late = ZonedTime { seconds: i64::MAX, nanoseconds: 0, offset: 3600, zone: String::new() };
        assert_eq!(late.format("2006"), None);
    }
}
