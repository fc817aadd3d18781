//! A declared tool: its schemas and its annotations.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::param_headers::take_param_headers;
use super::schema_keywords::unknown_keywords;
use super::{DeclaredTool, parse_offered_name};
use crate::meta::{EntryMeta, warn_unknown_keys};
use crate::report::IndexReport;
use crate::yaml::YamlValue;
use wardroom_base::json_schema::CompiledSchema;
use wardroom_base::payload::escape_and_truncate;
use wardroom_service::schema::OutputSchema;
use wardroom_service::{TaskSupport, ToolAnnotations, ToolEntry};

pub(crate) fn parse_tool(
    meta: &EntryMeta,
    namespace: &str,
    name: &str,
    report: &mut IndexReport,
) -> Option<DeclaredTool> {
    if !meta.flag("mcp.tool", report) {
        return None;
    }
    let name = parse_offered_name(meta, "mcp.name", namespace, name, report);
    let mut input = match meta.object("mcp.inputSchema", report) {
        Some(Value::Object(input)) => input,
        _ => Map::new(),
    };
    let is_object = match input.get("type") {
        None => input.insert("type".to_owned(), "object".into()).is_none(),
        Some(kind) => kind == "object",
    };
    let input = Value::Object(input);
    let compiled_input = compile_schema(&input, meta, "mcp.inputSchema", report);
    warn_required_without_property(&input, meta, report);
    if !is_object {
        report.error(meta.line("mcp.inputSchema"), "mcp.inputSchema must have type: object at its root");
    }
    let compiled_input = compiled_input.or_else(|| report.schemas.compile(&json!({"type": "object"})).ok())?;
    let mut input = match input {
        Value::Object(input) => input,
        _ => Map::new(),
    };
    let (headers, problems) = take_param_headers(&mut input);
    for problem in problems {
        report.warn(meta.line("mcp.inputSchema"), problem);
    }
    let output = meta.object("mcp.outputSchema", report);
    let compiled_output = output.as_ref().map(|output| compile_schema(output, meta, "mcp.outputSchema", report));
    let output = match output {
        Some(Value::Object(output)) => Some(Arc::new(output)),
        _ => None,
    };
    let listed = ToolEntry {
        name: name.into(),
        title: meta.text("mcp.title", report).map(Into::into),
        description: meta.text("mcp.description", report).map(Into::into),
        input_schema: Arc::new(input),
        output_schema: output.map(OutputSchema::declared),
        annotations: parse_annotations(meta, report),
        extra: meta.extras(report),
        is_on_demand: false,
    };
    if meta.get("mcp.description").is_none() {
        report.warn(meta.line("mcp.tool"), "mcp.description is missing: add it to tell models the purpose");
    }
    let (listed, output) = (Arc::new(listed), compiled_output.flatten());
    Some(DeclaredTool {
        list_entry: listed,
        param_headers: headers,
        input_schema: compiled_input,
        output_schema: output,
        task_support: parse_task_support(meta, report),
    })
}

/// Warns of a required argument that no property describes where others are described: every call would have to guess it.
fn warn_required_without_property(input: &Value, meta: &EntryMeta, report: &mut IndexReport) {
    let (Some(properties), Some(required)) =
        (input.get("properties").and_then(Value::as_object), input.get("required").and_then(Value::as_array))
    else {
        return;
    };
    for name in required.iter().filter_map(Value::as_str).filter(|name| !properties.contains_key(*name)) {
        let meant = report.closest_name(name, properties.keys().map(String::as_str));
        let meant = meant.map(|meant| format!(": is it {meant}?")).unwrap_or_default();
        report.warn(
            meta.line("mcp.inputSchema"),
            format!("mcp.inputSchema requires {name}, which has no property{meant}"),
        );
    }
}

/// Parses whether a call may be a task. Where the entry lists the module, its handler decides when.
fn parse_task_support(meta: &EntryMeta, report: &mut IndexReport) -> Option<TaskSupport> {
    let required = match meta.text("mcp.task", report)?.as_str() {
        "required" => true,
        "optional" => false,
        _ => {
            report.error(meta.line("mcp.task"), "mcp.task must be optional or required");
            return None;
        }
    };
    Some(TaskSupport { is_required: required, is_started_by_handler: false })
}

fn compile_schema(schema: &Value, meta: &EntryMeta, key: &str, report: &mut IndexReport) -> Option<CompiledSchema> {
    let compiled = report.schemas.compile(schema);
    for keyword in unknown_keywords(schema) {
        // A keyword that resembles none is one of the author's own.
        if let Some(meant) = report.closest_keyword(keyword) {
            report.warn(
                meta.line(key),
                format!("unknown keyword {} of {key}: is it {meant}?", escape_and_truncate(keyword)),
            );
        }
    }
    compiled.map_err(|why| report.error(meta.line(key), format!("{key} {why}"))).ok()
}

fn parse_annotations(meta: &EntryMeta, report: &mut IndexReport) -> ToolAnnotations {
    let mut hints = ToolAnnotations::default();
    let Some(node) = meta.get("mcp.annotations") else { return hints };
    let Some(fields) = node.as_map() else {
        report.error(node.line, "mcp.annotations must be a map");
        return hints;
    };
    let known = ["title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
    warn_unknown_keys(fields, &known, "mcp.annotations", report);
    for (key, node) in fields {
        let flag = match &node.value {
            YamlValue::Bool(flag) => Some(*flag),
            _ => None,
        };
        match key.name.as_str() {
            "title" => hints.title = node.as_text().map(str::to_owned),
            "readOnlyHint" => hints.is_read_only = flag,
            "destructiveHint" => hints.is_destructive = flag,
            "idempotentHint" => hints.is_idempotent = flag,
            "openWorldHint" => hints.is_open_world = flag,
            _ => continue,
        }
        if flag.is_none() && key.name != "title" {
            report.error(node.line, format!("mcp.annotations: {} must be true or false", key.name));
        }
    }
    hints
}
