//! A strand: one script of a run, and the strands that it forked. A run is a tree of them.
//!
//! Owns: the order question → journal → answer, what of a journal a strand has replayed, and what it waits for.
//! Never: shows a script an answer that the journal lacks; repeats a change that the journal says was made.

use std::collections::{HashMap, VecDeque};
use std::time::Instant;

use serde_json::{Map, Value, json};

use super::effects::{Announced, Doing};
use super::journal::{Got, Line, Source, child_prefix, digest};
use super::live::Query;
use super::session::Shared;
use super::stop::Stop;
use super::world::{Deaths, World};
use wardroom_base::limits::{MAX_BATCH_QUERIES, MAX_FORK_DEPTH, MAX_STRANDS, RUN_STEP_TIME};
use wardroom_base::uri::PackageName;
use wardroom_lua::{Entry, LuaError, Run, Start, Step, Stopped};
use wardroom_service::shown;

pub(super) struct Strand {
    /// Where in the tree: nothing for the root, then the numbers of the children with dots between.
    name: String,
    /// The part of `alc.state` that it sees.
    namespace: String,
    script: Run,
    /// What the journal has of it and that it did not ask again yet.
    past: VecDeque<Line>,
    /// How many questions it asked.
    asked: u64,
    /// By when it has to ask something, or to end. What it posts does not count.
    deadline: Instant,
    waits: Waits,
    /// What was wrong with something it posted: the error of its next question, or of its end.
    refused: Option<String>,
}

enum Waits {
    /// For nothing: it can go on.
    No,
    For(Vec<String>),
    Forked(Fork),
    Over(Result<Value, String>),
}

struct Fork {
    /// The question that it answers.
    asked: Question,
    children: Vec<Child>,
    /// Whether the first failure is the parent's.
    abort: bool,
}

struct Child {
    strategy: String,
    /// Nothing where it could not start; `failed` says why.
    strand: Option<Strand>,
    failed: Option<String>,
}

/// What a strand's script begins with.
pub(super) struct Begin<'a> {
    pub(super) name: String,
    pub(super) source: &'a Source,
    pub(super) context: Value,
    pub(super) seed: u64,
}

impl Strand {
    pub(super) fn start(begin: Begin, past: &mut HashMap<String, VecDeque<Line>>, world: &World) -> Result<Self, Stop> {
        let entry = match begin.source {
            Source::Code { name, text } => Entry::Code { name: name.clone(), source: text.clone() },
            Source::Package(name) => Entry::Package { name: name.clone() },
        };
        let namespace = begin.context.get("_ns").and_then(Value::as_str).unwrap_or("default").to_owned();
        let script = world.start(&Start { entry, context: begin.context, seed: begin.seed })?;
        let past = past.remove(&begin.name).unwrap_or_default();
        Ok(Self {
            name: begin.name,
            namespace,
            script,
            past,
            asked: 0,
            deadline: Instant::now() + RUN_STEP_TIME,
            waits: Waits::No,
            refused: None,
        })
    }

    /// How it ended, if it has.
    pub(super) const fn over(&self) -> Option<&Result<Value, String>> {
        match &self.waits {
            Waits::Over(result) => Some(result),
            Waits::No | Waits::For(_) | Waits::Forked(_) => None,
        }
    }

    /// Whether it asked again all that the journal has.
    pub(super) fn caught_up(&self) -> bool {
        self.past.is_empty()
            && match &self.waits {
                Waits::Forked(fork) => fork.children.iter().filter_map(|c| c.strand.as_ref()).all(Self::caught_up),
                Waits::No | Waits::For(_) | Waits::Over(_) => true,
            }
    }

    /// The scripts that compute, of it and of the strands that it forked.
    pub(super) fn computing<'s>(&'s mut self, found: &mut Vec<&'s mut Run>) {
        match &mut self.waits {
            Waits::No => found.push(&mut self.script),
            Waits::Forked(fork) => fork.going_on().for_each(|strand| strand.computing(found)),
            Waits::For(_) | Waits::Over(_) => {}
        }
    }

    /// Goes on until it waits for the client, is over, or its script computes.
    pub(super) fn advance(&mut self, shared: &mut Shared, world: &World) -> Result<(), Stop> {
        loop {
            match &mut self.waits {
                Waits::Over(_) => return Ok(()),
                Waits::For(ids) => {
                    let Some(replies) = shared.replies(ids) else { return Ok(()) };
                    self.give(Ok(replies))?;
                }
                Waits::Forked(fork) => {
                    fork.advance(shared, world)?;
                    let Some(result) = fork.result() else { return Ok(()) };
                    let Waits::Forked(fork) = std::mem::replace(&mut self.waits, Waits::No) else { return Ok(()) };
                    fork.abandon(shared);
                    // The children are not run again: what they posted is stored before their outcome is certain.
                    shared.save(world.alc)?;
                    self.answer(&fork.asked, result, shared)?;
                }
                Waits::No => {
                    if !self.step(shared, world)? {
                        return Ok(());
                    }
                }
            }
        }
    }

    /// Lets the script go on.
    fn give(&mut self, answer: Result<Value, String>) -> Result<(), Stop> {
        self.script.answer(answer)?;
        (self.waits, self.deadline) = (Waits::No, Instant::now() + RUN_STEP_TIME);
        Ok(())
    }

    /// It does not go on: nobody needs what it and its children wait for.
    fn abandon(&self, shared: &mut Shared) {
        match &self.waits {
            Waits::For(ids) => shared.drop_queries(ids),
            Waits::Forked(fork) => fork.abandon(shared),
            Waits::No | Waits::Over(_) => {}
        }
    }

    /// Does what the script said, if it said something.
    fn step(&mut self, shared: &mut Shared, world: &World) -> Result<bool, Stop> {
        let said = self.script.poll(self.deadline).map_err(|stopped| self.stopped(stopped))?;
        let Some(step) = said else { return Ok(false) };
        match step {
            Step::Post { operation, arguments } => {
                let posted = shared.posted(&self.name, &operation, &arguments);
                if operation == "progress" && self.past.is_empty() {
                    world.tell_progress(&arguments);
                }
                self.refused = self.refused.take().or(posted.err());
            }
            Step::Returned(_) | Step::Failed { .. } if !self.past.is_empty() => return Err(self.ended_early(&step)),
            Step::Returned(value) => self.waits = Waits::Over(self.refused.take().map_or(Ok(value), Err)),
            Step::Failed { message, traceback } => {
                tracing::debug!(message, traceback, "a script failed");
                self.waits = Waits::Over(Err(message));
            }
            Step::Ask { operation, arguments } => {
                let number = self.asked;
                self.asked += 1;
                let question = Question { number, digest: digest(&operation, &arguments), operation, arguments };
                // What was said can be large, and to look at it takes a while.
                if (world.cancelled)() {
                    return Err(Stop::Cancelled);
                }
                match self.past.pop_front() {
                    Some(line) => self.again(line, &question, shared, world)?,
                    None => self.now(&question, shared, world)?,
                }
            }
        }
        Ok(true)
    }

    /// What stops a script that does again what it did says nothing of the run: the machine was too busy, perhaps.
    fn stopped(&self, stopped: Stopped) -> Stop {
        match stopped {
            Stopped::Deadline | Stopped::Memory | Stopped::Malformed(_) if !self.past.is_empty() => {
                Stop::NotNow(format!("it cannot be carried on now, and can be tried again: it was {stopped}"))
            }
            stopped => stopped.into(),
        }
    }

    /// A script that came to its end before it asked again all that the journal has.
    fn ended_early(&self, end: &Step) -> Stop {
        let how = match end {
            Step::Failed { message, .. } => format!("failed ({message})"),
            Step::Returned(_) | Step::Ask { .. } | Step::Post { .. } => "returned".to_owned(),
        };
        Stop::ended_early(self, self.asked, &how)
    }

    /// Answers a question as the journal did.
    fn again(&mut self, line: Line, asked: &Question, shared: &mut Shared, world: &World) -> Result<(), Stop> {
        let (number, operation, digest) = match &line {
            Line::Answer { n, op, q, .. } | Line::Announced { n, op, q, .. } => (*n, op.as_str(), q),
            Line::Queries { n, q, .. } => (*n, "llm", q),
            Line::Fork { n, q, .. } => (*n, "fork", q),
            Line::Reply { .. }
            | Line::Paused
            | Line::Storing { .. }
            | Line::Stored { .. }
            | Line::Report { .. }
            | Line::End { .. } => return Err(Stop::diverged(self, asked)),
        };
        if (number, operation, digest) != (asked.number, asked.operation.as_str(), &asked.digest) {
            return Err(Stop::diverged(self, asked));
        }
        // What was wrong with a post is in the journal as the answer that said so.
        self.refused = None;
        match line {
            Line::Answer { got, .. } => {
                if let Got::Ok(value) = &got {
                    shared.written_with(&asked.operation, &asked.arguments, value);
                }
                self.give(got.into())?;
            }
            Line::Announced { plan, .. } => self.change(asked, &plan, true, shared, world)?,
            Line::Queries { ids, .. } => self.wait_for(ids, asked, shared),
            Line::Fork { .. } => match self.past.pop_front() {
                // Its outcome is known: nothing of it is done again.
                Some(Line::Answer { n, op, got, .. }) if n == asked.number && op == "fork" => {
                    shared.forget_strands(&self.child_prefix(asked));
                    self.give(got.into())?;
                }
                other => {
                    other.into_iter().for_each(|line| self.past.push_front(line));
                    self.fork(asked, true, shared, world)?;
                }
            },
            Line::Reply { .. }
            | Line::Paused
            | Line::Storing { .. }
            | Line::Stored { .. }
            | Line::Report { .. }
            | Line::End { .. } => {}
        }
        Ok(())
    }

    /// Answers a question for the first time.
    fn now(&mut self, asked: &Question, shared: &mut Shared, world: &World) -> Result<(), Stop> {
        if let Some(message) = self.refused.take() {
            return self.answer(asked, Err(message), shared);
        }
        match asked.operation.as_str() {
            "llm" => {
                let queries = asked.queries();
                if let Err(message) = check_batch(queries).and_then(|()| shared.live().may_ask(queries)) {
                    return self.answer(asked, Err(message), shared);
                }
                let ids = shared.name_queries(queries.len());
                let (s, n, q) = (self.name.clone(), asked.number, asked.digest.clone());
                let line = Line::Queries { s, n, q, ids: ids.clone(), asked: queries.to_vec() };
                shared.journal.add(&line)?;
                self.wait_for(ids, asked, shared);
                Ok(())
            }
            "fork" => {
                if let Err(message) = self.check_fork(asked, shared) {
                    return self.answer(asked, Err(message), shared);
                }
                let (s, n, q) = (self.name.clone(), asked.number, asked.digest.clone());
                shared.journal.add(&Line::Fork { s, n, q })?;
                self.fork(asked, false, shared, world)
            }
            "budget" => {
                let left = shared.live().remaining();
                self.answer(asked, Ok(left), shared)
            }
            operation => {
                let stop = world.patience();
                match world.effects(&mut shared.unsaved, &stop).begin(operation, &asked.arguments) {
                    Doing::Done(result) => self.answer(asked, world.done(operation, result, &stop)?, shared),
                    Doing::Announced(plan) => {
                        let (s, n, op, q) =
                            (self.name.clone(), asked.number, asked.operation.clone(), asked.digest.clone());
                        shared.journal.add(&Line::Announced { s, n, op, q, plan: plan.clone() })?;
                        self.change(asked, &plan, false, shared, world)
                    }
                }
            }
        }
    }

    fn change(
        &mut self,
        asked: &Question,
        plan: &Value,
        again: bool,
        shared: &mut Shared,
        world: &World,
    ) -> Result<(), Stop> {
        let stop = world.patience();
        let name = shared.journal.is_named().then(|| digest(&shared.session, &json!([self.name, asked.number])));
        let announced = Announced { operation: &asked.operation, arguments: &asked.arguments, plan, again, name };
        let (result, was_made) = world.effects(&mut shared.unsaved, &stop).finish(&announced);
        let result = world.done(&asked.operation, result, &stop)?;
        if let (true, Ok(value)) = (was_made, &result) {
            shared.written_with(&asked.operation, &asked.arguments, value);
        }
        self.answer(asked, result, shared)
    }

    /// Writes an answer down, and gives it.
    fn answer(&mut self, asked: &Question, result: Result<Value, String>, shared: &mut Shared) -> Result<(), Stop> {
        let line = Line::Answer {
            s: self.name.clone(),
            n: asked.number,
            op: asked.operation.clone(),
            q: asked.digest.clone(),
            got: Got::from(result.clone()),
        };
        shared.journal.add(&line)?;
        self.give(result)
    }

    fn wait_for(&mut self, ids: Vec<String>, asked: &Question, shared: &mut Shared) {
        let queries = ids.iter().zip(asked.queries()).map(|(id, query)| Query::of(id.clone(), query)).collect();
        shared.asked(queries);
        self.waits = Waits::For(ids);
    }

    fn check_fork(&self, asked: &Question, shared: &Shared) -> Result<(), String> {
        let names = asked.strategies();
        if names.is_empty() {
            return Err("alc.fork: strategies must be a non-empty array".to_owned());
        }
        if let Some(bad) = names.iter().find(|name| PackageName::parse(name).is_err()) {
            return Err(format!("alc.fork: invalid strategy name '{}'", shown(bad)));
        }
        if self.name.split('.').filter(|part| !part.is_empty()).count() >= MAX_FORK_DEPTH {
            return Err(format!("alc.fork: nested deeper than {MAX_FORK_DEPTH}"));
        }
        if shared.strands + names.len() > MAX_STRANDS {
            let others = MAX_STRANDS - 1;
            return Err(format!(
                "alc.fork: more than {others} strategies at the same time, those of all forks of a run"
            ));
        }
        Ok(())
    }

    /// Starts the children. What keeps one from starting is told to the script, unless it is done `again`: then the journal
    /// may have what they did, and another time they start.
    fn fork(&mut self, asked: &Question, again: bool, shared: &mut Shared, world: &World) -> Result<(), Stop> {
        let names = asked.strategies();
        let context = asked.arguments.get("ctx").filter(|context| context.is_object());
        let context = context.cloned().unwrap_or_else(|| Map::new().into());
        let count = names.len();
        let abort = matches!(asked.arguments.get("on_error").and_then(Value::as_str), Some("abort" | "fail"));
        let prefix = self.child_prefix(asked);
        let mut fork = Fork { asked: asked.clone(), children: Vec::new(), abort };
        for (number, strategy) in names.into_iter().enumerate() {
            let name = format!("{prefix}{number}");
            let mut context = context.clone();
            if let Some(fields) = context.as_object_mut() {
                fields.insert("_ns".into(), format!("{}.fork-{number}", self.namespace).into());
            }
            let source = Source::Package(strategy.clone());
            // Each child draws other numbers, the same ones every time.
            let seed = shared.seed ^ u64::from_str_radix(&digest(&name, &Value::Null)[..16], 16).unwrap_or(1);
            let begin = Begin { name, source: &source, context, seed };
            match Self::start(begin, &mut shared.past, world) {
                Ok(strand) => fork.children.push(Child { strategy, strand: Some(strand), failed: None }),
                Err(Stop::Lua(error)) if !again || matches!(error, LuaError::Input(_)) => {
                    drop(fork);
                    let message = format!("alc.fork: strategy '{strategy}' cannot be started: {error}");
                    return self.answer(asked, Err(message), shared);
                }
                Err(stop) => return Err(stop),
            }
        }
        shared.strands += count;
        self.waits = Waits::Forked(fork);
        Ok(())
    }

    /// How the names of the strands begin that a question forks.
    fn child_prefix(&self, asked: &Question) -> String {
        child_prefix(&self.name, asked.number)
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }
}

impl Fork {
    /// The children that have not failed.
    fn going_on(&mut self) -> impl Iterator<Item = &mut Strand> {
        self.children.iter_mut().filter(|child| child.failed.is_none()).filter_map(|child| child.strand.as_mut())
    }

    /// Each child goes on by itself: one that waits or computes holds up no other.
    fn advance(&mut self, shared: &mut Shared, world: &World) -> Result<(), Stop> {
        for child in &mut self.children {
            let Some(strand) = child.strand.as_mut().filter(|_| child.failed.is_none()) else { continue };
            match strand.advance(shared, world) {
                Ok(()) => {}
                // The journal has what it did: it can do it again, in another process.
                Err(Stop::Died) if world.deaths == Deaths::Retried || !strand.past.is_empty() => {
                    return Err(Stop::Died);
                }
                // What kills one child's worker is that child's failure.
                Err(stop @ (Stop::Script(_) | Stop::Died)) => {
                    child.failed = Some(stop.to_string());
                    strand.abandon(shared);
                    child.strand = None;
                }
                Err(stop) => return Err(stop),
            }
        }
        Ok(())
    }

    /// The parent goes on without them.
    fn abandon(&self, shared: &mut Shared) {
        shared.strands -= self.children.len();
        self.children.iter().filter_map(|child| child.strand.as_ref()).for_each(|strand| strand.abandon(shared));
    }

    /// What the parent is told, once that is certain.
    fn result(&self) -> Option<Result<Value, String>> {
        let mut results = Vec::new();
        for child in &self.children {
            let over = match (&child.failed, child.strand.as_ref().map(Strand::over)) {
                (Some(message), _) => Err(message),
                (None, Some(Some(Ok(value)))) => Ok(value),
                (None, Some(Some(Err(message)))) => Err(message),
                (None, _) => {
                    results.push(None);
                    continue;
                }
            };
            let strategy = &child.strategy;
            match over {
                Err(message) if self.abort => {
                    return Some(Err(format!("alc.fork: strategy '{strategy}' failed: {message}")));
                }
                Err(message) => results.push(Some(json!({"strategy": strategy, "ok": false, "error": message}))),
                Ok(value) => results.push(Some(json!({"strategy": strategy, "ok": true, "result": value}))),
            }
        }
        results.into_iter().collect::<Option<Vec<_>>>().map(|all| Ok(all.into()))
    }
}

/// What a script asked.
#[derive(Clone)]
pub(super) struct Question {
    pub(super) number: u64,
    pub(super) operation: String,
    pub(super) arguments: Value,
    digest: String,
}

impl Question {
    fn queries(&self) -> &[Value] {
        self.arguments.get("queries").and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    fn strategies(&self) -> Vec<String> {
        let names = self.arguments.get("strategies").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        names.iter().filter_map(Value::as_str).map(str::to_owned).collect()
    }
}

fn check_batch(queries: &[Value]) -> Result<(), String> {
    match queries.len() {
        0 => Err("alc.llm_batch: empty items array".to_owned()),
        len if len > MAX_BATCH_QUERIES => Err(format!("alc.llm_batch: {len} items, the limit is {MAX_BATCH_QUERIES}")),
        _ => Ok(()),
    }
}
