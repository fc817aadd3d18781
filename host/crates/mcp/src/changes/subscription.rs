//! One client's interest: what it wants to know, and what it has not been told yet.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use tokio::sync::Notify;

use super::table::{Places, Table};
use super::{Changes, Interest, Topic};
use wardroom_service::Caller;

/// More is wanted than can be watched.
#[derive(Debug)]
pub(crate) struct TooMany;

pub(super) struct Client {
    caller: Arc<Caller>,
    state: Mutex<State>,
    news: Notify,
}

#[derive(Default)]
struct State {
    wanted: BTreeSet<Topic>,
    changed: BTreeSet<Topic>,
}

/// The interest of one client, for as long as this is held.
pub(crate) struct Subscription {
    changes: Arc<Changes>,
    client: Arc<Client>,
}

impl Client {
    pub(super) fn of(caller: Arc<Caller>) -> Self {
        Self { caller, state: Mutex::default(), news: Notify::new() }
    }

    pub(super) fn caller(&self) -> &Arc<Caller> {
        &self.caller
    }

    pub(super) fn interests(&self) -> Vec<Interest> {
        self.wanted().into_iter().map(|topic| (Arc::clone(&self.caller), topic)).collect()
    }

    pub(super) fn wanted(&self) -> BTreeSet<Topic> {
        self.state().wanted.clone()
    }

    pub(super) fn tell(&self, topic: &Topic) {
        let mut state = self.state();
        if state.wanted.contains(topic) {
            state.changed.insert(topic.clone());
            self.news.notify_one();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Subscription {
    pub(super) fn new(changes: Arc<Changes>, client: Arc<Client>) -> Self {
        Self { changes, client }
    }

    /// Wants to know of these too, and of what changed `since` then. When this is done, no further change is missed.
    ///
    /// # Errors
    /// When clients want more than can be watched.
    pub(crate) async fn add(&self, topics: BTreeSet<Topic>, since: Option<SystemTime>) -> Result<(), TooMany> {
        // One at a time, so that those who wait for a long look do not take the threads of all other work.
        let _adding = self.changes.adding.lock().await;
        let wanted = self.client.wanted();
        if topics.difference(&wanted).count() > self.changes.room() {
            return Err(TooMany);
        }
        self.client.state().wanted.extend(topics.iter().cloned());
        let client = Arc::clone(&self.client);
        let catch_up = move |table: &Table| {
            let interest = |topic: &Topic| (Arc::clone(client.caller()), topic.clone());
            let changed = |topic: &&Topic| since.is_some_and(|since| table.may_be_since(&interest(topic), since));
            topics.iter().filter(changed).for_each(|topic| client.tell(topic));
        };
        let changes = Arc::clone(&self.changes);
        let looking = tokio::task::spawn_blocking(move || changes.look(&Places::none(), catch_up));
        if looking.await.is_err() {
            tracing::error!("looking for changes panicked");
        }
        Ok(())
    }

    pub(crate) fn remove(&self, topic: &Topic) {
        let mut state = self.client.state();
        state.wanted.remove(topic);
        state.changed.remove(topic);
    }

    /// Something that changed since it was told last; waits until there is something.
    pub(crate) async fn next(&self) -> Topic {
        loop {
            if let Some(topic) = self.client.state().changed.pop_first() {
                return topic;
            }
            self.client.news.notified().await;
        }
    }
}
