//! The playbook: its bullets by section, with their counters and where each came from.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::parts::{bullet_text, counters, moment};
use super::{LearningPage, PLAYBOOK, content_page};
use crate::budget::BulletSize;
use crate::bullet_log::BulletHistory;
use crate::error_code as code;
use crate::insight_cache::{InsightIndexes, KnownInsights};
use crate::limits::MAX_PAGE_BULLETS;
use crate::playbook::{Bullet, Playbook};
use crate::sanitize::reveal;
use wardroom_service::{ContentPage, ServiceError};

/// Tasks of an insight that are named.
const MAX_SHOWN_TASKS: usize = 5;

pub(super) fn show(page: &LearningPage<'_>) -> Result<ContentPage, ServiceError> {
    let text = match page.log.files.playbook() {
        Err(ServiceError::Tool { code: code::FILE_NOT_FOUND, message, .. }) => {
            let content = html! { h1 { "Playbook" } p.note { (message) } };
            return Ok(content_page("Playbook", PLAYBOOK, content));
        }
        text => text?,
    };
    let stop = page.stop();
    let known = page.log.insights_if_any(InsightIndexes::Origins, &stop)?;
    let history = page.log.bullet_history(&stop)?;
    let playbook = Playbook::parse(&text);
    let (size, budget) = (BulletSize::of_playbook(&playbook), page.log.options.budget);
    let n_bullets = playbook.bullets().len();
    let shown = playbook.bullets().get(..n_bullets.min(MAX_PAGE_BULLETS)).unwrap_or_default();
    let mut sections: Vec<(&str, Vec<&Bullet>)> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for bullet in shown {
        let at = *places.entry(bullet.section.as_str()).or_insert(sections.len());
        if at == sections.len() {
            sections.push((&bullet.section, Vec::new()));
        }
        if let Some((_, bullets)) = sections.get_mut(at) {
            bullets.push(bullet);
        }
    }
    let content = html! {
        h1 { "Playbook" }
        ul.meta {
            li { (n_bullets) @if n_bullets == 1 { " bullet" } @else { " bullets" } }
            li { (size.lines) " of " (budget.max_lines) " lines" }
            li { (size.tokens()) " of " (budget.max_tokens) " tokens" }
        }
        @if n_bullets == 0 { p.soft { "Nothing was learned yet. Insights become bullets with " code { "wardroom ace learn" } "." } }
        @for (section, bullets) in &sections {
            section {
                h2 { (reveal(section)) }
                ul.items { @for bullet in bullets { (item(bullet, &known, &history)) } }
            }
        }
        @if n_bullets > shown.len() { p.soft { "And " (n_bullets - shown.len()) " more in AGENTS.md." } }
    };
    Ok(content_page("Playbook", PLAYBOOK, content))
}

fn item(bullet: &Bullet, known: &KnownInsights, history: &BulletHistory) -> Markup {
    let added = history.added_at(&bullet.id);
    html! {
        li {
            p tabindex="-1" data-item { (bullet_text(&bullet.content)) }
            ul.meta {
                li { code { (bullet.id) } }
                (counters(bullet.helpful, bullet.harmful))
                @if let Some(added) = added { li { "added " (moment(added)) } }
            }
            p.soft { (origin(bullet, known, history)) }
        }
    }
}

/// Says where a bullet came from.
fn origin(bullet: &Bullet, known: &KnownInsights, history: &BulletHistory) -> Markup {
    let Some(insight) = known.find_origin(bullet) else {
        return match history.last_event(&bullet.id) {
            Some(_) => html! { "Proposed by an agent" },
            None => html! { "Written by a person" },
        };
    };
    let (tasks, total) = (&insight.bead_ids, insight.bead_ids.len());
    html! {
        "From the insight " code { (reveal(&insight.id)) }
        @if let Some(n) = insight.occurrences { ", seen " (n) @if n == 1 { " time" } @else { " times" } }
        @if let Some(time) = insight.time { ", last " (moment(time)) }
        ", confidence " (format!("{:.2}", insight.hundredths().fraction()))
        @if total > 0 {
            ", in "
            @for (at, task) in tasks.iter().take(MAX_SHOWN_TASKS).enumerate() {
                @if at > 0 { ", " }
                code { (reveal(task)) }
            }
            @if total > MAX_SHOWN_TASKS { " and " (total - MAX_SHOWN_TASKS) " more" }
        }
    }
}
