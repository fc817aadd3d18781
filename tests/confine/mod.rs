//! Confinement: each wall alone, in a process of its own, and the binary behind all of them.

mod attempts;
mod roles;
mod server;
mod worker;
