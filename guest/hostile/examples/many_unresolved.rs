//! Answers with a million unresolved entries.

wardroom_hostile_guests::hostile! {
    fn attempt() -> Answer {
        Answer { json: "{}".into(), n_unresolved: 1_000_000 }
    }
}
