//! Which variable of the chunk a name refers to, in every block, and how often each variable is written.
//!
//! Owns: the top level's variables, and which of them the locals of a block hide.
//! Never: keeps a local of a block that hides nothing.

use std::collections::BTreeMap;

/// A variable of the top level, by the offset of the name that declares it.
pub(crate) type Variable = u32;

/// The writes of one variable.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Writes {
    pub(crate) is_local: bool,
    /// The number of writes at the top level, including a declaration with a value.
    pub(crate) at_top: u32,
    /// The first write within a block.
    pub(crate) in_block: Option<u32>,
}

/// The writes of every variable, over the whole chunk.
#[derive(Debug, Default)]
pub(crate) struct Facts(BTreeMap<Variable, Writes>);

impl Facts {
    pub(crate) fn of(&self, variable: Variable) -> Writes {
        self.0.get(&variable).copied().unwrap_or_default()
    }
}

#[derive(Debug)]
struct Entry {
    variable: Variable,
    /// The number of open blocks that declare a local of the same name.
    hidden: u32,
}

/// The names that are visible at the current position of a scan.
#[derive(Debug, Default)]
pub(crate) struct Scopes<'s> {
    names: BTreeMap<&'s str, Entry>,
    /// The names that open blocks hide, innermost last.
    hiding: Vec<&'s str>,
    /// The length of `hiding` when each open block began.
    blocks: Vec<usize>,
    facts: Facts,
}

impl<'s> Scopes<'s> {
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

    pub(crate) fn declare_local(&mut self, name: &'s str, at: u32, has_value: bool) {
        if self.is_top() {
            self.names.insert(name, Entry { variable: at, hidden: 0 });
            self.facts.0.insert(at, Writes { is_local: true, at_top: u32::from(has_value), in_block: None });
        } else if let Some(entry) = self.names.get_mut(name) {
            entry.hidden += 1;
            self.hiding.push(name);
        }
    }

    /// Records an assignment to `name` itself, or to a part of its value, and returns the variable. At the top level,
    /// an unknown name becomes a global; within a block it is ignored.
    pub(crate) fn note_write(&mut self, name: &'s str, at: u32, is_whole: bool) -> Option<Variable> {
        let is_top = self.is_top();
        let variable = match self.names.get(name) {
            Some(entry) if entry.hidden > 0 => return None,
            Some(entry) => entry.variable,
            None if is_top => {
                self.names.insert(name, Entry { variable: at, hidden: 0 });
                at
            }
            None => return None,
        };
        let writes = self.facts.0.entry(variable).or_default();
        match (is_whole, is_top) {
            (true, true) => writes.at_top = writes.at_top.saturating_add(1),
            (true, false) => writes.in_block = writes.in_block.or(Some(at)),
            (false, _) => {}
        }
        Some(variable)
    }

    pub(crate) fn into_facts(self) -> Facts {
        self.facts
    }
}
