//! Components and their types: wraps a module as a component, and prints a component's world as text.
//!
//! Owns: the calls of wit-component in both directions.
//! Never: reads or writes a file; `main.rs` does.

mod later;

use anyhow::{Context as _, Result, bail};
pub use later::later;
use semver::Version;
use wit_component::{ComponentEncoder, OutputToString, WitPrinter};
use wit_parser::decoding::{DecodedWasm, decode};
use wit_parser::{PackageId, Resolve, WorldId};

/// The packages of the guests' interfaces. A component has one of them.
const PACKAGES: [&str; 2] = ["wardroom:guest", "wardroom:documents"];

/// Makes a component of a core module without imports: the module's own metadata lists its interfaces.
pub fn wrap(module: &[u8]) -> Result<Vec<u8>> {
    let component = ComponentEncoder::default().validate(true).module(module)?.encode()?;
    let imports = imports(&component)?;
    if !imports.is_empty() {
        bail!("the module imports {}: something in it asks for a host", imports.join(", "));
    }
    Ok(component)
}

/// Returns the names of a component's imports.
///
/// # Errors
/// When the bytes are not a component.
pub fn imports(component: &[u8]) -> Result<Vec<String>> {
    let (resolve, world) = decoded(component)?;
    Ok(resolve.worlds[world].imports.keys().map(|key| resolve.name_world_key(key)).collect())
}

/// Prints a component's exports as WIT, with the whole package of the guest's interfaces. Imports are left out, because
/// the version of WASI that a standard library imports depends on the toolchain.
///
/// # Errors
/// When the bytes are not a component, or the component lacks the package.
pub fn exports(component: &[u8]) -> Result<String> {
    let (mut resolve, world) = decoded(component)?;
    resolve.worlds[world].imports.clear();
    let root = resolve.worlds[world].package.context("a component's world is in a package")?;
    let ours = package(&resolve)?;
    print(&resolve, root, &[ours])
}

/// Prints the package of the guest's interfaces as WIT, without comments, as [`exports`] does.
///
/// # Errors
/// When the package is missing.
pub fn interfaces(resolve: &Resolve) -> Result<String> {
    print(resolve, package(resolve)?, &[])
}

/// Returns the version of the guest's interfaces.
///
/// # Errors
/// When the package is missing, or has no version.
pub fn version(resolve: &Resolve) -> Result<Version> {
    resolve.packages[package(resolve)?].name.version.clone().context("our package has no version")
}

/// Decodes the types of a component.
///
/// # Errors
/// When the bytes are not a component.
pub fn decoded(component: &[u8]) -> Result<(Resolve, WorldId)> {
    match decode(component)? {
        DecodedWasm::Component(resolve, world) => Ok((resolve, world)),
        DecodedWasm::WitPackage(..) => bail!("a WIT package, and no component"),
    }
}

fn package(resolve: &Resolve) -> Result<PackageId> {
    let ours = |(name, _): &(&wit_parser::PackageName, _)| {
        PACKAGES.contains(&format!("{}:{}", name.namespace, name.name).as_str())
    };
    let found = resolve.package_names.iter().find(ours);
    found.map(|(_, &id)| id).with_context(|| format!("none of {} is there", PACKAGES.join(", ")))
}

fn print(resolve: &Resolve, main: PackageId, nested: &[PackageId]) -> Result<String> {
    let mut printer = WitPrinter::new(OutputToString::default());
    printer.emit_docs(false).print(resolve, main, nested)?;
    Ok(printer.output.to_string())
}
