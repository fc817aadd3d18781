//! `count_posts`: numbers of posts by year, month, tag, category, language or status.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BlogTool;
use super::filters::{FilterArgs, hints};
use crate::apps::AppUse;
use crate::content::PostStatus;
use crate::error_code as code;
use crate::index::counts::{GroupColumn, GroupValue};
use crate::index::schema::DocKind;
use crate::limits::MAX_COUNT_GROUPS;
use crate::search::matching::filter_query;
use crate::search::words::fold_name;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};
use wardroom_service::{ServiceError, ToolBehavior};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum GroupBy {
    Year,
    Month,
    Tag,
    Category,
    Language,
    Status,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct CountPostsArgs {
    #[serde(alias = "group_by")]
    group_by: Vec<GroupBy>,
    year: Option<i64>,
    /// 1-12, with year.
    month: Option<i64>,
    status: Option<PostStatus>,
    category: Option<String>,
    /// All are required.
    #[serde(default)]
    tags: Vec<String>,
    language: Option<String>,
    #[serde(alias = "missing_translation_language")]
    missing_translation_language: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct CountPostsOutput {
    /// The largest first. A group has the fields of groupBy, and null for posts without a tag or category.
    groups: Vec<CountGroup>,
    /// Posts that match, each once.
    total_posts: usize,
    /// Whether there are more groups.
    truncated: bool,
    hints: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct CountGroup {
    #[serde(skip_serializing_if = "Option::is_none")]
    year: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    month: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tag: Option<GroupName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    category: Option<GroupName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    language: Option<GroupName>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<String>,
    count: usize,
}

/// A name, or null for posts without one.
#[derive(Serialize, JsonSchema)]
#[serde(untagged)]
enum GroupName {
    Name(String),
    Missing(()),
}

pub(super) const TOOL: BlogTool = BlogTool {
    name: "count_posts",
    title: "Count Posts",
    description: "Counts posts: the number or total of blog entries (articles), how many there are by year, month, \
                  tag, category, language or status.",
    input: input_schema::<CountPostsArgs>,
    output: output_schema::<CountPostsOutput>,
    behavior: ToolBehavior::READ_ONLY,
    app: AppUse::None,
    call: |state, _, arguments| {
        let args: CountPostsArgs = parse_arguments(arguments)?;
        let mut by: Vec<GroupBy> = Vec::new();
        for column in args.group_by {
            if !by.contains(&column) {
                by.push(column);
            }
        }
        if by.is_empty() {
            let message =
                "invalid arguments: groupBy: expected at least one of year, month, tag, category, language, status";
            return Err(ServiceError::tool(code::INVALID_ARGUMENTS, message));
        }
        let filters = FilterArgs {
            category: args.category,
            tags: args.tags,
            language: args.language,
            missing_translation: args.missing_translation_language,
            year: args.year,
            month: args.month,
            status: args.status,
        };
        let filters = filters.check()?;
        let query = filter_query(&state.stored.fields, DocKind::Post, &filters);
        let columns: Vec<GroupColumn> = by.iter().map(|column| column.column()).collect();
        let counts = state.read_index(|| state.stored.count_by(&*query, &columns))?;
        let mut groups: Vec<(Vec<GroupValue>, usize)> = merge_spellings(counts.groups, &by);
        groups.sort_by(|(a, a_count), (b, b_count)| (Reverse(a_count), a).cmp(&(Reverse(b_count), b)));
        let truncated = groups.len() > MAX_COUNT_GROUPS;
        groups.truncate(MAX_COUNT_GROUPS);
        serialize_output(&CountPostsOutput {
            groups: groups.into_iter().map(|(values, count)| CountGroup::new(&by, values, count)).collect(),
            total_posts: counts.n_documents,
            truncated,
            hints: hints(state, &filters)?,
        })
    },
};

impl GroupBy {
    const fn column(self) -> GroupColumn {
        match self {
            Self::Year => GroupColumn::Year,
            Self::Month => GroupColumn::Month,
            Self::Tag => GroupColumn::Tag,
            Self::Category => GroupColumn::Category,
            Self::Language => GroupColumn::Language,
            Self::Status => GroupColumn::Status,
        }
    }
}

impl From<Option<String>> for GroupName {
    fn from(name: Option<String>) -> Self {
        name.map_or(Self::Missing(()), Self::Name)
    }
}

impl CountGroup {
    fn new(by: &[GroupBy], values: Vec<GroupValue>, count: usize) -> Self {
        let mut group =
            Self { year: None, month: None, tag: None, category: None, language: None, status: None, count };
        for (column, value) in by.iter().zip(values) {
            let (number, text) = match value {
                GroupValue::Number(number) => (Some(number), None),
                GroupValue::Text(text) => (None, Some(text)),
                GroupValue::Missing => (None, None),
            };
            match column {
                GroupBy::Year => group.year = number,
                GroupBy::Month => group.month = number,
                GroupBy::Tag => group.tag = Some(GroupName::from(text)),
                GroupBy::Category => group.category = Some(GroupName::from(text)),
                GroupBy::Language => group.language = Some(GroupName::from(text)),
                GroupBy::Status => group.status = text,
            }
        }
        group
    }
}

/// Adds the groups whose names differ in case alone, under the spelling that most posts have.
fn merge_spellings(groups: HashMap<Vec<GroupValue>, usize>, by: &[GroupBy]) -> Vec<(Vec<GroupValue>, usize)> {
    if !by.iter().any(|column| matches!(column, GroupBy::Tag | GroupBy::Category)) {
        return groups.into_iter().collect();
    }
    let fold = |value: &GroupValue| match value {
        GroupValue::Text(name) => GroupValue::Text(fold_name(name)),
        other => other.clone(),
    };
    // The spellings of each name, with their counts.
    let mut spellings: HashMap<(usize, GroupValue), BTreeMap<GroupValue, usize>> = HashMap::new();
    for (group, count) in &groups {
        for (column, value) in group.iter().enumerate() {
            *spellings.entry((column, fold(value))).or_default().entry(value.clone()).or_default() += count;
        }
    }
    let commonest = |(column, value): (usize, &GroupValue)| {
        let known = spellings.get(&(column, fold(value)));
        let best = known.and_then(|known| known.iter().max_by_key(|(name, count)| (**count, Reverse(*name))));
        best.map_or_else(|| value.clone(), |(name, _)| name.clone())
    };
    let mut merged: HashMap<Vec<GroupValue>, usize> = HashMap::new();
    for (group, count) in groups {
        *merged.entry(group.iter().enumerate().map(commonest).collect()).or_default() += count;
    }
    merged.into_iter().collect()
}
