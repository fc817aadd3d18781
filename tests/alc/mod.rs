//! alc.
