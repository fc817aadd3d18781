//! The subscription of one client: its topics, and the changes that it was not notified of yet.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use tokio::sync::Notify;

use super::watch_table::{DirtySet, WatchTable};
use super::{ChangeNotifier, SubscriptionKey, Topic};
use wardroom_service::Caller;

/// More resources than can be watched.
#[derive(Debug)]
pub(crate) struct TooManyResources;

pub(super) struct Subscriber {
    caller: Arc<Caller>,
    state: Mutex<SubscriberState>,
    changed_notify: Notify,
}

#[derive(Default)]
struct SubscriberState {
    topics: BTreeSet<Topic>,
    pending: BTreeSet<Topic>,
}

/// The topics of one client, until this is dropped.
pub(crate) struct Subscription {
    changes: Arc<ChangeNotifier>,
    subscriber: Arc<Subscriber>,
}

impl Subscriber {
    pub(super) fn new(caller: Arc<Caller>) -> Self {
        Self { caller, state: Mutex::default(), changed_notify: Notify::new() }
    }

    pub(super) fn caller(&self) -> &Arc<Caller> {
        &self.caller
    }

    pub(super) fn keys(&self) -> Vec<SubscriptionKey> {
        self.topics().into_iter().map(|topic| (Arc::clone(&self.caller), topic)).collect()
    }

    pub(super) fn topics(&self) -> BTreeSet<Topic> {
        self.lock().topics.clone()
    }

    /// Returns how many resources it has. Lists are not limited: all sessions of a caller share the scans of the same three.
    pub(super) fn resource_count(&self) -> usize {
        self.lock().topics.iter().filter(|topic| topic.is_resource()).count()
    }

    pub(super) fn mark_changed(&self, topic: &Topic) {
        let mut state = self.lock();
        if state.topics.contains(topic) {
            state.pending.insert(topic.clone());
            self.changed_notify.notify_one();
        }
    }

    fn lock(&self) -> MutexGuard<'_, SubscriberState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Subscription {
    pub(super) fn new(changes: Arc<ChangeNotifier>, client: Arc<Subscriber>) -> Self {
        Self { changes, subscriber: client }
    }

    /// Adds topics, and reports those that changed after `since`. Once this returns, no further change is missed.
    ///
    /// # Errors
    /// When clients want more resources than can be watched.
    pub(crate) async fn add(&self, topics: BTreeSet<Topic>, since: Option<SystemTime>) -> Result<(), TooManyResources> {
        // One at a time, so that clients that wait for a long scan do not take the threads of all other work.
        let _adding = self.changes.add_lock.lock().await;
        let subscribed = self.subscriber.topics();
        let n_new = topics.difference(&subscribed).filter(|topic| topic.is_resource()).count();
        if n_new > self.changes.remaining_resources(self.subscriber.caller()) {
            return Err(TooManyResources);
        }
        self.subscriber.lock().topics.extend(topics.iter().cloned());
        let client = Arc::clone(&self.subscriber);
        let catch_up = move |table: &WatchTable| {
            let key = |topic: &Topic| (Arc::clone(client.caller()), topic.clone());
            let changed = |topic: &&Topic| since.is_some_and(|since| table.may_have_changed_since(&key(topic), since));
            topics.iter().filter(changed).for_each(|topic| client.mark_changed(topic));
        };
        let changes = Arc::clone(&self.changes);
        let scanning = tokio::task::spawn_blocking(move || changes.scan(&DirtySet::empty(), catch_up));
        if scanning.await.is_err() {
            tracing::error!("the scan for changes panicked");
        }
        Ok(())
    }

    pub(crate) fn contains(&self, topic: &Topic) -> bool {
        self.subscriber.lock().topics.contains(topic)
    }

    pub(crate) fn remove(&self, topic: &Topic) {
        let mut state = self.subscriber.lock();
        state.topics.remove(topic);
        state.pending.remove(topic);
    }

    /// Waits for a changed topic and returns it.
    pub(crate) async fn next(&self) -> Topic {
        loop {
            if let Some(topic) = self.subscriber.lock().pending.pop_first() {
                return topic;
            }
            self.subscriber.changed_notify.notified().await;
        }
    }
}
