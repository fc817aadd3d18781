//! The check of templates, natively: no source makes it fail, and its problems are in the source, in order.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wardroom_documents_guest::problem::MAX_PROBLEMS;
use wardroom_documents_guest::template_check::check;

fuzz_target!(|source: &[u8]| {
    let problems = check(source);
    assert!(problems.len() <= MAX_PROBLEMS);
    assert!(problems.is_sorted_by_key(|problem| problem.position));
    let lines = 1 + source.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count();
    for problem in &problems {
        let (line, column) = (problem.position.line as usize, problem.position.column as usize);
        assert!((1..=lines).contains(&line) && (1..=source.len() + 1).contains(&column), "{problem:?}");
        assert!(!problem.message.is_empty() && problem.message.len() < 400, "{problem:?}");
    }
    assert_eq!(check(source), problems, "the same source has the same problems");
    // A template after another one, both without a mistake, is one without a mistake.
    if problems.is_empty() {
        assert_eq!(check(&[source, b"\n{% if a %}{{ b | escape }}{% endif %}", source].concat()), []);
    }
});
