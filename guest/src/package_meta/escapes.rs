//! The tables that code which the replay does not follow may change.
//!
//! Owns: the uses of variables that give a table away, and the calls that are known to leave it as it is.
//! Never: follows code. A table that is given away anywhere counts as changed everywhere.

use std::collections::{BTreeMap, BTreeSet};

use wardroom_lua_syntax::lexer::Tokens;
use wardroom_lua_syntax::token::Kind;

use super::replay::Replay;
use super::surroundings::{Module, required};
use crate::limits::MAX_DEPTH;
use crate::lua::fold::path_key;
use crate::lua::scan::Use;
use crate::lua::scope::Variable;
use crate::lua::value::{Key, Reason, TableId, Unknown, Value};

const INSTRUMENT: &str = ".instrument";

impl<'s> Replay<'_, 's> {
    /// Marks every table that is given away, and what such a table leads to.
    pub(super) fn find_escapes(&mut self, uses: &[Use]) {
        self.give_globals();
        let followed = self.heap.take_followed();
        for read in uses {
            let holds_table = matches!(self.variables.values.get(&read.variable), Some(Value::Table(_)));
            if holds_table && followed.binary_search(&read.at).is_err() && !self.is_instrumented(*read, uses) {
                self.give_use(*read);
            }
        }
        self.heap.spread_escapes();
    }

    /// Gives away what global variables hold, if anything is called, what is held by a variable some of whose uses were
    /// left out, and what is held by one that may hold something else by the time it is written through.
    fn give_globals(&mut self) {
        let change = self.variables.surroundings.globals_change;
        for (variable, value) in &self.variables.values {
            let writes = self.variables.facts.of(*variable);
            let global = change.filter(|_| !writes.is_local).map(|at| Unknown { at, reason: Reason::Global });
            let late = writes.is_late.then_some(Unknown { at: *variable, reason: Reason::Reassigned });
            let other = writes.in_block.map(|at| Unknown { at, reason: Reason::AssignedInBlock });
            if let Some(unknown) = global.or(late).or(other) {
                self.heap.give_away(value, unknown);
            }
        }
    }

    fn give_use(&mut self, read: Use) {
        let mut tokens = Tokens::resume(self.source.as_bytes(), read.at);
        tokens.bump_known();
        let mut path = Vec::new();
        while path.len() <= MAX_DEPTH as usize
            && let Some(key) = path_key(self.source, &mut tokens)
        {
            path.push(key);
        }
        self.give_path(read.variable, &path, Unknown { at: read.at, reason: Reason::Escapes });
    }

    /// Gives away the table at `path` in a variable. A path that ends elsewhere leads to no table of the chunk.
    pub(super) fn give_path(&mut self, variable: Variable, path: &[Key<'s>], unknown: Unknown) {
        if let Some(table) = self.table_at(variable, path) {
            self.heap.escape(table, unknown);
        }
    }

    fn table_at(&self, variable: Variable, path: &[Key<'s>]) -> Option<TableId> {
        let mut value = self.variables.values.get(&variable)?;
        for key in path {
            let Value::Table(id) = value else { return None };
            value = self.heap.table(*id)?.fields.get(key)?;
        }
        if let Value::Table(id) = value { Some(*id) } else { None }
    }

    /// Whether the use is that of `M` in `S.instrument(M, "entry")`.
    pub(super) fn is_instrumented(&self, read: Use, uses: &[Use]) -> bool {
        let before = self.source.get(..read.at as usize).unwrap_or_default().trim_end_matches([' ', '\t']);
        // Neither a comment nor a string ends with a bracket that a name follows on the same line. Without a gap, the
        // texts before it are the tokens that they look like.
        let Some(library) = before.strip_suffix('(').and_then(|before| before.strip_suffix(INSTRUMENT)) else {
            return false;
        };
        // The library looks at the tables of the module with operators, which call functions of metatables.
        self.has_entry(read)
            && !self.heap.has_metatables()
            && self.is_shapes(library, uses)
            && *self.keeps_shapes.get_or_init(|| self.keeps_shapes(uses))
    }

    /// Whether `M, "entry")` follows.
    fn has_entry(&self, read: Use) -> bool {
        let mut tokens = Tokens::resume(self.source.as_bytes(), read.at);
        tokens.bump_known();
        tokens.take(Kind::Comma) && tokens.bump_known().kind.is_string() && tokens.take(Kind::ParenClose)
    }

    /// Whether a text that ends with an expression ends with `S`, or with `require("alc_shapes")`.
    fn is_shapes(&self, text: &str, uses: &[Use]) -> bool {
        let name = text.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || c == '_').len();
        if name < text.len() {
            let held = use_at(uses, name).and_then(|library| self.held_shapes(library.variable, uses));
            return held.is_some_and(|(_, module)| module == Module::Shapes);
        }
        // Nothing within the call is a use, so that its `require` is the last use before its end.
        let call = uses.partition_point(|read| (read.at as usize) < text.len()).checked_sub(1);
        let required = call.and_then(|call| required(self.source, *uses.get(call)?));
        required.is_some_and(|required| required.module == Module::Shapes && required.end as usize == text.len())
    }

    /// Returns the offset of the `require` whose value a variable has, if it is the library of shapes or a part of it.
    fn held_shapes(&self, variable: Variable, uses: &[Use]) -> Option<(u32, Module)> {
        let writes = self.variables.facts.of(variable);
        let Some(Value::Unknown(unknown)) = self.variables.values.get(&variable) else { return None };
        let required = use_at(uses, unknown.at as usize).and_then(|read| required(self.source, read))?;
        let is_constant = writes.is_local && writes.at_top == 1 && writes.in_block.is_none();
        let mut tokens = Tokens::resume(self.source.as_bytes(), required.end);
        let mut module = required.module;
        if tokens.peek().kind == Kind::Dot && !is_called_from(self.source, tokens, module) {
            tokens.bump_known();
            tokens.bump_known();
            module = Module::Part;
        }
        let after = tokens.peek().kind;
        let is_all = after.begins_statement() || matches!(after, Kind::Name | Kind::Function);
        let is_held = is_constant && is_all && required.module != Module::Other;
        // The second value of `require` is no library.
        (is_held && self.follows(variable, "local")).then_some((unknown.at, module))
    }

    /// Whether no other code gets the library of shapes: each `require` of it is called from at once, or is the value of
    /// a variable from which all uses call, or ask whether it is there.
    fn keeps_shapes(&self, uses: &[Use]) -> bool {
        let values = self.variables.values.keys();
        let held = values.filter_map(|variable| Some((*variable, self.held_shapes(*variable, uses)?)));
        let held: BTreeMap<Variable, (u32, Module)> = held.collect();
        let requires: BTreeSet<u32> = held.values().map(|(at, _)| *at).collect();
        let is_kept = |read: &Use| {
            if let Some((_, module)) = held.get(&read.variable) {
                return self.keeps_library(*read, *module);
            }
            required(self.source, *read).is_none_or(|required| {
                let end = Tokens::resume(self.source.as_bytes(), required.end);
                let is_other = required.module == Module::Other;
                is_other || requires.contains(&read.at) || is_called_from(self.source, end, required.module)
            })
        };
        self.variables.surroundings.keeps_require && uses.iter().all(is_kept)
    }

    /// Whether the use of a variable that holds the library gives it to no other code.
    fn keeps_library(&self, read: Use, module: Module) -> bool {
        let mut tokens = Tokens::resume(self.source.as_bytes(), read.at);
        tokens.bump_known();
        match tokens.peek().kind {
            // Before another operand, an operator's function might get it.
            Kind::And | Kind::Then => self.follows(read.at, "if"),
            _ => is_called_from(self.source, tokens, module),
        }
    }

    /// Whether the name at `at` follows a word on the same line. No comment or string that a name follows there ends so.
    fn follows(&self, at: u32, word: &str) -> bool {
        self.source.get(..at as usize).unwrap_or_default().trim_end_matches([' ', '\t']).ends_with(word)
    }
}

/// Whether a function of the library is called next, or what it makes shapes of is read. `instrument` gives the module
/// to functions in its other tables.
fn is_called_from(source: &str, mut tokens: Tokens<'_>, module: Module) -> bool {
    let is_field = tokens.take(Kind::Dot);
    let name = tokens.bump_known().text(source);
    let is_known = matches!(name, "T" | "instrument") || tokens.peek().kind == Kind::ParenOpen;
    is_field && (is_known || module == Module::Types)
}

pub(super) fn use_at(uses: &[Use], at: usize) -> Option<Use> {
    let found = uses.binary_search_by_key(&at, |read| read.at as usize);
    found.ok().and_then(|index| uses.get(index)).copied()
}
