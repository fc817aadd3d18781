//! Opens files by absolute and relative paths, to read and to write.

wardroom_hostile_guests::hostile! {
    use std::fs::{File, OpenOptions};

    const PATHS: [&str; 5] = ["/etc/passwd", "init.lua", "./init.lua", "../init.lua", "/"];

    fn attempt() -> Answer {
        let mut refusals = Vec::new();
        for path in PATHS {
            match File::open(path) {
                Ok(_) => return Answer::found(path),
                Err(error) => refusals.push(error.to_string()),
            }
        }
        match OpenOptions::new().write(true).create(true).truncate(true).open("left_behind") {
            Ok(_) => Answer::found("left_behind"),
            Err(error) => {
                refusals.push(error.to_string());
                Answer::refused(refusals.join("; "))
            }
        }
    }
}
