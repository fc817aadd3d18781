//! Posts, front matter and sidecars, read natively: no document makes the readers fail, and what they return is JSON,
//! places in the source, and within the bounds.
#![no_main]

use std::collections::BTreeSet;

use libfuzzer_sys::fuzz_target;
use wardroom_documents_guest::front_matter::{self, Field};
use wardroom_documents_guest::limits::{
    MAX_EXCERPT_CHARS, MAX_FIELDS, MAX_HEADINGS, MAX_LINKS, MAX_SLUG_BYTES, MAX_TEXT_BYTES,
};
use wardroom_documents_guest::post::{self, Post};
use wardroom_documents_guest::sidecar;

const PUBLIC_URL: &str = "https://example.com";

fuzz_target!(|source: &[u8]| {
    let lines = 1 + source.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count();
    for public_url in [None, Some(PUBLIC_URL)] {
        if let Ok(post) = post::read(source, public_url) {
            check_post(&post, source, lines);
            assert_eq!(post::read(source, public_url), Ok(post), "the same source gives the same post");
        }
    }
    if let Ok(front_matter) = front_matter::read(source) {
        check_fields(&front_matter.fields, lines);
        let text = std::str::from_utf8(source).expect("UTF-8");
        assert!(text.is_char_boundary(front_matter.body_start as usize));
    }
    if let Ok(fields) = sidecar::read(source) {
        check_fields(&fields, lines);
    }
});

fn check_post(post: &Post, source: &[u8], lines: usize) {
    let Post { fields, body_start, text, word_count, excerpt, links, headings } = post;
    check_fields(fields, lines);
    assert!(std::str::from_utf8(source).expect("UTF-8").is_char_boundary(*body_start as usize));
    assert!(text.len() <= MAX_TEXT_BYTES && *word_count as usize <= text.len());
    // And an ellipsis.
    assert!(excerpt.chars().count() <= MAX_EXCERPT_CHARS + 1, "{excerpt}");
    assert!(links.len() <= MAX_LINKS && headings.len() <= MAX_HEADINGS);
    assert!(links.is_sorted_by_key(|link| link.line) && headings.is_sorted_by_key(|heading| heading.line));
    for link in links {
        assert!((1..=MAX_SLUG_BYTES).contains(&link.slug.len()) && !link.slug.contains('/'), "{link:?}");
        assert!((1..=lines).contains(&(link.line as usize)), "{link:?}");
    }
    for heading in headings {
        assert!((1..=6).contains(&heading.level) && !heading.text.contains('\n'), "{heading:?}");
        assert!((1..=lines).contains(&(heading.line as usize)), "{heading:?}");
    }
}

fn check_fields(fields: &[Field], lines: usize) {
    assert!(fields.len() <= MAX_FIELDS);
    let names: BTreeSet<&str> = fields.iter().map(|field| field.name.as_str()).collect();
    assert_eq!(names.len(), fields.len(), "no name occurs twice");
    for field in fields {
        let value: serde_json::Value = serde_json::from_str(&field.json).expect("JSON");
        assert!((1..=lines).contains(&(field.line as usize)), "{field:?}");
        assert_eq!(field.text.is_none(), value.is_null() || value.is_array() || value.is_object(), "{field:?}");
    }
}
