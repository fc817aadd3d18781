//! Extraction never lies: where it leaves nothing unresolved, a real Lua makes the same.

use wardroom_test_extract::choices::Choices;
use wardroom_test_extract::generate::program;
use wardroom_test_extract::inputs;
use wardroom_test_extract::oracle::{Outcome, compare};

/// Few enough to be run each time, and enough to have found each of the known ways to mislead extraction.
const PROGRAMS: u64 = 100_000;

#[derive(Debug, Default)]
struct Counts {
    same: u64,
    unresolved: u64,
    refused: u64,
    raises: u64,
}

#[test]
fn generated_programs_never_differ_in_silence() {
    let mut counts = Counts::default();
    let mut wrong = Vec::new();
    for seed in 0..PROGRAMS {
        let source = program(&mut Choices::Seeded(seed));
        match compare(&source) {
            Outcome::Same => counts.same += 1,
            Outcome::Unresolved => counts.unresolved += 1,
            Outcome::Refused => counts.refused += 1,
            Outcome::Raises => counts.raises += 1,
            Outcome::Differs { extracted, made } => wrong.push(format!("{seed}: {extracted} is {made}\n{source}")),
        }
    }
    println!("{counts:?}, {} wrong", wrong.len());
    wrong.sort_by_key(String::len);
    assert!(
        wrong.is_empty(),
        "{} programs differ; the shortest:\n{}",
        wrong.len(),
        wrong[..wrong.len().min(5)].join("\n")
    );
    // A generator whose programs say nothing would pass.
    assert!(counts.same > PROGRAMS / 20, "{counts:?}");
}

/// The programs whose inputs are compared. Of each that requires some, Lua runs one call for each.
const RUN_PROGRAMS: u64 = 50_000;

#[test]
fn call_without_a_required_input_always_fails() {
    let (mut required, mut wrong) = (0, Vec::new());
    for seed in 0..RUN_PROGRAMS {
        let source = inputs::program(&mut Choices::Seeded(seed));
        let (found, misjudged) = inputs::wrongly_required(&source);
        required += found.len();
        if !misjudged.is_empty() {
            wrong.push(format!("{seed}: {}\n{source}", misjudged.join(" ")));
        }
    }
    println!("{required} required, {} programs wrong", wrong.len());
    wrong.sort_by_key(String::len);
    assert!(wrong.is_empty(), "{} are wrong; the shortest:\n{}", wrong.len(), wrong[..wrong.len().min(5)].join("\n"));
    assert!(required > 5_000, "{required}");
}
