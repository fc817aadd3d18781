//! Tests of cards: writes, lists, searches and lineages, by tools, by scripts and by several processes at once.

mod index;
mod lineage;
mod query;
mod races;
mod sinks;
mod store;
mod tools;
mod watched;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use wardroom_alc::{Alc, AlcFolders, AlcOptions, CardOperation, CardSink, OperatorSettings, perform_card_operation};
use wardroom_appdir::{Access, LineIndexCache, ambient};
use wardroom_base::payload::Payload;
use wardroom_service::{Catalogue, RequestInfo, Service, ServiceError};

use wardroom_test_support::{SANDBOX, TestDir, check_output_schema};

/// 2026-11-21T02:44:17Z.
fn now() -> SystemTime {
    SystemTime::UNIX_EPOCH + Duration::from_secs(1_795_229_057)
}

/// Returns a new service over an AppDir, as another process would have it.
fn alc(dir: &TestDir) -> Arc<Alc> {
    Arc::new(unshared_alc(dir, Vec::new()))
}

fn unshared_alc(dir: &TestDir, card_sinks: Vec<CardSink>) -> Alc {
    let operator = OperatorSettings { app_path: Some(dir.app_path()), ..OperatorSettings::default() };
    alc_at(&dir.app_path(), AlcOptions { operator, card_sinks, ..AlcOptions::default() })
}

fn alc_at(app: &Path, options: AlcOptions) -> Alc {
    let app = ambient::open_folder(app, Access::ReadWrite).unwrap();
    let folders = AlcFolders { app, logs: None, project: None, package_mounts: Vec::new() };
    Alc::with_options(folders, Arc::clone(&SANDBOX), LineIndexCache::new(None), options)
}

/// Runs an operation as a script; returns its answer or its error message.
#[expect(clippy::needless_pass_by_value, reason = "callers pass a literal")]
fn try_op(alc: &Alc, operation: &str, arguments: Value) -> Result<Value, String> {
    let operation = CardOperation::new(operation, &arguments, now());
    perform_card_operation(alc.cards(), &operation, &|| false).map_err(|error| error.to_string())
}

#[track_caller]
fn run_op(alc: &Alc, operation: &str, arguments: Value) -> Value {
    try_op(alc, operation, arguments).unwrap_or_else(|error| panic!("{operation}: {error}"))
}

/// Creates a card and returns its id.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "callers pass a literal")]
fn create(alc: &Alc, card: Value) -> String {
    run_op(alc, "card.create", json!({"card": card}))["card_id"].as_str().unwrap().to_owned()
}

/// Calls a tool; returns its answer, or the code and message of its error.
fn call_tool(alc: &Arc<Alc>, tool: &str, arguments: Value) -> Result<Value, String> {
    let catalogue = Arc::new(Catalogue::new(vec![Arc::clone(alc) as Arc<dyn Service>]));
    let info = RequestInfo::new(&catalogue);
    match catalogue.call_blocking(tool, Payload::from_value(arguments), &info) {
        Ok(answer) => {
            let answer = answer.value.into_value();
            check_output_schema(tool, &answer);
            Ok(answer)
        }
        Err(ServiceError::Tool { code, message, .. }) => Err(format!("{code}: {message}")),
        Err(error) => Err(format!("{error:?}")),
    }
}

/// Returns the ids of the cards in a script's list or search, in its order.
#[track_caller]
fn ids(rows: &Value) -> Vec<String> {
    rows.as_array().unwrap().iter().map(|row| row["card_id"].as_str().unwrap().to_owned()).collect()
}

#[track_caller]
fn list_ids(alc: &Alc) -> Vec<String> {
    ids(&run_op(alc, "card.list", json!({})))
}
