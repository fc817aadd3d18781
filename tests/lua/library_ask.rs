//! What waits for an answer: llm, batches, forks, the cache, repair, and everything built on them.

use serde_json::{Value as Json, json};

use super::library_world::{World, error, value};

#[test]
fn llm_asks_one_question_with_its_options() {
    let ran = World::answering(["four"]).run(
        r#"return alc.llm("2+2?", { system = "short", max_tokens = 7, grounded = true, underspecified = false })"#,
    );
    assert_eq!(ran.value(), json!("four"));
    let query =
        json!({ "prompt": "2+2?", "system": "short", "max_tokens": 7, "grounded": true, "underspecified": false });
    assert_eq!(ran.asked, [("llm".to_owned(), json!({ "queries": [query], "batch": false }))]);
}
