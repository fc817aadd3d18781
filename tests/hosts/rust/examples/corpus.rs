//! `corpus COMPONENT CORPUS` prints the SHA-256 of all answers of the host beside it, in the form that every host hashes (docs/GUEST.md).

#[path = "../src/main.rs"]
#[expect(dead_code, reason = "its own command")]
mod host;

use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{env, fs};

use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use wasmtime::{Error, Result};

use crate::host::exports::wardroom::guest::package_meta::{ExtractError, Metadata, Position};
use crate::host::exports::wardroom::guest::resource_id::{Kind, Resource};

/// One call of the guest.
enum Case {
    Extract(String, Vec<u8>),
    Check(Kind, String),
    Parse(String),
}

/// On standard error the time of the first answer.
fn main() -> Result<()> {
    let guest = host::load(&env::args().nth(1).unwrap_or_default())?;
    let cases = cases(&PathBuf::from(env::args().nth(2).unwrap_or_default()))?;
    let answer = |case: &Case| -> Result<Value> {
        Ok(match case {
            Case::Extract(name, source) => extracted(host::extract(&guest, name, source)?),
            Case::Check(kind, id) => {
                let (instance, mut store) = host::fresh(&guest)?;
                checked(instance.wardroom_guest_resource_id().call_check(&mut store, *kind, id)?)
            }
            Case::Parse(uri) => {
                let (instance, mut store) = host::fresh(&guest)?;
                parsed(instance.wardroom_guest_resource_id().call_parse(&mut store, uri)?)
            }
        })
    };
    let mut digest = Sha256::new();
    for case in &cases {
        digest.update(format!("{}\n", answer(case)?));
    }
    println!("{}", digest.finalize().iter().map(|byte| format!("{byte:02x}")).collect::<String>());

    let mut times = Vec::new();
    for _ in 0..200 {
        let begun = Instant::now();
        answer(&cases[0])?;
        times.push(begun.elapsed());
    }
    times.sort();
    eprintln!("{} µs", times[100].as_micros());
    Ok(())
}

fn cases(path: &Path) -> Result<Vec<Case>> {
    let corpus: Value = serde_json::from_slice(&fs::read(path)?).map_err(Error::new)?;
    let all = |function: &str| corpus[function].as_array().cloned().unwrap_or_default();
    let source = |case: &Value| match case["file"].as_str() {
        Some(file) => fs::read(path.with_file_name(file)),
        None => Ok(text(&case["text"]).repeat(case["times"].as_u64().unwrap_or(1) as usize).into_bytes()),
    };
    let mut cases = Vec::new();
    for case in all("extract") {
        cases.push(Case::Extract(text(&case["name"]), source(&case)?));
    }
    cases.extend(all("check").iter().map(|case| Case::Check(kind(&text(&case[0])), text(&case[1]))));
    cases.extend(all("parse").iter().map(|case| Case::Parse(text(case))));
    Ok(cases)
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn kind(name: &str) -> Kind {
    match name {
        "package-name" => Kind::PackageName,
        "card-id" => Kind::CardId,
        "scenario-name" => Kind::ScenarioName,
        "eval-result" => Kind::EvalResult,
        "session-id" => Kind::SessionId,
        other => panic!("no kind of identifier: {other}"),
    }
}

fn extracted(answer: Result<Metadata, ExtractError>) -> Value {
    match answer {
        Ok(metadata) => json!({ "ok": found(metadata) }),
        Err(error) => json!({ "err": refusal(error) }),
    }
}

fn checked(answer: Result<(), String>) -> Value {
    match answer {
        Ok(()) => json!({ "ok": null }),
        Err(sentence) => json!({ "err": sentence }),
    }
}

fn parsed(answer: Result<Resource, String>) -> Value {
    match answer {
        Ok(resource) => json!({ "ok": named(resource) }),
        Err(sentence) => json!({ "err": sentence }),
    }
}

fn found(m: Metadata) -> Value {
    let unresolved = m.unresolved.into_iter();
    let unresolved = unresolved.map(|u| json!({ "path": u.path, "position": place(u.position), "reason": u.reason }));
    json!({ "json": m.json, "doc": m.doc, "unresolved": unresolved.collect::<Vec<_>>() })
}

fn refusal(error: ExtractError) -> Value {
    match error {
        ExtractError::InvalidId(reason) => json!({ "invalid-id": reason }),
        ExtractError::TooLarge(limit) => json!({ "too-large": limit }),
        ExtractError::NotUtf8(position) => json!({ "not-utf8": place(position) }),
        ExtractError::Syntax(d) => json!({ "syntax": { "position": place(d.position), "message": d.message } }),
        ExtractError::TooDeep(position) => json!({ "too-deep": place(position) }),
        ExtractError::TooMuch(limit) => json!({ "too-much": limit }),
    }
}

fn named(r: Resource) -> Value {
    let parameters = r.parameters.into_iter().map(|p| json!({ "name": p.name, "value": p.value }));
    json!({ "template": r.template, "id": r.id, "parameters": parameters.collect::<Vec<_>>() })
}

fn place(Position { line, column }: Position) -> Value {
    json!({ "line": line, "column": column })
}
