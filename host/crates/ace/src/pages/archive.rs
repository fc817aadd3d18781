//! What would be archived next, and what was.

use maud::{Markup, html};

use super::parts::{bullet_text, counters};
use super::{ARCHIVE, LearningPage, content_page};
use crate::LearningLog;
use crate::budget::{BulletSize, archive_order};
use crate::bullet_log::{ArchiveReason, BulletEvent};
use crate::error_code as code;
use crate::insight_cache::InsightIndexes;
use crate::knowledge::score;
use crate::limits::{MAX_BULLET_HARM, MAX_PAGE_ARCHIVED, NEWCOMER_DAYS};
use crate::playbook::{Bullet, Playbook};
use wardroom_service::{ContentPage, ServiceError};

pub(super) fn show(page: &LearningPage<'_>) -> Result<ContentPage, ServiceError> {
    let text = match page.log.files.playbook() {
        Err(ServiceError::Tool { code: code::FILE_NOT_FOUND, .. }) => String::new(),
        text => text?,
    };
    let stop = page.stop();
    let known = page.log.insights_if_any(InsightIndexes::Origins, &stop)?;
    let history = page.log.bullet_history(&stop)?;
    let playbook = Playbook::parse(&text);
    let is_learned = |bullet: &Bullet| LearningLog::is_learned(bullet, &known, &history);
    let order = archive_order(&playbook, &history, &is_learned, std::time::SystemTime::now().into());
    let (size, budget) = (BulletSize::of_playbook(&playbook), page.log.options.budget);
    let mut archived: Vec<&BulletEvent> = history.archived().collect();
    archived.sort_unstable_by(|a, b| (&b.timestamp, &b.bullet_id).cmp(&(&a.timestamp, &a.bullet_id)));
    let content = html! {
        h1 { "Archive" }
        p {
            "The bullets take " (size.lines) " of " (budget.max_lines) " lines and " (size.tokens()) " of "
            (budget.max_tokens) " tokens. An update that goes beyond this moves bullets to "
            code { "logs/bullets.jsonl" } ", in the order below, until all fit."
        }
        h2 { "What would be archived next" }
        @if order.is_empty() {
            p.soft {
                "Nothing: bullets of a person stay, and new ones for " (NEWCOMER_DAYS) " days unless they did harm."
            }
        } @else {
            ol.items { @for bullet in order.iter().take(MAX_PAGE_ARCHIVED) { (next(bullet)) } }
            @if order.len() > MAX_PAGE_ARCHIVED { p.soft { "And " (order.len() - MAX_PAGE_ARCHIVED) " more." } }
        }
        h2 { "What was archived" }
        @if archived.is_empty() {
            p.soft { "Nothing yet." }
        } @else {
            ul.items { @for event in archived.iter().take(MAX_PAGE_ARCHIVED) { (past(event)) } }
            @if archived.len() > MAX_PAGE_ARCHIVED { p.soft { "And " (archived.len() - MAX_PAGE_ARCHIVED) " more." } }
        }
    };
    Ok(content_page("Archive", ARCHIVE, content))
}

fn next(bullet: &Bullet) -> Markup {
    html! {
        li {
            p tabindex="-1" data-item { (bullet_text(&bullet.content)) }
            ul.meta { li { code { (bullet.id) } } (counters(bullet.helpful, bullet.harmful)) }
            @if score(bullet) <= -MAX_BULLET_HARM { p.note.error { "It harms: the next update archives it." } }
        }
    }
}

fn past(event: &BulletEvent) -> Markup {
    let reason = match event.reason {
        Some(ArchiveReason::Budget) => "others were more helpful",
        Some(ArchiveReason::Harmful) => "it harmed",
        Some(ArchiveReason::Removed) => "a person accepted its removal",
        Some(ArchiveReason::Merged) => "a person accepted a merge",
        None => "unknown",
    };
    html! {
        li {
            p { (bullet_text(&event.text)) }
            ul.meta {
                li { (event.timestamp.get(..10).unwrap_or_default()) }
                li { (reason) }
                @if !event.insight_id.is_empty() {
                    li { "back with " code { "wardroom ace update --force-insight-ids " (event.insight_id) } }
                }
            }
        }
    }
}
