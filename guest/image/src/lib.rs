//! For build scripts: builds a guest crate's component and compiles it to machine code.
//!
//! Owns: the call of cargo for the guest's target, and ahead-of-time compilation with the server's engine settings.
//! Never: runs in the server, or installs anything: a missing tool is an error that names the command to run.

#![expect(clippy::disallowed_methods, reason = "runs at build time, with the authority of the build")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, anyhow, bail};

#[path = "../../../host/crates/sandbox/src/engine.rs"]
mod engine;

/// Builds the wasm targets of one workspace package and returns their folder.
///
/// The build gets a folder of its own, which all profiles share: the outer cargo holds the lock of the target directory.
///
/// # Errors
/// When the target's standard library is missing, or the build fails; cargo's own messages are on stderr.
pub fn build(package: &str, selection: &[&str], out_dir: &Path) -> Result<PathBuf> {
    let root = workspace_root();
    // target/[TRIPLE/]PROFILE/build/PACKAGE/out
    let target = out_dir.ancestors().nth(4).context("OUT_DIR is not below a target directory")?.join("guest-tools");
    let status = Command::new("sh")
        .arg(root.join("guest/toolchain.sh"))
        .args(["build", "--package", package])
        .args(selection)
        // Not as an argument: the script keeps this path out of the component.
        .env("CARGO_TARGET_DIR", &target)
        .current_dir(&root)
        .status()
        .context("cannot run sh guest/toolchain.sh")?;
    if !status.success() {
        bail!("the guest does not build: run `make setup` once, which installs the wasm32-wasip2 target");
    }
    Ok(target.join("wasm32-wasip2").join("guest"))
}

/// Compiles a component to machine code for `target`, with the baseline features of that architecture: the image runs on
/// every such processor, not only on the one that built it.
///
/// # Errors
/// When `wasm` is not a component that the server's settings allow.
pub fn precompile(wasm: &[u8], target: &str) -> Result<Vec<u8>> {
    let compile = || {
        let mut config = engine::config();
        config.target(target)?;
        wasmtime::Engine::new(&config)?.precompile_component(wasm)
    };
    compile().map_err(|error: wasmtime::Error| anyhow!("cannot compile the component: {error:#}"))
}

/// Returns the files whose change makes a guest stale.
#[must_use]
pub fn sources() -> Vec<PathBuf> {
    let root = workspace_root();
    let paths = [
        "guest/src",
        "guest/rules/src",
        "guest/lua-syntax",
        "guest/toml-nesting",
        "guest/documents/src",
        "guest/documents/Cargo.toml",
        "guest/documents/build.rs",
        "guest/Cargo.toml",
        "guest/toolchain.sh",
        "dist/paths.sh",
        "wit",
    ];
    paths.iter().map(|path| root.join(path)).collect()
}

/// Reads a built component.
///
/// # Errors
/// When the file cannot be read.
pub fn read(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {}", path.display()))
}

/// Returns the version of wasmtime that made the images, from the lock file.
///
/// # Errors
/// When the lock file is missing or does not name wasmtime.
pub fn wasmtime_version() -> Result<String> {
    let lock = fs::read_to_string(workspace_root().join("Cargo.lock")).context("cannot read Cargo.lock")?;
    let version = lock.split("[[package]]").find_map(|package| {
        let fields = package.trim_start().strip_prefix("name = \"wasmtime\"\nversion = \"")?;
        fields.split('"').next()
    });
    version.map(str::to_owned).context("Cargo.lock names no wasmtime")
}

fn workspace_root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
