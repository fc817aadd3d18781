//! New entries that work, to begin with.
//!
//! Owns: the text of an entry and of its handler, and where they go.
//! Never: changes an entry that is there; to an index that others wrote, lines are added at its end.

use super::entry::name_problem;
use super::index::INDEX;
use super::yaml;
use crate::appdir::{AppDirError, Folder, Privacy};
use crate::limits::MAX_YAML_BYTES;

/// What is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scaffold {
    Tool,
    Prompt,
    Resource,
}

/// Writes an entry and its handler below `root`; the files that were made or changed.
///
/// # Errors
/// Why not, in words; nothing was made then, or only the handler's file.
pub fn scaffold(root: &Folder, namespace: &str, kind: Scaffold, name: &str) -> Result<Vec<String>, String> {
    name_problem(name).map_err(|why| format!("the name {why}"))?;
    name_problem(namespace).map_err(|why| format!("the namespace {why}"))?;
    let folder =
        root.create_folder(namespace).map_err(|error| format!("cannot make the folder {namespace}: {error}"))?;
    let _lock = folder.lock(".new.lock").map_err(|error| format!("cannot be changed now: {error}"))?;
    let (entry, source) = texts(kind, name);
    let index = match folder.read_text(INDEX, MAX_YAML_BYTES as u64) {
        Ok((text, _)) => Some(text),
        Err(AppDirError::NotFound(_)) => None,
        Err(error) => return Err(format!("{namespace}/{INDEX} cannot be read: {error}")),
    };
    let text = extended(index.as_deref(), namespace, &entry)?;
    let file = format!("{name}.lua");
    folder.create(&file, source.as_bytes(), Privacy::Shared).map_err(|error| match error {
        AppDirError::Exists(_) => format!("{namespace}/{file} is there already: choose another name, or remove it"),
        error => format!("cannot write {namespace}/{file}: {error}"),
    })?;
    let written = folder.write(INDEX, text.as_bytes(), Privacy::Shared);
    written.map_err(|error| format!("cannot write {namespace}/{INDEX}: {error}"))?;
    Ok(vec![format!("{namespace}/{INDEX}"), format!("{namespace}/{file}")])
}

/// The index with one entry more.
fn extended(index: Option<&str>, namespace: &str, entry: &str) -> Result<String, String> {
    let Some(index) = index else {
        return Ok(format!("version: \"1.0\"\nnamespace: {namespace}\n\nentries:\n{entry}"));
    };
    let count = |text: &str| {
        let node = yaml::parse(text).ok()?;
        Some(node.get("entries")?.list()?.len())
    };
    let before = count(index).ok_or_else(|| format!("{namespace}/{INDEX} cannot be understood: mend it first"))?;
    let gap = if index.ends_with('\n') { "" } else { "\n" };
    let text = format!("{index}{gap}{entry}");
    // Entries may be written in another form, or stand before something else.
    if count(&text) == Some(before + 1) {
        return Ok(text);
    }
    Err(format!("{namespace}/{INDEX} does not end with its entries: add this one yourself\n{entry}"))
}

fn texts(kind: Scaffold, name: &str) -> (String, String) {
    match kind {
        Scaffold::Tool => (
            format!(
                "  - name: {name}\n    kind: function.lua\n    source: file://{name}.lua\n    method: call\n    modules: []\n    \
                 meta:\n      mcp.tool: true\n      mcp.name: {name}\n      mcp.description: Says hello to somebody\n      \
                 mcp.inputSchema:\n        type: object\n        properties:\n          name:\n            type: string\n            \
                 description: Who is greeted\n        required: [name]\n      mcp.annotations:\n        readOnlyHint: true\n"
            ),
            "local M = {}\n\n-- What a client sends is in `arguments`, and fits mcp.inputSchema.\n\
             function M.call(arguments)\n  return \"Hello, \" .. arguments.name .. \"!\"\nend\n\nreturn M\n"
                .to_owned(),
        ),
        Scaffold::Prompt => (
            format!(
                "  - name: {name}\n    kind: function.lua\n    source: file://{name}.lua\n    method: get\n    modules: []\n    \
                 meta:\n      mcp.prompt: true\n      mcp.prompt.name: {name}\n      mcp.prompt.description: Asks for a \
                 summary\n      mcp.prompt.arguments:\n        - name: text\n          description: What is summarised\n          \
                 required: true\n"
            ),
            "local M = {}\n\nfunction M.get(arguments)\n  return {\n    messages = {\n      { role = \"user\", content = { \
             type = \"text\", text = \"Summarise this:\\n\\n\" .. arguments.text } },\n    },\n  }\nend\n\nreturn M\n"
                .to_owned(),
        ),
        Scaffold::Resource => (
            format!(
                "  - name: {name}\n    kind: function.lua\n    source: file://{name}.lua\n    method: read\n    modules: []\n    \
                 meta:\n      mcp.resource: true\n      mcp.resource.template: \"things://{name}/{{id}}\"\n      mcp.resource.name: \
                 {name}\n      mcp.resource.description: Something by its id\n      mcp.resource.mimeType: text/plain\n"
            ),
            "local M = {}\n\n-- The values of the template's variables are in `arguments`; nil means that there is no such \
             thing.\nfunction M.read(arguments)\n  return \"This is \" .. arguments.id .. \".\"\nend\n\nreturn M\n"
                .to_owned(),
        ),
    }
}
