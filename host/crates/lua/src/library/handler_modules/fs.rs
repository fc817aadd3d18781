//! `fs`: files of the operator's mounts. The server opens them.

use std::cell::Cell;

use mlua::{IntoLua as _, Lua, Table, Value};
use serde_json::{Value as Json, json};

use super::base64::{decode_base64, encode_base64};
use super::{ModuleError, module_function};
use crate::library::function::{
    FunctionCall, FunctionParam, FunctionReturn, LibraryFunction, ParamKind, optional_param, param, returns,
};

const PATH: &[FunctionParam] = &[param("path", ParamKind::String, "string", "below the mount")];
const WRITE_PARAMS: &[FunctionParam] = &[
    param("path", ParamKind::String, "string", "below the mount"),
    param("data", ParamKind::String, "string", "any bytes"),
    optional_param(
        "mode",
        ParamKind::String,
        "\"w\"|\"a\"|\"wx\"",
        "replace, append, or create and fail where there is one (default \"w\")",
    ),
];
const RETURNS_TRUE: &[FunctionReturn] = &[returns("true", "")];
const BYTES: &[FunctionReturn] = &[returns("string", "content any bytes")];

pub(super) const FUNCTIONS: &[LibraryFunction] = &[
    module_function(
        "fs.get",
        "A mount, by its name.",
        &[param("name", ParamKind::String, "string", "")],
        &[returns("Volume", "")],
        create_volume,
    ),
    module_function("Volume:readfile", "A whole file.", PATH, BYTES, read),
    module_function("Volume:read_file", "The same as `readfile`.", PATH, BYTES, read),
    module_function(
        "Volume:writefile",
        "Writes a whole file, or to the end of one.",
        WRITE_PARAMS,
        RETURNS_TRUE,
        write,
    ),
    module_function("Volume:write_file", "The same as `writefile`.", WRITE_PARAMS, RETURNS_TRUE, write),
    module_function(
        "Volume:exists",
        "Whether there is such a file or folder.",
        PATH,
        &[returns("boolean", "")],
        |call| {
            let arguments = path_arguments(call)?;
            call.try_request_value("fs.exists", arguments)
        },
    ),
    module_function(
        "Volume:stat",
        "The metadata of a file or folder.",
        PATH,
        &[returns("{ name: string, type: string, size: integer, modified?: number, is_dir: boolean }", "")],
        stat,
    ),
    module_function("Volume:isdir", "Whether it is a folder.", PATH, &[returns("boolean", "")], |call| {
        let arguments = path_arguments(call)?;
        let found = call.try_request("fs.stat", arguments)?;
        Ok(Value::Boolean(is_directory(&found)))
    }),
    module_function(
        "Volume:mkdir",
        "Creates a folder and its parents. An existing folder is no error.",
        PATH,
        RETURNS_TRUE,
        |call| run_operation(call, "fs.mkdir"),
    ),
    module_function(
        "Volume:remove",
        "Removes a file, but not a folder. A missing file is no error.",
        PATH,
        RETURNS_TRUE,
        |call| run_operation(call, "fs.remove"),
    ),
    module_function(
        "Volume:readdir",
        "Iterates over a folder: `for entry in volume:readdir(path) do`.",
        PATH,
        &[returns("fun(): { name: string, type: \"file\"|\"directory\", size?: integer }|nil", "")],
        list_entries,
    ),
];

const ENTRY_TYPES: [(&str, &str); 2] = [("FILE", "file"), ("DIR", "directory")];

pub(super) fn add_constants(lua: &Lua, module: &Table) -> mlua::Result<()> {
    module.raw_set("type", lua.create_table_from(ENTRY_TYPES)?)
}

pub(super) fn constant_stubs() -> Vec<String> {
    let types = ENTRY_TYPES.map(|(name, value)| format!("{name} = {value:?}")).join(", ");
    vec![format!("--- What `readdir` and `stat` call a file and a folder.\nfs.type = {{ {types} }}")]
}

fn create_volume(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let name = call.next_text()?;
    let volume: Table = call.new_object("Volume")?;
    volume.raw_set("name", name)?;
    Ok(Value::Table(volume))
}

fn path_arguments(call: &mut FunctionCall) -> Result<Json, ModuleError> {
    let (name, path): (String, String) = (call.object_field("name")?, call.next_text()?);
    Ok(json!({"fs": name, "path": path}))
}

fn run_operation(call: &mut FunctionCall, operation: &str) -> Result<Value, ModuleError> {
    let arguments = path_arguments(call)?;
    call.try_request(operation, arguments)?;
    Ok(Value::Boolean(true))
}

fn read(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let arguments = path_arguments(call)?;
    let answer = call.try_request("fs.read", arguments)?;
    decode_content(call, &answer)
}

/// The content of an answer: UTF-8 text in `text`, or other bytes in `base64`.
pub(super) fn decode_content(call: &FunctionCall, answer: &Json) -> Result<Value, ModuleError> {
    let text = |name: &str| answer.get(name).and_then(Json::as_str);
    if let Some(text) = text("text") {
        return Ok(call.create_string(text)?);
    }
    let bytes = text("base64").map(|bytes| decode_base64(bytes.as_bytes()));
    let bytes = bytes.unwrap_or_else(|| Err("the server's answer has no content".to_owned()));
    Ok(Value::String(call.lua.create_string(bytes.map_err(|message| call.format_error(&message))?)?))
}

fn write(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let mut arguments = path_arguments(call)?;
    let (name, content) = match String::from_utf8(call.next_bytes()) {
        Ok(text) => ("text", text),
        Err(error) => ("base64", encode_base64(error.as_bytes())),
    };
    let mode = call.next_optional_text()?;
    let is_new = mode.as_deref() == Some("wx");
    let append = match mode.as_deref() {
        None | Some("w" | "wx") => false,
        Some("a") => true,
        Some(_) => return Err(call.format_error("mode must be \"w\", \"a\" or \"wx\"").into()),
    };
    if let Json::Object(arguments) = &mut arguments {
        arguments.insert(name.to_owned(), content.into());
        arguments.insert("append".to_owned(), append.into());
        if is_new {
            arguments.insert("create".to_owned(), true.into());
        }
    }
    call.try_request("fs.write", arguments)?;
    Ok(Value::Boolean(true))
}

fn is_directory(found: &Json) -> bool {
    found.get("type").and_then(Json::as_str) == Some("directory")
}

fn stat(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let arguments = path_arguments(call)?;
    let mut found = call.try_request("fs.stat", arguments)?;
    let is_dir = is_directory(&found);
    if let Json::Object(found) = &mut found {
        found.insert("is_dir".to_owned(), is_dir.into());
    }
    Ok(call.decode(&found)?)
}

fn list_entries(call: &mut FunctionCall) -> Result<Value, ModuleError> {
    let arguments = path_arguments(call)?;
    let entries = call.try_request_value("fs.list", arguments)?;
    let entries = entries.as_table().cloned().ok_or_else(|| call.format_error("the server's answer is not a list"))?;
    let next = Cell::new(0);
    let iterator = call.lua.create_function(move |lua, ()| {
        next.set(next.get() + 1);
        entries.raw_get::<Value>(next.get()).and_then(|entry| entry.into_lua(lua))
    })?;
    Ok(Value::Function(iterator))
}
