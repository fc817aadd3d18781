//! Which insights become bullets, and which do not.

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
    update_with(text, insights, max_deltas, forced, BulletBudget::default(), &BulletHistory::default())
}

/// Bullets of which no insight has the id are a person's.
fn update_with(
    text: &str,
    insights: &[StoredInsight],
    max_deltas: usize,
    forced: &[&str],
    budget: BulletBudget,
    history: &BulletHistory,
) -> (UpdatePlan, String) {
    let forced: Vec<String> = forced.iter().map(|id| (*id).to_owned()).collect();
    let routes = default_routes();
    let request = UpdateRequest {
        min_confidence: Hundredths::new(80),
        max_deltas,
        forced: &forced,
        sections: SectionPolicy::MustExist,
        routes: &routes,
        budget,
        now: DateTime::parse_from_rfc3339("2026-03-01T00:00:00Z").unwrap().to_utc(),
    };
    let playbook = Playbook::parse(text);
    let insights: Vec<&StoredInsight> = insights.iter().collect();
    let is_learned = |bullet: &Bullet| insights.iter().any(|insight| is_id_of(insight, &bullet.id));
    let knowledge = UpdateKnowledge { insights: &insights, history, is_learned: &is_learned, stop: &|| false };
    let mut plan = plan_update(&playbook, knowledge, request).unwrap();
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
    let added: Vec<_> = plan.deltas.iter().map(|delta| (delta.bullet_id.as_str(), delta.section.as_str())).collect();
    // The one that is surer comes first, and the other one says the same.
    assert_eq!(added, [("eeeeeeee", "TypeScript Patterns"), ("0a0b0c0d", "Build & Test Patterns")]);
    assert_eq!((plan.duplicates, plan.low_confidence), (1, 1));
    let (again, same) = update(&text, &insights, 5, &[]);
    assert_eq!((again.deltas.len(), again.duplicates, again.low_confidence), (0, 3, 1));
    assert_eq!(text, same);
}

#[test]
fn skips_beyond_those_that_are_explained_are_counted_by_reason() {
    let word = |n: usize| n.to_string().bytes().map(|digit| char::from(digit + b'a' - b'0')).collect::<String>();
    let insights: Vec<StoredInsight> = (0..2 * MAX_EXPLAINED_SKIPS + 30)
        .map(|n| insight(&format!("{n:08}-0000"), &word(n).repeat(3), if n % 2 == 0 { 0.9 } else { 0.1 }, "tsc"))
        .collect();
    let (plan, text) = update(TEXT, &insights, 20, &[]);
    assert_eq!((plan.skipped.len(), plan.low_confidence), (MAX_EXPLAINED_SKIPS, MAX_EXPLAINED_SKIPS + 15));
    let more = [(SkipReason::LowConfidence, 15), (SkipReason::OverMaxDeltas, MAX_EXPLAINED_SKIPS - 5)];
    assert_eq!(plan.more_skipped, more.into());
    // Each insight is a bullet, is explained or is counted.
    let n_counted = |plan: &UpdatePlan| plan.skipped.len() + plan.more_skipped.values().sum::<usize>();
    assert_eq!(plan.deltas.len() + n_counted(&plan), insights.len());
    let (again, _) = update(&text, &insights, 20, &[]);
    assert_eq!(again.deltas.len() + n_counted(&again), insights.len());
    assert_eq!((again.duplicates, again.more_skipped.get(&SkipReason::Duplicate)), (20, Some(&20)));
    let (few, _) = update(TEXT, &insights[..10], 2, &[]);
    assert!(few.more_skipped.is_empty() && few.skipped.len() == 8);
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
        budget: BulletBudget::default(),
        now: DateTime::UNIX_EPOCH,
    };
    let lesson = insight("1", "x", 0.9, "tsc");
    let history = BulletHistory::default();
    let knowledge =
        UpdateKnowledge { insights: &[&lesson], history: &history, is_learned: &|_| false, stop: &|| false };
    let found = plan_update(&Playbook::parse("# P\n"), knowledge, request);
    assert_eq!(found.unwrap_err(), UnknownSection("TypeScript Patterns".to_owned()));
}

fn lessons() -> Vec<StoredInsight> {
    let lesson = |(n, word): (usize, &str)| {
        let id = char::from(b'a' + u8::try_from(n).unwrap()).to_string().repeat(8);
        insight(&format!("{id}-0000"), word, 0.9, "tsc")
    };
    ["alpha", "beta", "gamma", "delta"].into_iter().enumerate().map(lesson).collect()
}

fn reasons(plan: &UpdatePlan) -> Vec<(&str, SkipReason)> {
    plan.skipped.iter().map(|skipped| (skipped.insight_id.get(..1).unwrap(), skipped.reason)).collect()
}

#[test]
fn lowest_bullet_gives_way_and_every_other_byte_stays() {
    let insights = lessons();
    let (_, text) = update(TEXT, &insights[..2], 5, &[]);
    let text = text.replace("#aaaaaaaa, helpful:0", "#aaaaaaaa, helpful:4") + "Prose.\n";
    let budget = BulletBudget { max_lines: 2, max_tokens: 1_000 };
    let (plan, edited) = update_with(&text, &insights[..3], 5, &[], budget, &BulletHistory::default());
    let line = "[Bullet #bbbbbbbb, helpful:0, harmful:0] beta - Do it";
    assert_eq!(
        plan.archived,
        [ArchivedBullet {
            bullet_id: "bbbbbbbb".to_owned(),
            section: "TypeScript Patterns".to_owned(),
            content: line.to_owned(),
            reason: ArchiveReason::Budget,
        }]
    );
    assert_eq!(edited, text.replace(line, "[Bullet #cccccccc, helpful:0, harmful:0] gamma - Do it"));
    // A person's bullet takes room and gives none.
    let mine = text.replace("#bbbbbbbb", "#mine");
    let (plan, edited) = update_with(&mine, &insights[2..], 5, &[], budget, &BulletHistory::default());
    assert_eq!((plan.deltas.len(), plan.archived.len()), (0, 0));
    assert_eq!(reasons(&plan), [("c", SkipReason::OverBudget), ("d", SkipReason::OverBudget)]);
    assert_eq!(edited, mine);
    let (plan, _) = update_with(&mine, &insights[2..], 5, &["cccccccc-0000"], budget, &BulletHistory::default());
    assert_eq!((plan.deltas.len(), reasons(&plan)), (1, vec![("d", SkipReason::OverBudget)]));
}

#[test]
fn gone_bullet_comes_back_only_where_it_is_forced() {
    let insights = lessons();
    let event = |kind, n: usize, text: &str| {
        let id = insights[n].id.get(..8).unwrap();
        let event = BulletEvent::new(kind, id, "S", &Bullet::line(id, text));
        BulletEvent { insight_id: insights[n].id.to_string(), ..event }
    };
    // The text of the last one is that of another insight.
    let unknown = BulletEvent {
        bullet_id: "x".to_owned(),
        insight_id: String::new(),
        ..event(BulletEventKind::Added, 2, "gamma - Do it")
    };
    let history = BulletHistory::from_events([
        event(BulletEventKind::Archived, 0, "alpha"),
        event(BulletEventKind::Found, 1, "beta"),
        unknown,
    ]);
    let run = |text: &str, forced: &[&str]| update_with(text, &insights, 5, forced, BulletBudget::default(), &history);
    let (plan, text) = run(TEXT, &[]);
    let removed = SkipReason::RemovedByPerson;
    assert_eq!(reasons(&plan), [("a", SkipReason::Archived), ("b", removed), ("c", removed)]);
    assert_eq!(plan.deltas[0].bullet_id, "dddddddd");
    let (plan, text) = run(&text, &["aaaaaaaa-0000", "cccccccc-0000"]);
    assert_eq!(plan.deltas.iter().map(|delta| &delta.bullet_id[..1]).collect::<String>(), "ac");
    // What is there is not gone.
    assert_eq!(reasons(&run(&text, &[]).0)[0], ("a", SkipReason::Duplicate));
}
