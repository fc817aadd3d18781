//! The values of the module `time`: how points in time, durations and locations stand in Lua, and arithmetic with them.
//!
//! Never: reads the clock.

use chrono::{DateTime, Datelike as _, Days, Months, NaiveDate, TimeDelta, Utc};
use mlua::{Table, Value};

use super::ModuleError;
use super::time_format::ZonedTime;
use crate::library::function::{FunctionCall, as_float, as_integer};

/// A zone is less than a day from UTC.
pub(super) const MAX_OFFSET_SECONDS: u32 = 86_400;

pub(super) fn out_of_range_error(call: &FunctionCall) -> ModuleError {
    call.format_error("the time is out of range").into()
}

pub(super) fn unix_nanoseconds(moment: &ZonedTime) -> i128 {
    i128::from(moment.seconds) * 1_000_000_000 + i128::from(moment.nanoseconds)
}

pub(super) fn time_from_nanoseconds(at: i128, offset: i32, zone: &str) -> Option<ZonedTime> {
    let seconds = i64::try_from(at.div_euclid(1_000_000_000)).ok()?;
    let nanoseconds = u32::try_from(at.rem_euclid(1_000_000_000)).ok()?;
    let moment = ZonedTime { seconds, nanoseconds, offset, zone: zone.to_owned() };
    moment.local().map(|_| moment)
}

pub(super) fn create_time(call: &FunctionCall, moment: &ZonedTime) -> Result<Value, ModuleError> {
    let object: Table = call.new_object("Time")?;
    object.raw_set("_sec", moment.seconds)?;
    object.raw_set("_nsec", moment.nanoseconds)?;
    object.raw_set("_offset", moment.offset)?;
    object.raw_set("_zone", moment.zone.as_str())?;
    Ok(Value::Table(object))
}

/// A handler may have changed the fields.
fn read_time(object: &Table) -> Result<ZonedTime, ModuleError> {
    let (seconds, nanoseconds) = (object.raw_get("_sec")?, object.raw_get("_nsec")?);
    let offset: i32 = object.raw_get("_offset")?;
    if offset.unsigned_abs() >= MAX_OFFSET_SECONDS {
        return Err("its offset is a day or longer".to_owned().into());
    }
    Ok(ZonedTime { seconds, nanoseconds, offset, zone: object.raw_get("_zone")? })
}

pub(super) fn this_time(call: &FunctionCall) -> Result<ZonedTime, ModuleError> {
    call.this.as_ref().map_or_else(|| Err(call.format_error("the time is missing").into()), read_time)
}

pub(super) fn next_time(call: &mut FunctionCall) -> Result<ZonedTime, ModuleError> {
    let table = call.next_table().ok_or_else(|| call.format_error("the other time is missing"))?;
    read_time(&table).map_err(|_| call.format_error("the argument is not a time").into())
}

pub(super) fn local_time(call: &FunctionCall) -> Result<DateTime<Utc>, ModuleError> {
    this_time(call)?.local().ok_or_else(|| out_of_range_error(call))
}

pub(super) fn compare_times(call: &mut FunctionCall, holds: fn(i128, i128) -> bool) -> Result<Value, ModuleError> {
    let (one, other) = (this_time(call)?, next_time(call)?);
    Ok(Value::Boolean(holds(unix_nanoseconds(&one), unix_nanoseconds(&other))))
}

pub(super) fn format_time(call: &FunctionCall, moment: &ZonedTime, layout: &str) -> Result<Value, ModuleError> {
    Ok(call.create_string(&moment.format(layout).ok_or_else(|| out_of_range_error(call))?)?)
}

pub(super) fn convert_to_location(call: &FunctionCall, offset: i32, zone: &str) -> Result<Value, ModuleError> {
    create_time(call, &ZonedTime { offset, zone: zone.to_owned(), ..this_time(call)? })
}

pub(super) fn add_nanoseconds(call: &FunctionCall, moment: &ZonedTime, span: i64) -> Result<Value, ModuleError> {
    let moved = time_from_nanoseconds(unix_nanoseconds(moment) + i128::from(span), moment.offset, &moment.zone);
    create_time(call, &moved.ok_or_else(|| out_of_range_error(call))?)
}

/// Nanoseconds since the last multiple of a span, counted from the first moment of year 1.
pub(super) fn nanoseconds_past_multiple(moment: &ZonedTime, span: i64) -> Option<i64> {
    let since = unix_nanoseconds(moment) + 62_135_596_800 * 1_000_000_000;
    i64::try_from((span > 0).then(|| since.rem_euclid(span.into()))?).ok()
}

pub(super) fn create_location(call: &FunctionCall, offset: i32, zone: &str) -> Result<Value, ModuleError> {
    let object: Table = call.new_object("Location")?;
    object.raw_set("_offset", offset)?;
    object.raw_set("_zone", zone)?;
    Ok(Value::Table(object))
}

/// The next argument as offset and name of a location; UTC if it is missing.
pub(super) fn next_location(call: &mut FunctionCall) -> Result<(i32, String), ModuleError> {
    let Some(place) = call.next_table() else { return Ok((0, "UTC".to_owned())) };
    let found = (place.raw_get("_offset"), place.raw_get("_zone"));
    match found {
        (Ok(offset), Ok(zone)) => Ok((offset, zone)),
        _ => Err(call.format_error("the argument is not a location").into()),
    }
}

pub(super) fn date(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let mut field = || as_integer(&call.next_value()).unwrap_or(0);
    let (year, month, day) = (field(), field(), field());
    let (hour, minute, second, nanosecond) = (field(), field(), field(), field());
    let (offset, zone) = next_location(call)?;
    let days = normalize_date(year, month, day)
        .and_then(|date| date.and_hms_opt(0, 0, 0))
        .map(|date| date.and_utc().timestamp());
    let clock = i128::from(hour) * 3600 + i128::from(minute) * 60 + i128::from(second);
    let at = days.map(|days| (i128::from(days) + clock - i128::from(offset)) * 1_000_000_000 + i128::from(nanosecond));
    let moment = at.and_then(|at| time_from_nanoseconds(at, offset, &zone));
    create_time(call, &moment.ok_or_else(|| out_of_range_error(call))?)
}

/// A date, where months and days out of range carry over.
fn normalize_date(year: i64, month: i64, day: i64) -> Option<NaiveDate> {
    let months = year.checked_mul(12)?.checked_add(month.checked_sub(1)?)?;
    let first = NaiveDate::from_ymd_opt(i32::try_from(months.div_euclid(12)).ok()?, 1, 1)?;
    let first = first.checked_add_months(Months::new(u32::try_from(months.rem_euclid(12)).ok()?))?;
    let days = day.checked_sub(1)?;
    let more = Days::new(days.unsigned_abs());
    if days < 0 { first.checked_sub_days(more) } else { first.checked_add_days(more) }
}

pub(super) fn add_date(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let (moment, at) = (this_time(call)?, local_time(call)?);
    let mut field = || as_integer(&call.next_value()).unwrap_or(0);
    let (years, months, days) = (field(), field(), field());
    let sum = |one: u32, more: i64| i64::from(one).checked_add(more);
    let date = i64::from(at.year()).checked_add(years).zip(sum(at.month(), months)).zip(sum(at.day(), days));
    let date = date.and_then(|((year, month), day)| normalize_date(year, month, day));
    let there = date.and_then(|date| {
        date.and_time(at.time()).and_utc().checked_sub_signed(TimeDelta::seconds(moment.offset.into()))
    });
    let there = there.map(|there| ZonedTime { seconds: there.timestamp(), ..moment });
    create_time(call, &there.ok_or_else(|| out_of_range_error(call))?)
}

pub(super) fn create_duration(call: &FunctionCall, nanoseconds: i64) -> Result<Value, ModuleError> {
    let object: Table = call.new_object("Duration")?;
    object.raw_set("_ns", nanoseconds)?;
    Ok(Value::Table(object))
}

/// The next argument as a duration in nanoseconds.
pub(super) fn next_duration(call: &mut FunctionCall) -> Result<i64, ModuleError> {
    let span = match call.next_value() {
        Value::Table(object) => object.raw_get("_ns").ok(),
        Value::String(text) => parse_duration(&text.to_string_lossy()),
        number => {
            as_integer(&number).or_else(|| as_float(&number).filter(|span| span.abs() < 9e18).map(|span| span as i64))
        }
    };
    span.ok_or_else(|| {
        ModuleError::from(
            call.format_error("a duration must be such as \"1h30m\", \"500ms\", or a number of nanoseconds"),
        )
    })
}

/// Parses a duration such as `-1h30.5m` to nanoseconds, exactly.
pub(super) fn parse_duration(text: &str) -> Option<i64> {
    const UNITS: [(&str, i128); 7] = [
        ("ns", 1),
        ("us", 1_000),
        ("µs", 1_000),
        ("ms", 1_000_000),
        ("s", 1_000_000_000),
        ("m", 60_000_000_000),
        ("h", 3_600_000_000_000),
    ];
    // More digits are less than a nanosecond of an hour.
    const MAX_FRACTION_DIGITS: usize = 18;
    let (sign, mut left) = match text.strip_prefix('-') {
        Some(left) => (-1, left),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    if left == "0" {
        return Some(0);
    }
    if left.is_empty() {
        return None;
    }
    let mut sum = 0_i128;
    while !left.is_empty() {
        let length = left.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, rest) = left.split_at_checked(length)?;
        let (unit, rest) = UNITS.iter().find_map(|(name, unit)| rest.strip_prefix(name).map(|rest| (unit, rest)))?;
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        if whole.is_empty() && fraction.is_empty() || fraction.contains('.') {
            return None;
        }
        let parse = |digits: &str| if digits.is_empty() { Some(0) } else { digits.parse::<i128>().ok() };
        let fraction = fraction.get(..MAX_FRACTION_DIGITS).unwrap_or(fraction);
        let scale = 10_i128.pow(u32::try_from(fraction.len()).ok()?);
        sum = sum.checked_add(parse(whole)?.checked_mul(*unit)?)?.checked_add(parse(fraction)? * unit / scale)?;
        left = rest;
    }
    i64::try_from(sum).ok().map(|sum| sign * sum)
}
