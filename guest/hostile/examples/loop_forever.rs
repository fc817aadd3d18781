//! Never returns.

wardroom_hostile_guests::hostile! {
    fn attempt() -> Answer {
        let mut turns = 0_u64;
        loop {
            turns = std::hint::black_box(turns.wrapping_add(1));
        }
    }
}
