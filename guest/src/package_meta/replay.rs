//! The replay: evaluates the top level's statements in their order, on constants.
//!
//! Owns: variables and their values, assignments to fields, and the value that the chunk returns.
//! Never: follows a branch, a loop or a call. The targets of assignments in a block count as unresolved.

use std::collections::BTreeMap;

use wardroom_lua_syntax::lexer::Tokens;
use wardroom_lua_syntax::token::Kind;

use crate::limits::MAX_DEPTH;
use crate::lua::fold::{Constants, Folder};
use crate::lua::scan::{Event, Scan};
use crate::lua::scope::{Facts, Variable};
use crate::lua::value::{Heap, Key, Reason, TableId, Text, Unknown, Value};

/// The longest path that an assignment is followed along: the depth of a metadata field, and one more.
const MAX_PATH: usize = MAX_DEPTH as usize + 1;

const META: Key<'static> = Key::Text(Text::Source("meta"));

/// Returns the value of `meta` in the table that the chunk returns; nil when there is none.
pub(crate) fn meta<'s>(source: &'s str, scan: &Scan, heap: &mut Heap<'s>) -> Value<'s> {
    let variables = Variables { names: BTreeMap::new(), values: BTreeMap::new(), facts: &scan.facts };
    let mut replay = Replay { source, variables, heap, returned: Value::Nil, lost: None };
    for event in &scan.events {
        replay.event(*event);
    }
    for event in &scan.events {
        if let Event::BlockWrite { variable, at } = *event {
            replay.block_write(variable, at);
        }
    }
    match replay.lost {
        Some(lost) => Value::Unknown(lost),
        None => replay.returned_meta(),
    }
}

/// The top level's variables at one moment.
struct Variables<'a, 's> {
    names: BTreeMap<&'s str, Variable>,
    values: BTreeMap<Variable, Value<'s>>,
    facts: &'a Facts,
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

    /// Returns the variable of this name; an unknown one is a global that begins at `at`.
    fn declare_global(&mut self, name: &'s str, at: u32) -> Variable {
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
}

/// The left side of an assignment.
struct Target<'s> {
    at: u32,
    variable: Variable,
    path: Vec<Key<'s>>,
    end: TargetEnd,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum TargetEnd {
    /// The path names one field.
    Named,
    /// The path leads to a table, and any of its fields may be meant.
    AnyField,
    /// The path leads through a call, therefore to no known table.
    Elsewhere,
}

/// The kind of statement that an assignment is in.
#[derive(Clone, Copy)]
enum Site {
    Statement,
    /// The name in a function statement, which ends at its parameters.
    Function,
    /// In a block. Targets there can be nested in each other's brackets, so that each is read only while it is simple:
    /// otherwise the innermost target would be read once for every target around it.
    Block(Variable),
}

impl Site {
    const fn is_block(self) -> bool {
        matches!(self, Self::Block(_))
    }
}

struct Replay<'a, 's> {
    source: &'s str,
    variables: Variables<'a, 's>,
    heap: &'a mut Heap<'s>,
    returned: Value<'s>,
    /// The first assignment that could not be followed, after which nothing is certain.
    lost: Option<Unknown>,
}

type StatementFolder<'f, 'v, 's> = Folder<'f, 's, Variables<'v, 's>>;

impl<'a, 's> Replay<'a, 's> {
    fn folder(&mut self, at: u32) -> StatementFolder<'_, 'a, 's> {
        let tokens = Tokens::resume(self.source.as_bytes(), at);
        Folder { source: self.source, tokens, heap: self.heap, constants: &self.variables }
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Local(at) => self.local(at),
            Event::Assign(at) => self.assign(at),
            Event::Function(at) => {
                let (target, _) = self.target(at, Site::Function);
                self.store(&target, Value::unknown(at, Reason::Function));
            }
            Event::Return(at) => self.returned = self.return_value(at),
            Event::Wrapped(at) => self.lose(at, Reason::Wrapped),
            Event::BlockWrite { .. } => {}
        }
    }

    fn lose(&mut self, at: u32, reason: Reason) {
        self.lost.get_or_insert(Unknown { at, reason });
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
            self.variables.values.insert(name.start, value);
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
        let values = self.values(tokens, targets.len());
        for (target, value) in targets.iter().zip(values.into_iter().chain(std::iter::repeat(Value::Nil))) {
            self.store(target, value);
        }
    }

    /// Returns the values after a `=`, for `wanted` variables.
    fn values(&mut self, mut tokens: Tokens<'s>, wanted: usize) -> Vec<Value<'s>> {
        tokens.take(Kind::Assign);
        let first = tokens.peek();
        if wanted == 1 && first.kind == Kind::Function {
            // Nothing after the function is of interest, so that its body need not be read again.
            return vec![Value::unknown(first.start, Reason::Function)];
        }
        let mark = self.heap.mark();
        let mut folder = self.folder(first.start);
        let mut values = Vec::with_capacity(wanted.min(8));
        loop {
            values.push(folder.expression());
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

    /// Reads the left side that begins at `at`, and returns the tokens after it.
    fn target(&mut self, at: u32, site: Site) -> (Target<'s>, Tokens<'s>) {
        let mut folder = self.folder(at);
        let name = folder.tokens.bump_known().text(folder.source);
        let (path, end) = target_path(&mut folder, site);
        let tokens = folder.tokens;
        let variable = match site {
            Site::Block(variable) => variable,
            Site::Statement | Site::Function => self.variables.declare_global(name, at),
        };
        (Target { at, variable, path, end }, tokens)
    }

    fn store(&mut self, target: &Target<'s>, value: Value<'s>) {
        let done = match (target.end, target.path.split_last()) {
            (TargetEnd::Elsewhere, _) => Some(()),
            (TargetEnd::Named, None) => {
                self.variables.values.insert(target.variable, value);
                Some(())
            }
            (TargetEnd::Named, Some((last, path))) => self
                .container(target, path)
                .and_then(|table| self.heap.set(table, last.clone(), value.settled(target.at))),
            (TargetEnd::AnyField, _) => self.container(target, &target.path).and_then(|table| {
                let rest = Unknown { at: target.at, reason: Reason::ComputedKey };
                self.heap.table_mut(table)?.rest.get_or_insert(rest);
                Some(())
            }),
        };
        if done.is_none() {
            self.lose(target.at, Reason::TooMuch);
        }
    }

    /// Returns the table at `path` in the target's variable. Where there is no constant table, the assignment itself
    /// shows that there is a table, with unknown fields.
    fn container(&mut self, target: &Target<'s>, path: &[Key<'s>]) -> Option<TableId> {
        let root = self.variables.values.get(&target.variable).cloned().unwrap_or(Value::Nil);
        let mut table = self.opened(&root, target.at)?;
        self.variables.values.insert(target.variable, Value::Table(table));
        for key in path {
            let field = self.heap.table(table)?.fields.get(key).cloned().unwrap_or(Value::Nil);
            let next = self.opened(&field, target.at)?;
            if !matches!(field, Value::Table(_)) {
                self.heap.set(table, key.clone(), Value::Table(next))?;
            }
            table = next;
        }
        Some(table)
    }

    fn opened(&mut self, value: &Value<'s>, at: u32) -> Option<TableId> {
        match value {
            Value::Table(table) => Some(*table),
            Value::Unknown(unknown) => self.heap.create(unknown.at, Some(*unknown)),
            _ => self.heap.create(at, Some(Unknown { at, reason: Reason::Variable })),
        }
    }

    fn block_write(&mut self, variable: Variable, at: u32) {
        let (target, _) = self.target(at, Site::Block(variable));
        self.store(&target, Value::unknown(at, Reason::AssignedInBlock));
    }

    /// Evaluates `return M`, `return setmetatable(M, …)`, or an expression.
    fn return_value(&mut self, at: u32) -> Value<'s> {
        let mut tokens = Tokens::resume(self.source.as_bytes(), at);
        let start = tokens.peek();
        let mut name = tokens.bump_known();
        let is_wrapped = name.text(self.source) == "setmetatable" && tokens.take(Kind::ParenOpen);
        if is_wrapped {
            name = tokens.bump_known();
        }
        let ends = if is_wrapped { [Kind::Comma, Kind::ParenClose] } else { [Kind::End, Kind::Semicolon] };
        if name.kind == Kind::Name && ends.contains(&tokens.peek().kind) {
            let value = self.variables.current(name.text(self.source));
            return value.unwrap_or_else(|reason| Value::unknown(name.start, reason));
        }
        if matches!(start.kind, Kind::End | Kind::Semicolon) {
            return Value::Nil;
        }
        self.values(Tokens::resume(self.source.as_bytes(), at), 1).into_iter().next().unwrap_or(Value::Nil)
    }

    fn returned_meta(&self) -> Value<'s> {
        match &self.returned {
            Value::Unknown(unknown) if unknown.reason != Reason::Function => Value::Unknown(*unknown),
            Value::Table(table) => self.heap.table(*table).map_or(Value::Nil, |table| {
                let unseen = || table.rest.map_or(Value::Nil, Value::Unknown);
                match table.fields.get(&META) {
                    Some(Value::Table(meta)) => Value::Table(*meta),
                    Some(Value::Unknown(unknown)) => Value::Unknown(*unknown),
                    Some(_) => Value::unknown(table.at, Reason::NotATable),
                    None => unseen(),
                }
            }),
            // A function has no fields, like the other values.
            Value::Unknown(_) | Value::Nil | Value::Bool(_) | Value::Number(_) | Value::Text(_) | Value::Bytes(_) => {
                Value::Nil
            }
        }
    }
}

/// Reads the path after the variable on the left side of an assignment.
fn target_path<'s>(folder: &mut StatementFolder<'_, '_, 's>, site: Site) -> (Vec<Key<'s>>, TargetEnd) {
    let mut path = Vec::new();
    let mut end = TargetEnd::Named;
    loop {
        let key = match folder.tokens.peek().kind {
            Kind::Dot | Kind::Colon => {
                folder.tokens.bump_known();
                let field = folder.tokens.peek();
                folder.tokens.take(Kind::Name).then_some(Key::Text(Text::Source(field.text(folder.source))))
            }
            Kind::BracketOpen if site.is_block() && !folder.at_simple_key() => return (path, TargetEnd::AnyField),
            Kind::BracketOpen => folder.bracketed_key(0).ok(),
            Kind::ParenOpen if matches!(site, Site::Function) => return (path, end),
            Kind::ParenOpen | Kind::BraceOpen | Kind::Plain | Kind::Escaped | Kind::Long => {
                end = TargetEnd::Elsewhere;
                if site.is_block() || folder.skip_suffixes().is_none() {
                    return (path, end);
                }
                continue;
            }
            _ => return (path, end),
        };
        match key {
            // Deeper than an answer, so that it is not part of one.
            _ if path.len() > MAX_PATH => end = TargetEnd::Elsewhere,
            Some(key) if end == TargetEnd::Named => path.push(key),
            None if end == TargetEnd::Named => end = TargetEnd::AnyField,
            Some(_) | None => {}
        }
    }
}
