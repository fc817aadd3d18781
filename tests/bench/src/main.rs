//! `make bench`: every figure beside a floor that is measured in the same run, client and server on one processor.
//!
//! Owns: what is measured, and the table of it.
//! Never: judges; the table is for `docs/BENCHMARKS.md`.

#![expect(clippy::disallowed_methods, reason = "starts the servers that it measures, on folders that it makes")]
#![expect(clippy::print_stdout, reason = "its output is a table")]

mod data;
mod declared;
mod http;
mod measure;
mod peer;
mod runs;
mod table;

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result};
use rustix::thread::{CpuSet, sched_setaffinity};

use self::data::Data;
use self::table::Table;

fn main() -> Result<()> {
    let bin = env::current_exe()?.parent().context("a binary lies in a folder")?.to_path_buf();
    let root = env::args_os().nth(1).map_or_else(|| PathBuf::from("target/bench"), PathBuf::from);
    let wardroom = bin.join("wardroom");
    let floor = bin.join("floor_rmcp");
    let mut table = Table::default();
    // `bench FOLDER runs`, `bench FOLDER http`: those alone, without the large files that the others need.
    let only = env::args().nth(2);
    if only.as_deref() != Some("runs") {
        http::http(&mut table, &wardroom, &bin.join("floor_axum"), &Data::packages(&root)?)?;
    }
    if only.as_deref() == Some("http") {
        println!("{table}");
        return Ok(());
    }
    if only.is_none() {
        let data = Data::prepare(&root)?;
        pin()?;
        measure::start(&mut table, &wardroom, &floor, &data)?;
        measure::fixed(&mut table, &wardroom, &floor, &data)?;
        measure::extraction(&mut table)?;
        measure::packages(&mut table, &wardroom, &data)?;
        measure::changes(&mut table, &wardroom, &data)?;
        measure::cards(&mut table, &wardroom, &data)?;
        measure::records(&mut table, &wardroom, &data)?;
    }
    pin()?;
    runs::runs(&mut table, &wardroom)?;
    runs::memory(&mut table, &wardroom)?;
    declared::declared(&mut table, &wardroom)?;
    println!("{table}");
    Ok(())
}

/// Client and servers share one processor: what is measured is then work, not the scheduler.
fn pin() -> Result<()> {
    let mut one = CpuSet::new();
    one.set(0);
    Ok(sched_setaffinity(None, &one)?)
}
