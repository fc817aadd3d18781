//! Compiles every hostile guest ahead of time and writes a table of the images.

#![expect(clippy::disallowed_methods, reason = "runs at build time, with the authority of the build")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result};
use wardroom_guest_image as image;

/// The guest of the other world, which makes every attempt that its input names.
const DOCUMENTS: &str = "documents";

fn main() -> Result<()> {
    let attempts = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    for source in ["src", "examples", "Cargo.toml"] {
        println!("cargo::rerun-if-changed={}", attempts.join(source).display());
    }
    for source in image::sources() {
        println!("cargo::rerun-if-changed={}", source.display());
    }
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").context("cargo sets OUT_DIR")?);
    let target = env::var("TARGET").context("cargo sets TARGET")?;
    let built = image::build("wardroom-hostile-guests", &["--examples"], &out_dir)?.join("examples");

    let mut names = Vec::new();
    for entry in fs::read_dir(attempts.join("examples"))? {
        let path = entry?.path();
        names.push(path.file_stem().context("an example has a name")?.to_string_lossy().into_owned());
    }
    names.sort();
    let mut table = String::new();
    let mut packages = String::new();
    for name in &names {
        let wasm = image::read(&built.join(format!("{name}.wasm")))?;
        fs::write(out_dir.join(format!("{name}.cwasm")), image::precompile(&wasm, &target)?)?;
        let bytes = format!("include_bytes!(concat!(env!(\"OUT_DIR\"), \"/{name}.cwasm\"))");
        match name == DOCUMENTS {
            true => writeln!(table, "pub const DOCUMENTS: &[u8] = {bytes};")?,
            false => writeln!(packages, "    ({name:?}, {bytes}),")?,
        }
    }
    writeln!(table, "pub const ALL: &[(&str, &[u8])] = &[\n{packages}];")?;
    fs::write(out_dir.join("images.rs"), table)?;
    Ok(())
}
