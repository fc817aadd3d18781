//! The room that touches files, without any check above it.

mod races;
mod walls;
