//! One entry of an index: its name, its handler, and the declarations in its `meta`.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::declarations::{self, CompletionSource, DeclaredPrompt, DeclaredResource, DeclaredTool};
use super::meta::{EntryMeta, warn_unknown_keys};
use super::report::IndexReport;
use super::visibility::Visibility;
use super::yaml::{YamlNode, YamlValue};
use wardroom_lua::module_problem;
use wardroom_service::ClientCapability;

#[derive(Debug)]
pub(super) struct RegistryEntry {
    /// `namespace:name`
    pub(super) id: String,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) file: String,
    /// The location of its index: the number of the root, and the folder below the root.
    pub(super) root_index: usize,
    pub(super) relative_path: String,
    pub(super) line: u64,
    pub(super) kind: RegistryEntryKind,
    pub(super) handler: Option<HandlerSpec>,
    pub(super) visibility: Visibility,
    pub(super) tool: Option<DeclaredTool>,
    pub(super) prompt: Option<DeclaredPrompt>,
    pub(super) resource: Option<DeclaredResource>,
    pub(super) completions: BTreeMap<String, CompletionSource>,
    pub(super) timeout: Duration,
    pub(super) required_capabilities: Vec<ClientCapability>,
    /// The entry as written in its index.
    pub(super) raw: Value,
    /// A digest of everything that a list could show.
    pub(super) digest: u64,
}

impl RegistryEntry {
    /// Returns the names and addresses under which it offers something.
    pub(super) fn offered_names(&self) -> impl Iterator<Item = &str> {
        let tool = self.tool.as_ref().map(|tool| &*tool.list_entry.name);
        let resource = self.resource.as_ref().map(DeclaredResource::uri);
        [tool, self.prompt_name(), resource].into_iter().flatten()
    }

    /// Returns the name of the prompt that it declares.
    pub(super) fn prompt_name(&self) -> Option<&str> {
        Some(&self.prompt.as_ref()?.list_entry.name)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RegistryEntryKind {
    /// Can be called.
    Function,
    /// Is required by others.
    Library,
    /// Is only looked up.
    Data,
}

/// The code that runs when an entry is called or required.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct HandlerSpec {
    pub(super) source: Arc<str>,
    /// The path of the source, as problems have it.
    pub(super) file: String,
    /// `None` for a library.
    pub(super) method: Option<String>,
    pub(super) modules: Vec<String>,
    /// Alias → entry id.
    pub(super) imports: BTreeMap<String, String>,
}

/// Reads the files that entries name, relative to their index.
pub(super) trait SourceLoader {
    /// Returns the text of a file.
    ///
    /// # Errors
    /// A message that says why the file cannot be read.
    fn load_text(&self, name: &str) -> Result<Arc<str>, String>;

    /// Checks that there is a regular file of that name.
    ///
    /// # Errors
    /// As [`Self::load_text`].
    fn check_exists(&self, name: &str) -> Result<(), String>;

    /// Returns the number of the root that contains the index, and the folder below the root.
    fn index_location(&self) -> (usize, &str);
}

/// The remedy for an entry that is to be called, and never can be.
pub(super) const HANDLER_KIND_HINT: &str = "set its kind to function.lua";

/// The known keys of an entry; a `registry.entry` may have others.
pub(super) const ENTRY_FIELDS: [&str; 11] =
    ["name", "kind", "source", "method", "modules", "imports", "meta", "pool", "data", "depends_on", "description"];

/// The keys of `meta` that name what an entry offers.
pub(super) const OFFERED_NAME_KEYS: [&str; 4] =
    ["mcp.name", "mcp.prompt.name", "mcp.resource.uri", "mcp.resource.template"];

/// Returns the names and addresses under which an entry may offer something, as far as they can be read.
pub(super) fn offered_names(node: &YamlNode, namespace: &str) -> impl Iterator<Item = String> {
    let text = |node: Option<&YamlNode>| node.and_then(YamlNode::as_text).map(str::to_owned);
    let meta = node.get("meta");
    let given = OFFERED_NAME_KEYS.into_iter().filter_map(move |key| text(meta?.get(key)));
    let id = text(node.get("name")).map(|name| format!("{namespace}:{name}"));
    given.chain(id)
}

/// Parses one entry; `None` where something about it is wrong.
pub(super) fn parse_entry(
    node: &YamlNode,
    namespace: &str,
    report: &mut IndexReport,
    source_loader: &dyn SourceLoader,
) -> Option<RegistryEntry> {
    let before = report.error_count();
    if let Some((line, why)) = node.find_invalid() {
        let name = node.get("name").and_then(YamlNode::as_text).map_or_else(String::new, |name| format!("{name}: "));
        report.error(line, format!("{name}{why}"));
        return None;
    }
    let fields = node.as_map().or_else(|| {
        report.error(node.line, "an entry must be a map");
        None
    })?;
    let name = text_field(node, "name", report).or_else(|| {
        report.error(node.line, "an entry needs a name");
        None
    })?;
    if let Err(why) = check_name(&name) {
        report.error(node.line, format!("the name of an entry {why}"));
    }
    let kind = match text_field(node, "kind", report).as_deref() {
        Some("function.lua") => RegistryEntryKind::Function,
        Some("library.lua") => RegistryEntryKind::Library,
        Some("registry.entry") => RegistryEntryKind::Data,
        None => {
            report.error(node.line, format!("{name} needs a kind: function.lua or library.lua"));
            return None;
        }
        Some(other) => {
            report.warn(node.line, format!("{name}: {}", describe_unsupported_kind(other)));
            return None;
        }
    };
    if kind != RegistryEntryKind::Data {
        warn_unknown_keys(fields, &ENTRY_FIELDS, &name, report);
    }
    let meta = EntryMeta::parse(node, report);
    let (mut tool, prompt) = (
        declarations::parse_tool(&meta, namespace, &name, report),
        declarations::parse_prompt(&meta, namespace, &name, report),
    );
    let resource = declarations::parse_resource(&meta, namespace, &name, report, source_loader);
    let completions = declarations::parse_completions(&meta, report);
    let is_called = tool.is_some()
        || prompt.as_ref().is_some_and(DeclaredPrompt::is_dynamic)
        || resource.as_ref().is_some_and(DeclaredResource::is_dynamic);
    if is_called && kind != RegistryEntryKind::Function {
        let lacks = match (&prompt, &resource) {
            (Some(prompt), _) if prompt.is_dynamic() => "has no mcp.prompt.messages, and is no handler",
            (_, Some(resource)) if resource.is_dynamic() => {
                "has neither mcp.resource.text nor mcp.resource.file, and is no handler"
            }
            _ => "cannot be called",
        };
        let line = node.get("kind").map_or(node.line, |node| node.line);
        report.error(line, format!("{name} {lacks}: {HANDLER_KIND_HINT}"));
    }
    let runs = is_called || tool.is_none() && prompt.is_none() && resource.is_none();
    let handler = if kind == RegistryEntryKind::Data {
        None
    } else {
        parse_handler(node, kind, runs, &name, report, source_loader)
    };
    let starts_tasks = handler.as_ref().is_some_and(|handler| handler.modules.iter().any(|module| module == "task"));
    if let Some(task) = tool.as_mut().and_then(|tool| tool.task_support.as_mut()) {
        task.is_started_by_handler = starts_tasks;
    }
    let (root, path) = source_loader.index_location();
    let (id, raw) = (format!("{namespace}:{name}"), node.to_json());
    let entry = RegistryEntry {
        digest: entry_digest(&id, &raw),
        id,
        namespace: namespace.to_owned(),
        file: report.file.clone(),
        root_index: root,
        relative_path: path.to_owned(),
        line: node.line,
        kind,
        handler,
        visibility: meta.visibility(report),
        tool,
        prompt,
        resource,
        completions,
        timeout: meta.timeout(report),
        required_capabilities: meta.required_capabilities(report),
        raw,
        name,
    };
    (report.error_count() == before).then_some(entry)
}

/// Parses what an entry runs. An entry that never runs may name a missing file.
fn parse_handler(
    node: &YamlNode,
    kind: RegistryEntryKind,
    runs: bool,
    name: &str,
    report: &mut IndexReport,
    source_loader: &dyn SourceLoader,
) -> Option<HandlerSpec> {
    let modules = text_list_field(node, "modules", report);
    for module in &modules {
        if let Some(why) = module_problem(module).filter(|_| runs) {
            report.error(node.get("modules").map_or(node.line, |node| node.line), why);
        }
    }
    let mut imports = BTreeMap::new();
    if let Some(listed) = node.get("imports").filter(|listed| listed.value != YamlValue::Null) {
        match listed.as_map() {
            None => report.error(listed.line, "imports must be a map of names to entry ids"),
            Some(listed) => {
                for (alias, id) in listed {
                    if modules.contains(&alias.name) {
                        report.warn(
                            alias.line,
                            format!("the import {} cannot be reached: it has the name of a listed module", alias.name),
                        );
                    }
                    match id.as_text().filter(|id| id.contains(':')) {
                        Some(id) => drop(imports.insert(alias.name.clone(), id.to_owned())),
                        None => report
                            .error(id.line, format!("the import {} must be an entry id, namespace:name", alias.name)),
                    }
                }
            }
        }
    }
    let source = text_field(node, "source", report);
    let method = text_field(node, "method", report);
    if !runs {
        return None;
    }
    let line = node.get("source").map_or(node.line, |node| node.line);
    let Some(source) = source else {
        report.error(node.line, format!("{name} needs a source: file://NAME.lua, beside this file"));
        return None;
    };
    if kind == RegistryEntryKind::Function && method.is_none() {
        report.error(node.line, format!("{name} needs a method: the function that its source returns under that name"));
    }
    let Some(file) = source.strip_prefix("file://") else {
        report.error(line, format!("the source of {name} must be file://NAME.lua, beside this file"));
        return None;
    };
    match source_loader.load_text(file) {
        Ok(source) => Some(HandlerSpec {
            source,
            file: beside(&report.file, file),
            method: method.filter(|_| kind == RegistryEntryKind::Function),
            modules,
            imports,
        }),
        Err(why) => {
            report.error(line, format!("the source of {name}, {file}, {why}"));
            None
        }
    }
}

/// Returns the path of a file that an index names.
fn beside(index: &str, file: &str) -> String {
    index.rsplit_once('/').map_or_else(|| file.to_owned(), |(folder, _)| format!("{folder}/{file}"))
}

fn entry_digest(id: &str, raw: &Value) -> u64 {
    let mut hash = DefaultHasher::new();
    id.hash(&mut hash);
    raw.to_string().hash(&mut hash);
    hash.finish()
}

/// Returns the name of an entry that is the operator's switch to hide every entry with groups.
pub(super) fn hide_gated_switch_name(node: &YamlNode) -> Option<&str> {
    let is = |node: Option<&YamlNode>, text: &str| node.and_then(YamlNode::as_text) == Some(text);
    let set = node.get("data").and_then(|data| data.get("emergency_hide_gated"));
    let is_switch = is(node.get("kind"), "registry.entry")
        && is(node.get("meta").and_then(|meta| meta.get("type")), "mcp.gating")
        && set.is_some_and(|set| set.value == YamlValue::Bool(true));
    node.get("name").and_then(YamlNode::as_text).filter(|_| is_switch)
}

fn describe_unsupported_kind(kind: &str) -> String {
    let what = match kind {
        "http.endpoint" | "http.service" | "http.router" => ": configure endpoints as [http.endpoints]",
        "process.lua" | "terminal.host" | "process.host" => ": this server starts no processes for entries",
        "ns.requirement" | "ns.dependency" | "ns.definition" => ": this server resolves no dependencies",
        _ => ": use function.lua, library.lua or registry.entry",
    };
    format!("the kind {kind} is not supported{what}")
}

fn text_field(node: &YamlNode, field: &str, report: &mut IndexReport) -> Option<String> {
    let node = node.get(field).filter(|node| node.value != YamlValue::Null)?;
    let text = node.as_text().map(str::to_owned);
    if text.is_none() {
        report.error(node.line, format!("{field} must be text"));
    }
    text
}

fn text_list_field(node: &YamlNode, field: &str, report: &mut IndexReport) -> Vec<String> {
    let Some(node) = node.get(field).filter(|node| node.value != YamlValue::Null) else { return Vec::new() };
    let texts = node.as_list().and_then(|items| items.iter().map(|item| item.as_text().map(str::to_owned)).collect());
    texts.unwrap_or_else(|| {
        report.error(node.line, format!("{field} must be a list of texts"));
        Vec::new()
    })
}

/// Checks a name or a namespace, which appear in ids, messages and names of folders.
pub(super) fn check_name(name: &str) -> Result<(), String> {
    wardroom_rules::id::check_alphabet(name).map_err(|error| error.to_string())
}
