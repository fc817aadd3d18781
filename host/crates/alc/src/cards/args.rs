//! The arguments of card operations, for tools and for scripts: the original's names and parameters, typed.
//!
//! Owns: the forms in which clients and scripts send an argument, and how each form is decoded.

use schemars::JsonSchema;
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

use super::parse_package_name;
use super::query::{OrderBy, Predicate};
use crate::error_code as code;
use crate::limits::MAX_CARD_BYTES;
use wardroom_base::memory::MemoryLease;
use wardroom_base::payload::{Payload, PayloadError};
use wardroom_service::limits::MAX_LENIENT_ARGUMENT_BYTES;
use wardroom_service::{RequestMemory, ServiceError};

/// Deserializes a count. A script's `10.0` is accepted as the integer 10.
fn deserialize_count<'de, D: Deserializer<'de>>(input: D) -> Result<Option<u64>, D::Error> {
    let number = Option::<serde_json::Number>::deserialize(input)?;
    let whole = |number: &serde_json::Number| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "checked right before")]
        let of_float = |float: f64| (float >= 0.0 && float.fract() == 0.0 && float < 1e15).then_some(float as u64);
        number.as_u64().or_else(|| of_float(number.as_f64()?))
    };
    match number {
        None => Ok(None),
        Some(number) => whole(&number)
            .map(Some)
            .ok_or_else(|| serde::de::Error::custom(format!("{number} is not a count: use a whole number, 0 or more"))),
    }
}

/// The fields that rows are ordered by.
#[derive(JsonSchema)]
#[serde(untagged)]
#[expect(dead_code, reason = "only describes an argument that is read as any value")]
enum OrderByArg {
    /// Such as `stats.pass_rate`, or `-created_at` for a descending order.
    One(String),
    /// Several fields; the first one has precedence.
    Several(Vec<String>),
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CardListArgs {
    /// Only the cards of this package.
    pub(super) pkg: Option<String>,
    /// Rows to skip.
    #[serde(default, deserialize_with = "deserialize_count")]
    #[schemars(with = "Option<u64>")]
    pub(super) offset: Option<u64>,
    /// The most rows to return: 100 when absent, 10000 at most.
    #[serde(default, deserialize_with = "deserialize_count")]
    #[schemars(with = "Option<u64>")]
    pub(super) limit: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CardGetArgs {
    pub(super) card_id: String,
}

impl From<CardListArgs> for CardFindArgs {
    /// All cards of a package, newest first.
    fn from(CardListArgs { pkg, offset, limit }: CardListArgs) -> Self {
        Self { pkg, condition: Value::Null, order_by: Value::Null, limit, offset }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CardFindArgs {
    /// Only the cards of this package.
    pub(super) pkg: Option<String>,
    /// Conditions on fields, such as `{"stats.pass_rate": {"gte": 0.8}}`. Operators: eq ne lt lte gt gte in nin
    /// exists contains starts_with; `_and`, `_or` and `_not` combine conditions. A string that holds a JSON object
    /// works too.
    #[serde(default, rename = "where")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub(super) condition: Value,
    /// The field to order by, or several; `-` before a field for descending order. Newest first when absent.
    #[serde(default)]
    #[schemars(with = "Option<OrderByArg>")]
    pub(super) order_by: Value,
    /// The most rows to return: 100 when absent, 10000 at most.
    #[serde(default, deserialize_with = "deserialize_count")]
    #[schemars(with = "Option<u64>")]
    pub(super) limit: Option<u64>,
    /// Rows to skip.
    #[serde(default, deserialize_with = "deserialize_count")]
    #[schemars(with = "Option<u64>")]
    pub(super) offset: Option<u64>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CardGetByAliasArgs {
    pub(super) name: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AliasListArgs {
    /// Only the aliases that were set for this package.
    pub(super) pkg: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct AliasSetArgs {
    pub(super) name: String,
    pub(super) card_id: String,
    /// The package that the alias is for.
    pub(super) pkg: Option<String>,
    pub(super) note: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CardAppendArgs {
    pub(super) card_id: String,
    /// New top-level keys with their values; a key that the card has is refused.
    #[schemars(with = "Map<String, Value>")]
    pub(super) fields: Value,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CardSamplesArgs {
    pub(super) card_id: String,
    /// Matching rows to skip.
    #[serde(default, deserialize_with = "deserialize_count")]
    #[schemars(with = "Option<u64>")]
    pub(super) offset: Option<u64>,
    /// The most rows to return: 100 when absent, 10000 at most.
    #[serde(default, deserialize_with = "deserialize_count")]
    #[schemars(with = "Option<u64>")]
    pub(super) limit: Option<u64>,
    /// Conditions on fields of the rows, as for `alc_card_find`.
    #[serde(default, rename = "where")]
    #[schemars(with = "Option<Map<String, Value>>")]
    pub(super) condition: Value,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct LineageArgs {
    pub(super) card_id: String,
    /// `up` (ancestors, when absent), `down` (descendants), or `both`.
    pub(super) direction: Option<String>,
    /// The most steps from the card: 10 when absent.
    #[serde(default, deserialize_with = "deserialize_count")]
    #[schemars(with = "Option<u64>")]
    pub(super) depth: Option<u64>,
    /// Whether to return the `stats` of each card: true when absent.
    pub(super) include_stats: Option<bool>,
    /// Only steps of these kinds (`metadata.prior_relation`).
    #[serde(default, deserialize_with = "deserialize_names")]
    #[schemars(with = "Option<Vec<String>>")]
    pub(super) relation_filter: Option<Vec<String>>,
}

/// Deserializes a list of names. An empty Lua table arrives as an object and counts as absent.
fn deserialize_names<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Vec<String>>, D::Error> {
    match Value::deserialize(input)? {
        Value::Null => Ok(None),
        Value::Object(fields) if fields.is_empty() => Ok(None),
        names => serde_json::from_value(names).map(Some).map_err(serde::de::Error::custom),
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct SinkBackfillArgs {
    /// A sink, as `ALC_CARD_SINKS` names it.
    pub(super) sink: String,
    /// Whether to only list the cards that would be copied.
    pub(super) dry_run: Option<bool>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct CardInstallArgs {
    /// The absolute path of a folder with `alc_cards.toml`, in the AppDir, the project or a mount. Or the https address of a
    /// git repository with that file.
    pub(super) url: String,
}

/// Decodes an argument that some clients send as a JSON string.
fn decode_json_string(argument: Value, name: &str) -> Result<Value, ServiceError> {
    let Value::String(text) = &argument else { return Ok(argument) };
    let parsed = Payload::parse(text, MAX_LENIENT_ARGUMENT_BYTES).map(Payload::into_value);
    parsed.map_err(|error| string_error(name, &error))
}

/// Decodes the fields of a card, which some clients send as a JSON string. Their value counts as memory of the caller as long
/// as the lease that is returned lives.
pub(super) fn decode_card_fields(
    argument: Value,
    memory: &RequestMemory,
) -> Result<(Value, MemoryLease), ServiceError> {
    let Value::String(text) = &argument else { return Ok((argument, memory.lease(0)?)) };
    let limit = usize::try_from(MAX_CARD_BYTES).unwrap_or(usize::MAX);
    let fields = Payload::parse_text(text, limit).map_err(|error| string_error("fields", &error))?;
    let held = memory.lease(fields.value_bytes())?;
    Ok((fields.into_value(), held))
}

fn string_error(name: &str, error: &PayloadError) -> ServiceError {
    ServiceError::tool(code::INVALID_ARGUMENTS, format!("{name} is a string, but not a JSON object: {error}"))
}

/// Decodes `order_by`. A string is a field, unless it holds an array or a string as JSON.
fn decode_order_by(argument: Value) -> Result<Value, ServiceError> {
    match &argument {
        Value::String(text) if text.trim_start().starts_with(['[', '"']) => decode_json_string(argument, "order_by"),
        // An empty Lua table.
        Value::Object(fields) if fields.is_empty() => Ok(Value::Null),
        _ => Ok(argument),
    }
}

pub(super) fn parse_where(argument: Value) -> Result<Predicate, ServiceError> {
    Predicate::parse(&decode_json_string(argument, "where")?)
        .map_err(|message| ServiceError::tool(code::INVALID_WHERE, message))
}

pub(super) fn parse_order_by(argument: Value) -> Result<OrderBy, ServiceError> {
    OrderBy::parse(&decode_order_by(argument)?).map_err(|message| ServiceError::tool(code::INVALID_ORDER_BY, message))
}

/// Validates the name of a package to filter by, where one is given.
pub(super) fn validate_package_filter(name: Option<&str>) -> Result<Option<&str>, ServiceError> {
    name.map(|name| parse_package_name(name).map(|_| name)).transpose()
}
