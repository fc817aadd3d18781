//! How deep a text in TOML is nested, found before anything is built from it.
//!
//! Owns: the check. Dotted names nest without a bracket and multiply with bracketed ones, so the parser's own limit on
//! brackets does not limit the depth of what it builds, which is freed recursively.
//! Never: builds anything.

use toml_parser::parser::{EventReceiver, parse_document};
use toml_parser::{ErrorSink, Source, Span};

use crate::error::ParseError;
use crate::limits::MAX_DEPTH;

/// Checks the nesting of a block. It is never counted too low, and of headers up to twice too high: any part of one may be
/// a list of tables.
pub(super) fn check(block: &str) -> Result<(), ParseError> {
    let (tracker, malformed) = track(block);
    if let Some(at) = tracker.too_deep_at {
        return Err(ParseError::TooDeep { at });
    }
    // The parser would continue after an error and build what it can.
    malformed.map_or(Ok(()), |error| {
        let at = error.unexpected().or(error.context()).map_or(0, |span| span.start());
        Err(ParseError::malformed(at, format!("not TOML: {}", error.description())))
    })
}

/// Returns where the first header (`[name]`) begins.
pub(crate) fn first_header(block: &str) -> Option<usize> {
    track(block).0.first_header
}

fn track(block: &str) -> (Tracker, Option<toml_parser::ParseError>) {
    let tokens = Source::new(block).lex().into_vec();
    let (mut tracker, mut malformed) = (Tracker::default(), None::<toml_parser::ParseError>);
    parse_document(&tokens, &mut tracker, &mut malformed);
    (tracker, malformed)
}

/// The tables and lists around the current place.
#[derive(Default)]
struct Tracker {
    /// Levels around the current name: of the header, of the open brackets, and of the names before those.
    depth: usize,
    /// The dots of the current name.
    dots: usize,
    /// The dots of the name before each open bracket.
    open_brackets: Vec<usize>,
    too_deep_at: Option<usize>,
    first_header: Option<usize>,
}

impl Tracker {
    fn check(&mut self, depth: usize, span: Span) -> bool {
        if depth > 2 * MAX_DEPTH {
            self.too_deep_at.get_or_insert(span.start());
        }
        self.too_deep_at.is_none()
    }

    fn begin_header(&mut self, span: Span) {
        self.first_header.get_or_insert(span.start());
        (self.depth, self.dots) = (0, 0);
        self.open_brackets.clear();
    }

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

impl EventReceiver for Tracker {
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
        // A line end between brackets does not end the name.
        if self.open_brackets.is_empty() {
            self.dots = 0;
        }
    }
}
