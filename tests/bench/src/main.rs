//! `make bench`: every figure beside a floor that is measured in the same run, client and server on one processor.
//!
//! Owns: the list of figures and their table.
//! Never: fails on a slow figure; the table is for `docs/BENCHMARKS.md`.

#![expect(clippy::disallowed_methods, reason = "starts the servers that it measures, on folders that it creates")]
#![expect(clippy::print_stdout, reason = "its output is a table")]

mod blog;
mod data;
mod http;
mod learning;
mod measure;
mod peer;
mod proposals;
mod runs;
mod syscalls;
mod table;
mod user_tools;

use std::env;
use std::path::PathBuf;

use anyhow::{Context, Result};
use rustix::thread::{CpuSet, sched_setaffinity};

use self::data::BenchData;
use self::table::Table;

fn main() -> Result<()> {
    let bin = env::current_exe()?.parent().context("a binary lies in a folder")?.to_path_buf();
    let root = env::args_os().nth(1).map_or_else(|| PathBuf::from("target/bench"), PathBuf::from);
    let wardroom = bin.join("wardroom");
    let floor = bin.join("floor_rmcp");
    let mut table = Table::default();
    // `bench FOLDER runs`, `http`, `syscalls`, `learning` or `blog` measures only these, without the large files of the others.
    let only = env::args().nth(2);
    if only.as_deref().is_none_or(|only| only == "http") {
        http::http(&mut table, &wardroom, &bin.join("floor_axum"), &BenchData::packages(&root)?)?;
    }
    if only.as_deref() == Some("http") {
        println!("{table}");
        return Ok(());
    }
    if only.as_deref().is_none_or(|only| only == "blog") {
        blog::blog(&mut table, &wardroom, &root)?;
    }
    if only.as_deref() == Some("blog") {
        println!("{table}");
        return Ok(());
    }
    if only.as_deref().is_none_or(|only| only == "learning") {
        learning::learning(&mut table, &wardroom)?;
    }
    if only.as_deref() == Some("learning") {
        println!("{table}");
        return Ok(());
    }
    if only.as_deref() != Some("runs") {
        syscalls::syscalls(&mut table, &wardroom, &BenchData::packages(&root)?, &root.join("syscalls.trace"))?;
    }
    if only.as_deref() == Some("syscalls") {
        println!("{table}");
        return Ok(());
    }
    if only.is_none() {
        let data = BenchData::prepare(&root)?;
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
    user_tools::user_tools(&mut table, &wardroom)?;
    println!("{table}");
    Ok(())
}

/// Pins client and servers to one processor, so that the figures measure work and not the scheduler.
fn pin() -> Result<()> {
    let mut one = CpuSet::new();
    one.set(0);
    Ok(sched_setaffinity(None, &one)?)
}
