//! `where` and `order_by`: the condition and the order of a query for cards or rows.
//!
//! Owns: the query language (its operators, the meaning of a missing field, its limits) and its error messages.
//! Never: depends on how a document is stored: it reads fields through [`QueryDocument`].

use std::cmp::Ordering;

use serde_json::{Map, Value};

use crate::limits::{MAX_FIELD_PATH_BYTES, MAX_ORDER_KEYS, MAX_WHERE_CLAUSES, MAX_WHERE_DEPTH, MAX_WHERE_VALUES};
use wardroom_service::escape_and_truncate;

/// A document that conditions apply to: a JSON value, or a card as the index holds it.
pub(super) trait QueryDocument {
    /// The type of a path to a field.
    type Path;

    /// Returns the field at the end of a path; `None` where it is missing.
    fn field(&self, path: &Self::Path) -> Option<FieldValue<'_>>;

    /// Returns the field as JSON, for the comparison of tables and arrays.
    fn value(&self, path: &Self::Path) -> Option<Value>;
}

/// The value of a field, as far as operators distinguish it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum FieldValue<'a> {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(&'a str),
    /// A table or an array.
    Compound,
}

/// The keys to a field, from the outermost table inwards.
pub(super) type FieldPath = Box<[String]>;

/// A condition on a document; `P` is the path type of the documents.
#[derive(Debug)]
pub(super) enum Predicate<P = FieldPath> {
    All(Vec<Self>),
    Any(Vec<Self>),
    Not(Box<Self>),
    Test { path: P, operator: ComparisonOperator, operand: Value },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ComparisonOperator {
    Eq,
    Ne,
    Lt,
    Lte,
    Gt,
    Gte,
    In,
    Nin,
    Exists,
    Contains,
    StartsWith,
}

impl ComparisonOperator {
    const ALL: [(&'static str, Self); 11] = [
        ("eq", Self::Eq),
        ("ne", Self::Ne),
        ("lt", Self::Lt),
        ("lte", Self::Lte),
        ("gt", Self::Gt),
        ("gte", Self::Gte),
        ("in", Self::In),
        ("nin", Self::Nin),
        ("exists", Self::Exists),
        ("contains", Self::Contains),
        ("starts_with", Self::StartsWith),
    ];

    fn from_name(name: &str) -> Option<Self> {
        Self::ALL.iter().find(|(known, _)| *known == name).map(|(_, operator)| *operator)
    }
}

impl Predicate {
    /// Parses a `where` clause. An empty clause, or null, matches everything.
    ///
    /// # Errors
    /// A message for the caller on a malformed argument.
    pub(super) fn parse(clause: &Value) -> Result<Self, String> {
        match clause {
            Value::Null => Ok(Self::All(Vec::new())),
            clause => {
                let mut parser = PredicateParser {
                    clauses_left: MAX_WHERE_CLAUSES,
                    groups_left: MAX_GROUPS_PER_CLAUSE * MAX_WHERE_CLAUSES,
                    values_left: MAX_WHERE_VALUES,
                };
                parser.parse_object(clause, &[], 0)
            }
        }
    }

    /// Converts the condition for documents with another type of paths, the cheap ones of several conditions first.
    pub(super) fn resolve_paths<P>(&self, resolve: &impl Fn(&FieldPath) -> P) -> Predicate<P> {
        let each = |conditions: &Vec<Self>| {
            let mut by_cost: Vec<_> = conditions.iter().collect();
            by_cost.sort_by_key(|condition| condition.cost());
            by_cost.into_iter().map(|condition| condition.resolve_paths(resolve)).collect()
        };
        match self {
            Self::All(conditions) => Predicate::All(each(conditions)),
            Self::Any(conditions) => Predicate::Any(each(conditions)),
            Self::Not(condition) => Predicate::Not(Box::new(condition.resolve_paths(resolve))),
            Self::Test { path, operator, operand } => {
                Predicate::Test { path: resolve(path), operator: *operator, operand: operand.clone() }
            }
        }
    }
}

impl<P> Predicate<P> {
    /// Returns how long a test takes, beside other conditions: a number lies at a known place, a text behind other texts.
    fn cost(&self) -> u8 {
        match self {
            Self::Test { operand: Value::Null | Value::Bool(_) | Value::Number(_), .. } => 0,
            Self::Test { operand: Value::String(_), .. } => 1,
            Self::Test { operand: Value::Array(_) | Value::Object(_), .. } => 2,
            Self::All(conditions) | Self::Any(conditions) => conditions.iter().map(Self::cost).max().unwrap_or(0),
            Self::Not(condition) => condition.cost(),
        }
    }

    /// Returns whether the condition is empty.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::All(conditions) if conditions.is_empty())
    }

    pub(super) fn matches(&self, document: &impl QueryDocument<Path = P>) -> bool {
        match self {
            Self::All(conditions) => conditions.iter().all(|condition| condition.matches(document)),
            Self::Any(conditions) => conditions.iter().any(|condition| condition.matches(document)),
            Self::Not(condition) => !condition.matches(document),
            Self::Test { path, operator, operand } => evaluate_test(document, path, *operator, operand),
        }
    }
}

/// Tables around one condition: `{stats = {pass_rate = {gte = 1}}}` has two.
const MAX_GROUPS_PER_CLAUSE: usize = 4;

/// The parser of one clause, with the conditions and values that it may still contain.
struct PredicateParser {
    clauses_left: usize,
    /// Tables of conditions.
    groups_left: usize,
    values_left: usize,
}

impl PredicateParser {
    fn parse_object(&mut self, clause: &Value, above: &[String], depth: usize) -> Result<Predicate, String> {
        let Value::Object(clause) = clause else { return Err("where clause must be a table".to_owned()) };
        // An empty one is evaluated as well.
        self.groups_left = self.groups_left.checked_sub(1).ok_or_else(too_many_conditions)?;
        if depth > MAX_WHERE_DEPTH {
            return Err(format!("where clause is nested deeper than {MAX_WHERE_DEPTH}"));
        }
        let mut all = Vec::new();
        for (key, value) in clause {
            all.push(match key.as_str() {
                "_and" => Predicate::All(self.parse_list(key, value, above, depth)?),
                "_or" => Predicate::Any(self.parse_list(key, value, above, depth)?),
                "_not" => Predicate::Not(Box::new(self.parse_object(value, above, depth + 1)?)),
                name => self.parse_field(&field_path(above, name)?, value, depth)?,
            });
        }
        Ok(Predicate::All(all))
    }

    fn parse_list(
        &mut self,
        key: &str,
        conditions: &Value,
        above: &[String],
        depth: usize,
    ) -> Result<Vec<Predicate>, String> {
        let Value::Array(conditions) = conditions else {
            return Err(format!("{key} must be an array of sub-predicates"));
        };
        conditions.iter().map(|condition| self.parse_object(condition, above, depth + 1)).collect()
    }

    fn parse_field(&mut self, path: &[String], value: &Value, depth: usize) -> Result<Predicate, String> {
        match value {
            Value::Object(tests) if tests.is_empty() => self.count_clause().map(|()| Predicate::All(Vec::new())),
            Value::Object(tests) => match parse_operators(tests, path)? {
                Some(tests) => {
                    let each = tests.into_iter().map(|(operator, operand)| self.parse_test(path, operator, operand));
                    Ok(Predicate::All(each.collect::<Result<_, _>>()?))
                }
                None => self.parse_object(value, path, depth + 1),
            },
            value => self.parse_test(path, ComparisonOperator::Eq, value),
        }
    }

    fn parse_test(
        &mut self,
        path: &[String],
        operator: ComparisonOperator,
        operand: &Value,
    ) -> Result<Predicate, String> {
        self.count_clause()?;
        let values = operand.as_array().map_or(1, Vec::len);
        self.values_left = self.values_left.checked_sub(values).ok_or_else(|| {
            format!("where clause compares with more than {MAX_WHERE_VALUES} values; split it into several calls")
        })?;
        Ok(Predicate::Test { path: path.into(), operator, operand: operand.clone() })
    }

    fn count_clause(&mut self) -> Result<(), String> {
        let left = self.clauses_left.checked_sub(1);
        self.clauses_left = left.ok_or_else(too_many_conditions)?;
        Ok(())
    }
}

fn too_many_conditions() -> String {
    format!("where clause has more than {MAX_WHERE_CLAUSES} conditions")
}

/// Returns the path of a field below others. Each condition on it keeps a copy.
fn field_path(above: &[String], name: &str) -> Result<Vec<String>, String> {
    let bytes = above.iter().map(String::len).sum::<usize>() + name.len();
    if bytes > MAX_FIELD_PATH_BYTES {
        return Err(format!("where clause names a field by more than {MAX_FIELD_PATH_BYTES} bytes"));
    }
    let parts = name.split('.');
    if parts.clone().any(str::is_empty) || parts.clone().count() > MAX_WHERE_DEPTH {
        return Err(format!("invalid where field: '{}'", escape_and_truncate(name)));
    }
    Ok(above.iter().cloned().chain(parts.map(str::to_owned)).collect())
}

/// Parses a table of operators; `None` when no key is one, so that the table names fields.
///
/// # Errors
/// When some keys are operators and others are not, or a key is an operator of other languages.
fn parse_operators<'t>(
    tests: &'t Map<String, Value>,
    path: &[String],
) -> Result<Option<Vec<(ComparisonOperator, &'t Value)>>, String> {
    let is_known = |name: &str| ComparisonOperator::from_name(name).is_some();
    let has_known = tests.keys().any(|name| is_known(name));
    match tests.keys().find(|name| !is_known(name) && (has_known || is_foreign_operator(name))) {
        Some(unknown) => Err(unknown_operator(unknown, path)),
        None => Ok(tests
            .iter()
            .map(|(name, operand)| Some((ComparisonOperator::from_name(name)?, operand)))
            .collect::<Option<_>>()),
    }
}

/// Operators of other query languages. A table with one of them would name a field that no card has, and find nothing.
pub(super) const FOREIGN_OPERATORS: [&str; 18] = [
    "between",
    "contain",
    "ends_with",
    "endsWith",
    "equals",
    "exist",
    "ge",
    "ilike",
    "is",
    "le",
    "like",
    "matches",
    "neq",
    "not",
    "not_in",
    "regex",
    "startsWith",
    "startswith",
];

/// Whether a name is an operator of other languages: one of those, `$gt`, or `>=`.
fn is_foreign_operator(name: &str) -> bool {
    FOREIGN_OPERATORS.contains(&name)
        || name.starts_with('$')
        || !name.contains(|c: char| c.is_alphanumeric() || c == '_')
}

fn unknown_operator(name: &str, path: &[String]) -> String {
    let known = ComparisonOperator::ALL.map(|(name, _)| name).join(", ");
    let (name, path) = (escape_and_truncate(name), escape_and_truncate(&path.join(".")));
    format!("where: unknown operator '{name}' of '{path}' (known: {known}); a field of this name is '{path}.{name}'")
}

fn evaluate_test<D: QueryDocument>(
    document: &D,
    path: &D::Path,
    operator: ComparisonOperator,
    operand: &Value,
) -> bool {
    let field = document.field(path);
    if operator == ComparisonOperator::Exists {
        return field.is_some() == operand.as_bool().unwrap_or(true);
    }
    let Some(field) = field else { return matches!(operator, ComparisonOperator::Ne | ComparisonOperator::Nin) };
    let is = |operand: &Value| match (field, operand) {
        (FieldValue::Text(field), Value::String(operand)) => field == operand,
        (FieldValue::Compound, Value::Array(_) | Value::Object(_)) => {
            document.value(path).is_some_and(|value| json_values_equal(&value, operand))
        }
        (field, operand) => {
            FieldValue::from_json(operand) != FieldValue::Compound
                && fields_equal(field, FieldValue::from_json(operand))
        }
    };
    let order = || partial_compare(field, FieldValue::from_json(operand));
    let texts = || match (field, operand) {
        (FieldValue::Text(field), Value::String(operand)) => Some((field, operand.as_str())),
        _ => None,
    };
    match operator {
        ComparisonOperator::Eq => is(operand),
        ComparisonOperator::Ne => !is(operand),
        ComparisonOperator::Lt => order().is_some_and(Ordering::is_lt),
        ComparisonOperator::Lte => order().is_some_and(Ordering::is_le),
        ComparisonOperator::Gt => order().is_some_and(Ordering::is_gt),
        ComparisonOperator::Gte => order().is_some_and(Ordering::is_ge),
        ComparisonOperator::In => operand.as_array().is_some_and(|operands| operands.iter().any(is)),
        ComparisonOperator::Nin => operand.as_array().is_some_and(|operands| !operands.iter().any(is)),
        ComparisonOperator::Contains => texts().is_some_and(|(field, operand)| field.contains(operand)),
        ComparisonOperator::StartsWith => texts().is_some_and(|(field, operand)| field.starts_with(operand)),
        // Handled above.
        ComparisonOperator::Exists => true,
    }
}

impl<'a> FieldValue<'a> {
    pub(super) fn from_json(value: &'a Value) -> Self {
        match value {
            Value::Null => Self::Null,
            Value::Bool(flag) => Self::Bool(*flag),
            Value::Number(number) => {
                number.as_i64().map_or_else(|| Self::Float(number.as_f64().unwrap_or(f64::NAN)), Self::Integer)
            }
            Value::String(text) => Self::Text(text),
            Value::Array(_) | Value::Object(_) => Self::Compound,
        }
    }

    #[expect(clippy::cast_precision_loss, reason = "as the original orders numbers")]
    fn as_f64(self) -> Option<f64> {
        match self {
            Self::Integer(number) => Some(number as f64),
            Self::Float(number) => Some(number),
            Self::Null | Self::Bool(_) | Self::Text(_) | Self::Compound => None,
        }
    }
}

/// Compares numbers by their value: Lua's `1` and `1.0` are the same number to the author of a clause.
fn fields_equal(a: FieldValue, b: FieldValue) -> bool {
    match (a.as_f64(), b.as_f64()) {
        (Some(x), Some(y)) => match (a, b) {
            (FieldValue::Integer(x), FieldValue::Integer(y)) => x == y,
            _ => x == y,
        },
        _ => a == b,
    }
}

fn json_values_equal(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| json_values_equal(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| json_values_equal(a, b)))
        }
        (a, b)
            if FieldValue::from_json(a) == FieldValue::Compound || FieldValue::from_json(b) == FieldValue::Compound =>
        {
            false
        }
        (a, b) => fields_equal(FieldValue::from_json(a), FieldValue::from_json(b)),
    }
}

/// Orders numbers, texts and booleans, each only among their own kind.
fn partial_compare(a: FieldValue, b: FieldValue) -> Option<Ordering> {
    match (a, b) {
        (FieldValue::Text(a), FieldValue::Text(b)) => Some(a.cmp(b)),
        (FieldValue::Bool(a), FieldValue::Bool(b)) => Some(a.cmp(&b)),
        (a, b) => a.as_f64()?.partial_cmp(&b.as_f64()?),
    }
}

/// An `order_by`: fields and directions, the most significant first.
#[derive(Debug)]
pub(super) struct OrderBy<P = FieldPath>(pub(super) Vec<(P, SortDirection)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SortDirection {
    Ascending,
    Descending,
}

impl OrderBy {
    /// Parses an `order_by`: one key or several. No key, or null, keeps the existing order.
    ///
    /// # Errors
    /// A message for the caller on a malformed argument.
    pub(super) fn parse(keys: &Value) -> Result<Self, String> {
        let keys = match keys {
            Value::Null => return Ok(Self(Vec::new())),
            Value::String(key) => vec![key.as_str()],
            Value::Array(keys) => {
                let texts = keys.iter().map(|key| key.as_str().ok_or("order_by array must contain strings"));
                texts.collect::<Result<_, _>>()?
            }
            _ => return Err("order_by must be a string or array of strings".to_owned()),
        };
        if keys.len() > MAX_ORDER_KEYS {
            return Err(format!("order_by has more than {MAX_ORDER_KEYS} keys"));
        }
        Ok(Self(keys.into_iter().map(parse_order_key).collect::<Result<_, _>>()?))
    }

    pub(super) fn resolve_paths<P>(&self, resolve: &impl Fn(&FieldPath) -> P) -> OrderBy<P> {
        OrderBy(self.0.iter().map(|(path, direction)| (resolve(path), *direction)).collect())
    }
}

fn parse_order_key(key: &str) -> Result<(FieldPath, SortDirection), String> {
    let (path, direction) = match key.strip_prefix('-') {
        Some(path) => (path, SortDirection::Descending),
        None => (key, SortDirection::Ascending),
    };
    if key.is_empty() {
        return Err("order_by key must not be empty".to_owned());
    }
    if key.len() > MAX_FIELD_PATH_BYTES {
        return Err(format!("order_by names a field by more than {MAX_FIELD_PATH_BYTES} bytes"));
    }
    let parts: FieldPath = path.split('.').map(str::to_owned).collect();
    if parts.iter().any(String::is_empty) || parts.len() > MAX_WHERE_DEPTH {
        return Err(format!("invalid order_by key: '{}'", escape_and_truncate(key)));
    }
    Ok((parts, direction))
}

/// Orders two documents by one key. Missing fields come last, or first in a descending order. Values of different kinds
/// are ordered by kind, so that the order is total.
pub(super) fn compare_sort_values(a: Option<FieldValue>, b: Option<FieldValue>, direction: SortDirection) -> Ordering {
    let kind = |field: Option<FieldValue>| match field {
        Some(FieldValue::Bool(_)) => 0,
        Some(FieldValue::Integer(_) | FieldValue::Float(_)) => 1,
        Some(FieldValue::Text(_)) => 2,
        Some(FieldValue::Null | FieldValue::Compound) => 3,
        None => 4,
    };
    let ascending = kind(a).cmp(&kind(b)).then_with(|| match (a, b) {
        (Some(FieldValue::Text(a)), Some(FieldValue::Text(b))) => a.cmp(b),
        // All as `f64`: an exact comparison of integers among themselves would not be consistent with the floats.
        (Some(a), Some(b)) => match (a.as_f64(), b.as_f64()) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            _ => partial_compare(a, b).unwrap_or(Ordering::Equal),
        },
        _ => Ordering::Equal,
    });
    match direction {
        SortDirection::Ascending => ascending,
        SortDirection::Descending => ascending.reverse(),
    }
}

impl QueryDocument for Value {
    type Path = FieldPath;

    fn field(&self, path: &FieldPath) -> Option<FieldValue<'_>> {
        value_at_path(self, path).map(FieldValue::from_json)
    }

    fn value(&self, path: &FieldPath) -> Option<Value> {
        value_at_path(self, path).cloned()
    }
}

fn value_at_path<'a>(value: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, key| value.as_object()?.get(key))
}
