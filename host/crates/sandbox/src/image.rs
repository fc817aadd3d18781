//! The compiled guest: machine code made from the component by the build.
//!
//! Owns: the two embedded forms of the guest, and the one `unsafe` call of the server, which maps machine code.
//! Never: reads an image from a file or from outside: foreign machine code would not be confined by anything.

use wasmtime::Engine;
use wasmtime::component::Component;

/// The guest as a component, for other hosts.
pub const GUEST_COMPONENT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/guest.wasm"));

/// The version of the runtime, and of the compiler of the image.
pub const WASMTIME_VERSION: &str = env!("WASMTIME_VERSION");

/// Machine code made by wasmtime from a component.
#[derive(Debug, Clone, Copy)]
pub struct GuestImage(&'static [u8]);

impl GuestImage {
    /// The guest that is embedded in this binary.
    #[must_use]
    pub const fn embedded() -> Self {
        Self(include_bytes!(concat!(env!("OUT_DIR"), "/guest.cwasm")))
    }

    /// Any other image, for tests that load hostile guests.
    ///
    /// # Safety
    /// `bytes` must be output of `wasmtime` for a component: it is machine code, and loading it trusts it.
    #[must_use]
    #[expect(unsafe_code, reason = "the caller vouches for machine code; nothing here can check it")]
    pub const unsafe fn from_bytes_unchecked(bytes: &'static [u8]) -> Self {
        Self(bytes)
    }

    #[must_use]
    pub const fn len(self) -> usize {
        self.0.len()
    }

    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0.is_empty()
    }

    #[expect(unsafe_code, reason = "the image was made by our own build, or vouched for in `trusted`")]
    #[expect(clippy::disallowed_methods, reason = "this is the place that vouches for machine code")]
    pub(super) fn load_component(self, engine: &Engine) -> wasmtime::Result<Component> {
        // SAFETY: a `GuestImage` holds only bytes that `Engine::precompile_component` returned.
        unsafe { Component::deserialize(engine, self.0) }
    }
}
