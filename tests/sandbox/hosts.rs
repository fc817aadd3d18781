//! The corpus on which other hosts run the guest (`make hosts`): the digest of all answers equals theirs. docs/GUEST.md
//! defines its input.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use wardroom_base::uri::IdKind;
use wardroom_sandbox::{ExtractRefusal, GuestImage, PackageMetadata, ParsedUri, Sandbox, UnresolvedMetadata};

fn hosts() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../hosts")
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

fn sha256(bytes: impl AsRef<[u8]>) -> String {
    Sha256::digest(bytes).iter().map(|byte| format!("{byte:02x}")).collect()
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

fn metadata(PackageMetadata { json, doc, unresolved }: PackageMetadata) -> Value {
    let entry = |UnresolvedMetadata { path, line, column, reason }| json!({"path": path, "position": place(line, column), "reason": reason});
    json!({"json": json, "doc": doc, "unresolved": unresolved.into_iter().map(entry).collect::<Vec<_>>()})
}

fn refusal(refusal: ExtractRefusal) -> Value {
    match refusal {
        ExtractRefusal::InvalidId(reason) => json!({"invalid-id": reason}),
        ExtractRefusal::TooLarge(limit) => json!({"too-large": limit}),
        ExtractRefusal::NotUtf8 { line, column } => json!({"not-utf8": place(line, column)}),
        ExtractRefusal::Syntax { line, column, message } => {
            json!({"syntax": {"position": place(line, column), "message": message}})
        }
        ExtractRefusal::TooDeep { line, column } => json!({"too-deep": place(line, column)}),
        ExtractRefusal::TooMuch(limit) => json!({"too-much": limit}),
    }
}

fn parsed(ParsedUri { template, id, parameters }: ParsedUri) -> Value {
    let parameter = |(name, value): (String, u64)| json!({"name": name, "value": value});
    json!({"template": template, "id": id, "parameters": parameters.into_iter().map(parameter).collect::<Vec<_>>()})
}

#[test]
fn corpus_digest_equals_other_hosts() {
    let cases: Value = serde_json::from_slice(&fs::read(hosts().join("corpus/corpus.json")).unwrap()).unwrap();
    let all = |function: &str| cases[function].as_array().unwrap().clone();
    let sandbox = Sandbox::new(GuestImage::embedded());
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
    let digest = sha256(&lines);
    let kept = fs::read_to_string(hosts().join("digest.txt")).unwrap();
    let wanted = kept.lines().find_map(|line| line.strip_prefix("corpus ")).unwrap();
    assert_eq!(digest, wanted, "if that is meant, write it to tests/hosts/digest.txt and run `make hosts`");
}

/// Checks that a folder has these files with these checksums. `make hosts` builds a host with it.
#[track_caller]
fn check_frozen(folder: &str, frozen: &[(&str, &str)]) {
    let folder = hosts().join("rust").join(folder);
    for (file, digest) in frozen {
        assert_eq!(sha256(fs::read(folder.join(file)).unwrap()), *digest, "{file}: what changes, changes in wit/");
    }
    // Any other file in this folder would be part of the package.
    assert_eq!(fs::read_dir(folder).unwrap().count(), frozen.len());
}

/// The interfaces that hosts of the first version were built against. They may not change with the current ones.
#[test]
fn first_interface_version_is_unchanged() {
    check_frozen(
        "wit-0.1.0",
        &[
            ("deps/cli/run.wit", "a1ec4e81145a83ad884c672ae148217c5023e7e13f32e4073b59a326b27abedf"),
            ("package-meta.wit", "06516559f77ddbe0882440e5474094991409a395a463f3dfd86090e019d0f503"),
            ("resource-id.wit", "94ed51505f6353dab3f0f86cc19dddc64af01376329f88c8c82d287046747084"),
            ("world.wit", "12da28cee1d9314ea864edd7127bbeadfcbcbeb2b6b5f845be93ebb90ca40d86"),
        ],
    );
}

/// The same for the documents guest.
#[test]
fn first_version_of_documents_is_unchanged() {
    check_frozen(
        "wit-documents-0.1.0",
        &[
            ("document.wit", "d7fa5a63d356c71dc1b16f6eea9f7b452067e75cdf1724c3d98888995321df66"),
            ("image.wit", "f188475fecf47f280c07ffb47a0fc08d2c199b6c958c68b6328896cdc752a57a"),
            ("script-check.wit", "baab19ad58c762c9d11ba53640a89bbf2d6a659de0fddeb7660f1c6d80130959"),
            ("template-check.wit", "daaca7d19263f7ab231a36cba50a9a447bceaed6b26303260527a419772c1df9"),
            ("world.wit", "a8dd2ef92a94c85441b26c29b4824d7c68dafa8e132e911dbe5fd8699fd388b7"),
        ],
    );
}
