//! A later version of the guest, for the tests of hosts that were written for an earlier version.
//!
//! Owns: the additions to the guest that is built: a function in an interface, an interface, and the next version
//! number.
//! Never: ships.

use std::convert::Infallible;

use anyhow::{Context as _, Result, ensure};
use wasm_encoder::reencode::{Error, Reencode};
use wasm_encoder::{ExportSection, Module};
use wasmparser::{Export, Parser};
use wit_component::{StringEncoding, embed_component_metadata, metadata};
use wit_parser::Resolve;

use crate::{interfaces, version, wrap};

/// The additions in WIT: a text that occurs once, and its replacement.
const ADDED: [(&str, &str); 2] = [
    (
        "  check: func(",
        "  recheck: func(kind: kind, id: string) -> result<_, string>;
           check: func(",
    ),
    (
        "world parsers {",
        "interface uris {
           use resource-id.{%resource};
           parse: func(uri: string) -> result<%resource, string>;
         }
         world parsers {
           export uris;",
    ),
];

/// Existing functions that implement the added ones: interface and function of both.
const TWINS: [([&str; 2], [&str; 2]); 2] =
    [(["resource-id", "check"], ["resource-id", "recheck"]), (["resource-id", "parse"], ["uris", "parse"])];

/// Makes the later version from the module that [`wrap`] takes.
///
/// # Errors
/// When the module has no metadata, or lacks the interface that is extended.
pub fn later(module: &[u8]) -> Result<Vec<u8>> {
    let (stripped, built) = metadata::decode(module)?;
    let earlier = version(&built.resolve)?;
    let mut next = earlier.clone();
    next.patch += 1;
    let (earlier, next) = (format!("@{earlier}"), format!("@{next}"));

    let mut wit = interfaces(&built.resolve)?.replace(&earlier, &next);
    for (there, more) in ADDED {
        ensure!(wit.matches(there).count() == 1, "not once in the interfaces: {there}\n{wit}");
        wit = wit.replace(there, more);
    }
    let mut resolve = Resolve::default();
    let package = resolve.push_source("later.wit", &wit)?;
    let world = resolve.select_world(&[package], Some("parsers"))?;

    let mut later = Module::new();
    let stripped = stripped.context("the module has no metadata")?;
    Renaming { earlier, next }.parse_core_module(&mut later, Parser::new(0), &stripped)?;
    let mut later = later.finish();
    embed_component_metadata(&mut later, &resolve, world, StringEncoding::UTF8)?;
    wrap(&later)
}

/// Copies the module, with its exports under the next version, and adds the twins.
struct Renaming {
    earlier: String,
    next: String,
}

impl Reencode for Renaming {
    type Error = Infallible;

    fn parse_export(&mut self, exports: &mut ExportSection, export: Export<'_>) -> Result<(), Error<Infallible>> {
        let kind = self.export_kind(export.kind)?;
        let name = export.name.replace(&self.earlier, &self.next);
        for (there, besides) in TWINS {
            let [there, besides] =
                [there, besides].map(|[interface, function]| format!("{interface}{}#{function}", self.next));
            if name.ends_with(&there) {
                exports.export(&name.replace(&there, &besides), kind, export.index);
            }
        }
        exports.export(&name, kind, export.index);
        Ok(())
    }
}
