//! `ace_get_insights`: insights and bullets by filters.
//!
//! Owns: the order of the filters (time, confidence, tags, tasks, sections), and what they mean for a bullet: it has
//! the time, the confidence, the tags and the tasks of the insight that it came from.
//! Never: changes a file.

use std::cmp::Reverse;

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{AceTool, check_confidence, invalid, parse_params};
use crate::hundredths::Hundredths;
use crate::insight_cache::{InsightIndexes, StoredInsight};
use crate::knowledge::{BulletItem, score};
use crate::limits::{DEFAULT_QUERY_LIMIT, MAX_QUERY_LIMIT};
use crate::playbook::{Bullet, Playbook};
use wardroom_service::schema::{input_schema, output_schema, serialize_output};
use wardroom_service::{ServiceError, ToolBehavior, escape_and_truncate};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct GetInsightsArgs {
    source: InsightSourceArg,
    filters: Option<FilterArgs>,
    /// Of each kind (50).
    limit: Option<i64>,
    sort_by: Option<SortKey>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum InsightSourceArg {
    Insights,
    Bullets,
    Both,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct FilterArgs {
    /// 0.0-1.0.
    min_confidence: Option<f64>,
    /// Any of them.
    tags: Option<Vec<String>>,
    /// Of bullets: any of them.
    sections: Option<Vec<String>>,
    /// Any of them.
    bead_ids: Option<Vec<String>>,
    /// ISO 8601.
    after: Option<String>,
    before: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum SortKey {
    Confidence,
    Timestamp,
    Helpful,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct GetInsightsOutput {
    #[serde(skip_serializing_if = "Option::is_none")]
    insights: Option<Vec<InsightItem>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bullets: Option<Vec<BulletItem>>,
    /// Before the limit.
    total_matched: usize,
    filtered: bool,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct InsightItem {
    id: String,
    timestamp: String,
    task_id: String,
    recommendation: String,
    confidence: f64,
    online_eligible: bool,
    meta_tags: Vec<String>,
}

pub(super) const TOOL: AceTool = AceTool {
    name: "ace_get_insights",
    title: "Get Insights",
    description: "Lists the lessons learned so far (insights and bullets), filtered by tag, confidence (high), date \
                  or number: which problems have already been discovered, before you start a task.",
    input: input_schema::<GetInsightsArgs>,
    output: output_schema::<GetInsightsOutput>,
    behavior: ToolBehavior::READ_ONLY,
    call: |log, info, arguments| {
        let args: GetInsightsArgs = parse_params(arguments)?;
        let limit = check_limit(args.limit)?;
        let filters = InsightFilter::new(args.filters.unwrap_or_default())?;
        let stop = || info.cancellation.is_cancelled();
        let (wants_insights, wants_bullets) =
            (args.source != InsightSourceArg::Bullets, args.source != InsightSourceArg::Insights);
        let indexes = if wants_bullets { InsightIndexes::Origins } else { InsightIndexes::None };
        let known = if wants_insights { log.insights(indexes, &stop)? } else { log.insights_if_any(indexes, &stop)? };
        let mut output =
            GetInsightsOutput { insights: None, bullets: None, total_matched: 0, filtered: filters.is_given() };
        if wants_bullets {
            let text = log.files.playbook()?;
            let playbook = Playbook::parse(&text);
            let with_origin = playbook.bullets().iter().map(|bullet| (bullet, known.find_origin(bullet)));
            let mut found: Vec<_> =
                with_origin.filter(|(bullet, origin)| filters.takes_bullet(bullet, *origin)).collect();
            // Stable: the order of equals is that of the file.
            match args.sort_by {
                Some(SortKey::Helpful) => found.sort_by_key(|(bullet, _)| Reverse(score(bullet))),
                Some(SortKey::Confidence) => {
                    found.sort_by_key(|(_, origin)| Reverse(origin.map(StoredInsight::hundredths)));
                }
                Some(SortKey::Timestamp) => {
                    found.sort_by_key(|(_, origin)| Reverse(origin.and_then(|insight| insight.time)));
                }
                None => {}
            }
            output.total_matched += found.len();
            output.bullets = Some(found.into_iter().take(limit).map(|(bullet, _)| BulletItem::new(bullet)).collect());
        }
        if wants_insights {
            let found: Vec<&StoredInsight> = known.iter().filter(|insight| filters.takes_insight(insight)).collect();
            output.total_matched += found.len();
            let found = match args.sort_by {
                Some(SortKey::Confidence) => first_by(found, limit, |insight| Reverse(insight.hundredths())),
                Some(SortKey::Timestamp) => first_by(found, limit, |insight| Reverse(insight.time)),
                Some(SortKey::Helpful) | None => found,
            };
            output.insights = Some(found.into_iter().take(limit).map(item_of).collect());
        }
        serialize_output(&output)
    },
};

/// Returns the first `limit` insights in the order of a key. The order of equals stays.
fn first_by<K: Ord>(
    found: Vec<&StoredInsight>,
    limit: usize,
    key: impl Fn(&StoredInsight) -> K,
) -> Vec<&StoredInsight> {
    let mut keyed: Vec<(K, usize, &StoredInsight)> =
        found.into_iter().enumerate().map(|(at, insight)| (key(insight), at, insight)).collect();
    // Of many insights few are returned, and the rest need no order.
    if limit < keyed.len() {
        keyed.select_nth_unstable_by(limit, |(key_a, a, _), (key_b, b, _)| (key_a, a).cmp(&(key_b, b)));
        keyed.truncate(limit);
    }
    keyed.sort_unstable_by(|(key_a, a, _), (key_b, b, _)| (key_a, a).cmp(&(key_b, b)));
    keyed.into_iter().map(|(_, _, insight)| insight).collect()
}

fn item_of(insight: &StoredInsight) -> InsightItem {
    InsightItem {
        id: insight.id.to_string(),
        timestamp: insight.timestamp.to_string(),
        task_id: insight.task_id.to_string(),
        recommendation: insight.recommendation.to_string(),
        confidence: insight.confidence,
        online_eligible: insight.online_eligible,
        meta_tags: insight.tags(),
    }
}

fn check_limit(given: Option<i64>) -> Result<usize, ServiceError> {
    let Some(given) = given else { return Ok(DEFAULT_QUERY_LIMIT) };
    let checked = usize::try_from(given).ok().filter(|limit| *limit <= MAX_QUERY_LIMIT);
    checked.ok_or_else(|| invalid(format!("limit must be between 0 and {MAX_QUERY_LIMIT}")))
}

/// The filters, checked.
struct InsightFilter {
    after: Option<DateTime<Utc>>,
    before: Option<DateTime<Utc>>,
    min_confidence: Option<Hundredths>,
    tags: Option<Vec<String>>,
    beads: Option<Vec<String>>,
    sections: Option<Vec<String>>,
}

impl InsightFilter {
    fn new(args: FilterArgs) -> Result<Self, ServiceError> {
        Ok(Self {
            after: check_time("after", args.after.as_deref())?,
            before: check_time("before", args.before.as_deref())?,
            min_confidence: check_confidence(args.min_confidence)?,
            tags: args.tags,
            beads: args.bead_ids,
            sections: args.sections,
        })
    }

    fn is_given(&self) -> bool {
        self.needs_insight() || self.sections.is_some()
    }

    /// Whether a filter is given that only an insight can pass.
    fn needs_insight(&self) -> bool {
        self.after.is_some()
            || self.before.is_some()
            || self.min_confidence.is_some()
            || self.tags.is_some()
            || self.beads.is_some()
    }

    fn takes_insight(&self, insight: &StoredInsight) -> bool {
        let is_in_time = || {
            let time = insight.time;
            self.after.is_none_or(|after| time.is_some_and(|time| time > after))
                && self.before.is_none_or(|before| time.is_some_and(|time| time < before))
        };
        (self.after.is_none() && self.before.is_none() || is_in_time())
            && self.min_confidence.is_none_or(|least| insight.hundredths() >= least)
            && self.tags.as_ref().is_none_or(|tags| tags.iter().any(|tag| insight.has_tag(tag)))
            && self.beads.as_ref().is_none_or(|beads| insight.is_of_tasks(beads))
    }

    /// A bullet that a person wrote came from no insight.
    fn takes_bullet(&self, bullet: &Bullet, origin: Option<&StoredInsight>) -> bool {
        (!self.needs_insight() || origin.is_some_and(|insight| self.takes_insight(insight)))
            && self.sections.as_ref().is_none_or(|sections| sections.contains(&bullet.section))
    }
}

fn check_time(name: &str, given: Option<&str>) -> Result<Option<DateTime<Utc>>, ServiceError> {
    let Some(text) = given else { return Ok(None) };
    // A day is the moment at which it begins.
    let day =
        || chrono::NaiveDate::parse_from_str(text, "%Y-%m-%d").ok()?.and_hms_opt(0, 0, 0).map(|time| time.and_utc());
    let time = DateTime::parse_from_rfc3339(text).ok().map(|time| time.to_utc()).or_else(day);
    let message = || invalid(format!("{name}: {} is no time such as 2026-01-31T12:00:00Z", escape_and_truncate(text)));
    time.map(Some).ok_or_else(message)
}
