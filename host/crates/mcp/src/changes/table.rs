//! What is watched, and what was there when somebody looked last.
//!
//! Owns: the order in which a thing is first watched and then looked at, so that no change falls between the two.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::{Instant, SystemTime};

use super::{Interest, Topic};
use wardroom_appdir::{Changed, FolderId, Watcher};
use wardroom_service::{CallContext, Catalogue, Mark, Watched};

#[derive(Default)]
pub(super) struct Table {
    interests: HashMap<Interest, Seen>,
    /// Some folder could not be watched.
    blind: bool,
}

/// Where to look.
pub(super) struct Places {
    pub(super) changed: Changed,
    /// Also at what is not told of.
    pub(super) blindly: bool,
}

impl Places {
    /// At new topics only.
    pub(super) fn none() -> Self {
        Self { changed: Changed::nothing(), blindly: false }
    }

    pub(super) fn are_none(&self) -> bool {
        self.changed.is_nothing() && !self.blindly
    }
}

/// What is looked with.
pub(super) struct Eyes<'e> {
    pub(super) watcher: Option<&'e Watcher>,
    pub(super) catalogue: &'e Arc<Catalogue>,
}

/// What was done already for others that are looked at together.
struct Round {
    /// A look that began since then shows whatever happened before, and to any of `watched`.
    since: Instant,
    watched: HashSet<FolderId>,
}

struct Seen {
    folders: HashSet<FolderId>,
    mark: Option<Mark>,
    blind: bool,
}

impl Table {
    pub(super) fn is_blind(&self) -> bool {
        self.blind
    }

    /// Whether something may have changed since `time`.
    pub(super) fn may_be_since(&self, interest: &Interest, time: SystemTime) -> bool {
        self.interests.get(interest).and_then(|seen| seen.mark).is_some_and(|mark| mark.may_be_since(time))
    }

    /// Looks at what is wanted that is new or concerned by a change, with `blindly` also at those of which no change
    /// is told, and forgets the others. `tell` is told of each that may have changed since it was looked at last.
    pub(super) fn look(&mut self, wanted: &BTreeSet<Interest>, at: &Places, eyes: &Eyes<'_>, tell: impl Fn(&Interest)) {
        self.interests.retain(|interest, _| wanted.contains(interest));
        let mut round = Round { since: Instant::now(), watched: HashSet::new() };
        for interest in wanted {
            let before = self.interests.get(interest);
            let is_due = |seen: &Seen| at.changed.concerns(&seen.folders) || at.blindly && seen.blind;
            if before.is_some_and(|seen| !is_due(seen)) {
                continue;
            }
            let seen = see(interest, eyes, &mut round);
            if before.is_some_and(|before| differs(seen.mark, before.mark)) {
                tell(interest);
            }
            self.interests.insert(interest.clone(), seen);
        }
        self.blind = self.interests.values().any(|seen| seen.blind);
        if let Some(watcher) = eyes.watcher {
            watcher.keep(&self.interests.values().flat_map(|seen| seen.folders.iter().copied()).collect());
        }
    }
}

fn differs(now: Option<Mark>, before: Option<Mark>) -> bool {
    match (now, before) {
        (Some(now), Some(before)) => now.may_differ(&before),
        (now, before) => now != before,
    }
}

/// Watches what a topic depends on, and then looks at it. That may show another place to watch, where a folder was
/// replaced meanwhile.
fn see(interest: &Interest, eyes: &Eyes<'_>, round: &mut Round) -> Seen {
    const ATTEMPTS: usize = 3;
    let mut seen = Seen { folders: HashSet::new(), mark: None, blind: false };
    for _ in 0..ATTEMPTS {
        eyes.catalogue.look(round.since);
        let Some(watched) = depends_on(interest, eyes.catalogue) else { break };
        seen.mark = Some(watched.mark());
        (seen.folders, seen.blind) = watch(&watched, eyes.watcher);
        if seen.folders.is_subset(&round.watched) {
            break;
        }
        round.watched.extend(&seen.folders);
        round.since = Instant::now();
    }
    seen
}

fn depends_on((caller, topic): &Interest, catalogue: &Arc<Catalogue>) -> Option<Watched> {
    let context = CallContext { caller: Arc::clone(caller), ..CallContext::patient(catalogue) };
    match topic {
        Topic::List => Some(catalogue.watched_list(&context)),
        Topic::Tools => Some(catalogue.watched_tools(&context)),
        Topic::Prompts => Some(catalogue.watched_prompts(&context)),
        Topic::Resource(uri) => catalogue.watched(uri, &context).ok(),
    }
}

fn watch(watched: &Watched, watcher: Option<&Watcher>) -> (HashSet<FolderId>, bool) {
    let Some(watcher) = watcher else { return (HashSet::new(), true) };
    let mut blind = watched.is_partial();
    let mut folders = HashSet::new();
    for near in watched.folders() {
        match near.opened().and_then(|folder| watcher.watch(&folder)) {
            Ok(id) => {
                folders.insert(id);
            }
            Err(error) => {
                tracing::debug!(%error, "a folder that cannot be watched");
                blind = true;
            }
        }
    }
    (folders, blind)
}
