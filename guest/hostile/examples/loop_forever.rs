//! Never returns.

wardroom_hostile_guests::hostile! {
    use wardroom_hostile_guests::attempts::loop_forever as attempt;
}
