//! Tests of `where` and `order_by`: operators, limits, error messages, and agreement with a naive model.

use std::cmp::Ordering;

use proptest::prelude::*;
use serde_json::{Map, Value, json};
use wardroom_alc::limits::{
    MAX_FIELD_PATH_BYTES, MAX_ORDER_KEYS, MAX_WHERE_CLAUSES, MAX_WHERE_DEPTH, MAX_WHERE_VALUES,
};
use wardroom_service::limits::MAX_LENIENT_ARGUMENT_BYTES;

use super::{alc, ids, run_op, try_op};
use wardroom_test_support::TestDir;

#[test]
fn malformed_clause_or_order_is_reported() {
    let dir = TestDir::new();
    let alc = alc(&dir);
    let refusal = |arguments: Value| try_op(&alc, "card.find", arguments).unwrap_err();
    let deep = (0..MAX_WHERE_DEPTH + 2).fold(json!(1), |inner, _| json!({"x": inner}));
    let wide: Vec<Value> = (0..=MAX_WHERE_CLAUSES).map(|n| json!({"x": n})).collect();
    let many: Vec<usize> = (0..=MAX_WHERE_VALUES).collect();
    for (clause, expected) in [
        (json!(5), "where clause must be a table"),
        (json!({"_and": {"x": 1}}), "_and must be an array of sub-predicates"),
        (json!({"_or": 1}), "_or must be an array of sub-predicates"),
        (json!({"_or": [1]}), "where clause must be a table"),
        (json!({"_not": []}), "where clause must be a table"),
        (deep, "where clause is nested deeper than 16"),
        (json!({"_or": wide}), "where clause has more than 256 conditions"),
        // What tests nothing is evaluated as well.
        (json!({"_or": vec![json!({"_not": {}}); 4 * MAX_WHERE_CLAUSES]}), "where clause has more than 256 conditions"),
        (json!({"x".repeat(MAX_FIELD_PATH_BYTES + 1): 1}), "where clause names a field by more than 1024 bytes"),
        (
            json!({"x".repeat(MAX_FIELD_PATH_BYTES / 2 + 1): {"y".repeat(MAX_FIELD_PATH_BYTES / 2 + 1): 1}}),
            "where clause names a field by more than 1024 bytes",
        ),
        (json!({"x": {"in": many}}), "where clause compares with more than 1000 values; split it into several calls"),
    ] {
        assert_eq!(refusal(json!({"where": clause})), expected);
    }
    let known = "(known: eq, ne, lt, lte, gt, gte, in, nin, exists, contains, starts_with)";
    for (clause, name, path) in [
        (json!({"n": {"gt": 1, "smaller": 3}}), "smaller", "n"),
        (json!({"stats": {"n": {"like": "x"}}}), "like", "stats.n"),
        (json!({"stats.n": {"$gte": 1}}), "$gte", "stats.n"),
        (json!({"_or": [{"n": {">=": 1}}]}), ">=", "n"),
    ] {
        assert_eq!(
            refusal(json!({"where": clause})),
            format!("where: unknown operator '{name}' of '{path}' {known}; a field of this name is '{path}.{name}'")
        );
    }
    for field in ["a..b", ".", "", &["x"; MAX_WHERE_DEPTH + 1].join(".")] {
        assert_eq!(refusal(json!({"where": {field: 1}})), format!("invalid where field: '{field}'"));
    }
    for (keys, expected) in [
        (json!(""), "order_by key must not be empty"),
        (json!("a..b"), "invalid order_by key: 'a..b'"),
        (json!("-"), "invalid order_by key: '-'"),
        (json!(5), "order_by must be a string or array of strings"),
        (json!([5]), "order_by array must contain strings"),
        (json!(vec!["x"; MAX_ORDER_KEYS + 1]), "order_by has more than 16 keys"),
        (json!("a.".repeat(MAX_FIELD_PATH_BYTES)), "order_by names a field by more than 1024 bytes"),
    ] {
        assert_eq!(refusal(json!({"order_by": keys})), expected);
    }
}

#[test]
fn clause_in_a_string_is_short() {
    const CLAUSE: &str = r#"{"_and": []}"#;
    let dir = TestDir::new();
    let alc = alc(&dir);
    let clause = |bytes: usize| json!({"where": format!("{CLAUSE}{}", " ".repeat(bytes - CLAUSE.len()))});
    assert!(try_op(&alc, "card.find", clause(MAX_LENIENT_ARGUMENT_BYTES)).is_ok());
    let refused = try_op(&alc, "card.find", clause(MAX_LENIENT_ARGUMENT_BYTES + 1)).unwrap_err();
    assert!(refused.starts_with("where is a string, but not a JSON object: JSON is "), "{refused}");
}

/// Checks which of three cards match a clause.
#[track_caller]
#[expect(clippy::needless_pass_by_value, reason = "callers pass a literal")]
fn check(clause: Value, expected: &[&str]) {
    let dir = TestDir::new();
    dir.write_file("cards/p/a.toml", "n = 1\ntext = \"one two\"\nflag = true\nlist = [1, 2]\n[t]\nx = 1\n");
    dir.write_file("cards/p/b.toml", "n = 2.5\ntext = \"two\"\nflag = false\n[t]\ny = 1\n");
    dir.write_file("cards/p/c.toml", "text = 7\n");
    let found = run_op(&alc(&dir), "card.find", json!({"where": clause, "order_by": "card_id_that_is_missing"}));
    let mut found = ids(&found);
    found.sort();
    assert_eq!(found, expected);
}

#[test]
fn operators_match_original() {
    check(json!({}), &["a", "b", "c"]);
    check(Value::Null, &["a", "b", "c"]);
    check(json!({"n": 1}), &["a"]);
    check(json!({"n": 1.0}), &["a"]);
    check(json!({"n": {"ne": 1}}), &["b", "c"]);
    check(json!({"n": {"gt": 1, "lt": 3}}), &["b"]);
    check(json!({"n": {"gte": "1"}}), &[]);
    check(json!({"text": {"gt": "one"}}), &["a", "b"]);
    check(json!({"flag": {"gt": false}}), &["a"]);
    check(json!({"n": {"in": [1, 2.5]}}), &["a", "b"]);
    check(json!({"n": {"in": 1}}), &[]);
    check(json!({"n": {"nin": [1]}}), &["b", "c"]);
    check(json!({"n": {"exists": false}}), &["c"]);
    check(json!({"n": {"exists": "yes"}}), &["a", "b"]);
    check(json!({"t": {"exists": true}}), &["a", "b"]);
    check(json!({"t": {"x": 1}}), &["a"]);
    check(json!({"t": {"eq": {"y": 1.0}}}), &["b"]);
    check(json!({"t": {}}), &["a", "b", "c"]);
    check(json!({"list": [1, 2.0]}), &["a"]);
    check(json!({"text": {"contains": "two"}}), &["a", "b"]);
    check(json!({"text": {"starts_with": "two"}}), &["b"]);
    check(json!({"_or": [{"n": 1}, {"text": 7}]}), &["a", "c"]);
    check(json!({"_or": []}), &[]);
    check(json!({"_and": []}), &["a", "b", "c"]);
    check(json!({"_not": {"n": 1}}), &["b", "c"]);
    check(json!({"t": {"_or": [{"x": 1}, {"y": 1}]}}), &["a", "b"]);
    check(json!({"t.x": 1}), &["a"]);
    check(json!({"t.x": {"exists": false}, "n": {"gt": 2}}), &["b"]);
    check(json!({"_not": {"t.y": {"gte": 1}}}), &["a", "c"]);
    check(json!({"t.contains": {"exists": true}}), &[]);
}

/// A naive implementation of the documented language.
mod model {
    use super::*;

    const OPERATORS: [&str; 11] =
        ["eq", "ne", "lt", "lte", "gt", "gte", "in", "nin", "exists", "contains", "starts_with"];

    pub(super) fn matches_clause(clause: &Value, document: Option<&Value>) -> bool {
        clause.as_object().unwrap().iter().all(|(key, value)| match key.as_str() {
            "_and" => value.as_array().unwrap().iter().all(|clause| matches_clause(clause, document)),
            "_or" => value.as_array().unwrap().iter().any(|clause| matches_clause(clause, document)),
            "_not" => !matches_clause(value, document),
            key => field(value, document.and_then(|document| document.as_object()?.get(key))),
        })
    }

    /// Whether a table has operators and fields, which is refused.
    pub(super) fn is_refused(clause: &Value) -> bool {
        clause.as_object().unwrap().iter().any(|(key, value)| match (key.as_str(), value) {
            ("_and" | "_or", value) => value.as_array().unwrap().iter().any(is_refused),
            ("_not", value) => is_refused(value),
            (_, Value::Object(tests)) => {
                let n_operators = tests.keys().filter(|key| OPERATORS.contains(&key.as_str())).count();
                let is_mixed = n_operators > 0 && n_operators < tests.len();
                is_mixed || n_operators == 0 && is_refused(value)
            }
            _ => false,
        })
    }

    fn field(value: &Value, found: Option<&Value>) -> bool {
        match value.as_object() {
            Some(tests) if tests.is_empty() => true,
            Some(tests) if tests.keys().all(|key| OPERATORS.contains(&key.as_str())) => {
                tests.iter().all(|(operator, operand)| test(operator, operand, found))
            }
            Some(_) => matches_clause(value, found),
            None => test("eq", value, found),
        }
    }

    fn test(operator: &str, operand: &Value, found: Option<&Value>) -> bool {
        let Some(found) = found else {
            return matches!(operator, "ne" | "nin") || operator == "exists" && operand == &json!(false);
        };
        match operator {
            "exists" => operand != &json!(false),
            "eq" => same(found, operand),
            "ne" => !same(found, operand),
            "lt" => order(found, operand) == Some(Ordering::Less),
            "gt" => order(found, operand) == Some(Ordering::Greater),
            "lte" => matches!(order(found, operand), Some(Ordering::Less | Ordering::Equal)),
            "gte" => matches!(order(found, operand), Some(Ordering::Greater | Ordering::Equal)),
            "in" => operand.as_array().is_some_and(|all| all.iter().any(|one| same(found, one))),
            "nin" => operand.as_array().is_some_and(|all| !all.iter().any(|one| same(found, one))),
            "contains" => matches!((found, operand), (Value::String(a), Value::String(b)) if a.contains(b.as_str())),
            _ => matches!((found, operand), (Value::String(a), Value::String(b)) if a.starts_with(b.as_str())),
        }
    }

    fn same(a: &Value, b: &Value) -> bool {
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => a.as_f64() == b.as_f64(),
            (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
            (Value::Object(a), Value::Object(b)) => {
                a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
            }
            (a, b) => a == b,
        }
    }

    fn order(a: &Value, b: &Value) -> Option<Ordering> {
        match (a, b) {
            (Value::Number(a), Value::Number(b)) => a.as_f64()?.partial_cmp(&b.as_f64()?),
            (Value::String(a), Value::String(b)) => Some(a.cmp(b)),
            (Value::Bool(a), Value::Bool(b)) => Some(a.cmp(b)),
            _ => None,
        }
    }

    /// Compares by one key, ascending.
    pub(super) fn compare(a: Option<&Value>, b: Option<&Value>) -> Ordering {
        let kind = |value: Option<&Value>| match value {
            Some(Value::Bool(_)) => 0,
            Some(Value::Number(_)) => 1,
            Some(Value::String(_)) => 2,
            Some(_) => 3,
            None => 4,
        };
        kind(a).cmp(&kind(b)).then_with(|| a.zip(b).and_then(|(a, b)| order(a, b)).unwrap_or(Ordering::Equal))
    }
}

fn key() -> impl Strategy<Value = String> {
    prop_oneof!["[a-c]", Just("eq".to_owned())]
}

fn scalar() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<bool>().prop_map(Value::from),
        (-3i64..4).prop_map(Value::from),
        (-6i64..7).prop_map(|half| json!(half as f64 / 2.0)),
        "[xy]{0,3}".prop_map(Value::from),
    ]
}

fn document() -> impl Strategy<Value = Value> {
    let value = scalar().prop_recursive(2, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
            prop::collection::btree_map(key(), inner, 0..3).prop_map(|map| json!(map)),
        ]
    });
    prop::collection::btree_map(key(), value, 0..4).prop_map(|map| json!(map))
}

fn clause() -> impl Strategy<Value = Value> {
    let operand = prop_oneof![scalar(), prop::collection::vec(scalar(), 0..3).prop_map(Value::from), document()];
    let operator = prop::sample::select(vec![
        "eq",
        "ne",
        "lt",
        "lte",
        "gt",
        "gte",
        "in",
        "nin",
        "exists",
        "contains",
        "starts_with",
    ]);
    let tests = prop::collection::btree_map(operator, operand, 0..3).prop_map(|tests| json!(tests));
    let leaf = prop_oneof![scalar(), tests];
    let table = prop::collection::btree_map(key(), leaf, 0..3).prop_map(|map| json!(map));
    table.prop_recursive(3, 16, 3, |inner| {
        prop_oneof![
            prop::collection::btree_map(key(), inner.clone(), 0..3).prop_map(|map| json!(map)),
            prop::collection::vec(inner.clone(), 0..3).prop_map(|all| json!({"_and": all})),
            prop::collection::vec(inner.clone(), 0..3).prop_map(|any| json!({"_or": any})),
            inner.prop_map(|not| json!({"_not": not})),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn cards_and_samples_match_model(
        documents in prop::collection::vec(document(), 1..8),
        clause in clause(),
        descending in any::<bool>(),
    ) {
        let dir = TestDir::new();
        let alc = alc(&dir);
        for (number, document) in documents.iter().enumerate() {
            let text = toml::to_string(document.as_object().unwrap()).unwrap();
            dir.write_file(&format!("cards/p/{number}.toml"), text);
        }
        let rows: Vec<String> = documents.iter().map(Value::to_string).collect();
        dir.write_file("cards/p/0.samples.jsonl", rows.join("\n") + "\n");

        if model::is_refused(&clause) {
            let found = try_op(&alc, "card.find", json!({"where": clause}));
            prop_assert!(found.is_err());
            return Ok(());
        }
        let matching: Vec<usize> =
            (0..documents.len()).filter(|at| model::matches_clause(&clause, Some(&documents[*at]))).collect();
        let samples = run_op(&alc, "card.read_samples", json!({"card_id": "0", "where": clause}));
        let expected: Vec<&Value> = matching.iter().map(|at| &documents[*at]).collect();
        prop_assert_eq!(samples, json!(expected));

        let order_by = if descending { "-a.b" } else { "a.b" };
        let found = run_op(&alc, "card.find", json!({"where": clause, "order_by": order_by}));
        // The default order: newest first, then by descending id, since no card has a time.
        let mut sorted: Vec<usize> = matching.into_iter().rev().collect();
        let key = |at: &usize| documents[*at].as_object().and_then(|top: &Map<_, _>| top.get("a")?.as_object()?.get("b"));
        sorted.sort_by(|a, b| {
            let order = model::compare(key(a), key(b));
            if descending { order.reverse() } else { order }
        });
        let sorted: Vec<String> = sorted.iter().map(usize::to_string).collect();
        prop_assert_eq!(ids(&found), sorted);
    }
}
