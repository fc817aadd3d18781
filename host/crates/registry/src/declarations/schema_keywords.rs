//! The keywords of a declared schema: one that is misspelt has no effect, and every value passes it.
//!
//! Owns: which keywords are known.
//! Never: refuses a schema, which may have keywords of its own.

use std::collections::BTreeSet;

use serde_json::Value;

use self::KeywordValue::{NamedSchemas, Plain, Schemas};

#[derive(Clone, Copy)]
enum KeywordValue {
    /// A value that has no schemas in it.
    Plain,
    /// A schema, or a list of schemas.
    Schemas,
    /// Schemas by name.
    NamedSchemas,
}

/// Those of 2020-12, of earlier drafts, and of OpenAPI.
const KEYWORDS: [(&str, KeywordValue); 65] = [
    ("$anchor", Plain),
    ("$comment", Plain),
    ("$defs", NamedSchemas),
    ("$dynamicAnchor", Plain),
    ("$dynamicRef", Plain),
    ("$id", Plain),
    ("$ref", Plain),
    ("$schema", Plain),
    ("$vocabulary", Plain),
    ("additionalItems", Schemas),
    ("additionalProperties", Schemas),
    ("allOf", Schemas),
    ("anyOf", Schemas),
    ("const", Plain),
    ("contains", Schemas),
    ("contentEncoding", Plain),
    ("contentMediaType", Plain),
    ("contentSchema", Schemas),
    ("default", Plain),
    ("definitions", NamedSchemas),
    ("dependencies", Schemas),
    ("dependentRequired", Plain),
    ("dependentSchemas", NamedSchemas),
    ("deprecated", Plain),
    ("description", Plain),
    ("discriminator", Plain),
    ("else", Schemas),
    ("enum", Plain),
    ("enumNames", Plain),
    ("example", Plain),
    ("examples", Plain),
    ("exclusiveMaximum", Plain),
    ("exclusiveMinimum", Plain),
    ("externalDocs", Plain),
    ("format", Plain),
    ("if", Schemas),
    ("items", Schemas),
    ("maxContains", Plain),
    ("maxItems", Plain),
    ("maxLength", Plain),
    ("maxProperties", Plain),
    ("maximum", Plain),
    ("minContains", Plain),
    ("minItems", Plain),
    ("minLength", Plain),
    ("minProperties", Plain),
    ("minimum", Plain),
    ("multipleOf", Plain),
    ("not", Schemas),
    ("nullable", Plain),
    ("oneOf", Schemas),
    ("pattern", Plain),
    ("patternProperties", NamedSchemas),
    ("prefixItems", Schemas),
    ("properties", NamedSchemas),
    ("propertyNames", Schemas),
    ("readOnly", Plain),
    ("required", Plain),
    ("then", Schemas),
    ("title", Plain),
    ("type", Plain),
    ("unevaluatedItems", Schemas),
    ("unevaluatedProperties", Schemas),
    ("uniqueItems", Plain),
    ("writeOnly", Plain),
];

/// Returns the keywords that are not known, each once. What begins with `x-` is an author's own.
pub(super) fn unknown_keywords(schema: &Value) -> BTreeSet<&str> {
    let (mut unknown, mut schemas) = (BTreeSet::new(), vec![schema]);
    while let Some(schema) = schemas.pop() {
        for (keyword, value) in schema.as_object().into_iter().flatten() {
            let known = KEYWORDS.iter().find(|(name, _)| name == keyword).map(|(_, holds)| holds);
            match (known, value) {
                (Some(NamedSchemas), Value::Object(named)) => schemas.extend(named.values()),
                (Some(Schemas), Value::Array(several)) => schemas.extend(several),
                (Some(Schemas), value) => schemas.push(value),
                (Some(Plain | NamedSchemas), _) => {}
                (None, _) if keyword.starts_with("x-") => {}
                (None, _) => drop(unknown.insert(keyword.as_str())),
            }
        }
    }
    unknown
}

pub(crate) fn known_keywords() -> impl ExactSizeIterator<Item = &'static str> {
    KEYWORDS.iter().map(|(name, _)| *name)
}
