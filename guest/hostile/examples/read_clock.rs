//! Reads the clock.

wardroom_hostile_guests::hostile! {
    use wardroom_hostile_guests::attempts::read_clock as attempt;
}
