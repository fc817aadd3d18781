//! Builds the guests and compiles them ahead of time; the crate embeds both forms of each.
//!
//! `WARDROOM_GUEST=/path.wasm` takes a given component instead of building that of packages.

#![expect(clippy::disallowed_methods, reason = "runs at build time, with the authority of the build")]

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result};
use wardroom_guest_image as image;

fn main() -> Result<()> {
    println!("cargo::rerun-if-env-changed=WARDROOM_GUEST");
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").context("cargo sets OUT_DIR")?);
    let target = env::var("TARGET").context("cargo sets TARGET")?;
    for source in image::sources() {
        println!("cargo::rerun-if-changed={}", source.display());
    }
    let wasm = package_component(&out_dir)?;
    fs::write(out_dir.join("guest.wasm"), &wasm)?;
    fs::write(out_dir.join("guest.cwasm"), image::precompile(&wasm, &target)?)?;
    let documents = image::build("wardroom-documents-guest", &["--lib"], &out_dir)?;
    let documents = image::read(&documents.join("wardroom_documents_guest.wasm"))?;
    println!("cargo::rustc-env=DOCUMENTS_COMPONENT_ID={:016x}", fnv_hash(&documents));
    let machine_code = image::precompile(&documents, &target)?;
    fs::write(out_dir.join("documents.wasm"), documents)?;
    fs::write(out_dir.join("documents.cwasm.lz4"), lz4_flex::compress_prepend_size(&machine_code))?;
    println!("cargo::rustc-env=WASMTIME_VERSION={}", image::wasmtime_version()?);
    Ok(())
}

/// Returns the hash of Fowler, Noll and Vo. It tells versions apart, and is no protection against forgery.
fn fnv_hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

fn package_component(out_dir: &Path) -> Result<Vec<u8>> {
    if let Some(given) = env::var_os("WARDROOM_GUEST").filter(|path| !path.is_empty()) {
        println!("cargo::rerun-if-changed={}", Path::new(&given).display());
        return image::read(Path::new(&given));
    }
    let built = image::build("wardroom-guest", &["--lib"], out_dir)?;
    image::read(&built.join("wardroom_guest.wasm"))
}
