//! The search for lessons: bullets of the playbook and insights of the log, ranked by a query.
//!
//! Owns: the order (bullets that harmed more often than they helped are last), and that a lesson is returned once.
//! Never: changes a file, or takes the query for more than words.

mod word_index;
mod words;

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Serialize;

use self::word_index::WeighedQuery;
use crate::LearningLog;
use crate::error_code as code;
use crate::insight_cache::{InsightIndexes, KnownInsights, StoredInsight};
use crate::knowledge::score;
use crate::playbook::{Bullet, Playbook};
use crate::sanitize::unescape_markdown;
use crate::update::routing::section_of;
use crate::update::similarity::ComparedText;
use crate::update::{bullet_content, bullet_ids};
use wardroom_service::ServiceError;

pub(crate) use self::word_index::WordIndex;

/// How much more a lesson counts that says what fixed an error, and not only that it occurs.
const FIX_WEIGHT: f32 = 1.5;

/// What a search found.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct SearchResults {
    pub(crate) results: Vec<FoundLesson>,
    /// Lessons with a word of the query, before those that say the same are left out.
    pub(crate) total_matched: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FoundLesson {
    kind: LessonKind,
    id: String,
    text: String,
    section: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    helpful: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    harmful: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    confidence: Option<f64>,
    tags: Vec<String>,
    score: f64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum LessonKind {
    Bullet,
    Insight,
}

/// The words of the playbook, as long as its text is the same.
#[derive(Debug, Default)]
pub(crate) struct PlaybookWords(Mutex<Arc<IndexedPlaybook>>);

#[derive(Debug, Default)]
struct IndexedPlaybook {
    text: String,
    bullets: Vec<Bullet>,
    words: WordIndex,
    ids: HashSet<String>,
}

/// A lesson with a word of the query.
#[derive(Clone, Copy)]
enum Candidate<'k> {
    Bullet(&'k Bullet, Option<&'k StoredInsight>),
    Insight(&'k StoredInsight),
}

impl PlaybookWords {
    fn read(&self, text: String) -> Arc<IndexedPlaybook> {
        let mut cached = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if cached.text != text {
            *cached = Arc::new(IndexedPlaybook::new(text));
        }
        Arc::clone(&cached)
    }
}

impl IndexedPlaybook {
    fn new(text: String) -> Self {
        let bullets = Playbook::parse(&text).into_bullets();
        let mut words = WordIndex::default();
        for bullet in &bullets {
            let plain = unescape_markdown(&bullet.content);
            let (subject, advice) = plain.split_once(" - ").unwrap_or((&plain, ""));
            words.add([subject].into_iter(), advice);
        }
        let ids = bullets.iter().map(|bullet| bullet.id.clone()).collect();
        Self { text, bullets, words, ids }
    }
}

impl LearningLog {
    /// Returns the lessons that fit a query best.
    ///
    /// # Errors
    /// `FILE_NOT_FOUND` where neither a playbook nor a log of insights is there, and `PARSE_ERROR`.
    pub(crate) fn search(
        &self,
        query: &str,
        limit: usize,
        stop: &dyn Fn() -> bool,
    ) -> Result<SearchResults, ServiceError> {
        let text = self.files.playbook();
        let known = match (&text, self.insights(InsightIndexes::Words, stop)) {
            (Ok(_), Err(ServiceError::Tool { code: code::FILE_NOT_FOUND, .. })) => Arc::default(),
            (_, known) => known?,
        };
        let text = match text {
            Err(ServiceError::Tool { code: code::FILE_NOT_FOUND, .. }) => String::new(),
            text => text?,
        };
        let playbook = self.playbook_words.read(text);
        let query = WeighedQuery::new(query, &[known.words(), &playbook.words]);
        let mut bullets: Vec<(f32, Candidate<'_>)> = playbook
            .words
            .scores(&query)
            .into_iter()
            .zip(&playbook.bullets)
            .filter(|(score, _)| *score > 0.0)
            .map(|(score, bullet)| weighed(score, Candidate::Bullet(bullet, known.find_origin(bullet))))
            .collect();
        let insights = known.words().scores(&query);
        let is_found = |(score, number): &(f32, u32)| *score > 0.0 && known.by_number(*number as usize).is_some();
        let mut insights: Vec<(f32, u32)> = insights.into_iter().zip(0..).filter(is_found).collect();
        let mut results = SearchResults { results: Vec::new(), total_matched: bullets.len() + insights.len() };
        sort(&mut bullets);
        let harmful = bullets.split_off(bullets.partition_point(|(_, candidate)| !candidate.is_harmful()));
        let mut n_best = 0;
        loop {
            // Most insights are never looked at: of a common word there may be all of them.
            n_best = (n_best * 8).max(limit * 4).min(insights.len());
            let best = best_insights(&mut insights, n_best, &known);
            let mut candidates: Vec<_> = bullets.iter().copied().chain(best).collect();
            sort(&mut candidates);
            candidates.extend(&harmful);
            let chosen = choose(&candidates, limit, &playbook.ids);
            if chosen.len() == limit || n_best == insights.len() {
                // All that matched were looked at, and what says the same counts once.
                if chosen.len() < limit {
                    results.total_matched = chosen.len();
                }
                let to_lesson = |(score, candidate): (f32, Candidate<'_>)| self.to_lesson(candidate, score);
                results.results = chosen.into_iter().map(to_lesson).collect();
                return Ok(results);
            }
        }
    }

    fn to_lesson(&self, candidate: Candidate<'_>, score: f32) -> FoundLesson {
        let score = (f64::from(score) * 1000.0).round() / 1000.0;
        match candidate {
            Candidate::Bullet(bullet, origin) => FoundLesson {
                kind: LessonKind::Bullet,
                id: bullet.id.clone(),
                text: bullet.content.clone(),
                section: bullet.section.clone(),
                helpful: Some(bullet.helpful),
                harmful: Some(bullet.harmful),
                confidence: origin.map(|insight| insight.confidence),
                tags: origin.map(StoredInsight::tags).unwrap_or_default(),
                score,
            },
            Candidate::Insight(insight) => FoundLesson {
                kind: LessonKind::Insight,
                id: insight.id.to_string(),
                text: insight.plain_text(),
                section: section_of(&self.options.routes, &insight.meta_tags).to_owned(),
                helpful: None,
                harmful: None,
                confidence: Some(insight.confidence),
                tags: insight.tags(),
                score,
            },
        }
    }
}

impl Candidate<'_> {
    fn is_harmful(&self) -> bool {
        matches!(self, Self::Bullet(bullet, _) if score(bullet) < 0)
    }

    const fn kind(&self) -> LessonKind {
        match self {
            Self::Bullet(..) => LessonKind::Bullet,
            Self::Insight(_) => LessonKind::Insight,
        }
    }

    /// Of lessons that fit equally well, a fix comes before an advice.
    fn is_fix(&self) -> bool {
        matches!(self, Self::Insight(insight) | Self::Bullet(_, Some(insight)) if insight.has_fix())
    }

    fn compared_text(&self) -> ComparedText {
        match self {
            Self::Bullet(bullet, _) => ComparedText::new(&bullet.content),
            Self::Insight(insight) => ComparedText::new(&bullet_content(insight)),
        }
    }
}

/// Returns a candidate with its score.
fn weighed(score: f32, candidate: Candidate<'_>) -> (f32, Candidate<'_>) {
    (if candidate.is_fix() { score * FIX_WEIGHT } else { score }, candidate)
}

fn sort(candidates: &mut [(f32, Candidate<'_>)]) {
    // Stable: the order of equals is that of the file.
    candidates.sort_by(|(score_a, a), (score_b, b)| {
        let of_score = || score_b.total_cmp(score_a);
        let of_fix = || b.is_fix().cmp(&a.is_fix());
        a.is_harmful().cmp(&b.is_harmful()).then_with(of_score).then_with(of_fix).then_with(|| a.kind().cmp(&b.kind()))
    });
}

/// Returns the `n_best` insights, in any order.
fn best_insights<'k>(
    insights: &mut [(f32, u32)],
    n_best: usize,
    known: &'k KnownInsights,
) -> Vec<(f32, Candidate<'k>)> {
    if n_best < insights.len() {
        insights.select_nth_unstable_by(n_best, |(a, _), (b, _)| b.total_cmp(a));
    }
    let best = insights.get(..n_best).unwrap_or_default();
    let mut best: Vec<(f32, u32)> = best.to_vec();
    // Of equals the newest first.
    best.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    let to_candidate =
        |(score, number): (f32, u32)| Some(weighed(score, Candidate::Insight(known.by_number(number as usize)?)));
    best.into_iter().filter_map(to_candidate).collect()
}

/// Returns the first candidates, each lesson once.
fn choose<'k>(
    candidates: &[(f32, Candidate<'k>)],
    limit: usize,
    bullet_ids_of_playbook: &HashSet<String>,
) -> Vec<(f32, Candidate<'k>)> {
    let mut chosen: Vec<(f32, Candidate<'k>)> = Vec::new();
    let mut texts: Vec<ComparedText> = Vec::new();
    for (score, candidate) in candidates {
        if chosen.len() == limit {
            break;
        }
        if let Candidate::Insight(insight) = candidate
            && bullet_ids(insight).any(|id| bullet_ids_of_playbook.contains(&id))
        {
            continue;
        }
        let text = candidate.compared_text();
        if !texts.iter().any(|known| known.is_same_as(&text)) {
            texts.push(text);
            chosen.push((*score, *candidate));
        }
    }
    chosen
}
