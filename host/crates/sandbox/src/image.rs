//! The compiled guests: machine code made from the components by the build.
//!
//! Owns: the two embedded forms of each guest, and the `unsafe` call that maps machine code.
//! Never: reads an image from a file or from outside: foreign machine code would not be confined by anything.

use std::borrow::Cow;

use wasmtime::Engine;
use wasmtime::component::Component;

/// The guest of packages as a component, for other hosts.
pub const GUEST_COMPONENT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/guest.wasm"));

/// The guest of documents as a component, for other hosts.
pub const DOCUMENTS_COMPONENT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/documents.wasm"));

/// What tells versions of that component apart. What one of them read is no cache for another.
pub const DOCUMENTS_COMPONENT_ID: &str = env!("DOCUMENTS_COMPONENT_ID");

/// The version of the runtime, and of the compiler of the image.
pub const WASMTIME_VERSION: &str = env!("WASMTIME_VERSION");

/// Machine code made by wasmtime from a component.
#[derive(Debug, Clone, Copy)]
pub struct GuestImage {
    bytes: &'static [u8],
    is_compressed: bool,
}

impl GuestImage {
    /// The guest of packages that is embedded in this binary.
    #[must_use]
    pub const fn embedded() -> Self {
        Self { bytes: include_bytes!(concat!(env!("OUT_DIR"), "/guest.cwasm")), is_compressed: false }
    }

    /// The guest of documents that is embedded in this binary. It is compressed: most servers have no blog.
    #[must_use]
    pub const fn documents() -> Self {
        Self { bytes: include_bytes!(concat!(env!("OUT_DIR"), "/documents.cwasm.lz4")), is_compressed: true }
    }

    /// Any other image, for tests that load hostile guests.
    ///
    /// # Safety
    /// `bytes` must be output of `wasmtime` for a component: it is machine code, and loading it trusts it.
    #[must_use]
    #[expect(unsafe_code, reason = "the caller vouches for machine code; nothing here can check it")]
    pub const unsafe fn from_bytes_unchecked(bytes: &'static [u8]) -> Self {
        Self { bytes, is_compressed: false }
    }

    #[must_use]
    pub const fn len(self) -> usize {
        self.bytes.len()
    }

    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.bytes.is_empty()
    }

    #[expect(unsafe_code, reason = "the image was made by our own build, or vouched for in `trusted`")]
    #[expect(clippy::disallowed_methods, reason = "this is the place that vouches for machine code")]
    pub(super) fn load_component(self, engine: &Engine) -> wasmtime::Result<Component> {
        let code = match self.is_compressed {
            false => Cow::Borrowed(self.bytes),
            true => Cow::Owned(lz4_flex::decompress_size_prepended(self.bytes)?),
        };
        // SAFETY: a `GuestImage` holds only bytes that `Engine::precompile_component` returned.
        unsafe { Component::deserialize(engine, code) }
    }
}
