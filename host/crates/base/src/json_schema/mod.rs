//! JSON Schemas (2020-12) of user-defined tools, and those that handlers validate values with.
//!
//! Owns: their limits, on the schema when it is compiled and on the work for each value before it starts. The author of
//! a schema or a value could otherwise hold a thread forever, fill memory or overflow the stack. A schema refers to
//! nothing outside itself.
//! Never: repeats an invalid value in an error, which names the location and the rule.

mod graph;
mod violations;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::thread;

use jsonschema::{Draft, PatternOptions, Validator};
use regex_automata::nfa::thompson::{Config, NFA};
use regex_syntax::hir::{Hir, HirKind, Look};
use serde_json::Value;

use self::graph::SchemaGraph;
pub use self::violations::Violations;
use crate::byte_size::ByteSize;
use crate::limits::{
    MAX_COMPILED_PATTERN_BYTES, MAX_SCHEMA_BYTES, MAX_SCHEMA_COMPILED_PATTERN_BYTES, MAX_SCHEMA_PATTERNS,
};
use crate::payload::escape_and_truncate;

/// A compiled schema, which values are validated against.
#[derive(Debug, Clone)]
pub struct CompiledSchema(Arc<CompiledSchemaInner>);

#[derive(Debug)]
struct CompiledSchemaInner {
    validator: Validator,
    graph: SchemaGraph,
    /// The length of the schema as JSON.
    bytes: usize,
}

impl CompiledSchema {
    /// Whether another clone of this schema exists.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        Arc::strong_count(&self.0) > 1
    }

    /// Whether both are clones of the same compiled schema.
    #[must_use]
    pub fn ptr_eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// Compiles a schema.
    ///
    /// # Errors
    /// The rule of schemas that it breaks.
    pub fn new(schema: &Value) -> Result<Self, String> {
        Self::build_with(schema, |levels| {
            if levels <= MAX_SHALLOW_LEVELS {
                return build_validator(schema);
            }
            // `jsonschema` recurses once for each level.
            thread::scope(|scope| {
                let builder = thread::Builder::new().name("schema".into()).stack_size(COMPILE_STACK_BYTES);
                let built =
                    builder.spawn_scoped(scope, || build_validator(schema)).ok().and_then(|built| built.join().ok());
                built.unwrap_or_else(|| Err("cannot be compiled: no thread could be started for it".to_owned()))
            })
        })
    }

    /// Compiles a schema on the calling thread: for a process that cannot start another thread and has the stack of a
    /// main thread.
    ///
    /// # Errors
    /// As [`Self::new`].
    pub fn new_on_current_thread(schema: &Value) -> Result<Self, String> {
        Self::build_with(schema, |_| build_validator(schema))
    }

    fn build_with(schema: &Value, built: impl FnOnce(usize) -> Result<Validator, String>) -> Result<Self, String> {
        let bytes = schema.to_string().len();
        if bytes > MAX_SCHEMA_BYTES {
            let (len, limit) = (ByteSize(bytes as u64), ByteSize(MAX_SCHEMA_BYTES as u64));
            return Err(format!("is {len} long as JSON, the limit is {limit}"));
        }
        let shape = SchemaGraph::new(schema, &PatternLengths::measure(schema)?)?;
        let validator = built(shape.levels())?;
        Ok(Self(Arc::new(CompiledSchemaInner { validator, graph: shape, bytes })))
    }

    /// Validates a value.
    ///
    /// # Errors
    /// The locations and the reasons of the violations, or that validation would take too much work.
    pub fn check(&self, value: &Value) -> Result<(), String> {
        self.violations(value)?.map_or(Ok(()), |violations| Err(violations.to_string()))
    }

    /// Returns the violations of a value; `None` for a valid one.
    ///
    /// # Errors
    /// A message when validation would take too much work.
    pub fn violations(&self, value: &Value) -> Result<Option<Violations>, String> {
        let CompiledSchemaInner { validator, graph, bytes } = &*self.0;
        let steps = graph.check_work(value)?;
        Ok(Violations::find(validator, value, steps, *bytes))
    }
}

/// Levels for which the stack of any thread is large enough.
const MAX_SHALLOW_LEVELS: usize = 100;
/// Large enough for `MAX_SCHEMA_NESTING` levels.
const COMPILE_STACK_BYTES: usize = 32 * 1024 * 1024;

fn build_validator(schema: &Value) -> Result<Validator, String> {
    // This engine takes linear time for every pattern.
    let patterns =
        PatternOptions::regex().size_limit(MAX_COMPILED_PATTERN_BYTES).dfa_size_limit(MAX_COMPILED_PATTERN_BYTES);
    let options = jsonschema::options().with_draft(Draft::Draft202012).with_pattern_options(patterns);
    let mut schema = schema.clone();
    remove_dialects(&mut schema);
    options.build(&schema).map_err(|error| {
        let place = error.instance_path().to_string();
        let place = if place.is_empty() { String::new() } else { format!(" at {place}") };
        let reason = error.to_string();
        // Such a pattern may be one of another engine.
        let limits = if reason.ends_with("is not a \"regex\"") {
            ": patterns have no lookahead and no backreference, and no large repetition"
        } else {
            ""
        };
        format!("is not a JSON Schema of 2020-12{place}: {}{limits}", escape_and_truncate(&reason))
    })
}

/// Removes the names of dialects: every schema is one of 2020-12. `jsonschema` would look up which keywords the named dialect
/// has, find none for draft 07, and so accept every value.
fn remove_dialects(schema: &mut Value) {
    match schema {
        Value::Array(items) => items.iter_mut().for_each(remove_dialects),
        Value::Object(fields) => {
            if fields.get("$schema").is_some_and(Value::is_string) {
                fields.remove("$schema");
            }
            for (name, value) in fields {
                match (name.as_str(), value) {
                    // Values, and not schemas.
                    ("const" | "enum" | "default" | "examples", _) => {}
                    // Schemas by names, which may be those of keywords.
                    ("properties" | "patternProperties" | "dependentSchemas" | "$defs", Value::Object(schemas)) => {
                        schemas.values_mut().for_each(remove_dialects);
                    }
                    (_, value) => remove_dialects(value),
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// The patterns of a schema, each with its length when every repetition is written out: `[ab]{1000}c` has 1,001 places.
#[derive(Debug)]
struct PatternLengths<'s>(BTreeMap<&'s str, u64>);

impl<'s> PatternLengths<'s> {
    /// Reads the patterns, and checks their number and the total size that they have compiled: `jsonschema` limits each pattern
    /// separately.
    fn measure(schema: &'s Value) -> Result<Self, String> {
        let mut patterns = BTreeSet::new();
        collect_patterns(schema, &mut patterns);
        if patterns.len() > MAX_SCHEMA_PATTERNS {
            return Err(format!("has {} patterns, the limit is {MAX_SCHEMA_PATTERNS}", patterns.len()));
        }
        let (mut left, mut lengths) = (MAX_SCHEMA_COMPILED_PATTERN_BYTES, BTreeMap::new());
        for pattern in patterns {
            let limit = Config::new().nfa_size_limit(Some(MAX_COMPILED_PATTERN_BYTES));
            // A pattern that only `jsonschema` understands counts with the largest allowed size.
            let bytes = NFA::compiler()
                .configure(limit)
                .build(pattern)
                .map_or(MAX_COMPILED_PATTERN_BYTES, |nfa| nfa.memory_usage());
            left = left.checked_sub(bytes).ok_or_else(|| {
                let limit = ByteSize(MAX_SCHEMA_COMPILED_PATTERN_BYTES as u64);
                format!(
                    "has patterns that take more than {limit} together when they are compiled: use fewer or shorter ones"
                )
            })?;
            lengths.insert(pattern, pattern_len(pattern));
        }
        Ok(Self(lengths))
    }

    fn get(&self, pattern: &str) -> u64 {
        self.0.get(pattern).copied().unwrap_or(0)
    }
}

/// Returns the length of a pattern with every repetition written out.
fn pattern_len(pattern: &str) -> u64 {
    /// Bytes that each place of a pattern takes at least, once the pattern is compiled.
    const MIN_PLACE_BYTES: u64 = 16;
    let parse = |pattern: &str| regex_syntax::parse(pattern).ok();
    let parsed = parse(pattern).or_else(|| parse(&without_control_escapes(pattern)));
    // A pattern that only `jsonschema` understands may be as long as any that it compiles.
    parsed.map_or(MAX_COMPILED_PATTERN_BYTES as u64 / MIN_PLACE_BYTES, |parsed| written_out_len(&parsed))
}

/// Writes a plain letter for each control letter, such as `\cA`, which `jsonschema` takes from ECMAScript.
fn without_control_escapes(pattern: &str) -> String {
    let (mut plain, mut left) = (String::with_capacity(pattern.len()), pattern.chars());
    while let Some(c) = left.next() {
        let escaped = if c == '\\' { left.next() } else { None };
        match escaped {
            Some('c') => plain.extend(left.next().map(|_| 'c')),
            escaped => plain.extend(Some(c).into_iter().chain(escaped)),
        }
    }
    plain
}

fn written_out_len(pattern: &Hir) -> u64 {
    match pattern.kind() {
        HirKind::Empty
        | HirKind::Class(_)
        | HirKind::Look(Look::Start | Look::End | Look::StartLF | Look::EndLF | Look::StartCRLF | Look::EndCRLF) => 1,
        // The boundary of a word keeps the fast engines away.
        HirKind::Look(_) => 4,
        HirKind::Literal(literal) => literal.0.len() as u64,
        HirKind::Capture(capture) => written_out_len(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(written_out_len).fold(0, u64::saturating_add)
        }
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min.saturating_add(1));
            written_out_len(&repetition.sub).saturating_mul(u64::from(times))
        }
    }
}

fn collect_patterns<'s>(schema: &'s Value, patterns: &mut BTreeSet<&'s str>) {
    match schema {
        Value::Array(items) => items.iter().for_each(|item| collect_patterns(item, patterns)),
        Value::Object(fields) => {
            for (name, value) in fields {
                match (name.as_str(), value) {
                    ("pattern", Value::String(pattern)) => drop(patterns.insert(pattern)),
                    ("patternProperties", Value::Object(fields)) => patterns.extend(fields.keys().map(String::as_str)),
                    _ => {}
                }
                collect_patterns(value, patterns);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

/// Initializes a value that the regex engine reads from the system's files once, the number of processors. A process
/// calls this before it can open no more files.
pub fn init_regex_pool_capacity() {
    regex_automata::meta::Config::new().get_pool_capacity();
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn schema_of_another_dialect_is_one_of_2020_12() {
        for dialect in [
            "http://json-schema.org/draft-07/schema#",
            "http://json-schema.org/draft-04/schema#",
            "https://json-schema.org/draft/2019-09/schema",
            "https://json-schema.org/draft/2020-12/schema",
            "https://example.com/mine",
        ] {
            let below = json!({"$schema": dialect, "type": "object", "required": ["n"]});
            let schemas = [
                below.clone(),
                json!({"properties": {"const": below}, "required": ["const"]}),
                json!({"$defs": {"d": below}, "properties": {"const": {"$ref": "#/$defs/d", "minProperties": 1}}}),
                json!({"anyOf": [false, {"properties": {"const": {"allOf": [below]}}, "required": ["const"]}]}),
            ];
            for (schema, values) in schemas.iter().zip([
                [json!({"n": 1}), json!({})],
                [json!({"const": {"n": 1}}), json!({"const": {}})],
                [json!({"const": {"n": 1}}), json!({"const": {}})],
                [json!({"const": {"n": 1}}), json!({"const": {}})],
            ]) {
                let compiled = CompiledSchema::new(schema).unwrap();
                assert_eq!(values.map(|value| compiled.check(&value).is_ok()), [true, false], "{schema}");
            }
        }
        let value = json!({"$schema": "http://json-schema.org/draft-07/schema#"});
        let compiled = CompiledSchema::new(&json!({"properties": {"a": {"const": value}}})).unwrap();
        assert_eq!(compiled.check(&json!({"a": value})), Ok(()));
        assert!(compiled.check(&json!({"a": {}})).is_err());
    }

    #[test]
    fn dynamic_references_lead_to_a_bounded_number_of_anchors() {
        let schema = |n: usize| {
            let anchors = (0..n).map(|at| (format!("d{at}"), json!({"$dynamicAnchor": "a"})));
            let references = vec![json!({"$dynamicRef": "#a"}); n];
            json!({"$defs": anchors.collect::<Value>(), "prefixItems": references})
        };
        CompiledSchema::new(&schema(30)).unwrap();
        let refused = CompiledSchema::new(&schema(4_000)).unwrap_err();
        assert!(refused.contains("more than 100000 targets"), "{refused}");
    }

    #[test]
    fn long_pattern_bounds_the_text_that_it_is_matched_with() {
        let slow = "^[ab]*a[ab]{1000}c$";
        let text = "ab".repeat(1 << 18);
        let too_large =
            |checked: Result<(), String>| checked.is_err_and(|error| error.contains("too large for its schema"));
        let by_text = CompiledSchema::new(&json!({"pattern": slow})).unwrap();
        assert!(too_large(by_text.check(&json!(text))) && !too_large(by_text.check(&json!("b"))));
        let by_name = CompiledSchema::new(&json!({"patternProperties": {slow: true}})).unwrap();
        assert!(too_large(by_name.check(&json!({&*text: 1}))) && by_name.check(&json!({"b": text})).is_ok());
        CompiledSchema::new(&json!({"pattern": "^[ab]+$"})).unwrap().check(&json!(text)).unwrap();
        // Neither what only ECMAScript escapes nor what matches no character is free.
        for slow in ["^(\\cA|[ab]*a[ab]{1000}c)$", "^(?:[ab](?:\\b|\\B))*a(?:[ab](?:\\b|\\B)){60}c$"] {
            let schema = CompiledSchema::new(&json!({"pattern": slow})).unwrap();
            assert!(too_large(schema.check(&json!(text))) && !too_large(schema.check(&json!("\u{1}"))), "{slow}");
        }
        // No pattern is too long to be counted.
        let endless = format!("a{}", "{1000}".repeat(8));
        assert!(
            CompiledSchema::new(&json!({"patternProperties": {&endless: true, format!("b{endless}"): true}})).is_err()
        );
        // Matching adds nothing to what violations may take.
        let titles = CompiledSchema::new(&json!({"items": {"pattern": "^[\\w ]{1,100}$"}})).unwrap();
        let found = titles.violations(&json!(vec!["a title with a mark!"; 50])).unwrap().unwrap();
        assert_eq!(found.listed.len() + found.n_others, 50);
    }
}
