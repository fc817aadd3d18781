//! The protocol, as a client on a pipe sees it.

mod additions;
mod changes;
mod discovery;
mod ending;
mod ends;
mod flow;
mod hostile;
mod ids;
mod lines;
mod panics;
mod times;
mod wire;
