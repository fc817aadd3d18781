//! A declared tool: its schemas, its hints, and which of its arguments a request over HTTP repeats.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::{Tool, offered};
use crate::meta::{Meta, check_keys};
use crate::report::Report;
use crate::yaml::Tree;
use wardroom_base::json_schema::Compiled;
use wardroom_service::{Announced, ParamHeader, TaskUse, ToolEntry};

pub(crate) fn tool(meta: &Meta, namespace: &str, name: &str, report: &mut Report) -> Option<Tool> {
    if !meta.flag("mcp.tool", report) {
        return None;
    }
    let name = offered(meta, "mcp.name", namespace, name, report);
    let mut input = match meta.object("mcp.inputSchema", report) {
        Some(Value::Object(input)) => input,
        _ => Map::new(),
    };
    let is_object = match input.get("type") {
        None => input.insert("type".to_owned(), "object".into()).is_none(),
        Some(kind) => kind == "object",
    };
    let input = Value::Object(input);
    let compiled_input = compiled(&input, meta, "mcp.inputSchema", report);
    if !is_object {
        report.error(meta.line("mcp.inputSchema"), "mcp.inputSchema must have type: object at its root");
    }
    let compiled_input = compiled_input.or_else(|| report.schemas.compile(&json!({"type": "object"})).ok())?;
    let input = match input {
        Value::Object(input) => input,
        _ => Map::new(),
    };
    let output = meta.object("mcp.outputSchema", report);
    let compiled_output = output.as_ref().map(|output| compiled(output, meta, "mcp.outputSchema", report));
    let output = match output {
        Some(Value::Object(output)) => Some(Arc::new(output)),
        _ => None,
    };
    let listed = ToolEntry {
        name: name.into(),
        title: meta.text("mcp.title", report).map(Into::into),
        description: meta.text("mcp.description", report).map(Into::into),
        input: Arc::new(input),
        output,
        hints: hints(meta, report),
        extra: meta.extra(report),
    };
    if listed.description.is_none() {
        report.warn(meta.line("mcp.tool"), "mcp.description is missing: a model does not learn what the tool is for");
    }
    let mut headers = Vec::new();
    param_headers(&listed.input, &mut Vec::new(), &mut headers);
    let (listed, output) = (Arc::new(listed), compiled_output.flatten());
    Some(Tool { listed, headers, input: compiled_input, output, task: task(meta, report) })
}

/// Whether a call may be a task. Where the entry lists the module, its handler says when.
fn task(meta: &Meta, report: &mut Report) -> Option<TaskUse> {
    let required = match meta.text("mcp.task", report)?.as_str() {
        "required" => true,
        "optional" => false,
        _ => {
            report.error(meta.line("mcp.task"), "mcp.task must be optional or required");
            return None;
        }
    };
    Some(TaskUse { required, by_handler: false })
}

/// The arguments that a schema marks with `x-mcp-header`: texts, whole numbers and truths, by way of properties alone.
fn param_headers(schema: &Map<String, Value>, way: &mut Vec<String>, headers: &mut Vec<ParamHeader>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    for (name, property) in properties.into_iter().flatten() {
        let Some(property) = property.as_object() else { continue };
        way.push(name.clone());
        let kind = property.get("type").and_then(Value::as_str);
        if let (Some("string" | "integer" | "boolean"), Some(header)) =
            (kind, property.get("x-mcp-header").and_then(Value::as_str))
        {
            headers.push(ParamHeader { path: way.clone(), header: header.to_owned() });
        }
        param_headers(property, way, headers);
        way.pop();
    }
}

fn compiled(schema: &Value, meta: &Meta, key: &str, report: &mut Report) -> Option<Compiled> {
    let compiled = report.schemas.compile(schema);
    compiled.map_err(|why| report.error(meta.line(key), format!("{key} {why}"))).ok()
}

fn hints(meta: &Meta, report: &mut Report) -> Announced {
    let mut hints = Announced::default();
    let Some(node) = meta.get("mcp.annotations") else { return hints };
    let Some(fields) = node.map() else {
        report.error(node.line, "mcp.annotations must be a map");
        return hints;
    };
    let known = ["title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];
    check_keys(fields, &known, "mcp.annotations", report);
    for (key, node) in fields {
        let flag = match &node.tree {
            Tree::Bool(flag) => Some(*flag),
            _ => None,
        };
        match key.name.as_str() {
            "title" => hints.title = node.text().map(str::to_owned),
            "readOnlyHint" => hints.read_only = flag,
            "destructiveHint" => hints.destructive = flag,
            "idempotentHint" => hints.idempotent = flag,
            "openWorldHint" => hints.open_world = flag,
            _ => continue,
        }
        if flag.is_none() && key.name != "title" {
            report.error(node.line, format!("mcp.annotations: {} must be true or false", key.name));
        }
    }
    hints
}
