//! Scopes: the local variables, labels and pending gotos of the functions that are open.
//!
//! Owns: which variable a name means, and where a goto may go.
//! Never: takes more than logarithmic time for a name, however many variables, labels and gotos there are; leaving a
//! block takes time for the gotos in it.

use std::collections::BTreeMap;

use super::parser::Name;
use crate::problem::{Halt, Problems, quoted};

/// A function's depth and the name of a label in it: functions do not see each other's labels.
type LabelKey<'s> = (usize, &'s [u8]);

#[derive(Debug)]
struct Variable<'s> {
    name: &'s [u8],
    is_constant: bool,
}

#[derive(Debug)]
struct Function {
    /// The index of its first variable.
    first_variable: usize,
    is_vararg: bool,
    /// The number of loops around the current position.
    loops: usize,
}

#[derive(Debug)]
struct Block {
    is_loop: bool,
    /// The number of all variables, labels and gotos at its beginning.
    variables: usize,
    labels: usize,
    gotos: usize,
}

/// A goto whose label did not come yet.
#[derive(Debug, Clone, Copy)]
struct Goto<'s> {
    name: Name<'s>,
    /// The number of variables in scope, at the goto or at the beginning of the outermost block that was left since.
    variables: usize,
}

#[derive(Debug, Default)]
pub(super) struct Scopes<'s> {
    functions: Vec<Function>,
    blocks: Vec<Block>,
    /// The variables in scope, of all functions.
    variables: Vec<Variable<'s>>,
    /// The indices of the variables in scope, by name; the last one is meant.
    by_name: BTreeMap<&'s [u8], Vec<usize>>,
    /// The labels in scope, in the order of the source.
    labels: Vec<LabelKey<'s>>,
    /// The offsets of the labels in scope.
    label_offsets: BTreeMap<LabelKey<'s>, u32>,
    /// The gotos of the functions that are open; `None` when their label was found.
    gotos: Vec<Option<Goto<'s>>>,
    /// The indices of pending gotos, by label.
    pending: BTreeMap<LabelKey<'s>, Vec<usize>>,
}

impl<'s> Scopes<'s> {
    pub(super) fn open_function(&mut self) {
        self.functions.push(Function { first_variable: self.variables.len(), is_vararg: false, loops: 0 });
        self.open_block(false);
    }

    pub(super) fn set_vararg(&mut self) {
        if let Some(function) = self.functions.last_mut() {
            function.is_vararg = true;
        }
    }

    /// Leaves a function, and reports its gotos without a label.
    pub(super) fn close_function(&mut self, problems: &mut Problems) -> Result<(), Halt> {
        let first_goto = self.blocks.last().map_or(0, |block| block.gotos);
        self.close_block();
        let depth = self.functions.len();
        self.functions.pop();
        for goto in self.gotos.drain(first_goto.min(self.gotos.len())..).flatten() {
            self.pending.remove(&(depth, goto.name.text));
            let message = format!("no visible label '{}' for goto", quoted(goto.name.text));
            problems.add(goto.name.at as usize, message)?;
        }
        Ok(())
    }

    pub(super) fn open_block(&mut self, is_loop: bool) {
        if let Some(function) = self.functions.last_mut() {
            function.loops += usize::from(is_loop);
        }
        let (variables, labels, gotos) = (self.variables.len(), self.labels.len(), self.gotos.len());
        self.blocks.push(Block { is_loop, variables, labels, gotos });
    }

    pub(super) fn close_block(&mut self) {
        let Some(block) = self.blocks.pop() else { return };
        if block.is_loop
            && let Some(function) = self.functions.last_mut()
        {
            function.loops = function.loops.saturating_sub(1);
        }
        for variable in self.variables.drain(block.variables.min(self.variables.len())..) {
            if let Some(indices) = self.by_name.get_mut(variable.name) {
                indices.pop();
            }
        }
        for label in self.labels.drain(block.labels.min(self.labels.len())..) {
            self.label_offsets.remove(&label);
        }
        for goto in self.gotos.iter_mut().skip(block.gotos).flatten() {
            goto.variables = block.variables;
        }
    }

    /// Returns the number of local variables of the current function that are in scope.
    pub(super) fn locals(&self) -> usize {
        self.variables.len() - self.functions.last().map_or(0, |function| function.first_variable)
    }

    /// Begins the scope of a local variable.
    pub(super) fn declare(&mut self, name: &'s [u8], is_constant: bool) {
        self.by_name.entry(name).or_default().push(self.variables.len());
        self.variables.push(Variable { name, is_constant });
    }

    /// Whether the name means a local variable that cannot be assigned to.
    pub(super) fn is_constant(&self, name: &[u8]) -> bool {
        let index = self.by_name.get(name).and_then(|indices| indices.last());
        index.and_then(|index| self.variables.get(*index)).is_some_and(|variable| variable.is_constant)
    }

    pub(super) fn is_vararg(&self) -> bool {
        self.functions.last().is_some_and(|function| function.is_vararg)
    }

    pub(super) fn is_in_loop(&self) -> bool {
        self.functions.last().is_some_and(|function| function.loops > 0)
    }

    /// Returns the offset of a label that is in scope.
    pub(super) fn find_label(&self, name: &'s [u8]) -> Option<u32> {
        self.label_offsets.get(&(self.functions.len(), name)).copied()
    }

    /// Adds a goto. Without its label in scope, it waits for one.
    pub(super) fn goto(&mut self, name: Name<'s>) {
        if self.find_label(name.text).is_none() {
            self.pending.entry((self.functions.len(), name.text)).or_default().push(self.gotos.len());
            self.gotos.push(Some(Goto { name, variables: self.variables.len() }));
        }
    }

    /// Begins the scope of a label, which is not in scope yet.
    pub(super) fn declare_label(&mut self, name: Name<'s>) {
        let key = (self.functions.len(), name.text);
        self.labels.push(key);
        self.label_offsets.insert(key, name.at);
    }

    /// Lets the gotos of the current block go to a label. At the last statement of a block, its variables count as out
    /// of scope.
    pub(super) fn resolve_gotos(
        &mut self,
        label: Name<'s>,
        is_last: bool,
        problems: &mut Problems,
    ) -> Result<(), Halt> {
        let key = (self.functions.len(), label.text);
        let Some(block) = self.blocks.last() else { return Ok(()) };
        let in_scope = if is_last { block.variables } else { self.variables.len() };
        let Some(waiting) = self.pending.get_mut(&key) else { return Ok(()) };
        while let Some(index) = waiting.pop_if(|index| *index >= block.gotos) {
            let Some(goto) = self.gotos.get_mut(index).and_then(Option::take) else { continue };
            if goto.variables < in_scope {
                let entered = self.variables.get(goto.variables).map_or(&b""[..], |variable| variable.name);
                let (target, local) = (quoted(label.text), quoted(entered));
                let message = format!("goto '{target}' jumps into the scope of local '{local}'");
                problems.add(goto.name.at as usize, message)?;
            }
        }
        Ok(())
    }
}
