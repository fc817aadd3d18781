//! Allocates without bound, and writes to the memory.

wardroom_hostile_guests::hostile! {
    use wardroom_hostile_guests::attempts::allocate as attempt;
}
