//! The guests' interfaces as Rust types; they are generated nowhere else.
//!
//! Never: holds logic; `packages` and `documents` convert.

pub(super) mod packages {
    wasmtime::component::bindgen!({
        path: "../../../wit",
        world: "parsers",
    });
}

pub(super) mod documents {
    wasmtime::component::bindgen!({
        path: "../../../wit/documents",
        world: "parsers",
    });
}
