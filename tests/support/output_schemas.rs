//! The output schemas of tools, as the binary lists them.

use std::collections::HashMap;
use std::sync::LazyLock;

use jsonschema::Validator;
use serde_json::{Value, json};

use super::client::{ClientRevision, StdioClient};
use super::{TestDir, run_wardroom};

/// The schemas by tool name.
static OUTPUT_SCHEMAS: LazyLock<HashMap<String, Validator>> = LazyLock::new(|| {
    let dir = TestDir::new();
    run_wardroom(dir.root(), &["init", "--appdir", &dir.app_path().display().to_string()]).expect_success();
    // The tools of a blog are listed where there is one.
    std::fs::create_dir(dir.app_path().join("blog")).unwrap();
    // So are those of a learning log.
    std::fs::create_dir(dir.app_path().join("ace")).unwrap();
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    let (mut schemas, mut params) = (HashMap::new(), json!({}));
    loop {
        let answer = client.call("tools/list", params);
        for tool in answer["result"]["tools"].as_array().unwrap() {
            let name = tool["name"].as_str().unwrap().to_owned();
            let schema = jsonschema::validator_for(&tool["outputSchema"]);
            schemas.insert(name.clone(), schema.unwrap_or_else(|error| panic!("{name}: {error}")));
        }
        match answer["result"].get("nextCursor") {
            Some(next) => params = json!({"cursor": next}),
            None => return schemas,
        }
    }
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
