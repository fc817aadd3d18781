//! Folding: the value of an expression, if the expression is a constant.
//!
//! Owns: the grammar of expressions. Each call consumes one whole expression, constant or not, so that a table keeps
//! its other fields when one of them is a call. Other expressions are skipped without recursion.
//! Never: resolves a variable by itself (see `Constants`), and never recurses deeper than `MAX_DEPTH`.

use wardroom_lua_syntax::lexer::Tokens;
use wardroom_lua_syntax::number;
use wardroom_lua_syntax::string;
use wardroom_lua_syntax::token::{Kind, Token};

use super::arith;
use super::value::{Heap, Key, Reason, TableId, Text, Unknown, Value};
use crate::limits::MAX_DEPTH;

/// The values of names in an expression.
pub(crate) trait Constants<'s> {
    fn constant(&self, name: &str) -> Result<Value<'s>, Reason>;

    /// Whether `setmetatable` is the language's own.
    fn has_setmetatable(&self) -> bool;
}

pub(crate) struct Folder<'a, 's, C> {
    pub(crate) source: &'s str,
    pub(crate) tokens: Tokens<'s>,
    pub(crate) heap: &'a mut Heap<'s>,
    pub(crate) constants: &'a C,
}

impl<'s, C: Constants<'s>> Folder<'_, 's, C> {
    /// Folds one expression.
    pub(crate) fn expression(&mut self) -> Value<'s> {
        self.nested(0)
    }

    fn nested(&mut self, depth: u32) -> Value<'s> {
        let start = self.tokens.peek().start;
        if depth > MAX_DEPTH {
            self.skip_expression();
            return Value::unknown(start, Reason::TooDeep);
        }
        let value = self.concatenation(depth);
        if !self.tokens.peek().kind.is_loose_binary() {
            return value;
        }
        self.tokens.bump_known();
        self.skip_expression();
        self.uncomputed(&value, start)
    }

    /// The result of an operation that is not computed, of which `value` is the first operand.
    fn uncomputed(&mut self, value: &Value<'s>, at: u32) -> Value<'s> {
        let unknown = Unknown { at, reason: Reason::Operator };
        self.heap.give_away(value, unknown);
        match value {
            // A function alone is known to have no fields. What `and` makes of it is not.
            Value::Unknown(first) if first.reason != Reason::Function => Value::Unknown(*first),
            _ => Value::Unknown(unknown),
        }
    }

    /// Folds `a .. b .. c` at once: piece by piece would copy the first pieces over and over.
    fn concatenation(&mut self, depth: u32) -> Value<'s> {
        let start = self.tokens.peek().start;
        let first = self.sum(depth);
        if self.tokens.peek().kind != Kind::Concat {
            return first;
        }
        let mut joined = Vec::new();
        let mut problem = self.append(&mut joined, &first, start).err();
        while self.tokens.take(Kind::Concat) {
            let at = self.tokens.peek().start;
            let piece = self.sum(depth);
            let appended = self.append(&mut joined, &piece, at);
            problem = problem.or(appended.err());
        }
        problem.map_or_else(|| Value::of_bytes(joined.into()), Value::Unknown)
    }

    fn append(&mut self, joined: &mut Vec<u8>, piece: &Value<'s>, at: u32) -> Result<(), Unknown> {
        let number;
        let bytes = match piece {
            Value::Text(text) => text.as_str().as_bytes(),
            Value::Bytes(bytes) => bytes,
            Value::Number(value) => {
                number = number::to_text(*value).ok_or(Unknown { at, reason: Reason::NotFinite })?;
                number.as_bytes()
            }
            Value::Unknown(unknown) => return Err(*unknown),
            Value::Nil | Value::Bool(_) | Value::Table(_) => {
                let unknown = Unknown { at, reason: Reason::NotAString };
                self.heap.give_away(piece, unknown);
                return Err(unknown);
            }
        };
        self.heap.spend_concat(bytes.len()).ok_or(Unknown { at, reason: Reason::TooMuch })?;
        joined.extend_from_slice(bytes);
        Ok(())
    }

    fn sum(&mut self, depth: u32) -> Value<'s> {
        self.left_to_right(Kind::is_additive, |folder| folder.product(depth))
    }

    fn product(&mut self, depth: u32) -> Value<'s> {
        self.left_to_right(Kind::is_multiplicative, |folder| folder.unary(depth))
    }

    fn left_to_right(
        &mut self,
        is_operator: impl Fn(Kind) -> bool,
        operand: impl Fn(&mut Self) -> Value<'s>,
    ) -> Value<'s> {
        let start = self.tokens.peek().start;
        let mut value = operand(self);
        while is_operator(self.tokens.peek().kind) {
            let operator = self.tokens.bump_known().kind;
            let right = operand(self);
            for given in [&value, &right] {
                self.heap.give_away(given, Unknown { at: start, reason: Reason::NotANumber });
            }
            value = match (value, right) {
                (Value::Number(left), Value::Number(right)) => match arith::binary(operator, left, right) {
                    Ok(number) => Value::Number(number),
                    Err(reason) => Value::unknown(start, reason),
                },
                (Value::Unknown(unknown), _) | (_, Value::Unknown(unknown)) => Value::Unknown(unknown),
                _ => Value::unknown(start, Reason::NotANumber),
            };
        }
        value
    }

    fn unary(&mut self, depth: u32) -> Value<'s> {
        let operator = self.tokens.peek();
        if !operator.kind.is_unary() {
            return self.power(depth);
        }
        if depth >= MAX_DEPTH {
            self.skip_operand();
            return Value::unknown(operator.start, Reason::TooDeep);
        }
        self.tokens.bump_known();
        let operand = self.unary(depth + 1);
        if operator.kind != Kind::Not {
            self.heap.give_away(&operand, Unknown { at: operator.start, reason: Reason::Operator });
        }
        arith::unary(operator.kind, operand, operator.start)
    }

    fn power(&mut self, depth: u32) -> Value<'s> {
        let start = self.tokens.peek().start;
        let base = self.operand(depth);
        if self.tokens.peek().kind != Kind::Caret {
            return base;
        }
        while self.tokens.take(Kind::Caret) {
            self.skip_operand();
        }
        self.uncomputed(&base, start)
    }

    fn operand(&mut self, depth: u32) -> Value<'s> {
        let token = self.tokens.peek();
        let unknown = |reason| Value::unknown(token.start, reason);
        match token.kind {
            Kind::Name => return self.named(depth),
            Kind::ParenOpen => return self.parenthesised(depth),
            Kind::BraceOpen => return self.table(depth),
            // A keyword of a statement is left to its own: otherwise the values of many would be read over and over.
            kind if kind.begins_statement() || kind.closes() || kind == Kind::Comma => {
                return unknown(Reason::Malformed);
            }
            _ => self.tokens.bump_known(),
        };
        match token.kind {
            Kind::Nil => Value::Nil,
            Kind::True => Value::Bool(true),
            Kind::False => Value::Bool(false),
            Kind::Plain | Kind::Escaped | Kind::Long => Value::of_bytes(string::decode(token, self.source)),
            Kind::Number => number::parse(token.text(self.source).as_bytes())
                .map_or_else(|| unknown(Reason::Malformed), Value::Number),
            Kind::Dots => unknown(Reason::Varargs),
            Kind::Function => {
                self.skip_to_close();
                unknown(Reason::Function)
            }
            _ => unknown(Reason::Malformed),
        }
    }

    fn named(&mut self, depth: u32) -> Value<'s> {
        let name = self.tokens.bump_known();
        let text = name.text(self.source);
        if text == "setmetatable" && self.tokens.peek().kind == Kind::ParenOpen && self.constants.has_setmetatable() {
            return self.setmetatable(name, depth);
        }
        if let Some(reason) = self.skip_suffixes() {
            return Value::unknown(name.start, reason);
        }
        let value = self.constants.constant(text).unwrap_or_else(|reason| Value::unknown(name.start, reason));
        if let Value::Table(_) = value {
            self.heap.follow(name.start);
        }
        value
    }

    /// Folds `setmetatable(t, …)` to `t`. The fields that a metatable would add are not the table's own.
    fn setmetatable(&mut self, name: Token, depth: u32) -> Value<'s> {
        self.tokens.bump_known();
        let table = self.nested(depth + 1);
        let is_harmless =
            self.tokens.take(Kind::Comma) && self.harmless_metatable() && self.tokens.peek().kind == Kind::ParenClose;
        self.skip_to_close();
        if !is_harmless {
            self.heap.give_away(&table, Unknown { at: name.start, reason: Reason::Metatable });
        }
        if let Value::Table(id) = table
            && let Some(table) = self.heap.table_mut(id)
        {
            table.has_metatable = true;
        }
        self.suffixed(table, name.start)
    }

    /// Whether the next expression is a metatable of which no function gets the table, as long as it is only read by
    /// names of fields. Consumes it if so.
    fn harmless_metatable(&mut self) -> bool {
        let before = self.tokens;
        let is_harmless = self.tokens.take(Kind::BraceOpen) && self.harmless_fields();
        if !is_harmless {
            self.tokens = before;
        }
        is_harmless
    }

    fn harmless_fields(&mut self) -> bool {
        while !self.tokens.take(Kind::BraceClose) {
            let key = self.tokens.bump_known().text(self.source);
            if !self.tokens.take(Kind::Assign) || !(key == "__index" || is_operation(key)) {
                return false;
            }
            if key != "__index" {
                self.skip_expression();
            } else if self.tokens.take(Kind::BraceOpen) {
                // A table does not call anything; another value may be a function.
                self.skip_to_close();
            } else {
                return false;
            }
            if !self.tokens.take(Kind::Comma) && !self.tokens.take(Kind::Semicolon) {
                return self.tokens.take(Kind::BraceClose);
            }
        }
        true
    }

    /// Reads the suffixes of a value. What they give is unknown.
    fn suffixed(&mut self, value: Value<'s>, at: u32) -> Value<'s> {
        let Some(reason) = self.skip_suffixes() else { return value };
        self.heap.give_away(&value, Unknown { at, reason });
        Value::unknown(at, reason)
    }

    fn parenthesised(&mut self, depth: u32) -> Value<'s> {
        let open = self.tokens.bump_known();
        let value =
            if depth >= MAX_DEPTH { Value::unknown(open.start, Reason::TooDeep) } else { self.nested(depth + 1) };
        self.skip_to_close();
        self.suffixed(value, open.start)
    }

    fn table(&mut self, depth: u32) -> Value<'s> {
        let open = self.tokens.bump_known();
        let reason = if depth >= MAX_DEPTH { Reason::TooDeep } else { Reason::TooMuch };
        let table = if depth >= MAX_DEPTH { None } else { self.heap.create(open.start, None) };
        let filled = table.and_then(|table| self.fields(table, depth + 1).map(|()| table));
        if let Some(table) = filled {
            return Value::Table(table);
        }
        self.skip_to_close();
        Value::unknown(open.start, reason)
    }

    /// Reads the fields and the closing brace. Returns `None` when the heap's budget is used up.
    fn fields(&mut self, table: TableId, depth: u32) -> Option<()> {
        let mut next_index = 1;
        while !self.tokens.take(Kind::BraceClose) {
            let before = next_index;
            let key = self.key(depth, &mut next_index);
            let is_keyed = before == next_index;
            let at = self.tokens.peek().start;
            let value = self.nested(depth).settled(at);
            match key {
                Ok(Key::Int(index)) if is_keyed && (1..next_index).contains(&index) => {
                    // Which of the two remains is not defined.
                    self.heap.give_away(&value, Unknown { at, reason: Reason::Repeated });
                    self.heap.set(table, Key::Int(index), Value::unknown(at, Reason::Repeated))?;
                }
                Ok(key) => self.heap.set(table, key, value)?,
                Err(unknown) => {
                    self.heap.give_away(&value, unknown);
                    self.heap.table_mut(table)?.rest = Some(unknown);
                }
            }
            let separated = self.tokens.take(Kind::Comma) || self.tokens.take(Kind::Semicolon);
            if !separated && self.tokens.peek().kind != Kind::BraceClose {
                let at = self.tokens.peek().start;
                self.heap.table_mut(table)?.rest = Some(Unknown { at, reason: Reason::Malformed });
                self.skip_to_close();
                return Some(());
            }
        }
        Some(())
    }

    /// Reads the key of the next field, with its `=`; a field without a key takes the next index.
    fn key(&mut self, depth: u32, next_index: &mut i64) -> Result<Key<'s>, Unknown> {
        let first = self.tokens.peek();
        let before = self.tokens;
        if first.kind == Kind::Name {
            self.tokens.bump_known();
            if self.tokens.take(Kind::Assign) {
                return Ok(Key::Text(Text::Source(first.text(self.source))));
            }
            self.tokens = before;
        }
        if first.kind != Kind::BracketOpen {
            *next_index += 1;
            return Ok(Key::Int(*next_index - 1));
        }
        let key = self.bracketed_key(depth);
        self.tokens.take(Kind::Assign);
        key.map_err(|reason| Unknown { at: first.start, reason })
    }

    /// Whether the next tokens are `[key]` with a key that is a literal.
    pub(crate) fn at_literal_key(&self) -> bool {
        let mut tokens = self.tokens;
        tokens.bump_known();
        let key = tokens.bump_known().kind;
        (key.is_string() || key == Kind::Number) && tokens.peek().kind == Kind::BracketClose
    }

    /// Reads `[key]`, with both brackets.
    pub(crate) fn bracketed_key(&mut self, depth: u32) -> Result<Key<'s>, Reason> {
        self.tokens.bump_known();
        let at = self.tokens.peek().start;
        let key = self.nested(depth);
        self.skip_to_close();
        self.heap.give_away(&key, Unknown { at, reason: Reason::UnusualKey });
        Key::of(key)
    }
}

/// Reads `.name` or `["name"]` with a key of one token, and nothing otherwise.
pub(crate) fn path_key<'s>(source: &'s str, tokens: &mut Tokens<'s>) -> Option<Key<'s>> {
    let mut ahead = *tokens;
    let opener = ahead.bump_known().kind;
    let key = if matches!(opener, Kind::Dot | Kind::BracketOpen) { ahead.bump_known() } else { return None };
    let key = match (opener, key.kind) {
        (Kind::Dot, Kind::Name) => Key::Text(Text::Source(key.text(source))),
        (Kind::BracketOpen, kind) if ahead.take(Kind::BracketClose) => {
            let value = match kind {
                Kind::Number => Value::Number(number::parse(key.text(source).as_bytes())?),
                kind if kind.is_string() => Value::of_bytes(string::decode(key, source)),
                _ => return None,
            };
            Key::of(value).ok()?
        }
        _ => return None,
    };
    *tokens = ahead;
    Some(key)
}

/// Whether the function of this field of a metatable is called by operators and calls alone.
fn is_operation(key: &str) -> bool {
    matches!(
        key,
        "__call"
            | "__name"
            | "__tostring"
            | "__metatable"
            | "__eq"
            | "__lt"
            | "__le"
            | "__len"
            | "__concat"
            | "__unm"
            | "__add"
            | "__sub"
            | "__mul"
            | "__div"
            | "__mod"
            | "__pow"
    )
}

/// Skips expressions that are not constants.
impl<'s, C: Constants<'s>> Folder<'_, 's, C> {
    /// Skips past the token that closes the open bracket or block. The scan has checked that everything is closed.
    fn skip_to_close(&mut self) {
        let mut open = 1_u32;
        while open > 0 && self.tokens.peek().kind != Kind::End {
            let kind = self.tokens.bump_known().kind;
            if kind.opens() {
                open += 1;
            } else if kind.closes() {
                open -= 1;
            }
        }
    }

    fn skip_expression(&mut self) {
        self.skip_operand();
        while self.tokens.peek().kind.is_binary() {
            self.tokens.bump_known();
            self.skip_operand();
        }
    }

    fn skip_operand(&mut self) {
        while self.tokens.peek().kind.is_unary() {
            self.tokens.bump_known();
        }
        match self.tokens.peek().kind {
            Kind::Name => {
                self.tokens.bump_known();
                self.skip_suffixes();
            }
            Kind::ParenOpen => {
                self.tokens.bump_known();
                self.skip_to_close();
                self.skip_suffixes();
            }
            Kind::BraceOpen | Kind::Function => {
                self.tokens.bump_known();
                self.skip_to_close();
            }
            Kind::Number | Kind::Nil | Kind::True | Kind::False | Kind::Dots => {
                self.tokens.bump_known();
            }
            kind if kind.is_string() => {
                self.tokens.bump_known();
            }
            _ => {}
        }
    }

    /// Skips `.name`, `[key]`, `:method` and arguments. Returns why the value is no longer constant.
    pub(crate) fn skip_suffixes(&mut self) -> Option<Reason> {
        let mut reason = None;
        loop {
            match self.tokens.peek().kind {
                Kind::Dot | Kind::Colon => {
                    self.tokens.bump_known();
                    self.tokens.take(Kind::Name);
                    reason = reason.or(Some(Reason::Field));
                }
                Kind::BracketOpen => {
                    self.tokens.bump_known();
                    self.skip_to_close();
                    reason = reason.or(Some(Reason::Field));
                }
                Kind::ParenOpen | Kind::BraceOpen => {
                    self.tokens.bump_known();
                    self.skip_to_close();
                    reason = Some(Reason::Call);
                }
                kind if kind.is_string() => {
                    self.tokens.bump_known();
                    reason = Some(Reason::Call);
                }
                _ => return reason,
            }
        }
    }
}
