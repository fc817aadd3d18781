//! The arguments that a tool's schema marks with `x-mcp-header`: a request over HTTP repeats them in its headers.
//!
//! Owns: which marks are valid. Clients leave out a tool with another one, so a mark that is not valid is taken off the listed schema.
//! Never: compares a request with them.

use serde_json::{Map, Value};

use wardroom_service::ParamHeader;

const MARK: &str = "x-mcp-header";

/// Returns the marked arguments of a schema: strings, integers and booleans that are reached through properties alone. Takes off
/// the other marks, and says what is wrong with each.
pub(super) fn take_param_headers(schema: &mut Map<String, Value>) -> (Vec<ParamHeader>, Vec<String>) {
    let mut marks = Marks::default();
    if schema.remove(MARK).is_some() {
        marks.problems.push(format!("{MARK} of the whole schema counts as none: mark a property"));
    }
    marks.visit_properties(schema, &mut Vec::new());
    (marks.headers, marks.problems)
}

#[derive(Default)]
struct Marks {
    headers: Vec<ParamHeader>,
    problems: Vec<String>,
}

impl Marks {
    /// Visits the properties of a schema, and removes the marks of all other subschemas.
    fn visit_properties(&mut self, schema: &mut Map<String, Value>, path: &mut Vec<String>) {
        for (keyword, value) in schema.iter_mut() {
            match (keyword.as_str(), value) {
                ("properties", Value::Object(properties)) => {
                    for (name, property) in properties {
                        let Some(property) = property.as_object_mut() else { continue };
                        path.push(name.clone());
                        self.visit_argument(property, path);
                        self.visit_properties(property, path);
                        path.pop();
                    }
                }
                (_, value) => self.take_off(keyword, value),
            }
        }
    }

    fn visit_argument(&mut self, property: &mut Map<String, Value>, path: &[String]) {
        let Some(mark) = property.get(MARK) else { return };
        let kind = property.get("type").and_then(Value::as_str);
        let is_same = |header: &str| self.headers.iter().any(|known| known.header.eq_ignore_ascii_case(header));
        let problem = match mark.as_str() {
            Some(header) if !is_token(header) => "it is no name of a header",
            None => "it is no text",
            Some(_) if !matches!(kind, Some("string" | "integer" | "boolean")) => {
                "the type of the argument must be string, integer or boolean"
            }
            Some(header) if is_same(header) => "another argument has the same header",
            Some(header) => {
                self.headers.push(ParamHeader { path: path.to_vec(), header: header.to_owned() });
                return;
            }
        };
        self.problems.push(format!("{MARK} of {} counts as none: {problem}", path.join(".")));
        property.remove(MARK);
    }

    /// Takes off the marks of schemas that are no arguments, such as those of `items`.
    fn take_off(&mut self, keyword: &str, value: &mut Value) {
        match (keyword, value) {
            // Values, and not schemas.
            ("const" | "enum" | "default" | "examples", _) => {}
            // Schemas by names.
            (
                "properties" | "patternProperties" | "dependentSchemas" | "$defs" | "definitions",
                Value::Object(schemas),
            ) => {
                schemas.values_mut().for_each(|schema| self.take_off("", schema));
            }
            (_, Value::Array(schemas)) => schemas.iter_mut().for_each(|schema| self.take_off("", schema)),
            (_, Value::Object(schema)) => {
                if schema.remove(MARK).is_some() {
                    self.problems.push(format!("{MARK} counts as none where a schema is no argument of its own"));
                }
                schema.iter_mut().for_each(|(keyword, value)| self.take_off(keyword, value));
            }
            _ => {}
        }
    }
}

/// Whether a text can be the rest of a header's name.
fn is_token(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_marks_that_clients_accept_stay() {
        let mut schema = json!({"type": "object", "properties": {
            "city": {"type": "string", "x-mcp-header": "City"},
            "other": {"type": "string", "x-mcp-header": "city"},
            "spaced": {"type": "string", "x-mcp-header": "A b"},
            "weight": {"type": "number", "x-mcp-header": "Weight"},
            "list": {"type": "array", "items": {"type": "string", "x-mcp-header": "Item"}},
            "place": {"type": "object", "properties": {"zip": {"type": "integer", "x-mcp-header": "Zip"}}},
            "x-mcp-header": {"type": "string", "default": {"x-mcp-header": "kept"}},
        }});
        let (headers, problems) = take_param_headers(schema.as_object_mut().unwrap());
        let found: Vec<String> =
            headers.iter().map(|header| format!("{}={}", header.path.join("."), header.header)).collect();
        assert_eq!(found, ["city=City", "place.zip=Zip"]);
        assert_eq!(problems.len(), 4, "{problems:?}");
        assert!(problems.iter().any(|problem| problem
            == "x-mcp-header of weight counts as none: the type of the argument must be string, integer or boolean"));
        assert_eq!(schema.to_string().matches("x-mcp-header").count(), 4, "{schema}");
    }
}
