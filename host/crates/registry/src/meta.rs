//! The `meta` of an entry: keys that contain dots, or maps below `mcp` that stand for them, read by name and type.
//!
//! Owns: which keys exist, so that a misspelt key is found.

use std::borrow::Cow;
use std::collections::HashSet;
use std::time::Duration;

use serde_json::Value;

use super::report::IndexReport;
use super::visibility::{Visibility, VisibilityScope};
use super::yaml::{YamlKey, YamlNode, YamlValue};
use crate::limits::{DEFAULT_HANDLER_TIMEOUT, MAX_HANDLER_TIMEOUT};
use wardroom_base::payload::Payload;
use wardroom_ranking::closest_name;
use wardroom_service::{ClientCapability, EntryExtras, Icon, escape_and_truncate};

/// The known keys; any other key that begins with `mcp.` is a mistake.
pub(super) const KNOWN_KEYS: [&str; 35] = [
    "mcp.tool",
    "mcp.name",
    "mcp.title",
    "mcp.description",
    "mcp.inputSchema",
    "mcp.outputSchema",
    "mcp.annotations",
    "mcp.scope",
    "mcp.groups",
    "mcp.icons",
    "mcp.meta",
    "mcp.ui",
    "mcp.needs",
    "mcp.timeout",
    "mcp.task",
    "mcp.completions",
    "mcp.prompt",
    "mcp.prompt.name",
    "mcp.prompt.title",
    "mcp.prompt.description",
    "mcp.prompt.type",
    "mcp.prompt.tags",
    "mcp.prompt.arguments",
    "mcp.prompt.messages",
    "mcp.prompt.extend",
    "mcp.resource",
    "mcp.resource.uri",
    "mcp.resource.template",
    "mcp.resource.name",
    "mcp.resource.title",
    "mcp.resource.description",
    "mcp.resource.mimeType",
    "mcp.resource.text",
    "mcp.resource.file",
    "mcp.resource.size",
];

/// The keys below which a map stands for keys with dots: `mcp: {tool: true}` is `mcp.tool: true`.
const NESTED_KEYS: [&str; 3] = ["mcp", "mcp.prompt", "mcp.resource"];

/// The keys in the `meta` of one entry.
pub(super) struct EntryMeta<'n> {
    fields: Vec<MetaField<'n>>,
}

struct MetaField<'n> {
    name: Cow<'n, str>,
    line: u64,
    node: &'n YamlNode,
}

impl<'n> EntryMeta<'n> {
    pub(super) fn parse(entry: &'n YamlNode, report: &mut IndexReport) -> Self {
        let node = entry.get("meta");
        let mut meta = Self { fields: Vec::new() };
        for (key, node) in node.and_then(YamlNode::as_map).unwrap_or_default() {
            meta.add(Cow::Borrowed(&key.name), key.line, node);
        }
        if let Some(node) = node.filter(|node| node.as_map().is_none() && node.value != YamlValue::Null) {
            report.error(node.line, "meta must be a map");
        }
        let mut known = HashSet::new();
        for MetaField { name, line, .. } in meta.fields.iter().filter(|field| is_of_protocol(&field.name)) {
            // Which of both counts could decide who sees the entry.
            if !known.insert(name.as_ref()) {
                report.error(*line, format!("{} is set twice", escape_and_truncate(name)));
            }
            if !KNOWN_KEYS.contains(&&**name) {
                let suggestion = suggest_key(name, &KNOWN_KEYS);
                report.warn(*line, format!("unknown key {}{suggestion}", escape_and_truncate(name)));
            }
        }
        meta
    }

    /// Adds a key, and those for which its map stands.
    fn add(&mut self, name: Cow<'n, str>, line: u64, node: &'n YamlNode) {
        let below = node.as_map().filter(|_| NESTED_KEYS.contains(&&*name));
        for (key, node) in below.unwrap_or_default() {
            self.add(Cow::Owned(format!("{name}.{}", key.name)), key.line, node);
        }
        if below.is_some() && name == "mcp" {
            return;
        }
        self.fields.push(MetaField { name, line, node });
    }

    fn find(&self, name: &str) -> Option<&MetaField<'n>> {
        self.fields.iter().find(|field| field.name == name)
    }

    pub(super) fn get(&self, name: &str) -> Option<&'n YamlNode> {
        self.find(name).map(|field| field.node).filter(|node| node.value != YamlValue::Null)
    }

    pub(super) fn line(&self, name: &str) -> u64 {
        self.find(name).map_or(0, |field| field.line)
    }

    /// Whether a marker is set. Only a boolean counts, and a map of the keys below it.
    pub(super) fn flag(&self, name: &str, report: &mut IndexReport) -> bool {
        match self.get(name).map(|node| (&node.value, node.line)) {
            None => false,
            Some((YamlValue::Bool(set), _)) => *set,
            Some((YamlValue::Map(_), _)) if NESTED_KEYS.contains(&name) => true,
            Some((_, line)) => {
                report.warn(line, format!("{name} must be true or false, without quotes: it is ignored"));
                false
            }
        }
    }

    pub(super) fn text(&self, name: &str, report: &mut IndexReport) -> Option<String> {
        let node = self.get(name)?;
        let text = node.as_text().map(str::to_owned);
        if text.is_none() {
            report.error(node.line, format!("{name} must be text"));
        }
        text
    }

    /// Returns a whole number, from 0 on.
    pub(super) fn unsigned(&self, name: &str, report: &mut IndexReport) -> Option<u64> {
        let node = self.get(name)?;
        let number = match &node.value {
            YamlValue::Number(number) => number.as_u64(),
            _ => None,
        };
        if number.is_none() {
            report.error(node.line, format!("{name} must be a whole number of bytes"));
        }
        number
    }

    /// Returns a map as JSON.
    pub(super) fn object(&self, name: &str, report: &mut IndexReport) -> Option<Value> {
        let node = self.get(name)?;
        if node.as_map().is_none() {
            report.error(node.line, format!("{name} must be a map"));
            return None;
        }
        Some(node.to_json())
    }

    pub(super) fn text_list(&self, name: &str, report: &mut IndexReport) -> Option<Vec<String>> {
        let node = self.get(name)?;
        let texts =
            node.as_list().and_then(|items| items.iter().map(|item| item.as_text().map(str::to_owned)).collect());
        if texts.is_none() {
            report.error(node.line, format!("{name} must be a list of texts"));
        }
        texts
    }

    /// Returns which callers may see the entry. As in the original, a scope that is no text, unless omitted or false,
    /// matches no caller.
    pub(super) fn visibility(&self, report: &mut IndexReport) -> Visibility {
        let scope = match self.get("mcp.scope").map(|node| (&node.value, node.line)) {
            None | Some((YamlValue::Bool(false), _)) => VisibilityScope::Everybody,
            Some((YamlValue::Text(scope), _)) => VisibilityScope::Only(scope.clone()),
            Some((_, line)) => {
                report.warn(line, "mcp.scope must be text: no endpoint has this scope, so no caller sees the entry");
                VisibilityScope::NoCaller
            }
        };
        let groups = self.text_list("mcp.groups", report);
        if groups.as_ref().is_some_and(Vec::is_empty) {
            report.warn(self.line("mcp.groups"), "mcp.groups is empty: no caller sees the entry");
        }
        Visibility { scope, groups }
    }

    pub(super) fn timeout(&self, report: &mut IndexReport) -> Duration {
        let Some(node) = self.get("mcp.timeout") else { return DEFAULT_HANDLER_TIMEOUT };
        let seconds = match &node.value {
            YamlValue::Number(seconds) => seconds.as_f64(),
            _ => None,
        };
        let time =
            seconds.filter(|seconds| *seconds > 0.0).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        match time {
            Some(time) if time <= MAX_HANDLER_TIMEOUT => time,
            _ => {
                let most = MAX_HANDLER_TIMEOUT.as_secs();
                report.error(node.line, format!("mcp.timeout must be seconds, more than 0 and at most {most}"));
                DEFAULT_HANDLER_TIMEOUT
            }
        }
    }

    /// Returns the capabilities that a client needs before the handler is called.
    pub(super) fn required_capabilities(&self, report: &mut IndexReport) -> Vec<ClientCapability> {
        let mut needs = Vec::new();
        for name in self.text_list("mcp.needs", report).unwrap_or_default() {
            match ClientCapability::NAMED.iter().find(|(known, _)| *known == name) {
                Some((_, feature)) => needs.push(*feature),
                None => {
                    let known = ClientCapability::NAMED.map(|(known, _)| known);
                    report.error(self.line("mcp.needs"), format!("mcp.needs: {name} is none of {}", known.join(", ")));
                }
            }
        }
        needs
    }

    /// Returns the icons and the metadata that is passed on unchanged.
    pub(super) fn extras(&self, report: &mut IndexReport) -> EntryExtras {
        let mut meta = self.object("mcp.meta", report);
        if let Some(node) = self.get("mcp.ui") {
            let ui = match &node.value {
                YamlValue::Text(uri) => serde_json::json!({"resourceUri": uri}),
                _ => node.to_json(),
            };
            match ui.get("resourceUri").and_then(Value::as_str) {
                Some(uri) if uri.starts_with("ui://") => {
                    if let Some(fields) =
                        meta.get_or_insert_with(|| Value::Object(serde_json::Map::new())).as_object_mut()
                    {
                        fields.insert("ui".to_owned(), ui);
                    }
                }
                _ => report.error(node.line, "mcp.ui must be a ui:// address, or a map with one as resourceUri"),
            }
        }
        EntryExtras { icons: self.icons(report), meta: meta.map(Payload::from_value) }
    }

    fn icons(&self, report: &mut IndexReport) -> Vec<Icon> {
        let Some(node) = self.get("mcp.icons") else { return Vec::new() };
        let Some(items) = node.as_list() else {
            report.error(node.line, "mcp.icons must be a list");
            return Vec::new();
        };
        let mut icons = Vec::new();
        for item in items {
            match parse_icon(&item.to_json()) {
                Ok(icon) => icons.push(icon),
                Err(why) => report.error(item.line, format!("mcp.icons: {why}")),
            }
        }
        icons
    }
}

fn is_of_protocol(name: &str) -> bool {
    name == "mcp" || name.starts_with("mcp.")
}

/// Parses an icon in the protocol's form, or its address alone.
pub(super) fn parse_icon(value: &Value) -> Result<Icon, String> {
    let src = value.as_str().or_else(|| value.get("src")?.as_str()).ok_or("an icon needs a src")?;
    if !["https://", "http://", "data:"].iter().any(|scheme| src.starts_with(scheme)) {
        return Err("an icon's src must begin with https://, http:// or data:".to_owned());
    }
    let sizes = match value.get("sizes") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::String(size)) => vec![size.clone()],
        Some(Value::Array(sizes)) => {
            let texts = sizes.iter().map(|size| size.as_str().map(str::to_owned)).collect::<Option<_>>();
            texts.ok_or("an icon's sizes must be texts such as 48x48")?
        }
        Some(_) => return Err("an icon's sizes must be a list".to_owned()),
    };
    let dark = match value.get("theme").and_then(Value::as_str) {
        None => None,
        Some("dark") => Some(true),
        Some("light") => Some(false),
        Some(_) => return Err("an icon's theme is light or dark".to_owned()),
    };
    let mime_type = value.get("mimeType").and_then(Value::as_str).map(str::to_owned);
    Ok(Icon { src: src.to_owned(), mime_type, sizes, is_dark_theme: dark })
}

/// Warns of keys that have no meaning.
pub(super) fn warn_unknown_keys(fields: &[(YamlKey, YamlNode)], known: &[&str], what: &str, report: &mut IndexReport) {
    for (key, _) in fields.iter().filter(|(key, _)| !known.contains(&key.name.as_str())) {
        report.warn(
            key.line,
            format!("unknown key {} of {what}{}", escape_and_truncate(&key.name), suggest_key(&key.name, known)),
        );
    }
}

/// Returns a hint at the known key that is most similar.
pub(super) fn suggest_key(name: &str, known: &[&str]) -> String {
    closest_name(name, known.iter().copied()).map_or_else(String::new, |known| format!(": is it {known}?"))
}
