//! Answers in the form that every host hashes (docs/GUEST.md), and the cases that they answer.

use std::{env, fs, path::PathBuf};

use serde_json::{Value, json};
use wasmtime::Result;

use crate::exports::wardroom::guest::package_meta::{ExtractError, Metadata, Position};
use crate::exports::wardroom::guest::resource_id::{Kind, Resource};

pub fn answer<T, E>(answer: Result<T, E>, ok: impl Fn(T) -> Value, err: impl Fn(E) -> Value) -> Value {
    answer.map_or_else(|error| json!({ "err": err(error) }), |value| json!({ "ok": ok(value) }))
}

pub fn metadata(m: Metadata) -> Value {
    let unresolved = m.unresolved.into_iter();
    let unresolved = unresolved.map(|u| json!({ "path": u.path, "position": place(u.position), "reason": u.reason }));
    json!({ "json": m.json, "doc": m.doc, "unresolved": unresolved.collect::<Vec<_>>() })
}

pub fn refusal(error: ExtractError) -> Value {
    match error {
        ExtractError::InvalidId(reason) => json!({ "invalid-id": reason }),
        ExtractError::TooLarge(limit) => json!({ "too-large": limit }),
        ExtractError::NotUtf8(position) => json!({ "not-utf8": place(position) }),
        ExtractError::Syntax(d) => json!({ "syntax": { "position": place(d.position), "message": d.message } }),
        ExtractError::TooDeep(position) => json!({ "too-deep": place(position) }),
        ExtractError::TooMuch(limit) => json!({ "too-much": limit }),
    }
}

pub fn resource(r: Resource) -> Value {
    let parameters = r.parameters.into_iter().map(|p| json!({ "name": p.name, "value": p.value }));
    json!({ "template": r.template, "id": r.id, "parameters": parameters.collect::<Vec<_>>() })
}

fn place(Position { line, column }: Position) -> Value {
    json!({ "line": line, "column": column })
}

/// The cases of the corpus that the command line names.
pub struct Corpus {
    path: PathBuf,
    cases: Value,
}

impl Corpus {
    pub fn load() -> Result<Self> {
        let path = PathBuf::from(env::args().nth(2).unwrap_or_default());
        let cases = serde_json::from_slice(&fs::read(&path)?).map_err(wasmtime::Error::new)?;
        Ok(Self { path, cases })
    }

    /// Names and sources of packages.
    pub fn sources(&self) -> Result<Vec<(String, Vec<u8>)>> {
        let source = |case: &Value| match case["file"].as_str() {
            Some(file) => fs::read(self.path.with_file_name(file)),
            None => Ok(text(&case["text"]).repeat(case["times"].as_u64().unwrap_or(1) as usize).into_bytes()),
        };
        self.all("extract").iter().map(|case| Ok((text(&case["name"]), source(case)?))).collect()
    }

    pub fn ids(&self) -> Vec<(Kind, String)> {
        self.all("check").iter().map(|case| (kind(&text(&case[0])), text(&case[1]))).collect()
    }

    pub fn uris(&self) -> Vec<String> {
        self.all("parse").iter().map(text).collect()
    }

    fn all(&self, function: &str) -> &[Value] {
        self.cases[function].as_array().map_or(&[], Vec::as_slice)
    }
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
