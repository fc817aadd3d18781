//! Allocates without bound, and writes to the memory.

wardroom_hostile_guests::hostile! {
    const CHUNK: usize = 1 << 20;

    fn attempt() -> Answer {
        let mut chunks: Vec<Vec<u8>> = Vec::new();
        loop {
            chunks.push(vec![1; CHUNK]);
            std::hint::black_box(&chunks);
        }
    }
}
