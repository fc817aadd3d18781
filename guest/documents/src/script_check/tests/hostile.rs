//! Hostile scripts: nesting, length, and sources that are built to take time.

use wardroom_lua_syntax::lexer::READ;

use super::super::limits::{MAX_DEPTH, MAX_SOURCE_BYTES};
use super::{check, problems};
use crate::problem::MAX_PROBLEMS;

/// The most times that a byte is read: as the next token, and when the parser looks one token further.
const READS: usize = 2;

/// Checks in a thread whose stack is no larger than a guest's.
fn check_on_small_stack(source: String) -> Vec<String> {
    // Frames without optimisation are several times larger than those of the component.
    let stack = if cfg!(debug_assertions) { 2 << 20 } else { 512 << 10 };
    std::thread::Builder::new().stack_size(stack).spawn(move || problems(source)).unwrap().join().unwrap()
}

/// How deep each construct goes, in levels a repetition.
const NESTED: [(&str, &str, &str, usize); 14] = [
    ("x = ", "(", "1)", 1),
    ("x = ", "{", "}", 1),
    ("x = ", "{a=", "}", 1),
    ("x = ", "{[", "]=1}", 1),
    ("x = ", "- ", "", 1),
    ("x = ", "2 ^ ", "", 1),
    ("x = ", "'a' .. ", "", 1),
    ("x = ", "f(", ")", 1),
    ("x = ", "a[", "]", 1),
    ("x = ", "function() return ", " end", 2),
    ("", "do ", " end", 1),
    ("", "if x then ", " end", 1),
    ("", "repeat ", " until x", 1),
    ("", "function f() ", " end", 1),
];

#[test]
fn nesting_is_limited() {
    let limit = MAX_DEPTH as usize;
    for (start, open, close, levels) in NESTED {
        let nested = |n: usize| {
            let inner = if start.is_empty() {
                ""
            } else if close == "1)" {
                "1"
            } else {
                "y"
            };
            let close = if close == "1)" { ")" } else { close };
            format!("{start}{}{inner}{}", open.repeat(n), close.repeat(n))
        };
        // The statement itself and the innermost expression take a level each.
        assert_eq!(check_on_small_stack(nested(limit / levels - 2)), [""; 0], "{open}");
        let refused = check_on_small_stack(nested(20_000));
        assert_eq!(refused.len(), 1, "{open}");
        assert!(refused[0].ends_with("chunk has too many syntax levels (the limit is 190)"), "{open}: {}", refused[0]);
    }
    let refused = check_on_small_stack(format!("a{} = 1", ", a".repeat(100_000)));
    assert!(refused[0].contains("too many syntax levels"));
    let refused = check_on_small_stack("::a::".repeat(1_000));
    assert!(refused.iter().any(|problem| problem.contains("already defined")), "{refused:?}");
}

#[test]
fn long_chain_is_no_nesting() {
    for source in [
        format!("x = 1{}", " + 1".repeat(100_000)),
        format!("x = a{}", ".b".repeat(100_000)),
        format!("x = a{}", "[1]".repeat(100_000)),
        format!("f{}", "()".repeat(100_000)),
        format!("if x then {} end", "elseif y then ".repeat(70_000)),
        format!("x = {{ {} }}", "1, ".repeat(100_000)),
        "do end ".repeat(100_000),
        ";".repeat(MAX_SOURCE_BYTES),
    ] {
        assert_eq!(check_on_small_stack(source), [""; 0]);
    }
}

#[test]
fn size_and_number_of_problems_are_limited() {
    assert_eq!(problems(" ".repeat(MAX_SOURCE_BYTES)), [""; 0]);
    assert_eq!(problems(" ".repeat(MAX_SOURCE_BYTES + 1)), ["1:1: script is longer than 1048576 bytes"]);
    assert_eq!(check("break ".repeat(1_000).as_bytes()).len(), MAX_PROBLEMS);
    let gotos = check("goto a ".repeat(1_000).as_bytes());
    assert_eq!(gotos.len(), MAX_PROBLEMS);
    let long = "x".repeat(100_000);
    for source in [format!("{long} {long}"), format!("goto {long}"), format!("x = '{long}' '{long}'")] {
        let found = problems(source);
        assert!(found.len() == 1 && found[0].len() < 200, "{found:?}");
    }
}

#[test]
fn source_is_read_twice_at_most() {
    let units = [
        "{a ",
        "{a 'b' ",
        "a,",
        "x = {a, a, a} ",
        "local a ",
        "a = 1 ",
        "goto a ",
        "::a:: ",
        "[[",
        "--[[ ",
        "f{a} ",
        "'\\z  ",
        "do local a goto b end ",
        "function f() ",
        "repeat goto a until x ",
        "1 ",
        "{[a]=1,",
        "a.b.c ",
    ];
    for unit in units {
        for (start, end) in [("", ""), ("x = {", "}"), ("do ", " end")] {
            let source = format!("{start}{}{end}", unit.repeat(200_000 / unit.len()));
            let before = READ.get();
            let _found = check(source.as_bytes());
            let read = READ.get() - before;
            assert!(read <= READS * source.len(), "{unit}: {read} bytes of {}", source.len());
        }
    }
}

#[test]
fn every_truncation_gets_an_answer() {
    let source =
        "local a <const> = {[1]=2; 'x'} function a.b:c(...) for i=1,2 do goto l ::l:: end return -...  end --[==[ ]==]";
    for len in 0..source.len() {
        let _found = check(&source.as_bytes()[..len]);
    }
    assert_eq!(problems(source), [""; 0]);
}
