//! Answers with JSON that is nested deep enough to overflow the stack of a recursive reader.

wardroom_hostile_guests::hostile! {
    const DEPTH: usize = 100_000;

    fn attempt() -> Answer {
        Answer::json("[".repeat(DEPTH) + &"]".repeat(DEPTH))
    }
}
