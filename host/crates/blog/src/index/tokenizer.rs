//! Words for the index, made by the threads that index.
//!
//! Owns: the form of an indexed text, whose lines have languages, and the positions of words: a stem stands where its word
//! does, and no phrase reaches from one line into another: the guest gives each paragraph on a line.
//! Never: decides what a word is; `search/words.rs` does, for queries too.

use std::str::Lines;

use tantivy::tokenizer::{Token, TokenStream, Tokenizer};

use super::group::GroupText;
use crate::search::words::{Stemmers, visit_words};

/// The name of the tokenizer in the schema.
pub(super) const TOKENIZER: &str = "blog";

/// A line that begins so says the language of those after it.
const LANGUAGE_MARK: char = '\u{1}';
/// The positions between two lines.
const LINE_GAP: usize = 8;

/// An indexed text under construction.
#[derive(Default)]
pub(super) struct IndexedText(String);

impl IndexedText {
    /// Adds parts of a text, each a line or several, in its language.
    pub(super) fn add<'t>(&mut self, text: &GroupText, parts: impl IntoIterator<Item = &'t str>, main_language: &str) {
        self.0.push(LANGUAGE_MARK);
        self.0.push_str(text.language.as_deref().unwrap_or(main_language));
        self.0.push('\n');
        for part in parts {
            if part.contains(LANGUAGE_MARK) {
                self.0.push_str(&part.replace(LANGUAGE_MARK, " "));
            } else {
                self.0.push_str(part);
            }
            self.0.push('\n');
        }
    }

    pub(super) fn into_string(self) -> String {
        self.0
    }
}

/// Splits indexed texts into words and their stems.
#[derive(Default)]
pub(super) struct BlogTokenizer {
    /// With the stems that they remember.
    stemmers: Stemmers,
}

/// Each thread has a tokenizer of its own.
impl Clone for BlogTokenizer {
    fn clone(&self) -> Self {
        Self::default()
    }
}

/// The words of one text.
pub(super) struct BlogTokenStream<'t> {
    stemmers: &'t mut Stemmers,
    lines: Lines<'t>,
    language: &'t str,
    line: LineWords,
    next_word: usize,
    position: usize,
    token: Token,
}

/// The words of a line, one after the other.
#[derive(Default)]
struct LineWords {
    text: String,
    /// The position of each, and where it ends in the text.
    words: Vec<(usize, usize)>,
}

impl LineWords {
    fn clear(&mut self) {
        self.text.clear();
        self.words.clear();
    }

    fn push(&mut self, position: usize, word: &str) {
        self.text.push_str(word);
        self.words.push((position, self.text.len()));
    }

    fn get(&self, at: usize) -> Option<(usize, &str)> {
        let (position, end) = self.words.get(at)?;
        let start = at.checked_sub(1).and_then(|before| self.words.get(before)).map_or(0, |(_, end)| *end);
        Some((*position, self.text.get(start..*end)?))
    }
}

impl Tokenizer for BlogTokenizer {
    type TokenStream<'t> = BlogTokenStream<'t>;

    fn token_stream<'t>(&'t mut self, text: &'t str) -> BlogTokenStream<'t> {
        BlogTokenStream {
            stemmers: &mut self.stemmers,
            lines: text.lines(),
            language: "",
            line: LineWords::default(),
            next_word: 0,
            position: 0,
            token: Token { position_length: 1, ..Token::default() },
        }
    }
}

impl BlogTokenStream<'_> {
    /// Splits the next line. Returns whether there was one.
    fn read_line(&mut self) -> bool {
        let Some(line) = self.lines.next() else { return false };
        if let Some(language) = line.strip_prefix(LANGUAGE_MARK) {
            self.language = language;
            return true;
        }
        self.line.clear();
        self.next_word = 0;
        let mut stemmer = self.stemmers.of(self.language);
        visit_words(line, |word| {
            if let Some(stem) = stemmer.as_mut().and_then(|stemmer| stemmer.stem(word)) {
                self.line.push(self.position, stem);
            }
            self.line.push(self.position, word.folded);
            self.position += 1;
        });
        self.position += LINE_GAP;
        true
    }
}

impl TokenStream for BlogTokenStream<'_> {
    fn advance(&mut self) -> bool {
        loop {
            if let Some((position, text)) = self.line.get(self.next_word) {
                self.token.position = position;
                self.token.text.clear();
                self.token.text.push_str(text);
                self.next_word += 1;
                return true;
            }
            if !self.read_line() {
                return false;
            }
        }
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stems_stand_with_their_words_and_lines_apart() {
        let mut text = IndexedText::default();
        let part = |language: &str| GroupText {
            language: Some(language.to_owned()),
            head: String::new(),
            body: String::new(),
        };
        text.add(&part("en"), ["Running home\n新书", "a\u{1}b"], "en");
        text.add(&part("de"), ["Häuser"], "en");
        let text = text.into_string();
        let mut tokenizer = BlogTokenizer::default();
        let mut stream = tokenizer.token_stream(&text);
        let mut found = Vec::new();
        while stream.advance() {
            found.push(format!("{} {}", stream.token().position, stream.token().text));
        }
        let expected = ["0 run", "0 running", "1 home", "10 新书", "11 书", "20 a", "21 b", "30 haus", "30 hauser"];
        assert_eq!(found, expected);
    }
}
