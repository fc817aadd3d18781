//! Hostile templates: nesting, length, random changes, and sources that are built to take time.

use super::super::limits::{MAX_BLOCK_DEPTH, MAX_SOURCE_BYTES};
use super::super::token::READ;
use super::{EVERY_FORM, check, problems};
use crate::mutation::Random;
use crate::problem::MAX_PROBLEMS;

#[test]
fn nesting_is_limited() {
    let nested = |n: usize| format!("{}{}", "{% if a %}".repeat(n), "{% endif %}".repeat(n));
    assert_eq!(problems(nested(MAX_BLOCK_DEPTH)), [""; 0]);
    assert_eq!(problems(nested(MAX_BLOCK_DEPTH + 1)), ["1:1001: blocks are nested deeper than 100 levels"]);
    let index = |n: usize| format!("{{{{ {}a{} }}}}", "a[".repeat(n), "]".repeat(n));
    assert_eq!(problems(index(16)), [""; 0]);
    assert_eq!(problems(index(17)), ["1:37: brackets are nested deeper than 16 levels"]);
    assert_eq!(problems(index(100_000)).len(), 1);
    assert_eq!(problems(format!("{{% if {} a %}}", "not ".repeat(1_000))).len(), MAX_PROBLEMS);
}

#[test]
fn size_and_number_of_problems_are_limited() {
    assert_eq!(problems("{".repeat(MAX_SOURCE_BYTES)).len(), MAX_PROBLEMS);
    assert_eq!(problems(" ".repeat(MAX_SOURCE_BYTES)), [""; 0]);
    assert_eq!(problems(" ".repeat(MAX_SOURCE_BYTES + 1)), ["1:1: template is longer than 1048576 bytes"]);
    assert_eq!(problems("{{ a | b }}".repeat(1_000)).len(), MAX_PROBLEMS);
    let long = "x".repeat(100_000);
    for source in [format!("{{{{ a | {long} }}}}"), format!("{{% {long} %}}"), format!("{{{{ a {long} }}}}")] {
        let found = problems(source);
        assert!(found.len() == 1 && found[0].len() < 200, "{found:?}");
    }
}

#[test]
fn every_truncation_gets_an_answer() {
    for len in 0..EVERY_FORM.len() {
        let found = check(&EVERY_FORM.as_bytes()[..len]);
        let text = str::from_utf8(&EVERY_FORM.as_bytes()[..len]);
        assert!(text.is_ok() || found.len() == 1, "{len}: {found:?}");
    }
}

#[test]
fn mutated_template_gets_an_answer() {
    let pieces: [&[u8]; 16] = [
        b"{{",
        b"}}",
        b"{%",
        b"%}",
        b"-",
        b"'",
        b"\"",
        b"|",
        b"{% if a %}",
        b"{% endif %}",
        b"{% raw %}",
        b"{% endraw %}",
        b"[",
        b"]",
        b"..",
        "é".as_bytes(),
    ];
    let mut random = Random::new(4);
    let mut correct = 0;
    for _ in 0..30_000 {
        let mut source = EVERY_FORM.as_bytes().to_vec();
        random.mutate(&mut source, &pieces);
        let found = check(&source);
        correct += usize::from(found.is_empty());
        let lines = 1 + source.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count();
        assert!(found.iter().all(|problem| problem.position.line as usize <= lines), "{found:?}");
        assert!(found.is_sorted_by_key(|problem| problem.position), "{found:?}");
    }
    assert!((1_000..29_000).contains(&correct), "{correct} are correct");
}

/// The most times that a byte is read: in the search for the end of each kind of tag, as a token, and as the token
/// after a name.
const READS: usize = 4;

#[test]
fn work_is_linear_in_source_size() {
    let units = [
        "{{",
        "{%",
        "{{ a }}",
        "{{ a",
        "{% if",
        "{% raw %}",
        "{{ 'a ",
        "{{ a | ",
        "}}",
        "%}",
        "{{ a[",
        "{% if a %}",
        "{ {",
        "{{ \"",
        "{% 'a",
        "{% a ",
        "{{ a | append: a: a",
    ];
    for unit in units {
        for (start, end) in [("", ""), ("{{ a ", " }}"), ("{% if a ", " %}"), ("{% comment %}", "")] {
            let source = format!("{start}{}{end}", unit.repeat(200_000 / unit.len()));
            let before = READ.get();
            let _found = check(source.as_bytes());
            let read = READ.get() - before;
            assert!(read <= READS * source.len(), "{start}{unit}: {read} bytes of {}", source.len());
        }
    }
}
