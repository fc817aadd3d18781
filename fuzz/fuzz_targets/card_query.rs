//! `where` and `order_by`: of any documents, as JSON and as the index holds them, a query finds those that a naive reader
//! of the clause finds, and orders them by one total order.
#![no_main]

mod card_query {
    pub mod json;
}
#[path = "card_query/cards.rs"]
mod cards;
#[expect(dead_code, reason = "the crate uses the rest")]
#[path = "../../host/crates/alc/src/limits.rs"]
mod limits;

use std::cmp::Ordering;

use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};
use wardroom_base::limits::MAX_JSON_DEPTH;

use card_query::json::Json;
use cards::index::Packed;
use cards::{Condition, Order, foreign_operators};
use limits::{MAX_WHERE_CLAUSES, MAX_WHERE_DEPTH, MAX_WHERE_VALUES};

const OPERATORS: [&str; 11] = ["eq", "ne", "lt", "lte", "gt", "gte", "in", "nin", "exists", "contains", "starts_with"];

/// Reads a clause while it evaluates it.
struct Naive {
    tests: usize,
    values: usize,
}

fn is_foreign(name: &str) -> bool {
    foreign_operators().contains(&name)
        || name.starts_with('$')
        || !name.contains(|c: char| c.is_alphanumeric() || c == '_')
}

/// The clause is malformed.
struct Malformed;

impl Naive {
    fn object(&mut self, clause: &Value, document: Option<&Value>, depth: usize) -> Result<bool, Malformed> {
        let Value::Object(clause) = clause else { return Err(Malformed) };
        if depth > MAX_WHERE_DEPTH {
            return Err(Malformed);
        }
        let mut holds = true;
        for (key, value) in clause {
            holds &= match key.as_str() {
                "_not" => !self.object(value, document, depth + 1)?,
                "_and" => self.list(value, document, depth)?.into_iter().all(|holds| holds),
                "_or" => self.list(value, document, depth)?.into_iter().any(|holds| holds),
                name => {
                    let mut names = name.split('.');
                    if names.clone().any(str::is_empty) || names.clone().count() > MAX_WHERE_DEPTH {
                        return Err(Malformed);
                    }
                    let field =
                        document.and_then(|document| names.try_fold(document, |at, name| at.as_object()?.get(name)));
                    self.field(value, field, depth)?
                }
            };
        }
        Ok(holds)
    }

    fn list(&mut self, clauses: &Value, document: Option<&Value>, depth: usize) -> Result<Vec<bool>, Malformed> {
        let Value::Array(clauses) = clauses else { return Err(Malformed) };
        clauses.iter().map(|clause| self.object(clause, document, depth + 1)).collect()
    }

    fn field(&mut self, clause: &Value, field: Option<&Value>, depth: usize) -> Result<bool, Malformed> {
        match clause {
            Value::Object(tests) if tests.is_empty() => {
                self.tests += 1;
                Ok(true)
            }
            Value::Object(tests) if tests.keys().all(|name| OPERATORS.contains(&name.as_str())) => {
                let each = tests.iter().map(|(operator, operand)| self.test(operator, field, operand));
                Ok(each.collect::<Vec<_>>().into_iter().all(|holds| holds))
            }
            Value::Object(tests) if tests.keys().any(|name| OPERATORS.contains(&name.as_str()) || is_foreign(name)) => {
                Err(Malformed)
            }
            Value::Object(_) => self.object(clause, field, depth + 1),
            _ => Ok(self.test("eq", field, clause)),
        }
    }

    fn test(&mut self, operator: &str, field: Option<&Value>, operand: &Value) -> bool {
        self.tests += 1;
        self.values += operand.as_array().map_or(1, Vec::len);
        let is = |operand: &Value| field.is_some_and(|field| equal(field, operand));
        let order = field.and_then(|field| order(field, operand));
        let texts = field.and_then(|field| Some((field.as_str()?, operand.as_str()?)));
        let operands = operand.as_array();
        match operator {
            "eq" => is(operand),
            "ne" => !is(operand),
            "lt" => order == Some(Ordering::Less),
            "gt" => order == Some(Ordering::Greater),
            "lte" => matches!(order, Some(Ordering::Less | Ordering::Equal)),
            "gte" => matches!(order, Some(Ordering::Greater | Ordering::Equal)),
            "in" => operands.is_some_and(|operands| operands.iter().any(is)),
            // What is missing is in no list, whatever stands in place of the list.
            "nin" => field.is_none() || operands.is_some_and(|operands| !operands.iter().any(is)),
            "exists" => field.is_some() == operand.as_bool().unwrap_or(true),
            "contains" => texts.is_some_and(|(field, operand)| field.contains(operand)),
            _ => texts.is_some_and(|(field, operand)| field.starts_with(operand)),
        }
    }
}

fn number(value: &Value) -> Option<(Option<i64>, f64)> {
    let Value::Number(number) = value else { return None };
    Some((number.as_i64(), number.as_i64().map_or_else(|| number.as_f64().unwrap_or(f64::NAN), |whole| whole as f64)))
}

fn equal(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| equal(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let is_same = |(key, value): (&String, &Value)| other.get(key).is_some_and(|other| equal(value, other));
            one.len() == other.len() && one.iter().all(is_same)
        }
        _ => match (number(one), number(other)) {
            (Some((Some(one), _)), Some((Some(other), _))) => one == other,
            (Some((_, one)), Some((_, other))) => one == other,
            _ => one == other,
        },
    }
}

fn order(one: &Value, other: &Value) -> Option<Ordering> {
    match (one, other) {
        (Value::String(one), Value::String(other)) => Some(one.cmp(other)),
        (Value::Bool(one), Value::Bool(other)) => Some(one.cmp(other)),
        _ => number(one)?.1.partial_cmp(&number(other)?.1),
    }
}

fn count_levels(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(count_levels).max().unwrap_or(0),
        Value::Object(fields) => 1 + fields.values().map(count_levels).max().unwrap_or(0),
        _ => 0,
    }
}

fn check_condition(clause: &Value, documents: &[Value], packed: &[Packed]) {
    let condition = Condition::parse(clause);
    for (document, packed) in documents.iter().zip(packed) {
        let mut naive = Naive { tests: 0, values: 0 };
        let expected = if clause.is_null() { Ok(true) } else { naive.object(clause, Some(document), 0) };
        let is_within = naive.tests <= MAX_WHERE_CLAUSES && naive.values <= MAX_WHERE_VALUES;
        match (&condition, expected) {
            (Ok(condition), Ok(expected)) if is_within => {
                assert_eq!(condition.matches(document, packed), (expected, expected), "{clause} of {document}");
                assert!(expected || !condition.is_empty());
            }
            (Err(message), Ok(_)) if is_within => panic!("{clause}: {message}"),
            (Ok(_), _) => panic!("{clause} is beyond the bounds, or malformed"),
            (Err(message), _) => assert!(!message.is_empty() && message.len() < 1_000),
        }
    }
}

fn check_order(keys: &Value, documents: &[Value], packed: &[Packed]) {
    let Ok(order) = Order::parse(keys) else { return };
    let compare = |one: usize, other: usize| {
        let (plain, held) = order.compare([&documents[one], &documents[other]], [&packed[one], &packed[other]]);
        assert_eq!(plain, held, "{keys}: {} and {}", documents[one], documents[other]);
        plain
    };
    let all = 0..documents.len();
    for one in all.clone() {
        assert_eq!(compare(one, one), Ordering::Equal);
        for other in all.clone() {
            for third in all.clone() {
                if compare(one, other).is_le() && compare(other, third).is_le() {
                    assert!(compare(one, third).is_le(), "{keys} is no order of {documents:?}");
                }
            }
        }
    }
}

fuzz_target!(|input: (Vec<Json>, Json, Json)| {
    let (documents, clause, keys) = input;
    let mut documents: Vec<Value> = documents.into_iter().take(4).map(Value::from).collect();
    // A card is parsed from TOML, which is refused where it is nested deeper.
    documents.retain(|document| count_levels(document) <= MAX_JSON_DEPTH);
    documents.push(Value::Object(Map::new()));
    let Some(packed) = Packed::pack_all(&documents) else { return };
    for (document, packed) in documents.iter().zip(&packed) {
        let json = packed.json().expect("a packed value is one");
        assert!(equal(&json, document), "{document} -> {json}");
        assert_eq!(packed.text(&["a"]), document.get("a").and_then(Value::as_str));
    }
    check_condition(&Value::from(clause), &documents, &packed);
    check_order(&Value::from(keys), &documents, &packed);
});
