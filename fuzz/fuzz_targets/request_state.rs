//! Continuation tokens (`requestState`): the one of a call opens for that call of that caller, in the text in which it was
//! given, and nothing else is one.
#![no_main]

use std::collections::BTreeMap;

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use libfuzzer_sys::fuzz_target;
use rmcp::model::CallToolRequestParams;
use serde_json::{Map, Value};
use wardroom_base::payload::{Payload, has_reserved_text};
use wardroom_mcp::fuzzing::FuzzedSealer;
use wardroom_service::{Caller, InputRequest, InputRequestKind, InputRequired, Owner, Transport};

#[derive(Arbitrary, Debug, Clone, PartialEq)]
struct Call {
    name: String,
    arguments: BTreeMap<String, Option<i8>>,
    scope: Option<String>,
    groups: Option<Vec<String>>,
    owner: Option<Option<String>>,
    is_remote: bool,
}

#[derive(Arbitrary, Debug)]
enum Change {
    Byte(u16, u8),
    Cut(u16),
    Insert(u16, char),
    Append(String),
    Prepend(String),
    /// The tail of another token.
    Splice(u16),
    Other(String),
    Upper,
}

impl Call {
    fn caller(&self) -> Caller {
        let owner = match &self.owner {
            None => Owner::Operator,
            Some(None) => Owner::Anonymous,
            Some(Some(name)) => Owner::Named(name.clone()),
        };
        let transport = Transport::Http { is_remote: self.is_remote };
        Caller { scope: self.scope.clone(), groups: self.groups.clone(), transport, owner, shares_runs: false }
    }

    fn arguments(&self) -> Payload {
        let fields = self.arguments.iter().map(|(key, value)| (key.clone(), Value::from(*value)));
        Payload::from_value(Value::Object(fields.collect()))
    }

    /// The same arguments as a client sends them, with blanks.
    fn sent_arguments(&self) -> Payload {
        let text = serde_json::to_string_pretty(&self.arguments().into_value()).expect("a value is JSON");
        Payload::parse_text(&text, usize::MAX).expect("a value is JSON")
    }

    /// What a client sends.
    fn params(&self, state: Option<String>, responses: &[String]) -> CallToolRequestParams {
        let mut params = CallToolRequestParams::new(self.name.clone());
        params.request_state = state;
        let responses: Map<String, Value> = responses.iter().map(|key| (key.clone(), Value::from(1))).collect();
        params.input_responses = Some(responses.into_iter().collect());
        params
    }

    /// Whether the other one is the same call of the same caller. How it arrived does not count.
    fn is_same(&self, other: &Self) -> bool {
        Self { is_remote: other.is_remote, ..self.clone() } == *other
    }
}

fn changed(token: &str, other: &str, change: Change) -> String {
    let at = |index: u16| usize::from(index) % (token.len() + 1);
    match change {
        Change::Byte(index, byte) => {
            let mut bytes = token.as_bytes().to_vec();
            let index = at(index).min(bytes.len() - 1);
            bytes[index] = byte;
            String::from_utf8_lossy(&bytes).into_owned()
        }
        Change::Cut(index) => token[..at(index)].to_owned(),
        Change::Insert(index, letter) => {
            let (start, end) = token.split_at(at(index));
            format!("{start}{letter}{end}")
        }
        Change::Append(text) => token.to_owned() + &text,
        Change::Prepend(text) => text + token,
        Change::Splice(index) => {
            let at = at(index).min(other.len());
            format!("{}{}", &token[..at.min(token.len())], &other[at..])
        }
        Change::Other(text) => text,
        Change::Upper => token.to_uppercase(),
    }
}

fuzz_target!(|input: ([u8; 32], Call, Call, String, Vec<String>, Vec<String>, Change)| {
    let (key, call, other, own, keys, responses, change) = input;
    // Arguments with a key that `serde_json` reserves are refused where they arrive.
    if [&call, &other].iter().any(|call| has_reserved_text(call.arguments().to_string().as_bytes())) {
        return;
    }
    let sealer = FuzzedSealer::new(key);
    let required = InputRequired {
        requests: keys.iter().map(|key| InputRequest { key: key.clone(), kind: InputRequestKind::Roots }).collect(),
        continuation_token: own.clone(),
        may_repeat: key[0] % 2 == 0,
    };
    let seal = |sealer: &FuzzedSealer| {
        let sealed = sealer.seal(&call.params(None, &[]), &call.arguments(), &call.caller(), &required);
        sealed.expect("a token is made").expect("it is part of the result")
    };
    let open = |call: &Call, token: &str| {
        sealer.open(&call.params(Some(token.to_owned()), &responses), &call.sent_arguments(), &call.caller())
    };
    let token = seal(&sealer);
    assert!(own.len() < 16 || !token.contains(&own), "what a client carries it cannot read");
    let opened = open(&call, &token).expect("its own token opens").expect("a call with a token has one");
    assert_eq!(opened.continuation_token, Some(own));
    let sent: Vec<&String> = responses.iter().collect::<std::collections::BTreeSet<_>>().into_iter().collect();
    assert!(opened.responses.keys().eq(sent));
    let params = call.params(Some(token.clone()), &responses);
    let used = sealer.uses_token(&params, &call.sent_arguments(), &call.caller()).expect("its own token opens");
    assert_eq!(used, keys.iter().any(|key| responses.contains(key)));

    assert_eq!(open(&other, &token).is_ok(), call.is_same(&other), "{other:?}");
    let again = seal(&sealer);
    assert_ne!(token, again, "no two tokens are the same");
    let wrong = changed(&token, &again, change);
    assert!(wrong == token || wrong == again || open(&call, &wrong).is_err(), "{token} opens as {wrong}");
    let mut other_key = key;
    other_key[31] ^= 1;
    assert!(open(&call, &seal(&FuzzedSealer::new(other_key))).is_err(), "another server's token opens");
    let without = sealer.open(&call.params(None, &responses), &call.arguments(), &call.caller());
    let without = without.expect("a call without a token is one");
    assert!(without.is_none_or(|sent| sent.continuation_token.is_none()));
});
