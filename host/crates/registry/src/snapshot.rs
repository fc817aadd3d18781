//! An immutable snapshot of a registry: a call uses one snapshot from its start to its end.
//!
//! Owns: the relations between entries: duplicates, imports and ancestors. An entry that is dropped leaves a problem
//! with the reason.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Bound::{Excluded, Unbounded};
use std::sync::Arc;
use std::time::SystemTime;

use super::declarations::{CompletionSource, DeclaredPrompt, DeclaredResource, DeclaredTool, ResourceAddress};
use super::entry::{HANDLER_KIND_HINT, RegistryEntry, RegistryEntryKind};
use super::graph::{ReferenceGraph, compute_depths, display_cycle, find_cycles, find_referrers};
use super::index::ParsedIndex;
use super::problems::{ProblemList, RegistryProblem};
use crate::limits::{MAX_PROMPT_ANCESTORS, MAX_SHOWN_PLACES};
use wardroom_service::Caller;

#[derive(Default)]
pub(super) struct RegistrySnapshot {
    /// By id.
    pub(super) entries: BTreeMap<String, Arc<RegistryEntry>>,
    /// By the name that clients use.
    pub(super) tools: BTreeMap<String, Arc<RegistryEntry>>,
    pub(super) prompts: BTreeMap<String, Arc<RegistryEntry>>,
    /// By address.
    pub(super) resources: BTreeMap<String, Arc<RegistryEntry>>,
    /// By pattern.
    pub(super) templates: BTreeMap<String, Arc<RegistryEntry>>,
    pub(super) problems: Vec<RegistryProblem>,
    /// The operator's switch: entries with groups are hidden from every caller.
    hides_gated: bool,
    /// A digest of everything that lists show to any caller.
    pub(super) digest: u64,
    /// When this snapshot replaced one with another digest.
    pub(super) changed_at: Option<SystemTime>,
}

impl RegistrySnapshot {
    /// Whether a caller sees an entry.
    pub(super) fn is_visible(&self, entry: &RegistryEntry, caller: &Caller) -> bool {
        entry.visibility.is_visible_to(caller, self.hides_gated)
    }

    /// Returns the entries that a caller sees, after a name.
    pub(super) fn visible_after<'e>(
        &self,
        entries: &'e BTreeMap<String, Arc<RegistryEntry>>,
        mark: Option<&str>,
        caller: &Caller,
    ) -> impl Iterator<Item = (&'e String, &'e Arc<RegistryEntry>)> {
        let after = entries.range::<str, _>((mark.map_or(Unbounded, Excluded), Unbounded));
        after.filter(|(_, entry)| self.is_visible(entry, caller))
    }

    /// Returns a digest of what a check reads: the entries, their sources, and the problems of the indices.
    pub(super) fn check_digest(&self) -> u64 {
        let mut hash = DefaultHasher::new();
        for entry in self.entries.values() {
            let source = entry.handler.as_ref().map(|handler| &handler.source);
            (entry.digest, &entry.file, entry.line, source).hash(&mut hash);
        }
        for problem in &self.problems {
            (&problem.file, problem.line, &problem.message).hash(&mut hash);
        }
        hash.finish()
    }

    /// Returns a digest of the entries that a caller sees.
    pub(super) fn visible_digest(&self, several: &[&BTreeMap<String, Arc<RegistryEntry>>], caller: &Caller) -> u64 {
        let shown = several.iter().flat_map(|entries| entries.values()).filter(|entry| self.is_visible(entry, caller));
        // Hidden entries are not among them, whatever hides them.
        digest_entries(shown, false)
    }

    pub(super) fn tool(&self, name: &str, caller: &Caller) -> Option<(&Arc<RegistryEntry>, &DeclaredTool)> {
        let entry = self.tools.get(name).filter(|entry| self.is_visible(entry, caller))?;
        Some((entry, entry.tool.as_ref()?))
    }

    pub(super) fn prompt(&self, name: &str, caller: &Caller) -> Option<(&Arc<RegistryEntry>, &DeclaredPrompt)> {
        let entry = self.prompts.get(name).filter(|entry| self.is_visible(entry, caller))?;
        Some((entry, entry.prompt.as_ref()?))
    }

    /// Returns the resource of an address, with the values of its template's variables.
    pub(super) fn resource(
        &self,
        uri: &str,
        caller: &Caller,
    ) -> Option<(&Arc<RegistryEntry>, &DeclaredResource, BTreeMap<String, String>)> {
        let fixed = self.resources.get(uri).filter(|entry| self.is_visible(entry, caller));
        let fixed = fixed.and_then(|entry| Some((entry, entry.resource.as_ref()?, BTreeMap::new())));
        let shown = self.templates.values().filter(|entry| self.is_visible(entry, caller));
        let matching = shown.filter_map(|entry| {
            let resource = entry.resource.as_ref()?;
            let ResourceAddress::Template(template, _) = &resource.address else { return None };
            Some((entry, resource, template.match_uri(uri)?))
        });
        // A later root takes no address of an earlier one. Of those of one root the first is the address itself.
        fixed.into_iter().chain(matching).min_by_key(|(entry, ..)| entry.root_index)
    }

    /// Whether a caller sees a resource or a template with the scheme of this address.
    pub(super) fn has_scheme(&self, uri: &str, caller: &Caller) -> bool {
        let Some((scheme, _)) = uri.split_once(':') else { return false };
        let mut declared = self.resources.iter().chain(&self.templates);
        declared.any(|(known, entry)| {
            known.split_once(':').is_some_and(|(known, _)| known == scheme) && self.is_visible(entry, caller)
        })
    }

    /// Builds a snapshot from indices, each with the number of its root, in the order of the roots. `unreadable` is the first root with a
    /// folder of which nothing is known, and that folder. `is_taken` says which names of tools and which addresses belong to other services.
    /// `problems` has what the scan found.
    pub(super) fn build<'i>(
        indices: impl Iterator<Item = (usize, &'i ParsedIndex)>,
        unreadable: Option<(usize, String)>,
        is_taken: &dyn Fn(&str) -> bool,
        mut problems: ProblemList,
    ) -> Self {
        let mut read: Vec<Arc<RegistryEntry>> = Vec::new();
        let mut hides_gated = false;
        let mut owners: HashMap<&str, (usize, &str)> = HashMap::new();
        let mut kept = KeptNames::new();
        let mut unknown = unreadable;
        for (root, index) in indices {
            if index.has_unknown_namespace && unknown.as_ref().is_none_or(|(first, _)| root < *first) {
                unknown = Some((root, index.display_name.clone()));
            }
            for name in &index.kept_names {
                kept.entry(name.clone()).or_insert((root, index.display_name.clone()));
            }
            if let Some(namespace) = &index.namespace {
                owners.entry(namespace).or_insert((root, &index.display_name));
            }
            hides_gated |= index.hide_gated_entry.is_some();
            index.problems().for_each(|problem| problems.push(problem.clone()));
            read.extend(index.entries.iter().filter_map(|read| read.entry.clone()));
        }
        drop_claimed_namespaces(&mut read, &owners, unknown.as_ref(), &mut problems);
        let mut loaded = Self { hides_gated, ..Self::default() };
        insert_unique(&read, "entry", |entry| Some(entry.id.clone()), &mut loaded.entries, &mut problems);
        loaded.drop_broken_imports(&mut problems);
        loaded.drop_broken_ancestors(&mut problems);
        loaded.drop_broken_completions(&mut problems);
        loaded.keep_dropped_names(&read, &mut kept);
        let entries: Vec<_> = loaded.entries.values().cloned().collect();
        let tool = |entry: &RegistryEntry| Some(entry.tool.as_ref()?.list_entry.name.clone().into_owned());
        insert_offered(&entries, &kept, "tool", tool, &mut loaded.tools, &mut problems);
        loaded.tools.retain(|name, entry| {
            let taken = is_taken(name);
            if taken {
                problems.error(entry, &format!("this server has a built-in tool {name}: set another mcp.name"));
            }
            !taken
        });
        let prompt = |entry: &RegistryEntry| Some(entry.prompt.as_ref()?.list_entry.name.clone());
        insert_offered(&entries, &kept, "prompt", prompt, &mut loaded.prompts, &mut problems);
        let (fixed, families): (Vec<_>, Vec<_>) =
            entries.iter().filter(|entry| entry.resource.is_some()).cloned().partition(|entry| {
                entry.resource.as_ref().is_some_and(|resource| matches!(resource.address, ResourceAddress::Fixed(_)))
            });
        let uri = |entry: &RegistryEntry| Some(entry.resource.as_ref()?.uri().to_owned());
        insert_offered(&fixed, &kept, "resource", uri, &mut loaded.resources, &mut problems);
        insert_offered(&families, &kept, "resource template", uri, &mut loaded.templates, &mut problems);
        for declared in [&mut loaded.resources, &mut loaded.templates] {
            declared.retain(|uri, entry| {
                let taken = is_taken(uri);
                if taken {
                    problems.error(entry, &format!("{uri} has the scheme of another service: choose another scheme"));
                }
                !taken
            });
        }
        loaded.check_references(&mut problems);
        let all = [&loaded.tools, &loaded.prompts, &loaded.resources, &loaded.templates];
        loaded.digest = digest_entries(all.iter().flat_map(|entries| entries.values()), loaded.hides_gated);
        loaded.problems = problems.into_sorted();
        loaded
    }

    /// Drops the entries whose imports are missing or lead in a cycle: they cannot run.
    fn drop_broken_imports(&mut self, problems: &mut ProblemList) {
        let edges: ReferenceGraph = self
            .entries
            .values()
            .filter_map(|entry| Some((entry.id.clone(), entry.handler.as_ref()?.imports.values().cloned().collect())))
            .collect();
        let mut missing: BTreeSet<String> = BTreeSet::new();
        for circle in find_cycles(&edges) {
            let shown = display_cycle(&circle);
            for id in circle {
                if let Some(entry) = self.entries.remove(&id) {
                    problems.error(&entry, &format!("its imports form a cycle: {shown}"));
                }
                missing.insert(id);
            }
        }
        // An entry that imports a broken entry is broken too.
        let is_missing = |id: &&String| self.entries.get(*id).is_none_or(|entry| entry.handler.is_none());
        missing.extend(edges.values().flatten().filter(is_missing).cloned());
        for (id, import) in find_referrers(&edges, missing) {
            if let Some(entry) = self.entries.remove(&id) {
                problems.error(&entry, &format!("it imports {import}, which does not exist or has no source"));
            }
        }
    }

    /// Drops prompts that are their own ancestor, and prompts whose ancestors go up too far.
    fn drop_broken_ancestors(&mut self, problems: &mut ProblemList) {
        let mut edges = ReferenceGraph::new();
        // Of prompts with one name in several roots that of the first root is offered, and counts here.
        let mut first_roots: HashMap<String, usize> = HashMap::new();
        for (root, name) in self.entries.values().filter_map(|entry| Some((entry.root_index, entry.prompt_name()?))) {
            let first = first_roots.entry(name.to_owned()).or_insert(root);
            *first = root.min(*first);
        }
        let counts = |entry: &RegistryEntry| {
            entry.prompt_name().and_then(|name| first_roots.get(name)) == Some(&entry.root_index)
        };
        for prompt in self.entries.values().filter(|entry| counts(entry)).filter_map(|entry| entry.prompt.as_ref()) {
            // Two prompts of one root may have the same name, until duplicates are dropped.
            let parents = edges.entry(prompt.list_entry.name.clone()).or_default();
            parents.extend(prompt.parents.iter().map(|extended| extended.prompt.clone()));
        }
        let mut broken: HashMap<String, String> = HashMap::new();
        for circle in find_cycles(&edges) {
            let shown = display_cycle(&circle);
            for name in circle {
                edges.remove(&name);
                broken.insert(name, format!("it extends itself: {shown}"));
            }
        }
        let far = format!("it has more than {MAX_PROMPT_ANCESTORS} ancestors");
        let too_far = compute_depths(&edges).into_iter().filter(|(_, depth)| *depth > MAX_PROMPT_ANCESTORS);
        broken.extend(too_far.map(|(name, _)| (name.to_owned(), far.clone())));
        self.entries.retain(|_, entry| {
            let why = entry.prompt_name().filter(|_| counts(entry)).and_then(|name| broken.get(name));
            why.inspect(|why| problems.error(entry, why)).is_none()
        });
    }

    /// Drops entries whose completions come from an entry that cannot be called: that is a mistake, not an entry that
    /// may be added later.
    fn drop_broken_completions(&mut self, problems: &mut ProblemList) {
        let cannot = |id: &String| self.entries.get(id).is_some_and(|entry| entry.kind != RegistryEntryKind::Function);
        let broken = self.entries.iter().filter_map(|(own, entry)| {
            let named = entry.completions.iter().find_map(|(argument, values)| match values {
                CompletionSource::Entry(id) if cannot(id) => {
                    Some(format!("mcp.completions: {argument}: {id} cannot be called: {HANDLER_KIND_HINT}"))
                }
                CompletionSource::Entry(_) | CompletionSource::List(_) => None,
            });
            Some((own.clone(), named?))
        });
        for (id, why) in broken.collect::<Vec<_>>() {
            if let Some(entry) = self.entries.remove(&id) {
                problems.error(&entry, &why);
            }
        }
    }

    /// Keeps the names of entries that were dropped, so that no later root takes them.
    fn keep_dropped_names(&self, read: &[Arc<RegistryEntry>], kept: &mut KeptNames) {
        let is_dropped = |entry: &&Arc<RegistryEntry>| {
            self.entries.get(&entry.id).is_none_or(|offered| !Arc::ptr_eq(offered, entry))
        };
        for entry in read.iter().filter(is_dropped) {
            for name in entry.offered_names() {
                let first = kept.entry(name.to_owned()).or_insert_with(|| (entry.root_index, entry.file.clone()));
                if entry.root_index < first.0 {
                    *first = (entry.root_index, entry.file.clone());
                }
            }
        }
    }

    /// Warns of references to missing entries that break nothing.
    fn check_references(&self, problems: &mut ProblemList) {
        for entry in self.entries.values() {
            for extended in entry.prompt.iter().flat_map(|prompt| &prompt.parents) {
                if !self.prompts.contains_key(&extended.prompt) {
                    let message = format!("the prompt {} to extend does not exist: it adds nothing", extended.prompt);
                    problems.warn(entry, extended.line, &message);
                }
            }
            for (argument, values) in &entry.completions {
                if let CompletionSource::Entry(id) = values
                    && self.entries.get(id).is_none_or(|entry| entry.handler.is_none())
                {
                    problems.warn(entry, entry.line, &format!("mcp.completions: {argument}: there is no entry {id}"));
                }
            }
        }
    }
}

fn digest_entries<'e>(entries: impl Iterator<Item = &'e Arc<RegistryEntry>>, hides_gated: bool) -> u64 {
    let mut hash = DefaultHasher::new();
    hides_gated.hash(&mut hash);
    entries.for_each(|entry| entry.digest.hash(&mut hash));
    hash.finish()
}

/// Drops the entries of a namespace whose owner, the first root that claims it, is another root: a namespace has one store and its
/// own processes, which all entries of the namespace share. While an earlier root has a file whose namespace is `unknown`, any
/// namespace may be its own.
fn drop_claimed_namespaces(
    entries: &mut Vec<Arc<RegistryEntry>>,
    owners: &HashMap<&str, (usize, &str)>,
    unknown: Option<&(usize, String)>,
    problems: &mut ProblemList,
) {
    entries.retain(|entry| match owners.get(entry.namespace.as_str()) {
        _ if unknown.is_some_and(|(root, _)| *root < entry.root_index) => {
            let file = unknown.map(|(_, file)| file.as_str()).unwrap_or_default();
            let why =
                format!("the namespace {} may be that of {file}, which cannot be read: correct that", entry.namespace);
            problems.error(entry, &why);
            false
        }
        Some((root, file)) if *root != entry.root_index => {
            problems.error(entry, &format!("the namespace {} belongs to {file}: choose another one", entry.namespace));
            false
        }
        _ => true,
    });
}

/// The names and addresses that are offered by none, because of an error, with the root and the file that keep them.
type KeptNames = HashMap<String, (usize, String)>;

/// Offers the entries by a name of theirs, as [`insert_unique`] does, but for names that an earlier root keeps: what a client knows by
/// a name does not become something else because of an error.
fn insert_offered(
    entries: &[Arc<RegistryEntry>],
    kept: &KeptNames,
    what: &str,
    name: impl Fn(&RegistryEntry) -> Option<String>,
    into: &mut BTreeMap<String, Arc<RegistryEntry>>,
    problems: &mut ProblemList,
) {
    let is_free = |entry: &&Arc<RegistryEntry>| {
        let Some(name) = name(entry) else { return false };
        let Some((_, file)) = kept.get(&name).filter(|(root, _)| *root < entry.root_index) else { return true };
        problems.error(entry, &format!("the {what} {name} is that of {file}, which has an error: correct that"));
        false
    };
    let free: Vec<_> = entries.iter().filter(is_free).cloned().collect();
    insert_unique(&free, what, name, into, problems);
}

/// Offers the entries by a name of theirs. Of several with one name, that of the first root is offered, so that a
/// later root hides none. Which of one root was meant is not known, and none of them is offered.
fn insert_unique(
    entries: &[Arc<RegistryEntry>],
    what: &str,
    name: impl Fn(&RegistryEntry) -> Option<String>,
    into: &mut BTreeMap<String, Arc<RegistryEntry>>,
    problems: &mut ProblemList,
) {
    let mut by_name: BTreeMap<String, Vec<&Arc<RegistryEntry>>> = BTreeMap::new();
    for entry in entries {
        if let Some(name) = name(entry) {
            by_name.entry(name).or_default().push(entry);
        }
    }
    for (name, found) in by_name {
        let first_root = found.iter().map(|entry| entry.root_index).min();
        let (first, later): (Vec<_>, Vec<_>) =
            found.iter().copied().partition(|entry| Some(entry.root_index) == first_root);
        let (refused, others, outcome) = match first.as_slice() {
            [only] => {
                into.insert(name.clone(), Arc::clone(only));
                (later, first, "that one is offered")
            }
            _ => (found.clone(), found, "none of them is offered"),
        };
        for entry in refused {
            let shown = others.iter().filter(|other| !Arc::ptr_eq(other, entry)).take(MAX_SHOWN_PLACES);
            let places: Vec<String> = shown.map(|other| format!("{}:{}", other.file, other.line)).collect();
            let more = if others.len() > MAX_SHOWN_PLACES + 1 { " and other places" } else { "" };
            let message = format!("the {what} {name} is also declared at {}{more}: {outcome}", places.join(", "));
            problems.error(entry, &message);
        }
    }
}
