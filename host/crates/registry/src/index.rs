//! One `_index.yaml` as it was parsed, and what of it can be reused when something near it changes.
//!
//! Owns: which parts are still valid: an entry is parsed again when its text, or a file that it names, changed.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::entry::{self, OFFERED_NAME_KEYS, RegistryEntry, SourceLoader};
use super::handler_output::to_display_text;
use super::meta::warn_unknown_keys;
use super::problems::{RegistryProblem, Severity};
use super::report::IndexReport;
use super::scan_cache::{CachedSource, ScanCache, source_limit_message};
use super::yaml::{self, YamlNode, YamlValue};
use crate::limits::{MAX_REGISTRY_ENTRIES, MAX_REGISTRY_VALUES, MAX_YAML_BYTES};
use wardroom_appdir::{AppDirError, Folder, Stat};

/// The name of every index.
pub(super) const INDEX_FILE_NAME: &str = "_index.yaml";

/// How long a file that cannot be parsed is taken for a write in progress.
const MAX_PARTIAL_WRITE_TIME: Duration = Duration::from_secs(3);

/// Names that are taken from a text that is no YAML.
const MAX_WRITTEN_NAMES: usize = 4 * MAX_REGISTRY_ENTRIES;

const HIDE_GATED_STAYS_ON_MESSAGE: &str = "entries with mcp.groups stay hidden until this file can be read";

/// The result of parsing one index.
#[derive(Clone)]
pub(super) struct ParsedIndex {
    /// The status of the file, if the file was settled.
    settled_stat: Option<Stat>,
    document: Option<Arc<YamlNode>>,
    problems: Vec<RegistryProblem>,
    pub(super) entries: Vec<Arc<ParsedEntry>>,
    /// The namespace that it claims, also with errors in it; of a file that cannot be parsed the one that it had, or seems to have.
    pub(super) namespace: Option<String>,
    /// Whether it cannot be parsed, and what it claims is not known.
    pub(super) has_unknown_namespace: bool,
    /// The names and addresses of what it cannot offer now, because of an error: no later root takes them.
    pub(super) kept_names: Vec<String>,
    /// The name of the index in problems.
    pub(super) display_name: String,
    /// The name of the entry that hides every entry with groups: a current entry, or one of the last readable version.
    pub(super) hide_gated_entry: Option<String>,
    /// Since when the previous version is kept, because a write seems to be in progress.
    pub(super) partial_since: Option<Instant>,
    /// The number of values in the document.
    value_count: usize,
}

/// One entry as it was parsed, or why it could not be.
pub(super) struct ParsedEntry {
    node: YamlNode,
    namespace: String,
    pub(super) entry: Option<Arc<RegistryEntry>>,
    pub(super) problems: Vec<RegistryProblem>,
    /// Whether there is no entry because of an error, even one that is no longer listed.
    is_broken: bool,
    /// The files that the entry names, as they were; `None` for a missing file.
    files: Vec<(String, Option<CachedSource>)>,
}

/// The location of an index.
pub(super) struct IndexLocation<'p> {
    pub(super) root: &'p Folder,
    /// The number of the root.
    pub(super) root_index: usize,
    /// The folder below the root; empty for the root itself.
    pub(super) relative_path: &'p str,
    /// The name of the index in problems.
    pub(super) display_name: &'p str,
}

impl IndexLocation<'_> {
    fn join(&self, name: &str) -> String {
        if self.relative_path.is_empty() { name.to_owned() } else { format!("{}/{name}", self.relative_path) }
    }
}

impl ParsedIndex {
    /// Returns all problems of the index.
    pub(super) fn problems(&self) -> impl Iterator<Item = &RegistryProblem> {
        self.problems.iter().chain(self.entries.iter().flat_map(|read| &read.problems))
    }

    /// Reads an index, reusing what is still valid of an earlier version.
    pub(super) fn read(location: &IndexLocation, before: Option<&Self>, cache: &mut ScanCache) -> Self {
        let path = location.join(INDEX_FILE_NAME);
        let mut report = IndexReport::new(location.display_name, std::mem::take(&mut cache.schemas));
        let stat = location.root.stat(&path).ok();
        let kept = before
            .filter(|before| before.settled_stat.is_some() && before.settled_stat == stat)
            .and_then(|b| b.document.clone());
        let is_settled = stat.is_some_and(|stat| stat.is_settled());
        let was_busy = std::mem::take(&mut cache.has_hit_file_limit);
        let mut written = WrittenClaims::default();
        let node = kept.or_else(|| read_document(location.root, &path, cache, &mut report, &mut written).map(Arc::new));
        let is_busy = cache.has_hit_file_limit;
        let values = node.as_ref().map_or(0, |node| node.count_values());
        let whole = node.clone();
        let namespace = whole.as_ref().and_then(|node| node.get("namespace")?.as_text()).map(str::to_owned);
        let namespace = namespace.or(written.namespace).or_else(|| before?.namespace.clone());
        let is_unknown = whole.is_none() && namespace.is_none() && report.error_count() > 0;
        let node = node.filter(|_| match cache.remaining_values.checked_sub(values) {
            Some(left) => {
                cache.remaining_values = left;
                true
            }
            None => {
                report.error(0, format!("all indices together have more than {MAX_REGISTRY_VALUES} values"));
                false
            }
        });
        let mut index = Self {
            settled_stat: stat.filter(|_| is_settled),
            document: node.clone(),
            problems: Vec::new(),
            entries: Vec::new(),
            namespace,
            has_unknown_namespace: is_unknown,
            kept_names: Vec::new(),
            display_name: location.display_name.to_owned(),
            hide_gated_entry: None,
            partial_since: None,
            value_count: values,
        };
        let fits = node.is_some() || whole.is_none();
        let is_read =
            node.is_some_and(|node| index.read_entries(&node, location, before, cache, &mut report).is_some());
        cache.has_hit_file_limit |= was_busy;
        let is_full = !fits || is_read && cache.remaining_entries == 0;
        // A file without a status may be in the middle of a replacement, or may stay unreadable.
        let partial_since = before.and_then(|before| before.partial_since).unwrap_or_else(Instant::now);
        let is_partial = is_busy
            || stat.is_none_or(|stat| stat.is_recently_modified()) && partial_since.elapsed() < MAX_PARTIAL_WRITE_TIME;
        if let Some(before) = before.filter(|before| !is_read && is_partial && before.is_complete()) {
            cache.schemas = report.schemas;
            before.try_reuse(cache);
            return Self { settled_stat: None, partial_since: Some(partial_since), ..before.clone() };
        }
        // An entry beyond the limits may be the switch all the same.
        let all = whole.as_ref().and_then(|node| node.get("entries")?.as_list()).unwrap_or_default();
        let left_out = all.iter().skip(index.entries.len()).filter(|_| is_full);
        index.kept_names = match (&whole, before) {
            (Some(_), _) => {
                let broken = index.entries.iter().filter(|read| read.is_broken).map(|read| &read.node);
                let unread = all.iter().skip(index.entries.len());
                let names = |node| entry::offered_names(node, index.namespace.as_deref().unwrap_or_default());
                broken.chain(unread).flat_map(names).collect()
            }
            (None, Some(before)) => before.all_names().collect(),
            (None, None) => written.names,
        };
        let mut known = index.entries.iter().filter(|read| read.entry.is_some()).map(|read| &read.node).chain(left_out);
        index.hide_gated_entry = known.find_map(entry::hide_gated_switch_name).map(str::to_owned);
        // The content of an unreadable file or entry is unknown, so what was hidden stays hidden.
        let switch =
            before.and_then(|before| before.hide_gated_entry.as_ref()).filter(|_| index.hide_gated_entry.is_none());
        let could_be = |name: &String| !is_read || index.entries.iter().any(|read| read.may_be_entry(name));
        if let Some(switch) = switch.filter(|name| could_be(name)) {
            report.warn(0, HIDE_GATED_STAYS_ON_MESSAGE);
            index.hide_gated_entry = Some(switch.clone());
        }
        index.problems.append(&mut report.problems);
        cache.schemas = report.schemas;
        index
    }

    /// Returns the names and addresses of all entries, and those that it keeps.
    fn all_names(&self) -> impl Iterator<Item = String> {
        let names = |read: &Arc<ParsedEntry>| entry::offered_names(&read.node, &read.namespace).collect::<Vec<_>>();
        self.entries.iter().flat_map(names).chain(self.kept_names.iter().cloned())
    }

    /// Counts an earlier version against the limits again. Returns whether it fits.
    pub(super) fn try_reuse(&self, cache: &mut ScanCache) -> bool {
        let (entries, values) = (
            cache.remaining_entries.checked_sub(self.entries.len()),
            cache.remaining_values.checked_sub(self.value_count),
        );
        let (Some(entries), Some(values)) = (entries, values) else { return false };
        (cache.remaining_entries, cache.remaining_values) = (entries, values);
        self.entries
            .iter()
            .flat_map(|read| &read.files)
            .filter_map(|(_, kept)| kept.as_ref())
            .all(|kept| cache.sources.retain(kept))
    }

    /// Whether the file was parsed as an index.
    fn is_complete(&self) -> bool {
        self.document.is_some() && !self.entries.is_empty()
    }

    /// Creates the remainder of an index that had the switch, cannot be examined, and is not known to be gone.
    pub(super) fn unreadable_with_switch(&self, shown: &str, switch: &str) -> Self {
        let problem = RegistryProblem {
            file: shown.to_owned(),
            line: 0,
            severity: Severity::Warning,
            message: HIDE_GATED_STAYS_ON_MESSAGE.to_owned(),
        };
        Self {
            settled_stat: None,
            document: None,
            problems: vec![problem],
            entries: Vec::new(),
            namespace: self.namespace.clone(),
            has_unknown_namespace: false,
            kept_names: self.all_names().collect(),
            display_name: shown.to_owned(),
            hide_gated_entry: Some(switch.to_owned()),
            partial_since: None,
            value_count: 0,
        }
    }

    /// Parses the entries; `None` if the document is no index.
    fn read_entries(
        &mut self,
        node: &YamlNode,
        location: &IndexLocation,
        before: Option<&Self>,
        cache: &mut ScanCache,
        report: &mut IndexReport,
    ) -> Option<()> {
        let Some(fields) = node.as_map() else {
            report.error(node.line, "an index must be a map with version, namespace and entries");
            return None;
        };
        for (_, node) in fields {
            if let YamlValue::Invalid(why) = &node.value {
                report.error(node.line, why.as_str());
                return None;
            }
        }
        warn_unknown_keys(fields, &["version", "namespace", "entries", "meta"], "an index", report);
        match node.get("version").map(|node| (node.to_json(), node.line)) {
            None => report.warn(node.line, "version is missing: version: \"1.0\""),
            Some((version, _)) if version == "1.0" || version == 1.0 || version == 1 => {}
            Some((version, line)) => {
                report.error(
                    line,
                    format!("version {} is not known here: this is version \"1.0\"", to_display_text(&version)),
                );
                return None;
            }
        }
        let Some(namespace) = node.get("namespace").and_then(YamlNode::as_text) else {
            report.error(node.line, "namespace is missing: a name for all entries of this file");
            return None;
        };
        if let Err(why) = entry::check_name(namespace) {
            report.error(node.line, format!("the namespace {why}"));
            return None;
        }
        let entries = node.get("entries").filter(|entries| !matches!(entries.value, YamlValue::Null));
        let Some(entries) = entries else {
            report.warn(node.line, "entries is missing, or empty");
            return None;
        };
        let Some(entries) = entries.as_list() else {
            report.error(entries.line, "entries must be a list, each entry of which begins with - name: NAME");
            return None;
        };
        if let Some(first) = entries.get(cache.remaining_entries) {
            let why = format!("there are more than {MAX_REGISTRY_ENTRIES} entries: the following ones are left out");
            report.error(first.line, why);
        }
        let kept: HashMap<String, &Arc<ParsedEntry>> = before
            .into_iter()
            .flat_map(|before| &before.entries)
            .filter_map(|read| Some((read.node.get("name")?.as_text()?.to_owned(), read)))
            .collect();
        for node in entries.iter().take(cache.remaining_entries) {
            let known = node.get("name").and_then(YamlNode::as_text).and_then(|name| kept.get(name));
            let read = match known.filter(|read| read.is_unchanged(node, namespace, location, cache)) {
                Some(read) => Arc::clone(read),
                None => Arc::new(ParsedEntry::new(node, namespace, location, cache, report)),
            };
            self.entries.push(read);
        }
        cache.remaining_entries -= self.entries.len();
        Some(())
    }
}

/// What a text that is no YAML seems to claim.
#[derive(Default)]
struct WrittenClaims {
    namespace: Option<String>,
    names: Vec<String>,
}

/// Reads a document. Of one that cannot be parsed, `written` gets what it seems to claim.
fn read_document(
    root: &Folder,
    path: &str,
    cache: &mut ScanCache,
    report: &mut IndexReport,
    written: &mut WrittenClaims,
) -> Option<YamlNode> {
    let why = match root.read_text(path, MAX_YAML_BYTES as u64) {
        Ok((text, _)) => {
            let parsed = yaml::parse(&text);
            return parsed
                .map_err(|error| {
                    *written = WrittenClaims::find(&text);
                    report.error(error.line, error.message);
                })
                .ok();
        }
        Err(AppDirError::NotFound(_)) if root.read_link(path).is_ok() => "is a link to a missing file".to_owned(),
        // The file was removed meanwhile.
        Err(AppDirError::NotFound(_)) => return None,
        Err(error) => {
            cache.has_hit_file_limit |= matches!(error, AppDirError::TooManyOpenFiles(_));
            format!("cannot be read: {}", error.predicate())
        }
    };
    report.error(0, why);
    None
}

impl WrittenClaims {
    /// Finds the namespace of the first line that gives one, and the names wherever one is given.
    fn find(text: &str) -> Self {
        let namespace = text.lines().find_map(|line| line.strip_prefix("namespace:")).map(written_value);
        let namespace = namespace.filter(|name| entry::check_name(name).is_ok()).map(str::to_owned);
        let given = |line| OFFERED_NAME_KEYS.into_iter().filter_map(move |key| value_of_key(line, key));
        let given = text.lines().flat_map(given).map(str::to_owned);
        let id = |line: &str| {
            let name = written_value(line.trim_start_matches([' ', '-']).strip_prefix("name:")?);
            Some(format!("{}:{name}", namespace.as_deref()?))
        };
        let names = given.chain(text.lines().filter_map(id)).take(MAX_WRITTEN_NAMES).collect();
        Self { namespace, names }
    }
}

/// Returns the value that a line gives to a key of a map, which may be in quotes.
fn value_of_key<'l>(line: &'l str, key: &str) -> Option<&'l str> {
    let (_, rest) = line.split_once(key)?;
    rest.trim_start_matches(['"', '\'']).trim_start().strip_prefix(':').map(written_value)
}

/// Returns a value up to its comment, or the end of its map, without quotes.
fn written_value(value: &str) -> &str {
    let value = value.split_once(" #").map_or(value, |(value, _)| value);
    value.split([',', '}']).next().unwrap_or_default().trim().trim_matches(['"', '\''])
}

impl ParsedEntry {
    /// Whether this may be the entry of that name, and it cannot be parsed.
    fn may_be_entry(&self, name: &str) -> bool {
        self.is_broken && self.node.get("name").and_then(YamlNode::as_text).is_none_or(|own| own == name)
    }

    /// Whether parsing again would give the same result. The files that the entry names then count as used.
    fn is_unchanged(&self, node: &YamlNode, namespace: &str, location: &IndexLocation, cache: &mut ScanCache) -> bool {
        let mut same = |(name, kept): &(String, Option<CachedSource>)| {
            let now = location.root.stat(&location.join(name)).ok();
            match kept {
                Some(kept) => kept.is_settled && now == Some(kept.stat) && cache.sources.retain(kept),
                None => now.is_none(),
            }
        };
        self.namespace == namespace && self.node == *node && self.files.iter().all(&mut same)
    }

    fn new(
        node: &YamlNode,
        namespace: &str,
        location: &IndexLocation,
        cache: &mut ScanCache,
        report: &mut IndexReport,
    ) -> Self {
        let files = ScanSourceLoader { location, cache: RefCell::new(cache), visited: RefCell::default() };
        let (start, errors) = (report.problems.len(), report.error_count());
        let entry = entry::parse_entry(node, namespace, report, &files).map(Arc::new);
        let is_broken = entry.is_none() && report.error_count() > errors;
        let problems = report.problems.split_off(start);
        let files = files.visited.into_inner();
        Self { node: node.clone(), namespace: namespace.to_owned(), entry, problems, is_broken, files }
    }
}

/// The files beside an index, with a record of those that were examined.
struct ScanSourceLoader<'p> {
    location: &'p IndexLocation<'p>,
    cache: RefCell<&'p mut ScanCache>,
    visited: RefCell<Vec<(String, Option<CachedSource>)>>,
}

impl ScanSourceLoader<'_> {
    fn load(&self, name: &str, wants_text: bool) -> Result<Option<Arc<str>>, String> {
        if name.is_empty() || name.starts_with('/') || name.contains('\0') {
            return Err("is not the name of a file beside this index".to_owned());
        }
        let folders = name.rsplit_once('/').map_or("", |(folders, _)| folders);
        if folders.split('/').any(|folder| folder.starts_with('.') && !matches!(folder, "." | "..")) {
            return Err("is in a hidden folder, which is not watched for changes: move it to another folder".to_owned());
        }
        let path = self.location.join(name);
        let stat = self.location.root.stat(&path).ok();
        let mut cache = self.cache.borrow_mut();
        let fits = !wants_text || stat.is_none_or(|stat| cache.sources.has_capacity_for(&stat));
        let read = match stat {
            _ if !fits => Err(source_limit_message()),
            _ if wants_text => cache.sources.load_text(self.location.root, &path, stat).map(Some).map_err(|error| {
                cache.has_hit_file_limit |= matches!(error, AppDirError::TooManyOpenFiles(_));
                error.predicate()
            }),
            Some(_) => Ok(None),
            None => Err("is not there".to_owned()),
        };
        let text = read.clone().ok().flatten();
        // A file that did not fit is examined again: another file may make space.
        let kept = stat.map(|stat| CachedSource { stat, is_settled: stat.is_settled() && fits, text });
        self.visited.borrow_mut().push((name.to_owned(), kept));
        read
    }
}

impl SourceLoader for ScanSourceLoader<'_> {
    fn load_text(&self, name: &str) -> Result<Arc<str>, String> {
        self.load(name, true)?.ok_or_else(|| "cannot be read".to_owned())
    }

    fn check_exists(&self, name: &str) -> Result<(), String> {
        self.load(name, false).map(drop)
    }

    fn index_location(&self) -> (usize, &str) {
        (self.location.root_index, self.location.relative_path)
    }
}
