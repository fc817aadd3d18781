//! Confinement: each wall alone, in a process of its own, and the binary behind all of them.

mod attempts;
mod requester;
mod roles;
mod server;
mod worker;

pub(crate) use attempts::version as landlock_version;
