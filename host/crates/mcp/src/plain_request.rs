//! Decodes reads and calls of tools, as nearly all clients write them, in one pass.
//!
//! Owns: the two forms. The decoder of rmcp copies a message several times before it knows what it is.
//! Never: decodes a message in another way than that decoder: whatever has one more field is left to it.

use std::borrow::Cow;
use std::sync::LazyLock;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, Extensions, JsonRpcRequest, MetaObject, ReadResourceRequest,
    ReadResourceRequestParams, RequestId, RequestMetaObject,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use wardroom_base::baseline_search::Needle;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PlainRequest<'a, P> {
    #[serde(borrow)]
    jsonrpc: Cow<'a, str>,
    id: RequestId,
    #[serde(borrow)]
    method: Cow<'a, str>,
    params: P,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadParams {
    uri: String,
    #[serde(rename = "_meta")]
    meta: Option<Map<String, Value>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CallParams {
    name: String,
    arguments: Option<Map<String, Value>>,
    #[serde(rename = "_meta")]
    meta: Option<Map<String, Value>>,
}

// The methods as lines spell them.
static READ_METHOD: LazyLock<Needle> = LazyLock::new(|| Needle::new("\"resources/read\""));
pub(super) static CALL_METHOD: LazyLock<Needle> = LazyLock::new(|| Needle::new("\"tools/call\""));

/// Returns the request of a line; `None` for all that has another form, or is malformed.
pub(super) fn decode_plain_request(line: &[u8]) -> Option<JsonRpcRequest<ClientRequest>> {
    if READ_METHOD.is_in(line) {
        let PlainRequest { id, params: ReadParams { uri, meta }, .. } = parse(line, "resources/read")?;
        let mut request = ReadResourceRequest::new(ReadResourceRequestParams::new(uri));
        insert_meta(&mut request.extensions, meta);
        return Some(JsonRpcRequest::new(id, ClientRequest::ReadResourceRequest(request)));
    }
    if CALL_METHOD.is_in(line) {
        let PlainRequest { id, params: CallParams { name, arguments, meta }, .. } = parse(line, "tools/call")?;
        let mut params = CallToolRequestParams::new(name);
        params.arguments = arguments;
        let mut request = CallToolRequest::new(params);
        insert_meta(&mut request.extensions, meta);
        return Some(JsonRpcRequest::new(id, ClientRequest::CallToolRequest(request)));
    }
    None
}

/// Returns the id and the params of a read, as its line spells them; `None` as for [`decode_plain_request`], and for some reads
/// for which that is `None`.
pub(super) fn split_read(line: &[u8]) -> Option<(RequestId, &str)> {
    if !READ_METHOD.is_in(line) {
        return None;
    }
    let PlainRequest { id, params, .. } = parse::<&RawValue>(line, "resources/read")?;
    Some((id, params.get()))
}

fn insert_meta(extensions: &mut Extensions, meta: Option<Map<String, Value>>) {
    if let Some(meta) = meta {
        extensions.insert(RequestMetaObject(MetaObject(meta)));
    }
}

fn parse<'a, P: Deserialize<'a>>(line: &'a [u8], method: &str) -> Option<PlainRequest<'a, P>> {
    let request: PlainRequest<'a, P> = serde_json::from_slice(line).ok()?;
    (request.jsonrpc == "2.0" && request.method == method).then_some(request)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rmcp::model::{ClientJsonRpcMessage, GetMeta as _};

    /// Checks that a line is decoded as rmcp decodes it, or left to rmcp. Returns whether it was decoded.
    #[track_caller]
    fn check(line: &str) -> bool {
        let Some(request) = decode_plain_request(line.as_bytes()) else { return false };
        let expected = serde_json::from_str::<ClientJsonRpcMessage>(line);
        let Ok(ClientJsonRpcMessage::Request(expected)) = expected else { panic!("{line}: {expected:?}") };
        assert_eq!(format!("{request:?}"), format!("{expected:?}"), "{line}");
        assert_eq!(request.request.get_meta(), expected.request.get_meta(), "{line}");
        assert_eq!(serde_json::to_value(&request).unwrap(), serde_json::to_value(&expected).unwrap(), "{line}");
        true
    }

    #[test]
    fn requests_are_decoded_as_rmcp_decodes_them() {
        let reads =
            [r#"{"uri":"a://b"}"#, r#"{"_meta":{"k":[1,{"a":null}]},"uri":"a\u00e9\n"}"#, r#"{"uri":"","_meta":null}"#];
        let calls = [
            r#"{"name":"t"}"#,
            r#"{"name":"t","arguments":{}}"#,
            r#"{"arguments":{"a":{"b":1.5}},"name":"t","_meta":{"progressToken":7}}"#,
            r#"{"name":"t","arguments":null}"#,
        ];
        let ids = ["1", "\"x\"", "-9007199254740993", "1.0", "1e2", "\"\"", "9223372036854775807"];
        let of = |method: &str, params: &str, id: &str| {
            format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{params}}}"#)
        };
        for id in ids {
            assert!(reads.iter().all(|params| check(&of("resources/read", params, id))), "{id}");
            assert!(calls.iter().all(|params| check(&of("tools/call", params, id))), "{id}");
        }
        assert!(check(r#" { "params" : {"uri":"a"} , "method":"resources/read","id":1, "jsonrpc":"2.0" } "#));
    }

    #[test]
    fn other_forms_are_left_to_rmcp() {
        let params = r#""params":{"uri":"a"}"#;
        for line in [
            format!(r#"{{"jsonrpc":"2.0","id":null,"method":"resources/read",{params}}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":1.5,"method":"resources/read",{params}}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":9223372036854775808,"method":"resources/read",{params}}}"#),
            format!(r#"{{"jsonrpc":"2.0","method":"resources/read",{params}}}"#),
            format!(r#"{{"jsonrpc":"1.0","id":1,"method":"resources/read",{params}}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":1,"id":2,"method":"resources/read",{params}}}"#),
            format!(r#"{{"jsonrpc":"2.0","id":1,"method":"resources/read",{params},"result":{{}}}}"#),
            r#"{"jsonrpc":"2.0","id":1,"method":"resources/read"}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a","requestState":"x"}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":7}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"a","_meta":7}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"a","task":{}}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"resources/read","x":1}}"#.to_owned(),
            r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":{"uri":"resources/read"}}"#.to_owned(),
        ] {
            assert!(!check(&line), "{line}");
        }
    }
}
