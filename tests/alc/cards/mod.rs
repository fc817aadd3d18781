//! Cards that are written, listed, searched and followed: by tools, by scripts, and by several processes at once.

mod index;
mod lineage;
mod query;
mod races;
mod sinks;
mod store;
mod tools;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use wardroom_alc::{Alc, AlcFolders, OperatorSettings};
use wardroom_appdir::{Access, LineIndexCache, ambient};
use wardroom_base::payload::Payload;
use wardroom_service::{CallContext, Catalogue, Service as _, ServiceError};

use wardroom_test_support::{SANDBOX, TestDir, check_output_schema};

/// 2026-11-21T02:44:17Z.
fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_229_057)
}

/// The service over an AppDir, as a process of its own would have it.
fn alc(dir: &TestDir) -> Alc {
    alc_at(&dir.app_path())
        .with_operator(OperatorSettings { app_path: Some(dir.app_path()), ..OperatorSettings::default() })
}

fn alc_at(app: &Path) -> Alc {
    let app = ambient::open_folder(app, Access::ReadWrite).unwrap();
    let folders = AlcFolders { app, logs: None, project: None, package_mounts: Vec::new() };
    Alc::new(folders, Arc::clone(&SANDBOX), LineIndexCache::new(None))
}

/// What a script is answered, or the sentence that it is told.
fn asked(alc: &Alc, operation: &str, arguments: Value) -> Result<Value, String> {
    alc.run_card_operation(operation, arguments, now(), &|| false)
}

#[track_caller]
fn told(alc: &Alc, operation: &str, arguments: Value) -> Value {
    asked(alc, operation, arguments).unwrap_or_else(|error| panic!("{operation}: {error}"))
}

/// Creates a card; its id.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "reads as the card that it is")]
fn create(alc: &Alc, card: Value) -> String {
    told(alc, "card.create", json!({"card": card}))["card_id"].as_str().unwrap().to_owned()
}

/// What a tool answers, or the code and the sentence of its failure.
fn called(alc: &Alc, tool: &str, arguments: Value) -> Result<Value, String> {
    let catalogue = Arc::new(Catalogue::new(Vec::new()));
    let context = CallContext::unbounded(&catalogue);
    match alc.call(tool, Payload::from_value(arguments), &context) {
        Ok(answer) => {
            let answer = answer.value.into_value();
            check_output_schema(tool, &answer);
            Ok(answer)
        }
        Err(ServiceError::Tool { code, message, .. }) => Err(format!("{code}: {message}")),
        Err(error) => Err(format!("{error:?}")),
    }
}

/// The ids of the cards that a script's list or search gives, in its order.
#[track_caller]
fn ids(rows: &Value) -> Vec<String> {
    rows.as_array().unwrap().iter().map(|row| row["card_id"].as_str().unwrap().to_owned()).collect()
}

#[track_caller]
fn listed(alc: &Alc) -> Vec<String> {
    ids(&told(alc, "card.list", json!({})))
}
