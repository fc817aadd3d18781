//! Reads standard input, which belongs to the host's client.

wardroom_hostile_guests::hostile! {
    use std::io::Read;

    fn attempt() -> Answer {
        let mut bytes = [0; 4096];
        match std::io::stdin().read(&mut bytes) {
            Ok(0) => Answer::refused("0 bytes"),
            Ok(n_bytes) => Answer::found(format_args!("{n_bytes} bytes")),
            Err(error) => Answer::refused(error),
        }
    }
}
