//! Lineage: the ancestors of a card (`metadata.prior_card_id`) and its descendants.
//!
//! Owns: the walk, which visits each card once and a bounded number of cards.

use std::collections::{HashMap, HashSet, VecDeque};

use serde_json::{Value, json};

use super::index::{CardEntry, CardIndexView};
use super::{CancelCheck, card_not_found};
use crate::cards::CardStore;
use crate::error_code as code;
use crate::limits::{MAX_LINEAGE_NODES, MAX_LINEAGE_STATS_BYTES};
use crate::storage_error::access_error;
use wardroom_appdir::AppDirError;
use wardroom_base::uri::CardId;
use wardroom_service::{ServiceError, escape_and_truncate};

pub(super) struct LineageQuery<'a> {
    pub(super) card: &'a CardId,
    pub(super) direction: Option<&'a str>,
    pub(super) depth: Option<u64>,
    pub(super) include_stats: Option<bool>,
    /// Only these relations are followed; all when absent.
    pub(super) relations: Option<&'a [String]>,
}

const DEFAULT_DEPTH: u64 = 10;

/// The direction of a walk: to the ancestors, or to the descendants.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LineageDirection {
    Parents,
    Children,
}

impl CardStore {
    pub(super) fn trace_lineage(&self, query: &LineageQuery, stop: CancelCheck) -> Result<Value, ServiceError> {
        let towards: &[LineageDirection] = match query.direction.unwrap_or("up") {
            "up" => &[LineageDirection::Parents],
            "down" => &[LineageDirection::Children],
            "both" => &[LineageDirection::Parents, LineageDirection::Children],
            other => {
                let message =
                    format!("direction must be 'up', 'down', or 'both' (got '{}')", escape_and_truncate(other));
                return Err(ServiceError::tool(code::INVALID_DIRECTION, message));
            }
        };
        let result = self.index.query(&self.app, stop, |view| walk_lineage(view, query, towards));
        let result = result.map_err(|error| access_error("the cards", error))?;
        let mut result = result.ok_or_else(|| card_not_found(query.card))?;
        if query.include_stats.unwrap_or(true) {
            self.add_stats(&mut result, stop)?;
        }
        let LineageResult { root, nodes, edges, truncated } = result;
        let nodes: Vec<Value> = nodes.into_iter().map(|(node, _)| node).collect();
        Ok(json!({"root": root, "nodes": nodes, "edges": edges, "truncated": truncated}))
    }

    /// Reads the stats of cards that the index holds only in part, without its lock, and omits those that do not fit an
    /// answer.
    fn add_stats(&self, result: &mut LineageResult, stop: CancelCheck) -> Result<(), ServiceError> {
        let mut remaining = MAX_LINEAGE_STATS_BYTES;
        for (node, is_whole) in &mut result.nodes {
            let Some(node) = node.as_object_mut() else { continue };
            if !*is_whole {
                if stop() {
                    return Err(access_error("the cards", AppDirError::Cancelled(result.root.clone())));
                }
                let of = |key: &str| node.get(key).and_then(Value::as_str).unwrap_or_default();
                let stats =
                    self.read_long_card(of("pkg"), of("card_id")).and_then(|(card, _)| card.get("stats").cloned());
                match stats {
                    Some(stats) => drop(node.insert("stats".to_owned(), stats)),
                    None => drop(node.remove("stats")),
                }
            }
            let length = node.get("stats").map_or(0, |stats| stats.to_string().len());
            if let Some(left) = remaining.checked_sub(length) {
                remaining = left;
            } else {
                node.remove("stats");
                node.insert("stats_omitted".to_owned(), true.into());
            }
        }
        Ok(())
    }
}

/// The visited cards, each with whether the index holds all of it, and the edges between them.
struct LineageResult {
    root: String,
    nodes: Vec<(Value, bool)>,
    edges: Vec<Value>,
    truncated: bool,
}

fn walk_lineage(view: &CardIndexView<'_>, query: &LineageQuery, towards: &[LineageDirection]) -> Option<LineageResult> {
    let root = view.get(query.card)?;
    let children =
        if towards.contains(&LineageDirection::Children) { children_by_parent(view) } else { HashMap::new() };
    let most_depth = query.depth.unwrap_or(DEFAULT_DEPTH);
    let with_stats = query.include_stats.unwrap_or(true);
    let follows = |child: &CardEntry| {
        query.relations.is_none_or(|relations| {
            prior_relation(child).is_some_and(|relation| relations.iter().any(|allowed| allowed == relation))
        })
    };
    let mut visited: HashSet<&str> = HashSet::from([root.id]);
    let mut nodes = vec![(node_json(&root, 0, with_stats), root.is_whole)];
    let (mut edges, mut truncated) = (Vec::new(), false);
    for towards in towards {
        let mut queue = VecDeque::from([(root, 0)]);
        while let Some((card, depth)) = queue.pop_front() {
            let next: Vec<CardEntry> = match towards {
                LineageDirection::Parents if !follows(&card) => Vec::new(),
                LineageDirection::Parents => {
                    prior_card_id(&card).and_then(|id| find_entry(view, id)).into_iter().collect()
                }
                LineageDirection::Children => children.get(card.id).cloned().unwrap_or_default(),
            };
            for other in next {
                if *towards == LineageDirection::Children && !follows(&other) {
                    continue;
                }
                // Of two cards with one id, only the one that a read finds counts.
                if *towards == LineageDirection::Children
                    && find_entry(view, other.id).is_none_or(|found| found.package != other.package)
                {
                    continue;
                }
                let is_new = !visited.contains(other.id);
                if is_new && (depth >= most_depth || nodes.len() >= MAX_LINEAGE_NODES) {
                    truncated = true;
                    break;
                }
                let (child, parent) = if *towards == LineageDirection::Parents { (card, other) } else { (other, card) };
                edges.push(edge_json(&child, &parent));
                if is_new {
                    visited.insert(other.id);
                    let distance = i64::try_from(depth + 1).unwrap_or(i64::MAX);
                    let signed = if *towards == LineageDirection::Parents { -distance } else { distance };
                    nodes.push((node_json(&other, signed, with_stats), other.is_whole));
                    queue.push_back((other, depth + 1));
                }
            }
        }
    }
    let mut seen = HashSet::new();
    edges.retain(|edge| seen.insert(edge.to_string()));
    Some(LineageResult { root: root.id.to_owned(), nodes, edges, truncated })
}

/// Maps the id of each card to its children, the oldest first.
fn children_by_parent<'a>(view: &CardIndexView<'a>) -> HashMap<&'a str, Vec<CardEntry<'a>>> {
    let mut children: HashMap<&str, Vec<CardEntry>> = HashMap::new();
    for card in view.entries() {
        if let Some(prior) = prior_card_id(&card) {
            children.entry(prior).or_default().push(card);
        }
    }
    children.values_mut().for_each(|cards| cards.reverse());
    children
}

fn find_entry<'a>(view: &CardIndexView<'a>, id: &str) -> Option<CardEntry<'a>> {
    view.get(&CardId::parse(id).ok()?)
}

fn prior_card_id<'a>(card: &CardEntry<'a>) -> Option<&'a str> {
    card.fields.text(&["metadata", "prior_card_id"])
}

fn prior_relation<'a>(card: &CardEntry<'a>) -> Option<&'a str> {
    card.fields.text(&["metadata", "prior_relation"])
}

fn node_json(card: &CardEntry, depth: i64, with_stats: bool) -> Value {
    let mut node = json!({"card_id": card.id, "pkg": card.package, "depth": depth});
    let mut add = |key: &str, value: Option<Value>| {
        if let (Some(value), Some(node)) = (value, node.as_object_mut()) {
            node.insert(key.to_owned(), value);
        }
    };
    add("prior_card_id", prior_card_id(card).map(Value::from));
    add("prior_relation", prior_relation(card).map(Value::from));
    if with_stats {
        add("stats", card.fields.json(&["stats"]));
    }
    node
}

fn edge_json(child: &CardEntry, parent: &CardEntry) -> Value {
    let mut edge = json!({"from": child.id, "to": parent.id});
    if let (Some(relation), Some(edge)) = (prior_relation(child), edge.as_object_mut()) {
        edge.insert("relation".to_owned(), relation.into());
    }
    edge
}
