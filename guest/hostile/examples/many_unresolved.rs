//! Answers with more unresolved entries than a host accepts, though they fit in its memory.

wardroom_hostile_guests::hostile! {
    fn attempt() -> Answer {
        Answer { json: "{}".into(), n_unresolved: 100_000 }
    }
}
