//! The engine settings that decide what compiled code looks like.
//!
//! Owns: one function. The build compiles the guest with these settings, the server loads it with the same ones; the
//! image records them, and loading refuses a mismatch. (The build helper includes this very file.)
//! Never: sets a limit of running instances; those are in `limits.rs` and applied by the pool.

/// The settings, for either side.
pub(crate) fn config() -> wasmtime::Config {
    let mut config = wasmtime::Config::new();
    config.wasm_component_model(true);
    config.epoch_interruption(true);
    // What the guest does not use is switched off, so that an image with it does not load.
    config.wasm_memory64(false);
    config.wasm_multi_memory(false);
    config.wasm_relaxed_simd(false);
    config.wasm_backtrace_max_frames(None);
    config
}
