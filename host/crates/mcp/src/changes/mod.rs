//! Changes of resources and lists, from the watched folders to the subscribed clients.
//!
//! Owns: the subscriptions, how often folders are scanned, and the changes that a client was not notified of yet. For a
//! client that does not read, each changed topic is pending once, however often it changed.
//! Never: scans on the protocol's thread, or watches a folder without a subscription.

mod source;
mod subscription;
mod watch_table;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::{Duration, Instant};

use self::source::ChangeSource;
use self::subscription::Subscriber;
pub(super) use self::subscription::{Subscription, TooManyResources};
use self::watch_table::{DirtySet, WatchContext, WatchTable};
use crate::limits::{MAX_WATCHED_RESOURCES, MAX_WATCHED_RESOURCES_PER_CALLER};
use wardroom_appdir::DebouncedWatcher;
use wardroom_base::background_thread::BackgroundThread;
use wardroom_config::WatchMode;
use wardroom_service::{Caller, Catalogue, ChangeNotification, Owner};

/// Time without a change after which a burst is over.
const BURST_QUIET_TIME: Duration = Duration::from_millis(40);
/// Longest time for which a burst is gathered before it is scanned.
const MAX_BURST_TIME: Duration = Duration::from_millis(160);

/// Something whose changes a client can subscribe to.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Topic {
    /// The list of resources.
    Resources,
    Tools,
    Prompts,
    /// A resource, by its URI as the client wrote it.
    Resource(Arc<str>),
}

impl Topic {
    const fn is_resource(&self) -> bool {
        matches!(self, Self::Resource(_))
    }
}

/// A topic together with the caller who subscribed, because callers see different entries.
type SubscriptionKey = (Arc<Caller>, Topic);

/// The changes of one server, for all of its connections.
pub(super) struct ChangeNotifier {
    catalogue: Arc<Catalogue>,
    watch_mode: WatchMode,
    subscribers: Mutex<Vec<Weak<Subscriber>>>,
    watcher: OnceLock<Option<Arc<DebouncedWatcher>>>,
    /// Locked during a scan, so never on the protocol's thread.
    watch_table: Mutex<WatchTable>,
    /// Some topic depends on a folder that cannot be watched.
    needs_polling: AtomicBool,
    watch_thread: BackgroundThread,
    /// Held by the one client that waits for a scan.
    add_lock: tokio::sync::Mutex<()>,
}

impl ChangeNotifier {
    pub(super) fn new(catalogue: Arc<Catalogue>, watch_mode: WatchMode) -> Arc<Self> {
        Arc::new(Self {
            catalogue,
            watch_mode,
            subscribers: Mutex::default(),
            watcher: OnceLock::new(),
            watch_table: Mutex::default(),
            needs_polling: AtomicBool::new(false),
            watch_thread: BackgroundThread::default(),
            add_lock: tokio::sync::Mutex::default(),
        })
    }

    /// Whether clients are notified of changes at all.
    pub(super) fn is_enabled(&self) -> bool {
        self.watch_mode != WatchMode::Off
    }

    pub(super) fn watch_mode(&self) -> WatchMode {
        self.watch_mode
    }

    /// Returns how many more resources a caller can subscribe to. One caller over HTTP has a part of what all have.
    pub(super) fn remaining_resources(&self, caller: &Caller) -> usize {
        let (mut subscribed, mut own) = (0, 0);
        for client in self.live_subscribers() {
            let resources = client.resource_count();
            subscribed += resources;
            own += if client.caller().owner == caller.owner { resources } else { 0 };
        }
        let left = MAX_WATCHED_RESOURCES.saturating_sub(subscribed);
        match caller.owner {
            Owner::Operator => left,
            Owner::Anonymous | Owner::Named(_) => left.min(MAX_WATCHED_RESOURCES_PER_CALLER.saturating_sub(own)),
        }
    }

    pub(super) fn subscribe(self: &Arc<Self>, caller: &Arc<Caller>) -> Subscription {
        let client = Arc::new(Subscriber::new(Arc::clone(caller)));
        self.lock_subscribers().push(Arc::downgrade(&client));
        self.start_watch_thread();
        Subscription::new(Arc::clone(self), client)
    }

    /// Notifies the subscribers of a change that was found without a scan.
    pub(super) fn notify(&self, topic: &Topic) {
        self.live_subscribers().iter().for_each(|client| client.mark_changed(topic));
    }

    /// Notifies the subscribers of a change that a service reports.
    pub(super) fn notify_change(&self, change: &ChangeNotification) {
        self.notify(&match change {
            ChangeNotification::ToolList => Topic::Tools,
            ChangeNotification::PromptList => Topic::Prompts,
            ChangeNotification::ResourceList => Topic::Resources,
            ChangeNotification::Resource(uri) => Topic::Resource(uri.as_str().into()),
        });
    }

    /// Returns the clients that are still connected.
    fn live_subscribers(&self) -> Vec<Arc<Subscriber>> {
        let mut clients = self.lock_subscribers();
        clients.retain(|client| client.strong_count() > 0);
        clients.iter().filter_map(Weak::upgrade).collect()
    }

    fn lock_subscribers(&self) -> MutexGuard<'_, Vec<Weak<Subscriber>>> {
        self.subscribers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Scans new topics, and topics that may have changed.
    fn scan(&self, dirty: &DirtySet, then: impl FnOnce(&WatchTable)) {
        let mut table = self.watch_table.lock().unwrap_or_else(PoisonError::into_inner);
        let clients = self.live_subscribers();
        let wanted = clients.iter().flat_map(|client| client.keys()).collect();
        let context = WatchContext { watcher: self.watcher(), catalogue: &self.catalogue };
        table.scan(&wanted, dirty, &context, |(caller, topic)| {
            clients.iter().filter(|client| client.caller() == caller).for_each(|client| client.mark_changed(topic));
        });
        then(&table);
        let needs_polling = table.needs_polling();
        if self.needs_polling.swap(needs_polling, Ordering::Relaxed) != needs_polling {
            self.wake_watcher();
        }
    }

    fn wake_watcher(&self) {
        if let Some(Some(watcher)) = self.watcher.get() {
            watcher.wake();
        }
    }

    /// Starts the thread that waits for changes, unless it runs.
    fn start_watch_thread(self: &Arc<Self>) {
        let changes = Arc::downgrade(self);
        let watcher = self.watcher.get_or_init(|| start_watcher(self.watch_mode)).clone();
        let watch = move || {
            let (mut source, mut needs_polling) = (ChangeSource::new(), false);
            loop {
                let dirty = source.wait_for_changes(watcher.as_deref(), needs_polling);
                let Some(changes) = changes.upgrade() else { return };
                let start = Instant::now();
                if !dirty.is_empty() && catch_unwind(AssertUnwindSafe(|| changes.scan(&dirty, |_| ()))).is_err() {
                    tracing::error!("the scan for changes panicked");
                }
                needs_polling = changes.needs_polling.load(Ordering::Relaxed);
                drop(changes);
                // Scanning takes at most half of one processor.
                thread::sleep(start.elapsed());
            }
        };
        if let Err(error) = self.watch_thread.start("changes", watch) {
            tracing::error!(%error, "clients are not notified of changes until a thread can be started");
        }
    }

    fn watcher(&self) -> Option<&DebouncedWatcher> {
        self.watcher.get_or_init(|| start_watcher(self.watch_mode)).as_deref()
    }
}

impl Drop for ChangeNotifier {
    fn drop(&mut self) {
        self.wake_watcher();
    }
}

/// Starts the watcher. Without one, the watch thread polls.
fn start_watcher(watch_mode: WatchMode) -> Option<Arc<DebouncedWatcher>> {
    if watch_mode != WatchMode::Events {
        return None;
    }
    let started = DebouncedWatcher::new(BURST_QUIET_TIME, MAX_BURST_TIME);
    started
        .inspect_err(|error| tracing::warn!(%error, "the system does not report changes: this server polls for them"))
        .ok()
        .map(Arc::new)
}
