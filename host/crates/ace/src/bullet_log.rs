//! The log of bullets, `logs/bullets.jsonl`: which were added, which were archived with their text and counters, and which texts were
//! replaced.
//!
//! Owns: the format, and what it says of a bullet that is not in the playbook: it was archived, or a person removed it.
//! Never: holds what the playbook holds better: the counters and current texts of bullets that are there.

use std::collections::HashMap;
use std::ops::ControlFlow;

use chrono::{DateTime, SecondsFormat, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::LearningLog;
use crate::error_code as code;
use crate::files::LogFile;
use crate::insight_cache::KnownInsights;
use crate::limits::MAX_PAST_BULLETS;
use crate::playbook::{Bullet, Playbook};
use crate::trace::or_default;
use wardroom_service::ServiceError;

/// What happened to a bullet, one line of the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct BulletEvent {
    pub(crate) event: BulletEventKind,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) timestamp: String,
    pub(crate) bullet_id: String,
    /// The insight that the bullet was made of.
    #[serde(default, deserialize_with = "or_default", skip_serializing_if = "String::is_empty")]
    pub(crate) insight_id: String,
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) section: String,
    /// The whole bullet as it was in the playbook, with the lines that continued it.
    #[serde(default, deserialize_with = "or_default")]
    pub(crate) text: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<ArchiveReason>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BulletEventKind {
    Added,
    /// It was there, and the log did not say since when.
    Found,
    Archived,
    /// A person accepted another text for it, and it is there: this is the text of before.
    Replaced,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ArchiveReason {
    /// Others were more helpful, and there was no room for all.
    Budget,
    /// It harmed more often than it helped.
    Harmful,
    /// A person accepted that it is removed.
    Removed,
    /// A person accepted that another bullet says it too.
    Merged,
}

/// What is known of each bullet: the last event of its id.
#[derive(Debug, Default)]
pub(crate) struct BulletHistory {
    last: HashMap<String, BulletEvent>,
    /// The texts that were replaced.
    replaced: Vec<BulletEvent>,
}

impl BulletEvent {
    pub(crate) fn new(event: BulletEventKind, bullet_id: &str, section: &str, text: &str) -> Self {
        Self {
            event,
            timestamp: DateTime::<Utc>::from(std::time::SystemTime::now()).to_rfc3339_opts(SecondsFormat::Millis, true),
            bullet_id: bullet_id.to_owned(),
            insight_id: String::new(),
            section: section.to_owned(),
            text: text.to_owned(),
            reason: None,
        }
    }
}

impl BulletHistory {
    #[cfg(test)]
    pub(crate) fn from_events(events: impl IntoIterator<Item = BulletEvent>) -> Self {
        let (replaced, last): (Vec<_>, Vec<_>) =
            events.into_iter().partition(|event| event.event == BulletEventKind::Replaced);
        Self { last: last.into_iter().map(|event| (event.bullet_id.clone(), event)).collect(), replaced }
    }

    pub(crate) fn last_event(&self, bullet_id: &str) -> Option<&BulletEvent> {
        self.last.get(bullet_id)
    }

    /// Returns when a bullet was added; `None` where the log does not say it.
    pub(crate) fn added_at(&self, bullet_id: &str) -> Option<DateTime<Utc>> {
        let event = self.last.get(bullet_id).filter(|event| event.event == BulletEventKind::Added)?;
        Some(DateTime::parse_from_rfc3339(&event.timestamp).ok()?.to_utc())
    }

    /// Whether the log says that the bullet was archived with this text.
    pub(crate) fn is_archived_as(&self, bullet_id: &str, text: &str) -> bool {
        self.last_event(bullet_id).is_some_and(|last| last.event == BulletEventKind::Archived && last.text == text)
    }

    /// Whether the log has the text of a bullet that leaves the playbook, or gets another one.
    pub(crate) fn has_text_of(&self, event: &BulletEvent) -> bool {
        let is_same = |known: &BulletEvent| known.bullet_id == event.bullet_id && known.text == event.text;
        match event.event {
            BulletEventKind::Replaced => self.replaced.iter().any(is_same),
            _ => self.is_archived_as(&event.bullet_id, &event.text),
        }
    }

    /// Returns the texts that bullets had before a person accepted another one.
    pub(crate) fn replaced(&self) -> &[BulletEvent] {
        &self.replaced
    }

    /// Returns the bullets that were in the playbook and are not.
    pub(crate) fn gone<'h>(&'h self, playbook: &Playbook<'_>) -> Vec<&'h BulletEvent> {
        let is_there = |id: &str| playbook.bullets().iter().any(|bullet| bullet.id == id);
        let mut gone: Vec<&BulletEvent> = self.last.values().filter(|event| !is_there(&event.bullet_id)).collect();
        gone.sort_unstable_by(|a, b| a.bullet_id.cmp(&b.bullet_id));
        gone
    }

    /// Returns how many bullets are in the log alone, because they were archived.
    pub(crate) fn archived(&self) -> impl Iterator<Item = &BulletEvent> {
        self.last.values().filter(|event| event.event == BulletEventKind::Archived)
    }

    /// Whether a bullet has to be noted as found: the log does not know it, or takes it for archived.
    pub(crate) fn misses(&self, bullet: &Bullet) -> bool {
        self.last_event(&bullet.id).is_none_or(|last| last.event == BulletEventKind::Archived)
    }
}

impl LearningLog {
    /// Whether a program wrote a bullet: it came from an insight, or the log of bullets has it.
    pub(crate) fn is_learned(bullet: &Bullet, known: &KnownInsights, history: &BulletHistory) -> bool {
        history.last_event(&bullet.id).is_some() || known.find_origin(bullet).is_some()
    }

    /// Reads the log of bullets; nothing is known where there is none.
    ///
    /// # Errors
    /// `PARSE_ERROR`.
    pub(crate) fn bullet_history(&self, stop: &dyn Fn() -> bool) -> Result<BulletHistory, ServiceError> {
        let mut history = BulletHistory::default();
        // From the end: of a very long log the newest events count.
        let visited = self.files.visit_backwards(LogFile::Bullets, stop, |event: BulletEvent| {
            if event.event == BulletEventKind::Replaced {
                if history.replaced.len() < MAX_PAST_BULLETS {
                    history.replaced.push(event);
                }
            } else if !history.last.contains_key(&event.bullet_id) {
                history.last.insert(event.bullet_id.clone(), event);
            }
            if history.last.len() < MAX_PAST_BULLETS { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        match visited {
            Err(ServiceError::Tool { code: code::FILE_NOT_FOUND, .. }) | Ok(_) => Ok(history),
            Err(error) => Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_event_of_a_bullet_counts() {
        let lines = [
            r#"{"event":"added","timestamp":"2026-01-02T00:00:00.000Z","bulletId":"a","insightId":"i","section":"S","text":"t"}"#,
            r#"{"event":"archived","bulletId":"b","text":"[Bullet #b, helpful:0, harmful:3] x","reason":"harmful","later":1}"#,
            r#"{"event":"found","bulletId":"c","section":null}"#,
        ];
        let events = lines.map(|line| serde_json::from_str::<BulletEvent>(line).unwrap());
        assert_eq!(serde_json::to_string(&events[0]).unwrap(), lines[0]);
        let history = BulletHistory::from_events(events);
        assert_eq!(history.added_at("a").unwrap().to_rfc3339(), "2026-01-02T00:00:00+00:00");
        assert!(history.added_at("b").is_none() && history.added_at("c").is_none());
        assert!(
            history.is_archived_as("b", "[Bullet #b, helpful:0, harmful:3] x") && !history.is_archived_as("b", "x")
        );
        let playbook = Playbook::parse("[Bullet #a, helpful:0, harmful:0] t\n");
        let gone: Vec<&str> = history.gone(&playbook).iter().map(|event| event.bullet_id.as_str()).collect();
        assert_eq!((gone, history.archived().count()), (vec!["b", "c"], 1));
        let text = "[Bullet #b, helpful:0, harmful:0] t\n[Bullet #d, helpful:0, harmful:0] t\n[Bullet #c, helpful:0, harmful:0]";
        let missed: Vec<bool> = Playbook::parse(text).bullets().iter().map(|bullet| history.misses(bullet)).collect();
        assert_eq!(missed, [true, true, false]);
    }
}
