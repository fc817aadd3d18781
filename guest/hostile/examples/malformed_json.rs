//! Answers with text that is not JSON.

wardroom_hostile_guests::hostile! {
    fn attempt() -> Answer {
        Answer::json("{\"a\":")
    }
}
