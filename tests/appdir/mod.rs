//! The room that touches files, without any check above it.

mod lines;
mod races;
mod walls;
mod writes;
