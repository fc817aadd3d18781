//! The output schemas of tools, as the binary documents them.

use std::collections::HashMap;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::Value;

use super::{TestDir, run_wardroom};

/// The schemas by tool name.
static OUTPUT_SCHEMAS: LazyLock<HashMap<String, Validator>> = LazyLock::new(|| {
    let dir = TestDir::new();
    run_wardroom(dir.root(), &["init", "--appdir", &dir.app_path().display().to_string()]).expect_success();
    // The tools of a blog are listed where there is one.
    std::fs::create_dir(dir.app_path().join("blog")).unwrap();
    // So are those of a learning log.
    std::fs::create_dir(dir.app_path().join("ace")).unwrap();
    let app = dir.app_path().display().to_string();
    let listed = run_wardroom(dir.root(), &["call", "--json", "--appdir", &app]).expect_success();
    let tools: Vec<Value> = serde_json::from_str(&listed).unwrap();
    let schema = |tool: &Value| {
        let name = tool["name"].as_str().unwrap().to_owned();
        let schema = jsonschema::validator_for(&tool["outputSchema"]);
        (name.clone(), schema.unwrap_or_else(|error| panic!("{name}: {error}")))
    };
    // The answer of a tool that calls others is theirs.
    tools.iter().filter(|tool| !tool["outputSchema"].is_null()).map(schema).collect()
});

/// Asserts that a tool's structured content, of failures too, matches its output schema: clients check both.
#[track_caller]
pub fn check_output_schema(tool: &str, content: &Value) {
    // A tool that a test declares itself has no schema here.
    let Some(schema) = OUTPUT_SCHEMAS.get(tool) else { return };
    let found: Vec<String> =
        schema.iter_errors(content).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(found.is_empty(), "{tool} answers against its schema: {found:#?}\n{content:#}");
}
