//! The guest's interfaces as Rust types: the only place where they are generated.
//!
//! Never: holds logic; `mod.rs` converts.

wasmtime::component::bindgen!({
    path: "../../../wit",
    world: "parsers",
});
