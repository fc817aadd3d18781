//! `hash`: digests, HMACs, and keys derived from passwords.

use hmac::{Hmac, KeyInit, Mac};
use md5::Md5;
use mlua::Value;
use sha1::Sha1;
use sha2::{Digest, Sha256, Sha512};

use super::{ModuleError, module_function};
use crate::library::function::{
    FunctionCall, FunctionParam, FunctionReturn, LibraryFunction, ParamKind, optional_param, param, returns,
};
use crate::limits::{MAX_PBKDF2_KEY_BYTES, MAX_PBKDF2_ROUNDS};
use wardroom_base::hex::encode_hex;

const DATA: FunctionParam = param("data", ParamKind::String, "string", "any bytes");
const SECRET: FunctionParam = param("secret", ParamKind::String, "string", "");
const RAW: FunctionParam =
    optional_param("raw", ParamKind::Any, "boolean", "true: bytes instead of hexadecimal digits");
const TEXT: &[FunctionReturn] = &[returns("string", "")];

pub(super) const FUNCTIONS: &[LibraryFunction] = &[
    module_function("hash.md5", "MD5, which does not protect against forgery.", &[DATA, RAW], TEXT, digest::<Md5>),
    module_function("hash.sha1", "SHA-1, which does not protect against forgery.", &[DATA, RAW], TEXT, digest::<Sha1>),
    module_function("hash.sha256", "SHA-256.", &[DATA, RAW], TEXT, digest::<Sha256>),
    module_function("hash.sha512", "SHA-512.", &[DATA, RAW], TEXT, digest::<Sha512>),
    module_function("hash.hmac_md5", "HMAC with MD5.", &[DATA, SECRET, RAW], TEXT, compute_hmac::<Hmac<Md5>>),
    module_function("hash.hmac_sha1", "HMAC with SHA-1.", &[DATA, SECRET, RAW], TEXT, compute_hmac::<Hmac<Sha1>>),
    module_function("hash.hmac_sha256", "HMAC with SHA-256.", &[DATA, SECRET, RAW], TEXT, compute_hmac::<Hmac<Sha256>>),
    module_function("hash.hmac_sha512", "HMAC with SHA-512.", &[DATA, SECRET, RAW], TEXT, compute_hmac::<Hmac<Sha512>>),
    module_function(
        "hash.fnv32",
        "FNV-1, 32 bits: for hash tables, not for security.",
        &[DATA],
        &[returns("integer", "")],
        |call| {
            let fold = |hash: u32, byte: &u8| hash.wrapping_mul(0x0100_0193) ^ u32::from(*byte);
            Ok(Value::Integer(call.next_bytes().iter().fold(0x811c_9dc5, fold).into()))
        },
    ),
    module_function(
        "hash.fnv64",
        "FNV-1, 64 bits; those above 2^63 are negative, as Lua has them.",
        &[DATA],
        &[returns("integer", "")],
        |call| {
            let fold = |hash: u64, byte: &u8| hash.wrapping_mul(0x0100_0000_01b3) ^ u64::from(*byte);
            Ok(Value::Integer(call.next_bytes().iter().fold(0xcbf2_9ce4_8422_2325, fold).cast_signed()))
        },
    ),
    module_function(
        "hash.pbkdf2",
        "A key from a password.",
        &[
            param("password", ParamKind::String, "string", ""),
            param("salt", ParamKind::String, "string", ""),
            param("iterations", ParamKind::UpTo(MAX_PBKDF2_ROUNDS), "integer", ""),
            param("key_length", ParamKind::UpTo(MAX_PBKDF2_KEY_BYTES), "integer", "in bytes"),
            optional_param("hash", ParamKind::String, "\"sha256\"|\"sha512\"", "(default \"sha256\")"),
        ],
        &[returns("string", "key bytes")],
        derive_key,
    ),
];

fn encode_digest(call: &FunctionCall, bytes: &[u8], raw: &Value) -> Result<Value, ModuleError> {
    if matches!(raw, Value::Boolean(true)) {
        return Ok(Value::String(call.lua.create_string(bytes)?));
    }
    Ok(call.create_string(&encode_hex(bytes))?)
}

fn digest<D: Digest>(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let digest = D::digest(call.next_bytes());
    let raw = call.next_value();
    encode_digest(call, &digest, &raw)
}

fn create_mac<M: Mac + KeyInit>(call: &FunctionCall, secret: &[u8]) -> Result<M, ModuleError> {
    <M as KeyInit>::new_from_slice(secret).map_err(|error| ModuleError::from(call.format_error(&error.to_string())))
}

fn compute_hmac<M: Mac + KeyInit>(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let (data, secret) = (call.next_bytes(), call.next_bytes());
    let mut code: M = create_mac(call, &secret)?;
    code.update(&data);
    let raw = call.next_value();
    encode_digest(call, &code.finalize().into_bytes(), &raw)
}

fn derive_key(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let (password, salt) = (call.next_bytes(), call.next_bytes());
    let (rounds, length) = (call.next_value().as_u32().unwrap_or(0), call.next_value().as_usize().unwrap_or(0));
    if password.is_empty() || salt.is_empty() || rounds == 0 || length == 0 {
        return Err(call.format_error("password, salt, iterations and key_length may not be empty or 0").into());
    }
    let key = match call.next_optional_text()?.as_deref() {
        None | Some("sha256") => derive_pbkdf2::<Hmac<Sha256>>(call, &password, &salt, rounds, length)?,
        Some("sha512") => derive_pbkdf2::<Hmac<Sha512>>(call, &password, &salt, rounds, length)?,
        Some(_) => return Err(call.format_error("hash must be \"sha256\" or \"sha512\"").into()),
    };
    Ok(Value::String(call.lua.create_string(key)?))
}

/// PBKDF2 (RFC 8018): each block is the XOR of a chain of HMACs.
fn derive_pbkdf2<M: Mac + KeyInit + Clone>(
    call: &FunctionCall,
    password: &[u8],
    salt: &[u8],
    rounds: u32,
    length: usize,
) -> Result<Vec<u8>, ModuleError> {
    let keyed: M = create_mac(call, password)?;
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
