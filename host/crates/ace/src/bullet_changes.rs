//! Changes of bullets with their record in the log of bullets.
//!
//! Owns: the order of the writes. What is archived is in the log before it leaves the playbook, so that a crash loses
//! no bullet; what is added is noted after it, so that a crash makes no bullet look removed.
//! Never: decides which bullets change.

use crate::LearningLog;
use crate::bullet_log::{BulletEvent, BulletEventKind, BulletHistory};
use crate::files::{LogFile, PlaybookChange};
use crate::insight_cache::KnownInsights;
use crate::playbook::{Playbook, PlaybookEdit};
use wardroom_service::ServiceError;

/// A change that was planned for one text.
#[derive(Debug)]
pub(crate) struct BulletPlan<T> {
    pub(crate) result: T,
    /// `None` where nothing changes.
    pub(crate) edit: Option<PlaybookEdit>,
    pub(crate) archived: Vec<BulletEvent>,
    pub(crate) added: Vec<BulletEvent>,
}

impl LearningLog {
    /// Changes bullets. `plan` is called again where another program wrote in the meantime. `known` has the index of
    /// origins.
    ///
    /// # Errors
    /// As [`crate::files::LearningFiles::change_playbook`], and those of `plan`.
    pub(crate) fn change_bullets<T>(
        &self,
        known: &KnownInsights,
        stop: &dyn Fn() -> bool,
        mut plan: impl FnMut(&Playbook<'_>, &BulletHistory) -> Result<BulletPlan<T>, ServiceError>,
    ) -> Result<T, ServiceError> {
        let (result, events) = self.files.change_playbook(|text| {
            let history = self.bullet_history(stop)?;
            let playbook = Playbook::parse(text);
            let BulletPlan { result, edit, archived, added } = plan(&playbook, &history)?;
            // After a crash the log may have them already.
            let is_new = |event: &&BulletEvent| !history.has_text_of(event);
            let unrecorded: Vec<&BulletEvent> = archived.iter().filter(is_new).collect();
            if !unrecorded.is_empty() {
                self.files.append(LogFile::Bullets, &unrecorded)?;
            }
            let mut events = added;
            for bullet in playbook.bullets() {
                let is_archived = archived
                    .iter()
                    .any(|event| event.event == BulletEventKind::Archived && event.bullet_id == bullet.id);
                let is_learned = || known.find_origin(bullet).map(|insight| insight.id.to_string());
                if !is_archived
                    && history.misses(bullet)
                    && let Some(insight_id) = is_learned()
                {
                    let text = playbook.bullet_text(bullet);
                    let found = BulletEvent::new(BulletEventKind::Found, &bullet.id, &bullet.section, text);
                    events.push(BulletEvent { insight_id, ..found });
                }
            }
            let text = edit.map(|edit| edit.apply(&playbook));
            Ok(PlaybookChange { result: (result, events), text })
        })?;
        if !events.is_empty()
            && let Err(error) = self.files.append(LogFile::Bullets, &events)
        {
            // The next change finds the bullets, and notes them.
            tracing::warn!(?error, "cannot note new bullets in the log of bullets");
        }
        Ok(result)
    }
}
