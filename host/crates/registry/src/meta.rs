//! The `meta` of an entry: flat keys with dots in them, read by name and type.
//!
//! Owns: which keys there are, so that a misspelt one is found.

use std::time::Duration;

use serde_json::Value;

use super::report::Report;
use super::visible::{Scope, Visibility};
use super::yaml::{Key, Node, Tree};
use wardroom_base::limits::{HANDLER_TIME, MAX_HANDLER_TIME};
use wardroom_base::payload::Payload;
use wardroom_service::{Extra, Feature, Icon, shown};

/// Every key of ours; others that begin with `mcp.` are slips.
const KNOWN: [&str; 35] = [
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

/// The keys of one entry.
pub(super) struct Meta<'n> {
    pub(super) fields: &'n [(Key, Node)],
}

impl<'n> Meta<'n> {
    pub(super) fn of(entry: &'n Node, report: &mut Report) -> Self {
        let node = entry.get("meta");
        let fields = node.and_then(Node::map).unwrap_or_default();
        if let Some(node) = node.filter(|node| node.map().is_none() && node.tree != Tree::Null) {
            report.error(node.line, "meta must be a map");
        }
        for (key, _) in fields.iter().filter(|(key, _)| key.name.starts_with("mcp.") || key.name == "mcp") {
            if !KNOWN.contains(&key.name.as_str()) {
                report.warn(key.line, format!("unknown key {}{}", shown(&key.name), nearest(&key.name, &KNOWN)));
            }
        }
        Self { fields }
    }

    pub(super) fn get(&self, name: &str) -> Option<&'n Node> {
        let found = self.fields.iter().find(|(key, _)| key.name == name).map(|(_, node)| node);
        found.filter(|node| node.tree != Tree::Null)
    }

    pub(super) fn line(&self, name: &str) -> u64 {
        self.fields.iter().find(|(key, _)| key.name == name).map_or(0, |(key, _)| key.line)
    }

    /// Whether a marker is set. Only the boolean counts.
    pub(super) fn flag(&self, name: &str, report: &mut Report) -> bool {
        match self.get(name).map(|node| (&node.tree, node.line)) {
            None => false,
            Some((Tree::Bool(set), _)) => *set,
            Some((_, line)) => {
                report.warn(line, format!("{name} must be true or false, without quotes: it does not count"));
                false
            }
        }
    }

    pub(super) fn text(&self, name: &str, report: &mut Report) -> Option<String> {
        let node = self.get(name)?;
        let text = node.text().map(str::to_owned);
        if text.is_none() {
            report.error(node.line, format!("{name} must be text"));
        }
        text
    }

    /// A whole number, from 0 on.
    pub(super) fn whole(&self, name: &str, report: &mut Report) -> Option<u64> {
        let node = self.get(name)?;
        let number = match &node.tree {
            Tree::Number(number) => number.as_u64(),
            _ => None,
        };
        if number.is_none() {
            report.error(node.line, format!("{name} must be a whole number of bytes"));
        }
        number
    }

    /// A map as JSON.
    pub(super) fn object(&self, name: &str, report: &mut Report) -> Option<Value> {
        let node = self.get(name)?;
        if node.map().is_none() {
            report.error(node.line, format!("{name} must be a map"));
            return None;
        }
        Some(node.json())
    }

    pub(super) fn texts(&self, name: &str, report: &mut Report) -> Option<Vec<String>> {
        let node = self.get(name)?;
        let texts = node.list().and_then(|items| items.iter().map(|item| item.text().map(str::to_owned)).collect());
        if texts.is_none() {
            report.error(node.line, format!("{name} must be a list of texts"));
        }
        texts
    }

    /// Who may see the entry. What is neither a text nor left out matches nobody, as in the original.
    pub(super) fn visibility(&self, report: &mut Report) -> Visibility {
        let scope = match self.get("mcp.scope").map(|node| (&node.tree, node.line)) {
            None | Some((Tree::Bool(false), _)) => Scope::Everybody,
            Some((Tree::Text(scope), _)) => Scope::Only(scope.clone()),
            Some((_, line)) => {
                report.warn(line, "mcp.scope must be one text: no endpoint has a scope that equals this");
                Scope::Nobody
            }
        };
        let groups = self.texts("mcp.groups", report);
        if groups.as_ref().is_some_and(Vec::is_empty) {
            report.warn(self.line("mcp.groups"), "mcp.groups is empty: nobody sees this");
        }
        Visibility { scope, groups }
    }

    pub(super) fn timeout(&self, report: &mut Report) -> Duration {
        let Some(node) = self.get("mcp.timeout") else { return HANDLER_TIME };
        let seconds = match &node.tree {
            Tree::Number(seconds) => seconds.as_f64(),
            _ => None,
        };
        let time =
            seconds.filter(|seconds| *seconds > 0.0).and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
        match time {
            Some(time) if time <= MAX_HANDLER_TIME => time,
            _ => {
                let most = MAX_HANDLER_TIME.as_secs();
                report.error(node.line, format!("mcp.timeout must be seconds, more than 0 and at most {most}"));
                HANDLER_TIME
            }
        }
    }

    /// What a client must be able to do before the handler is called.
    pub(super) fn needs(&self, report: &mut Report) -> Vec<Feature> {
        const NAMES: [(&str, Feature); 5] = [
            ("sampling", Feature::Sampling),
            ("sampling.tools", Feature::SamplingWithTools),
            ("elicitation", Feature::Form),
            ("elicitation.url", Feature::Page),
            ("roots", Feature::Roots),
        ];
        let mut needs = Vec::new();
        for name in self.texts("mcp.needs", report).unwrap_or_default() {
            match NAMES.iter().find(|(known, _)| *known == name) {
                Some((_, feature)) => needs.push(*feature),
                None => {
                    let known = NAMES.map(|(known, _)| known);
                    report.error(self.line("mcp.needs"), format!("mcp.needs: {name} is none of {}", known.join(", ")));
                }
            }
        }
        needs
    }

    /// Icons, and what else is passed on as it is.
    pub(super) fn extra(&self, report: &mut Report) -> Extra {
        let mut meta = self.object("mcp.meta", report);
        if let Some(node) = self.get("mcp.ui") {
            let ui = match &node.tree {
                Tree::Text(uri) => serde_json::json!({"resourceUri": uri}),
                _ => node.json(),
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
        Extra { icons: self.icons(report), meta: meta.map(Payload::from_value) }
    }

    fn icons(&self, report: &mut Report) -> Vec<Icon> {
        let Some(node) = self.get("mcp.icons") else { return Vec::new() };
        let Some(items) = node.list() else {
            report.error(node.line, "mcp.icons must be a list");
            return Vec::new();
        };
        let mut icons = Vec::new();
        for item in items {
            match icon(&item.json()) {
                Ok(icon) => icons.push(icon),
                Err(why) => report.error(item.line, format!("mcp.icons: {why}")),
            }
        }
        icons
    }
}

/// An icon in the protocol's form, or its address alone.
pub(super) fn icon(value: &Value) -> Result<Icon, String> {
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
    Ok(Icon { src: src.to_owned(), mime_type, sizes, dark })
}

/// Warns of keys that nobody reads.
pub(super) fn check_keys(fields: &[(Key, Node)], known: &[&str], what: &str, report: &mut Report) {
    for (key, _) in fields.iter().filter(|(key, _)| !known.contains(&key.name.as_str())) {
        report.warn(key.line, format!("unknown key {} of {what}{}", shown(&key.name), nearest(&key.name, known)));
    }
}

/// What was perhaps meant.
pub(super) fn nearest(name: &str, known: &[&str]) -> String {
    const ALIKE: f64 = 0.8;
    // The comparison takes the time of both lengths multiplied.
    const LONGEST: usize = 64;
    if name.len() > LONGEST {
        return String::new();
    }
    let alike = |known: &&&str| strsim::jaro_winkler(&name.to_lowercase(), &known.to_lowercase());
    let best = known.iter().max_by(|a, b| alike(a).total_cmp(&alike(b))).filter(|known| alike(known) >= ALIKE);
    best.map_or_else(String::new, |known| format!(": is it {known}?"))
}
