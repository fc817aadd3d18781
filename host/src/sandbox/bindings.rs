//! The guest's interfaces as Rust types: the only place where they are generated.
//!
//! Never: holds logic; `call.rs` converts.

wasmtime::component::bindgen!({
    path: "../wit",
    world: "parsers",
});
