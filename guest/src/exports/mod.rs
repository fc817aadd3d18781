//! The component's exports: the interfaces of `wit/`, through generated bindings.
//!
//! Owns: the conversion between the interfaces' types and the parsers', one file per interface. Without WASI, the
//! command is left out, since it has no input to read, and with it every import.
//! Never: decides anything; the parsers do.

mod package_meta;
mod resource_id;
#[cfg(target_os = "wasi")]
mod run;

#[expect(unsafe_code, reason = "generated: the canonical ABI passes pointers")]
#[expect(clippy::pedantic, reason = "generated")]
mod bindings {
    #[cfg(target_os = "wasi")]
    wit_bindgen::generate!({ path: "../wit", world: "component" });
    #[cfg(not(target_os = "wasi"))]
    wit_bindgen::generate!({ path: "../wit", world: "parsers" });
    export!(Component with_types_in self);
    use super::Component;
}

/// The type that implements all exports.
struct Component;
