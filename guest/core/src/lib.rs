//! Components as their types: a module made a component, and the world of one as text.
//!
//! Owns: the call of wit-component in both directions.
//! Never: touches a file; `main.rs` does.

mod later;

use anyhow::{Context as _, Result, bail};
pub use later::later;
use semver::Version;
use wit_component::{ComponentEncoder, OutputToString, WitPrinter};
use wit_parser::decoding::{DecodedWasm, decode};
use wit_parser::{PackageId, Resolve, WorldId};

/// The package of our interfaces.
pub const PACKAGE: &str = "wardroom:guest";

/// Makes a component of a core module that names no host: the module's own metadata says which interfaces it has.
///
/// # Errors
/// When the module was built without that metadata, or when it imports anything.
pub fn wrap(module: &[u8]) -> Result<Vec<u8>> {
    let component = ComponentEncoder::default().validate(true).module(module)?.encode()?;
    let imports = imports(&component)?;
    if !imports.is_empty() {
        bail!("the module imports {}: something in it asks for a host", imports.join(", "));
    }
    Ok(component)
}

/// The names of what a component imports.
///
/// # Errors
/// When the bytes are no component.
pub fn imports(component: &[u8]) -> Result<Vec<String>> {
    let (resolve, world) = decoded(component)?;
    Ok(resolve.worlds[world].imports.keys().map(|key| resolve.name_world_key(key)).collect())
}

/// What a component exports, as WIT, with our package whole. Imports are left out: which version of WASI a toolchain's
/// standard library names is the toolchain's.
///
/// # Errors
/// When the bytes are no component, or none that has our package.
pub fn exports(component: &[u8]) -> Result<String> {
    let (mut resolve, world) = decoded(component)?;
    resolve.worlds[world].imports.clear();
    let root = resolve.worlds[world].package.context("a component's world is in a package")?;
    let ours = package(&resolve)?;
    print(&resolve, root, &[ours])
}

/// Our package in WIT text, without comments, as [`exports`] prints it.
///
/// # Errors
/// When it is not there.
pub fn interfaces(resolve: &Resolve) -> Result<String> {
    print(resolve, package(resolve)?, &[])
}

/// The version of our package.
///
/// # Errors
/// When it is not there, or has none.
pub fn version(resolve: &Resolve) -> Result<Version> {
    resolve.packages[package(resolve)?].name.version.clone().context("our package has no version")
}

/// The types that a component's bytes hold.
///
/// # Errors
/// When the bytes are no component.
pub fn decoded(component: &[u8]) -> Result<(Resolve, WorldId)> {
    match decode(component)? {
        DecodedWasm::Component(resolve, world) => Ok((resolve, world)),
        DecodedWasm::WitPackage(..) => bail!("a WIT package, and no component"),
    }
}

fn package(resolve: &Resolve) -> Result<PackageId> {
    let ours = |(name, _): &(&wit_parser::PackageName, _)| format!("{}:{}", name.namespace, name.name) == PACKAGE;
    let found = resolve.package_names.iter().find(ours);
    found.map(|(_, &id)| id).with_context(|| format!("{PACKAGE} is not there"))
}

fn print(resolve: &Resolve, main: PackageId, nested: &[PackageId]) -> Result<String> {
    let mut printer = WitPrinter::new(OutputToString::default());
    printer.emit_docs(false).print(resolve, main, nested)?;
    Ok(printer.output.to_string())
}
