//! One `_index.yaml`, as it was read, and what can be kept of it when something near it changes.
//!
//! Owns: which of what was read still holds: an entry is read again when its text changed, or a file that it names.

use std::cell::RefCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::sync::Arc;

use super::entry::{self, Beside, Entry};
use super::meta::check_keys;
use super::problems::{Gravity, Problem};
use super::report::{Report, Schemas};
use super::results::spoken;
use super::yaml::{self, Node, Tree};
use crate::appdir::{AppDirError, Folder, Stat};
use crate::limits::{MAX_REGISTRY_ENTRIES, MAX_SOURCE_BYTES, MAX_YAML_BYTES};

/// The name of every index.
pub(super) const INDEX: &str = "_index.yaml";

const STAYS_ON: &str = "the switch that hides what has groups stays on until this file can be read";

/// What was read of one index.
#[derive(Clone)]
pub(super) struct Index {
    /// Of the file, where it held still.
    stat: Option<Stat>,
    node: Option<Arc<Node>>,
    problems: Vec<Problem>,
    pub(super) entries: Vec<Arc<Read>>,
    /// The name of its entry that hides what has groups: of one that it has, or had when it could be read last.
    pub(super) switch: Option<String>,
    /// Whether it is as it was before, since it seems to be written just now.
    pub(super) is_half_written: bool,
}

/// One entry, as it was read, or why it could not be.
pub(super) struct Read {
    node: Node,
    namespace: String,
    pub(super) entry: Option<Arc<Entry>>,
    pub(super) problems: Vec<Problem>,
    /// The files that it names, as they were. Nothing for one that was not there.
    files: Vec<(String, Option<Kept>)>,
}

/// A file that an entry names, as it was read.
#[derive(Debug, Clone)]
struct Kept {
    stat: Stat,
    /// Whether a further change shows.
    is_settled: bool,
    text: Option<Arc<str>>,
}

/// Where an index lies.
pub(super) struct Place<'p> {
    pub(super) root: &'p Folder,
    /// The number of the root.
    pub(super) number: usize,
    /// The folder below the root; empty for the root itself.
    pub(super) way: &'p str,
    /// What findings call it.
    pub(super) shown: &'p str,
}

impl Place<'_> {
    fn below(&self, name: &str) -> String {
        if self.way.is_empty() { name.to_owned() } else { format!("{}/{name}", self.way) }
    }
}

impl Index {
    /// Everything that is wrong in it.
    pub(super) fn problems(&self) -> impl Iterator<Item = &Problem> {
        self.problems.iter().chain(self.entries.iter().flat_map(|read| &read.problems))
    }

    /// Reads an index, with what holds of an earlier reading.
    pub(super) fn read(place: &Place, before: Option<&Self>, schemas: &mut Schemas) -> Self {
        let path = place.below(INDEX);
        let mut report = Report::new(place.shown, std::mem::take(schemas));
        let stat = place.root.stat(&path).ok();
        let kept = before.filter(|before| before.stat.is_some() && before.stat == stat).and_then(|b| b.node.clone());
        let is_settled = stat.is_some_and(|stat| stat.holds_still());
        let node = match kept {
            Some(node) => Some(node),
            None => read_node(place.root, &path, &mut report).map(Arc::new),
        };
        let mut index = Self {
            stat: stat.filter(|_| is_settled),
            node: node.clone(),
            problems: Vec::new(),
            entries: Vec::new(),
            switch: None,
            is_half_written: false,
        };
        let is_read = node.is_some_and(|node| index.read_entries(&node, place, before, &mut report).is_some());
        if let Some(before) = before.filter(|before| !is_read && before.is_whole())
            && stat.is_none_or(|stat| stat.is_fresh())
        {
            *schemas = report.schemas;
            return Self { stat: None, is_half_written: true, ..before.clone() };
        }
        index.switch = index.entries.iter().find_map(|read| Some(read.entry.as_ref()?.switch()?.to_owned()));
        // Nobody knows what a file or an entry that cannot be read would say: what was hidden stays hidden.
        let switch = before.and_then(|before| before.switch.as_ref()).filter(|_| index.switch.is_none());
        let could_be = |name: &String| !is_read || index.entries.iter().any(|read| read.could_be(name));
        if let Some(switch) = switch.filter(|name| could_be(name)) {
            report.warn(0, STAYS_ON);
            index.switch = Some(switch.clone());
        }
        index.problems.append(&mut report.problems);
        *schemas = report.schemas;
        index
    }

    /// Whether it was read as an index.
    fn is_whole(&self) -> bool {
        self.node.is_some() && !self.entries.is_empty()
    }

    /// What is left of an index that had the switch and cannot be looked at, nor is known to be gone.
    pub(super) fn switched(shown: &str, switch: &str) -> Self {
        let problem =
            Problem { file: shown.to_owned(), line: 0, gravity: Gravity::Warning, message: STAYS_ON.to_owned() };
        Self {
            stat: None,
            node: None,
            problems: vec![problem],
            entries: Vec::new(),
            switch: Some(switch.to_owned()),
            is_half_written: false,
        }
    }

    /// Nothing where it cannot be read as an index.
    fn read_entries(&mut self, node: &Node, place: &Place, before: Option<&Self>, report: &mut Report) -> Option<()> {
        let Some(fields) = node.map() else {
            report.error(node.line, "an index must be a map with version, namespace and entries");
            return None;
        };
        for (_, node) in fields {
            if let Tree::Wrong(why) = &node.tree {
                report.error(node.line, why.as_str());
                return None;
            }
        }
        check_keys(fields, &["version", "namespace", "entries", "meta"], "an index", report);
        match node.get("version").map(|node| (node.json(), node.line)) {
            None => report.warn(node.line, "version is missing: version: \"1.0\""),
            Some((version, _)) if version == "1.0" || version == 1.0 || version == 1 => {}
            Some((version, line)) => {
                report.error(line, format!("version {} is not known here: this is version \"1.0\"", spoken(&version)));
                return None;
            }
        }
        let Some(namespace) = node.get("namespace").and_then(Node::text) else {
            report.error(node.line, "namespace is missing: a name for all entries of this file");
            return None;
        };
        if let Err(why) = entry::name_problem(namespace) {
            report.error(node.line, format!("the namespace {why}"));
            return None;
        }
        let Some(entries) = node.get("entries").and_then(Node::list) else {
            report.warn(node.line, "entries is missing, or no list");
            return None;
        };
        if entries.len() > MAX_REGISTRY_ENTRIES {
            report.error(node.line, format!("has more than {MAX_REGISTRY_ENTRIES} entries"));
            return None;
        }
        let kept: HashMap<String, &Arc<Read>> = before
            .into_iter()
            .flat_map(|before| &before.entries)
            .filter_map(|read| Some((read.node.get("name")?.text()?.to_owned(), read)))
            .collect();
        for node in entries {
            let known = node.get("name").and_then(Node::text).and_then(|name| kept.get(name));
            let holds = |read: &&&Arc<Read>| read.holds(node, namespace, place);
            let read = match known.filter(holds) {
                Some(read) => Arc::clone(read),
                None => Arc::new(Read::new(node, namespace, place, known.map(|read| &***read), report)),
            };
            self.entries.push(read);
        }
        Some(())
    }
}

fn read_node(root: &Folder, path: &str, report: &mut Report) -> Option<Node> {
    match root.read_text(path, MAX_YAML_BYTES as u64) {
        Ok((text, _)) => yaml::parse(&text).map_err(|error| report.error(error.line, error.message)).ok(),
        // It went away meanwhile.
        Err(AppDirError::NotFound(_)) => None,
        Err(error) => {
            report.error(0, format!("cannot be read: {}", reason(&error)));
            None
        }
    }
}

impl Read {
    /// Whether this is what became of the entry of that name, and it cannot be read.
    fn could_be(&self, name: &str) -> bool {
        let is_broken = self.entry.is_none() && self.problems.iter().any(|problem| problem.gravity == Gravity::Error);
        is_broken && self.node.get("name").and_then(Node::text).is_none_or(|own| own == name)
    }

    /// Whether reading it again would give the same.
    fn holds(&self, node: &Node, namespace: &str, place: &Place) -> bool {
        let same = |(name, kept): &(String, Option<Kept>)| {
            let now = place.root.stat(&place.below(name)).ok();
            match kept {
                Some(kept) => kept.is_settled && now == Some(kept.stat),
                None => now.is_none(),
            }
        };
        self.namespace == namespace && self.node == *node && self.files.iter().all(same)
    }

    fn new(node: &Node, namespace: &str, place: &Place, before: Option<&Self>, report: &mut Report) -> Self {
        let files = Files { place, before, read: RefCell::default() };
        let start = report.problems.len();
        let entry = entry::read(node, namespace, report, &files).map(Arc::new);
        let problems = report.problems.split_off(start);
        let files = files.read.into_inner();
        Self { node: node.clone(), namespace: namespace.to_owned(), entry, problems, files }
    }
}

/// The files beside an index, and which of them were looked at.
struct Files<'p> {
    place: &'p Place<'p>,
    before: Option<&'p Read>,
    read: RefCell<Vec<(String, Option<Kept>)>>,
}

impl Files<'_> {
    fn look(&self, name: &str, wants_text: bool) -> Result<Option<Arc<str>>, String> {
        if name.is_empty() || name.starts_with('/') || name.contains('\0') {
            return Err("is no name of a file beside this one".to_owned());
        }
        let folders = name.rsplit_once('/').map_or("", |(folders, _)| folders);
        if folders.split('/').any(|folder| folder.starts_with('.') && !matches!(folder, "." | "..")) {
            return Err("lies in a hidden folder, where nobody looks for changes: put it into another one".to_owned());
        }
        let path = self.place.below(name);
        let stat = self.place.root.stat(&path).ok();
        let is_settled = stat.is_some_and(|stat| stat.holds_still());
        let known = self.before.and_then(|before| before.files.iter().find(|(known, _)| known == name));
        let known = known.and_then(|(_, kept)| kept.as_ref()).filter(|kept| kept.is_settled && Some(kept.stat) == stat);
        let read = match known.and_then(|kept| kept.text.clone()) {
            Some(text) => Ok(Some(text)),
            None if wants_text => {
                let text = self.place.root.read_text(&path, MAX_SOURCE_BYTES);
                text.map(|(text, _)| Some(text.into())).map_err(|error| reason(&error))
            }
            None => match stat {
                Some(_) => Ok(None),
                None => Err("is not there".to_owned()),
            },
        };
        let text = read.clone().ok().flatten();
        self.read.borrow_mut().push((name.to_owned(), stat.map(|stat| Kept { stat, is_settled, text })));
        read
    }
}

impl Beside for Files<'_> {
    fn text(&self, name: &str) -> Result<Arc<str>, String> {
        self.look(name, true)?.ok_or_else(|| "cannot be read".to_owned())
    }

    fn is_there(&self, name: &str) -> Result<(), String> {
        self.look(name, false).map(drop)
    }

    fn home(&self) -> (usize, &str) {
        (self.place.number, self.place.way)
    }
}

/// What a file's failure is for whoever wrote the index.
fn reason(error: &AppDirError) -> String {
    match error {
        AppDirError::NotFound(_) => "is not there".to_owned(),
        AppDirError::Escapes(_) => "leads outside the registry".to_owned(),
        AppDirError::NotRegular(_) => "is no regular file".to_owned(),
        AppDirError::NotUtf8(_) => "is not UTF-8 text".to_owned(),
        AppDirError::TooLarge { len, limit, .. } => format!("has {len} bytes, the limit is {limit}"),
        _ => "cannot be read".to_owned(),
    }
}

/// What of an entry a list would show differently.
pub(super) fn digest(entry: &Entry) -> u64 {
    let mut hash = DefaultHasher::new();
    entry.id.hash(&mut hash);
    entry.raw.to_string().hash(&mut hash);
    hash.finish()
}
