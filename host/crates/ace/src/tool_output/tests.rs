//! What real tools printed, read as errors.

use proptest::prelude::*;

use super::*;

/// Writes errors a line each: tool, severity, code, place, message.
fn read(output: &str) -> Vec<String> {
    let line = |error: &ReportedError| {
        let place =
            [error.line, error.column].into_iter().flatten().map(|number| format!(":{number}")).collect::<String>();
        format!("{} {} {} {}{place} {}", error.tool, error.severity, error.code, error.file, error.message)
    };
    parse(output).iter().map(line).collect()
}

#[test]
fn rust() {
    let build = [
        "rustc error E0432 src/lib.rs:1:5 unresolved import `std::collections::Harbour`",
        "rustc error E0277 src/lib.rs:4:18 cannot add `&str` to `u32`",
        "rustc error E0382 src/lib.rs:6:58 use of moved value: `name`",
    ];
    let text = read(include_str!("fixtures/cargo-build.txt"));
    assert_eq!(text[..3], build);
    assert_eq!(text[3], "rustc warning  src/lib.rs:6:44 unused variable: `other`");
    let json = read(include_str!("fixtures/cargo-json.txt"));
    assert_eq!(json[..3], build);
    assert_eq!(json[3], "rustc warning unused_variables src/lib.rs:6:44 unused variable: `other`");
    let mut tests = read(include_str!("fixtures/cargo-test.txt"));
    tests.sort_unstable();
    assert_eq!(
        tests,
        [
            "cargo-test error  src/lib.rs:10:55 called `Option::unwrap()` on a `None` value",
            "cargo-test error  src/lib.rs:8:27 assertion `left == right` failed: the tide",
        ]
    );
    assert_eq!(
        read(include_str!("fixtures/clippy.txt")),
        [
            "rustc warning clippy::needless_return src/lib.rs:2:5 unneeded `return` statement",
            "rustc warning clippy::ptr_arg src/lib.rs:4:19 writing `&Vec` instead of `&[_]` involves a new object where a \
             slice will do",
        ]
    );
    assert_eq!(
        read("thread 'main' panicked at 'it is over', src/main.rs:2:5\n"),
        ["cargo-test error  src/main.rs:2:5 it is over"]
    );
}

#[test]
fn typescript() {
    let errors = [
        "tsc error TS2307 src/tide.ts:1:22 Cannot find module './auth.js' or its corresponding type declarations.",
        "tsc error TS2322 src/tide.ts:2:54 Type 'number' is not assignable to type 'string'.",
        "tsc error TS2322 src/tide.ts:2:73 Type 'string' is not assignable to type 'number'.",
    ];
    assert_eq!(read(include_str!("fixtures/tsc.txt")), errors);
    assert_eq!(read(include_str!("fixtures/tsc-pretty.txt")), errors);
    assert_eq!(
        read("error TS5023: Unknown compiler option '--x'.\n"),
        ["tsc error TS5023  Unknown compiler option '--x'."]
    );
    assert_eq!(
        read(include_str!("fixtures/vitest.txt")),
        [
            "vitest error  src/tide.test.ts:3:39 AssertionError: expected 2 to be 3 // Object.is equality",
            "vitest error  src/tide.test.ts:4:53 TypeError: Cannot read properties of undefined (reading 'fall')",
        ]
    );
    let file = "/srv/harbour/ts/src/bad.js";
    let lints = |end: &str| {
        [
            format!("eslint warning no-var {file}:1:1 Unexpected var, use let or const instead{end}"),
            format!("eslint error no-undef {file}:2:5 'y' is not defined{end}"),
            format!("eslint error no-undef {file}:2:15 'console' is not defined{end}"),
        ]
    };
    assert_eq!(read(include_str!("fixtures/eslint.txt")), lints(""));
    assert_eq!(read(include_str!("fixtures/eslint-json.txt")), lints("."));
}

#[test]
fn python() {
    let failures = |folder: &str, class: &str| {
        [
            format!("pytest error {class} {folder}tests/test_tide.py:5 assert 1 == 4"),
            format!("pytest error ValueError {folder}tests/test_tide.py:8 ValueError: no harbour: x"),
        ]
    };
    assert_eq!(read(include_str!("fixtures/pytest-fail.txt")), failures("", "AssertionError"));
    assert_eq!(read(include_str!("fixtures/pytest-line.txt")), failures("/srv/harbour/py/", ""));
    assert_eq!(
        read(include_str!("fixtures/pytest-summary.txt")),
        [
            "pytest error  tests/test_tide.py assert 1 == 4",
            "pytest error ValueError tests/test_tide.py ValueError: no harbour: x",
        ]
    );
    assert_eq!(
        read(include_str!("fixtures/pytest.txt")),
        ["pytest error ModuleNotFoundError tests/test_gone.py:1 ModuleNotFoundError: No module named 'no_such_module'"]
    );
    assert_eq!(
        read(include_str!("fixtures/traceback.txt")),
        [
            "python error TypeError /srv/harbour/py/harbour.py:2 TypeError: unsupported operand type(s) for +: 'int' and 'str'"
        ]
    );
}

#[test]
fn other_tools() {
    assert_eq!(
        read(include_str!("fixtures/located.txt")),
        [
            "compiler error -Wfoo src/a.c:3:5 unknown type name \"x\"",
            "compiler error assignment src/a.py:1 Incompatible types"
        ]
    );
    for plain in [
        "12:30:45: error: no file\n",
        "http://x.example:80: error: no file\n",
        "error: test failed, to rerun pass `--lib`\n",
        "warning: `harbour` (lib) generated 1 warning\n",
        "error: could not compile `harbour` (lib) due to 2 previous errors\n",
        "  12:5  error  no file stands above  no-undef\n",
        "all 3 tests passed, 0 errors\n",
    ] {
        assert_eq!(read(plain), [""; 0], "{plain}");
    }
}

#[test]
fn several_tools_and_colours_are_read_in_one_output() {
    let both = [include_str!("fixtures/tsc.txt"), include_str!("fixtures/cargo-build.txt")].concat();
    assert_eq!(read(&both).len(), 7);
    // Each error is there once.
    assert_eq!(read(&[both.as_str(), &both].concat()).len(), 7);
    let coloured = "\u{1b}[1m\u{1b}[38;5;9merror[E0425]\u{1b}[0m\u{1b}[1m: cannot find `x`\u{1b}[0m\n \u{1b}[94m--> \u{1b}[0msrc/a.rs:1:2\n";
    assert_eq!(read(coloured), ["rustc error E0425 src/a.rs:1:2 cannot find `x`"]);
}

proptest! {
    #[test]
    fn any_output_is_read_within_bounds(lines in prop::collection::vec("(error|warning|E   |thread 'x' panicked at |FAIL  |File \"|  1:2  error  |a.rs:1:2|\\PC| |: |\u{1b}\\[){0,8}", 0..40)) {
        let found = parse(&lines.join("\n"));
        prop_assert!(found.len() <= MAX_PARSED_ERRORS);
        prop_assert!(found.iter().all(|error| !error.message.contains('\n')));
    }
}
