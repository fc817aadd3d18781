//! The graph of references between names: cycles, and depths. A single path may have tens of thousands of names.
//!
//! Never: recurses, or visits a name more often than it is referred to.

use std::collections::{HashMap, HashSet};

/// Name → the names that it refers to.
pub(super) type ReferenceGraph = HashMap<String, Vec<String>>;

/// Returns paths from a name back to itself. Each name is in one of them at most.
pub(super) fn find_cycles(edges: &ReferenceGraph) -> Vec<Vec<String>> {
    let mut done: HashSet<&str> = HashSet::new();
    let mut cycles = Vec::new();
    let mut starts: Vec<&String> = edges.keys().collect();
    starts.sort_unstable();
    for start in starts {
        // The current path, with the number of edges that each name has followed, and the position of each name.
        let (mut path, mut positions) = (Vec::<(&str, usize)>::new(), HashMap::<&str, usize>::new());
        if !done.contains(start.as_str()) {
            path.push((start, 0));
            positions.insert(start, 0);
        }
        while let Some((name, at)) = path.last_mut() {
            let next = edges.get(*name).and_then(|next| next.get(*at)).map(String::as_str);
            *at += 1;
            match next {
                None => {
                    done.insert(name);
                    positions.remove(name);
                    path.pop();
                }
                Some(next) if done.contains(next) => {}
                Some(next) => match positions.get(next) {
                    Some(from) => {
                        let cycle: Vec<&str> = path.drain(*from..).map(|(name, _)| name).collect();
                        done.extend(&cycle);
                        for name in &cycle {
                            positions.remove(name);
                        }
                        cycles.push(cycle.into_iter().map(str::to_owned).collect());
                    }
                    None => {
                        positions.insert(next, path.len());
                        path.push((next, 0));
                    }
                },
            }
        }
    }
    cycles
}

/// Returns the number of edges on the longest path from each name. Names on a cycle must have no edges.
pub(super) fn compute_depths(edges: &ReferenceGraph) -> HashMap<&str, usize> {
    let mut depths: HashMap<&str, usize> = HashMap::new();
    let mut visited: HashSet<&str> = HashSet::new();
    for start in edges.keys() {
        let mut path: Vec<(&str, usize)> = vec![(start, 0)];
        while let Some((name, at)) = path.last_mut() {
            let next = edges.get(*name).map(Vec::as_slice).unwrap_or_default();
            if *at == 0 && !visited.insert(name) {
                path.pop();
                continue;
            }
            if let Some(next) = next.get(*at) {
                *at += 1;
                if !visited.contains(next.as_str()) {
                    path.push((next, 0));
                }
                continue;
            }
            let deepest = next.iter().map(|next| 1 + depths.get(next.as_str()).copied().unwrap_or(0)).max();
            depths.insert(name, deepest.unwrap_or(0));
            path.pop();
        }
    }
    depths
}

/// Returns the names that refer to a missing name, directly or not, each with the name that it refers to, in the order
/// in which they are found.
pub(super) fn find_referrers(
    edges: &ReferenceGraph,
    missing: impl IntoIterator<Item = String>,
) -> Vec<(String, String)> {
    let mut referrers: HashMap<&str, Vec<&str>> = HashMap::new();
    for (name, next) in edges {
        next.iter().for_each(|next| referrers.entry(next).or_default().push(name));
    }
    let mut waiting: Vec<String> = missing.into_iter().collect();
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    while let Some(name) = waiting.pop() {
        for before in referrers.get(name.as_str()).map(Vec::as_slice).unwrap_or_default() {
            if known.insert(*before) {
                waiting.push((*before).to_owned());
                found.push(((*before).to_owned(), name.clone()));
            }
        }
    }
    found
}

/// Formats a cycle for a person.
pub(super) fn display_cycle(cycle: &[String]) -> String {
    /// How many names of a cycle are shown.
    const MAX_SHOWN_NAMES: usize = 20;
    let mut shown = cycle.iter().take(MAX_SHOWN_NAMES).map(String::as_str).collect::<Vec<_>>().join(" → ");
    if cycle.len() > MAX_SHOWN_NAMES {
        shown.push_str(" → …");
    }
    if let Some(first) = cycle.first() {
        shown.push_str(" → ");
        shown.push_str(first);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edges(rows: &[(&str, &[&str])]) -> ReferenceGraph {
        rows.iter().map(|(name, next)| ((*name).to_owned(), next.iter().map(|n| (*n).to_owned()).collect())).collect()
    }

    #[test]
    fn cycles_are_found_once() {
        let graph = edges(&[("a", &["b", "c"]), ("b", &["a"]), ("c", &["c", "d"]), ("d", &["e"]), ("e", &[])]);
        assert_eq!(find_cycles(&graph), [vec!["a".to_owned(), "b".to_owned()], vec!["c".to_owned()]]);
        assert_eq!(find_cycles(&edges(&[("a", &["b"]), ("b", &["none"])])), Vec::<Vec<String>>::new());
    }

    #[test]
    fn depth_counts_longest_path() {
        let graph = edges(&[("a", &["d", "b"]), ("b", &["c"]), ("c", &["d"]), ("d", &[])]);
        let depths = compute_depths(&graph);
        assert_eq!(["a", "b", "c", "d"].map(|name| depths[name]), [3, 2, 1, 0]);
    }

    #[test]
    fn referrers_of_missing_name_are_found() {
        let graph = edges(&[("a", &["b"]), ("b", &["none", "c"]), ("c", &[]), ("d", &["a", "b"])]);
        let mut found: Vec<String> =
            find_referrers(&graph, ["none".to_owned()]).into_iter().map(|(name, _)| name).collect();
        found.sort();
        assert_eq!(found, ["a", "b", "d"]);
    }
}
