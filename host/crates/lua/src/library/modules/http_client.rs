//! `http_client`. The server makes the request, to the hosts that the operator allows.

use mlua::{Table, Value};
use serde_json::{Map, Value as Json, json};

use super::time::duration;
use super::{Fault, of};
use crate::library::function::{Call, Function, Kind, Param, Return, float, optional, param, returns, words};

const URL: Param = param("url", Kind::String, "string", "");
const OPTIONS: Param = optional(
    "options",
    Kind::Table,
    "{ headers?: table<string, string>, query?: table<string, any>, body?: string, form?: table<string, any>, \
     cookies?: table<string, string>, auth?: { user: string, pass: string }, timeout?: number|string }",
    "`timeout` in seconds, or such as \"1m30s\"",
);
const RESPONSE: &[Return] = &[returns(
    "{ status_code: integer, body: string, body_size: integer, headers: table<string, string>, url: string }",
    "",
)];
const TEXT: &[Return] = &[returns("string", "")];

const fn by(name: &'static str, body: fn(&mut Call) -> Result<Value, Fault>) -> Function {
    of(name, "A request with this method.", &[URL, OPTIONS], RESPONSE, body)
}

pub(super) const FUNCTIONS: &[Function] = &[
    by("http_client.get", |call| request(call, "GET")),
    by("http_client.post", |call| request(call, "POST")),
    by("http_client.put", |call| request(call, "PUT")),
    by("http_client.patch", |call| request(call, "PATCH")),
    by("http_client.delete", |call| request(call, "DELETE")),
    by("http_client.head", |call| request(call, "HEAD")),
    of(
        "http_client.request",
        "A request with any method.",
        &[param("method", Kind::String, "string", ""), URL, OPTIONS],
        RESPONSE,
        |call| {
            let method = call.text()?;
            request(call, &method)
        },
    ),
    of(
        "http_client.encode_uri",
        "A text as a part of a query.",
        &[param("text", Kind::String, "string", "")],
        TEXT,
        |call| {
            let text = call.bytes();
            Ok(call.string(&encoded(&text))?)
        },
    ),
    of(
        "http_client.decode_uri",
        "The text that a part of a query stands for.",
        &[param("text", Kind::String, "string", "")],
        TEXT,
        |call| {
            let text = decoded(&call.bytes()).ok_or_else(|| call.blame("a '%' without two hexadecimal digits"))?;
            Ok(Value::String(call.lua.create_string(text)?))
        },
    ),
];

/// What may stand in `options`. Another name is a mistake, or something that is not here.
const KNOWN: [&str; 7] = ["headers", "query", "body", "form", "cookies", "auth", "timeout"];

fn request(call: &mut Call, method: &str) -> Result<Value, Fault> {
    let (mut url, options) = (call.text()?, call.table());
    let options = options.as_ref();
    if let Some(options) = options {
        for pair in options.pairs::<Value, Value>() {
            let name = pair?.0.to_string().unwrap_or_default();
            if !KNOWN.contains(&name.as_str()) {
                return Err(call.blame(&format!("there is no option '{name}'; there are {}", KNOWN.join(", "))).into());
            }
        }
    }
    let pairs = |name: &str| -> Result<Vec<(String, String)>, Fault> {
        match Call::option(options, name) {
            None => Ok(Vec::new()),
            Some(Value::Table(table)) => pairs(&table),
            Some(_) => Err(call.blame(&format!("{name} must be a table")).into()),
        }
    };
    let mut headers = pairs("headers")?;
    let query = form_encoded(&pairs("query")?);
    if !query.is_empty() {
        url.push(if url.contains('?') { '&' } else { '?' });
        url.push_str(&query);
    }
    let cookies: Vec<String> = pairs("cookies")?.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if !cookies.is_empty() {
        headers.push(("Cookie".to_owned(), cookies.join("; ")));
    }
    if let Some(Value::Table(auth)) = Call::option(options, "auth") {
        let (user, pass): (String, Option<String>) = (auth.raw_get("user")?, auth.raw_get("pass")?);
        let both = super::base64::encoded(format!("{user}:{}", pass.unwrap_or_default()).as_bytes());
        headers.push(("Authorization".to_owned(), format!("Basic {both}")));
    }
    let form = form_encoded(&pairs("form")?);
    let body = match Call::option(options, "body") {
        Some(Value::String(body)) => {
            Some(body.to_str().map_err(|_| call.blame("body is not UTF-8: other bytes cannot be sent"))?.to_owned())
        }
        Some(_) => return Err(call.blame("body must be a string").into()),
        None if !form.is_empty() => {
            headers.push(("Content-Type".to_owned(), "application/x-www-form-urlencoded".to_owned()));
            Some(form)
        }
        None => None,
    };
    let timeout = match Call::option(options, "timeout") {
        Some(Value::String(text)) => {
            Some(duration(&text.to_string_lossy()).ok_or_else(|| call.blame("timeout is no duration"))? as f64 / 1e9)
        }
        Some(number) => Some(
            float(&number)
                .filter(|time| *time > 0.0 && time.is_finite())
                .ok_or_else(|| call.blame("timeout is no time"))?,
        ),
        None => None,
    };
    let headers: Map<String, Json> = headers.into_iter().map(|(name, value)| (name, value.into())).collect();
    let arguments = json!({"method": method, "url": url, "headers": headers, "body": body, "timeout": timeout});
    let answer = call.request("http.request", arguments)?;
    response(call, &answer)
}

fn pairs(table: &Table) -> Result<Vec<(String, String)>, Fault> {
    let text = |value: &Value| value.to_string().map_err(|error| Fault::from(words(&error)));
    let mut pairs = Vec::new();
    for pair in table.pairs::<Value, Value>() {
        let (name, value) = pair?;
        pairs.push((text(&name)?, text(&value)?));
    }
    pairs.sort();
    Ok(pairs)
}

fn response(call: &Call, answer: &Json) -> Result<Value, Fault> {
    let table = call.lua.create_table()?;
    let body = match answer.get("body").and_then(Json::as_str) {
        Some(body) => call.string(body)?,
        None if answer.get("base64").is_some() => super::fs::content(call, answer)?,
        None => call.string("")?,
    };
    table.raw_set("body_size", body.as_string().map_or(0, |body| body.as_bytes().len()))?;
    table.raw_set("body", body)?;
    table.raw_set("status_code", answer.get("status").and_then(Json::as_i64))?;
    table.raw_set("headers", call.decode(answer.get("headers").unwrap_or(&json!({})))?)?;
    table.raw_set("url", answer.get("url").and_then(Json::as_str))?;
    Ok(Value::Table(table))
}

fn form_encoded(pairs: &[(String, String)]) -> String {
    let pair = |(name, value): &(String, String)| format!("{}={}", encoded(name.as_bytes()), encoded(value.as_bytes()));
    pairs.iter().map(pair).collect::<Vec<_>>().join("&")
}

/// As forms have it: a space is `+`.
fn encoded(bytes: &[u8]) -> String {
    let one = |byte: &u8| match byte {
        b' ' => "+".to_owned(),
        byte if byte.is_ascii_alphanumeric() || b"-_.~".contains(byte) => char::from(*byte).to_string(),
        byte => format!("%{byte:02X}"),
    };
    bytes.iter().map(one).collect()
}

fn decoded(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut found = Vec::with_capacity(bytes.len());
    let mut left = bytes;
    loop {
        left = match left {
            [] => return Some(found),
            [b'+', rest @ ..] => {
                found.push(b' ');
                rest
            }
            [b'%', high, low, rest @ ..] => {
                let digit = |byte: &u8| char::from(*byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
                found.push(digit(high)? * 16 + digit(low)?);
                rest
            }
            [b'%', ..] => return None,
            [byte, rest @ ..] => {
                found.push(*byte);
                rest
            }
        };
    }
}
