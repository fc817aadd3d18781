//! Counts of documents by the values of columns.
//!
//! Owns: the values by which documents are counted, and how many combinations of them are kept.
//! Never: knows how names are written: each spelling is a value.

use std::collections::HashMap;

use tantivy::collector::{Collector, SegmentCollector};
use tantivy::columnar::{Column, StrColumn};
use tantivy::{DocId, Score, SegmentOrdinal, SegmentReader};

use super::schema::column;
use crate::content::time::date_of;
use crate::limits::MAX_COUNTED_GROUPS;

/// By what documents are counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum GroupColumn {
    Year,
    Month,
    Day,
    Tag,
    Category,
    Language,
    Status,
}

/// A value of a column.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum GroupValue {
    Number(i32),
    Text(String),
    /// A document without tags, or without categories.
    Missing,
}

/// How many documents have each combination of values.
#[derive(Debug, Default)]
pub(crate) struct GroupCounts {
    pub(crate) groups: HashMap<Vec<GroupValue>, usize>,
    /// Documents, each once.
    pub(crate) n_documents: usize,
    /// Whether some groups were left out, because there are too many.
    pub(super) is_too_large: bool,
}

pub(super) struct GroupCollector {
    pub(super) by: Vec<GroupColumn>,
}

enum SegmentColumn {
    Year,
    Month,
    Day,
    Text(Option<StrColumn>),
}

pub(super) struct SegmentGroups {
    created: Column<i64>,
    columns: Vec<SegmentColumn>,
    /// By the packed values of all columns.
    counts: HashMap<u128, usize>,
    /// The combinations of one document.
    groups: Vec<u128>,
    n_documents: usize,
}

/// The bits of a packed value: six columns fit in a number.
const VALUE_BITS: usize = 21;
/// The number for a missing value, and for names beyond two million.
const MISSING: u64 = (1 << VALUE_BITS) - 1;

impl Collector for GroupCollector {
    type Fruit = GroupCounts;
    type Child = SegmentGroups;

    fn for_segment(&self, _: SegmentOrdinal, reader: &SegmentReader) -> tantivy::Result<SegmentGroups> {
        let columns = reader.fast_fields();
        let open = |by: &GroupColumn| {
            Ok(match by {
                GroupColumn::Year => SegmentColumn::Year,
                GroupColumn::Month => SegmentColumn::Month,
                GroupColumn::Day => SegmentColumn::Day,
                GroupColumn::Tag => SegmentColumn::Text(columns.str(column::TAG)?),
                GroupColumn::Category => SegmentColumn::Text(columns.str(column::CATEGORY)?),
                GroupColumn::Language => SegmentColumn::Text(columns.str(column::LANGUAGE)?),
                GroupColumn::Status => SegmentColumn::Text(columns.str(column::STATUS)?),
            })
        };
        Ok(SegmentGroups {
            created: columns.i64(column::CREATED)?,
            columns: self.by.iter().map(open).collect::<tantivy::Result<_>>()?,
            counts: HashMap::new(),
            groups: Vec::new(),
            n_documents: 0,
        })
    }

    fn requires_scoring(&self) -> bool {
        false
    }

    fn merge_fruits(&self, segments: Vec<tantivy::Result<GroupCounts>>) -> tantivy::Result<GroupCounts> {
        let mut merged = GroupCounts::default();
        for segment in segments {
            let segment = segment?;
            merged.n_documents += segment.n_documents;
            for (group, count) in segment.groups {
                *merged.groups.entry(group).or_default() += count;
            }
        }
        merged.is_too_large = merged.groups.len() > MAX_COUNTED_GROUPS;
        Ok(merged)
    }
}

impl SegmentCollector for SegmentGroups {
    type Fruit = tantivy::Result<GroupCounts>;

    fn collect(&mut self, doc: DocId, _: Score) {
        self.n_documents += 1;
        let (year, month, day) = date_of(self.created.first(doc).unwrap_or_default());
        let mut groups = std::mem::take(&mut self.groups);
        groups.clear();
        groups.push(0);
        for column in &self.columns {
            match column {
                SegmentColumn::Year => extend_groups(&mut groups, [u64::from(year.cast_unsigned())]),
                SegmentColumn::Month => extend_groups(&mut groups, [u64::from(month)]),
                SegmentColumn::Day => extend_groups(&mut groups, [u64::from(day)]),
                SegmentColumn::Text(None) => extend_groups(&mut groups, [MISSING]),
                SegmentColumn::Text(Some(column)) => extend_groups(&mut groups, column.ords().values_for_doc(doc)),
            }
        }
        // What is more is counted nowhere: the sum of all would be too large too.
        if self.counts.len() <= MAX_COUNTED_GROUPS {
            for group in &groups {
                *self.counts.entry(*group).or_default() += 1;
            }
        }
        self.groups = groups;
    }

    fn harvest(self) -> tantivy::Result<GroupCounts> {
        let mut groups = HashMap::with_capacity(self.counts.len());
        for (group, count) in self.counts {
            let mut values = Vec::with_capacity(self.columns.len());
            for (at, column) in self.columns.iter().enumerate() {
                let shift = VALUE_BITS * (self.columns.len() - 1 - at);
                let value = u64::try_from(group >> shift & u128::from(MISSING)).unwrap_or(MISSING);
                values.push(match column {
                    SegmentColumn::Year | SegmentColumn::Month | SegmentColumn::Day => {
                        GroupValue::Number(u32::try_from(value).unwrap_or_default().cast_signed())
                    }
                    SegmentColumn::Text(Some(column)) if value != MISSING => {
                        let mut text = String::new();
                        column.ord_to_str(value, &mut text)?;
                        GroupValue::Text(text)
                    }
                    SegmentColumn::Text(_) => GroupValue::Missing,
                });
            }
            *groups.entry(values).or_default() += count;
        }
        Ok(GroupCounts { groups, n_documents: self.n_documents, is_too_large: false })
    }
}

/// Combines each group with each of the values of one more column, of which one without values has a missing one.
fn extend_groups(groups: &mut Vec<u128>, values: impl IntoIterator<Item = u64>) {
    let n_groups = groups.len();
    let mut values = values.into_iter();
    let first = values.next().unwrap_or(MISSING);
    let packed = |group: u128, value: u64| group << VALUE_BITS | u128::from(value.min(MISSING));
    for value in values {
        for at in 0..n_groups {
            let extended = groups.get(at).map(|group| packed(*group, value));
            groups.extend(extended);
        }
    }
    groups.iter_mut().take(n_groups).for_each(|group| *group = packed(*group, first));
}
