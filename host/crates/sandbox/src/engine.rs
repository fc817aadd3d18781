//! The engine settings that compiled code depends on.
//!
//! Owns: one function. The build compiles the guest with these settings and the server loads it with the same. The
//! image records them, and loading refuses a mismatch. (The build helper includes this file.)
//! Never: limits running instances; `limits.rs` has the limits, and the pool applies them.

/// The settings, for the build and the server.
pub(crate) fn config() -> wasmtime::Config {
    let mut config = wasmtime::Config::new();
    config.wasm_component_model(true);
    config.epoch_interruption(true);
    // Features that the guest does not use are off, so that an image with them does not load.
    config.wasm_memory64(false);
    config.wasm_multi_memory(false);
    config.wasm_relaxed_simd(false);
    config.wasm_backtrace_max_frames(None);
    config
}
