//! `uuid`. What is random in one comes from the server.

use mlua::Value;
use serde_json::json;
use uuid::{Builder, Uuid, Variant};

use super::base64::decoded;
use super::{Fault, of};
use crate::library::function::{Call, Function, Kind, Param, Return, optional, param, returns};

const ID: Param = param("uuid", Kind::String, "string", "");
const NAMED: &[Param] =
    &[param("namespace", Kind::String, "string", "a UUID"), param("name", Kind::String, "string", "")];
const TEXT: &[Return] = &[returns("string", "")];
/// Tenths of microseconds between 1582-10-15, where version 1 begins to count, and 1970-01-01.
const GREGORIAN: u64 = 0x01b2_1dd2_1381_4000;

pub(super) const FUNCTIONS: &[Function] = &[
    of("uuid.v1", "One of the time and a random node.", &[], TEXT, v1),
    of("uuid.v3", "One of a name, by MD5: the same each time.", NAMED, TEXT, |call| {
        named::<md5::Md5>(call, Builder::from_md5_bytes)
    }),
    of("uuid.v4", "A random one.", &[], TEXT, |call| {
        shown(call, Builder::from_random_bytes(random(call)?).into_uuid())
    }),
    of("uuid.v5", "One of a name, by SHA-1: the same each time.", NAMED, TEXT, |call| {
        named::<sha1::Sha1>(call, Builder::from_sha1_bytes)
    }),
    of("uuid.v7", "A random one that begins with the time, so that later ones are greater.", &[], TEXT, v7),
    of(
        "uuid.validate",
        "Whether a value is a UUID.",
        &[optional("value", Kind::Any, "any", "")],
        &[returns("boolean", "")],
        |call| {
            let is_one = |text: &mlua::String| text.to_str().is_ok_and(|text| Uuid::parse_str(&text).is_ok());
            Ok(Value::Boolean(call.value().as_string().is_some_and(is_one)))
        },
    ),
    of("uuid.version", "Its version.", &[ID], &[returns("integer", "")], |call| {
        Ok(Value::Integer(id(call)?.get_version_num().try_into().unwrap_or(0)))
    }),
    of("uuid.variant", "Its variant.", &[ID], &[returns("\"RFC4122\"|\"NCS\"|\"Microsoft\"|\"Future\"", "")], |call| {
        let id = id(call)?;
        Ok(call.string(variant(id))?)
    }),
    of(
        "uuid.parse",
        "What it is made of.",
        &[ID],
        &[returns("{ version: integer, variant: string, timestamp?: integer, node?: string }", "")],
        parse,
    ),
    of(
        "uuid.format",
        "Written in another way.",
        &[ID, optional("format", Kind::String, "\"standard\"|\"simple\"|\"urn\"", "(default \"standard\")")],
        TEXT,
        format,
    ),
];

fn shown(call: &Call, id: Uuid) -> Result<Value, Fault> {
    Ok(call.string(&id.to_string())?)
}

fn random<const N: usize>(call: &Call) -> Result<[u8; N], Fault> {
    let answer = call.request("random", json!({"bytes": N}))?;
    let bytes = decoded(answer.as_str().unwrap_or_default().as_bytes()).map_err(|message| call.blame(&message))?;
    bytes.try_into().map_err(|_| Fault::from(call.blame("the server's answer has another length")))
}

fn seconds(call: &Call) -> Result<f64, Fault> {
    let now = call.request("time", json!({}))?.as_f64().filter(|now| *now >= 0.0);
    now.ok_or_else(|| Fault::from(call.blame("the server's answer is no time")))
}

fn v1(call: &mut Call) -> Result<Value, Fault> {
    let ticks = GREGORIAN + (seconds(call)? * 1e7) as u64;
    let [high, low, node @ ..]: [u8; 8] = random(call)?;
    let [first, rest @ ..]: [u8; 6] = node;
    // The lowest bit of the first byte says that it is no address of a card.
    let [a, b, c, d, e] = rest;
    let node = [first | 1, a, b, c, d, e];
    shown(call, Builder::from_gregorian_timestamp(ticks, u16::from_be_bytes([high, low]), &node).into_uuid())
}

fn v7(call: &mut Call) -> Result<Value, Fault> {
    let milliseconds = (seconds(call)? * 1000.0) as u64;
    shown(call, Builder::from_unix_timestamp_millis(milliseconds, &random(call)?).into_uuid())
}

fn named<D: sha2::Digest>(call: &mut Call, make: fn([u8; 16]) -> Builder) -> Result<Value, Fault> {
    let namespace = id(call)?;
    let digest = D::new().chain_update(namespace.as_bytes()).chain_update(call.bytes()).finalize();
    let bytes = digest.first_chunk::<16>().copied().unwrap_or_default();
    shown(call, make(bytes).into_uuid())
}

fn id(call: &mut Call) -> Result<Uuid, Fault> {
    let text = call.text()?;
    Ok(Uuid::parse_str(&text).map_err(|error| call.blame(&format!("not a UUID: {error}")))?)
}

fn variant(id: Uuid) -> &'static str {
    match id.get_variant() {
        Variant::RFC4122 => "RFC4122",
        Variant::NCS => "NCS",
        Variant::Microsoft => "Microsoft",
        _ => "Future",
    }
}

fn parse(call: &mut Call) -> Result<Value, Fault> {
    let id = id(call)?;
    let table = call.lua.create_table()?;
    table.raw_set("version", id.get_version_num())?;
    table.raw_set("variant", variant(id))?;
    if let Some(time) = id.get_timestamp() {
        table.raw_set("timestamp", time.to_unix().0)?;
    }
    if let Some(node) = id.get_node_id() {
        let shown: Vec<String> = node.iter().map(|byte| format!("{byte:02x}")).collect();
        table.raw_set("node", shown.join(":"))?;
    }
    Ok(Value::Table(table))
}

fn format(call: &mut Call) -> Result<Value, Fault> {
    let id = id(call)?;
    let text = match call.text_or_none()?.as_deref() {
        None | Some("standard") => id.to_string(),
        Some("simple") => id.simple().to_string(),
        Some("urn") => id.urn().to_string(),
        Some(_) => return Err(call.blame("format must be \"standard\", \"simple\" or \"urn\"").into()),
    };
    Ok(call.string(&text)?)
}
