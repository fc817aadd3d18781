//! Tests of lineages: ancestors and descendants of cards.

use serde_json::{Value, json};
use wardroom_alc::limits::MAX_LINEAGE_NODES;

use super::{alc, call_tool, create, run_op, try_op};
use wardroom_test_support::TestDir;

fn card(id: &str, prior: Option<(&str, &str)>) -> Value {
    let mut card = json!({"card_id": id, "pkg": {"name": "p"}, "stats": {"pass_rate": 0.5}});
    if let Some((prior, relation)) = prior {
        card["metadata"] = json!({"prior_card_id": prior, "prior_relation": relation});
    }
    card
}

fn family(dir: &TestDir) -> std::sync::Arc<wardroom_alc::Alc> {
    let alc = alc(dir);
    create(&alc, card("root", None));
    create(&alc, card("a", Some(("root", "sweep"))));
    create(&alc, card("b", Some(("root", "rerun"))));
    create(&alc, card("aa", Some(("a", "sweep"))));
    create(&alc, card("lost", Some(("nobody", "sweep"))));
    alc
}

/// Returns the nodes with their depths, the edges, and whether the lineage is truncated.
fn shape(lineage: &Value) -> (Vec<(String, i64)>, Vec<String>, bool) {
    let nodes = lineage["nodes"].as_array().unwrap();
    let nodes = nodes.iter().map(|n| (n["card_id"].as_str().unwrap().to_owned(), n["depth"].as_i64().unwrap()));
    let edges = lineage["edges"].as_array().unwrap().iter().map(|edge| {
        [&edge["from"], &edge["to"], &edge["relation"]].map(|field| field.as_str().unwrap_or("-")).join(" ")
    });
    (nodes.collect(), edges.collect(), lineage["truncated"].as_bool().unwrap())
}

#[track_caller]
fn check(alc: &wardroom_alc::Alc, arguments: Value, nodes: &[(&str, i64)], edges: &[&str], truncated: bool) {
    let lineage = run_op(alc, "card.lineage", arguments);
    let nodes: Vec<(String, i64)> = nodes.iter().map(|(id, depth)| ((*id).to_owned(), *depth)).collect();
    assert_eq!(shape(&lineage), (nodes, edges.iter().map(|edge| (*edge).to_owned()).collect(), truncated));
}

#[test]
fn lineage_lists_nearest_cards_first() {
    let dir = TestDir::new();
    let alc = family(&dir);
    check(
        &alc,
        json!({"card_id": "aa"}),
        &[("aa", 0), ("a", -1), ("root", -2)],
        &["aa a sweep", "a root sweep"],
        false,
    );
    check(&alc, json!({"card_id": "aa", "depth": 1}), &[("aa", 0), ("a", -1)], &["aa a sweep"], true);
    check(
        &alc,
        json!({"card_id": "root", "direction": "down"}),
        &[("root", 0), ("a", 1), ("b", 1), ("aa", 2)],
        &["a root sweep", "b root rerun", "aa a sweep"],
        false,
    );
    check(
        &alc,
        json!({"card_id": "a", "direction": "both"}),
        &[("a", 0), ("root", -1), ("aa", 1)],
        &["a root sweep", "aa a sweep"],
        false,
    );
    check(
        &alc,
        json!({"card_id": "root", "direction": "down", "relation_filter": ["rerun"]}),
        &[("root", 0), ("b", 1)],
        &["b root rerun"],
        false,
    );
    check(&alc, json!({"card_id": "lost"}), &[("lost", 0)], &[], false);
}

#[test]
fn lineage_node_shows_fields_of_card() {
    let dir = TestDir::new();
    let alc = family(&dir);
    let lineage = run_op(&alc, "card.lineage", json!({"card_id": "a"}));
    let expected = json!({"card_id": "a", "pkg": "p", "depth": 0, "prior_card_id": "root", "prior_relation": "sweep",
                          "stats": {"pass_rate": 0.5}});
    assert_eq!(lineage["nodes"][0], expected);
    let bare = run_op(&alc, "card.lineage", json!({"card_id": "root", "include_stats": false}));
    assert_eq!(
        bare,
        json!({"root": "root", "nodes": [{"card_id": "root", "pkg": "p", "depth": 0}], "edges": [], "truncated": false})
    );
}

#[test]
fn unknown_card_is_nil_for_script_and_error_for_tool() {
    let dir = TestDir::new();
    let alc = family(&dir);
    assert_eq!(run_op(&alc, "card.lineage", json!({"card_id": "gone"})), Value::Null);
    assert_eq!(
        call_tool(&alc, "alc_card_lineage", json!({"card_id": "gone"})).unwrap_err(),
        "CARD_NOT_FOUND: card 'gone' not found"
    );
    assert_eq!(
        try_op(&alc, "card.lineage", json!({"card_id": "a", "direction": "sideways"})).unwrap_err(),
        "direction must be 'up', 'down', or 'both' (got 'sideways')"
    );
}

#[test]
fn cycle_and_many_descendants_terminate() {
    let dir = TestDir::new();
    let alc = alc(&dir);
    create(&alc, card("x", Some(("z", "r"))));
    create(&alc, card("y", Some(("x", "r"))));
    create(&alc, card("z", Some(("y", "r"))));
    check(&alc, json!({"card_id": "x"}), &[("x", 0), ("z", -1), ("y", -2)], &["x z r", "z y r", "y x r"], false);
    for number in 0..=MAX_LINEAGE_NODES {
        dir.write_file(
            &format!("cards/p/c_{number}.toml"),
            format!("card_id = \"c_{number}\"\n[metadata]\nprior_card_id = \"y\"\n"),
        );
    }
    let lineage = run_op(&alc, "card.lineage", json!({"card_id": "y", "direction": "down"}));
    assert_eq!(lineage["nodes"].as_array().unwrap().len(), MAX_LINEAGE_NODES);
    assert_eq!(lineage["truncated"], true);
}
