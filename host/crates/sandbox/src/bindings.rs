//! The guest's interfaces as Rust types; they are generated nowhere else.
//!
//! Never: holds logic; `lib.rs` converts.

wasmtime::component::bindgen!({
    path: "../../../wit",
    world: "parsers",
});
