//! Lists the directories that it was given.

wardroom_hostile_guests::hostile! {
    use wardroom_hostile_guests::attempts::list_preopens as attempt;
}
