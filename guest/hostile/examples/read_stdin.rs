//! Reads standard input, which belongs to the host's client.

wardroom_hostile_guests::hostile! {
    use wardroom_hostile_guests::attempts::read_stdin as attempt;
}
