//! For build scripts: builds a guest crate's component and compiles it to machine code.
//!
//! Owns: the calls of cargo for the guest's target and for the compiler, in one folder for all profiles.
//! Never: runs in the server, or installs anything: a missing tool is an error that names the command to run.

#![expect(clippy::disallowed_methods, reason = "runs at build time, with the authority of the build")]
#![expect(clippy::print_stdout, reason = "a build script talks to cargo on its standard output")]

use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, bail};

/// The settings that compiler and server share.
const ENGINE_SOURCE: &str = "host/crates/sandbox/src/engine.rs";

/// Builds the wasm targets of one workspace package and returns their folder.
///
/// The build gets a target directory of its own: the outer cargo holds the lock of the shared one.
///
/// # Errors
/// When the target's standard library is missing, or the build fails; cargo's own messages are on stderr.
pub fn build(package: &str, selection: &[&str], out_dir: &Path) -> Result<PathBuf> {
    let root = workspace_root();
    let target = tools_dir(out_dir)?;
    let status = Command::new("sh")
        .arg(root.join("guest/toolchain.sh"))
        .args(["build", "--package", package])
        .args(selection)
        .arg("--target-dir")
        .arg(&target)
        .current_dir(&root)
        .status()
        .context("cannot run sh guest/toolchain.sh")?;
    if !status.success() {
        bail!("the guest does not build: run `make setup` once, which installs the wasm32-wasip2 target");
    }
    Ok(target.join("wasm32-wasip2").join("guest"))
}

/// Compiles components to machine code for `target`, with the baseline features of that architecture. Each pair is the
/// file of the component and that of the image.
///
/// # Errors
/// When the compiler does not build, or a file is not a component that the server's settings allow.
pub fn precompile(files: &[(PathBuf, PathBuf)], target: &str, out_dir: &Path) -> Result<()> {
    let root = workspace_root();
    // The lock file says which compiler it is.
    for source in ["Cargo.lock", "Cargo.toml", "guest/image/Cargo.toml", "guest/image/src", ENGINE_SOURCE] {
        println!("cargo::rerun-if-changed={}", root.join(source).display());
    }
    let tools = tools_dir(out_dir)?;
    let variable = |name: &str| env::var(name).with_context(|| format!("cargo sets {name}"));
    let host = variable("HOST")?;
    let mut build = Command::new(variable("CARGO")?);
    build.args(["build", "--quiet", "--locked", "--profile", "tool", "--package", "wardroom-guest-image"]);
    build.args(["--features", "compiler", "--bin", "precompile", "--target", &host, "--target-dir"]);
    build.arg(&tools).current_dir(&root);
    // Wrappers and flags of the outer build are for what it builds.
    for outer in [
        "RUSTFLAGS",
        "CARGO_ENCODED_RUSTFLAGS",
        "RUSTC_WRAPPER",
        "RUSTC_WORKSPACE_WRAPPER",
        "CARGO_BUILD_TARGET",
        "CARGO_BUILD_RUSTFLAGS",
    ] {
        build.env_remove(outer);
    }
    if !build.status().context("cannot run cargo")?.success() {
        bail!("the compiler of the guest's image does not build");
    }
    let mut precompile = Command::new(tools.join(&host).join("tool").join("precompile"));
    precompile.arg(target).args(files.iter().flat_map(|(component, image)| [component, image]));
    if !precompile.status().context("cannot run the compiler of the guest's image")?.success() {
        bail!("the components cannot be compiled ahead of time");
    }
    Ok(())
}

/// Returns the folder in which guests and the compiler are built, below the outer build's target directory.
fn tools_dir(out_dir: &Path) -> Result<PathBuf> {
    // target/[TRIPLE/]PROFILE/build/PACKAGE/out
    let target = out_dir.ancestors().nth(4).context("OUT_DIR is not below a target directory")?;
    Ok(target.join("guest-tools"))
}

/// Returns the files whose change makes a guest stale.
#[must_use]
pub fn sources() -> Vec<PathBuf> {
    let root = workspace_root();
    let paths = [
        "guest/src",
        "guest/rules/src",
        "guest/image/src",
        "guest/Cargo.toml",
        "guest/toolchain.sh",
        "wit",
        ENGINE_SOURCE,
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
