//! Writes to standard output and standard error. The guest cannot distinguish a sink that discards the bytes from one
//! that shows them: the host's test watches its own output.

wardroom_hostile_guests::hostile! {
    use std::io::Write;

    fn attempt() -> Answer {
        const NOISE: &[u8] = b"written by a guest\n";
        let stdout = std::io::stdout().write_all(NOISE).and_then(|()| std::io::stdout().flush());
        let stderr = std::io::stderr().write_all(NOISE);
        match stdout.and(stderr) {
            Ok(()) => Answer::found("the bytes were taken"),
            Err(error) => Answer::refused(error),
        }
    }
}
