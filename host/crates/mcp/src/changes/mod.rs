//! Changes, from the folders in which they happen to the clients that asked for them.
//!
//! Owns: who asked for what, how often anybody looks, and what a client has not been told yet. To a client that does not
//! read, each thing that changed is owed once, however often it did.
//! Never: looks at a file on the protocol's thread, or watches what nobody asked for.

mod source;
mod subscription;
mod table;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, Once, OnceLock, PoisonError, Weak};
use std::thread;
use std::time::Instant;

use self::source::Source;
use self::subscription::Client;
pub(super) use self::subscription::{Subscription, TooMany};
use self::table::{Eyes, Places, Table};
use wardroom_appdir::Watcher;
use wardroom_base::limits::MAX_WATCHED;
use wardroom_config::Watch;
use wardroom_service::{Caller, Catalogue, Changed};

/// Something that a client can be told of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Topic {
    /// The list of resources.
    List,
    Tools,
    Prompts,
    /// A resource, by its URI as the client wrote it.
    Resource(Arc<str>),
}

/// What somebody wants to be told of: each caller of what it sees itself.
type Interest = (Arc<Caller>, Topic);

/// The changes of one server, for all of its connections.
pub(super) struct Changes {
    catalogue: Arc<Catalogue>,
    how: Watch,
    clients: Mutex<Vec<Weak<Client>>>,
    watcher: OnceLock<Option<Arc<Watcher>>>,
    /// Locked for as long as somebody looks, so never on the protocol's thread.
    table: Mutex<Table>,
    /// Something is wanted that cannot be watched.
    is_blind: AtomicBool,
    waits: Once,
    /// Held by the one client that waits for a look.
    adding: tokio::sync::Mutex<()>,
}

impl Changes {
    pub(super) fn new(catalogue: Arc<Catalogue>, how: Watch) -> Arc<Self> {
        Arc::new(Self {
            catalogue,
            how,
            clients: Mutex::default(),
            watcher: OnceLock::new(),
            table: Mutex::default(),
            is_blind: AtomicBool::new(false),
            waits: Once::new(),
            adding: tokio::sync::Mutex::default(),
        })
    }

    /// Whether clients are told of changes at all.
    pub(super) fn are_told(&self) -> bool {
        self.how != Watch::Off
    }

    pub(super) fn how(&self) -> Watch {
        self.how
    }

    /// How many more topics may be asked for.
    fn room(&self) -> usize {
        let wanted: usize = self.live().iter().map(|client| client.wanted().len()).sum();
        MAX_WATCHED.saturating_sub(wanted)
    }

    pub(super) fn subscribe(self: &Arc<Self>, caller: &Arc<Caller>) -> Subscription {
        let client = Arc::new(Client::of(Arc::clone(caller)));
        self.clients().push(Arc::downgrade(&client));
        self.start_waiting();
        Subscription::new(Arc::clone(self), client)
    }

    /// Tells of a change that somebody else knows of.
    pub(super) fn announce(&self, topic: &Topic) {
        self.live().iter().for_each(|client| client.tell(topic));
    }

    /// What a service says has changed.
    pub(super) fn changed(&self, what: &Changed) {
        self.announce(&match what {
            Changed::Tools => Topic::Tools,
            Changed::Prompts => Topic::Prompts,
            Changed::Resources => Topic::List,
            Changed::Resource(uri) => Topic::Resource(uri.as_str().into()),
        });
    }

    /// The clients that are still there.
    fn live(&self) -> Vec<Arc<Client>> {
        let mut clients = self.clients();
        clients.retain(|client| client.strong_count() > 0);
        clients.iter().filter_map(Weak::upgrade).collect()
    }

    fn clients(&self) -> MutexGuard<'_, Vec<Weak<Client>>> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at what is new among the wanted topics, and at what may have changed.
    fn look(&self, at: &Places, then: impl FnOnce(&Table)) {
        let mut table = self.table.lock().unwrap_or_else(PoisonError::into_inner);
        let clients = self.live();
        let wanted = clients.iter().flat_map(|client| client.interests()).collect();
        let eyes = Eyes { watcher: self.watcher(), catalogue: &self.catalogue };
        table.look(&wanted, at, &eyes, |(caller, topic)| {
            clients.iter().filter(|client| client.caller() == caller).for_each(|client| client.tell(topic));
        });
        then(&table);
        let is_blind = table.is_blind();
        if self.is_blind.swap(is_blind, Ordering::Relaxed) != is_blind {
            self.wake();
        }
    }

    fn wake(&self) {
        if let Some(Some(watcher)) = self.watcher.get() {
            watcher.wake();
        }
    }

    /// A thread of its own, which does nothing until something happens.
    fn start_waiting(self: &Arc<Self>) {
        self.waits.call_once(|| {
            let changes = Arc::downgrade(self);
            let watcher = self.watcher.get_or_init(|| start_watcher(self.how)).clone();
            let waiting = move || {
                let (mut source, mut is_blind) = (Source::new(), false);
                loop {
                    let places = source.next(watcher.as_deref(), is_blind);
                    let Some(changes) = changes.upgrade() else { return };
                    let start = Instant::now();
                    if !places.are_none() && catch_unwind(AssertUnwindSafe(|| changes.look(&places, |_| ()))).is_err() {
                        tracing::error!("looking for changes panicked");
                    }
                    is_blind = changes.is_blind.load(Ordering::Relaxed);
                    drop(changes);
                    // However much there is to look at, it takes half of one processor at most.
                    thread::sleep(start.elapsed());
                }
            };
            if let Err(error) = thread::Builder::new().name("changes".into()).spawn(waiting) {
                tracing::error!(%error, "no thread to wait for changes: clients are not told of any");
            }
        });
    }

    fn watcher(&self) -> Option<&Watcher> {
        self.watcher.get_or_init(|| start_watcher(self.how)).as_deref()
    }
}

impl Drop for Changes {
    fn drop(&mut self) {
        self.wake();
    }
}

/// Without one, the waiting thread looks from time to time.
fn start_watcher(how: Watch) -> Option<Arc<Watcher>> {
    if how != Watch::Events {
        return None;
    }
    let started = Watcher::new();
    started
        .inspect_err(|error| tracing::warn!(%error, "the system does not tell of changes, so they are looked for"))
        .ok()
        .map(Arc::new)
}
