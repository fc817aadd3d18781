//! The budget of the playbook: how much its bullets may take, and which of them give way.
//!
//! Owns: the order in which bullets are archived: the lowest score first, and of equals the one that was added first.
//! Never: archives a bullet that a person wrote, or one that is new and did no harm.

use std::collections::VecDeque;

use chrono::{DateTime, TimeDelta, Utc};

use crate::bullet_log::{ArchiveReason, BulletHistory};
use crate::knowledge::score;
use crate::limits::{DEFAULT_MAX_BULLET_LINES, DEFAULT_MAX_BULLET_TOKENS, MAX_BULLET_HARM, NEWCOMER_DAYS};
use crate::playbook::{Bullet, Playbook};

/// Characters of a token.
const TOKEN_CHARS: usize = 4;

/// How much all bullets of a playbook together may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BulletBudget {
    pub max_lines: usize,
    pub max_tokens: usize,
}

impl Default for BulletBudget {
    fn default() -> Self {
        Self { max_lines: DEFAULT_MAX_BULLET_LINES, max_tokens: DEFAULT_MAX_BULLET_TOKENS }
    }
}

/// How much bullets take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct BulletSize {
    pub(crate) lines: usize,
    chars: usize,
}

impl BulletSize {
    pub(crate) fn of(text: &str) -> Self {
        Self { lines: text.lines().count().max(1), chars: text.chars().count() }
    }

    pub(crate) fn of_playbook(playbook: &Playbook<'_>) -> Self {
        let sizes = playbook.bullets().iter().map(|bullet| Self::of(playbook.bullet_text(bullet)));
        sizes.fold(Self::default(), Self::plus)
    }

    pub(crate) const fn tokens(self) -> usize {
        self.chars.div_ceil(TOKEN_CHARS)
    }

    const fn plus(self, other: Self) -> Self {
        Self { lines: self.lines + other.lines, chars: self.chars + other.chars }
    }

    const fn minus(self, other: Self) -> Self {
        Self { lines: self.lines.saturating_sub(other.lines), chars: self.chars.saturating_sub(other.chars) }
    }

    const fn is_within(self, budget: BulletBudget) -> bool {
        self.lines <= budget.max_lines && self.tokens() <= budget.max_tokens
    }
}

/// Returns the bullets that may be archived, those that go first before the others.
pub(crate) fn archive_order<'p>(
    playbook: &'p Playbook<'_>,
    history: &BulletHistory,
    is_learned: &dyn Fn(&Bullet) -> bool,
    now: DateTime<Utc>,
) -> Vec<&'p Bullet> {
    let newest = now - TimeDelta::days(NEWCOMER_DAYS);
    let is_newcomer =
        |bullet: &Bullet| bullet.harmful == 0 && history.added_at(&bullet.id).is_some_and(|added| added > newest);
    let mut order: Vec<&Bullet> =
        playbook.bullets().iter().filter(|bullet| is_learned(bullet) && !is_newcomer(bullet)).collect();
    // A bullet of which nothing is known is older than the log. Stable: the order of equals is that of the file.
    order.sort_by_cached_key(|bullet| (score(bullet), history.added_at(&bullet.id)));
    order
}

/// The room that is left while an update is planned.
#[derive(Debug)]
pub(crate) struct BulletRoom<'p> {
    budget: BulletBudget,
    used: BulletSize,
    /// Those that may be archived, with what each takes; the first goes first.
    queue: VecDeque<(&'p Bullet, BulletSize)>,
    archived: Vec<(&'p Bullet, ArchiveReason)>,
}

impl<'p> BulletRoom<'p> {
    /// `order` is that of [`archive_order`]. What harms too often, and what is too much already, is archived at once.
    pub(crate) fn new(playbook: &'p Playbook<'_>, order: Vec<&'p Bullet>, budget: BulletBudget) -> Self {
        let with_size = |bullet: &'p Bullet| (bullet, BulletSize::of(playbook.bullet_text(bullet)));
        let mut room = Self {
            budget,
            used: BulletSize::of_playbook(playbook),
            queue: order.into_iter().map(with_size).collect(),
            archived: Vec::new(),
        };
        while room.queue.front().is_some_and(|(bullet, _)| score(bullet) <= -MAX_BULLET_HARM) {
            room.archive_next(ArchiveReason::Harmful);
        }
        while !room.used.is_within(budget) && !room.queue.is_empty() {
            room.archive_next(ArchiveReason::Budget);
        }
        room
    }

    /// Takes room for a new bullet. Returns false where even all that may be archived would not make enough; then
    /// nothing changes, unless the bullet is forced.
    pub(crate) fn take(&mut self, line: &str, is_forced: bool) -> bool {
        let used = self.used.plus(BulletSize::of(line));
        let least = self.queue.iter().fold(used, |used, (_, size)| used.minus(*size));
        if !least.is_within(self.budget) && !is_forced {
            return false;
        }
        self.used = used;
        while !self.used.is_within(self.budget) && !self.queue.is_empty() {
            self.archive_next(ArchiveReason::Budget);
        }
        true
    }

    fn archive_next(&mut self, reason: ArchiveReason) {
        if let Some((bullet, size)) = self.queue.pop_front() {
            self.used = self.used.minus(size);
            self.archived.push((bullet, reason));
        }
    }

    /// Returns what was archived, in the order of the file.
    pub(crate) fn into_archived(mut self) -> Vec<(&'p Bullet, ArchiveReason)> {
        self.archived.sort_by_key(|(bullet, _)| bullet.line_number());
        self.archived
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bullet_log::{BulletEvent, BulletEventKind};

    const TEXT: &str = "## A\n[Bullet #mine, helpful:0, harmful:9] by hand\n[Bullet #a, helpful:0, harmful:0] aaaa\n\
                        [Bullet #b, helpful:5, harmful:1] bbbb\n[Bullet #c, helpful:1, harmful:1] cccc\n  more\n\
                        [Bullet #d, helpful:0, harmful:0] dddd\n[Bullet #new, helpful:0, harmful:0] eeee\n";

    fn added(id: &str, timestamp: &str) -> BulletEvent {
        BulletEvent { timestamp: timestamp.to_owned(), ..BulletEvent::new(BulletEventKind::Added, id, "A", "") }
    }

    fn history() -> BulletHistory {
        BulletHistory::from_events([
            added("a", "2026-01-03T00:00:00Z"),
            added("d", "2026-01-02T00:00:00Z"),
            added("new", "2026-02-20T00:00:00Z"),
        ])
    }

    fn order<'p>(playbook: &'p Playbook<'_>) -> Vec<&'p Bullet> {
        let now = DateTime::parse_from_rfc3339("2026-03-01T00:00:00Z").unwrap().to_utc();
        archive_order(playbook, &history(), &|bullet| bullet.id != "mine", now)
    }

    fn archived(lines: usize, tokens: usize, new: &[&str]) -> (Vec<String>, Vec<bool>) {
        let playbook = Playbook::parse(TEXT);
        let budget = BulletBudget { max_lines: lines, max_tokens: tokens };
        let mut room = BulletRoom::new(&playbook, order(&playbook), budget);
        let taken = new.iter().map(|line| room.take(line, line.starts_with("forced"))).collect();
        (room.into_archived().into_iter().map(|(bullet, _)| bullet.id.clone()).collect(), taken)
    }

    #[test]
    fn lowest_score_goes_first_and_of_equals_the_oldest() {
        let playbook = Playbook::parse(TEXT);
        let ids: Vec<&str> = order(&playbook).iter().map(|bullet| bullet.id.as_str()).collect();
        // Of `c` the log says nothing; `new` is new, and `mine` is a person's.
        assert_eq!(ids, ["c", "d", "a", "b"]);
        assert_eq!(BulletSize::of_playbook(&playbook).lines, 7);
    }

    #[test]
    fn harmless_newcomers_alone_are_protected() {
        let text = TEXT.replace("#new, helpful:0, harmful:0", "#new, helpful:0, harmful:1");
        let playbook = Playbook::parse(&text);
        assert_eq!(order(&playbook).first().map(|bullet| bullet.id.as_str()), Some("new"));
    }

    #[test]
    fn room_is_made_only_where_it_is_enough() {
        let line = "[Bullet #n, helpful:0, harmful:0] nnnn";
        assert_eq!(archived(8, 10_000, &[line]), (vec![], vec![true]));
        // `c` has two lines.
        assert_eq!(archived(7, 10_000, &[line, line, line]), (vec!["c".to_owned(), "d".to_owned()], vec![true; 3]));
        assert_eq!(archived(5, 10_000, &[]).0, ["c"]);
        // The person's bullet and the newcomer stay, and leave no room.
        assert_eq!(archived(2, 10_000, &[line]), (["a", "b", "c", "d"].map(str::to_owned).to_vec(), vec![false]));
        assert_eq!(archived(2, 10_000, &["forced"]).1, [true]);
        assert_eq!(archived(100, 1, &[line]), (["a", "b", "c", "d"].map(str::to_owned).to_vec(), vec![false]));
        assert_eq!(archived(100, BulletSize::of_playbook(&Playbook::parse(TEXT)).tokens(), &[line]).0, ["c"]);
    }

    #[test]
    fn bullet_that_harms_is_archived_whatever_room_there_is() {
        let text = TEXT.replace("#b, helpful:5, harmful:1", "#b, helpful:5, harmful:8");
        let playbook = Playbook::parse(&text);
        let room = BulletRoom::new(&playbook, order(&playbook), BulletBudget::default());
        let archived: Vec<_> =
            room.into_archived().iter().map(|(bullet, reason)| (bullet.id.clone(), *reason)).collect();
        assert_eq!(archived, [("b".to_owned(), ArchiveReason::Harmful)]);
    }
}
