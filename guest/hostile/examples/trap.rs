//! Traps.

wardroom_hostile_guests::hostile! {
    use wardroom_hostile_guests::attempts::trap as attempt;
}
