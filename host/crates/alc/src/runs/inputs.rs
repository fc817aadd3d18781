//! The inputs of a call: those that it lacks, by the strategy's metadata or its code, and those that it probably misspells.
//!
//! Owns: which forms of `meta.inputs` are required, the message that names every missing input, and the warning.
//! Never: refuses a call of a strategy whose metadata cannot be read: its run says why.

use std::collections::BTreeMap;

use serde::de::IgnoredAny;
use serde_json::{Map, Value};

use crate::error_code as code;
use crate::limits::MAX_NAMED_INPUTS;
use crate::packages::PackageStore;
use crate::packages::inputs::{INPUTS_KEY, is_declared};
use wardroom_base::payload::{Payload, PayloadView};
use wardroom_base::uri::PackageName;
use wardroom_ranking::closest_name;
use wardroom_sandbox::{CodeInput, InputNeed};
use wardroom_service::{LogLevel, RequestInfo, ServiceError, escape_and_truncate};

/// The arguments of the tool that hold the inputs.
pub(super) struct InputArguments {
    /// The argument for `ctx.task`; `None` where the tool provides the task itself.
    pub(super) task: Option<&'static str>,
    /// The argument for the other fields of `ctx`.
    pub(super) others: &'static str,
}

/// Refuses a call that lacks inputs of its strategy, which the message names.
pub(super) fn check_inputs(
    packages: &PackageStore,
    strategy: &str,
    context: &Payload,
    arguments: &InputArguments,
    info: &RequestInfo,
) -> Result<(), ServiceError> {
    let Ok(name) = PackageName::parse(strategy) else { return Ok(()) };
    let metadata = match packages.fields_of(&name, &info.memory, |key| key == INPUTS_KEY) {
        Ok(metadata) => metadata,
        Err(error) => {
            tracing::debug!(%error, strategy, "cannot read the inputs of a strategy");
            return Ok(());
        }
    };
    let declared = metadata.fields.get(INPUTS_KEY).unwrap_or(&Value::Null);
    let code = packages.code_inputs_of(&name);
    let code = code.as_deref().map_or(&[][..], |code| &code.inputs);
    let is_null = |value: Payload| matches!(value.view(), PayloadView::Text("null") | PayloadView::Value(Value::Null));
    let is_given = |input: &str| context.field(input).is_some_and(|value| !is_null(value));
    let is_provided = |input: &str| input == "task" && arguments.task.is_none();
    let mut missing: Vec<(&str, &str)> =
        required_inputs(declared).filter(|(input, _)| !is_given(input) && !is_provided(input)).collect();
    // Code takes a null for a value, so that a run with one may go on.
    missing.extend(
        required_by_code(code, declared)
            .filter(|input| context.field(input).is_none() && !is_provided(input))
            .map(|input| (input, "")),
    );
    if !missing.is_empty() {
        return Err(missing_error(strategy, &missing, arguments));
    }
    if let Some(client) = &info.client {
        let code = code.iter().map(|input| input.name.as_str());
        let known: Vec<&str> = declared_names(declared).chain(code).chain(["task"]).collect();
        for (given, input) in misspelt_inputs(context, &known) {
            let given = escape_and_truncate(&given);
            let text = format!("'{given}' is no input of '{strategy}'; did you mean '{}'?", escape_and_truncate(input));
            client.log_message(LogLevel::Warning, Some("inputs"), Payload::from_value(text.into()));
        }
    }
    Ok(())
}

/// Returns each given field that is no known input but similar to one that is not given, with that input. A strategy may take
/// other fields as well, which are accepted in silence.
fn misspelt_inputs<'k>(context: &Payload, known: &[&'k str]) -> Vec<(String, &'k str)> {
    let given: BTreeMap<String, IgnoredAny> = context.to_typed().unwrap_or_default();
    let unknown = given.keys().filter(|given| !known.contains(&given.as_str())).take(MAX_NAMED_INPUTS);
    let left: Vec<&str> = known.iter().copied().filter(|known| !given.contains_key(*known)).collect();
    unknown.filter_map(|given| Some((given.clone(), closest_name(given, left.iter().copied())?))).collect()
}

/// Returns the names of all declared inputs.
fn declared_names(declared: &Value) -> Box<dyn Iterator<Item = &str> + '_> {
    match declared {
        Value::Array(names) => Box::new(names.iter().filter_map(Value::as_str)),
        Value::Object(inputs) => Box::new(inputs.keys().map(String::as_str)),
        _ => Box::new(std::iter::empty()),
    }
}

/// Returns the inputs without which the code fails, and of which the metadata say nothing.
fn required_by_code<'a>(inputs: &'a [CodeInput], declared: &'a Value) -> impl Iterator<Item = &'a str> {
    let required = inputs.iter().filter(|input| input.need == InputNeed::Required);
    required.map(|input| input.name.as_str()).filter(|name| !is_declared(declared, name))
}

/// Returns the names of the required inputs, each with its description.
///
/// Inputs are a list of names, or an object: its values are descriptions, `{description, optional, required, default}`, or
/// whether the input is required. A value that is not a constant says nothing of the input.
fn required_inputs(declared: &Value) -> Box<dyn Iterator<Item = (&str, &str)> + '_> {
    match declared {
        Value::Array(names) => Box::new(names.iter().filter_map(|name| Some((name.as_str()?, "")))),
        Value::Object(inputs) => Box::new(inputs.iter().filter_map(|(name, input)| {
            let description = match input {
                Value::String(description) => description,
                Value::Bool(true) => "",
                Value::Object(input) if is_required(input) => {
                    input.get("description").and_then(Value::as_str).unwrap_or_default()
                }
                _ => return None,
            };
            Some((name.as_str(), description))
        })),
        _ => Box::new(std::iter::empty()),
    }
}

/// Whether an input must be given: it is not called optional, and no default stands in for it.
fn is_required(input: &Map<String, Value>) -> bool {
    input.get("optional") != Some(&Value::Bool(true))
        && input.get("required") != Some(&Value::Bool(false))
        && !input.contains_key("default")
}

fn missing_error(strategy: &str, missing: &[(&str, &str)], arguments: &InputArguments) -> ServiceError {
    let shown = missing.iter().take(MAX_NAMED_INPUTS).map(|(input, description)| {
        let argument = match arguments.task {
            Some(task) if *input == "task" => task.to_owned(),
            _ => format!("{}.{}", arguments.others, escape_and_truncate(input)),
        };
        match *description {
            "" => argument,
            description => format!("{argument} ({})", escape_and_truncate(description)),
        }
    });
    let shown = shown.collect::<Vec<_>>().join(", ");
    let more = match missing.len().saturating_sub(MAX_NAMED_INPUTS) {
        0 => String::new(),
        n => format!(", and {n} more"),
    };
    ServiceError::tool(code::MISSING_INPUTS, format!("strategy '{strategy}' lacks inputs: pass {shown}{more}"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(declared: &Value, expected: &[(&str, &str)]) {
        assert_eq!(required_inputs(declared).collect::<Vec<_>>(), expected, "{declared}");
    }

    #[test]
    fn every_form_of_inputs_says_what_is_required() {
        check(&json!(["task", "sources", 3]), &[("task", ""), ("sources", "")]);
        check(
            &json!({
                "depth": {"optional": true, "description": "how deep"},
                "style": {"description": "which style"},
                "task": "what to solve",
                "other": true,
                "tone": {"required": false},
                "width": {"default": 80},
                "left_out": false,
                "computed": null,
                "plain": {},
            }),
            &[("other", ""), ("plain", ""), ("style", "which style"), ("task", "what to solve")],
        );
        check(&json!("task"), &[]);
        check(&json!(null), &[]);
    }

    #[test]
    fn code_requires_what_metadata_do_not_mention() {
        let inputs = [("task", InputNeed::Required), ("depth", InputNeed::Optional), ("style", InputNeed::Required)]
            .map(|(name, need)| CodeInput { name: name.to_owned(), need });
        let required = |declared: Value| required_by_code(&inputs, &declared).map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(required(Value::Null), ["task", "style"]);
        assert_eq!(required(json!(["task"])), ["style"]);
        assert_eq!(required(json!({"style": {"optional": true}})), ["task"]);
    }

    #[test]
    fn similar_field_is_a_misspelt_input_unless_the_input_is_given() {
        let known = ["task", "drafts", "voters"];
        let misspelt = |context: Value| misspelt_inputs(&Payload::from_value(context), &known);
        assert_eq!(misspelt(json!({"draft": 2, "budget": {}, "voters": 3})), [("draft".to_owned(), "drafts")]);
        assert!(misspelt(json!({"draft": 2, "drafts": 3})).is_empty());
        assert!(misspelt(json!("a text")).is_empty());
    }

    #[test]
    fn message_names_the_argument_of_each_input_and_counts_the_rest() {
        let names: Vec<String> = (0..MAX_NAMED_INPUTS + 3).map(|n| format!("i{n}")).collect();
        let missing: Vec<(&str, &str)> = names.iter().map(|name| (name.as_str(), "")).collect();
        let arguments = InputArguments { task: Some("task"), others: "opts" };
        let message = missing_error("x", &missing, &arguments).to_string();
        assert!(message.starts_with("strategy 'x' lacks inputs: pass opts.i0, opts.i1, "), "{message}");
        assert!(message.ends_with(", opts.i19, and 3 more"), "{message}");
        let both = [("task", "what to solve"), ("style", "")];
        let message = missing_error("x", &both, &arguments).to_string();
        assert_eq!(message, "strategy 'x' lacks inputs: pass task (what to solve), opts.style");
    }
}
