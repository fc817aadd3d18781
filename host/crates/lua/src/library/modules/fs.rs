//! `fs`: files of the mounts that the operator names. The server opens them.

use std::cell::Cell;

use mlua::{IntoLua as _, Lua, Table, Value};
use serde_json::{Value as Json, json};

use super::base64::{decoded, encoded};
use super::{Fault, of};
use crate::library::function::{Call, Function, Kind, Param, Return, optional, param, returns};

const PATH: &[Param] = &[param("path", Kind::String, "string", "below the mount")];
const WRITTEN: &[Param] = &[
    param("path", Kind::String, "string", "below the mount"),
    param("data", Kind::String, "string", "any bytes"),
    optional(
        "mode",
        Kind::String,
        "\"w\"|\"a\"|\"wx\"",
        "replace, append, or create and fail where there is one (default \"w\")",
    ),
];
const DONE: &[Return] = &[returns("true", "")];
const BYTES: &[Return] = &[returns("string", "content any bytes")];

pub(super) const FUNCTIONS: &[Function] = &[
    of(
        "fs.get",
        "A mount, by its name.",
        &[param("name", Kind::String, "string", "")],
        &[returns("Volume", "")],
        volume,
    ),
    of("Volume:readfile", "A whole file.", PATH, BYTES, read),
    of("Volume:read_file", "The same as `readfile`.", PATH, BYTES, read),
    of("Volume:writefile", "Writes a whole file, or to the end of one.", WRITTEN, DONE, write),
    of("Volume:write_file", "The same as `writefile`.", WRITTEN, DONE, write),
    of("Volume:exists", "Whether there is such a file or folder.", PATH, &[returns("boolean", "")], |call| {
        let arguments = at(call)?;
        call.fetch("fs.exists", arguments)
    }),
    of(
        "Volume:stat",
        "What there is to know of a file.",
        PATH,
        &[returns("{ name: string, type: string, size: integer, modified?: number, is_dir: boolean }", "")],
        stat,
    ),
    of("Volume:isdir", "Whether it is a folder.", PATH, &[returns("boolean", "")], |call| {
        let arguments = at(call)?;
        let found = call.request("fs.stat", arguments)?;
        Ok(Value::Boolean(is_folder(&found)))
    }),
    of(
        "Volume:mkdir",
        "Makes a folder, and those above it. One that is there already is as good.",
        PATH,
        DONE,
        |call| done(call, "fs.mkdir"),
    ),
    of("Volume:remove", "Removes a file, and no folder. One that is not there is as good.", PATH, DONE, |call| {
        done(call, "fs.remove")
    }),
    of(
        "Volume:readdir",
        "Goes through a folder: `for entry in volume:readdir(path) do`.",
        PATH,
        &[returns("fun(): { name: string, type: \"file\"|\"directory\", size?: integer }|nil", "")],
        list,
    ),
];

pub(super) fn constants(lua: &Lua, module: &Table) -> mlua::Result<()> {
    module.raw_set("type", lua.create_table_from([("FILE", "file"), ("DIR", "directory")])?)
}

fn volume(call: &mut Call) -> Result<Value, Fault> {
    let name = call.text()?;
    let volume: Table = call.object("Volume")?;
    volume.raw_set("name", name)?;
    Ok(Value::Table(volume))
}

fn at(call: &mut Call) -> Result<Json, Fault> {
    let (name, path): (String, String) = (call.own("name")?, call.text()?);
    Ok(json!({"fs": name, "path": path}))
}

fn done(call: &mut Call, operation: &str) -> Result<Value, Fault> {
    let arguments = at(call)?;
    call.request(operation, arguments)?;
    Ok(Value::Boolean(true))
}

fn read(call: &mut Call) -> Result<Value, Fault> {
    let arguments = at(call)?;
    let answer = call.request("fs.read", arguments)?;
    content(call, &answer)
}

/// What an answer holds as a text, or as the bytes that are none.
pub(super) fn content(call: &Call, answer: &Json) -> Result<Value, Fault> {
    let text = |name: &str| answer.get(name).and_then(Json::as_str);
    if let Some(text) = text("text") {
        return Ok(call.string(text)?);
    }
    let bytes = text("base64").map(|bytes| decoded(bytes.as_bytes()));
    let bytes = bytes.unwrap_or_else(|| Err("the server's answer has no content".to_owned()));
    Ok(Value::String(call.lua.create_string(bytes.map_err(|message| call.blame(&message))?)?))
}

fn write(call: &mut Call) -> Result<Value, Fault> {
    let mut arguments = at(call)?;
    let (name, held) = match String::from_utf8(call.bytes()) {
        Ok(text) => ("text", text),
        Err(error) => ("base64", encoded(error.as_bytes())),
    };
    let mode = call.text_or_none()?;
    let is_new = mode.as_deref() == Some("wx");
    let append = match mode.as_deref() {
        None | Some("w" | "wx") => false,
        Some("a") => true,
        Some(_) => return Err(call.blame("mode must be \"w\", \"a\" or \"wx\"").into()),
    };
    if let Json::Object(arguments) = &mut arguments {
        arguments.insert(name.to_owned(), held.into());
        arguments.insert("append".to_owned(), append.into());
        if is_new {
            arguments.insert("create".to_owned(), true.into());
        }
    }
    call.request("fs.write", arguments)?;
    Ok(Value::Boolean(true))
}

fn is_folder(found: &Json) -> bool {
    found.get("type").and_then(Json::as_str) == Some("directory")
}

fn stat(call: &mut Call) -> Result<Value, Fault> {
    let arguments = at(call)?;
    let mut found = call.request("fs.stat", arguments)?;
    let is_dir = is_folder(&found);
    if let Json::Object(found) = &mut found {
        found.insert("is_dir".to_owned(), is_dir.into());
    }
    Ok(call.decode(&found)?)
}

fn list(call: &mut Call) -> Result<Value, Fault> {
    let arguments = at(call)?;
    let entries = call.fetch("fs.list", arguments)?;
    let entries = entries.as_table().cloned().ok_or_else(|| call.blame("the server's answer is no list"))?;
    let next = Cell::new(0);
    let iterator = call.lua.create_function(move |lua, ()| {
        next.set(next.get() + 1);
        entries.raw_get::<Value>(next.get()).and_then(|entry| entry.into_lua(lua))
    })?;
    Ok(Value::Function(iterator))
}
