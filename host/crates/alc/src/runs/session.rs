//! A session: one run from its start to its end, over any number of pauses and processes.
//!
//! Owns: what the strands of a run share, and what a client is told when all of them wait or the first is over.
//! Never: tells a client of a pause that a killed process would forget.

use std::collections::{BTreeMap, HashMap, HashSet, VecDeque};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use serde_json::{Value, json};

use super::journal::{Header, Journal, Line, Past, Storing, digest};
use super::live::{Budget, Live, Progress, Query, shortened};
use super::stop::Stop;
use super::strand::{Begin, Strand};
use super::world::World;
use crate::Alc;
use crate::evals::Place;
use crate::state::{Made, Namespace, Pending};
use wardroom_appdir::AppDirError;
use wardroom_base::limits::{LUA_LOOK_TIME, SIDE_BY_SIDE_TIME};
use wardroom_lua::wait;

pub(super) struct Session {
    pub(super) id: String,
    root: Strand,
    pub(super) shared: Shared,
    pub(super) strategy: Option<String>,
    pub(super) eval: bool,
    /// An answer whose outcome the client may not have heard.
    unheard: Option<String>,
    /// The queries that the client was told of.
    told: HashSet<String>,
}

/// What the strands of a run have in common.
pub(super) struct Shared {
    pub(super) session: String,
    pub(super) journal: Journal,
    pub(super) seed: u64,
    /// What the journal has of strands that have not started again.
    pub(super) past: HashMap<String, VecDeque<Line>>,
    /// State that was set and is not stored.
    pub(super) unsaved: Pending,
    pub(super) strands: usize,
    pub(super) live: Arc<Mutex<Live>>,
    /// Changes that each strand posted, and how many of them a process before this one stored.
    posts: BTreeMap<String, u64>,
    stored: BTreeMap<String, u64>,
    /// Of what was about to be stored, what was.
    stored_since: Vec<Storing>,
    named: u64,
    /// Where a process before this one may have stored the run's report.
    pub(super) report: Option<Place>,
    /// Answers of the journal to queries that were not asked again yet.
    replies: HashMap<String, (String, Option<Value>)>,
}

/// An answer of the client's to one query.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    pub(super) id: Option<String>,
    pub(super) text: String,
    pub(super) usage: Option<Value>,
}

impl Session {
    pub(super) fn start(header: &Header, world: &World) -> Result<Self, Stop> {
        let shared = Shared::new(header, Journal::new(header)?);
        Self::begin(header, shared, world)
    }

    /// The session whose journal another process wrote, as far as that one came.
    pub(super) fn restore(past: Past, file: wardroom_appdir::Journal, world: &World) -> Result<Self, Stop> {
        let mut shared = Shared::new(&past.header, Journal::Open(file));
        let (unheard, told) = (past.unheard(), past.told.clone());
        let number = |id: &String| id.strip_prefix("q-")?.parse::<u64>().ok();
        shared.named = past.ids().filter_map(number).max().map_or(0, |last| last.saturating_add(1));
        shared.past = past.strands;
        shared.stored = past.stored;
        shared.stored_since = shared.found_stored(past.storing, world.alc)?;
        shared.report = past.report;
        shared.live().pauses = past.pauses;
        shared.replies = past.replies.into_iter().map(|(id, text, usage)| (id, (text, usage))).collect();
        Ok(Self { unheard, told, ..Self::begin(&past.header, shared, world)? })
    }

    fn begin(header: &Header, mut shared: Shared, world: &World) -> Result<Self, Stop> {
        let script = &header.script;
        let (source, context, seed) = (&script.source, script.context.clone(), script.seed);
        let mut past = std::mem::take(&mut shared.past);
        let root = Strand::start(Begin { name: String::new(), source, context, seed }, &mut past, world)?;
        shared.past = past;
        let (id, strategy) = (header.session.clone(), script.strategy.clone());
        Ok(Self { id, root, shared, strategy, eval: script.eval, unheard: None, told: HashSet::new() })
    }

    /// Goes on until every strand waits for the client or the first is over, with this result. Where the client has
    /// something to answer, it need not wait for long until the others have done computing: they go on meanwhile.
    pub(super) fn advance(&mut self, world: &World) -> Result<Option<Result<Value, String>>, Stop> {
        let patience = Instant::now() + SIDE_BY_SIDE_TIME;
        loop {
            if (world.cancelled)() {
                return Err(Stop::Cancelled);
            }
            self.root.advance(&mut self.shared, world)?;
            let may_leave = Instant::now() >= patience && self.root.caught_up();
            if may_leave && self.shared.live().pending().next().is_some() {
                return Ok(self.root.over().cloned());
            }
            let mut computing = Vec::new();
            self.root.computing(&mut computing);
            if computing.is_empty() {
                return Ok(self.root.over().cloned());
            }
            wait(&mut computing, LUA_LOOK_TIME);
        }
    }

    /// Puts what was posted into the stores, and what was answered into the journal for good.
    pub(super) fn settle(&mut self, alc: &Alc) -> Result<(), Stop> {
        self.shared.save(alc)?;
        Ok(self.shared.journal.settle(&alc.folders.app, &self.id)?)
    }

    /// The client is about to be asked something new.
    pub(super) fn pause(&mut self) -> Result<(), Stop> {
        self.shared.live().pauses += 1;
        self.told = self.shared.live().queries.iter().map(|query| query.id.clone()).collect();
        Ok(self.shared.journal.add(&Line::Paused)?)
    }

    /// How many processes it has.
    pub(super) const fn processes(&self) -> usize {
        self.shared.strands
    }

    /// Whether the client has not been told of everything that it is asked.
    pub(super) fn has_news(&self) -> bool {
        self.shared.live().pending().any(|query| !self.told.contains(&query.id))
    }

    /// Puts what was posted into the stores.
    pub(super) fn save(&mut self, alc: &Alc) -> Result<(), Stop> {
        self.shared.save(alc)
    }

    /// Writes down that it is over. One that never paused has no journal.
    pub(super) fn end(&mut self, failed: bool, payload: &Value) -> Result<(), Stop> {
        Ok(self.shared.journal.end(&self.id, &Line::End { failed, payload: payload.clone() })?)
    }

    /// Takes answers of the client, all or none; whether one of them had been taken before.
    pub(super) fn reply(&mut self, replies: &[Reply]) -> Result<bool, Refused> {
        let mut taken: Vec<(String, &Reply)> = Vec::new();
        let mut repeated = false;
        let unheard = self.unheard.clone();
        for reply in replies {
            let waiting = |id: &str| !taken.iter().any(|(known, _)| known == id);
            let live = self.shared.live();
            let pending: Vec<&Query> = live.pending().filter(|query| waiting(&query.id)).collect();
            let id = match (&reply.id, pending.as_slice()) {
                (Some(id), _) => match live.queries.iter().find(|query| query.id == *id) {
                    None => return Err(Refused::Unknown(id.clone())),
                    // Nobody waits for it any more.
                    Some(query) if query.is_dropped => {
                        repeated = true;
                        continue;
                    }
                    // Said again, by a client that did not hear the answer.
                    Some(query) if query.reply.as_ref() == Some(&reply.text) => {
                        repeated = true;
                        continue;
                    }
                    Some(query) if query.reply.is_some() || !waiting(id) => return Err(Refused::Twice(id.clone())),
                    Some(_) => id.clone(),
                },
                (None, _) if unheard.as_ref() == Some(&reply.text) => {
                    repeated = true;
                    continue;
                }
                (None, []) => return Err(Refused::Nothing),
                // What the client was not told of it cannot have answered: it says again what it said before.
                (None, pending) => {
                    match pending.iter().filter(|query| self.told.contains(&query.id)).collect::<Vec<_>>()[..] {
                        [] => {
                            repeated = true;
                            continue;
                        }
                        [only] => only.id.clone(),
                        ref several => return Err(Refused::Which(several.len())),
                    }
                }
            };
            drop(live);
            taken.push((id, reply));
        }
        let line = |(id, reply): &(String, &Reply)| Line::Reply {
            id: id.clone(),
            text: reply.text.clone(),
            usage: reply.usage.clone(),
        };
        let lines: Vec<Line> = taken.iter().map(line).collect();
        self.shared.journal.add_all(&lines).map_err(Refused::Journal)?;
        for (id, reply) in taken {
            self.shared.take(&id, &reply.text, reply.usage.as_ref());
        }
        self.unheard = None;
        Ok(repeated)
    }

    /// The names of what the client has not answered.
    pub(super) fn pending(&self) -> Vec<String> {
        self.shared.live().pending().map(|query| query.id.clone()).collect()
    }

    /// Whether it did all again that its journal has.
    pub(super) fn caught_up(&self) -> bool {
        self.root.caught_up()
    }
}

/// Why an answer of the client's is not taken.
#[derive(Debug, thiserror::Error)]
pub(super) enum Refused {
    #[error("unknown query_id: {0}")]
    Unknown(String),
    #[error("already responded to query_id: {0}")]
    Twice(String),
    #[error("invalid transition: no pending queries")]
    Nothing,
    #[error("invalid transition: {0} queries pending; specify query_id explicitly")]
    Which(usize),
    #[error("the journal cannot be written: {0}")]
    Journal(AppDirError),
}

impl Shared {
    fn new(header: &Header, journal: Journal) -> Self {
        let budget = Budget::of(&header.script.context);
        let live = Live::new(header.script.strategy.clone(), header.started_ms, budget);
        Self {
            session: header.session.clone(),
            journal,
            seed: header.script.seed,
            past: HashMap::new(),
            unsaved: Pending::default(),
            strands: 1,
            live: Arc::new(Mutex::new(live)),
            posts: BTreeMap::new(),
            stored: BTreeMap::new(),
            stored_since: Vec::new(),
            named: 0,
            report: None,
            replies: HashMap::new(),
        }
    }

    pub(super) fn live(&self) -> MutexGuard<'_, Live> {
        self.live.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Names that no query of this run has.
    pub(super) fn name_queries(&mut self, count: usize) -> Vec<String> {
        let first = self.named;
        self.named = self.named.saturating_add(count as u64);
        (first..self.named).map(|number| format!("q-{number}")).collect()
    }

    /// The client is asked these; what the journal has answers of is answered.
    pub(super) fn asked(&mut self, queries: Vec<Query>) {
        let ids: Vec<String> = queries.iter().map(|query| query.id.clone()).collect();
        {
            let mut live = self.live();
            live.queries.extend(queries);
            live.in_order();
        }
        for id in ids {
            if let Some((text, usage)) = self.replies.remove(&id) {
                self.take(&id, &text, usage.as_ref());
            }
        }
    }

    fn take(&self, id: &str, text: &str, usage: Option<&Value>) {
        let mut live = self.live();
        live.last_ms = super::live::now_ms();
        if let Some(query) = live.queries.iter_mut().find(|query| query.id == id) {
            query.answered(text, usage);
        }
    }

    /// The answers to these queries, if all are there.
    pub(super) fn replies(&self, ids: &[String]) -> Option<Value> {
        let live = self.live();
        let reply = |id: &String| live.queries.iter().find(|query| query.id == *id)?.reply.clone();
        ids.iter().map(reply).collect::<Option<Vec<_>>>().map(Value::from)
    }

    /// What a script said without waiting for an answer. What it set out of bounds is the error of its next question.
    pub(super) fn posted(&mut self, strand: &str, operation: &str, arguments: &Value) -> Result<(), String> {
        let text = |name: &str| arguments.get(name).and_then(Value::as_str).unwrap_or_default();
        let value = |name: &str| arguments.get(name).cloned().unwrap_or_default();
        match operation {
            "log" => self.live().log(text("level"), text("message"), text("source")),
            // What children record is nobody's: one that ran before a crash does not run again.
            "stats.record" if strand.is_empty() => return self.live().record(text("key"), value("value")),
            "stats.record" => {}
            "progress" => {
                let number = |name: &str| arguments.get(name).and_then(Value::as_f64);
                let message = arguments.get("message").and_then(Value::as_str).map(shortened);
                let (step, total) = (number("step").unwrap_or_default(), number("total"));
                self.live().progress = Some(Progress { step, total, message });
            }
            "state.set" => {
                let made = self.posts.entry(strand.to_owned()).or_default();
                *made += 1;
                let (number, namespace) = (*made, text("ns"));
                // A process before this one stored it, and others may have changed it since.
                if !self.is_stored(strand, number, namespace) {
                    let (key, value) = (text("key"), value("value"));
                    let set = Namespace::parse(namespace).and_then(|ns| self.unsaved.set(&ns, key, &value));
                    return set.map_err(|error| error.to_string());
                }
            }
            other => tracing::warn!(operation = other, "a script posted what is not known"),
        }
        Ok(())
    }

    /// Some changes take what was posted to their namespace along.
    pub(super) fn written_with(&mut self, operation: &str, arguments: &Value, answer: &Value) {
        // One that found nothing to do wrote nothing.
        let is_change = operation == "state.incr"
            || matches!(operation, "state.delete" | "state.set_nx") && *answer == Value::Bool(true);
        let namespace = arguments.get("ns").and_then(Value::as_str).map(Namespace::parse);
        if let Some(Ok(namespace)) = namespace.filter(|_| is_change) {
            self.unsaved.forget(&namespace);
        }
    }

    /// Nobody waits for these any more.
    pub(super) fn drop_queries(&self, ids: &[String]) {
        let mut live = self.live();
        live.queries.iter_mut().filter(|query| ids.contains(&query.id)).for_each(|query| query.is_dropped = true);
    }

    /// The strands whose names begin so are over: their queries count, and nobody waits for them.
    pub(super) fn forget_strands(&mut self, prefix: &str) {
        let names: Vec<String> = self.past.keys().filter(|name| name.starts_with(prefix)).cloned().collect();
        let lines: Vec<Line> = names.iter().filter_map(|name| self.past.remove(name)).flatten().collect();
        for line in lines {
            if let Line::Queries { ids, asked, .. } = line {
                self.asked(ids.iter().zip(&asked).map(|(id, query)| Query::of(id.clone(), query)).collect());
                self.drop_queries(&ids);
            }
        }
    }

    /// Puts what was posted into the stores. Where another process may carry the run on, it is announced, so that that one
    /// can find out what of it was done.
    pub(super) fn save(&mut self, alc: &Alc) -> Result<(), Stop> {
        if self.unsaved.is_empty() {
            return Ok(());
        }
        let is_named = self.journal.is_named();
        let name = is_named.then(|| flush_name(&self.session, &self.posts));
        if is_named {
            let namespaces = self.unsaved.namespaces().map(ToString::to_string).collect();
            self.journal.add(&Line::Storing { posts: self.posts.clone(), namespaces })?;
        }
        self.unsaved.flush(&alc.state(), name.as_deref()).map_err(|error| Stop::storing(error, is_named))?;
        self.journal.add(&Line::Stored { posts: self.posts.clone() })?;
        Ok(())
    }

    /// What of that which was about to be stored was stored. What nobody can tell any more is set again, to the same.
    fn found_stored(&self, storing: Vec<Storing>, alc: &Alc) -> Result<Vec<Storing>, Stop> {
        let mut found = Vec::new();
        for Storing { posts, namespaces } in storing {
            let name = flush_name(&self.session, &posts);
            let mut made = Vec::new();
            for namespace in namespaces {
                let parsed = Namespace::parse(&namespace).map_err(|error| Stop::storing(error, true))?;
                let became = alc.state().made(&parsed, &name).map_err(|error| Stop::storing(error, true))?;
                if matches!(became, Made::Yes(_)) {
                    made.push(namespace);
                }
            }
            found.push(Storing { posts, namespaces: made });
        }
        Ok(found)
    }

    /// Whether a process before this one stored what a strand posts as its how manieth change.
    fn is_stored(&self, strand: &str, number: u64, namespace: &str) -> bool {
        let among = |posts: &BTreeMap<String, u64>| posts.get(strand).is_some_and(|stored| number <= *stored);
        let since =
            |storing: &Storing| among(&storing.posts) && storing.namespaces.iter().any(|name| name == namespace);
        among(&self.stored) || self.stored_since.iter().any(since)
    }
}

/// By which it is found out whether posted changes were stored: no other ones of the run are as many of each strand.
fn flush_name(session: &str, posts: &BTreeMap<String, u64>) -> String {
    digest(session, &json!({"posts": posts}))
}
