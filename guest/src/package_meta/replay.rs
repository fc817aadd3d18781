//! The replay: evaluates the top level's statements in their order, on constants.
//!
//! Owns: variables and their values, assignments to fields, and the value that the chunk returns.
//! Never: follows a branch, a loop or a call. The targets of assignments in a block count as unresolved.

use std::cell::OnceCell;
use std::collections::BTreeMap;

use wardroom_lua_syntax::lexer::Tokens;
use wardroom_lua_syntax::token::{Kind, Token};

use super::surroundings::Surroundings;
use super::targets::Site;
use crate::lua::fold::{Constants, Folder};
use crate::lua::scan::{Event, Scan};
use crate::lua::scope::{Facts, Variable};
use crate::lua::value::{Heap, Key, Reason, Table, TableId, Text, Unknown, Value};

const META: Key<'static> = Key::Text(Text::Source("meta"));
pub(super) const RUN: Key<'static> = Key::Text(Text::Source("run"));

/// What the replay finds.
pub(crate) struct Found<'s> {
    /// The value of `meta` in the table that the chunk returns; nil when there is none.
    pub(crate) meta: Value<'s>,
    /// Why the chunk may make other metadata than that.
    pub(crate) doubt: Option<Unknown>,
}

/// Follows the statements of the top level, and looks for everything that they do not show.
pub(crate) fn meta<'s>(source: &'s str, scan: &Scan, heap: &mut Heap<'s>) -> Found<'s> {
    follow(source, scan, heap).found()
}

/// Follows the whole chunk.
pub(super) fn follow<'a, 's>(source: &'s str, scan: &'a Scan, heap: &'a mut Heap<'s>) -> Replay<'a, 's> {
    let surroundings = Surroundings::of(source, scan);
    let variables = Variables { names: BTreeMap::new(), values: BTreeMap::new(), facts: &scan.facts, surroundings };
    let keeps_shapes = OnceCell::new();
    let (returned, metatable, lost, wrapped) = (Value::Nil, None, None, BTreeMap::new());
    let doubt = variables.surroundings.locals_change.map(|at| Unknown { at, reason: Reason::Escapes });
    let mut replay = Replay { source, variables, heap, returned, metatable, lost, doubt, keeps_shapes, wrapped };
    for event in &scan.events {
        replay.event(*event);
    }
    for event in &scan.events {
        if let Event::BlockWrite { variable, at, is_function } = *event {
            replay.block_write(if is_function { Site::BlockFunction(variable) } else { Site::Block(variable) }, at);
        }
    }
    replay.find_escapes(&scan.uses);
    replay
}

/// The top level's variables at one moment.
pub(super) struct Variables<'a, 's> {
    pub(super) names: BTreeMap<&'s str, Variable>,
    pub(super) values: BTreeMap<Variable, Value<'s>>,
    pub(super) facts: &'a Facts,
    pub(super) surroundings: Surroundings,
}

impl<'s> Variables<'_, 's> {
    /// Returns the value that a name has at this moment, however often it changes.
    fn current(&self, name: &str) -> Result<Value<'s>, Reason> {
        let variable = self.names.get(name).ok_or(Reason::Variable)?;
        if self.facts.of(*variable).in_block.is_some() {
            return Err(Reason::AssignedInBlock);
        }
        self.values.get(variable).cloned().ok_or(Reason::Variable)
    }

    /// Returns the first call, if the name is that of a global that calls may change.
    fn global_that_may_change(&self, name: &str) -> Option<u32> {
        let is_local = self.names.get(name).is_some_and(|variable| self.facts.of(*variable).is_local);
        if is_local { None } else { self.surroundings.globals_change }
    }

    /// Returns the variable of this name; an unknown one is a global that begins at `at`.
    pub(super) fn declare_global(&mut self, name: &'s str, at: u32) -> Variable {
        *self.names.entry(name).or_insert(at)
    }
}

impl<'s> Constants<'s> for Variables<'_, 's> {
    fn constant(&self, name: &str) -> Result<Value<'s>, Reason> {
        let writes = self.names.get(name).map(|variable| self.facts.of(*variable)).unwrap_or_default();
        if !writes.is_local {
            return Err(Reason::Variable);
        }
        if writes.at_top > 1 || writes.in_block.is_some() {
            return Err(Reason::Reassigned);
        }
        match self.current(name)? {
            Value::Unknown(Unknown { reason: Reason::TooMuch, .. }) => Err(Reason::TooMuch),
            Value::Unknown(_) => Err(Reason::Variable),
            value => Ok(value),
        }
    }

    fn has_setmetatable(&self) -> bool {
        self.surroundings.keeps_setmetatable && !self.names.contains_key("setmetatable")
    }
}

pub(crate) struct Replay<'a, 's> {
    pub(super) source: &'s str,
    pub(super) variables: Variables<'a, 's>,
    pub(super) heap: &'a mut Heap<'s>,
    pub(super) returned: Value<'s>,
    /// The metatable with which the chunk returns its table.
    pub(super) metatable: Option<TableId>,
    /// The assignment that went over the budget, after which nothing is known.
    pub(super) lost: Option<Unknown>,
    pub(super) doubt: Option<Unknown>,
    /// Whether the library of shapes is left as it is, once that is asked.
    pub(super) keeps_shapes: OnceCell<bool>,
    /// What a field `run` held before a statement gave it the value of a call, by the offset of the call.
    pub(super) wrapped: BTreeMap<u32, Unknown>,
}

pub(super) type StatementFolder<'f, 'v, 's> = Folder<'f, 's, Variables<'v, 's>>;

impl<'a, 's> Replay<'a, 's> {
    pub(super) fn folder(&mut self, at: u32) -> StatementFolder<'_, 'a, 's> {
        let tokens = Tokens::resume(self.source.as_bytes(), at);
        Folder { source: self.source, tokens, heap: self.heap, constants: &self.variables }
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Local(at) => self.local(at),
            Event::Assign(at) => self.assign(at),
            Event::Function(at) => {
                let (target, _) = self.target(at, Site::Function);
                let container = self.container_of(&target);
                self.store(&target, container, Value::unknown(at, Reason::Function));
            }
            Event::Return(at) => self.returned = self.return_value(at),
            Event::Doubt(unknown) => self.doubt = self.doubt.or(Some(unknown)),
            Event::BlockWrite { .. } => {}
        }
    }

    fn local(&mut self, at: u32) {
        let mut tokens = Tokens::resume(self.source.as_bytes(), at);
        let mut names = Vec::new();
        while tokens.peek().kind == Kind::Name {
            names.push(tokens.bump_known());
            if tokens.take(Kind::Less) {
                tokens.take(Kind::Name);
                tokens.take(Kind::Greater);
            }
            if !tokens.take(Kind::Comma) {
                break;
            }
        }
        let values = match tokens.peek().kind {
            Kind::Assign => self.values(tokens, names.len()),
            Kind::ParenOpen => vec![Value::unknown(at, Reason::Function)],
            _ => Vec::new(),
        };
        let mut values = values.into_iter();
        for name in names {
            let value = values.next().unwrap_or(Value::Nil);
            self.variables.names.insert(name.text(self.source), name.start);
            self.assign_whole(name.start, value);
        }
    }

    fn assign(&mut self, at: u32) {
        let (first, mut tokens) = self.target(at, Site::Statement);
        let mut targets = vec![first];
        while tokens.take(Kind::Comma) {
            let (target, behind) = self.target(tokens.peek().start, Site::Statement);
            targets.push(target);
            tokens = behind;
        }
        let mut values = self.values(tokens, targets.len());
        values.resize(targets.len(), Value::Nil);
        // Lua finds the tables of all targets first, and assigns from the last target to the first.
        let containers: Vec<_> = targets.iter().map(|target| self.container_of(target)).collect();
        if let ([target], [container], [Value::Unknown(call)]) = (&*targets, &*containers, &*values) {
            self.note_wrapped(target, *container, *call);
        }
        let assigned: Vec<_> = targets.iter().zip(containers).zip(values).collect();
        for ((target, container), value) in assigned.into_iter().rev() {
            self.store(target, container, value);
        }
    }

    pub(super) fn assign_whole(&mut self, variable: Variable, value: Value<'s>) {
        let kept = if let Value::Table(kept) = value { Some(kept) } else { None };
        let old = self.variables.values.insert(variable, value);
        self.heap.replace(old.as_ref(), kept);
    }

    /// Returns the values after a `=`, for `wanted` variables.
    fn values(&mut self, mut tokens: Tokens<'s>, wanted: usize) -> Vec<Value<'s>> {
        tokens.take(Kind::Assign);
        let first = tokens.peek();
        if wanted == 1 && first.kind == Kind::Function {
            // What the whole value is matters only if the chunk returns it, so that the body is not read again here.
            return vec![Value::unknown(first.start, Reason::Function)];
        }
        let mark = self.heap.mark();
        let mut folder = self.folder(first.start);
        let mut values = Vec::with_capacity(wanted.min(8));
        loop {
            let value = folder.expression();
            // What no variable takes is dropped.
            if values.len() < wanted {
                values.push(value);
            }
            if !folder.tokens.take(Kind::Comma) {
                break;
            }
        }
        if let (true, Some(Value::Unknown(last))) = (values.len() < wanted, values.last()) {
            // A call in the last position may return any number of values.
            let last = Value::Unknown(*last);
            values.resize(wanted, last);
        }
        if self.heap.reclaim(mark) {
            values.fill(Value::unknown(first.start, Reason::TooMuch));
        }
        values
    }

    /// Evaluates `return M`, `return setmetatable(M, …)`, or an expression.
    fn return_value(&mut self, at: u32) -> Value<'s> {
        let mut tokens = Tokens::resume(self.source.as_bytes(), at);
        let name = tokens.bump_known();
        match (name.kind, tokens.peek().kind) {
            (Kind::End | Kind::Semicolon, _) => return Value::Nil,
            (Kind::Name, Kind::End | Kind::Semicolon) => return self.current(name),
            (Kind::Name, Kind::ParenOpen) if self.is_setmetatable(name) => {
                if let Some(value) = self.returned_with_metatable(tokens) {
                    return value;
                }
            }
            _ => {}
        }
        self.values(Tokens::resume(self.source.as_bytes(), at), 1).into_iter().next().unwrap_or(Value::Nil)
    }

    fn is_setmetatable(&self, name: Token) -> bool {
        name.text(self.source) == "setmetatable" && self.variables.has_setmetatable()
    }

    /// Returns the value that a name has at this moment.
    fn current(&mut self, name: Token) -> Value<'s> {
        let value = self.variables.current(name.text(self.source));
        self.heap.follow(name.start);
        if let Some(call) = self.variables.global_that_may_change(name.text(self.source)) {
            self.doubt.get_or_insert(Unknown { at: call, reason: Reason::Global });
        }
        value.unwrap_or_else(|reason| Value::unknown(name.start, reason))
    }

    /// Evaluates `return setmetatable(M, { … })` from its bracket. Afterwards nothing runs that reads a missing field,
    /// so that functions of the metatable do no harm.
    fn returned_with_metatable(&mut self, tokens: Tokens<'s>) -> Option<Value<'s>> {
        if self.variables.facts.closes {
            return None;
        }
        let mark = self.heap.mark();
        let mut ahead = tokens;
        ahead.bump_known();
        let first = ahead.bump_known();
        let value = if first.kind == Kind::Name && ahead.peek().kind == Kind::Comma {
            self.current(first)
        } else {
            let mut folder = self.folder(first.start);
            let value = folder.expression();
            ahead = folder.tokens;
            value
        };
        let is_followed = ahead.take(Kind::Comma) && self.last_metatable(ahead);
        if self.heap.reclaim(mark) || !is_followed {
            return None;
        }
        if let Value::Table(id) = value {
            self.heap.table_mut(id)?.has_metatable = true;
        }
        Some(value)
    }

    /// Whether the metatable is the last thing that the chunk reads, and keeps what its table has.
    fn last_metatable(&mut self, tokens: Tokens<'s>) -> bool {
        let mut folder = self.folder(tokens.peek().start);
        let metatable = folder.expression();
        let mut tokens = folder.tokens;
        let is_last = tokens.take(Kind::ParenClose) && matches!(tokens.peek().kind, Kind::End | Kind::Semicolon);
        let Value::Table(id) = metatable else { return false };
        self.metatable = Some(id);
        is_last
    }

    /// Whether a value of which it is known that it begins as a function is one.
    pub(super) fn is_function(&mut self, at: u32) -> bool {
        let mut folder = self.folder(at);
        let is_expression = folder.tokens.peek().kind == Kind::Function;
        !is_expression || matches!(folder.expression(), Value::Unknown(Unknown { reason: Reason::Function, .. }))
    }

    fn found(mut self) -> Found<'s> {
        if let Some(lost) = self.lost {
            return Found { meta: Value::Unknown(lost), doubt: None };
        }
        let returned = self.returned.clone();
        let Value::Table(id) = returned else {
            let meta = match returned {
                // A function has no fields, like the other values.
                Value::Unknown(Unknown { at, reason: Reason::Function }) if self.is_function(at) => Value::Nil,
                Value::Unknown(unknown) => Value::Unknown(unknown),
                _ => Value::Nil,
            };
            return Found { meta, doubt: self.doubt };
        };
        let module = self.heap.table(id);
        let Some(module) = module else { return Found { meta: Value::Nil, doubt: self.doubt } };
        let metatable = self.metatable.and_then(|id| self.heap.table(id)).and_then(changes_fields);
        let mut doubt = self.doubt.or(module.escape).or(module.rest).or(metatable);
        let meta = match module.fields.get(&META) {
            Some(Value::Table(meta)) => {
                doubt = doubt.or_else(|| self.heap.table(*meta)?.escape);
                Value::Table(*meta)
            }
            Some(Value::Unknown(unknown)) => Value::Unknown(*unknown),
            Some(_) => Value::unknown(module.at, Reason::NotATable),
            None if module.has_metatable => Value::unknown(module.at, Reason::Metatable),
            None => Value::Nil,
        };
        Found { meta, doubt }
    }
}

/// Why a metatable may remove fields: weak values are collected.
fn changes_fields(metatable: &Table<'_>) -> Option<Unknown> {
    let is_weak = metatable.fields.contains_key(&Key::Text(Text::Source("__mode")));
    let weak = is_weak.then_some(Unknown { at: metatable.at, reason: Reason::Metatable });
    weak.or(metatable.escape).or(metatable.rest)
}
