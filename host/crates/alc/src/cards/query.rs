//! `where` and `order_by`: which cards or rows are wanted, and in which order.
//!
//! Owns: the language (its operators, what a missing field means, its bounds) and its words for what is wrong.
//! Never: knows where a document is kept: it looks at one through [`Document`].

use std::cmp::Ordering;

use serde_json::{Map, Value};

use wardroom_base::limits::{MAX_ORDER_KEYS, MAX_WHERE_CLAUSES, MAX_WHERE_DEPTH, MAX_WHERE_VALUES};
use wardroom_service::shown;

/// What a condition can look at: a value of JSON, or a card as the index keeps it.
pub(super) trait Document {
    /// How the way to a field is written.
    type Path;

    /// What stands at the end of a path; nothing where the field is missing.
    fn field(&self, path: &Self::Path) -> Option<Field<'_>>;

    /// The same as a value of JSON, for comparing tables and arrays.
    fn value(&self, path: &Self::Path) -> Option<Value>;
}

/// A field, as far as operators can look into it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Field<'a> {
    Null,
    Bool(bool),
    Integer(i64),
    Float(f64),
    Text(&'a str),
    /// A table or an array.
    Compound,
}

/// The way to a field, from the outermost table inwards.
pub(super) type Path = Box<[String]>;

/// What is asked of a document. A path is of the kind that the documents have.
#[derive(Debug)]
pub(super) enum Condition<P = Path> {
    All(Vec<Self>),
    Any(Vec<Self>),
    Not(Box<Self>),
    Test { path: P, operator: Operator, operand: Value },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
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

impl Operator {
    fn named(name: &str) -> Option<Self> {
        Some(match name {
            "eq" => Self::Eq,
            "ne" => Self::Ne,
            "lt" => Self::Lt,
            "lte" => Self::Lte,
            "gt" => Self::Gt,
            "gte" => Self::Gte,
            "in" => Self::In,
            "nin" => Self::Nin,
            "exists" => Self::Exists,
            "contains" => Self::Contains,
            "starts_with" => Self::StartsWith,
            _ => return None,
        })
    }
}

impl Condition {
    /// Reads a `where` clause. None of it, or null, is true of everything.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
    pub(super) fn parse(clause: &Value) -> Result<Self, String> {
        match clause {
            Value::Null => Ok(Self::All(Vec::new())),
            clause => Reader { clauses: MAX_WHERE_CLAUSES, values: MAX_WHERE_VALUES }.object(clause, &[], 0),
        }
    }

    /// The same condition for documents with paths of another kind.
    pub(super) fn resolved<P>(&self, resolve: &impl Fn(&Path) -> P) -> Condition<P> {
        let each = |conditions: &Vec<Self>| conditions.iter().map(|condition| condition.resolved(resolve)).collect();
        match self {
            Self::All(conditions) => Condition::All(each(conditions)),
            Self::Any(conditions) => Condition::Any(each(conditions)),
            Self::Not(condition) => Condition::Not(Box::new(condition.resolved(resolve))),
            Self::Test { path, operator, operand } => {
                Condition::Test { path: resolve(path), operator: *operator, operand: operand.clone() }
            }
        }
    }
}

impl<P> Condition<P> {
    /// Whether it asks for nothing.
    pub(super) fn is_empty(&self) -> bool {
        matches!(self, Self::All(conditions) if conditions.is_empty())
    }

    pub(super) fn holds(&self, document: &impl Document<Path = P>) -> bool {
        match self {
            Self::All(conditions) => conditions.iter().all(|condition| condition.holds(document)),
            Self::Any(conditions) => conditions.iter().any(|condition| condition.holds(document)),
            Self::Not(condition) => !condition.holds(document),
            Self::Test { path, operator, operand } => test(document, path, *operator, operand),
        }
    }
}

/// A clause that is read, and how much of one may still come.
struct Reader {
    clauses: usize,
    values: usize,
}

impl Reader {
    fn object(&mut self, clause: &Value, above: &[String], depth: usize) -> Result<Condition, String> {
        let Value::Object(clause) = clause else { return Err("where clause must be a table".to_owned()) };
        if depth > MAX_WHERE_DEPTH {
            return Err(format!("where clause is nested deeper than {MAX_WHERE_DEPTH}"));
        }
        let mut all = Vec::new();
        for (key, value) in clause {
            all.push(match key.as_str() {
                "_and" => Condition::All(self.each(key, value, above, depth)?),
                "_or" => Condition::Any(self.each(key, value, above, depth)?),
                "_not" => Condition::Not(Box::new(self.object(value, above, depth + 1)?)),
                name => self.field(&[above, &[name.to_owned()]].concat(), value, depth)?,
            });
        }
        Ok(Condition::All(all))
    }

    fn each(
        &mut self,
        key: &str,
        conditions: &Value,
        above: &[String],
        depth: usize,
    ) -> Result<Vec<Condition>, String> {
        let Value::Array(conditions) = conditions else {
            return Err(format!("{key} must be an array of sub-predicates"));
        };
        conditions.iter().map(|condition| self.object(condition, above, depth + 1)).collect()
    }

    fn field(&mut self, path: &[String], value: &Value, depth: usize) -> Result<Condition, String> {
        match value {
            Value::Object(tests) if tests.is_empty() => self.clause().map(|()| Condition::All(Vec::new())),
            Value::Object(tests) => match operators(tests) {
                Some(tests) => {
                    let each = tests.into_iter().map(|(operator, operand)| self.test(path, operator, operand));
                    Ok(Condition::All(each.collect::<Result<_, _>>()?))
                }
                None => self.object(value, path, depth + 1),
            },
            value => self.test(path, Operator::Eq, value),
        }
    }

    fn test(&mut self, path: &[String], operator: Operator, operand: &Value) -> Result<Condition, String> {
        self.clause()?;
        let values = operand.as_array().map_or(1, Vec::len);
        self.values = self.values.checked_sub(values).ok_or_else(|| {
            format!("where clause compares with more than {MAX_WHERE_VALUES} values; ask in several parts")
        })?;
        Ok(Condition::Test { path: path.into(), operator, operand: operand.clone() })
    }

    fn clause(&mut self) -> Result<(), String> {
        let left = self.clauses.checked_sub(1);
        self.clauses = left.ok_or_else(|| format!("where clause has more than {MAX_WHERE_CLAUSES} conditions"))?;
        Ok(())
    }
}

/// A table of operators; nothing when any of its keys is none, and it therefore names fields.
fn operators(tests: &Map<String, Value>) -> Option<Vec<(Operator, &Value)>> {
    tests.iter().map(|(name, operand)| Some((Operator::named(name)?, operand))).collect()
}

fn test<D: Document>(document: &D, path: &D::Path, operator: Operator, operand: &Value) -> bool {
    let field = document.field(path);
    if operator == Operator::Exists {
        return field.is_some() == operand.as_bool().unwrap_or(true);
    }
    let Some(field) = field else { return matches!(operator, Operator::Ne | Operator::Nin) };
    let is = |operand: &Value| match (field, operand) {
        (Field::Compound, Value::Array(_) | Value::Object(_)) => {
            document.value(path).is_some_and(|value| same(&value, operand))
        }
        (field, operand) => Field::of(operand) != Field::Compound && equal(field, Field::of(operand)),
    };
    let ordered = |holds: fn(Ordering) -> bool| order(field, Field::of(operand)).is_some_and(holds);
    let text = |holds: fn(&str, &str) -> bool| match (field, operand) {
        (Field::Text(field), Value::String(operand)) => holds(field, operand),
        _ => false,
    };
    match operator {
        Operator::Eq => is(operand),
        Operator::Ne => !is(operand),
        Operator::Lt => ordered(Ordering::is_lt),
        Operator::Lte => ordered(Ordering::is_le),
        Operator::Gt => ordered(Ordering::is_gt),
        Operator::Gte => ordered(Ordering::is_ge),
        Operator::In => operand.as_array().is_some_and(|operands| operands.iter().any(is)),
        Operator::Nin => operand.as_array().is_some_and(|operands| !operands.iter().any(is)),
        Operator::Contains => text(|field, operand| field.contains(operand)),
        Operator::StartsWith => text(|field, operand| field.starts_with(operand)),
        // Answered above.
        Operator::Exists => true,
    }
}

impl<'a> Field<'a> {
    pub(super) fn of(value: &'a Value) -> Self {
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
    fn number(self) -> Option<f64> {
        match self {
            Self::Integer(number) => Some(number as f64),
            Self::Float(number) => Some(number),
            Self::Null | Self::Bool(_) | Self::Text(_) | Self::Compound => None,
        }
    }
}

/// Numbers are equal by what they are worth: Lua's `1` and `1.0` are one number to who writes a clause.
fn equal(a: Field, b: Field) -> bool {
    match (a.number(), b.number()) {
        (Some(x), Some(y)) => match (a, b) {
            (Field::Integer(x), Field::Integer(y)) => x == y,
            _ => x == y,
        },
        _ => a == b,
    }
}

fn same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b)),
        (Value::Object(a), Value::Object(b)) => {
            a.len() == b.len() && a.iter().all(|(key, a)| b.get(key).is_some_and(|b| same(a, b)))
        }
        (a, b) if Field::of(a) == Field::Compound || Field::of(b) == Field::Compound => false,
        (a, b) => equal(Field::of(a), Field::of(b)),
    }
}

/// Only numbers, texts and truth values have an order, each kind among itself.
fn order(a: Field, b: Field) -> Option<Ordering> {
    match (a, b) {
        (Field::Text(a), Field::Text(b)) => Some(a.cmp(b)),
        (Field::Bool(a), Field::Bool(b)) => Some(a.cmp(&b)),
        (a, b) => a.number()?.partial_cmp(&b.number()?),
    }
}

/// `order_by`: fields and directions, the first counts most.
#[derive(Debug)]
pub(super) struct OrderBy<P = Path>(pub(super) Vec<(P, Direction)>);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Direction {
    Ascending,
    Descending,
}

impl OrderBy {
    /// Reads an `order_by`: a key, or several. None, or null, is the order that there is.
    ///
    /// # Errors
    /// A sentence that says what is wrong with it.
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
        Ok(Self(keys.into_iter().map(order_key).collect::<Result<_, _>>()?))
    }

    pub(super) fn resolved<P>(&self, resolve: &impl Fn(&Path) -> P) -> OrderBy<P> {
        OrderBy(self.0.iter().map(|(path, direction)| (resolve(path), *direction)).collect())
    }
}

fn order_key(key: &str) -> Result<(Path, Direction), String> {
    let (path, direction) = match key.strip_prefix('-') {
        Some(path) => (path, Direction::Descending),
        None => (key, Direction::Ascending),
    };
    if key.is_empty() {
        return Err("order_by key must not be empty".to_owned());
    }
    let parts: Path = path.split('.').map(str::to_owned).collect();
    if parts.iter().any(String::is_empty) || parts.len() > MAX_WHERE_DEPTH {
        return Err(format!("invalid order_by key: '{}'", shown(key)));
    }
    Ok((parts, direction))
}

/// Orders two documents by one key. Missing fields come last, and first where it descends. What has no order in common
/// is ordered by its kind, so that there is one order of all.
pub(super) fn compare(a: Option<Field>, b: Option<Field>, direction: Direction) -> Ordering {
    let kind = |field: Option<Field>| match field {
        Some(Field::Bool(_)) => 0,
        Some(Field::Integer(_) | Field::Float(_)) => 1,
        Some(Field::Text(_)) => 2,
        Some(Field::Null | Field::Compound) => 3,
        None => 4,
    };
    let ascending = kind(a).cmp(&kind(b)).then_with(|| match (a, b) {
        // All of them as `f64`: whole numbers compared as such among themselves would not be one order with the others.
        (Some(a), Some(b)) => match (a.number(), b.number()) {
            (Some(a), Some(b)) => a.total_cmp(&b),
            _ => order(a, b).unwrap_or(Ordering::Equal),
        },
        _ => Ordering::Equal,
    });
    match direction {
        Direction::Ascending => ascending,
        Direction::Descending => ascending.reverse(),
    }
}

impl Document for Value {
    type Path = Path;

    fn field(&self, path: &Path) -> Option<Field<'_>> {
        at(self, path).map(Field::of)
    }

    fn value(&self, path: &Path) -> Option<Value> {
        at(self, path).cloned()
    }
}

fn at<'a>(value: &'a Value, path: &[String]) -> Option<&'a Value> {
    path.iter().try_fold(value, |value, key| value.as_object()?.get(key))
}
