//! `time`: points in time, spans between them, and zones at a fixed distance from UTC. The clock is the server's.

use chrono::{DateTime, Datelike as _, Days, Months, NaiveDate, TimeDelta, Timelike as _, Utc};
use mlua::{Lua, Table, Value};
use serde_json::json;

use super::layout::Moment;
use super::{Fault, of, several};
use crate::library::function::{Call, Function, Kind, Param, Return, float, optional, param, returns, whole};

const TIME: &[Return] = &[returns("Time", "")];
const DURATION: &[Return] = &[returns("Duration", "")];
const INTEGER: &[Return] = &[returns("integer", "")];
const NUMBER: &[Return] = &[returns("number", "")];
const TEXT: &[Return] = &[returns("string", "")];
const BOOLEAN: &[Return] = &[returns("boolean", "")];
const SPAN: &[Param] = &[param("duration", Kind::Any, "Duration|number|string", "nanoseconds, or such as \"1h30m\"")];
const OTHER: &[Param] = &[param("other", Kind::Table, "Time", "")];
const PLACE: Param = optional("location", Kind::Table, "Location", "(default UTC)");

pub(super) const FUNCTIONS: &[Function] = &[
    of("time.now", "This moment.", &[], TIME, |call| {
        let now =
            call.request("time", json!({}))?.as_f64().ok_or_else(|| call.blame("the server's answer is no time"))?;
        let seconds = now.floor();
        made(
            call,
            &Moment {
                seconds: seconds as i64,
                nanoseconds: ((now - seconds) * 1e9) as u32,
                offset: 0,
                zone: "UTC".to_owned(),
            },
        )
    }),
    of(
        "time.unix",
        "So many seconds after 1970-01-01 UTC.",
        &[param("sec", Kind::Number, "number", ""), optional("nsec", Kind::Integer, "integer", "")],
        TIME,
        |call| {
            let (seconds, more) = (call.value(), whole(&call.value()).unwrap_or(0));
            let seconds =
                whole(&seconds).or_else(|| float(&seconds).filter(|s| s.abs() < 1e15).map(|s| s.floor() as i64));
            let nanoseconds = seconds.map(|seconds| i128::from(seconds) * 1_000_000_000 + i128::from(more));
            let moment = nanoseconds.and_then(|at| of_nanoseconds(at, 0, "UTC"));
            made(call, &moment.ok_or_else(|| out_of_range(call))?)
        },
    ),
    of(
        "time.date",
        "A date and a clock. What is out of its range counts on.",
        &[
            param("year", Kind::Integer, "integer", ""),
            param("month", Kind::Integer, "integer", ""),
            param("day", Kind::Integer, "integer", ""),
            optional("hour", Kind::Integer, "integer", ""),
            optional("minute", Kind::Integer, "integer", ""),
            optional("second", Kind::Integer, "integer", ""),
            optional("nanosecond", Kind::Integer, "integer", ""),
            PLACE,
        ],
        TIME,
        date,
    ),
    of(
        "time.parse",
        "The time that a text shows, by a layout that shows 2006-01-02 15:04:05 -0700.",
        &[param("layout", Kind::String, "string", ""), param("text", Kind::String, "string", ""), PLACE],
        TIME,
        |call| {
            let (layout, text) = (call.text()?, call.text()?);
            let (offset, zone) = place(call)?;
            let moment = Moment::parse(&layout, &text, offset, &zone).map_err(|message| call.blame(&message))?;
            made(call, &moment)
        },
    ),
    of("time.parse_duration", "A span, such as \"1h30m\", \"500ms\" or nanoseconds.", SPAN, DURATION, |call| {
        let span = span(call)?;
        spanning(call, span)
    }),
    of(
        "time.fixed_zone",
        "A zone that is always so far from UTC.",
        &[param("name", Kind::String, "string", ""), param("offset", Kind::Integer, "integer", "seconds east of UTC")],
        &[returns("Location", "")],
        |call| {
            let (name, offset) = (call.text()?, whole(&call.value()).unwrap_or(0));
            let offset = i32::try_from(offset).ok().filter(|offset| offset.abs() < 86_400);
            location(call, offset.ok_or_else(|| call.blame("offset must be less than a day"))?, &name)
        },
    ),
    of(
        "time.load_location",
        "A zone by its name. There are \"UTC\" and \"Local\", which is the same here.",
        &[param("name", Kind::String, "string", "")],
        &[returns("Location", "")],
        |call| match call.text()?.as_str() {
            "UTC" | "Local" => location(call, 0, "UTC"),
            "" => Err(call.blame("a zone has a name").into()),
            name => Err(Fault::not_found(format!(
                "time.load_location: there is no table of zones, and so no '{name}': use time.fixed_zone(name, offset)"
            ))),
        },
    ),
    of("time.sleep", "Waits. The call's deadline goes on meanwhile.", SPAN, &[returns("true", "")], |call| {
        let seconds = span(call)? as f64 / 1e9;
        call.request("sleep", json!({"seconds": seconds.max(0.0)}))?;
        Ok(Value::Boolean(true))
    }),
    of("Time:add", "So much later.", SPAN, TIME, |call| {
        let (moment, span) = (this(call)?, span(call)?);
        moved(call, &moment, span)
    }),
    of("Time:sub", "How long after another one it is.", OTHER, DURATION, |call| {
        let difference = nanoseconds(&this(call)?) - nanoseconds(&other(call)?);
        spanning(call, i64::try_from(difference).map_err(|_| out_of_range(call))?)
    }),
    of(
        "Time:add_date",
        "So many years, months and days later. A day that the month lacks counts on.",
        &[
            param("years", Kind::Integer, "integer", ""),
            param("months", Kind::Integer, "integer", ""),
            param("days", Kind::Integer, "integer", ""),
        ],
        TIME,
        add_date,
    ),
    of("Time:before", "Whether it is before another one.", OTHER, BOOLEAN, |call| compare(call, |a, b| a < b)),
    of("Time:after", "Whether it is after another one.", OTHER, BOOLEAN, |call| compare(call, |a, b| a > b)),
    of("Time:equal", "Whether it is the same moment.", OTHER, BOOLEAN, |call| compare(call, |a, b| a == b)),
    of("Time:format", "As text.", &[param("layout", Kind::String, "string", "")], TEXT, |call| {
        let (moment, layout) = (this(call)?, call.text()?);
        shown(call, &moment, &layout)
    }),
    of("Time:format_rfc3339", "As text, such as 2024-12-29T15:04:05Z.", &[], TEXT, |call| {
        shown(call, &this(call)?, RFC3339)
    }),
    of("Time:unix", "Seconds since 1970-01-01 UTC.", &[], INTEGER, |call| Ok(Value::Integer(this(call)?.seconds))),
    of("Time:unix_nano", "Nanoseconds since then.", &[], INTEGER, |call| {
        let all = i64::try_from(nanoseconds(&this(call)?));
        Ok(Value::Integer(all.map_err(|_| out_of_range(call))?))
    }),
    several(
        "Time:date",
        "Year, month and day.",
        &[],
        &[returns("integer", "year"), returns("integer", "month"), returns("integer", "day")],
        |call| {
            let at = local(call)?;
            Ok(vec![
                Value::Integer(at.year().into()),
                Value::Integer(at.month().into()),
                Value::Integer(at.day().into()),
            ])
        },
    ),
    several(
        "Time:clock",
        "Hour, minute and second.",
        &[],
        &[returns("integer", "hour"), returns("integer", "minute"), returns("integer", "second")],
        |call| {
            let at = local(call)?;
            Ok(vec![
                Value::Integer(at.hour().into()),
                Value::Integer(at.minute().into()),
                Value::Integer(at.second().into()),
            ])
        },
    ),
    of("Time:year", "", &[], INTEGER, |call| Ok(Value::Integer(local(call)?.year().into()))),
    of("Time:month", "1 to 12.", &[], INTEGER, |call| Ok(Value::Integer(local(call)?.month().into()))),
    of("Time:day", "", &[], INTEGER, |call| Ok(Value::Integer(local(call)?.day().into()))),
    of("Time:hour", "", &[], INTEGER, |call| Ok(Value::Integer(local(call)?.hour().into()))),
    of("Time:minute", "", &[], INTEGER, |call| Ok(Value::Integer(local(call)?.minute().into()))),
    of("Time:second", "", &[], INTEGER, |call| Ok(Value::Integer(local(call)?.second().into()))),
    of("Time:nanosecond", "", &[], INTEGER, |call| Ok(Value::Integer(local(call)?.nanosecond().into()))),
    of("Time:weekday", "0 is Sunday.", &[], INTEGER, |call| {
        Ok(Value::Integer(local(call)?.weekday().num_days_from_sunday().into()))
    }),
    of("Time:year_day", "From 1 on.", &[], INTEGER, |call| Ok(Value::Integer(local(call)?.ordinal().into()))),
    of("Time:is_zero", "Whether it is the first moment of year 1.", &[], BOOLEAN, |call| {
        let moment = this(call)?;
        Ok(Value::Boolean(moment.seconds == -62_135_596_800 && moment.nanoseconds == 0))
    }),
    of("Time:utc", "The same moment in UTC.", &[], TIME, |call| seen(call, 0, "UTC")),
    of("Time:in_local", "The same moment in UTC: a server has no place.", &[], TIME, |call| seen(call, 0, "UTC")),
    of("Time:in_location", "The same moment there.", &[param("location", Kind::Table, "Location", "")], TIME, |call| {
        let (offset, zone) = place(call)?;
        seen(call, offset, &zone)
    }),
    of("Time:location", "Where it is looked at from.", &[], &[returns("Location", "")], |call| {
        let moment = this(call)?;
        location(call, moment.offset, &moment.zone)
    }),
    of("Time:round", "The nearest multiple of a span since year 1.", SPAN, TIME, |call| {
        let (moment, span) = (this(call)?, span(call)?);
        let over = since_year_1(&moment, span).ok_or_else(|| call.blame("the span must be above 0"))?;
        moved(call, &moment, if over < span - over { -over } else { span - over })
    }),
    of("Time:truncate", "The multiple of a span since year 1 that is not after it.", SPAN, TIME, |call| {
        let (moment, span) = (this(call)?, span(call)?);
        let over = since_year_1(&moment, span).ok_or_else(|| call.blame("the span must be above 0"))?;
        moved(call, &moment, -over)
    }),
    of("Location:string", "Its name.", &[], TEXT, |call| Ok(call.string(&call.own::<String>("_zone")?)?)),
    of("Duration:hours", "", &[], NUMBER, |call| Ok(Value::Number(call.own::<i64>("_ns")? as f64 / 3.6e12))),
    of("Duration:minutes", "", &[], NUMBER, |call| Ok(Value::Number(call.own::<i64>("_ns")? as f64 / 6e10))),
    of("Duration:seconds", "", &[], NUMBER, |call| Ok(Value::Number(call.own::<i64>("_ns")? as f64 / 1e9))),
    of("Duration:milliseconds", "Whole ones.", &[], INTEGER, |call| {
        Ok(Value::Integer(call.own::<i64>("_ns")? / 1_000_000))
    }),
    of("Duration:microseconds", "Whole ones.", &[], INTEGER, |call| {
        Ok(Value::Integer(call.own::<i64>("_ns")? / 1_000))
    }),
    of("Duration:nanoseconds", "", &[], INTEGER, |call| Ok(Value::Integer(call.own("_ns")?))),
    of("Duration:string", "As text, in seconds.", &[], TEXT, |call| {
        Ok(call.string(&format!("{}s", call.own::<i64>("_ns")? as f64 / 1e9))?)
    }),
];

const RFC3339: &str = "2006-01-02T15:04:05Z07:00";
const LAYOUTS: [(&str, &str); 15] = [
    ("RFC3339", RFC3339),
    ("RFC3339NANO", "2006-01-02T15:04:05.999999999Z07:00"),
    ("RFC822", "02 Jan 06 15:04 MST"),
    ("RFC822Z", "02 Jan 06 15:04 -0700"),
    ("RFC850", "Monday, 02-Jan-06 15:04:05 MST"),
    ("RFC1123", "Mon, 02 Jan 2006 15:04:05 MST"),
    ("RFC1123Z", "Mon, 02 Jan 2006 15:04:05 -0700"),
    ("DATE_TIME", "2006-01-02 15:04:05"),
    ("DATE_ONLY", "2006-01-02"),
    ("TIME_ONLY", "15:04:05"),
    ("KITCHEN", "3:04PM"),
    ("STAMP", "Jan _2 15:04:05"),
    ("STAMP_MILLI", "Jan _2 15:04:05.000"),
    ("STAMP_MICRO", "Jan _2 15:04:05.000000"),
    ("STAMP_NANO", "Jan _2 15:04:05.000000000"),
];
const UNITS: [(&str, i64); 6] = [
    ("NANOSECOND", 1),
    ("MICROSECOND", 1_000),
    ("MILLISECOND", 1_000_000),
    ("SECOND", 1_000_000_000),
    ("MINUTE", 60_000_000_000),
    ("HOUR", 3_600_000_000_000),
];
const MONTHS: [&str; 12] = [
    "JANUARY",
    "FEBRUARY",
    "MARCH",
    "APRIL",
    "MAY",
    "JUNE",
    "JULY",
    "AUGUST",
    "SEPTEMBER",
    "OCTOBER",
    "NOVEMBER",
    "DECEMBER",
];
const DAYS: [&str; 7] = ["SUNDAY", "MONDAY", "TUESDAY", "WEDNESDAY", "THURSDAY", "FRIDAY", "SATURDAY"];

pub(super) fn constants(lua: &Lua, module: &Table) -> mlua::Result<()> {
    LAYOUTS.iter().try_for_each(|(name, layout)| module.raw_set(*name, *layout))?;
    UNITS.iter().try_for_each(|(name, unit)| module.raw_set(*name, *unit))?;
    MONTHS.iter().zip(1..).try_for_each(|(name, month)| module.raw_set(*name, month))?;
    DAYS.iter().zip(0..).try_for_each(|(name, day)| module.raw_set(*name, day))?;
    let utc = lua.create_table_from([("_zone", "UTC")])?;
    utc.raw_set("_offset", 0)?;
    let metatable: Table = lua.named_registry_value(&format!("{}Location", super::fault::CLASS))?;
    utc.set_metatable(Some(metatable))?;
    module.raw_set("utc", &utc)?;
    module.raw_set("localtz", utc)
}

fn out_of_range(call: &Call) -> Fault {
    call.blame("the time is out of range").into()
}

fn nanoseconds(moment: &Moment) -> i128 {
    i128::from(moment.seconds) * 1_000_000_000 + i128::from(moment.nanoseconds)
}

fn of_nanoseconds(at: i128, offset: i32, zone: &str) -> Option<Moment> {
    let seconds = i64::try_from(at.div_euclid(1_000_000_000)).ok()?;
    let nanoseconds = u32::try_from(at.rem_euclid(1_000_000_000)).ok()?;
    let moment = Moment { seconds, nanoseconds, offset, zone: zone.to_owned() };
    moment.local().map(|_| moment)
}

fn made(call: &Call, moment: &Moment) -> Result<Value, Fault> {
    let object: Table = call.object("Time")?;
    object.raw_set("_sec", moment.seconds)?;
    object.raw_set("_nsec", moment.nanoseconds)?;
    object.raw_set("_offset", moment.offset)?;
    object.raw_set("_zone", moment.zone.as_str())?;
    Ok(Value::Table(object))
}

fn read(object: &Table) -> Result<Moment, Fault> {
    let (seconds, nanoseconds) = (object.raw_get("_sec")?, object.raw_get("_nsec")?);
    Ok(Moment { seconds, nanoseconds, offset: object.raw_get("_offset")?, zone: object.raw_get("_zone")? })
}

fn this(call: &Call) -> Result<Moment, Fault> {
    call.this.as_ref().map_or_else(|| Err(call.blame("there is no time").into()), read)
}

fn other(call: &mut Call) -> Result<Moment, Fault> {
    let table = call.table().ok_or_else(|| call.blame("there is no other time"))?;
    read(&table).map_err(|_| call.blame("the argument is no time").into())
}

fn local(call: &Call) -> Result<DateTime<Utc>, Fault> {
    this(call)?.local().ok_or_else(|| out_of_range(call))
}

fn compare(call: &mut Call, holds: fn(i128, i128) -> bool) -> Result<Value, Fault> {
    let (one, other) = (this(call)?, other(call)?);
    Ok(Value::Boolean(holds(nanoseconds(&one), nanoseconds(&other))))
}

fn shown(call: &Call, moment: &Moment, layout: &str) -> Result<Value, Fault> {
    Ok(call.string(&moment.format(layout).ok_or_else(|| out_of_range(call))?)?)
}

fn seen(call: &Call, offset: i32, zone: &str) -> Result<Value, Fault> {
    made(call, &Moment { offset, zone: zone.to_owned(), ..this(call)? })
}

fn moved(call: &Call, moment: &Moment, span: i64) -> Result<Value, Fault> {
    let moved = of_nanoseconds(nanoseconds(moment) + i128::from(span), moment.offset, &moment.zone);
    made(call, &moved.ok_or_else(|| out_of_range(call))?)
}

/// Nanoseconds from the first moment of year 1, beyond the last multiple of a span.
fn since_year_1(moment: &Moment, span: i64) -> Option<i64> {
    let since = nanoseconds(moment) + 62_135_596_800 * 1_000_000_000;
    i64::try_from((span > 0).then(|| since.rem_euclid(span.into()))?).ok()
}

fn location(call: &Call, offset: i32, zone: &str) -> Result<Value, Fault> {
    let object: Table = call.object("Location")?;
    object.raw_set("_offset", offset)?;
    object.raw_set("_zone", zone)?;
    Ok(Value::Table(object))
}

/// The location that comes next among the arguments, or UTC.
fn place(call: &mut Call) -> Result<(i32, String), Fault> {
    let Some(place) = call.table() else { return Ok((0, "UTC".to_owned())) };
    let found = (place.raw_get("_offset"), place.raw_get("_zone"));
    match found {
        (Ok(offset), Ok(zone)) => Ok((offset, zone)),
        _ => Err(call.blame("the argument is no location").into()),
    }
}

fn date(call: &mut Call) -> Result<Value, Fault> {
    let mut field = || whole(&call.value()).unwrap_or(0);
    let (year, month, day) = (field(), field(), field());
    let (hour, minute, second, nanosecond) = (field(), field(), field(), field());
    let (offset, zone) = place(call)?;
    let days =
        of_date(year, month, day).and_then(|date| date.and_hms_opt(0, 0, 0)).map(|date| date.and_utc().timestamp());
    let clock = i128::from(hour) * 3600 + i128::from(minute) * 60 + i128::from(second);
    let at = days.map(|days| (i128::from(days) + clock - i128::from(offset)) * 1_000_000_000 + i128::from(nanosecond));
    let moment = at.and_then(|at| of_nanoseconds(at, offset, &zone));
    made(call, &moment.ok_or_else(|| out_of_range(call))?)
}

/// A date, where months and days count on.
fn of_date(year: i64, month: i64, day: i64) -> Option<NaiveDate> {
    let months = year.checked_mul(12)?.checked_add(month.checked_sub(1)?)?;
    let first = NaiveDate::from_ymd_opt(i32::try_from(months.div_euclid(12)).ok()?, 1, 1)?;
    let first = first.checked_add_months(Months::new(u32::try_from(months.rem_euclid(12)).ok()?))?;
    let days = day.checked_sub(1)?;
    let more = Days::new(days.unsigned_abs());
    if days < 0 { first.checked_sub_days(more) } else { first.checked_add_days(more) }
}

fn add_date(call: &mut Call) -> Result<Value, Fault> {
    let (moment, at) = (this(call)?, local(call)?);
    let mut field = || whole(&call.value()).unwrap_or(0);
    let (years, months, days) = (field(), field(), field());
    let sum = |one: u32, more: i64| i64::from(one).checked_add(more);
    let date = i64::from(at.year()).checked_add(years).zip(sum(at.month(), months)).zip(sum(at.day(), days));
    let date = date.and_then(|((year, month), day)| of_date(year, month, day));
    let there = date.and_then(|date| {
        date.and_time(at.time()).and_utc().checked_sub_signed(TimeDelta::seconds(moment.offset.into()))
    });
    let there = there.map(|there| Moment { seconds: there.timestamp(), ..moment });
    made(call, &there.ok_or_else(|| out_of_range(call))?)
}

fn spanning(call: &Call, nanoseconds: i64) -> Result<Value, Fault> {
    let object: Table = call.object("Duration")?;
    object.raw_set("_ns", nanoseconds)?;
    Ok(Value::Table(object))
}

/// The span that comes next among the arguments, in nanoseconds.
fn span(call: &mut Call) -> Result<i64, Fault> {
    let span = match call.value() {
        Value::Table(object) => object.raw_get("_ns").ok(),
        Value::String(text) => duration(&text.to_string_lossy()),
        number => whole(&number).or_else(|| float(&number).filter(|span| span.abs() < 9e18).map(|span| span as i64)),
    };
    span.ok_or_else(|| {
        Fault::from(call.blame("a duration is such as \"1h30m\", \"500ms\", or a number of nanoseconds"))
    })
}

/// A text such as `-1h30.5m`, in nanoseconds.
pub(super) fn duration(text: &str) -> Option<i64> {
    let (sign, mut left) = match text.strip_prefix('-') {
        Some(left) => (-1.0, left),
        None => (1.0, text.strip_prefix('+').unwrap_or(text)),
    };
    if left == "0" {
        return Some(0);
    }
    let mut sum = 0.0;
    while !left.is_empty() || sum == 0.0 {
        let length = left.find(|c: char| !c.is_ascii_digit() && c != '.')?;
        let (number, rest) = left.split_at_checked(length)?;
        let units = [("ns", 1.0), ("us", 1e3), ("µs", 1e3), ("ms", 1e6), ("s", 1e9), ("m", 6e10), ("h", 3.6e12)];
        let (unit, rest) = units.iter().find_map(|(name, unit)| rest.strip_prefix(name).map(|rest| (unit, rest)))?;
        sum += number.parse::<f64>().ok()? * unit;
        left = rest;
        if left.is_empty() {
            break;
        }
    }
    let sum: f64 = sign * sum;
    (sum.abs() < 9e18).then_some(sum.round() as i64)
}
