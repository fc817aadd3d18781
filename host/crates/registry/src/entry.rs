//! One entry of an index: what it is called, what it runs, and what is declared in its `meta`.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;

use super::declared::{self, Prompt, Resource, Tool, Values};
use super::meta::{Meta, check_keys};
use super::report::Report;
use super::visible::Visibility;
use super::yaml::{Node, Tree};
use wardroom_lua::module_problem;
use wardroom_service::Feature;

#[derive(Debug)]
pub(super) struct Entry {
    /// `namespace:name`
    pub(super) id: String,
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) file: String,
    /// Where its index lies: the number of the root, and the folder below that.
    pub(super) root: usize,
    pub(super) way: String,
    pub(super) line: u64,
    pub(super) kind: Kind,
    pub(super) handler: Option<Handler>,
    pub(super) visibility: Visibility,
    pub(super) tool: Option<Tool>,
    pub(super) prompt: Option<Prompt>,
    pub(super) resource: Option<Resource>,
    pub(super) completions: BTreeMap<String, Values>,
    pub(super) timeout: Duration,
    pub(super) needs: Vec<Feature>,
    /// As it stands in its index.
    pub(super) raw: Value,
    /// Of what a list would show differently.
    pub(super) digest: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// It can be called.
    Function,
    /// Others require it.
    Library,
    /// It is only looked up.
    Data,
}

/// What runs when an entry is called or required.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Handler {
    pub(super) source: Arc<str>,
    /// Nothing for a library.
    pub(super) method: Option<String>,
    pub(super) modules: Vec<String>,
    /// Alias → entry id.
    pub(super) imports: BTreeMap<String, String>,
}

/// Reads the files that entries name, beside their index.
pub(super) trait Beside {
    /// # Errors
    /// Why there is none, in words.
    fn text(&self, name: &str) -> Result<Arc<str>, String>;

    /// Whether there is a regular file of that name.
    ///
    /// # Errors
    /// As [`Self::text`].
    fn is_there(&self, name: &str) -> Result<(), String>;

    /// The number of the root that the index is in, and the folder below that.
    fn home(&self) -> (usize, &str);
}

/// What is said of an entry that is to be called, and never can be.
pub(super) const CANNOT_RUN: &str = "cannot be called: only a function.lua can";

const FIELDS: [&str; 11] =
    ["name", "kind", "source", "method", "modules", "imports", "meta", "pool", "data", "depends_on", "description"];

/// Reads one entry; nothing where something about it is wrong.
pub(super) fn read(node: &Node, namespace: &str, report: &mut Report, beside: &dyn Beside) -> Option<Entry> {
    let before = report.errors();
    if let Some((line, why)) = node.wrong() {
        let name = node.get("name").and_then(Node::text).map_or_else(String::new, |name| format!("{name}: "));
        report.error(line, format!("{name}{why}"));
        return None;
    }
    let fields = node.map().or_else(|| {
        report.error(node.line, "an entry must be a map");
        None
    })?;
    let name = text(node, "name", report).or_else(|| {
        report.error(node.line, "an entry needs a name");
        None
    })?;
    if let Err(why) = name_problem(&name) {
        report.error(node.line, format!("the name of an entry {why}"));
    }
    let kind = match text(node, "kind", report).as_deref() {
        Some("function.lua") => Kind::Function,
        Some("library.lua") => Kind::Library,
        Some("registry.entry") => Kind::Data,
        None => {
            report.error(node.line, format!("{name} needs a kind: function.lua or library.lua"));
            return None;
        }
        Some(other) => {
            report.warn(node.line, format!("{name}: {}", foreign(other)));
            return None;
        }
    };
    if kind != Kind::Data {
        check_keys(fields, &FIELDS, &name, report);
    }
    let meta = Meta::of(node, report);
    let (mut tool, prompt) =
        (declared::tool(&meta, namespace, &name, report), declared::prompt(&meta, namespace, &name, report));
    let resource = declared::resource(&meta, namespace, &name, report, beside);
    let completions = declared::completions(&meta, report);
    let is_called = tool.is_some()
        || prompt.as_ref().is_some_and(Prompt::is_dynamic)
        || resource.as_ref().is_some_and(Resource::is_dynamic);
    if is_called && kind != Kind::Function {
        report.error(node.get("kind").map_or(node.line, |node| node.line), format!("{name} {CANNOT_RUN}"));
    }
    let runs = is_called || tool.is_none() && prompt.is_none() && resource.is_none();
    let handler = if kind == Kind::Data { None } else { handler(node, kind, runs, &name, report, beside) };
    let starts_tasks = handler.as_ref().is_some_and(|handler| handler.modules.iter().any(|module| module == "task"));
    if let Some(task) = tool.as_mut().and_then(|tool| tool.task.as_mut()) {
        task.by_handler = starts_tasks;
    }
    let (root, way) = beside.home();
    let (id, raw) = (format!("{namespace}:{name}"), node.json());
    let entry = Entry {
        digest: digest(&id, &raw),
        id,
        namespace: namespace.to_owned(),
        file: report.file.clone(),
        root,
        way: way.to_owned(),
        line: node.line,
        kind,
        handler,
        visibility: meta.visibility(report),
        tool,
        prompt,
        resource,
        completions,
        timeout: meta.timeout(report),
        needs: meta.needs(report),
        raw,
        name,
    };
    (report.errors() == before).then_some(entry)
}

/// What an entry runs. One that never runs may name a file that is not there.
fn handler(
    node: &Node,
    kind: Kind,
    runs: bool,
    name: &str,
    report: &mut Report,
    beside: &dyn Beside,
) -> Option<Handler> {
    let modules = texts(node, "modules", report);
    for module in &modules {
        if let Some(why) = module_problem(module).filter(|_| runs) {
            report.error(node.get("modules").map_or(node.line, |node| node.line), why);
        }
    }
    let mut imports = BTreeMap::new();
    if let Some(listed) = node.get("imports").filter(|listed| listed.tree != Tree::Null) {
        match listed.map() {
            None => report.error(listed.line, "imports must be a map of names to entry ids"),
            Some(listed) => {
                for (alias, id) in listed {
                    match id.text().filter(|id| id.contains(':')) {
                        Some(id) => drop(imports.insert(alias.name.clone(), id.to_owned())),
                        None => report
                            .error(id.line, format!("the import {} must be an entry id, namespace:name", alias.name)),
                    }
                }
            }
        }
    }
    let source = text(node, "source", report);
    let method = text(node, "method", report);
    if !runs {
        return None;
    }
    let line = node.get("source").map_or(node.line, |node| node.line);
    let Some(source) = source else {
        report.error(node.line, format!("{name} needs a source: file://NAME.lua, beside this file"));
        return None;
    };
    if kind == Kind::Function && method.is_none() {
        report.error(node.line, format!("{name} needs a method: the function that its source returns under that name"));
    }
    let Some(file) = source.strip_prefix("file://") else {
        report.error(line, format!("the source of {name} must be file://NAME.lua, beside this file"));
        return None;
    };
    match beside.text(file) {
        Ok(source) => Some(Handler { source, method: method.filter(|_| kind == Kind::Function), modules, imports }),
        Err(why) => {
            report.error(line, format!("the source of {name}, {file}, {why}"));
            None
        }
    }
}

fn digest(id: &str, raw: &Value) -> u64 {
    let mut hash = DefaultHasher::new();
    id.hash(&mut hash);
    raw.to_string().hash(&mut hash);
    hash.finish()
}

/// The name of an entry that is the operator's switch that hides whatever has groups.
pub(super) fn switch(node: &Node) -> Option<&str> {
    let is = |node: Option<&Node>, text: &str| node.and_then(Node::text) == Some(text);
    let set = node.get("data").and_then(|data| data.get("emergency_hide_gated"));
    let is_switch = is(node.get("kind"), "registry.entry")
        && is(node.get("meta").and_then(|meta| meta.get("type")), "mcp.gating")
        && set.is_some_and(|set| set.tree == Tree::Bool(true));
    node.get("name").and_then(Node::text).filter(|_| is_switch)
}

fn foreign(kind: &str) -> String {
    let what = match kind {
        "http.endpoint" | "http.service" | "http.router" => ": endpoints are configured, in [http.endpoints]",
        "process.lua" | "terminal.host" | "process.host" => ": this server is the process",
        "ns.requirement" | "ns.dependency" | "ns.definition" => ": there is nothing to resolve",
        _ => ": known are function.lua, library.lua and registry.entry",
    };
    format!("the kind {kind} means nothing here{what}")
}

fn text(node: &Node, field: &str, report: &mut Report) -> Option<String> {
    let node = node.get(field).filter(|node| node.tree != Tree::Null)?;
    let text = node.text().map(str::to_owned);
    if text.is_none() {
        report.error(node.line, format!("{field} must be text"));
    }
    text
}

fn texts(node: &Node, field: &str, report: &mut Report) -> Vec<String> {
    let Some(node) = node.get(field).filter(|node| node.tree != Tree::Null) else { return Vec::new() };
    let texts = node.list().and_then(|items| items.iter().map(|item| item.text().map(str::to_owned)).collect());
    texts.unwrap_or_else(|| {
        report.error(node.line, format!("{field} must be a list of texts"));
        Vec::new()
    })
}

/// Names and namespaces stand in ids, messages and names of folders.
pub(super) fn name_problem(name: &str) -> Result<(), String> {
    wardroom_rules::id::check_alphabet(name).map_err(|error| error.to_string())
}
