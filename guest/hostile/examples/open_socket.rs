//! Connects, listens, binds and resolves a name.

wardroom_hostile_guests::hostile! {
    use wardroom_hostile_guests::attempts::open_socket as attempt;
}
