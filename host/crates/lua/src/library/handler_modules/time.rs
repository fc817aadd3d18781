//! `time`: points in time, durations, and zones with a fixed offset from UTC. The clock is the server's.

use chrono::{Datelike as _, Timelike as _};
use mlua::{Lua, Table, Value};
use serde_json::json;

use super::time_format::ZonedTime;
use super::time_values::{
    MAX_OFFSET_SECONDS, add_date, add_nanoseconds, compare_times, convert_to_location, create_duration,
    create_location, create_time, date, format_time, local_time, nanoseconds_past_multiple, next_duration,
    next_location, next_time, out_of_range_error, this_time, time_from_nanoseconds, unix_nanoseconds,
};
use super::{ModuleError, module_function, multi_value_function};
use crate::library::function::{
    FunctionParam, FunctionReturn, LibraryFunction, ParamKind, as_float, as_integer, optional_param, param, returns,
};

const TIME: &[FunctionReturn] = &[returns("Time", "")];
const DURATION: &[FunctionReturn] = &[returns("Duration", "")];
const INTEGER: &[FunctionReturn] = &[returns("integer", "")];
const NUMBER: &[FunctionReturn] = &[returns("number", "")];
const TEXT: &[FunctionReturn] = &[returns("string", "")];
const BOOLEAN: &[FunctionReturn] = &[returns("boolean", "")];
const DURATION_PARAM: &[FunctionParam] =
    &[param("duration", ParamKind::Any, "Duration|number|string", "nanoseconds, or such as \"1h30m\"")];
const OTHER_TIME: &[FunctionParam] = &[param("other", ParamKind::Table, "Time", "")];
const LOCATION_PARAM: FunctionParam = optional_param("location", ParamKind::Table, "Location", "(default UTC)");

pub(super) const FUNCTIONS: &[LibraryFunction] = &[
    module_function("time.now", "The current time.", &[], TIME, |call| {
        let now = call
            .try_request("time", json!({}))?
            .as_f64()
            .ok_or_else(|| call.format_error("the server's answer is not a time"))?;
        let seconds = now.floor();
        create_time(
            call,
            &ZonedTime {
                seconds: seconds as i64,
                nanoseconds: ((now - seconds) * 1e9) as u32,
                offset: 0,
                zone: "UTC".to_owned(),
            },
        )
    }),
    module_function(
        "time.unix",
        "The time that is this number of seconds after 1970-01-01 UTC.",
        &[param("sec", ParamKind::Number, "number", ""), optional_param("nsec", ParamKind::Integer, "integer", "")],
        TIME,
        |call| {
            let (seconds, more) = (call.next_value(), as_integer(&call.next_value()).unwrap_or(0));
            let whole = as_integer(&seconds).map(|seconds| i128::from(seconds) * 1_000_000_000);
            let nanoseconds = whole.or_else(|| {
                let seconds = as_float(&seconds).filter(|seconds| seconds.abs() < 1e15)?;
                let fraction = ((seconds - seconds.floor()) * 1e9).round();
                Some(i128::from(seconds.floor() as i64) * 1_000_000_000 + i128::from(fraction as i64))
            });
            let nanoseconds = nanoseconds.map(|at| at + i128::from(more));
            let moment = nanoseconds.and_then(|at| time_from_nanoseconds(at, 0, "UTC"));
            create_time(call, &moment.ok_or_else(|| out_of_range_error(call))?)
        },
    ),
    module_function(
        "time.date",
        "A date and a time of day. A value out of its range carries over.",
        &[
            param("year", ParamKind::Integer, "integer", ""),
            param("month", ParamKind::Integer, "integer", ""),
            param("day", ParamKind::Integer, "integer", ""),
            optional_param("hour", ParamKind::Integer, "integer", ""),
            optional_param("minute", ParamKind::Integer, "integer", ""),
            optional_param("second", ParamKind::Integer, "integer", ""),
            optional_param("nanosecond", ParamKind::Integer, "integer", ""),
            LOCATION_PARAM,
        ],
        TIME,
        date,
    ),
    module_function(
        "time.parse",
        "Parses a text by a layout, which shows the time 2006-01-02 15:04:05 -0700.",
        &[
            param("layout", ParamKind::String, "string", ""),
            param("text", ParamKind::String, "string", ""),
            LOCATION_PARAM,
        ],
        TIME,
        |call| {
            let (layout, text) = (call.next_text()?, call.next_text()?);
            let (offset, zone) = next_location(call)?;
            let moment =
                ZonedTime::parse(&layout, &text, offset, &zone).map_err(|message| call.format_error(&message))?;
            create_time(call, &moment)
        },
    ),
    module_function(
        "time.parse_duration",
        "A span, such as \"1h30m\", \"500ms\" or nanoseconds.",
        DURATION_PARAM,
        DURATION,
        |call| {
            let span = next_duration(call)?;
            create_duration(call, span)
        },
    ),
    module_function(
        "time.fixed_zone",
        "A zone with a fixed offset from UTC.",
        &[
            param("name", ParamKind::String, "string", ""),
            param("offset", ParamKind::Integer, "integer", "seconds east of UTC"),
        ],
        &[returns("Location", "")],
        |call| {
            let (name, offset) = (call.next_text()?, as_integer(&call.next_value()).unwrap_or(0));
            let offset = i32::try_from(offset).ok().filter(|offset| offset.unsigned_abs() < MAX_OFFSET_SECONDS);
            create_location(call, offset.ok_or_else(|| call.format_error("offset must be less than a day"))?, &name)
        },
    ),
    module_function(
        "time.load_location",
        "A zone by its name. There are \"UTC\" and \"Local\", which is the same here.",
        &[param("name", ParamKind::String, "string", "")],
        &[returns("Location", "")],
        |call| match call.next_text()?.as_str() {
            "UTC" | "Local" => create_location(call, 0, "UTC"),
            "" => Err(call.format_error("a zone must have a name").into()),
            name => Err(ModuleError::not_found(format!(
                "time.load_location: the zone '{name}' is unknown, since there is no table of zones: use time.fixed_zone(name, offset)"
            ))),
        },
    ),
    module_function(
        "time.sleep",
        "Waits. The time counts towards the call's deadline.",
        DURATION_PARAM,
        &[returns("true", "")],
        |call| {
            let seconds = next_duration(call)? as f64 / 1e9;
            call.try_request("sleep", json!({"seconds": seconds.max(0.0)}))?;
            Ok(Value::Boolean(true))
        },
    ),
    module_function("Time:add", "Adds a span.", DURATION_PARAM, TIME, |call| {
        let (moment, span) = (this_time(call)?, next_duration(call)?);
        add_nanoseconds(call, &moment, span)
    }),
    module_function("Time:sub", "The span since another time.", OTHER_TIME, DURATION, |call| {
        let difference = unix_nanoseconds(&this_time(call)?) - unix_nanoseconds(&next_time(call)?);
        create_duration(call, i64::try_from(difference).map_err(|_| out_of_range_error(call))?)
    }),
    module_function(
        "Time:add_date",
        "Adds years, months and days. A day that the month lacks carries over.",
        &[
            param("years", ParamKind::Integer, "integer", ""),
            param("months", ParamKind::Integer, "integer", ""),
            param("days", ParamKind::Integer, "integer", ""),
        ],
        TIME,
        add_date,
    ),
    module_function("Time:before", "Whether it is before another one.", OTHER_TIME, BOOLEAN, |call| {
        compare_times(call, |a, b| a < b)
    }),
    module_function("Time:after", "Whether it is after another one.", OTHER_TIME, BOOLEAN, |call| {
        compare_times(call, |a, b| a > b)
    }),
    module_function("Time:equal", "Whether it is the same moment.", OTHER_TIME, BOOLEAN, |call| {
        compare_times(call, |a, b| a == b)
    }),
    module_function("Time:format", "As text.", &[param("layout", ParamKind::String, "string", "")], TEXT, |call| {
        let (moment, layout) = (this_time(call)?, call.next_text()?);
        format_time(call, &moment, &layout)
    }),
    module_function("Time:format_rfc3339", "As text, such as 2024-12-29T15:04:05Z.", &[], TEXT, |call| {
        format_time(call, &this_time(call)?, RFC3339)
    }),
    module_function("Time:unix", "Seconds since 1970-01-01 UTC.", &[], INTEGER, |call| {
        Ok(Value::Integer(this_time(call)?.seconds))
    }),
    module_function("Time:unix_nano", "Nanoseconds since then.", &[], INTEGER, |call| {
        let all = i64::try_from(unix_nanoseconds(&this_time(call)?));
        Ok(Value::Integer(all.map_err(|_| out_of_range_error(call))?))
    }),
    multi_value_function(
        "Time:date",
        "Year, month and day.",
        &[],
        &[returns("integer", "year"), returns("integer", "month"), returns("integer", "day")],
        |call| {
            let at = local_time(call)?;
            Ok(vec![
                Value::Integer(at.year().into()),
                Value::Integer(at.month().into()),
                Value::Integer(at.day().into()),
            ])
        },
    ),
    multi_value_function(
        "Time:clock",
        "Hour, minute and second.",
        &[],
        &[returns("integer", "hour"), returns("integer", "minute"), returns("integer", "second")],
        |call| {
            let at = local_time(call)?;
            Ok(vec![
                Value::Integer(at.hour().into()),
                Value::Integer(at.minute().into()),
                Value::Integer(at.second().into()),
            ])
        },
    ),
    module_function("Time:year", "", &[], INTEGER, |call| Ok(Value::Integer(local_time(call)?.year().into()))),
    module_function("Time:month", "1 to 12.", &[], INTEGER, |call| {
        Ok(Value::Integer(local_time(call)?.month().into()))
    }),
    module_function("Time:day", "", &[], INTEGER, |call| Ok(Value::Integer(local_time(call)?.day().into()))),
    module_function("Time:hour", "", &[], INTEGER, |call| Ok(Value::Integer(local_time(call)?.hour().into()))),
    module_function("Time:minute", "", &[], INTEGER, |call| Ok(Value::Integer(local_time(call)?.minute().into()))),
    module_function("Time:second", "", &[], INTEGER, |call| Ok(Value::Integer(local_time(call)?.second().into()))),
    module_function("Time:nanosecond", "", &[], INTEGER, |call| {
        Ok(Value::Integer(local_time(call)?.nanosecond().into()))
    }),
    module_function("Time:weekday", "0 is Sunday.", &[], INTEGER, |call| {
        Ok(Value::Integer(local_time(call)?.weekday().num_days_from_sunday().into()))
    }),
    module_function("Time:year_day", "From 1 on.", &[], INTEGER, |call| {
        Ok(Value::Integer(local_time(call)?.ordinal().into()))
    }),
    module_function("Time:is_zero", "Whether it is the first moment of year 1.", &[], BOOLEAN, |call| {
        let moment = this_time(call)?;
        Ok(Value::Boolean(moment.seconds == -62_135_596_800 && moment.nanoseconds == 0))
    }),
    module_function("Time:utc", "The same moment in UTC.", &[], TIME, |call| convert_to_location(call, 0, "UTC")),
    module_function("Time:in_local", "The same moment in UTC: a server has no local zone.", &[], TIME, |call| {
        convert_to_location(call, 0, "UTC")
    }),
    module_function(
        "Time:in_location",
        "The same moment in a zone.",
        &[param("location", ParamKind::Table, "Location", "")],
        TIME,
        |call| {
            let (offset, zone) = next_location(call)?;
            convert_to_location(call, offset, &zone)
        },
    ),
    module_function("Time:location", "Its zone.", &[], &[returns("Location", "")], |call| {
        let moment = this_time(call)?;
        create_location(call, moment.offset, &moment.zone)
    }),
    module_function("Time:round", "The nearest multiple of a span since year 1.", DURATION_PARAM, TIME, |call| {
        let (moment, span) = (this_time(call)?, next_duration(call)?);
        let over =
            nanoseconds_past_multiple(&moment, span).ok_or_else(|| call.format_error("the span must be above 0"))?;
        add_nanoseconds(call, &moment, if over < span - over { -over } else { span - over })
    }),
    module_function(
        "Time:truncate",
        "The multiple of a span since year 1 that is not after it.",
        DURATION_PARAM,
        TIME,
        |call| {
            let (moment, span) = (this_time(call)?, next_duration(call)?);
            let over = nanoseconds_past_multiple(&moment, span)
                .ok_or_else(|| call.format_error("the span must be above 0"))?;
            add_nanoseconds(call, &moment, -over)
        },
    ),
    module_function("Location:string", "Its name.", &[], TEXT, |call| {
        Ok(call.create_string(&call.object_field::<String>("_zone")?)?)
    }),
    module_function("Duration:hours", "", &[], NUMBER, |call| {
        Ok(Value::Number(call.object_field::<i64>("_ns")? as f64 / 3.6e12))
    }),
    module_function("Duration:minutes", "", &[], NUMBER, |call| {
        Ok(Value::Number(call.object_field::<i64>("_ns")? as f64 / 6e10))
    }),
    module_function("Duration:seconds", "", &[], NUMBER, |call| {
        Ok(Value::Number(call.object_field::<i64>("_ns")? as f64 / 1e9))
    }),
    module_function("Duration:milliseconds", "Whole ones.", &[], INTEGER, |call| {
        Ok(Value::Integer(call.object_field::<i64>("_ns")? / 1_000_000))
    }),
    module_function("Duration:microseconds", "Whole ones.", &[], INTEGER, |call| {
        Ok(Value::Integer(call.object_field::<i64>("_ns")? / 1_000))
    }),
    module_function("Duration:nanoseconds", "", &[], INTEGER, |call| Ok(Value::Integer(call.object_field("_ns")?))),
    module_function("Duration:string", "As text, in seconds.", &[], TEXT, |call| {
        Ok(call.create_string(&format!("{}s", call.object_field::<i64>("_ns")? as f64 / 1e9))?)
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
const DURATION_UNITS: [(&str, i64); 6] = [
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

pub(super) fn add_constants(lua: &Lua, module: &Table) -> mlua::Result<()> {
    LAYOUTS.iter().try_for_each(|(name, layout)| module.raw_set(*name, *layout))?;
    DURATION_UNITS.iter().try_for_each(|(name, unit)| module.raw_set(*name, *unit))?;
    MONTHS.iter().zip(1..).try_for_each(|(name, month)| module.raw_set(*name, month))?;
    DAYS.iter().zip(0..).try_for_each(|(name, day)| module.raw_set(*name, day))?;
    let utc = lua.create_table_from([("_zone", "UTC")])?;
    utc.raw_set("_offset", 0)?;
    let metatable: Table =
        lua.named_registry_value(&format!("{}Location", crate::library::module_error::CLASS_KEY_PREFIX))?;
    utc.set_metatable(Some(metatable))?;
    module.raw_set("utc", &utc)?;
    module.raw_set("localtz", utc)
}

pub(super) fn constant_stubs() -> Vec<String> {
    let texts = |values: &[(&str, &str)]| {
        values.iter().map(|(name, text)| format!("time.{name} = {text:?}")).collect::<Vec<_>>().join("\n")
    };
    let numbers = |values: &mut dyn Iterator<Item = (&str, i64)>| {
        values.map(|(name, number)| format!("time.{name} = {number}")).collect::<Vec<_>>().join("\n")
    };
    vec![
        format!("-- Layouts.\n{}", texts(&LAYOUTS)),
        format!("-- Durations, in nanoseconds.\n{}", numbers(&mut DURATION_UNITS.iter().copied())),
        format!("-- Months.\n{}", numbers(&mut MONTHS.into_iter().zip(1..))),
        format!("-- Days of the week.\n{}", numbers(&mut DAYS.into_iter().zip(0..))),
        "--- The zone of all times here.\n---@type Location\ntime.utc = {}\n---@type Location\ntime.localtz = {}"
            .to_owned(),
    ]
}
