//! `uuid`: creates and parses UUIDs. Random bytes and the time come from the server.

use mlua::Value;
use serde_json::json;
use uuid::{Builder, Uuid, Variant};

use super::base64::decode_base64;
use super::{ModuleError, module_function};
use crate::library::function::{
    FunctionCall, FunctionParam, FunctionReturn, LibraryFunction, ParamKind, optional_param, param, returns,
};

const ID: FunctionParam = param("uuid", ParamKind::String, "string", "");
const NAME_PARAMS: &[FunctionParam] =
    &[param("namespace", ParamKind::String, "string", "a UUID"), param("name", ParamKind::String, "string", "")];
const TEXT: &[FunctionReturn] = &[returns("string", "")];
/// Ticks of 100 ns between 1582-10-15, the epoch of version 1, and 1970-01-01.
const GREGORIAN_EPOCH_TICKS: u64 = 0x01b2_1dd2_1381_4000;

pub(super) const FUNCTIONS: &[LibraryFunction] = &[
    module_function("uuid.v1", "One of the time and a random node.", &[], TEXT, v1),
    module_function("uuid.v3", "One of a name, by MD5: the same each time.", NAME_PARAMS, TEXT, |call| {
        create_name_based::<md5::Md5>(call, Builder::from_md5_bytes)
    }),
    module_function("uuid.v4", "A random one.", &[], TEXT, |call| {
        uuid_value(call, Builder::from_random_bytes(random_bytes(call)?).into_uuid())
    }),
    module_function("uuid.v5", "One of a name, by SHA-1: the same each time.", NAME_PARAMS, TEXT, |call| {
        create_name_based::<sha1::Sha1>(call, Builder::from_sha1_bytes)
    }),
    module_function(
        "uuid.v7",
        "A random one that begins with the time, so that one of a later millisecond is greater.",
        &[],
        TEXT,
        v7,
    ),
    module_function(
        "uuid.validate",
        "Whether a value is a UUID.",
        &[optional_param("value", ParamKind::Any, "any", "")],
        &[returns("boolean", "")],
        |call| {
            let is_one = |text: &mlua::String| text.to_str().is_ok_and(|text| Uuid::parse_str(&text).is_ok());
            Ok(Value::Boolean(call.next_value().as_string().is_some_and(is_one)))
        },
    ),
    module_function("uuid.version", "Its version.", &[ID], &[returns("integer", "")], |call| {
        Ok(Value::Integer(next_uuid(call)?.get_version_num().try_into().unwrap_or(0)))
    }),
    module_function(
        "uuid.variant",
        "Its variant.",
        &[ID],
        &[returns("\"RFC4122\"|\"NCS\"|\"Microsoft\"|\"Future\"", "")],
        |call| {
            let id = next_uuid(call)?;
            Ok(call.create_string(variant_name(id))?)
        },
    ),
    module_function(
        "uuid.parse",
        "Its parts.",
        &[ID],
        &[returns("{ version: integer, variant: string, timestamp?: integer, node?: string }", "")],
        parse,
    ),
    module_function(
        "uuid.format",
        "Formats it.",
        &[ID, optional_param("format", ParamKind::String, "\"standard\"|\"simple\"|\"urn\"", "(default \"standard\")")],
        TEXT,
        format,
    ),
];

fn uuid_value(call: &FunctionCall, id: Uuid) -> Result<Value, ModuleError> {
    Ok(call.create_string(&id.to_string())?)
}

fn random_bytes<const N: usize>(call: &FunctionCall) -> Result<[u8; N], ModuleError> {
    let answer = call.try_request("random", json!({"bytes": N}))?;
    let bytes =
        decode_base64(answer.as_str().unwrap_or_default().as_bytes()).map_err(|message| call.format_error(&message))?;
    bytes.try_into().map_err(|_| ModuleError::from(call.format_error("the server's answer has another length")))
}

fn unix_seconds(call: &FunctionCall) -> Result<f64, ModuleError> {
    let now = call.try_request("time", json!({}))?.as_f64().filter(|now| *now >= 0.0);
    now.ok_or_else(|| ModuleError::from(call.format_error("the server's answer is not a time")))
}

fn v1(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let ticks = GREGORIAN_EPOCH_TICKS + (unix_seconds(call)? * 1e7) as u64;
    let [high, low, node @ ..]: [u8; 8] = random_bytes(call)?;
    let [first, rest @ ..]: [u8; 6] = node;
    // The lowest bit of the first byte marks a node id that is no MAC address.
    let [a, b, c, d, e] = rest;
    let node = [first | 1, a, b, c, d, e];
    uuid_value(call, Builder::from_gregorian_timestamp(ticks, u16::from_be_bytes([high, low]), &node).into_uuid())
}

fn v7(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let milliseconds = (unix_seconds(call)? * 1000.0) as u64;
    uuid_value(call, Builder::from_unix_timestamp_millis(milliseconds, &random_bytes(call)?).into_uuid())
}

fn create_name_based<D: sha2::Digest>(
    call: &mut FunctionCall,
    make: fn([u8; 16]) -> Builder,
) -> Result<Value, ModuleError> {
    let namespace = next_uuid(call)?;
    let digest = D::new().chain_update(namespace.as_bytes()).chain_update(call.next_bytes()).finalize();
    let bytes = digest.first_chunk::<16>().copied().unwrap_or_default();
    uuid_value(call, make(bytes).into_uuid())
}

fn next_uuid(call: &mut FunctionCall) -> Result<Uuid, ModuleError> {
    let text = call.next_text()?;
    Ok(Uuid::parse_str(&text).map_err(|error| call.format_error(&format!("not a UUID: {error}")))?)
}

fn variant_name(id: Uuid) -> &'static str {
    match id.get_variant() {
        Variant::RFC4122 => "RFC4122",
        Variant::NCS => "NCS",
        Variant::Microsoft => "Microsoft",
        _ => "Future",
    }
}

fn parse(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let id = next_uuid(call)?;
    let table = call.lua.create_table()?;
    table.raw_set("version", id.get_version_num())?;
    table.raw_set("variant", variant_name(id))?;
    if let Some(time) = id.get_timestamp() {
        table.raw_set("timestamp", time.to_unix().0)?;
    }
    if let Some(node) = id.get_node_id() {
        let shown: Vec<String> = node.iter().map(|byte| format!("{byte:02x}")).collect();
        table.raw_set("node", shown.join(":"))?;
    }
    Ok(Value::Table(table))
}

fn format(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let id = next_uuid(call)?;
    let text = match call.next_optional_text()?.as_deref() {
        None | Some("standard") => id.to_string(),
        Some("simple") => id.simple().to_string(),
        Some("urn") => id.urn().to_string(),
        Some(_) => return Err(call.format_error("format must be \"standard\", \"simple\" or \"urn\"").into()),
    };
    Ok(call.create_string(&text)?)
}
