//! Reads the environment.

wardroom_hostile_guests::hostile! {
    fn attempt() -> Answer {
        match std::env::vars_os().count() {
            0 => Answer::refused("0 variables"),
            n_variables => Answer::found(format_args!("{n_variables} variables")),
        }
    }
}
