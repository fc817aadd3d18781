//! The update: from insights to bullets of the playbook.
//!
//! Owns: which insights become bullets, their ids, and the reason for each one that does not.
//! Gives: a plan, which is pure: the same insights and the same text give the same plan.
//! Never: reads or writes a file, or adds what the playbook says already.

pub(crate) mod routing;
pub(crate) mod similarity;

use schemars::JsonSchema;
use serde::Serialize;

use self::routing::{SectionRoute, section_of};
use self::similarity::ComparedText;
use crate::hundredths::Hundredths;
use crate::insight_cache::StoredInsight;
use crate::limits::{MAX_BULLET_CHARS, MAX_EXPLAINED_SKIPS};
use crate::playbook::{Bullet, Playbook, PlaybookEdit, SectionPolicy, UnknownSection};
use crate::sanitize::{markdown_text, one_line};

/// Digits of the id of a bullet.
const BULLET_ID_DIGITS: usize = 8;

/// What an update takes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct UpdateRequest<'r> {
    pub(crate) min_confidence: Hundredths,
    pub(crate) max_deltas: usize,
    /// Insights that are taken whatever their confidence.
    pub(crate) forced: &'r [String],
    pub(crate) sections: SectionPolicy,
    pub(crate) routes: &'r [SectionRoute],
}

/// What an update does.
#[derive(Debug)]
pub(crate) struct UpdatePlan {
    pub(crate) deltas: Vec<PlannedDelta>,
    pub(crate) duplicates: usize,
    pub(crate) low_confidence: usize,
    /// The first of those that are skipped.
    pub(crate) skipped: Vec<SkippedInsight>,
    pub(crate) edit: PlaybookEdit,
}

/// A new bullet.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlannedDelta {
    pub(crate) bullet_id: String,
    pub(crate) section: String,
    /// The whole bullet.
    pub(crate) line: String,
    pub(crate) confidence: f64,
}

/// An insight that becomes no bullet.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SkippedInsight {
    pub(crate) insight_id: String,
    pub(crate) reason: SkipReason,
    /// The bullet that says it already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) bullet_id: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SkipReason {
    Duplicate,
    LowConfidence,
    OverMaxDeltas,
    /// It has neither a pattern nor a recommendation.
    Empty,
    /// No insight has this id.
    NotFound,
}

/// Plans an update of the playbook.
///
/// # Errors
/// When a section does not exist, and none may be made.
pub(crate) fn plan_update(
    playbook: &Playbook<'_>,
    insights: &[&StoredInsight],
    request: UpdateRequest<'_>,
) -> Result<UpdatePlan, UnknownSection> {
    let mut plan = UpdatePlan {
        deltas: Vec::new(),
        duplicates: 0,
        low_confidence: 0,
        skipped: Vec::new(),
        edit: PlaybookEdit::default(),
    };
    let is_forced = |insight: &StoredInsight| request.forced.iter().any(|id| **id == *insight.id);
    for id in request.forced.iter().filter(|id| !insights.iter().any(|insight| *insight.id == **id)) {
        plan.skip(id, SkipReason::NotFound, None);
    }
    let mut candidates: Vec<&StoredInsight> = Vec::new();
    for insight in insights.iter().copied() {
        if is_forced(insight) || insight.hundredths() >= request.min_confidence {
            candidates.push(insight);
        } else {
            plan.low_confidence += 1;
            plan.skip(&insight.id, SkipReason::LowConfidence, None);
        }
    }
    candidates.sort_by_key(|insight| (!is_forced(insight), std::cmp::Reverse(insight.hundredths())));
    let mut known: Vec<(String, ComparedText)> =
        playbook.bullets().iter().map(|bullet| (bullet.id.clone(), ComparedText::new(&bullet.content))).collect();
    for insight in candidates {
        let content = bullet_content(insight);
        if content.is_empty() {
            plan.skip(&insight.id, SkipReason::Empty, None);
            continue;
        }
        let (text, ids) = (ComparedText::new(&content), bullet_ids(insight).collect::<Vec<_>>());
        let says_it = |(id, other): &&(String, ComparedText)| {
            text.is_same_as(other) || ids.contains(id) && !is_of_another(insights, insight, id, other)
        };
        if let Some((id, _)) = known.iter().find(says_it) {
            plan.duplicates += 1;
            plan.skip(&insight.id, SkipReason::Duplicate, Some(id.clone()));
            continue;
        }
        if plan.deltas.len() >= request.max_deltas {
            plan.skip(&insight.id, SkipReason::OverMaxDeltas, None);
            continue;
        }
        let section = section_of(request.routes, &insight.meta_tags);
        let section = playbook.section_name(section).unwrap_or(section).to_owned();
        let bullet_id = new_bullet_id(insight, |id| known.iter().any(|(other, _)| other == id));
        let line = Bullet::line(&bullet_id, &content);
        plan.edit.add_bullet(playbook, &section, &line, request.sections)?;
        known.push((bullet_id.clone(), text));
        plan.deltas.push(PlannedDelta { bullet_id, section, line, confidence: insight.confidence });
    }
    Ok(plan)
}

impl UpdatePlan {
    fn skip(&mut self, insight: &str, reason: SkipReason, bullet_id: Option<String>) {
        if self.skipped.len() < MAX_EXPLAINED_SKIPS {
            self.skipped.push(SkippedInsight { insight_id: one_line(insight, 100), reason, bullet_id });
        }
    }
}

/// Returns the text of an insight's bullet.
pub(crate) fn bullet_content(insight: &StoredInsight) -> String {
    markdown_text(&insight.plain_text(), MAX_BULLET_CHARS)
}

/// Whether a bullet with this id was made of an insight.
pub(crate) fn is_id_of(insight: &StoredInsight, bullet_id: &str) -> bool {
    bullet_ids(insight).any(|id| id == bullet_id)
}

/// Whether a bullet whose id two insights may have was made of the other one.
fn is_of_another(insights: &[&StoredInsight], insight: &StoredInsight, bullet_id: &str, text: &ComparedText) -> bool {
    insights.iter().any(|other| {
        other.id != insight.id
            && is_id_of(other, bullet_id)
            && ComparedText::new(&bullet_content(other)).is_same_as(text)
    })
}

/// The ids that a bullet of an insight may have: the first eight digits of the insight's id, and where another bullet
/// has them, the following ones.
pub(crate) fn bullet_ids(insight: &StoredInsight) -> impl Iterator<Item = String> {
    let digits: String = insight.id.to_lowercase().chars().filter(char::is_ascii_hexdigit).collect();
    let n_ids = digits.len() / BULLET_ID_DIGITS;
    (0..n_ids).filter_map(move |at| digits.get(at * BULLET_ID_DIGITS..(at + 1) * BULLET_ID_DIGITS).map(str::to_owned))
}

fn new_bullet_id(insight: &StoredInsight, is_taken: impl Fn(&str) -> bool) -> String {
    let own = bullet_ids(insight).find(|id| !is_taken(id));
    // Another program's insight may have an id without enough digits.
    own.unwrap_or_else(|| {
        let text = format!("{}\n{}", insight.id, insight.pattern);
        let digest = uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_OID, text.as_bytes()).simple().to_string();
        let ids = (0..4).filter_map(|at| digest.get(at * BULLET_ID_DIGITS..(at + 1) * BULLET_ID_DIGITS));
        ids.into_iter().find(|id| !is_taken(id)).unwrap_or(&digest).to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::routing::default_routes;
    use super::*;
    use crate::insight::{Insight, InsightSignal};
    use crate::insight_cache::TextPool;

    const TEXT: &str = "# P\n### TypeScript Patterns\n\n### Build & Test Patterns\n";

    fn insight(id: &str, pattern: &str, confidence: f64, tag: &str) -> StoredInsight {
        stored(&Insight {
            id: id.to_owned(),
            signal: InsightSignal { pattern: pattern.to_owned(), evidence: Vec::new() },
            recommendation: "Do it".to_owned(),
            confidence,
            meta_tags: vec![tag.to_owned()],
            ..Insight::default()
        })
    }

    fn stored(insight: &Insight) -> StoredInsight {
        TextPool::default().store(insight).0
    }

    fn update(text: &str, insights: &[StoredInsight], max_deltas: usize, forced: &[&str]) -> (UpdatePlan, String) {
        let forced: Vec<String> = forced.iter().map(|id| (*id).to_owned()).collect();
        let routes = default_routes();
        let request = UpdateRequest {
            min_confidence: Hundredths::new(80),
            max_deltas,
            forced: &forced,
            sections: SectionPolicy::MustExist,
            routes: &routes,
        };
        let playbook = Playbook::parse(text);
        let insights: Vec<&StoredInsight> = insights.iter().collect();
        let mut plan = plan_update(&playbook, &insights, request).unwrap();
        let edited = std::mem::take(&mut plan.edit).apply(&playbook);
        (plan, edited)
    }

    #[test]
    fn second_update_adds_nothing_and_counts_what_it_skips() {
        let insights = [
            insight("0a0b0c0d-0000-5000-8000-000000000001", "alpha", 0.85, "tsc"),
            insight("0a0b0c0d-1111-5000-8000-000000000002", "beta", 0.7999999999999999, "vitest"),
            insight("ffffffff-2222-5000-8000-000000000003", "gamma", 0.5, "tsc"),
            insight("eeeeeeee-2222-5000-8000-000000000003", "Alpha!", 0.9, "tsc"),
        ];
        let (plan, text) = update(TEXT, &insights, 5, &[]);
        let added: Vec<_> =
            plan.deltas.iter().map(|delta| (delta.bullet_id.as_str(), delta.section.as_str())).collect();
        // The one that is surer comes first, and the other one says the same.
        assert_eq!(added, [("eeeeeeee", "TypeScript Patterns"), ("0a0b0c0d", "Build & Test Patterns")]);
        assert_eq!((plan.duplicates, plan.low_confidence), (1, 1));
        let (again, same) = update(&text, &insights, 5, &[]);
        assert_eq!((again.deltas.len(), again.duplicates, again.low_confidence), (0, 3, 1));
        assert_eq!(text, same);
    }

    #[test]
    fn duplicates_take_no_room_and_forced_insights_come_first() {
        let words = ["alpha", "beta", "gamma", "delta"];
        let insights: Vec<StoredInsight> = words
            .iter()
            .enumerate()
            .map(|(n, word)| insight(&format!("{n}{n}{n}{n}{n}{n}{n}{n}-0000"), word, 0.9, "tsc"))
            .collect();
        let (first, text) = update(TEXT, &insights, 3, &[]);
        assert_eq!(first.deltas.len(), 3);
        assert_eq!(first.skipped[0].reason, SkipReason::OverMaxDeltas);
        let (second, _) = update(&text, &insights, 3, &[]);
        assert_eq!(second.deltas[0].bullet_id, "33333333");
        let low = insight("44444444-0000", "epsilon", 0.1, "tsc");
        let all = [insights, vec![low]].concat();
        let (forced, _) = update(TEXT, &all, 1, &["44444444-0000", "none"]);
        assert_eq!((forced.deltas[0].bullet_id.as_str(), forced.low_confidence), ("44444444", 0));
        assert_eq!(
            forced.skipped[0],
            SkippedInsight { insight_id: "none".to_owned(), reason: SkipReason::NotFound, bullet_id: None }
        );
    }

    #[test]
    fn taken_id_gives_way_to_the_next_digits() {
        let text = TEXT.replace("Patterns\n\n", "Patterns\n[Bullet #0a0b0c0d, helpful:0, harmful:0] by hand\n\n");
        let mine = insight("1a1b1c1d-2a2b-5c2d-8000-000000000001", "alpha", 0.9, "tsc");
        let taken = TEXT.replace("Patterns\n\n", "Patterns\n[Bullet #1a1b1c1d, helpful:0, harmful:0] by hand\n\n");
        assert_eq!(update(&text, std::slice::from_ref(&mine), 1, &[]).0.deltas[0].bullet_id, "1a1b1c1d");
        // A bullet with the insight's own id is the insight's, whatever a person made of its text.
        assert_eq!(update(&taken, std::slice::from_ref(&mine), 1, &[]).0.duplicates, 1);
        let mut other = insight("1a1b1c1d-3a2b-5c2d-8000-000000000001", "by hand", 0.1, "tsc");
        other.recommendation = "".into();
        assert_eq!(update(&taken, &[mine, other], 1, &[]).0.deltas[0].bullet_id, "2a2b5c2d");
        assert_eq!(new_bullet_id(&insight("é", "x", 0.9, "tsc"), |_| false).len(), 8);
    }

    #[test]
    fn missing_section_is_an_error() {
        let routes = default_routes();
        let request = UpdateRequest {
            min_confidence: Hundredths::new(80),
            max_deltas: 3,
            forced: &[],
            sections: SectionPolicy::MustExist,
            routes: &routes,
        };
        let found = plan_update(&Playbook::parse("# P\n"), &[&insight("1", "x", 0.9, "tsc")], request);
        assert_eq!(found.unwrap_err(), UnknownSection("TypeScript Patterns".to_owned()));
    }
}
