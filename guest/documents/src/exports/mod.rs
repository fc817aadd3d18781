//! The component's exports: the interfaces of `wit/documents/`, through generated bindings.
//!
//! Owns: the conversion between the interfaces' types and the parsers', one file per interface.
//! Never: decides anything; the parsers do.

mod document;
mod image;
mod script_check;
mod template_check;

#[expect(unsafe_code, reason = "generated: the canonical ABI passes pointers")]
#[expect(clippy::pedantic, reason = "generated")]
mod bindings {
    wit_bindgen::generate!({ path: "../../wit/documents", world: "parsers" });
    export!(Component with_types_in self);
    use super::Component;
}

/// The type that implements all exports.
struct Component;
