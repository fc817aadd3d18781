//! Recurses without bound.

wardroom_hostile_guests::hostile! {
    fn attempt() -> Answer {
        Answer::json(deeper(std::hint::black_box(1)).to_string())
    }

    #[expect(unconditional_recursion, reason = "what this guest is for")]
    fn deeper(depth: u64) -> u64 {
        // Work after the call, so that it cannot become a loop.
        std::hint::black_box(deeper(std::hint::black_box(depth.wrapping_add(1)))) ^ std::hint::black_box(depth)
    }
}
