//! How deep a TOML document is nested, found before anything is built from it.
//!
//! Owns: the count. Dotted keys nest without a bracket and multiply with bracketed ones, so the parser's own limit on
//! brackets does not limit the depth of what it builds, which is freed recursively.
//! Never: builds anything.

use toml_parser::parser::{EventReceiver, parse_document};
use toml_parser::{ErrorSink, ParseError, Source, Span};

/// The deepest nesting that a document may have.
#[derive(Debug, Clone, Copy)]
pub struct NestingLimits {
    /// Tables and arrays around a value, without the document itself.
    pub levels: usize,
    /// Open brackets, and parts of one key.
    pub parser_levels: usize,
}

/// What was found in a document. Each place is an offset in bytes.
#[derive(Debug)]
pub struct Nesting {
    /// Where it has more levels than it may have. It is never counted too low, and of headers up to twice too high: any part
    /// of one may be an array of tables.
    pub too_deep_at: Option<usize>,
    /// Where it has more brackets or parts of a key than it may have.
    pub too_deep_for_parser_at: Option<usize>,
    /// Where its first header (`[name]`) begins.
    pub first_header: Option<usize>,
    /// The first error. The parser would continue after it and build what it can.
    pub malformed: Option<ParseError>,
}

impl Nesting {
    /// Runs over the events that a document is built from.
    #[must_use]
    pub fn measure(text: &str, limits: NestingLimits) -> Self {
        let tokens = Source::new(text).lex().into_vec();
        let mut malformed = None;
        let mut position = Position {
            limits,
            depth: 0,
            dots: 0,
            open_brackets: Vec::new(),
            too_deep_at: None,
            too_deep_for_parser_at: None,
            first_header: None,
        };
        parse_document(&tokens, &mut position, &mut malformed);
        let Position { too_deep_at, too_deep_for_parser_at, first_header, .. } = position;
        Self { too_deep_at, too_deep_for_parser_at, first_header, malformed }
    }
}

/// Returns where an error is.
#[must_use]
pub fn error_offset(error: &ParseError) -> usize {
    error.unexpected().or(error.context()).map_or(0, |span| span.start())
}

/// The tables and arrays around the current position, and where they were first too many.
struct Position {
    limits: NestingLimits,
    /// Levels around the current key: of the header, of the open brackets, and of the keys before those.
    depth: usize,
    /// Tables that the current key has opened, one for each dot.
    dots: usize,
    /// The dots of the key before each open bracket.
    open_brackets: Vec<usize>,
    too_deep_at: Option<usize>,
    too_deep_for_parser_at: Option<usize>,
    first_header: Option<usize>,
}

impl Position {
    /// Checks the position against the limits.
    fn check(&mut self, deepest: usize, span: Span) -> bool {
        if deepest > self.limits.levels {
            self.too_deep_at.get_or_insert(span.start());
        }
        if self.open_brackets.len().max(self.dots + 1) > self.limits.parser_levels {
            self.too_deep_for_parser_at.get_or_insert(span.start());
        }
        self.too_deep_at.is_none()
    }

    fn begin_header(&mut self, span: Span) {
        self.first_header.get_or_insert(span.start());
        (self.depth, self.dots) = (0, 0);
        self.open_brackets.clear();
    }

    /// Any part of a header can be an array of tables, so each part counts twice.
    fn end_header(&mut self, span: Span) {
        self.depth = 2 * (self.dots + 1);
        self.dots = 0;
        self.check(self.depth, span);
    }

    fn begin_bracket(&mut self, span: Span) -> bool {
        self.open_brackets.push(self.dots);
        self.depth += self.dots + 1;
        self.dots = 0;
        self.check(self.depth, span)
    }

    fn end_bracket(&mut self) {
        if let Some(dots) = self.open_brackets.pop() {
            self.depth = self.depth.saturating_sub(dots + 1);
            self.dots = dots;
        }
    }
}

impl EventReceiver for Position {
    fn std_table_open(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.begin_header(span);
    }

    fn std_table_close(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.end_header(span);
    }

    fn array_table_open(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.begin_header(span);
    }

    fn array_table_close(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.end_header(span);
    }

    fn inline_table_open(&mut self, span: Span, _error: &mut dyn ErrorSink) -> bool {
        self.begin_bracket(span)
    }

    fn inline_table_close(&mut self, _span: Span, _error: &mut dyn ErrorSink) {
        self.end_bracket();
    }

    fn array_open(&mut self, span: Span, _error: &mut dyn ErrorSink) -> bool {
        self.begin_bracket(span)
    }

    fn array_close(&mut self, _span: Span, _error: &mut dyn ErrorSink) {
        self.end_bracket();
    }

    fn key_sep(&mut self, span: Span, _error: &mut dyn ErrorSink) {
        self.dots += 1;
        self.check(self.depth + self.dots, span);
    }

    fn value_sep(&mut self, _span: Span, _error: &mut dyn ErrorSink) {
        self.dots = 0;
    }

    fn newline(&mut self, _span: Span, _error: &mut dyn ErrorSink) {
        // A line end between brackets does not end the key.
        if self.open_brackets.is_empty() {
            self.dots = 0;
        }
    }
}
