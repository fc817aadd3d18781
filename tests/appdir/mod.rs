//! appdir.
