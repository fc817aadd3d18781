//! Does nothing forbidden: shows that the other guests fail for what they try, not for how they are built.

wardroom_hostile_guests::hostile! {
    fn attempt() -> Answer {
        Answer::json("{\"ok\":true}")
    }
}
