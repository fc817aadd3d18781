//! The limits of a template's check.
//!
//! Owns: the numbers, each with the resource that a template could exhaust.
//! Never: decides what happens at a limit; that is a problem of the template.

/// The longest template that is checked. Real ones have a few KiB.
pub(crate) const MAX_SOURCE_BYTES: usize = 1024 * 1024;

/// The deepest nesting of `if` and `for`. Programs that render templates recurse once per level; Liquid's own limit is
/// this.
pub(crate) const MAX_BLOCK_DEPTH: usize = 100;

/// The deepest nesting of `a[b[c]]`. The check recurses once per level.
pub(crate) const MAX_INDEX_DEPTH: u32 = 16;
