//! The size of the component's stack.
//!
//! Each document gets a fresh instance, whose memory is cleared from its start: a smaller stack, which comes first, costs
//! less. The parsers bound their depth, and what overflows a stack traps.

#![expect(clippy::disallowed_methods, reason = "runs at build time, with the authority of the build")]

fn main() {
    if std::env::var("CARGO_CFG_TARGET_ARCH").as_deref() == Ok("wasm32") {
        println!("cargo::rustc-link-arg-cdylib=-zstack-size=262144");
    }
}
