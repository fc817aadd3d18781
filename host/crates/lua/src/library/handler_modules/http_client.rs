//! `http_client`: HTTP requests to the hosts that the operator allows. The server sends them.

use std::collections::BTreeSet;

use mlua::{Table, Value};
use serde_json::{Map, Value as Json, json};

use super::time_values::parse_duration;
use super::{ModuleError, module_function};
use crate::library::function::{
    FunctionCall, FunctionParam, FunctionReturn, LibraryFunction, ParamKind, as_float, optional_param, param, returns,
};
use crate::library::module_error::error_text;
use wardroom_base::percent::{percent_decode, percent_encode};

const URL: FunctionParam = param("url", ParamKind::String, "string", "");
const OPTIONS: FunctionParam = optional_param(
    "options",
    ParamKind::Table,
    "{ headers?: table<string, string>, query?: table<string, any>, body?: string, form?: table<string, any>, \
     cookies?: table<string, string>, auth?: { user: string, pass: string }, timeout?: number|string }",
    "`timeout` in seconds, or such as \"1m30s\"",
);
const RESPONSE: &[FunctionReturn] = &[returns(
    "{ status_code: integer, body: string, body_size: integer, headers: table<string, string>, url: string }",
    "`headers` by their names in lower case; values of one that comes several times are joined by commas, of `set-cookie` by line ends",
)];
const TEXT: &[FunctionReturn] = &[returns("string", "")];

const fn method_function(
    name: &'static str,
    body: fn(&mut FunctionCall) -> Result<Value, ModuleError>,
) -> LibraryFunction {
    module_function(name, "Makes a request with this method.", &[URL, OPTIONS], RESPONSE, body)
}

pub(super) const FUNCTIONS: &[LibraryFunction] = &[
    method_function("http_client.get", |call| request(call, "GET")),
    method_function("http_client.post", |call| request(call, "POST")),
    method_function("http_client.put", |call| request(call, "PUT")),
    method_function("http_client.patch", |call| request(call, "PATCH")),
    method_function("http_client.delete", |call| request(call, "DELETE")),
    method_function("http_client.head", |call| request(call, "HEAD")),
    module_function(
        "http_client.request",
        "Makes a request with any method.",
        &[param("method", ParamKind::String, "string", ""), URL, OPTIONS],
        RESPONSE,
        |call| {
            let method = call.next_text()?;
            request(call, &method)
        },
    ),
    module_function(
        "http_client.encode_uri",
        "Escapes a text as a part of a query.",
        &[param("text", ParamKind::String, "string", "")],
        TEXT,
        |call| {
            let text = call.next_bytes();
            Ok(call.create_string(&form_encode(&text))?)
        },
    ),
    module_function(
        "http_client.decode_uri",
        "Unescapes a part of a query.",
        &[param("text", ParamKind::String, "string", "")],
        TEXT,
        |call| {
            let text = form_decode(&call.next_bytes())
                .ok_or_else(|| call.format_error("a '%' without two hexadecimal digits"))?;
            Ok(Value::String(call.lua.create_string(text)?))
        },
    ),
];

/// The names of options. Other names are mistakes or unsupported, and are rejected.
const OPTION_NAMES: [&str; 7] = ["headers", "query", "body", "form", "cookies", "auth", "timeout"];

fn request(call: &mut FunctionCall, method: &str) -> Result<Value, ModuleError> {
    let (mut url, options) = (call.next_text()?, call.next_table());
    let options = options.as_ref();
    if let Some(options) = options {
        for pair in options.pairs::<Value, Value>() {
            let name = pair?.0.to_string().unwrap_or_default();
            if !OPTION_NAMES.contains(&name.as_str()) {
                return Err(call
                    .format_error(&format!("there is no option '{name}'; there are {}", OPTION_NAMES.join(", ")))
                    .into());
            }
        }
    }
    let pairs = |name: &str| -> Result<Vec<(String, String)>, ModuleError> {
        match FunctionCall::option_field(options, name) {
            None => Ok(Vec::new()),
            Some(Value::Table(table)) => table_pairs(call, name, &table),
            Some(_) => Err(call.format_error(&format!("{name} must be a table")).into()),
        }
    };
    let mut headers = pairs("headers")?;
    let mut names = BTreeSet::new();
    if let Some((name, _)) = headers.iter().find(|(name, _)| !names.insert(name.to_ascii_lowercase())) {
        return Err(call.format_error(&format!("there are two headers '{name}', which differ in case alone")).into());
    }
    let query = encode_form(&pairs("query")?);
    if !query.is_empty() {
        // A fragment is the end of a URL, and is not sent.
        url.truncate(url.find('#').unwrap_or(url.len()));
        url.push(if url.contains('?') { '&' } else { '?' });
        url.push_str(&query);
    }
    let cookies: Vec<String> = pairs("cookies")?.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if !cookies.is_empty() {
        add_header(&mut headers, "Cookie", cookies.join("; "));
    }
    if let Some(Value::Table(auth)) = FunctionCall::option_field(options, "auth") {
        let (user, pass): (String, Option<String>) = (auth.raw_get("user")?, auth.raw_get("pass")?);
        let both = super::base64::encode_base64(format!("{user}:{}", pass.unwrap_or_default()).as_bytes());
        add_header(&mut headers, "Authorization", format!("Basic {both}"));
    }
    let form = encode_form(&pairs("form")?);
    let body = match FunctionCall::option_field(options, "body") {
        Some(Value::String(body)) => Some(
            body.to_str().map_err(|_| call.format_error("body is not UTF-8: other bytes cannot be sent"))?.to_owned(),
        ),
        Some(_) => return Err(call.format_error("body must be a string").into()),
        None if !form.is_empty() => {
            add_header(&mut headers, "Content-Type", "application/x-www-form-urlencoded".to_owned());
            Some(form)
        }
        None => None,
    };
    let timeout = match FunctionCall::option_field(options, "timeout") {
        Some(Value::String(text)) => Some(
            parse_duration(&text.to_string_lossy())
                .ok_or_else(|| call.format_error("timeout must be seconds, or a duration such as \"1m30s\""))?
                as f64
                / 1e9,
        ),
        Some(number) => Some(
            as_float(&number)
                .filter(|time| *time > 0.0 && time.is_finite())
                .ok_or_else(|| call.format_error("timeout must be seconds, or a duration such as \"1m30s\""))?,
        ),
        None => None,
    };
    let headers: Map<String, Json> = headers.into_iter().map(|(name, value)| (name, value.into())).collect();
    let arguments = json!({"method": method, "url": url, "headers": headers, "body": body, "timeout": timeout});
    let answer = call.try_request("http.request", arguments)?;
    build_response(call, &answer)
}

/// Adds a header, unless the handler set it itself.
fn add_header(headers: &mut Vec<(String, String)>, name: &str, value: String) {
    if !headers.iter().any(|(given, _)| given.eq_ignore_ascii_case(name)) {
        headers.push((name.to_owned(), value));
    }
}

fn table_pairs(call: &FunctionCall, option: &str, table: &Table) -> Result<Vec<(String, String)>, ModuleError> {
    let text = |value: &Value| match value {
        Value::Table(_) | Value::Function(_) | Value::Thread(_) | Value::UserData(_) => {
            let message = format!("{option} has a {} where a text, a number or a boolean belongs", value.type_name());
            Err(ModuleError::from(call.format_error(&message)))
        }
        value => value.to_string().map_err(|error| ModuleError::from(error_text(&error))),
    };
    let mut pairs = Vec::new();
    for pair in table.pairs::<Value, Value>() {
        let (name, value) = pair?;
        pairs.push((text(&name)?, text(&value)?));
    }
    pairs.sort();
    Ok(pairs)
}

fn build_response(call: &FunctionCall, answer: &Json) -> Result<Value, ModuleError> {
    let table = call.lua.create_table()?;
    let body = match answer.get("body").and_then(Json::as_str) {
        Some(body) => call.create_string(body)?,
        None if answer.get("base64").is_some() => super::fs::decode_content(call, answer)?,
        None => call.create_string("")?,
    };
    table.raw_set("body_size", body.as_string().map_or(0, |body| body.as_bytes().len()))?;
    table.raw_set("body", body)?;
    table.raw_set("status_code", answer.get("status").and_then(Json::as_i64))?;
    table.raw_set("headers", call.decode(answer.get("headers").unwrap_or(&json!({})))?)?;
    table.raw_set("url", answer.get("url").and_then(Json::as_str))?;
    Ok(Value::Table(table))
}

fn encode_form(pairs: &[(String, String)]) -> String {
    let pair = |(name, value): &(String, String)| {
        format!("{}={}", form_encode(name.as_bytes()), form_encode(value.as_bytes()))
    };
    pairs.iter().map(pair).collect::<Vec<_>>().join("&")
}

/// Encodes as `application/x-www-form-urlencoded`, where a space is `+`.
fn form_encode(bytes: &[u8]) -> String {
    percent_encode(bytes).replace("%20", "+")
}

fn form_decode(bytes: &[u8]) -> Option<Vec<u8>> {
    let spaced: Vec<u8> = bytes.iter().map(|byte| if *byte == b'+' { b' ' } else { *byte }).collect();
    percent_decode(&spaced)
}
