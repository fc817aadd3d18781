//! The component's exports: the interfaces of `wit/`, by way of generated bindings.
//!
//! Owns: the conversion between the interfaces' types and ours, one file an interface.
//! Never: decides anything; the parsers do.

mod package_meta;
mod resource_id;
mod run;

#[expect(unsafe_code, reason = "generated: the canonical ABI passes pointers")]
#[expect(clippy::pedantic, reason = "generated")]
mod bindings {
    wit_bindgen::generate!({ path: "../wit", world: "component" });
    export!(Component with_types_in self);
    use super::Component;
}

/// What all exports are implemented on.
struct Component;
