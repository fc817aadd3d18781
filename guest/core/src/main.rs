//! `guest-core wrap MODULE COMPONENT` makes a component without imports, `guest-core later MODULE COMPONENT` makes a
//! component of a later version, for tests; `guest-core exports COMPONENT` prints a component's exports.

#![expect(
    clippy::disallowed_methods,
    reason = "a tool of the build: it reads and writes the files that its arguments name"
)]

use std::{env, fs};

use anyhow::{Context as _, Result, bail};
use wardroom_guest_core::{exports, later, wrap};

fn main() -> Result<()> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments.as_slice() {
        [how @ ("wrap" | "later"), module, component] => {
            let make = if *how == "wrap" { wrap } else { later };
            let made = make(&read(module)?).with_context(|| format!("cannot make a component of {module}"))?;
            fs::write(component, made).with_context(|| format!("cannot write {component}"))
        }
        ["exports", component] => {
            print!("{}", exports(&read(component)?).with_context(|| (*component).to_owned())?);
            Ok(())
        }
        _ => bail!("usage: wardroom-guest-core wrap MODULE COMPONENT | later MODULE COMPONENT | exports COMPONENT"),
    }
}

fn read(path: &str) -> Result<Vec<u8>> {
    fs::read(path).with_context(|| format!("cannot read {path}"))
}
