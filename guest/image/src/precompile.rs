//! Compiles components to machine code: `precompile TARGET IN.wasm OUT.cwasm [IN OUT]…`.
//!
//! Owns: the call of the compiler, with the server's engine settings.
//! Never: runs a component; wasmtime's runtime is not built in.

#![expect(clippy::disallowed_methods, reason = "runs at build time, with the authority of the build")]

use std::{env, fs};

use anyhow::{Context, Result, anyhow, bail};

#[path = "../../../host/crates/sandbox/src/engine.rs"]
mod engine;

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let [target, files @ ..] = arguments.as_slice() else { bail!("usage: precompile TARGET [IN.wasm OUT.cwasm]…") };
    let mut config = engine::config();
    // The baseline of the architecture: the image runs on every such processor, not only on the one that built it.
    config.target(target).map_err(|error| anyhow!("{error:#}"))?;
    let engine = wasmtime::Engine::new(&config).map_err(|error| anyhow!("{error:#}"))?;
    for pair in files.chunks(2) {
        let [input, output] = pair else { bail!("an input without an output: {pair:?}") };
        let component = fs::read(input).with_context(|| format!("cannot read {input}"))?;
        let image =
            engine.precompile_component(&component).map_err(|error| anyhow!("cannot compile {input}: {error:#}"))?;
        fs::write(output, image).with_context(|| format!("cannot write {output}"))?;
    }
    Ok(())
}
