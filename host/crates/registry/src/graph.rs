//! What names refer to: circles, and how far a way leads. There can be tens of thousands of names, in one line.
//!
//! Never: calls itself, or looks at a name more often than it is referred to.

use std::collections::{HashMap, HashSet};

/// Name → the names that it refers to.
pub(super) type ReferenceGraph = HashMap<String, Vec<String>>;

/// Ways from a name back to itself. Each name is in one of them at most.
pub(super) fn find_cycles(edges: &ReferenceGraph) -> Vec<Vec<String>> {
    let mut done: HashSet<&str> = HashSet::new();
    let mut circles = Vec::new();
    let mut starts: Vec<&String> = edges.keys().collect();
    starts.sort_unstable();
    for start in starts {
        // The way here, each with the edges that were not followed yet, and where on it each name is.
        let (mut way, mut places) = (Vec::<(&str, usize)>::new(), HashMap::<&str, usize>::new());
        if !done.contains(start.as_str()) {
            way.push((start, 0));
            places.insert(start, 0);
        }
        while let Some((name, at)) = way.last_mut() {
            let next = edges.get(*name).and_then(|next| next.get(*at)).map(String::as_str);
            *at += 1;
            match next {
                None => {
                    done.insert(name);
                    places.remove(name);
                    way.pop();
                }
                Some(next) if done.contains(next) => {}
                Some(next) => match places.get(next) {
                    Some(from) => {
                        let circle: Vec<&str> = way.drain(*from..).map(|(name, _)| name).collect();
                        done.extend(&circle);
                        for name in &circle {
                            places.remove(name);
                        }
                        circles.push(circle.into_iter().map(str::to_owned).collect());
                    }
                    None => {
                        places.insert(next, way.len());
                        way.push((next, 0));
                    }
                },
            }
        }
    }
    circles
}

/// How many edges the longest way from each name has. What leads in a circle has none here.
pub(super) fn compute_depths(edges: &ReferenceGraph) -> HashMap<&str, usize> {
    let mut depths: HashMap<&str, usize> = HashMap::new();
    let mut begun: HashSet<&str> = HashSet::new();
    for start in edges.keys() {
        let mut way: Vec<(&str, usize)> = vec![(start, 0)];
        while let Some((name, at)) = way.last_mut() {
            let next = edges.get(*name).map(Vec::as_slice).unwrap_or_default();
            if *at == 0 && !begun.insert(name) {
                way.pop();
                continue;
            }
            if let Some(next) = next.get(*at) {
                *at += 1;
                if !begun.contains(next.as_str()) {
                    way.push((next, 0));
                }
                continue;
            }
            let deepest = next.iter().map(|next| 1 + depths.get(next.as_str()).copied().unwrap_or(0)).max();
            depths.insert(name, deepest.unwrap_or(0));
            way.pop();
        }
    }
    depths
}

/// Whoever refers to one of these, or to whoever does, each with what it refers to, in the order in which they are found.
pub(super) fn find_referrers(
    edges: &ReferenceGraph,
    missing: impl IntoIterator<Item = String>,
) -> Vec<(String, String)> {
    let mut backwards: HashMap<&str, Vec<&str>> = HashMap::new();
    for (name, next) in edges {
        next.iter().for_each(|next| backwards.entry(next).or_default().push(name));
    }
    let mut waiting: Vec<String> = missing.into_iter().collect();
    let (mut found, mut known) = (Vec::new(), HashSet::new());
    while let Some(name) = waiting.pop() {
        for before in backwards.get(name.as_str()).map(Vec::as_slice).unwrap_or_default() {
            if known.insert(*before) {
                waiting.push((*before).to_owned());
                found.push(((*before).to_owned(), name.clone()));
            }
        }
    }
    found
}

/// A circle, for a person.
pub(super) fn display_cycle(circle: &[String]) -> String {
    /// Names at its beginning that are shown.
    const MAX_SHOWN_NAMES: usize = 20;
    let mut shown = circle.iter().take(MAX_SHOWN_NAMES).map(String::as_str).collect::<Vec<_>>().join(" → ");
    if circle.len() > MAX_SHOWN_NAMES {
        shown.push_str(" → …");
    }
    if let Some(first) = circle.first() {
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
    fn circles_are_found_once() {
        let graph = edges(&[("a", &["b", "c"]), ("b", &["a"]), ("c", &["c", "d"]), ("d", &["e"]), ("e", &[])]);
        assert_eq!(find_cycles(&graph), [vec!["a".to_owned(), "b".to_owned()], vec!["c".to_owned()]]);
        assert_eq!(find_cycles(&edges(&[("a", &["b"]), ("b", &["none"])])), Vec::<Vec<String>>::new());
    }

    #[test]
    fn the_longest_way_counts() {
        let graph = edges(&[("a", &["d", "b"]), ("b", &["c"]), ("c", &["d"]), ("d", &[])]);
        let depths = compute_depths(&graph);
        assert_eq!(["a", "b", "c", "d"].map(|name| depths[name]), [3, 2, 1, 0]);
    }

    #[test]
    fn whatever_leads_to_a_missing_one_is_found() {
        let graph = edges(&[("a", &["b"]), ("b", &["none", "c"]), ("c", &[]), ("d", &["a", "b"])]);
        let mut found: Vec<String> =
            find_referrers(&graph, ["none".to_owned()]).into_iter().map(|(name, _)| name).collect();
        found.sort();
        assert_eq!(found, ["a", "b", "d"]);
    }
}
