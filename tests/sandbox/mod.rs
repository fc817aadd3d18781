//! The sandbox, with its own guest and with hostile ones.

mod guest;
mod hostile;
mod hosts;
mod ids;
