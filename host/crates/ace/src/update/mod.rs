//! The update: from insights to bullets of the playbook.
//!
//! Owns: which insights become bullets, their ids, and the reason for each one that does not; and which bullets give way.
//! Gives: a plan, which is pure: the same insights and the same text give the same plan.
//! Never: reads or writes a file, or adds what the playbook says already.

pub(crate) mod routing;
pub(crate) mod similarity;

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::Serialize;

use self::routing::{SectionRoute, section_of};
use self::similarity::{ComparedText, ComparedTexts};
use crate::budget::{BulletBudget, BulletRoom, archive_order};
use crate::bullet_log::{ArchiveReason, BulletEvent, BulletEventKind, BulletHistory};
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
    pub(crate) budget: BulletBudget,
    pub(crate) now: DateTime<Utc>,
}

/// What an update knows.
#[derive(Clone, Copy)]
pub(crate) struct UpdateKnowledge<'k> {
    pub(crate) insights: &'k [&'k StoredInsight],
    pub(crate) history: &'k BulletHistory,
    /// Whether a bullet came from an insight.
    pub(crate) is_learned: &'k dyn Fn(&Bullet) -> bool,
    /// Whether no more is to be planned: what is planned then is not made.
    pub(crate) stop: &'k dyn Fn() -> bool,
}

/// What an update does.
#[derive(Debug)]
pub(crate) struct UpdatePlan {
    pub(crate) deltas: Vec<PlannedDelta>,
    /// Bullets that leave the playbook.
    pub(crate) archived: Vec<ArchivedBullet>,
    pub(crate) duplicates: usize,
    pub(crate) low_confidence: usize,
    /// The first of those that are skipped.
    pub(crate) skipped: Vec<SkippedInsight>,
    /// How many further ones are skipped, by reason.
    pub(crate) more_skipped: BTreeMap<SkipReason, usize>,
    pub(crate) edit: PlaybookEdit,
}

/// A bullet that leaves the playbook, and stays in the log of bullets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ArchivedBullet {
    pub(crate) bullet_id: String,
    pub(crate) section: String,
    /// The whole bullet.
    pub(crate) content: String,
    pub(crate) reason: ArchiveReason,
}

impl ArchivedBullet {
    pub(crate) fn new(playbook: &Playbook<'_>, bullet: &Bullet, reason: ArchiveReason) -> Self {
        Self {
            bullet_id: bullet.id.clone(),
            section: bullet.section.clone(),
            content: playbook.bullet_text(bullet).to_owned(),
            reason,
        }
    }

    /// Returns the line for the log of bullets.
    pub(crate) fn to_event(&self, insight_id: String) -> BulletEvent {
        let event = BulletEvent::new(BulletEventKind::Archived, &self.bullet_id, &self.section, &self.content);
        BulletEvent { insight_id, reason: Some(self.reason), ..event }
    }
}

/// A new bullet.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlannedDelta {
    pub(crate) insight_id: String,
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

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum SkipReason {
    Duplicate,
    LowConfidence,
    OverMaxDeltas,
    /// No bullet that may be archived would make room for it.
    OverBudget,
    /// Its bullet was archived.
    Archived,
    /// Its bullet was in AGENTS.md, and a person removed it.
    RemovedByPerson,
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
    knowledge: UpdateKnowledge<'_>,
    request: UpdateRequest<'_>,
) -> Result<UpdatePlan, UnknownSection> {
    let UpdateKnowledge { insights, history, is_learned, stop } = knowledge;
    let mut plan = UpdatePlan {
        deltas: Vec::new(),
        archived: Vec::new(),
        duplicates: 0,
        low_confidence: 0,
        skipped: Vec::new(),
        more_skipped: BTreeMap::new(),
        edit: PlaybookEdit::default(),
    };
    // A person knows the id of the bullet, which AGENTS.md had.
    let is_named = |insight: &StoredInsight, id: &str| *insight.id == *id || is_id_of(insight, id);
    let is_forced = |insight: &StoredInsight| request.forced.iter().any(|id| is_named(insight, id));
    for id in request.forced.iter().filter(|id| !insights.iter().any(|insight| is_named(insight, id))) {
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
    let mut ids: Vec<String> = playbook.bullets().iter().map(|bullet| bullet.id.clone()).collect();
    let mut numbers: HashMap<String, usize> = ids.iter().rev().cloned().zip((0..ids.len()).rev()).collect();
    let mut texts: ComparedTexts = playbook.bullets().iter().map(|bullet| ComparedText::new(&bullet.content)).collect();
    let order = archive_order(playbook, history, is_learned, request.now);
    let mut room = BulletRoom::new(playbook, order, request.budget);
    let gone = GoneBullets::new(history, playbook);
    for insight in candidates {
        let content = bullet_content(insight);
        if content.is_empty() {
            plan.skip(&insight.id, SkipReason::Empty, None);
            continue;
        }
        if stop() {
            break;
        }
        let text = ComparedText::new(&content);
        let own = bullet_ids(insight).filter_map(|id| {
            let number = *numbers.get(&id)?;
            (!is_of_another(insights, insight, &id, texts.get(number)?)).then_some(number)
        });
        if let Some(id) = texts.find(&text).into_iter().chain(own).min().and_then(|number| ids.get(number)) {
            plan.duplicates += 1;
            plan.skip(&insight.id, SkipReason::Duplicate, Some(id.clone()));
            continue;
        }
        let gone_bullet = if is_forced(insight) { None } else { gone.find(insight, &text) };
        if let Some((reason, id)) = gone_bullet {
            plan.skip(&insight.id, reason, Some(id.to_owned()));
            continue;
        }
        if plan.deltas.len() >= request.max_deltas {
            plan.skip(&insight.id, SkipReason::OverMaxDeltas, None);
            continue;
        }
        let section = section_of(request.routes, &insight.meta_tags);
        let section = playbook.section_name(section).unwrap_or(section).to_owned();
        let bullet_id = new_bullet_id(insight, |id| numbers.contains_key(id));
        let line = Bullet::line(&bullet_id, &content);
        if !room.take(&line, is_forced(insight)) {
            plan.skip(&insight.id, SkipReason::OverBudget, None);
            continue;
        }
        plan.edit.add_bullet(playbook, &section, &line, request.sections)?;
        numbers.insert(bullet_id.clone(), ids.len());
        ids.push(bullet_id.clone());
        texts.push(text);
        let insight_id = insight.id.to_string();
        plan.deltas.push(PlannedDelta { insight_id, bullet_id, section, line, confidence: insight.confidence });
    }
    for (bullet, reason) in room.into_archived() {
        plan.edit.remove_bullet(playbook, bullet);
        plan.archived.push(ArchivedBullet::new(playbook, bullet, reason));
    }
    Ok(plan)
}

/// Bullets that were in the playbook and are not: they come back only where a person forces it.
pub(crate) struct GoneBullets<'h> {
    by_insight: HashMap<&'h str, &'h BulletEvent>,
    texts: ComparedTexts,
    /// The events of the texts.
    events: Vec<&'h BulletEvent>,
}

impl<'h> GoneBullets<'h> {
    pub(crate) fn new(history: &'h BulletHistory, playbook: &Playbook<'_>) -> Self {
        let gone = history.gone(playbook);
        let text = |event: &&'h BulletEvent| {
            let read = Playbook::parse(&event.text).into_bullets();
            read.first().map(|bullet| (ComparedText::new(&bullet.content), *event))
        };
        let of_insights = gone.iter().filter(|event| !event.insight_id.is_empty());
        let by_insight = of_insights.map(|event| (event.insight_id.as_str(), *event)).collect();
        let (texts, events): (Vec<_>, Vec<_>) =
            gone.iter().copied().chain(history.replaced()).filter_map(|event| text(&event)).unzip();
        Self { by_insight, texts: texts.into_iter().collect(), events }
    }

    /// Returns the bullet that said what an insight says, and why it is gone.
    fn find(&self, insight: &StoredInsight, text: &ComparedText) -> Option<(SkipReason, &'h str)> {
        let same_insight = self.by_insight.get(&*insight.id).copied().map(Self::reason);
        same_insight.or_else(|| self.find_text(text))
    }

    /// Returns the bullet that said the same as a text, and why it is gone.
    pub(crate) fn find_text(&self, text: &ComparedText) -> Option<(SkipReason, &'h str)> {
        self.events.get(self.texts.find(text)?).map(|event| Self::reason(event))
    }

    fn reason(event: &'h BulletEvent) -> (SkipReason, &'h str) {
        let reason = match (event.event, event.reason) {
            (BulletEventKind::Archived, Some(ArchiveReason::Removed)) => SkipReason::RemovedByPerson,
            (BulletEventKind::Archived, _) => SkipReason::Archived,
            (BulletEventKind::Added | BulletEventKind::Found | BulletEventKind::Replaced, _) => {
                SkipReason::RemovedByPerson
            }
        };
        (reason, &event.bullet_id)
    }
}

impl UpdatePlan {
    fn skip(&mut self, insight: &str, reason: SkipReason, bullet_id: Option<String>) {
        if self.skipped.len() < MAX_EXPLAINED_SKIPS {
            self.skipped.push(SkippedInsight { insight_id: one_line(insight, 100), reason, bullet_id });
        } else {
            *self.more_skipped.entry(reason).or_default() += 1;
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
mod tests;
