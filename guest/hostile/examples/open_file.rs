//! Opens files by absolute and relative paths, to read and to write.

wardroom_hostile_guests::hostile! {
    use wardroom_hostile_guests::attempts::open_file as attempt;
}
