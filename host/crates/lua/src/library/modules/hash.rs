//! `hash`: digests, codes that only who has the secret can make, and keys from passwords.

use hmac::{Hmac, KeyInit, Mac};
use md5::Md5;
use mlua::Value;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::{Fault, of};
use crate::library::function::{Call, Function, Kind, Param, Return, optional, param, returns};
use wardroom_base::hex::hex;
use wardroom_base::limits::{MAX_KEY_BYTES, MAX_KEY_ROUNDS};

const DATA: Param = param("data", Kind::String, "string", "any bytes");
const SECRET: Param = param("secret", Kind::String, "string", "");
const RAW: Param = optional("raw", Kind::Any, "boolean", "whether it is bytes instead of hexadecimal digits");
const TEXT: &[Return] = &[returns("string", "")];

pub(super) const FUNCTIONS: &[Function] = &[
    of("hash.md5", "MD5. Not for anything that somebody may want to forge.", &[DATA, RAW], TEXT, digest::<Md5>),
    of("hash.sha1", "SHA-1. Not for anything that somebody may want to forge.", &[DATA, RAW], TEXT, digest::<Sha1>),
    of("hash.sha256", "SHA-256.", &[DATA, RAW], TEXT, digest::<Sha256>),
    of("hash.sha512", "SHA-512.", &[DATA, RAW], TEXT, digest::<Sha512>),
    of("hash.hmac_md5", "HMAC with MD5.", &[DATA, SECRET, RAW], TEXT, code::<Hmac<Md5>>),
    of("hash.hmac_sha1", "HMAC with SHA-1.", &[DATA, SECRET, RAW], TEXT, code::<Hmac<Sha1>>),
    of("hash.hmac_sha256", "HMAC with SHA-256.", &[DATA, SECRET, RAW], TEXT, code::<Hmac<Sha256>>),
    of("hash.hmac_sha512", "HMAC with SHA-512.", &[DATA, SECRET, RAW], TEXT, code::<Hmac<Sha512>>),
    of(
        "hash.fnv32",
        "FNV-1, 32 bits: to spread things, not to protect them.",
        &[DATA],
        &[returns("integer", "")],
        |call| {
            let fold = |hash: u32, byte: &u8| hash.wrapping_mul(0x0100_0193) ^ u32::from(*byte);
            Ok(Value::Integer(call.bytes().iter().fold(0x811c_9dc5, fold).into()))
        },
    ),
    of(
        "hash.fnv64",
        "FNV-1, 64 bits; those above 2^63 are negative, as Lua has them.",
        &[DATA],
        &[returns("integer", "")],
        |call| {
            let fold = |hash: u64, byte: &u8| hash.wrapping_mul(0x0100_0000_01b3) ^ u64::from(*byte);
            Ok(Value::Integer(call.bytes().iter().fold(0xcbf2_9ce4_8422_2325, fold).cast_signed()))
        },
    ),
    of(
        "hash.pbkdf2",
        "A key from a password.",
        &[
            param("password", Kind::String, "string", ""),
            param("salt", Kind::String, "string", ""),
            param("iterations", Kind::UpTo(MAX_KEY_ROUNDS), "integer", ""),
            param("key_length", Kind::UpTo(MAX_KEY_BYTES), "integer", "in bytes"),
            optional("hash", Kind::String, "\"sha256\"|\"sha512\"", "(default \"sha256\")"),
        ],
        &[returns("string", "key bytes")],
        key,
    ),
];

fn shown(call: &Call, bytes: &[u8], raw: &Value) -> Result<Value, Fault> {
    if matches!(raw, Value::Boolean(true)) {
        return Ok(Value::String(call.lua.create_string(bytes)?));
    }
    Ok(call.string(&hex(bytes))?)
}

fn digest<D: Digest>(call: &mut Call) -> Result<Value, Fault> {
    let digest = D::digest(call.bytes());
    let raw = call.value();
    shown(call, &digest, &raw)
}

fn keyed<M: Mac + KeyInit>(call: &Call, secret: &[u8]) -> Result<M, Fault> {
    <M as KeyInit>::new_from_slice(secret).map_err(|error| Fault::from(call.blame(&error.to_string())))
}

fn code<M: Mac + KeyInit>(call: &mut Call) -> Result<Value, Fault> {
    let (data, secret) = (call.bytes(), call.bytes());
    let mut code: M = keyed(call, &secret)?;
    code.update(&data);
    let raw = call.value();
    shown(call, &code.finalize().into_bytes(), &raw)
}

fn key(call: &mut Call) -> Result<Value, Fault> {
    let (password, salt) = (call.bytes(), call.bytes());
    let (rounds, length) = (call.value().as_u32().unwrap_or(0), call.value().as_usize().unwrap_or(0));
    if password.is_empty() || salt.is_empty() || rounds == 0 || length == 0 {
        return Err(call.blame("password, salt, iterations and key_length may not be empty or 0").into());
    }
    let key = match call.text_or_none()?.as_deref() {
        None | Some("sha256") => derived::<Hmac<Sha256>>(call, &password, &salt, rounds, length)?,
        Some("sha512") => derived::<Hmac<Sha512>>(call, &password, &salt, rounds, length)?,
        Some(_) => return Err(call.blame("hash must be \"sha256\" or \"sha512\"").into()),
    };
    Ok(Value::String(call.lua.create_string(key)?))
}

/// PBKDF2 (RFC 8018): each block is the sum of a chain of codes.
fn derived<M: Mac + KeyInit + Clone>(
    call: &Call,
    password: &[u8],
    salt: &[u8],
    rounds: u32,
    length: usize,
) -> Result<Vec<u8>, Fault> {
    let keyed: M = keyed(call, password)?;
    let coded = |parts: &[&[u8]]| {
        let mut code = keyed.clone();
        parts.iter().for_each(|part| code.update(part));
        code.finalize().into_bytes()
    };
    let mut key = Vec::new();
    let mut block: u32 = 1;
    while key.len() < length {
        let mut link = coded(&[salt, &block.to_be_bytes()]);
        let mut sum = link.to_vec();
        for _ in 1..rounds {
            link = coded(&[&link]);
            sum.iter_mut().zip(&link).for_each(|(sum, byte)| *sum ^= byte);
        }
        key.extend_from_slice(&sum);
        block += 1;
    }
    key.truncate(length);
    Ok(key)
}
