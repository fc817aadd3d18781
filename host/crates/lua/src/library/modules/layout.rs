//! Times as text, by a layout that shows how 2006-01-02 15:04:05 would be written, as Go's layouts do.
//!
//! Never: knows of a zone more than its name and its distance from UTC.

use std::fmt::Write as _;

use chrono::{DateTime, Datelike as _, NaiveDate, TimeDelta, Timelike as _, Utc};

/// A point in time, and where it is looked at from.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Moment {
    /// Since 1970-01-01 UTC.
    pub(super) seconds: i64,
    pub(super) nanoseconds: u32,
    /// Seconds east of UTC.
    pub(super) offset: i32,
    pub(super) zone: String,
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Part {
    LongMonth,
    Month,
    ZeroMonth,
    NumberMonth,
    LongDay,
    WeekDay,
    Day,
    SpaceDay,
    ZeroDay,
    YearDay,
    Hour24,
    Hour12,
    ZeroHour12,
    Minute,
    ZeroMinute,
    Second,
    ZeroSecond,
    LongYear,
    Year,
    UpperHalf,
    LowerHalf,
    Zone,
    /// `Z` for UTC; with a colon; with minutes.
    Offset {
        z: bool,
        colon: bool,
        minutes: bool,
    },
    /// Digits after the second, and whether those that are 0 at the end are left out.
    Fraction {
        digits: usize,
        short: bool,
    },
}

/// Longer ones before those that they begin with.
const PARTS: [(&str, Part); 33] = [
    ("January", Part::LongMonth),
    ("Jan", Part::Month),
    ("Monday", Part::LongDay),
    ("Mon", Part::WeekDay),
    ("MST", Part::Zone),
    ("002", Part::YearDay),
    ("01", Part::ZeroMonth),
    ("02", Part::ZeroDay),
    ("03", Part::ZeroHour12),
    ("04", Part::ZeroMinute),
    ("05", Part::ZeroSecond),
    ("06", Part::Year),
    ("2006", Part::LongYear),
    ("15", Part::Hour24),
    ("1", Part::NumberMonth),
    ("_2006", Part::LongYear),
    ("_2", Part::SpaceDay),
    ("2", Part::Day),
    ("3", Part::Hour12),
    ("4", Part::Minute),
    ("5", Part::Second),
    ("PM", Part::UpperHalf),
    ("pm", Part::LowerHalf),
    ("Z07:00", Part::Offset { z: true, colon: true, minutes: true }),
    ("Z0700", Part::Offset { z: true, colon: false, minutes: true }),
    ("Z07", Part::Offset { z: true, colon: false, minutes: false }),
    ("-07:00", Part::Offset { z: false, colon: true, minutes: true }),
    ("-0700", Part::Offset { z: false, colon: false, minutes: true }),
    ("-07", Part::Offset { z: false, colon: false, minutes: false }),
    (".000000000", Part::Fraction { digits: 9, short: false }),
    (".000000", Part::Fraction { digits: 6, short: false }),
    (".000", Part::Fraction { digits: 3, short: false }),
    (".999999999", Part::Fraction { digits: 9, short: true }),
];

/// What comes before the next part of a layout, the part, and what is left.
fn next(layout: &str) -> (&str, Option<Part>, &str) {
    for (at, _) in layout.char_indices() {
        let rest = layout.get(at..).unwrap_or_default();
        let found = PARTS.iter().find_map(|(shown, part)| rest.strip_prefix(shown).map(|rest| (*part, rest)));
        if let Some((part, rest)) = found {
            return (layout.get(..at).unwrap_or_default(), Some(part), rest);
        }
    }
    (layout, None, "")
}

impl Moment {
    /// The date and the clock there.
    pub(super) fn local(&self) -> Option<DateTime<Utc>> {
        DateTime::from_timestamp(self.seconds.checked_add(self.offset.into())?, self.nanoseconds)
    }

    /// The time as the layout shows it; nothing for one that no calendar has.
    pub(super) fn format(&self, layout: &str) -> Option<String> {
        let local = self.local()?;
        let (mut shown, mut rest) = (String::new(), layout);
        loop {
            let (before, part, after) = next(rest);
            shown.push_str(before);
            let Some(part) = part else { return Some(shown) };
            self.write(&mut shown, part, &local)?;
            rest = after;
        }
    }

    fn write(&self, shown: &mut String, part: Part, local: &DateTime<Utc>) -> Option<()> {
        let hour12 = local.hour12().1;
        match part {
            Part::LongMonth => write!(shown, "{}", local.format("%B")),
            Part::Month => write!(shown, "{}", local.format("%b")),
            Part::ZeroMonth => write!(shown, "{:02}", local.month()),
            Part::NumberMonth => write!(shown, "{}", local.month()),
            Part::LongDay => write!(shown, "{}", local.format("%A")),
            Part::WeekDay => write!(shown, "{}", local.format("%a")),
            Part::Day => write!(shown, "{}", local.day()),
            Part::SpaceDay => write!(shown, "{:>2}", local.day()),
            Part::ZeroDay => write!(shown, "{:02}", local.day()),
            Part::YearDay => write!(shown, "{:03}", local.ordinal()),
            Part::Hour24 => write!(shown, "{:02}", local.hour()),
            Part::Hour12 => write!(shown, "{hour12}"),
            Part::ZeroHour12 => write!(shown, "{hour12:02}"),
            Part::Minute => write!(shown, "{}", local.minute()),
            Part::ZeroMinute => write!(shown, "{:02}", local.minute()),
            Part::Second => write!(shown, "{}", local.second()),
            Part::ZeroSecond => write!(shown, "{:02}", local.second()),
            Part::LongYear => write!(shown, "{:04}", local.year()),
            Part::Year => write!(shown, "{:02}", local.year().rem_euclid(100)),
            Part::UpperHalf => write!(shown, "{}", if local.hour() < 12 { "AM" } else { "PM" }),
            Part::LowerHalf => write!(shown, "{}", if local.hour() < 12 { "am" } else { "pm" }),
            Part::Zone => write!(shown, "{}", self.zone),
            Part::Offset { z: true, .. } if self.offset == 0 => write!(shown, "Z"),
            Part::Offset { colon, minutes, .. } => {
                let (sign, east) = if self.offset < 0 { ('-', -self.offset) } else { ('+', self.offset) };
                let between = if colon { ":" } else { "" };
                match minutes {
                    true => write!(shown, "{sign}{:02}{between}{:02}", east / 3600, east / 60 % 60),
                    false => write!(shown, "{sign}{:02}", east / 3600),
                }
            }
            Part::Fraction { digits, short } => {
                let all = format!("{:09}", self.nanoseconds);
                let kept = all.get(..digits).unwrap_or_default();
                let kept = if short { kept.trim_end_matches('0') } else { kept };
                if kept.is_empty() { Ok(()) } else { write!(shown, ".{kept}") }
            }
        }
        .ok()
    }

    /// The time that a text shows. What it leaves open is as on 0000-01-01, in this zone.
    pub(super) fn parse(layout: &str, text: &str, offset: i32, zone: &str) -> Result<Self, String> {
        let mut read = Read { left: text, ..Read::new(offset, zone) };
        let mut rest = layout;
        loop {
            let (before, part, after) = next(rest);
            read.left = read
                .left
                .strip_prefix(before)
                .ok_or_else(|| format!("'{text}' is not as the layout '{layout}' says"))?;
            let Some(part) = part else { break };
            read.part(part, after).ok_or_else(|| format!("'{text}' is not as the layout '{layout}' says"))?;
            rest = after;
        }
        if !read.left.is_empty() {
            return Err(format!("'{text}' goes on after what the layout '{layout}' says"));
        }
        read.moment().ok_or_else(|| format!("'{text}' is no time that there is"))
    }
}

/// What was read of a text so far.
struct Read<'t> {
    left: &'t str,
    year: i32,
    month: u32,
    day: u32,
    year_day: Option<u32>,
    hour: u32,
    minute: u32,
    second: u32,
    nanoseconds: u32,
    /// Whether it is after noon, where the text says so.
    is_late: Option<bool>,
    offset: i32,
    zone: String,
}

impl<'t> Read<'t> {
    fn new(offset: i32, zone: &str) -> Self {
        let zone = zone.to_owned();
        Self {
            left: "",
            year: 0,
            month: 1,
            day: 1,
            year_day: None,
            hour: 0,
            minute: 0,
            second: 0,
            nanoseconds: 0,
            is_late: None,
            offset,
            zone,
        }
    }

    /// So many digits.
    fn digits(&mut self, least: usize, most: usize) -> Option<u32> {
        let length = self.left.bytes().take(most).take_while(u8::is_ascii_digit).count();
        if length < least {
            return None;
        }
        let (number, left) = self.left.split_at_checked(length)?;
        self.left = left;
        number.parse().ok()
    }

    /// The place of the name that comes next.
    fn name(&mut self, names: &[&str], length: Option<usize>) -> Option<u32> {
        let found = names.iter().enumerate().find_map(|(at, name)| {
            let name = length.map_or(*name, |length| name.get(..length).unwrap_or(name));
            let head = self.left.get(..name.len())?;
            head.eq_ignore_ascii_case(name).then_some((at, name.len()))
        })?;
        self.left = self.left.get(found.1..)?;
        u32::try_from(found.0).ok()
    }

    fn part(&mut self, part: Part, after: &str) -> Option<()> {
        match part {
            Part::LongMonth => self.month = self.name(&MONTHS, None)? + 1,
            Part::Month => self.month = self.name(&MONTHS, Some(3))? + 1,
            Part::ZeroMonth => self.month = self.digits(2, 2)?,
            Part::NumberMonth => self.month = self.digits(1, 2)?,
            Part::LongDay => drop(self.name(&DAYS, None)?),
            Part::WeekDay => drop(self.name(&DAYS, Some(3))?),
            Part::Day => self.day = self.digits(1, 2)?,
            Part::SpaceDay => {
                self.left = self.left.trim_start_matches(' ');
                self.day = self.digits(1, 2)?;
            }
            Part::ZeroDay => self.day = self.digits(2, 2)?,
            Part::YearDay => self.year_day = Some(self.digits(3, 3)?),
            Part::Hour24 => self.hour = self.digits(2, 2)?,
            Part::Hour12 => self.hour = self.digits(1, 2)?,
            Part::ZeroHour12 => self.hour = self.digits(2, 2)?,
            Part::Minute => self.minute = self.digits(1, 2)?,
            Part::ZeroMinute => self.minute = self.digits(2, 2)?,
            Part::Second | Part::ZeroSecond => {
                self.second = self.digits(if part == Part::Second { 1 } else { 2 }, 2)?;
                // A fraction may follow that the layout does not have.
                if !matches!(next(after), ("", Some(Part::Fraction { .. }), _)) {
                    self.fraction(1, 9);
                }
            }
            Part::LongYear => self.year = i32::try_from(self.digits(4, 4)?).ok()?,
            Part::Year => {
                let year = i32::try_from(self.digits(2, 2)?).ok()?;
                self.year = if year < 69 { 2000 + year } else { 1900 + year };
            }
            Part::UpperHalf | Part::LowerHalf => self.is_late = Some(self.name(&["am", "pm"], None)? == 1),
            Part::Zone => self.zone()?,
            Part::Offset { z, colon, minutes } => self.offset(z, colon, minutes)?,
            Part::Fraction { short: true, .. } => drop(self.fraction(1, 9)),
            Part::Fraction { digits, short: false } => self.fraction(digits, digits)?,
        }
        Some(())
    }

    fn fraction(&mut self, least: usize, most: usize) -> Option<()> {
        let digits = self.left.strip_prefix('.')?;
        let length = digits.bytes().take(most).take_while(u8::is_ascii_digit).count();
        let (shown, left) = digits.split_at_checked(length).filter(|_| length >= least)?;
        self.left = left;
        self.nanoseconds = format!("{shown:0<9}").parse().ok()?;
        Some(())
    }

    /// A zone that is known by its name alone is taken for UTC, as in Go.
    fn zone(&mut self) -> Option<()> {
        let length = self.left.bytes().take(5).take_while(u8::is_ascii_uppercase).count();
        let (zone, left) = self.left.split_at_checked(length).filter(|_| length >= 3)?;
        (self.zone, self.offset, self.left) = (zone.to_owned(), 0, left);
        Some(())
    }

    fn offset(&mut self, z: bool, colon: bool, minutes: bool) -> Option<()> {
        if let Some(left) = self.left.strip_prefix('Z').filter(|_| z) {
            (self.zone, self.offset, self.left) = ("UTC".to_owned(), 0, left);
            return Some(());
        }
        let sign = if self.left.starts_with('-') { -1 } else { 1 };
        self.left = self.left.strip_prefix(['+', '-'])?;
        let hours = self.digits(2, 2)?;
        if colon {
            self.left = self.left.strip_prefix(':')?;
        }
        let minutes = if minutes { self.digits(2, 2)? } else { 0 };
        let east = i32::try_from(hours * 3600 + minutes * 60).ok().filter(|_| hours < 24 && minutes < 60)?;
        self.offset = sign * east;
        self.zone = if self.offset == 0 { "UTC".to_owned() } else { String::new() };
        Some(())
    }

    fn moment(self) -> Option<Moment> {
        let hour = match self.is_late {
            None => self.hour,
            Some(_) if !(1..=12).contains(&self.hour) => return None,
            Some(is_late) => self.hour % 12 + if is_late { 12 } else { 0 },
        };
        let date = match self.year_day {
            Some(day) => NaiveDate::from_yo_opt(self.year, day),
            None => NaiveDate::from_ymd_opt(self.year, self.month, self.day),
        };
        let local = date?.and_hms_opt(hour, self.minute, self.second)?.and_utc();
        let utc = local.checked_sub_signed(TimeDelta::seconds(self.offset.into()))?;
        Some(Moment { seconds: utc.timestamp(), nanoseconds: self.nanoseconds, offset: self.offset, zone: self.zone })
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
    fn what_is_shown_is_read_again() {
        let moment = Moment { seconds: 1_703_862_245, nanoseconds: 120_000_000, offset: 19_800, zone: String::new() };
        for (layout, shown) in [
            ("2006-01-02T15:04:05Z07:00", "2023-12-29T20:34:05+05:30"),
            ("2006-01-02T15:04:05.999999999Z07:00", "2023-12-29T20:34:05.12+05:30"),
            ("Monday, January _2 2006 at 3:04:05.000pm -0700", "Friday, December 29 2023 at 8:34:05.120pm +0530"),
            ("Mon Jan 2, 06 03PM -07", "Fri Dec 29, 23 08PM +05"),
            ("002/2006 (no part)", "363/2023 (no part)"),
        ] {
            assert_eq!(moment.format(layout).as_deref(), Some(shown), "{layout}");
            let read = Moment::parse(layout, shown, 0, "UTC").unwrap();
            let offset = if layout.contains("07") { read.offset } else { 0 };
            let whole = Moment { offset, ..read };
            assert_eq!(whole.format(layout).as_deref(), Some(shown), "{layout}");
        }
        let exact = Moment::parse("2006-01-02T15:04:05.999999999Z07:00", "2023-12-29T20:34:05.12+05:30", 0, "UTC");
        assert_eq!(exact, Ok(moment));
        // A fraction that the layout does not have is read all the same.
        let read = Moment::parse("15:04:05Z07:00", "20:34:05.5Z", 0, "").unwrap();
        assert_eq!(read.nanoseconds, 500_000_000);
    }

    #[test]
    fn what_is_no_time_is_refused() {
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
            assert!(Moment::parse(layout, text, 0, "").is_err(), "{layout}: {text}");
        }
        let late = Moment { seconds: i64::MAX, nanoseconds: 0, offset: 3600, zone: String::new() };
        assert_eq!(late.format("2006"), None);
    }
}
