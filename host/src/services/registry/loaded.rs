//! A registry as it was at one moment, whole: calls that began with it end with it.
//!
//! Owns: what entries are to each other: duplicates, imports and ancestors. Of what fits nowhere the reasons are kept.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;
use std::time::SystemTime;

use serde_json::Value;

use super::declared::{Place, Prompt, Resource, Tool, Values};
use super::entry::{Entry, Kind};
use super::index::{Index, digest};
use super::problems::{Gravity, Problem};
use crate::limits::{MAX_REGISTRY_ENTRIES, MAX_REGISTRY_PROBLEMS, MAX_REGISTRY_SOURCES};
use crate::services::Caller;

#[derive(Default)]
pub(super) struct Loaded {
    /// By id.
    pub(super) entries: BTreeMap<String, Arc<Entry>>,
    /// By the name that clients know.
    pub(super) tools: BTreeMap<String, Arc<Entry>>,
    pub(super) prompts: BTreeMap<String, Arc<Entry>>,
    /// By address.
    pub(super) resources: BTreeMap<String, Arc<Entry>>,
    /// By pattern.
    pub(super) templates: BTreeMap<String, Arc<Entry>>,
    pub(super) problems: Vec<Problem>,
    /// The operator's switch: what has groups is hidden from everybody.
    hides_gated: bool,
    pub(super) digests: Digests,
    /// When it became this, where there was another one before.
    pub(super) since: Option<SystemTime>,
}

/// What lists show, in short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Digests {
    pub(super) tools: u64,
    pub(super) prompts: u64,
    pub(super) resources: u64,
}

impl Loaded {
    /// Whether a caller sees an entry.
    pub(super) fn shows(&self, entry: &Entry, caller: &Caller) -> bool {
        entry.visibility.is_for(caller, self.hides_gated)
    }

    pub(super) fn tool(&self, name: &str, caller: &Caller) -> Option<(&Arc<Entry>, &Tool)> {
        let entry = self.tools.get(name).filter(|entry| self.shows(entry, caller))?;
        Some((entry, entry.tool.as_ref()?))
    }

    pub(super) fn prompt(&self, name: &str, caller: &Caller) -> Option<(&Arc<Entry>, &Prompt)> {
        let entry = self.prompts.get(name).filter(|entry| self.shows(entry, caller))?;
        Some((entry, entry.prompt.as_ref()?))
    }

    /// The resource of an address, with the values of its template's variables.
    pub(super) fn resource(
        &self,
        uri: &str,
        caller: &Caller,
    ) -> Option<(&Arc<Entry>, &Resource, BTreeMap<String, String>)> {
        if let Some(entry) = self.resources.get(uri).filter(|entry| self.shows(entry, caller)) {
            return Some((entry, entry.resource.as_ref()?, BTreeMap::new()));
        }
        let shown = self.templates.values().filter(|entry| self.shows(entry, caller));
        shown.into_iter().find_map(|entry| {
            let resource = entry.resource.as_ref()?;
            let Place::Family(template, _) = &resource.place else { return None };
            Some((entry, resource, template.matched(uri)?))
        })
    }

    /// Whether something with this address's scheme is declared for a caller.
    pub(super) fn has_scheme(&self, uri: &str, caller: &Caller) -> bool {
        let Some((scheme, _)) = uri.split_once(':') else { return false };
        let mut declared = self.resources.iter().chain(&self.templates);
        declared.any(|(known, entry)| {
            known.split_once(':').is_some_and(|(known, _)| known == scheme) && self.shows(entry, caller)
        })
    }

    /// Puts together what was read; `is_taken` says which names of tools others have.
    pub(super) fn link<'i>(indices: impl Iterator<Item = &'i Index>, is_taken: &dyn Fn(&str) -> bool) -> Self {
        let mut problems = Problems::default();
        let mut read: Vec<Arc<Entry>> = Vec::new();
        for index in indices {
            index.problems().for_each(|problem| problems.push(problem.clone()));
            read.extend(index.entries.iter().filter_map(|read| read.entry.clone()));
        }
        if read.len() > MAX_REGISTRY_ENTRIES {
            for entry in read.drain(MAX_REGISTRY_ENTRIES..) {
                problems.error(
                    &entry,
                    &format!("there are more than {MAX_REGISTRY_ENTRIES} entries: this one is left out"),
                );
            }
        }
        let mut sources = 0;
        read.retain(|entry| {
            sources += entry.handler.as_ref().map_or(0, |handler| handler.source.len());
            let fits = sources <= MAX_REGISTRY_SOURCES;
            if !fits {
                problems.error(entry, &format!("all sources together have more than {MAX_REGISTRY_SOURCES} bytes"));
            }
            fits
        });
        let mut loaded = Self { hides_gated: read.iter().any(|entry| hides_gated(entry)), ..Self::default() };
        unique(&read, "entry", |entry| Some(entry.id.clone()), &mut loaded.entries, &mut problems);
        loaded.drop_broken_imports(&mut problems);
        loaded.drop_broken_ancestors(&mut problems);
        let entries: Vec<_> = loaded.entries.values().cloned().collect();
        let tool = |entry: &Entry| Some(entry.tool.as_ref()?.listed.name.clone().into_owned());
        unique(&entries, "tool", tool, &mut loaded.tools, &mut problems);
        loaded.tools.retain(|name, entry| {
            let taken = is_taken(name);
            if taken {
                problems.error(entry, &format!("this server has a tool {name} of its own: set another mcp.name"));
            }
            !taken
        });
        let prompt = |entry: &Entry| Some(entry.prompt.as_ref()?.listed.name.clone());
        unique(&entries, "prompt", prompt, &mut loaded.prompts, &mut problems);
        let (fixed, families): (Vec<_>, Vec<_>) =
            entries.iter().filter(|entry| entry.resource.is_some()).cloned().partition(|entry| {
                entry.resource.as_ref().is_some_and(|resource| matches!(resource.place, Place::Fixed(_)))
            });
        let uri = |entry: &Entry| Some(entry.resource.as_ref()?.uri().to_owned());
        unique(&fixed, "resource", uri, &mut loaded.resources, &mut problems);
        unique(&families, "resource template", uri, &mut loaded.templates, &mut problems);
        loaded.check_references(&mut problems);
        loaded.digests = Digests {
            tools: digest_of(loaded.tools.values()),
            prompts: digest_of(loaded.prompts.values()),
            resources: digest_of(loaded.resources.values().chain(loaded.templates.values())),
        };
        loaded.problems = problems.sorted();
        loaded
    }

    /// An entry whose imports are not there, or lead in a circle, cannot run.
    fn drop_broken_imports(&mut self, problems: &mut Problems) {
        let edges: HashMap<String, Vec<String>> = self
            .entries
            .values()
            .filter_map(|entry| Some((entry.id.clone(), entry.handler.as_ref()?.imports.values().cloned().collect())))
            .collect();
        for circle in circles(&edges) {
            for id in &circle {
                if let Some(entry) = self.entries.remove(id) {
                    problems.error(&entry, &format!("its imports lead in a circle: {}", shown_circle(&circle)));
                }
            }
        }
        // What imports a broken one is broken too.
        loop {
            let missing = |entry: &Arc<Entry>| {
                let handler = entry.handler.as_ref()?;
                let is_missing = |id: &&String| self.entries.get(*id).is_none_or(|entry| entry.handler.is_none());
                handler.imports.values().find(is_missing).map(|id| (Arc::clone(entry), id.clone()))
            };
            let broken: Vec<_> = self.entries.values().filter_map(missing).collect();
            if broken.is_empty() {
                return;
            }
            for (entry, id) in broken {
                self.entries.remove(&entry.id);
                problems.error(&entry, &format!("it imports {id}, which is not there or has no source"));
            }
        }
    }

    /// A prompt that is its own ancestor is refused.
    fn drop_broken_ancestors(&mut self, problems: &mut Problems) {
        let prompts = self.entries.values().filter_map(|entry| Some((entry, entry.prompt.as_ref()?)));
        let edges: HashMap<String, Vec<String>> = prompts
            .map(|(_, prompt)| {
                let parents = prompt.extends.iter().map(|extended| extended.prompt.clone()).collect();
                (prompt.listed.name.clone(), parents)
            })
            .collect();
        for circle in circles(&edges) {
            let is_in =
                |entry: &Entry| entry.prompt.as_ref().is_some_and(|prompt| circle.contains(&prompt.listed.name));
            self.entries.retain(|_, entry| {
                let broken = is_in(entry);
                if broken {
                    problems.error(entry, &format!("it extends itself: {}", shown_circle(&circle)));
                }
                !broken
            });
        }
    }

    /// What is named and is not there, where that breaks nothing.
    fn check_references(&self, problems: &mut Problems) {
        for entry in self.entries.values() {
            for extended in entry.prompt.iter().flat_map(|prompt| &prompt.extends) {
                if !self.prompts.contains_key(&extended.prompt) {
                    let message = format!("there is no prompt {} to extend: it adds nothing", extended.prompt);
                    problems.warn(entry, extended.line, &message);
                }
            }
            for (argument, values) in &entry.completions {
                if let Values::Of(id) = values
                    && self.entries.get(id).is_none_or(|entry| entry.handler.is_none())
                {
                    problems.warn(entry, entry.line, &format!("mcp.completions: {argument}: there is no entry {id}"));
                }
            }
        }
    }
}

fn hides_gated(entry: &Entry) -> bool {
    let raw = |pointer: &str| entry.raw.pointer(pointer);
    entry.kind == Kind::Data
        && raw("/meta/type").and_then(Value::as_str) == Some("mcp.gating")
        && raw("/data/emergency_hide_gated") == Some(&Value::Bool(true))
}

fn digest_of<'e>(entries: impl Iterator<Item = &'e Arc<Entry>>) -> u64 {
    let mut hash = DefaultHasher::new();
    entries.for_each(|entry| digest(entry).hash(&mut hash));
    hash.finish()
}

/// Those whose name nobody else has. Of two with one name neither is offered: which of them was meant nobody can tell.
fn unique(
    entries: &[Arc<Entry>],
    what: &str,
    name: impl Fn(&Entry) -> Option<String>,
    into: &mut BTreeMap<String, Arc<Entry>>,
    problems: &mut Problems,
) {
    let mut by_name: BTreeMap<String, Vec<&Arc<Entry>>> = BTreeMap::new();
    for entry in entries {
        if let Some(name) = name(entry) {
            by_name.entry(name).or_default().push(entry);
        }
    }
    for (name, found) in by_name {
        if let [only] = found.as_slice() {
            into.insert(name, Arc::clone(only));
            continue;
        }
        for entry in &found {
            let others = found.iter().filter(|other| !Arc::ptr_eq(other, entry));
            let places: Vec<String> = others.map(|other| format!("{}:{}", other.file, other.line)).collect();
            problems.error(
                entry,
                &format!("the {what} {name} is declared at {} too: none of them is offered", places.join(", ")),
            );
        }
    }
}

/// Ways from a name back to itself. Each name is in one of them at most.
fn circles(edges: &HashMap<String, Vec<String>>) -> Vec<Vec<String>> {
    let mut done: BTreeSet<&str> = BTreeSet::new();
    let mut circles = Vec::new();
    let mut starts: Vec<&String> = edges.keys().collect();
    starts.sort_unstable();
    for start in starts {
        // The way here, each with the edges that were not followed yet.
        let mut way: Vec<(&str, usize)> = Vec::new();
        if !done.contains(start.as_str()) {
            way.push((start, 0));
        }
        while let Some((name, at)) = way.last_mut() {
            let next = edges.get(*name).and_then(|next| next.get(*at)).map(String::as_str);
            *at += 1;
            match next {
                None => {
                    done.insert(name);
                    way.pop();
                }
                Some(next) if done.contains(next) => {}
                Some(next) => match way.iter().position(|(name, _)| *name == next) {
                    Some(from) => {
                        let circle: Vec<String> = way.drain(from..).map(|(name, _)| name.to_owned()).collect();
                        done.extend(
                            edges.keys().map(String::as_str).filter(|name| circle.iter().any(|own| own == name)),
                        );
                        circles.push(circle);
                    }
                    None => way.push((next, 0)),
                },
            }
        }
    }
    circles
}

fn shown_circle(circle: &[String]) -> String {
    let mut shown = circle.join(" → ");
    if let Some(first) = circle.first() {
        shown.push_str(" → ");
        shown.push_str(first);
    }
    shown
}

#[derive(Default)]
struct Problems(Vec<Problem>);

impl Problems {
    fn push(&mut self, problem: Problem) {
        if self.0.len() < MAX_REGISTRY_PROBLEMS {
            self.0.push(problem);
        }
    }

    fn error(&mut self, entry: &Entry, message: &str) {
        let (file, gravity) = (entry.file.clone(), Gravity::Error);
        self.push(Problem { file, line: entry.line, gravity, message: format!("{}: {message}", entry.name) });
    }

    fn warn(&mut self, entry: &Entry, line: u64, message: &str) {
        let (file, gravity) = (entry.file.clone(), Gravity::Warning);
        self.push(Problem { file, line, gravity, message: format!("{}: {message}", entry.name) });
    }

    fn sorted(mut self) -> Vec<Problem> {
        self.0.sort();
        self.0
    }
}
