//! Lists the files of the demo, takes the key of releases, which the binary embeds, and tells the linker the order of the code and the
//! unwinder to take.

#![expect(clippy::disallowed_methods, reason = "runs at build time, with the authority of the build")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context, Result, anyhow};
use minisign_verify::PublicKey;

fn main() -> Result<()> {
    let manifest_dir = PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").context("cargo sets CARGO_MANIFEST_DIR")?);
    let out_dir = PathBuf::from(env::var_os("OUT_DIR").context("cargo sets OUT_DIR")?);
    fs::write(out_dir.join("demo.rs"), demo(&manifest_dir.join("assets/demo"))?)?;
    fs::write(out_dir.join("release_key.rs"), release_key(&manifest_dir.join("../dist"))?)?;
    order_code(&manifest_dir.join("../dist/code.order"));
    link_unwinder();
    Ok(())
}

/// Links the unwinder of panics into the program, where the compiler of C has it: a shared library less is loaded by each start. The
/// standard library asks for the shared one, which LLD leaves out if a library before it has what is called.
fn link_unwinder() {
    const LIBRARY: &str = "libgcc_eh.a";
    println!("cargo::rerun-if-env-changed=CC");
    let is_native =
        env::var("TARGET").is_ok_and(|target| target.ends_with("-linux-gnu") && env::var("HOST") == Ok(target));
    if !is_native {
        return;
    }
    let compiler = env::var("CC").unwrap_or_else(|_| "cc".to_owned());
    let found = Command::new(compiler).arg(format!("-print-file-name={LIBRARY}")).output();
    let path = found.ok().and_then(|found| String::from_utf8(found.stdout).ok()).map(|path| PathBuf::from(path.trim()));
    // A compiler without it prints the name alone.
    if let Some(folder) = path.as_deref().filter(|path| path.is_absolute()).and_then(Path::parent) {
        println!("cargo::rustc-link-search=native={}", folder.display());
        println!("cargo::rustc-link-lib=static=gcc_eh");
    }
}

/// Has the linker put the functions that a start runs beside each other: a start reads and maps the pages that it needs.
/// `make dist` asks for it, since other linkers than LLD refuse the option, and the names are those of one target. From the map,
/// a new order is made.
fn order_code(path: &Path) {
    const REQUEST: &str = "WARDROOM_CODE_ORDER";
    const MAP: &str = "WARDROOM_CODE_MAP";
    println!("cargo::rerun-if-env-changed={REQUEST}");
    println!("cargo::rerun-if-env-changed={MAP}");
    if let Ok(map) = env::var(MAP) {
        println!("cargo::rustc-link-arg-bins=-Wl,-Map={map},--no-demangle");
    }
    if env::var_os(REQUEST).is_some() && env::var("TARGET").is_ok_and(|target| target == "x86_64-unknown-linux-gnu") {
        println!("cargo::rustc-link-arg-bins=-Wl,--symbol-ordering-file={}", path.display());
        println!("cargo::rustc-link-arg-bins=-Wl,--no-warn-symbol-ordering");
    }
}

/// The public key in `dist/wardroom.pub`, if there is one.
fn release_key(folder: &Path) -> Result<String> {
    // A missing file would count as changed with each build.
    println!("cargo::rerun-if-changed={}", folder.display());
    let path = folder.join("wardroom.pub");
    let key = path.exists().then(|| fs::read_to_string(&path)).transpose()?;
    if let Some(key) = &key {
        PublicKey::decode(key).map_err(|error| anyhow!("{} is no public key: {error}", path.display()))?;
    }
    Ok(format!("/// The public key of releases.\nconst RELEASE_KEY: Option<&str> = {key:?};\n"))
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
