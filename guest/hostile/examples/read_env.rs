//! Reads the environment.

wardroom_hostile_guests::hostile! {
    use wardroom_hostile_guests::attempts::read_env as attempt;
}
