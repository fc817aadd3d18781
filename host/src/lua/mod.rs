//! Lua: the strategies that run, and what they see.
//!
//! Owns: the library that every script has (`alc`, `json`), and the conversion between Lua's values and JSON.
//! Never: touches a file, a clock or randomness; every effect of a script is an operation of its [`Host`].

mod host;
pub(crate) mod library;
pub(crate) mod values;

pub use self::host::Host;
pub use self::library::type_stubs;

/// What tests outside the crate drive without a worker process.
#[doc(hidden)]
pub mod testing {
    pub use super::library::{builtin_module, install};
    pub use super::values::{decode, from_json, to_json};
}
