//! The content of one tag: values, filters, conditions and arguments.
//!
//! Owns: the grammar of the subset, and the names of its filters and operators.
//! Never: knows which tags are around.

use super::limits::MAX_INDEX_DEPTH;
use super::token::{Kind, Token, Tokens};
use crate::problem::{Halt, Problems, quoted};

/// The filters of the subset.
const FILTERS: [&[u8]; 7] = [b"escape", b"url_encode", b"default", b"append", b"i18n", b"markdown", b"slugify"];

/// Operators of Liquid that are words, without `and` and `or`.
const OTHER_WORD_OPERATORS: [&[u8]; 2] = [b"contains", b"not"];

/// Why the check of a tag ends early.
#[derive(Debug)]
pub(super) enum Interrupt {
    /// The check of the template ends.
    Halt,
    /// The rest of the tag cannot be understood.
    Mistake { at: usize, message: String },
    /// Another tag begins within this one.
    AnotherTag { at: usize },
}

impl From<Halt> for Interrupt {
    fn from(Halt: Halt) -> Self {
        Self::Halt
    }
}

/// The tokens of one tag after its name.
pub(super) struct Tag<'s, 'p> {
    tokens: Tokens<'s>,
    problems: &'p mut Problems,
}

impl<'s, 'p> Tag<'s, 'p> {
    pub(super) const fn new(tokens: Tokens<'s>, problems: &'p mut Problems) -> Self {
        Self { tokens, problems }
    }

    /// `value | filter: argument | filter`
    pub(super) fn output(&mut self) -> Result<(), Interrupt> {
        self.value(0)?;
        self.filters()?;
        self.end()
    }

    /// `name = value | filter`
    pub(super) fn assignment(&mut self) -> Result<(), Interrupt> {
        self.expect(Kind::Name, "the name of a variable")?;
        self.expect(Kind::Assign, "'='")?;
        self.output()
    }

    /// `name in list`
    pub(super) fn for_loop(&mut self) -> Result<(), Interrupt> {
        self.expect(Kind::Name, "the name of a variable")?;
        if !self.take_word(b"in") {
            return Err(self.expected("'in'"));
        }
        let list = self.tokens.peek();
        if matches!(list.kind, Kind::String | Kind::Number) {
            return Err(self.expected("a list"));
        }
        self.value(0)?;
        self.refuse_parameter("for")?;
        self.end()
    }

    /// `'name', parameter: value`
    pub(super) fn render(&mut self) -> Result<(), Interrupt> {
        self.expect(Kind::String, "the name of a template in quotes")?;
        self.refuse_parameter("render")?;
        while self.take(Kind::Comma) {
            self.expect(Kind::Name, "the name of a parameter")?;
            self.expect(Kind::Colon, "':'")?;
            self.value(0)?;
        }
        self.end()
    }

    /// `value == value and value > value or value`
    pub(super) fn condition(&mut self) -> Result<(), Interrupt> {
        loop {
            self.operand()?;
            if self.is_comparison()? {
                self.operand()?;
            }
            let is_word = self.take_word(b"and") || self.take_word(b"or");
            if !is_word && !self.take_foreign_conjunction()? {
                break;
            }
        }
        if self.tokens.peek().kind == Kind::Pipe {
            return Err(self.mistake("filters cannot be used in a condition: assign their result first".into()));
        }
        self.end()
    }

    fn operand(&mut self) -> Result<(), Interrupt> {
        loop {
            let token = self.tokens.peek();
            let is_not = token.kind == Kind::Name && self.tokens.text(token) == b"not" && self.continues_with_value();
            if !is_not && (token.kind != Kind::OtherOperator || self.tokens.text(token) != b"!") {
                return self.value(0);
            }
            self.unsupported_operator(token)?;
        }
    }

    /// Whether the token after the next one begins a value: `not` is a variable otherwise.
    fn continues_with_value(&self) -> bool {
        let mut ahead = self.tokens;
        ahead.bump();
        let token = ahead.peek();
        let is_operator = matches!(ahead.text(token), b"and" | b"or" | b"contains");
        matches!(token.kind, Kind::Name | Kind::String | Kind::Number | Kind::ParenOpen) && !is_operator
    }

    /// Takes an operator that compares. An unsupported one is reported, and counts as one.
    fn is_comparison(&mut self) -> Result<bool, Interrupt> {
        let token = self.tokens.peek();
        let text = self.tokens.text(token);
        match token.kind {
            Kind::Equal | Kind::Greater => {
                self.tokens.bump();
                Ok(true)
            }
            Kind::Assign => self.unsupported_operator(token).map(|()| true),
            Kind::OtherOperator if !matches!(text, b"&&" | b"||") => self.unsupported_operator(token).map(|()| true),
            Kind::Name if OTHER_WORD_OPERATORS.contains(&text) => self.unsupported_operator(token).map(|()| true),
            _ => Ok(false),
        }
    }

    /// Takes `&&` or `||`, and reports it.
    fn take_foreign_conjunction(&mut self) -> Result<bool, Interrupt> {
        let token = self.tokens.peek();
        let is_conjunction = token.kind == Kind::OtherOperator;
        if is_conjunction {
            self.unsupported_operator(token)?;
        }
        Ok(is_conjunction)
    }

    fn unsupported_operator(&mut self, token: Token) -> Result<(), Interrupt> {
        self.tokens.bump();
        let name = quoted(self.tokens.text(token));
        let message = format!("unsupported operator: {name} (supported are ==, >, and, or)");
        Ok(self.problems.add(token.start, message)?)
    }

    /// Reads a literal, or a variable with its properties.
    fn value(&mut self, depth: u32) -> Result<(), Interrupt> {
        match self.tokens.peek().kind {
            Kind::String | Kind::Number => {
                self.tokens.bump();
                Ok(())
            }
            Kind::Name => {
                self.tokens.bump();
                self.properties(depth)
            }
            Kind::ParenOpen => Err(self.mistake("ranges and parentheses are not supported".into())),
            Kind::OpenString => Err(self.mistake("the string is not closed before the end of the tag".into())),
            _ => Err(self.expected("a value")),
        }
    }

    fn properties(&mut self, depth: u32) -> Result<(), Interrupt> {
        loop {
            if self.take(Kind::Dot) {
                self.expect(Kind::Name, "the name of a property")?;
            } else if self.tokens.peek().kind == Kind::BracketOpen {
                if depth >= MAX_INDEX_DEPTH {
                    return Err(self.mistake(format!("brackets are nested deeper than {MAX_INDEX_DEPTH} levels")));
                }
                self.tokens.bump();
                self.value(depth + 1)?;
                self.expect(Kind::BracketClose, "']'")?;
            } else {
                return Ok(());
            }
        }
    }

    fn filters(&mut self) -> Result<(), Interrupt> {
        while self.take(Kind::Pipe) {
            let name = self.tokens.peek();
            self.expect(Kind::Name, "the name of a filter")?;
            let text = self.tokens.text(name);
            if !FILTERS.contains(&text) {
                self.problems.add(name.start, format!("unsupported filter: {}", quoted(text)))?;
            }
            if self.take(Kind::Colon) {
                self.argument()?;
                while self.take(Kind::Comma) {
                    self.argument()?;
                }
            }
        }
        Ok(())
    }

    /// `value` or `name: value`
    fn argument(&mut self) -> Result<(), Interrupt> {
        let mut ahead = self.tokens;
        if ahead.bump().kind == Kind::Name && ahead.peek().kind == Kind::Colon {
            ahead.bump();
            self.tokens = ahead;
        }
        self.value(0)
    }

    /// Refuses the parameters that Liquid allows after the list of a `for` and the name of a `render`.
    fn refuse_parameter(&self, tag: &str) -> Result<(), Interrupt> {
        let token = self.tokens.peek();
        if token.kind != Kind::Name {
            return Ok(());
        }
        let name = quoted(self.tokens.text(token));
        Err(self.mistake(format!("unsupported parameter of {tag}: {name}")))
    }

    pub(super) fn end(&self) -> Result<(), Interrupt> {
        let token = self.tokens.peek();
        match token.kind {
            Kind::End => Ok(()),
            Kind::OtherOperator | Kind::Equal | Kind::Greater => {
                let name = quoted(self.tokens.text(token));
                Err(self.mistake(format!("operator {name} cannot be used here")))
            }
            _ => Err(self.expected("the end of the tag")),
        }
    }

    fn take(&mut self, kind: Kind) -> bool {
        let found = self.tokens.peek().kind == kind;
        if found {
            self.tokens.bump();
        }
        found
    }

    fn take_word(&mut self, word: &[u8]) -> bool {
        let token = self.tokens.peek();
        let found = token.kind == Kind::Name && self.tokens.text(token) == word;
        if found {
            self.tokens.bump();
        }
        found
    }

    fn expect(&mut self, kind: Kind, what: &str) -> Result<(), Interrupt> {
        if self.take(kind) { Ok(()) } else { Err(self.expected(what)) }
    }

    #[cold]
    fn expected(&self, what: &str) -> Interrupt {
        let token = self.tokens.peek();
        let found = match token.kind {
            Kind::End => "the end of the tag".into(),
            Kind::OpenString => "a string that is not closed".into(),
            _ => format!("'{}'", quoted(self.tokens.text(token))),
        };
        self.mistake(format!("expected {what}, found {found}"))
    }

    /// Returns a mistake at the next token. Where that is another tag, the mistake is that this one is not closed.
    #[cold]
    fn mistake(&self, message: String) -> Interrupt {
        let token = self.tokens.peek();
        let at = token.start;
        if token.kind == Kind::TagOpen { Interrupt::AnotherTag { at } } else { Interrupt::Mistake { at, message } }
    }
}
