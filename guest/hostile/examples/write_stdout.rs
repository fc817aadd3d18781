//! Writes to standard output and standard error. A sink that takes the bytes and shows them to nobody looks, from in
//! here, like one that shows them: the host's test watches its own output.

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
