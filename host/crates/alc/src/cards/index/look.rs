//! The looks of a query at indexed cards: which of them, how many, and for how long.
//!
//! Owns: the budget of a query, and the turns in which cards are looked at that nothing was reported of.
//! Never: reads a card that did not change, nor the names of a folder.

use std::sync::Arc;
use std::time::Instant;

use super::read_card::hash_stat;
use super::{CardIndexState, IndexedPackage};
use crate::cards::CancelCheck;
use crate::limits::{MAX_CARD_RECHECK_TIME, MAX_CARD_RECHECKS_PER_QUERY};
use wardroom_appdir::{Folder, Stat};

/// Cards that each query looks at although the system reported no change.
const CARDS_LOOKED_AT_IN_TURN: usize = 64;

impl CardIndexState {
    /// Looks at the cards of a watched folder that were reported, while this query has time. The rest is left for the next one.
    pub(super) fn look_at_reported(
        &mut self,
        package: &mut IndexedPackage,
        folder: &Folder,
        budget: &mut StatBudget,
        stop: CancelCheck,
    ) {
        let Some(watched) = package.watch.watched_mut() else { return };
        let mut changed = std::mem::take(&mut watched.changed).into_iter();
        while changed.len() > 0 && !budget.is_late() && !stop() {
            let number = changed.next().and_then(|id| package.cards.find(&id, &self.hasher));
            number.into_iter().for_each(|number| self.look_at_card(package, folder, number, true));
        }
        // Unless a card was seen with which the folder is not trusted.
        if let Some(watched) = package.watch.watched_mut() {
            watched.changed.extend(changed);
            watched.is_changed = !watched.changed.is_empty();
        }
    }

    /// Looks at the cards of a watched folder that are still to be looked at, within the budget of this query.
    pub(super) fn look_at_unseen(&mut self, package: &mut IndexedPackage, folder: &Folder, budget: &mut StatBudget) {
        let Some(mut unseen) = package.watch.watched_mut().map(|watched| watched.unseen) else { return };
        unseen.left = unseen.left.min(package.cards.len());
        while unseen.left > 0 && budget.take() {
            if package.cards.get(unseen.next).is_none() {
                unseen.next = 0;
            }
            self.look_at_card(package, folder, unseen.next, false);
            (unseen.next, unseen.left) = (unseen.next + 1, unseen.left - 1);
        }
        if let Some(watched) = package.watch.watched_mut() {
            watched.unseen = unseen;
        }
    }

    /// Looks at a few cards of watched folders, in turn: the system does not report what is changed through another name of a card,
    /// or through a mapping.
    pub(super) fn look_at_some(&mut self, cards: &Folder) {
        let (name, number) = self.next_look.take().unwrap_or_default();
        let at = self.packages.partition_point(|package| *package.name < *name);
        let after = self.packages.get(at + 1).map(|package| (Arc::clone(&package.name), 0));
        let Some(slot) = self.packages.get_mut(at) else { return };
        let mut package = std::mem::take(slot);
        let from = if package.name == name { number } else { 0 };
        let mut budget = StatBudget { remaining: CARDS_LOOKED_AT_IN_TURN, ..StatBudget::new() };
        let mut stopped_at = None;
        if package.watch.is_unchanged()
            && let Ok(folder) = cards.open_folder(&package.name)
        {
            if folder.stat_self().is_ok_and(|stat| Some(stat.file_id) == package.watch.id()) {
                stopped_at = self.stat_cards(&mut package, &folder, from, &mut budget);
            } else {
                // Something was mounted there, which the system does not report.
                self.look_again(&mut package);
            }
        }
        self.next_look = stopped_at.map(|number| (Arc::clone(&package.name), number)).or(after);
        if let Some(slot) = self.packages.get_mut(at) {
            *slot = package;
        }
    }

    /// Stats the cards from a number on, within the budget of this query. Returns the number of the first one beyond it.
    pub(super) fn stat_cards(
        &mut self,
        package: &mut IndexedPackage,
        folder: &Folder,
        from: u32,
        budget: &mut StatBudget,
    ) -> Option<u32> {
        for number in from.. {
            if package.cards.get(number).is_none() {
                break;
            }
            if !budget.take() {
                return Some(number);
            }
            self.look_at_card(package, folder, number, false);
        }
        None
    }

    /// Stats a card, and reads it if it changed; if that `is_reported`, also where the stat would not show it.
    fn look_at_card(&mut self, package: &mut IndexedPackage, folder: &Folder, number: u32, is_reported: bool) {
        let Some(card) = package.cards.get(number).copied() else { return };
        let file = [package.cards.id(&card), ".toml"].concat();
        // `stat_nofollow` refuses a symlink, which the slower `stat` follows.
        let own = folder.stat_nofollow(&file);
        let is_elsewhere = |stat: &Stat| stat.link_count > 1;
        if package.watch.is_watched() && own.as_ref().map_or_else(|_| folder.read_link(&file).is_ok(), is_elsewhere) {
            self.distrust(package);
        }
        let stat = own.or_else(|_| folder.stat(&file));
        let may_hide = is_reported && stat.as_ref().is_ok_and(|stat| !stat.is_settled());
        if may_hide || stat.map_or(0, hash_stat) != card.stat_hash {
            self.reread_card(package, folder, number, card.inode);
        }
    }

    pub(super) fn distrust(&mut self, package: &mut IndexedPackage) {
        package.watch.distrust();
        self.watches.note_unused();
    }
}

/// Cards that may still be statted, and the first one beyond the budget.
pub(super) struct StatBudget {
    remaining: usize,
    /// The time of the first card's check: the folders before it cost no card its turn.
    began: Option<Instant>,
    pub(super) stopped_at: Option<(Arc<str>, u32)>,
}

impl StatBudget {
    pub(super) fn new() -> Self {
        Self { remaining: MAX_CARD_RECHECKS_PER_QUERY, began: None, stopped_at: None }
    }

    /// Whether the time of this query is over.
    fn is_late(&mut self) -> bool {
        self.began.get_or_insert_with(Instant::now).elapsed() >= MAX_CARD_RECHECK_TIME
    }

    fn take(&mut self) -> bool {
        // Each query checks at least as many cards.
        const CARDS_PER_CLOCK: usize = 32;
        if self.remaining.is_multiple_of(CARDS_PER_CLOCK) {
            let began = *self.began.get_or_insert_with(Instant::now);
            if self.remaining < MAX_CARD_RECHECKS_PER_QUERY && began.elapsed() >= MAX_CARD_RECHECK_TIME {
                self.remaining = 0;
            }
        }
        let has_one = self.remaining > 0;
        self.remaining = self.remaining.saturating_sub(1);
        has_one
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn checked(mut budget: StatBudget) -> usize {
        std::iter::from_fn(|| budget.take().then_some(())).count()
    }

    /// Folders that take all of the time leave cards for the next query, and never all of them.
    #[test]
    fn slow_query_checks_some_cards() {
        let late = Instant::now().checked_sub(2 * MAX_CARD_RECHECK_TIME + Duration::from_secs(1));
        assert!(late.is_some());
        assert_eq!(checked(StatBudget { began: late, ..StatBudget::new() }), 32);
        assert_eq!(
            checked(StatBudget { began: Some(Instant::now() + Duration::from_secs(60)), ..StatBudget::new() }),
            MAX_CARD_RECHECKS_PER_QUERY
        );
    }
}
