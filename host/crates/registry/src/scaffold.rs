//! New entries that work, as a starting point.
//!
//! Owns: the text of an entry and of its handler, and where they are written.
//! Never: changes an existing entry, or takes its name; to an index that others wrote, lines are added at its end.

use std::sync::Arc;

use super::RegistryService;
use super::entry::{self, RegistryEntry, SourceLoader, check_name};
use super::index::INDEX_FILE_NAME;
use super::report::{IndexReport, SchemaCache};
use super::yaml;
use crate::limits::MAX_YAML_BYTES;
use wardroom_appdir::{AppDirError, Folder, Privacy};

/// The kind of entry to create.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScaffoldKind {
    Tool,
    Prompt,
    Resource,
}

/// Writes an entry and its handler below `root`, where `known` has everything that is declared by now. A new index
/// names its JSON Schema, if `schema` has the path of that. Returns the files that were created or changed.
///
/// # Errors
/// A message; nothing is declared then, though the folder may exist by now, with its lock and the handler's file.
pub fn create_scaffold(
    known: &RegistryService,
    root: &Folder,
    namespace: &str,
    kind: ScaffoldKind,
    name: &str,
    schema: Option<&str>,
) -> Result<Vec<String>, String> {
    check_name(name).map_err(|why| format!("the name {why}"))?;
    check_name(namespace).map_err(|why| format!("the namespace {why}"))?;
    if namespace.starts_with('.') {
        return Err("the namespace begins with a dot: hidden folders are not scanned".to_owned());
    }
    let folder =
        root.create_folder(namespace).map_err(|error| format!("cannot create the folder {namespace}: {error}"))?;
    let _lock = folder.lock(".new.lock").map_err(|error| format!("cannot lock the folder {namespace}: {error}"))?;
    let (entry, source) = scaffold_texts(kind, name);
    let index = match folder.read_text(INDEX_FILE_NAME, MAX_YAML_BYTES as u64) {
        Ok((text, _)) => Some(text),
        Err(AppDirError::NotFound(_)) => None,
        Err(error) => return Err(format!("{namespace}/{INDEX_FILE_NAME} cannot be read: {error}")),
    };
    let text = append_entry(index.as_deref(), namespace, &entry, schema)?;
    known.check_names_free(&parse_new_entry(&text, namespace, &source)?)?;
    // A broken entry is not among the known ones.
    if let Some(line) = index.as_deref().and_then(|index| find_entry_line(index, name)) {
        return Err(format!(
            "the entry {name} at {namespace}/{INDEX_FILE_NAME}:{line} already exists and is broken: fix it"
        ));
    }
    let file = format!("{name}.lua");
    folder.create_file(&file, source.as_bytes(), Privacy::Shared).map_err(|error| match error {
        AppDirError::AlreadyExists(_) => {
            format!("{namespace}/{file} already exists: choose another name, or remove it")
        }
        error => format!("cannot write {namespace}/{file}: {error}"),
    })?;
    let written = folder.write(INDEX_FILE_NAME, text.as_bytes(), Privacy::Preserve);
    written.map_err(|error| format!("cannot write {namespace}/{INDEX_FILE_NAME}: {error}"))?;
    Ok(vec![format!("{namespace}/{INDEX_FILE_NAME}"), format!("{namespace}/{file}")])
}

/// Returns the index with one more entry.
fn append_entry(index: Option<&str>, namespace: &str, entry: &str, schema: Option<&str>) -> Result<String, String> {
    let Some(index) = index else {
        let head = schema.map_or_else(String::new, |path| format!("# yaml-language-server: $schema={path}\n"));
        return Ok(format!("{head}version: \"1.0\"\nnamespace: \"{namespace}\"\n\nentries:\n{entry}"));
    };
    let count = |text: &str| {
        let node = yaml::parse(text).ok()?;
        let entries = node.get("entries")?;
        // None are there yet.
        let is_empty = matches!(entries.value, yaml::YamlValue::Null);
        if is_empty { Some(0) } else { Some(entries.as_list()?.len()) }
    };
    let declared = yaml::parse(index).ok().and_then(|node| Some(node.get("namespace")?.as_text()?.to_owned()));
    if let Some(other) = declared.filter(|declared| declared != namespace) {
        return Err(format!(
            "{namespace}/{INDEX_FILE_NAME} has the namespace {other}: edit it by hand, or choose another namespace"
        ));
    }
    let before = count(index).ok_or_else(|| format!("{namespace}/{INDEX_FILE_NAME} cannot be parsed: fix it first"))?;
    let gap = if index.ends_with('\n') { "" } else { "\n" };
    let text = format!("{index}{gap}{entry}");
    // Entries may have another style, or precede something else.
    if count(&text) == Some(before + 1) {
        return Ok(text);
    }
    Err(format!("{namespace}/{INDEX_FILE_NAME} does not end with its entries: add this entry by hand\n{entry}"))
}

/// Returns the line of the index at which an entry of this name is, whatever else is wrong with the entry.
fn find_entry_line(index: &str, name: &str) -> Option<u64> {
    let index = yaml::parse(index).ok()?;
    let own = |entry: &&yaml::YamlNode| entry.get("name").and_then(yaml::YamlNode::as_text) == Some(name);
    index.get("entries")?.as_list()?.iter().find(own).map(|entry| entry.line)
}

/// Parses the last entry of an index, as loading would.
fn parse_new_entry(index: &str, namespace: &str, source: &str) -> Result<RegistryEntry, String> {
    struct NewEntrySource<'s>(&'s str);
    impl SourceLoader for NewEntrySource<'_> {
        fn load_text(&self, _: &str) -> Result<Arc<str>, String> {
            Ok(self.0.into())
        }

        fn check_exists(&self, _: &str) -> Result<(), String> {
            Ok(())
        }

        fn index_location(&self) -> (usize, &str) {
            (0, "")
        }
    }
    let node = yaml::parse(index).map_err(|error| error.message)?;
    let node = node.get("entries").and_then(|entries| entries.as_list()?.last());
    let node = node.ok_or_else(|| "the entry would be missing".to_owned())?;
    let mut report = IndexReport::new(INDEX_FILE_NAME, SchemaCache::default());
    entry::parse_entry(node, namespace, &mut report, &NewEntrySource(source)).ok_or_else(|| {
        let why = report.problems.first().map_or_else(String::new, |problem| problem.message.clone());
        format!("the entry would not load: {why}")
    })
}

impl RegistryService {
    /// Checks that no other entry has a name of the new entry: of two with one name neither would be offered.
    fn check_names_free(&self, entry: &RegistryEntry) -> Result<(), String> {
        let loaded = self.watcher.current();
        let tool = |entry: &RegistryEntry| Some(entry.tool.as_ref()?.list_entry.name.clone().into_owned());
        let prompt = |entry: &RegistryEntry| Some(entry.prompt.as_ref()?.list_entry.name.clone());
        let uri = |entry: &RegistryEntry| Some(entry.resource.as_ref()?.uri().to_owned());
        for (what, own, name) in [
            ("tool", tool(entry), &tool as &dyn Fn(&RegistryEntry) -> Option<String>),
            ("prompt", prompt(entry), &prompt),
            ("resource", uri(entry), &uri),
        ] {
            let Some(own) = own else { continue };
            if what != "prompt" && self.watcher.is_reserved(&own) {
                return Err(format!("this server has a built-in {what} {own}: choose another name"));
            }
            if let Some(other) = loaded.entries.values().find(|entry| name(entry).as_ref() == Some(&own)) {
                return Err(format!(
                    "the {what} {own} is already declared at {}:{}: choose another name",
                    other.file, other.line
                ));
            }
        }
        match loaded.entries.get(&entry.id) {
            Some(other) => Err(format!("the entry {} already exists at {}:{}", other.id, other.file, other.line)),
            None => Ok(()),
        }
    }
}

fn scaffold_texts(kind: ScaffoldKind, name: &str) -> (String, String) {
    match kind {
        ScaffoldKind::Tool => (
            format!(
                "  - name: \"{name}\"\n    kind: function.lua\n    source: \"file://{name}.lua\"\n    method: call\n    modules: []\n    \
                 meta:\n      mcp.tool: true\n      mcp.name: \"{name}\"\n      mcp.description: Greets a person\n      \
                 mcp.inputSchema:\n        type: object\n        properties:\n          name:\n            type: string\n            \
                 description: The person\n        required: [name]\n      mcp.annotations:\n        readOnlyHint: true\n"
            ),
            "local M = {}\n\n-- The arguments of the client, which fit mcp.inputSchema, are in `arguments`.\n\
             function M.call(arguments)\n  return \"Hello, \" .. arguments.name .. \"!\"\nend\n\nreturn M\n"
                .to_owned(),
        ),
        ScaffoldKind::Prompt => (
            format!(
                "  - name: \"{name}\"\n    kind: function.lua\n    source: \"file://{name}.lua\"\n    method: get\n    modules: []\n    \
                 meta:\n      mcp.prompt: true\n      mcp.prompt.name: \"{name}\"\n      mcp.prompt.description: Asks for a \
                 summary\n      mcp.prompt.arguments:\n        - name: text\n          description: Text to summarise\n          \
                 required: true\n"
            ),
            "local M = {}\n\nfunction M.get(arguments)\n  return {\n    messages = {\n      { role = \"user\", content = { \
             type = \"text\", text = \"Summarise this:\\n\\n\" .. arguments.text } },\n    },\n  }\nend\n\nreturn M\n"
                .to_owned(),
        ),
        ScaffoldKind::Resource => (
            format!(
                "  - name: \"{name}\"\n    kind: function.lua\n    source: \"file://{name}.lua\"\n    method: read\n    modules: []\n    \
                 meta:\n      mcp.resource: true\n      mcp.resource.template: \"things://{name}/{{id}}\"\n      mcp.resource.name: \
                 \"{name}\"\n      mcp.resource.description: A thing by its id\n      mcp.resource.mimeType: text/plain\n"
            ),
            "local M = {}\n\n-- The values of the template's variables are in `arguments`; return nil if the thing does not \
             exist.\nfunction M.read(arguments)\n  return \"This is \" .. arguments.id .. \".\"\nend\n\nreturn M\n"
                .to_owned(),
        ),
    }
}
