//! Reads the command line.

wardroom_hostile_guests::hostile! {
    fn attempt() -> Answer {
        match std::env::args_os().count() {
            0 => Answer::refused("0 arguments"),
            n_arguments => Answer::found(format_args!("{n_arguments} arguments")),
        }
    }
}
