//! The sandbox, with its own guest and with hostile ones.
