//! Reads the command line.

wardroom_hostile_guests::hostile! {
    use wardroom_hostile_guests::attempts::read_args as attempt;
}
