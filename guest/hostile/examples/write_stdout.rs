//! Writes to standard output and standard error.

wardroom_hostile_guests::hostile! {
    use wardroom_hostile_guests::attempts::write_stdout as attempt;
}
