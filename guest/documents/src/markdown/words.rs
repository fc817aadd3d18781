//! How many words a text has.
//!
//! Owns: the rule. A word is a run of characters that are neither spaces nor punctuation and of which one is a letter or a
//! digit. An apostrophe, hyphen, full stop, underscore or `@` between two such characters does not end it, nor does a comma
//! or colon between two digits: `don't`, `well-known`, `example.com` and `12:30` are one word each. A Han, kana or bopomofo
//! character is a word by itself, as in word processors. Thai, Lao, Burmese and Khmer put no spaces between words: each five
//! characters begun of a run count as one.
//! Never: needs a table of Unicode; every character without a rule of its own is part of a word.

/// The characters of a word in scripts without spaces between words, roughly.
const CHARS_PER_UNSPACED_WORD: usize = 5;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Break,
    /// Part of a word only between others.
    Joiner,
    /// A joiner between digits alone.
    DigitJoiner,
    Han,
    Unspaced,
    Other,
}

/// Counts the words of a text.
pub(crate) fn count(text: &str) -> usize {
    let mut words = 0_usize;
    let mut run = Run::default();
    let mut chars = text.chars().peekable();
    let mut previous = ' ';
    while let Some(char) = chars.next() {
        // Nearly all characters of most texts.
        if char.is_ascii_alphanumeric() {
            run.has_letter = true;
            previous = char;
            continue;
        }
        let next = chars.peek().copied().unwrap_or(' ');
        match class(char) {
            Class::Joiner if joins(previous) && joins(next) => {}
            Class::DigitJoiner if previous.is_numeric() && next.is_numeric() => {}
            Class::Break | Class::Joiner | Class::DigitJoiner => words += run.end(),
            Class::Han => words += run.end() + 1,
            Class::Unspaced => run.unspaced += 1,
            Class::Other => run.has_letter |= char.is_alphanumeric(),
        }
        previous = char;
    }
    words + run.end()
}

/// The characters since the last break.
#[derive(Default)]
struct Run {
    has_letter: bool,
    unspaced: usize,
}

impl Run {
    fn end(&mut self) -> usize {
        let run = std::mem::take(self);
        let unspaced = if run.unspaced == 0 { 0 } else { run.unspaced.div_ceil(CHARS_PER_UNSPACED_WORD) };
        usize::from(run.has_letter) + unspaced
    }
}

fn joins(char: char) -> bool {
    class(char) == Class::Other
}

fn class(char: char) -> Class {
    match char {
        ' ' | '\n' => Class::Break,
        '\'' | '’' | '-' | '.' | '_' | '@' => Class::Joiner,
        ',' | ':' => Class::DigitJoiner,
        _ if char.is_ascii() => {
            if char.is_ascii_alphanumeric() {
                Class::Other
            } else {
                Class::Break
            }
        }
        '\u{200c}' | '\u{200d}' | '\u{ad}' | '\u{2010}' | '\u{2011}' => Class::Other,
        _ if char.is_whitespace() || char.is_control() => Class::Break,
        // Punctuation of Latin-1, general punctuation, arrows to dingbats, CJK and fullwidth punctuation.
        '\u{a1}'..='\u{a9}'
        | '\u{ab}'..='\u{b1}'
        | '\u{b4}'
        | '\u{b6}'..='\u{b8}'
        | '\u{bb}'
        | '\u{bf}'
        | '×'
        | '÷' => Class::Break,
        '\u{2000}'..='\u{206f}' | '\u{2190}'..='\u{2bff}' | '\u{2e00}'..='\u{2e7f}' => Class::Break,
        '\u{3001}'..='\u{3003}' | '\u{3008}'..='\u{3020}' | '\u{3030}' | '\u{30fb}' => Class::Break,
        '\u{ff01}'..='\u{ff0f}' | '\u{ff1a}'..='\u{ff20}' | '\u{ff3b}'..='\u{ff40}' | '\u{ff5b}'..='\u{ff65}' => {
            Class::Break
        }
        '،' | '؛' | '؟' | '۔' | '।' | '॥' | '\u{fe30}'..='\u{fe4f}' => Class::Break,
        '\u{2e80}'..='\u{2fdf}' | '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{312f}' | '\u{31a0}'..='\u{31ff}' => {
            Class::Han
        }
        '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9d}' => {
            Class::Han
        }
        '\u{1b000}'..='\u{1b16f}' | '\u{20000}'..='\u{3ffff}' => Class::Han,
        '\u{e01}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17d3}' => Class::Unspaced,
        _ => Class::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_counted_by_the_rule() {
        for (text, words) in [
            ("", 0),
            ("  \n — … * # ", 0),
            ("one two\nthree", 3),
            ("don't well-known example.com a@b.org 3.14 1,000 12:30 snake_case it’s", 9),
            ("end. Next, then; (so) \"quoted\" a/b foo,bar x—y", 11),
            ("- -- ' . a-", 1),
            ("Grüße aus Köln, naïve café", 5),
            ("e\u{301}te\u{301} हिन्दी शब्द مرحبا، بالعالم", 5),
            ("日本語のテスト", 7),
            ("中文 and English混合", 6),
            ("한국어 단어", 2),
            ("สวัสดีชาวโลก ครับ", 4),
            ("😀 a😀b", 1),
            ("[[gallery id=\"x\"]]", 3),
        ] {
            assert_eq!(count(text), words, "{text}");
        }
    }
}
