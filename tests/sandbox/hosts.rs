//! The corpus on which other hosts run the guest (`make hosts`), here: the digest of all answers is the one that they give.
//! docs/GUEST.md says what is hashed.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use wardroom::sandbox::{Image, Metadata, ParsedUri, Refusal, Sandbox, Unresolved};
use wardroom::uri::IdKind;

fn hosts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/hosts")
}

fn source(case: &Value) -> Vec<u8> {
    match case["file"].as_str() {
        Some(file) => fs::read(hosts().join("corpus").join(file)).unwrap(),
        None => {
            let times = usize::try_from(case["times"].as_u64().unwrap_or(1)).unwrap();
            case["text"].as_str().unwrap().repeat(times).into_bytes()
        }
    }
}

fn kind(name: &str) -> IdKind {
    match name {
        "package-name" => IdKind::PackageName,
        "card-id" => IdKind::CardId,
        "scenario-name" => IdKind::ScenarioName,
        "eval-result" => IdKind::EvalResult,
        "session-id" => IdKind::SessionId,
        other => panic!("{other}"),
    }
}

fn answer<T, E>(answer: Result<T, E>, ok: impl FnOnce(T) -> Value, err: impl FnOnce(E) -> Value) -> Value {
    answer.map_or_else(|error| json!({"err": err(error)}), |value| json!({"ok": ok(value)}))
}

fn place(line: u32, column: u32) -> Value {
    json!({"line": line, "column": column})
}

fn metadata(Metadata { json, doc, unresolved }: Metadata) -> Value {
    let entry = |Unresolved { path, line, column, reason }| json!({"path": path, "position": place(line, column), "reason": reason});
    json!({"json": json, "doc": doc, "unresolved": unresolved.into_iter().map(entry).collect::<Vec<_>>()})
}

fn refusal(refusal: Refusal) -> Value {
    match refusal {
        Refusal::InvalidId(reason) => json!({"invalid-id": reason}),
        Refusal::TooLarge(limit) => json!({"too-large": limit}),
        Refusal::NotUtf8 { line, column } => json!({"not-utf8": place(line, column)}),
        Refusal::Syntax { line, column, message } => {
            json!({"syntax": {"position": place(line, column), "message": message}})
        }
        Refusal::TooDeep { line, column } => json!({"too-deep": place(line, column)}),
        Refusal::TooMuch(limit) => json!({"too-much": limit}),
    }
}

fn parsed(ParsedUri { template, id, parameters }: ParsedUri) -> Value {
    let parameter = |(name, value): (String, u64)| json!({"name": name, "value": value});
    json!({"template": template, "id": id, "parameters": parameters.into_iter().map(parameter).collect::<Vec<_>>()})
}

#[test]
fn the_corpus_has_the_digest_that_other_hosts_give() {
    let cases: Value = serde_json::from_slice(&fs::read(hosts().join("corpus/corpus.json")).unwrap()).unwrap();
    let all = |function: &str| cases[function].as_array().unwrap().clone();
    let sandbox = Sandbox::new(Image::embedded());
    let mut lines = String::new();
    let mut say = |answer: Value| lines.push_str(&format!("{answer}\n"));
    for case in all("extract") {
        let name = case["name"].as_str().unwrap();
        say(answer(sandbox.extract(name, &source(&case)).unwrap(), metadata, refusal));
    }
    for case in all("check") {
        let (kind, id) = (kind(case[0].as_str().unwrap()), case[1].as_str().unwrap());
        say(answer(sandbox.check_id(kind, id).unwrap(), |()| Value::Null, Value::from));
    }
    for case in all("parse") {
        say(answer(sandbox.parse_uri(case.as_str().unwrap()).unwrap(), parsed, Value::from));
    }
    let digest: String = Sha256::digest(&lines).iter().map(|byte| format!("{byte:02x}")).collect();
    let kept = fs::read_to_string(hosts().join("digest.txt")).unwrap();
    assert_eq!(digest, kept.trim(), "if that is meant, write it to tests/hosts/digest.txt and run `make hosts`");
}
