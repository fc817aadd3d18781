//! Traps.

wardroom_hostile_guests::hostile! {
    fn attempt() -> Answer {
        std::process::abort()
    }
}
