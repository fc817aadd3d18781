//! One `_index.yaml`, as it was read, and what can be kept of it when something near it changes.
//!
//! Owns: which of what was read still holds: an entry is read again when its text changed, or a file that it names.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::entry::{self, Beside, Entry};
use super::meta::check_keys;
use super::problems::{Gravity, Problem};
use super::report::Report;
use super::results::spoken;
use super::sources::{Kept, Stock, too_much};
use super::yaml::{self, Node, Tree};
use wardroom_appdir::{AppDirError, Folder, Stat};
use wardroom_base::limits::{MAX_REGISTRY_ENTRIES, MAX_REGISTRY_VALUES, MAX_YAML_BYTES};

/// The name of every index.
pub(super) const INDEX: &str = "_index.yaml";

/// How long one is taken for half written that nobody finishes.
const MAX_HALF: Duration = Duration::from_secs(3);

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
    /// Since when it is as it was before, since it seems to be written just now.
    pub(super) half_since: Option<Instant>,
    /// How many values it has.
    values: usize,
}

/// One entry, as it was read, or why it could not be.
pub(super) struct Read {
    node: Node,
    namespace: String,
    pub(super) entry: Option<Arc<Entry>>,
    pub(super) problems: Vec<Problem>,
    /// Whether there is none for an error, told of or not.
    is_broken: bool,
    /// The files that it names, as they were. Nothing for one that was not there.
    files: Vec<(String, Option<Kept>)>,
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
    pub(super) fn read(place: &Place, before: Option<&Self>, stock: &mut Stock) -> Self {
        let path = place.below(INDEX);
        let mut report = Report::new(place.shown, std::mem::take(&mut stock.schemas));
        let stat = place.root.stat(&path).ok();
        let kept = before.filter(|before| before.stat.is_some() && before.stat == stat).and_then(|b| b.node.clone());
        let is_settled = stat.is_some_and(|stat| stat.holds_still());
        let was_busy = std::mem::take(&mut stock.is_busy);
        let node = kept.or_else(|| read_node(place.root, &path, stock, &mut report).map(Arc::new));
        let is_busy = stock.is_busy;
        let values = node.as_ref().map_or(0, |node| node.values());
        let whole = node.clone();
        let node = node.filter(|_| match stock.values.checked_sub(values) {
            Some(left) => {
                stock.values = left;
                true
            }
            None => {
                report.error(0, format!("all indices together have more than {MAX_REGISTRY_VALUES} values"));
                false
            }
        });
        let mut index = Self {
            stat: stat.filter(|_| is_settled),
            node: node.clone(),
            problems: Vec::new(),
            entries: Vec::new(),
            switch: None,
            half_since: None,
            values,
        };
        let has_room = node.is_some() || whole.is_none();
        let is_read = node.is_some_and(|node| index.read_entries(&node, place, before, stock, &mut report).is_some());
        stock.is_busy |= was_busy;
        let is_full = !has_room || is_read && stock.entries == 0;
        // What cannot be looked at is perhaps being replaced, or will never be anything.
        let half_since = before.and_then(|before| before.half_since).unwrap_or_else(Instant::now);
        let is_half = is_busy || stat.is_none_or(|stat| stat.is_fresh()) && half_since.elapsed() < MAX_HALF;
        if let Some(before) = before.filter(|before| !is_read && is_half && before.is_whole()) {
            stock.schemas = report.schemas;
            before.hold(stock);
            return Self { stat: None, half_since: Some(half_since), ..before.clone() };
        }
        // What there is no room for may be the switch all the same.
        let all = whole.as_ref().and_then(|node| node.get("entries")?.list()).unwrap_or_default();
        let left_out = all.iter().skip(index.entries.len()).filter(|_| is_full);
        let mut known = index.entries.iter().filter(|read| read.entry.is_some()).map(|read| &read.node).chain(left_out);
        index.switch = known.find_map(entry::switch).map(str::to_owned);
        // Nobody knows what a file or an entry that cannot be read would say: what was hidden stays hidden.
        let switch = before.and_then(|before| before.switch.as_ref()).filter(|_| index.switch.is_none());
        let could_be = |name: &String| !is_read || index.entries.iter().any(|read| read.could_be(name));
        if let Some(switch) = switch.filter(|name| could_be(name)) {
            report.warn(0, STAYS_ON);
            index.switch = Some(switch.clone());
        }
        index.problems.append(&mut report.problems);
        stock.schemas = report.schemas;
        index
    }

    /// Takes up again what was read of it earlier: whether there is room for it.
    pub(super) fn hold(&self, stock: &mut Stock) -> bool {
        let (entries, values) = (stock.entries.checked_sub(self.entries.len()), stock.values.checked_sub(self.values));
        let (Some(entries), Some(values)) = (entries, values) else { return false };
        (stock.entries, stock.values) = (entries, values);
        self.entries
            .iter()
            .flat_map(|read| &read.files)
            .filter_map(|(_, kept)| kept.as_ref())
            .all(|kept| stock.sources.keep(kept))
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
            half_since: None,
            values: 0,
        }
    }

    /// Nothing where it cannot be read as an index.
    fn read_entries(
        &mut self,
        node: &Node,
        place: &Place,
        before: Option<&Self>,
        stock: &mut Stock,
        report: &mut Report,
    ) -> Option<()> {
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
        if let Some(first) = entries.get(stock.entries) {
            let why = format!("there are more than {MAX_REGISTRY_ENTRIES} entries: from here on they are left out");
            report.error(first.line, why);
        }
        let kept: HashMap<String, &Arc<Read>> = before
            .into_iter()
            .flat_map(|before| &before.entries)
            .filter_map(|read| Some((read.node.get("name")?.text()?.to_owned(), read)))
            .collect();
        for node in entries.iter().take(stock.entries) {
            let known = node.get("name").and_then(Node::text).and_then(|name| kept.get(name));
            let read = match known.filter(|read| read.holds(node, namespace, place, stock)) {
                Some(read) => Arc::clone(read),
                None => Arc::new(Read::new(node, namespace, place, stock, report)),
            };
            self.entries.push(read);
        }
        stock.entries -= self.entries.len();
        Some(())
    }
}

fn read_node(root: &Folder, path: &str, stock: &mut Stock, report: &mut Report) -> Option<Node> {
    let why = match root.read_text(path, MAX_YAML_BYTES as u64) {
        Ok((text, _)) => return yaml::parse(&text).map_err(|error| report.error(error.line, error.message)).ok(),
        Err(AppDirError::NotFound(_)) if root.link_text(path).is_ok() => "is a link to what is not there".to_owned(),
        // It went away meanwhile.
        Err(AppDirError::NotFound(_)) => return None,
        Err(error) => {
            stock.is_busy |= matches!(error, AppDirError::TooManyOpen(_));
            format!("cannot be read: {}", reason(&error))
        }
    };
    report.error(0, why);
    None
}

impl Read {
    /// Whether this is what became of the entry of that name, and it cannot be read.
    fn could_be(&self, name: &str) -> bool {
        self.is_broken && self.node.get("name").and_then(Node::text).is_none_or(|own| own == name)
    }

    /// Whether reading it again would give the same. What it names counts as used then.
    fn holds(&self, node: &Node, namespace: &str, place: &Place, stock: &mut Stock) -> bool {
        let mut same = |(name, kept): &(String, Option<Kept>)| {
            let now = place.root.stat(&place.below(name)).ok();
            match kept {
                Some(kept) => kept.is_settled && now == Some(kept.stat) && stock.sources.keep(kept),
                None => now.is_none(),
            }
        };
        self.namespace == namespace && self.node == *node && self.files.iter().all(&mut same)
    }

    fn new(node: &Node, namespace: &str, place: &Place, stock: &mut Stock, report: &mut Report) -> Self {
        let files = Files { place, stock: RefCell::new(stock), read: RefCell::default() };
        let (start, errors) = (report.problems.len(), report.errors());
        let entry = entry::read(node, namespace, report, &files).map(Arc::new);
        let is_broken = entry.is_none() && report.errors() > errors;
        let problems = report.problems.split_off(start);
        let files = files.read.into_inner();
        Self { node: node.clone(), namespace: namespace.to_owned(), entry, problems, is_broken, files }
    }
}

/// The files beside an index, and which of them were looked at.
struct Files<'p> {
    place: &'p Place<'p>,
    stock: RefCell<&'p mut Stock>,
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
        let mut stock = self.stock.borrow_mut();
        let has_room = !wants_text || stat.is_none_or(|stat| stock.sources.has_room(&stat));
        let read = match stat {
            _ if !has_room => Err(too_much()),
            _ if wants_text => stock.sources.text(self.place.root, &path, stat).map(Some).map_err(|error| {
                stock.is_busy |= matches!(error, AppDirError::TooManyOpen(_));
                reason(&error)
            }),
            Some(_) => Ok(None),
            None => Err("is not there".to_owned()),
        };
        let text = read.clone().ok().flatten();
        // What had no room is looked at again: another one may make some.
        let kept = stat.map(|stat| Kept { stat, is_settled: stat.holds_still() && has_room, text });
        self.read.borrow_mut().push((name.to_owned(), kept));
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
pub(super) fn reason(error: &AppDirError) -> String {
    match error {
        AppDirError::NotFound(_) => "is not there".to_owned(),
        AppDirError::Escapes(_) => "leads outside the registry".to_owned(),
        AppDirError::NotRegular(_) => "is no regular file".to_owned(),
        AppDirError::NotUtf8(_) => "is not UTF-8 text".to_owned(),
        AppDirError::TooLarge { len, limit, .. } => format!("has {len} bytes, the limit is {limit}"),
        AppDirError::TooManyOpen(_) => "cannot be read while too many files are open".to_owned(),
        _ => "cannot be read".to_owned(),
    }
}
