//! Lists the directories that it was given.

wardroom_hostile_guests::hostile! {
    fn attempt() -> Answer {
        let mut refusals = Vec::new();
        for path in ["/", ".", ".."] {
            match std::fs::read_dir(path) {
                Ok(entries) => return Answer::found(format_args!("{path}: {} entries", entries.count())),
                Err(error) => refusals.push(error.to_string()),
            }
        }
        Answer::refused(refusals.join("; "))
    }
}
