//! Prepares what the binary embeds: the guest, compiled ahead of time, and the files of the demo.
//!
//! `WARDROOM_GUEST=/path.wasm` takes a given component instead of building one.

#![expect(clippy::disallowed_methods, reason = "runs at build time, with the authority of the build")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result};
use wardroom_guest_image as image;

fn main() -> Result<()> {
    println!("cargo::rerun-if-env-changed=WARDROOM_GUEST");
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").context("cargo sets OUT_DIR")?);
    let target = env::var("TARGET").context("cargo sets TARGET")?;
    let wasm = component(&out_dir)?;
    fs::write(out_dir.join("guest.cwasm"), image::precompile(&wasm, &target)?)?;
    fs::write(out_dir.join("guest.wasm"), wasm)?;
    fs::write(out_dir.join("demo.rs"), demo(&Path::new(env!("CARGO_MANIFEST_DIR")).join("assets/demo"))?)?;
    println!("cargo::rustc-env=WASMTIME_VERSION={}", image::wasmtime_version()?);
    Ok(())
}

/// A table of the demo's files: the path below the AppDir, and the bytes.
fn demo(root: &Path) -> Result<String> {
    println!("cargo::rerun-if-changed={}", root.display());
    let mut files = Vec::new();
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).with_context(|| format!("cannot list {}", folder.display()))? {
            let path = entry?.path();
            if path.is_dir() { folders.push(path) } else { files.push(path) }
        }
    }
    files.sort();
    let mut table = String::from("/// The files of the demo.\nconst DEMO: &[(&str, &[u8])] = &[\n");
    for file in files {
        let name = file.strip_prefix(root)?.to_str().context("a file of the demo is not UTF-8")?;
        writeln!(table, "    ({name:?}, include_bytes!({file:?})),")?;
    }
    table.push_str("];\n");
    Ok(table)
}

fn component(out_dir: &Path) -> Result<Vec<u8>> {
    if let Some(given) = env::var_os("WARDROOM_GUEST").filter(|path| !path.is_empty()) {
        println!("cargo::rerun-if-changed={}", Path::new(&given).display());
        return image::read(Path::new(&given));
    }
    for source in image::sources() {
        println!("cargo::rerun-if-changed={}", source.display());
    }
    let built = image::build("wardroom-guest", &["--lib"], out_dir)?;
    image::read(&built.join("wardroom_guest.wasm"))
}
