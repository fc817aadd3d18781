//! Constants: the values that folding computes with.
//!
//! Owns: values, the tables that they refer to, and the budget of both. Tables are kept in a heap and referred to by
//! number, as Lua's are by reference: two names for one table see each other's changes, and naming a table costs
//! nothing.
//! Never: follows a reference by itself, so that nothing here recurses.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::rc::Rc;

use wardroom_lua_syntax::number::Number;

use crate::limits;

/// A string: a part of the source, or built by an escape or a concatenation.
#[derive(Debug, Clone)]
pub(crate) enum Text<'s> {
    Source(&'s str),
    Built(Rc<str>),
}

impl Text<'_> {
    pub(crate) fn as_str(&self) -> &str {
        match self {
            Self::Source(text) => text,
            Self::Built(text) => text,
        }
    }
}

impl PartialEq for Text<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Text<'_> {}

impl PartialOrd for Text<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Text<'_> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.as_str().cmp(other.as_str())
    }
}

/// Why an expression is not a constant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reason {
    AssignedInBlock,
    BothKinds,
    Call,
    ComputedKey,
    DividesByZero,
    EarlyReturn,
    Escapes,
    Field,
    Function,
    Global,
    Label,
    Malformed,
    Metatable,
    NotANumber,
    NotAString,
    NotATable,
    NotFinite,
    NotUtf8,
    Operator,
    Reassigned,
    Repeated,
    Replaced,
    TooDeep,
    TooMuch,
    UnusualKey,
    Varargs,
    Variable,
    Wrapped,
}

impl Reason {
    /// Whether an expression that is no constant for this reason may have several values.
    const fn is_of_several(self) -> bool {
        matches!(self, Self::Call | Self::Varargs | Self::TooDeep)
    }

    pub(crate) const fn text(self) -> &'static str {
        match self {
            Self::AssignedInBlock => "assigned inside a block",
            Self::BothKinds => "has a number and a string as keys that read the same",
            Self::Call => "calls a function",
            Self::ComputedKey => "has a key that is not a constant",
            Self::DividesByZero => "divides by zero",
            Self::EarlyReturn => "may return earlier, inside a block",
            Self::Escapes => "gives code that is not followed a table to change",
            Self::Field => "reads a field of a variable",
            Self::Function => "is a function",
            Self::Global => "is in a global variable, which any function can change",
            Self::Label => "is a label, from which statements may be repeated or left out",
            Self::Malformed => "is not a Lua expression",
            Self::Metatable => "has a metatable that may change it",
            Self::NotANumber => "calculates with something that is not a number",
            Self::NotAString => "concatenates something that is neither a string nor a number",
            Self::NotATable => "is not a table",
            Self::NotFinite => "is not a finite number",
            Self::NotUtf8 => "is not UTF-8",
            Self::Operator => "uses an operator that is not computed",
            Self::Reassigned => "names a variable that is assigned more than once",
            Self::Repeated => "is given twice, by position and by its key",
            Self::Replaced => "is replaced, while another name may lead to it",
            Self::TooDeep => "is nested too deep",
            Self::TooMuch => "is too large",
            Self::UnusualKey => "has a key that is neither a string nor a number",
            Self::Varargs => "uses the chunk's arguments",
            Self::Variable => "names a variable that is not a constant",
            Self::Wrapped => "may be assigned to in brackets",
        }
    }
}

/// An expression that is not a constant, with its reason and its position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Unknown {
    pub(crate) at: u32,
    pub(crate) reason: Reason,
}

#[derive(Debug, Clone)]
pub(crate) enum Value<'s> {
    Nil,
    Bool(bool),
    Number(Number),
    Text(Text<'s>),
    /// A string that is not UTF-8. It can still be a part of one that is.
    Bytes(Rc<[u8]>),
    Table(TableId),
    Unknown(Unknown),
}

impl<'s> Value<'s> {
    pub(crate) const fn unknown(at: u32, reason: Reason) -> Self {
        Self::Unknown(Unknown { at, reason })
    }

    /// Makes the value of a string literal. Text that the source has unchanged stays borrowed.
    pub(crate) fn of_bytes(bytes: Cow<'s, [u8]>) -> Self {
        match bytes {
            Cow::Borrowed(bytes) => match str::from_utf8(bytes) {
                Ok(text) => Self::Text(Text::Source(text)),
                Err(_) => Self::Bytes(bytes.into()),
            },
            Cow::Owned(bytes) => match String::from_utf8(bytes) {
                Ok(text) => Self::Text(Text::Built(text.into())),
                Err(error) => Self::Bytes(error.into_bytes().into()),
            },
        }
    }

    /// Converts the value to one that a field of JSON can hold.
    pub(crate) fn settled(self, at: u32) -> Self {
        match self {
            Self::Bytes(_) => Self::unknown(at, Reason::NotUtf8),
            Self::Number(Number::Float(float)) if !float.is_finite() => Self::unknown(at, Reason::NotFinite),
            settled => settled,
        }
    }
}

/// A key that JSON can represent. Whole floats are integers, as in Lua.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Key<'s> {
    Int(i64),
    /// The bits of a float, of which several can have the same notation.
    Float(u64),
    Text(Text<'s>),
}

impl<'s> Key<'s> {
    /// Returns the key that a constant is, or why it cannot be a key.
    pub(crate) fn of(value: Value<'s>) -> Result<Self, Reason> {
        match value {
            Value::Text(text) => Ok(Self::Text(text)),
            Value::Number(Number::Int(int)) => Ok(Self::Int(int)),
            Value::Number(Number::Float(float)) => Self::of_float(float),
            Value::Unknown(_) => Err(Reason::ComputedKey),
            Value::Nil | Value::Bool(_) | Value::Bytes(_) | Value::Table(_) => Err(Reason::UnusualKey),
        }
    }

    #[expect(clippy::cast_possible_truncation, reason = "only floats between the bounds of i64 are converted")]
    fn of_float(float: f64) -> Result<Self, Reason> {
        const BOUND: f64 = 9_223_372_036_854_775_808.0;
        if !float.is_finite() {
            return Err(Reason::UnusualKey);
        }
        let is_whole = float.floor().total_cmp(&float).is_eq();
        if is_whole && (-BOUND..BOUND).contains(&float) {
            return Ok(Self::Int(float as i64));
        }
        Ok(Self::Float(float.to_bits()))
    }
}

/// The number of a table in the heap.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TableId(u32);

#[derive(Debug)]
pub(crate) struct Table<'s> {
    pub(crate) at: u32,
    pub(crate) fields: BTreeMap<Key<'s>, Value<'s>>,
    /// Why the table may have further fields, or other values in those.
    pub(crate) rest: Option<Unknown>,
    /// Where code that is not followed gets hold of the table.
    pub(crate) escape: Option<Unknown>,
    /// Whether reading a field that is missing may find one elsewhere.
    pub(crate) has_metatable: bool,
}

/// All tables of a chunk, within a budget.
#[derive(Debug)]
pub(crate) struct Heap<'s> {
    tables: Vec<Table<'s>>,
    /// Where a name was replaced by the table that it refers to, in the order of the folding.
    followed: Vec<u32>,
    nodes_left: usize,
    concat_left: usize,
    is_exhausted: bool,
}

/// A state of the heap that `reclaim` can restore.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Mark {
    tables: usize,
    followed: usize,
    nodes_left: usize,
}

impl<'s> Heap<'s> {
    pub(crate) const fn new() -> Self {
        let (nodes_left, concat_left) = (limits::MAX_NODES, limits::MAX_CONCAT_BYTES);
        Self { tables: Vec::new(), followed: Vec::new(), nodes_left, concat_left, is_exhausted: false }
    }

    pub(crate) fn table(&self, id: TableId) -> Option<&Table<'s>> {
        self.tables.get(id.0 as usize)
    }

    /// Whether a table of the chunk has a metatable.
    pub(crate) fn has_metatables(&self) -> bool {
        self.tables.iter().any(|table| table.has_metatable)
    }

    pub(crate) fn table_mut(&mut self, id: TableId) -> Option<&mut Table<'s>> {
        self.tables.get_mut(id.0 as usize)
    }

    pub(crate) fn create(&mut self, at: u32, rest: Option<Unknown>) -> Option<TableId> {
        self.spend_nodes(1)?;
        let id = TableId(u32::try_from(self.tables.len()).ok()?);
        self.tables.push(Table { at, fields: BTreeMap::new(), rest, escape: rest, has_metatable: false });
        Some(id)
    }

    /// Sets a field; nil removes it. Returns `None` when the budget is used up.
    pub(crate) fn set(&mut self, id: TableId, key: Key<'s>, value: Value<'s>) -> Option<()> {
        let has_room = !self.table(id)?.fields.is_empty();
        self.spend_nodes(if has_room { 1 } else { limits::FIRST_FIELD_NODES })?;
        let Table { fields, rest, .. } = self.table_mut(id)?;
        let kept = if let Value::Table(kept) = value { Some(kept) } else { None };
        let is_index = matches!(key, Key::Int(_));
        let old = match value {
            Value::Nil => fields.remove(&key),
            value => fields.insert(key, value),
        };
        if let (true, Some(Value::Unknown(unknown))) = (is_index, &old)
            && unknown.reason.is_of_several()
        {
            // As the last value of a constructor, it stands for any number of them.
            rest.get_or_insert(*unknown);
        }
        self.replace(old.as_ref(), kept);
        Some(())
    }

    /// Notes that a variable or a field no longer holds `old`. What leads there later is no longer seen.
    pub(crate) fn replace(&mut self, old: Option<&Value<'s>>, kept: Option<TableId>) {
        if let Some(&Value::Table(old)) = old
            && kept != Some(old)
            && let Some(at) = self.table(old).map(|table| table.at)
        {
            self.escape(old, Unknown { at, reason: Reason::Replaced });
        }
    }

    /// Notes that code that is not followed may change a table, and whatever that leads to.
    pub(crate) fn escape(&mut self, id: TableId, unknown: Unknown) {
        if let Some(table) = self.table_mut(id) {
            table.escape.get_or_insert(unknown);
        }
    }

    /// Notes that an operation that is not computed gets `value`.
    pub(crate) fn give_away(&mut self, value: &Value<'s>, unknown: Unknown) {
        if let Value::Table(id) = value {
            self.escape(*id, unknown);
        }
    }

    /// Notes that the name at `at` was replaced by the table that it refers to.
    pub(crate) fn follow(&mut self, at: u32) {
        self.followed.push(at);
    }

    /// Returns where names were replaced by tables, sorted.
    pub(crate) fn take_followed(&mut self) -> Vec<u32> {
        let mut followed = std::mem::take(&mut self.followed);
        followed.sort_unstable();
        followed
    }

    /// Escapes whatever the escaped tables lead to.
    pub(crate) fn spread_escapes(&mut self) {
        let escaped = |(id, table): (usize, &Table<'s>)| Some((id, table.escape?));
        let mut left: Vec<_> = self.tables.iter().enumerate().filter_map(escaped).collect();
        while let Some((id, unknown)) = left.pop() {
            let Some(table) = self.tables.get(id) else { continue };
            let inner = table.fields.values().filter_map(|value| match value {
                Value::Table(inner) => Some(inner.0 as usize),
                _ => None,
            });
            for inner in inner.collect::<Vec<_>>() {
                if let Some(table) = self.tables.get_mut(inner)
                    && table.escape.is_none()
                {
                    table.escape = Some(unknown);
                    left.push((inner, unknown));
                }
            }
        }
    }

    fn spend_nodes(&mut self, nodes: usize) -> Option<()> {
        let left = self.nodes_left.checked_sub(nodes);
        self.is_exhausted |= left.is_none();
        self.nodes_left = left?;
        Some(())
    }

    pub(crate) fn spend_concat(&mut self, bytes: usize) -> Option<()> {
        self.concat_left = self.concat_left.checked_sub(bytes)?;
        Some(())
    }

    pub(crate) fn mark(&self) -> Mark {
        Mark { tables: self.tables.len(), followed: self.followed.len(), nodes_left: self.nodes_left }
    }

    /// Returns whether the budget ran out since `mark`. If so, removes the tables created since, to which nothing may
    /// refer.
    pub(crate) fn reclaim(&mut self, mark: Mark) -> bool {
        let was_exhausted = std::mem::take(&mut self.is_exhausted);
        if was_exhausted {
            self.tables.truncate(mark.tables);
            self.followed.truncate(mark.followed);
            self.nodes_left = mark.nodes_left;
        }
        was_exhausted
    }
}
