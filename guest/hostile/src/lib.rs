//! Guests that each try one forbidden thing, to show that a host refuses it.
//!
//! Owns: the common parts of the guests: the attempts of several worlds, the exports around the attempt of a guest of
//! packages, and the form of its answer. `examples/documents.rs` is the one guest of documents.
//! Never: does anything when it is not built for WebAssembly; the attempts are then left out.

#[cfg(target_arch = "wasm32")]
pub mod attempts;

/// The result of an attempt that returns.
#[derive(Debug, Clone, Default)]
pub struct Answer {
    /// The metadata's JSON, as the host receives it.
    pub json: String,
    /// The number of unresolved entries in the answer.
    pub n_unresolved: usize,
}

impl Answer {
    /// Returns an answer with this JSON, well-formed or not.
    #[must_use]
    pub fn json(json: impl Into<String>) -> Self {
        Self { json: json.into(), n_unresolved: 0 }
    }

    /// Returns the answer of an attempt that succeeded.
    #[must_use]
    pub fn found(what: impl std::fmt::Display) -> Self {
        Self::json(format!("{{\"found\":\"{}\"}}", what.to_string().escape_default()))
    }

    /// Returns the answer of an attempt that was denied, with the reason.
    #[must_use]
    pub fn refused(why: impl std::fmt::Display) -> Self {
        Self::json(format!("{{\"refused\":\"{}\"}}", why.to_string().escape_default()))
    }
}

/// Makes a component of the world `parsers` whose `package-meta.extract` is `attempt`.
///
/// The body is a module's: it defines `fn attempt() -> Answer`. Natively it is left out as a whole.
#[macro_export]
macro_rules! hostile {
    ($($body:tt)*) => {
        #[cfg(target_arch = "wasm32")]
        mod guest {
            use $crate::Answer;

            $($body)*

            struct Guest;

            impl bindings::exports::wardroom::guest::package_meta::Guest for Guest {
                fn extract(
                    _name: String,
                    _source: Vec<u8>,
                ) -> Result<
                    bindings::exports::wardroom::guest::package_meta::Metadata,
                    bindings::exports::wardroom::guest::package_meta::ExtractError,
                > {
                    use bindings::exports::wardroom::guest::package_meta::{Metadata, Position, Unresolved};
                    let answer: Answer = attempt();
                    let entry = |n: usize| Unresolved {
                        path: format!("field_{n}"),
                        position: Position { line: 1, column: 1 },
                        reason: "calls a function".into(),
                    };
                    let unresolved = (0..answer.n_unresolved).map(entry).collect();
                    Ok(Metadata { json: answer.json, doc: None, unresolved })
                }

                fn inputs(
                    _name: String,
                    _source: Vec<u8>,
                ) -> Result<
                    bindings::exports::wardroom::guest::package_meta::CodeInputs,
                    bindings::exports::wardroom::guest::package_meta::ExtractError,
                > {
                    Err(bindings::exports::wardroom::guest::package_meta::ExtractError::TooMuch(0))
                }
            }

            impl bindings::exports::wardroom::guest::resource_id::Guest for Guest {
                fn check(
                    _kind: bindings::exports::wardroom::guest::resource_id::Kind,
                    _id: String,
                ) -> Result<(), String> {
                    Ok(())
                }

                fn parse(
                    _uri: String,
                ) -> Result<bindings::exports::wardroom::guest::resource_id::Resource, String> {
                    Err("not what this guest is for".into())
                }
            }

            #[expect(unsafe_code, reason = "generated: the canonical ABI passes pointers")]
            #[expect(clippy::all, clippy::pedantic, reason = "generated")]
            mod bindings {
                wit_bindgen::generate!({ path: "../../wit", world: "parsers" });
                export!(Guest with_types_in self);
                use super::Guest;
            }
        }
    };
}
