//! Recurses without bound.

wardroom_hostile_guests::hostile! {
    use wardroom_hostile_guests::attempts::recurse as attempt;
}
