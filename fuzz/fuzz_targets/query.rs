//! The queries of a blog, by the rules that split its posts into words: no text makes them fail, and a text has its own words.
#![no_main]

// The files themselves: their crate would bring wasmtime.
#[expect(dead_code, reason = "the crate uses the rest")]
#[path = "../../host/crates/blog/src/limits.rs"]
mod limits;
#[path = "../../host/crates/blog/src/search/query.rs"]
mod query;
#[path = "../../host/crates/blog/src/search/snippet.rs"]
mod snippet;
#[expect(dead_code, reason = "the crate uses the rest")]
#[path = "../../host/crates/blog/src/search/words.rs"]
mod words;

use libfuzzer_sys::fuzz_target;

use query::{Exactness, QueryPart, parse_query};
use snippet::SnippetWords;
use words::split_words;

fuzz_target!(|texts: (&str, &str)| {
    let (query, body) = texts;
    let languages = ["en".to_owned(), "de".to_owned(), "el".to_owned()];
    for word in split_words(body) {
        assert!(word.start < word.end && body.get(word.start..word.end).is_some());
        assert!(!word.folded.is_empty());
    }
    let parts = parse_query(query).parts;
    assert!(parts.len() <= limits::MAX_QUERY_WORDS);
    for part in &parts {
        match part {
            QueryPart::Word(word) | QueryPart::Prefix(word) => assert!(!word.folded.is_empty()),
            QueryPart::Phrase(words) => assert!(words.len() > 1),
        }
    }
    let mut words = SnippetWords::new(&parts, &languages, Exactness::Exact);
    let _ = words.snippet(body, &languages);
    let own = words.snippet(query, &languages);
    let has_word = parts.iter().any(|part| matches!(part, QueryPart::Word(_) | QueryPart::Prefix(_)));
    assert!(
        !has_word || own.is_some_and(|own| own.to_marked_text().contains("<<")),
        "{query:?} has no word of its own"
    );
});
