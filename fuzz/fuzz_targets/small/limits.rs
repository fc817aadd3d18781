//! The bounds of the server, some of them small: short inputs reach them, and cross every border between two pieces.

#[path = "../../../host/src/limits.rs"]
mod real;

pub use real::*;

// ---- lines -----------------------------------------------------------------------------------------------------------

pub const ROWS_CHUNK_BYTES: usize = 48;
pub const INDEX_STRIDE_BYTES: u64 = 64;
pub const INDEX_FILE_FROM_BYTES: u64 = 100;
pub const MAX_ROW_BYTES: usize = 150;
pub const LIGHT_SPAN_BYTES: u64 = 200;

// ---- stdio -----------------------------------------------------------------------------------------------------------

pub const MAX_LINE_BYTES: usize = 300;
pub const LINE_HEAD_BYTES: usize = 80;
pub const MAX_LINE_VALUES: usize = 20;
