//! The graph of a schema's references, from which the work for a value is computed in advance.
//!
//! Owns: reference resolution, without the meaning of the keywords.
//! Never: says whether a value is valid.

use std::collections::{HashMap, HashSet, VecDeque};
use std::ptr;

use serde_json::{Map, Value};

use super::PatternLengths;
use crate::limits::{
    MAX_SCHEMA_NESTING, MAX_SCHEMA_REFERENCE_TARGETS, MAX_SCHEMA_VALIDATION_DEPTH, MAX_SCHEMA_VALIDATION_STEPS,
    MAX_SUBSCHEMAS_PER_VALUE,
};
use crate::payload::escape_and_truncate;
use crate::percent::percent_decode_text;

#[derive(Debug)]
pub(super) struct SchemaGraph {
    nodes: Vec<SchemaNode>,
    levels: usize,
}

/// A subschema, by the subschemas that it applies. They are indices into the graph's nodes.
#[derive(Debug, Default)]
struct SchemaNode {
    /// Applied to the same value.
    same_value: Vec<usize>,
    /// Whether those are applied twice, to find the properties and items that they evaluated.
    is_repeated: bool,
    /// Applied to the property of this name, to every property, and to every property name.
    properties: HashMap<String, usize>,
    each_property: Vec<usize>,
    each_name: Vec<usize>,
    /// Applied to the item at this index, and to every item.
    prefix_items: Vec<usize>,
    each_item: Vec<usize>,
    has_unique_items: bool,
    /// Cost of all other keywords, in steps.
    own_steps: u64,
    /// The length of the patterns that a text is matched with, and the name of each property, with each repetition written out.
    pattern_len: u64,
    name_pattern_len: u64,
}

impl SchemaGraph {
    /// Builds the graph.
    ///
    /// # Errors
    /// A message when a reference has no target, leads back to the same value, or multiplies beyond the limits.
    pub(super) fn new(schema: &Value, patterns: &PatternLengths<'_>) -> Result<Self, String> {
        let mut reader = SchemaReader::new(schema, patterns);
        reader.intern_node(schema, schema);
        while let Some((number, value, resource)) = reader.queue.pop_front() {
            let node = reader.read_node(value, resource)?;
            if let Some(place) = reader.nodes.get_mut(number) {
                *place = node;
            }
        }
        let levels = reader.compile_depth();
        if levels > MAX_SCHEMA_NESTING {
            return Err(format!(
                "is nested {levels} levels deep when its references are followed, the limit is {MAX_SCHEMA_NESTING}"
            ));
        }
        let shape = Self { nodes: reader.nodes, levels };
        shape.check_paths()?;
        Ok(shape)
    }

    /// The greatest depth when each reference is followed once.
    pub(super) const fn levels(&self) -> usize {
        self.levels
    }

    fn node(&self, number: usize) -> Option<&SchemaNode> {
        self.nodes.get(number)
    }

    /// Limits the subschemas applied to one value: a few references to the same subschema can multiply to any number.
    fn check_paths(&self) -> Result<(), String> {
        const NEW: u8 = 0;
        const BEGUN: u8 = 1;
        const DONE: u8 = 2;
        let (mut states, mut paths) = (vec![NEW; self.nodes.len()], vec![0_u64; self.nodes.len()]);
        let mut repeated = 0_u64;
        for start in 0..self.nodes.len() {
            let mut stack = vec![(start, 0)];
            while let Some((number, at)) = stack.last_mut() {
                let Some(node) = self.node(*number) else { break };
                let state = states.get(*number).copied().unwrap_or(DONE);
                if state == DONE {
                    stack.pop();
                    continue;
                }
                if let Some(state) = states.get_mut(*number) {
                    *state = BEGUN;
                }
                if let Some(next) = node.same_value.get(*at) {
                    *at += 1;
                    match states.get(*next) {
                        Some(&BEGUN) => {
                            return Err(
                                "refers to itself for the same value: put the reference on a property or an item"
                                    .to_owned(),
                            );
                        }
                        Some(&NEW) => stack.push((*next, 0)),
                        _ => {}
                    }
                    continue;
                }
                let below = node.same_value.iter().filter_map(|next| paths.get(*next));
                let below = below.fold(0_u64, |sum, paths| sum.saturating_add(*paths));
                let own = 1_u64.saturating_add(below.saturating_mul(if node.is_repeated { 2 } else { 1 }));
                repeated = repeated.saturating_add(if node.is_repeated { own } else { 0 });
                if own.max(repeated) > MAX_SUBSCHEMAS_PER_VALUE {
                    return Err(format!(
                        "applies more than {MAX_SUBSCHEMAS_PER_VALUE} subschemas to one value when its references are followed: \
                         let fewer alternatives refer to the same subschema"
                    ));
                }
                if let (Some(state), Some(paths)) = (states.get_mut(*number), paths.get_mut(*number)) {
                    (*state, *paths) = (DONE, own);
                }
                stack.pop();
            }
        }
        Ok(())
    }

    /// Counts the work for a value, without the matching of patterns.
    ///
    /// # Errors
    /// A message when the value is too large or too deep to be validated.
    pub(super) fn check_work(&self, value: &Value) -> Result<u64, String> {
        let mut budget = StepBudget { left: MAX_SCHEMA_VALIDATION_STEPS, matching: 0 };
        self.walk(0, value, 0, &mut budget)?;
        Ok(MAX_SCHEMA_VALIDATION_STEPS - budget.left - budget.matching)
    }

    /// Visits every subschema that may be applied to a value.
    fn walk(&self, number: usize, value: &Value, depth: usize, budget: &mut StepBudget) -> Result<(), String> {
        if depth > MAX_SCHEMA_VALIDATION_DEPTH {
            return Err(format!(
                "/: the value is nested too deep for its schema: the limit is {MAX_SCHEMA_VALIDATION_DEPTH} nested subschemas"
            ));
        }
        let Some(node) = self.node(number) else { return Ok(()) };
        budget.spend(node.own_steps)?;
        for _ in 0..if node.is_repeated { 2 } else { 1 } {
            node.same_value.iter().try_for_each(|next| self.walk(*next, value, depth + 1, budget))?;
        }
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    budget.spend(1)?;
                    budget.spend_on_matching(name, node.name_pattern_len)?;
                    if !node.each_name.is_empty() {
                        let name = Value::String(name.clone());
                        node.each_name.iter().try_for_each(|next| self.walk(*next, &name, depth + 1, budget))?;
                    }
                    let next = node.properties.get(name).into_iter().chain(&node.each_property);
                    next.into_iter().try_for_each(|next| self.walk(*next, value, depth + 1, budget))?;
                }
            }
            Value::Array(items) => {
                if node.has_unique_items {
                    let nested = items.iter().filter(|item| contains_array(item)).count() as u64;
                    budget.spend(count_values(value).saturating_add(nested.saturating_mul(nested) / 4))?;
                }
                for (at, value) in items.iter().enumerate() {
                    budget.spend(1)?;
                    let next = node.prefix_items.get(at).into_iter().chain(&node.each_item);
                    next.into_iter().try_for_each(|next| self.walk(*next, value, depth + 1, budget))?;
                }
            }
            Value::String(text) => {
                budget.spend(text.len() as u64 / 64)?;
                budget.spend_on_matching(text, node.pattern_len)?;
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
        Ok(())
    }
}

/// The steps of one validation.
struct StepBudget {
    left: u64,
    /// Those that were spent on patterns.
    matching: u64,
}

impl StepBudget {
    fn spend(&mut self, steps: u64) -> Result<(), String> {
        self.left = self.left.checked_sub(steps).ok_or_else(|| {
            let millions = MAX_SCHEMA_VALIDATION_STEPS / 1_000_000;
            format!("/: the value is too large for its schema: the check would take more than {millions} million steps")
        })?;
        Ok(())
    }

    /// At worst, each byte of a text is compared at each place of the pattern.
    fn spend_on_matching(&mut self, text: &str, pattern_len: u64) -> Result<(), String> {
        const PLACES_PER_STEP: u64 = 4;
        let steps = (text.len() as u64).saturating_mul(pattern_len) / PLACES_PER_STEP;
        self.matching = self.matching.saturating_add(steps);
        self.spend(steps)
    }
}

/// The number of values in a value, including itself.
fn count_values(value: &Value) -> u64 {
    match value {
        Value::Array(items) => 1 + items.iter().map(count_values).sum::<u64>(),
        Value::Object(fields) => 1 + fields.values().map(count_values).sum::<u64>(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 1,
    }
}

/// Whether a value contains an array. `uniqueItems` compares arrays of equal contents pairwise.
fn contains_array(value: &Value) -> bool {
    match value {
        Value::Array(_) => true,
        Value::Object(fields) => fields.values().any(contains_array),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Reads a schema; subschemas are identified by their memory address.
struct SchemaReader<'s> {
    nodes: Vec<SchemaNode>,
    numbers: HashMap<*const Value, usize>,
    /// Subschemas to read, each with its schema resource: the one that an `$id` begins.
    queue: VecDeque<(usize, &'s Value, &'s Value)>,
    ids: Vec<(&'s str, &'s Value)>,
    /// By name: each with its resource.
    anchors: HashMap<&'s str, Vec<(&'s Value, &'s Value)>>,
    /// The targets of references.
    targets: HashMap<*const Value, &'s Value>,
    /// How many targets all references have together.
    n_targets: usize,
    patterns: &'s PatternLengths<'s>,
    root: &'s Value,
}

impl<'s> SchemaReader<'s> {
    fn new(root: &'s Value, patterns: &'s PatternLengths<'s>) -> Self {
        let mut reader = Self {
            nodes: Vec::new(),
            numbers: HashMap::new(),
            queue: VecDeque::new(),
            ids: Vec::new(),
            anchors: HashMap::new(),
            targets: HashMap::new(),
            n_targets: 0,
            patterns,
            root,
        };
        reader.collect_ids_and_anchors(root, root);
        reader
    }

    fn collect_ids_and_anchors(&mut self, value: &'s Value, resource: &'s Value) {
        match value {
            Value::Array(items) => items.iter().for_each(|item| self.collect_ids_and_anchors(item, resource)),
            Value::Object(fields) => {
                let resource = if is_resource(fields) { value } else { resource };
                if let Some(id) = fields.get("$id").and_then(Value::as_str) {
                    self.ids.push((id.trim_end_matches('#'), value));
                }
                for key in ["$anchor", "$dynamicAnchor"] {
                    if let Some(name) = fields.get(key).and_then(Value::as_str) {
                        self.anchors.entry(name).or_default().push((resource, value));
                    }
                }
                fields.values().for_each(|value| self.collect_ids_and_anchors(value, resource));
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }

    /// The index of a subschema, which is read later.
    fn intern_node(&mut self, value: &'s Value, resource: &'s Value) -> usize {
        let number = self.nodes.len();
        match self.numbers.entry(ptr::from_ref(value)) {
            std::collections::hash_map::Entry::Occupied(known) => *known.get(),
            std::collections::hash_map::Entry::Vacant(free) => {
                free.insert(number);
                self.nodes.push(SchemaNode::default());
                let is_own = value.as_object().is_some_and(is_resource);
                self.queue.push_back((number, value, if is_own { value } else { resource }));
                number
            }
        }
    }

    fn read_node(&mut self, value: &'s Value, resource: &'s Value) -> Result<SchemaNode, String> {
        let mut node = SchemaNode { own_steps: 1, ..SchemaNode::default() };
        let Value::Object(fields) = value else { return Ok(node) };
        for (keyword, value) in fields {
            let mut all = |value: &'s Value| -> Vec<usize> {
                match value {
                    Value::Array(items) => items.iter().map(|item| self.intern_node(item, resource)).collect(),
                    one => vec![self.intern_node(one, resource)],
                }
            };
            match keyword.as_str() {
                "allOf" | "anyOf" | "oneOf" | "not" | "if" | "then" | "else" => node.same_value.extend(all(value)),
                "additionalProperties" => node.each_property.extend(all(value)),
                "unevaluatedProperties" => {
                    node.each_property.extend(all(value));
                    node.is_repeated = true;
                }
                "propertyNames" => node.each_name.extend(all(value)),
                "prefixItems" => node.prefix_items = all(value),
                "items" | "contains" | "additionalItems" => node.each_item.extend(all(value)),
                "unevaluatedItems" => {
                    node.each_item.extend(all(value));
                    node.is_repeated = true;
                }
                "uniqueItems" => node.has_unique_items = *value == Value::Bool(true),
                "properties" => {
                    for (name, value) in value.as_object().into_iter().flatten() {
                        node.properties.insert(name.clone(), self.intern_node(value, resource));
                    }
                    node.own_steps += node.properties.len() as u64;
                }
                "pattern" => node.pattern_len = value.as_str().map_or(0, |pattern| self.patterns.get(pattern)),
                "patternProperties" => {
                    for (pattern, value) in value.as_object().into_iter().flatten() {
                        node.name_pattern_len = node.name_pattern_len.saturating_add(self.patterns.get(pattern));
                        node.each_property.push(self.intern_node(value, resource));
                    }
                }
                "dependentSchemas" | "dependencies" => {
                    let schemas = value.as_object().into_iter().flatten().map(|(_, value)| value);
                    node.same_value.extend(schemas.map(|value| self.intern_node(value, resource)));
                }
                "$ref" | "$dynamicRef" | "$recursiveRef" => {
                    if let Some(reference) = value.as_str() {
                        node.same_value.extend(self.resolve_targets(keyword, reference, resource)?);
                    }
                }
                "enum" | "const" | "required" | "dependentRequired" | "type" => node.own_steps += count_values(value),
                _ => {}
            }
        }
        Ok(node)
    }

    /// The target of a reference; for a dynamic reference, all possible targets.
    fn resolve_targets(&mut self, keyword: &str, reference: &str, resource: &'s Value) -> Result<Vec<usize>, String> {
        let mut found: Vec<(&Value, &Value)> = self.resolve_reference(reference, resource).into_iter().collect();
        if keyword != "$ref" {
            let name = reference.rsplit_once('#').map_or("", |(_, name)| name);
            found.extend(self.anchors.get(name).into_iter().flatten().map(|(resource, value)| (*value, *resource)));
        }
        self.n_targets += found.len();
        if self.n_targets > MAX_SCHEMA_REFERENCE_TARGETS {
            return Err(format!(
                "has references with more than {MAX_SCHEMA_REFERENCE_TARGETS} targets together: let fewer subschemas have one \
                 $dynamicAnchor"
            ));
        }
        if found.is_empty() {
            return Err(format!(
                "is not a JSON Schema of 2020-12: it has no subschema {}: refer to one as #/$defs/NAME",
                escape_and_truncate(reference)
            ));
        }
        let (mut numbers, mut known) = (Vec::new(), HashSet::new());
        for (value, resource) in found {
            self.targets.insert(ptr::from_ref(value), value);
            let number = self.intern_node(value, resource);
            if known.insert(number) {
                numbers.push(number);
            }
        }
        Ok(numbers)
    }

    fn resolve_reference(&self, reference: &str, resource: &'s Value) -> Option<(&'s Value, &'s Value)> {
        let (base, fragment) = reference.split_once('#').unwrap_or((reference, ""));
        let start = if base.is_empty() {
            resource
        } else {
            let is_it = |id: &str| id == base || id.strip_suffix(base).is_some_and(|rest| rest.ends_with('/'));
            self.ids.iter().find(|(id, _)| is_it(id)).map(|(_, value)| *value)?
        };
        let fragment = percent_decode_text(fragment)?;
        if fragment.is_empty() {
            return Some((start, start));
        }
        if !fragment.starts_with('/') {
            let named = self.anchors.get(fragment.as_str())?;
            return named.iter().find(|(resource, _)| ptr::eq(*resource, start)).map(|(_, value)| (*value, start));
        }
        let (mut value, mut resource) = (start, start);
        for part in fragment.split('/').skip(1) {
            let part = part.replace("~1", "/").replace("~0", "~");
            value = match value {
                Value::Object(fields) => fields.get(&part)?,
                Value::Array(items) => items.get(part.parse::<usize>().ok()?)?,
                _ => return None,
            };
            if value.as_object().is_some_and(is_resource) {
                resource = value;
            }
        }
        Some((value, resource))
    }

    /// The depth of compiling the schema, which follows each reference once.
    fn compile_depth(&self) -> usize {
        let targets = self.targets.values().map(|target| schema_depth(target));
        targets.fold(schema_depth(self.root), usize::saturating_add)
    }
}

fn is_resource(fields: &Map<String, Value>) -> bool {
    fields.get("$id").and_then(Value::as_str).is_some_and(|id| !id.starts_with('#'))
}

/// The nesting depth of subschemas.
fn schema_depth(value: &Value) -> usize {
    match value {
        Value::Array(items) => items.iter().map(schema_depth).max().unwrap_or(0),
        Value::Object(fields) => {
            let inner = fields.iter().map(|(name, value)| match (name.as_str(), value) {
                ("$defs" | "definitions", _) => 0,
                ("properties" | "patternProperties" | "dependentSchemas", Value::Object(named)) => {
                    named.values().map(schema_depth).max().unwrap_or(0)
                }
                _ => schema_depth(value),
            });
            1 + inner.max().unwrap_or(0)
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => 0,
    }
}
