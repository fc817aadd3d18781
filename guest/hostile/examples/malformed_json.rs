//! Answers with something that is not JSON.

wardroom_hostile_guests::hostile! {
    fn attempt() -> Answer {
        Answer::json("{\"a\":")
    }
}
