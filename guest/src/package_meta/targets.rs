//! The left sides of assignments: which field of which table each means, and the assignment to it.
//!
//! Owns: targets, and the tables that they lead to.
//! Never: reads what is assigned.

use wardroom_lua_syntax::lexer::Tokens;
use wardroom_lua_syntax::token::Kind;

use super::replay::{RUN, Replay, StatementFolder};
use crate::limits::MAX_DEPTH;
use crate::lua::scope::Variable;
use crate::lua::value::{Key, Reason, TableId, Text, Unknown, Value};

/// The longest path that an assignment is followed along: the depth of a metadata field, and one more.
const MAX_PATH: usize = MAX_DEPTH as usize + 1;

/// Where an assignment writes.
#[derive(Clone, Copy)]
pub(super) enum Container {
    Variable,
    Table(TableId),
    Elsewhere,
}

/// The left side of an assignment.
pub(super) struct Target<'s> {
    at: u32,
    variable: Variable,
    path: Vec<Key<'s>>,
    end: TargetEnd,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum TargetEnd {
    /// The path names one field.
    Named,
    /// The path leads to a table, and any of its fields may be meant, or a field of any table that it leads to.
    AnyField,
    /// The path leads through a call, therefore to no known table.
    Elsewhere,
}

/// The kind of statement that an assignment is in.
#[derive(Clone, Copy)]
pub(super) enum Site {
    Statement,
    /// The name in a function statement, which ends at its parameters.
    Function,
    /// In a block. Targets there can be nested in each other's brackets, so that each is read only while its keys are
    /// literals: otherwise the innermost target would be read once for every target around it. Nor does a name in a
    /// block mean what it means at the top level.
    Block(Variable),
    /// The name in a function statement in a block.
    BlockFunction(Variable),
}

impl Site {
    const fn is_block(self) -> bool {
        matches!(self, Self::Block(_))
    }

    const fn is_function(self) -> bool {
        matches!(self, Self::Function | Self::BlockFunction(_))
    }
}

impl<'s> Replay<'_, 's> {
    /// Reads the left side that begins at `at`, and returns the tokens after it.
    pub(super) fn target(&mut self, at: u32, site: Site) -> (Target<'s>, Tokens<'s>) {
        let mark = self.heap.mark();
        let mut folder = self.folder(at);
        let name = folder.tokens.bump_known().text(folder.source);
        let (path, end) = target_path(&mut folder, site);
        let tokens = folder.tokens;
        if self.heap.reclaim(mark) {
            self.lose(at);
        }
        let variable = match site {
            Site::Block(variable) | Site::BlockFunction(variable) => variable,
            Site::Statement | Site::Function => self.variables.declare_global(name, at),
        };
        (Target { at, variable, path, end }, tokens)
    }

    /// Returns the table that has the field that `target` names. The outer `None` means that the budget is used up.
    pub(super) fn container_of(&mut self, target: &Target<'s>) -> Option<Container> {
        match (target.end, target.path.split_last()) {
            (TargetEnd::Elsewhere, _) => {
                // The call gets what the path leads to.
                self.give_path(target.variable, &target.path, Unknown { at: target.at, reason: Reason::Escapes });
                Some(Container::Elsewhere)
            }
            (TargetEnd::Named, None) => Some(Container::Variable),
            (TargetEnd::Named, Some((_, path))) => self.container(target, path).map(Container::Table),
            (TargetEnd::AnyField, _) => self.container(target, &target.path).map(Container::Table),
        }
    }

    pub(super) fn store(&mut self, target: &Target<'s>, container: Option<Container>, value: Value<'s>) {
        let computed = Unknown { at: target.at, reason: Reason::ComputedKey };
        let done = container.and_then(|container| match (container, target.end, target.path.last()) {
            (Container::Variable, ..) => {
                self.assign_whole(target.variable, value);
                Some(())
            }
            (Container::Table(table), TargetEnd::Named, Some(last)) => {
                self.heap.set(table, last.clone(), value.settled(target.at))
            }
            (Container::Table(table), ..) => {
                // Whatever the table leads to may be meant, too: a path may go on behind the key.
                self.heap.escape(table, computed);
                self.heap.give_away(&value, computed);
                Some(())
            }
            (Container::Elsewhere, ..) => {
                self.heap.give_away(&value, Unknown { at: target.at, reason: Reason::Escapes });
                Some(())
            }
        });
        if done.is_none() {
            self.lose(target.at);
        }
    }

    /// Keeps what a field `run` holds before the value of `call` takes its place.
    pub(super) fn note_wrapped(&mut self, target: &Target<'s>, container: Option<Container>, call: Unknown) {
        let Some(Container::Table(table)) = container else { return };
        let is_run = target.end == TargetEnd::Named && target.path.last() == Some(&RUN);
        if is_run
            && call.reason == Reason::Call
            && let Some(Value::Unknown(before)) = self.heap.table(table).and_then(|table| table.fields.get(&RUN))
        {
            self.wrapped.insert(call.at, *before);
        }
    }

    fn lose(&mut self, at: u32) {
        self.lost.get_or_insert(Unknown { at, reason: Reason::TooMuch });
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

    pub(super) fn block_write(&mut self, site: Site, at: u32) {
        let (target, _) = self.target(at, site);
        let container = self.container_of(&target);
        self.store(&target, container, Value::unknown(at, Reason::AssignedInBlock));
    }
}

/// Reads the path after the variable on the left side of an assignment.
fn target_path<'s>(folder: &mut StatementFolder<'_, '_, 's>, site: Site) -> (Vec<Key<'s>>, TargetEnd) {
    let mut path = Vec::new();
    let mut end = TargetEnd::Named;
    loop {
        let key = match folder.tokens.peek().kind {
            // The method gets what the path leads to.
            Kind::Colon if !site.is_function() => {
                end = TargetEnd::Elsewhere;
                if site.is_block() || folder.skip_suffixes().is_none() {
                    return (path, end);
                }
                continue;
            }
            Kind::Dot | Kind::Colon => {
                folder.tokens.bump_known();
                let field = folder.tokens.peek();
                folder.tokens.take(Kind::Name).then_some(Key::Text(Text::Source(field.text(folder.source))))
            }
            Kind::BracketOpen if site.is_block() && !folder.at_literal_key() => return (path, TargetEnd::AnyField),
            Kind::BracketOpen => folder.bracketed_key(0).ok(),
            Kind::ParenOpen if site.is_function() => return (path, end),
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
