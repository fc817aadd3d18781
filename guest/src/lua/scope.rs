//! Which variable of the chunk a name refers to, in every block, and what is done with each variable.
//!
//! Owns: the top level's variables, which of them the locals of a block hide, and the names that the language gives.
//! Never: keeps a local of a block that hides nothing.

use std::collections::BTreeMap;

/// A variable of the top level, by the offset of the name that declares it.
pub(crate) type Variable = u32;

/// The globals whose meaning extraction relies on. A source is too short for these offsets.
pub(crate) const SETMETATABLE: Variable = u32::MAX;
pub(crate) const REQUIRE: Variable = u32::MAX - 1;

/// The globals through which code reaches every other global.
const REFLECTIVE_GLOBALS: [&str; 8] = ["debug", "package", "_G", "_ENV", "load", "loadstring", "loadfile", "dofile"];
const FIRST_REFLECTIVE: Variable = REQUIRE - REFLECTIVE_GLOBALS.len() as Variable;

/// The globals of the language to which functions of other modules give what they get.
const COMMON_GLOBALS: [&str; 14] = [
    "assert",
    "error",
    "getmetatable",
    "ipairs",
    "next",
    "pairs",
    "pcall",
    "rawequal",
    "rawget",
    "select",
    "string",
    "table",
    "tostring",
    "type",
];
const FIRST_COMMON: Variable = FIRST_REFLECTIVE - COMMON_GLOBALS.len() as Variable;

/// The library that reaches the locals of every function, too.
pub(crate) const DEBUG: Variable = FIRST_REFLECTIVE;

/// Whether every global can be reached through this one.
pub(crate) fn is_reflective(variable: Variable) -> bool {
    (FIRST_REFLECTIVE..REQUIRE).contains(&variable)
}

/// Returns the global through which code reaches what it reaches through the library of this name.
pub(crate) fn reflective_global(library: &str) -> Option<Variable> {
    (FIRST_REFLECTIVE..).zip(REFLECTIVE_GLOBALS).find(|(_, name)| *name == library).map(|(variable, _)| variable)
}

/// The writes of one variable.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Writes {
    pub(crate) is_local: bool,
    /// The number of writes at the top level, including a declaration with a value.
    pub(crate) at_top: u32,
    /// The first write within a block.
    pub(crate) in_block: Option<u32>,
    /// Whether a table may be written after uses of the variable were left out of the scan.
    pub(crate) is_late: bool,
}

/// What is done with every variable, over the whole chunk.
#[derive(Debug, Default)]
pub(crate) struct Facts {
    writes: BTreeMap<Variable, Writes>,
    /// Where globals get another meaning.
    pub(crate) rewired: Option<u32>,
    /// Where a local `_ENV` is declared first: names without a declaration are fields of its value from there on.
    pub(crate) local_environment: Option<u32>,
    /// The first call that the top level makes, or may make.
    pub(crate) call: Option<u32>,
    /// Whether a variable of the top level is closed, which calls a function after the chunk's `return`.
    pub(crate) closes: bool,
}

impl Facts {
    pub(crate) fn of(&self, variable: Variable) -> Writes {
        self.writes.get(&variable).copied().unwrap_or_default()
    }

    /// Whether the chunk assigns nothing to a name that the language gives.
    pub(crate) fn keeps(&self, given: Variable) -> bool {
        !self.writes.contains_key(&given)
    }

    /// Whether the chunk assigns nothing to any of these names.
    pub(crate) fn keeps_all(&self) -> bool {
        self.writes.range(FIRST_COMMON..).next().is_none()
    }
}

#[derive(Debug)]
struct Entry {
    variable: Variable,
    /// The number of open blocks that declare a local of the same name.
    hidden: u32,
    /// Whether the variable may hold a table that the chunk makes.
    may_hold: bool,
}

/// A set of short names that may have more members than were added: 256 bits.
#[derive(Debug, Default)]
struct Filter([u64; 4]);

impl Filter {
    fn place(name: &str) -> (usize, u64) {
        let bytes = name.as_bytes();
        let first = bytes.first().copied().unwrap_or(0);
        let last = bytes.last().copied().unwrap_or(0);
        let mixed =
            first.wrapping_mul(31) ^ last.wrapping_mul(7) ^ (bytes.len() & 0x3f).to_le_bytes()[0].wrapping_mul(97);
        (usize::from(mixed >> 6), 1 << (mixed & 63))
    }

    fn add(&mut self, name: &str) {
        let (word, bit) = Self::place(name);
        if let Some(word) = self.0.get_mut(word) {
            *word |= bit;
        }
    }

    fn may_have(&self, name: &str) -> bool {
        let (word, bit) = Self::place(name);
        self.0.get(word).is_some_and(|word| word & bit != 0)
    }
}

/// The names that are visible at the current position of a scan.
#[derive(Debug)]
pub(crate) struct Scopes<'s> {
    names: BTreeMap<&'s str, Entry>,
    /// The names of which uses are of interest.
    used: Filter,
    /// The names that open blocks hide, innermost last.
    hiding: Vec<&'s str>,
    /// The length of `hiding` when each open block began.
    blocks: Vec<usize>,
    pub(crate) facts: Facts,
}

impl<'s> Scopes<'s> {
    pub(crate) fn new() -> Self {
        let (names, used, facts) = (BTreeMap::new(), Filter::default(), Facts::default());
        let mut scopes = Self { names, used, hiding: Vec::new(), blocks: Vec::new(), facts };
        scopes.give("setmetatable", SETMETATABLE, true);
        scopes.give("require", REQUIRE, true);
        for (variable, name) in (FIRST_REFLECTIVE..).zip(REFLECTIVE_GLOBALS) {
            scopes.give(name, variable, true);
        }
        for (variable, name) in (FIRST_COMMON..).zip(COMMON_GLOBALS) {
            scopes.give(name, variable, false);
        }
        scopes
    }

    /// Declares a global of the language, whose uses are of interest or not.
    fn give(&mut self, name: &'s str, variable: Variable, is_used: bool) {
        self.names.insert(name, Entry { variable, hidden: 0, may_hold: is_used });
        if is_used {
            self.used.add(name);
        }
    }

    pub(crate) fn open(&mut self) {
        self.blocks.push(self.hiding.len());
    }

    pub(crate) fn close(&mut self) {
        let kept = self.blocks.pop().unwrap_or(0);
        for name in self.hiding.drain(kept..) {
            if let Some(entry) = self.names.get_mut(name) {
                entry.hidden = entry.hidden.saturating_sub(1);
            }
        }
    }

    pub(crate) fn is_top(&self) -> bool {
        self.blocks.is_empty()
    }

    /// Declares a local whose first value is written, or left out. `may_hold` says whether it may become a table.
    pub(crate) fn declare_local(&mut self, name: &'s str, at: u32, has_value: bool, may_hold: bool) {
        if name == "_ENV" {
            self.facts.rewired.get_or_insert(at);
            self.facts.local_environment.get_or_insert(at);
        }
        if self.is_top() {
            self.names.insert(name, Entry { variable: at, hidden: 0, may_hold });
            if may_hold {
                self.used.add(name);
            }
            let at_top = u32::from(has_value);
            self.facts.writes.insert(at, Writes { is_local: true, at_top, in_block: None, is_late: false });
        } else if let Some(entry) = self.names.get_mut(name) {
            entry.hidden += 1;
            self.hiding.push(name);
        }
    }

    /// Returns the variable that `name` refers to, if it may hold a table.
    #[inline]
    pub(crate) fn used(&self, name: &str) -> Option<Variable> {
        if !self.used.may_have(name) {
            return None;
        }
        let entry = self.names.get(name)?;
        (entry.hidden == 0 && entry.may_hold).then_some(entry.variable)
    }

    /// Records an assignment to `name` itself, or to a part of its value, and returns the variable. At the top level,
    /// an unknown name becomes a global; within a block it is ignored.
    pub(crate) fn note_write(&mut self, name: &'s str, at: u32, is_whole: bool) -> Option<Variable> {
        let is_top = self.is_top();
        let mut is_late = false;
        let variable = match self.names.get_mut(name) {
            Some(entry) if entry.hidden > 0 => return None,
            Some(entry) => {
                is_late = !std::mem::replace(&mut entry.may_hold, true);
                self.used.add(name);
                entry.variable
            }
            None if is_top => {
                self.names.insert(name, Entry { variable: at, hidden: 0, may_hold: true });
                self.used.add(name);
                at
            }
            None => return None,
        };
        let writes = self.facts.writes.entry(variable).or_default();
        writes.is_late |= is_late;
        match (is_whole, is_top) {
            (true, true) => writes.at_top = writes.at_top.saturating_add(1),
            (true, false) => writes.in_block = writes.in_block.or(Some(at)),
            (false, _) => {}
        }
        if is_reflective(variable) {
            self.facts.rewired.get_or_insert(at);
        }
        Some(variable)
    }

    pub(crate) fn into_facts(self) -> Facts {
        self.facts
    }
}
