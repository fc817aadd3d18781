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
mod peers;
mod picture;
mod proposals;
mod runs;
mod syscalls;
mod table;
mod user_tools;

use std::path::{Path, PathBuf};
use std::{env, fs};

use anyhow::{Context, Result};
use rustix::thread::{CpuSet, sched_setaffinity};

use self::data::BenchData;
use self::table::Table;

fn main() -> Result<()> {
    let root = env::args_os().nth(1).map_or_else(|| PathBuf::from("target/bench"), PathBuf::from);
    let built = env::current_exe()?;
    let bin = copy_programs(built.parent().context("a binary lies in a folder")?, &root)?;
    let wardroom = bin.join("wardroom");
    // `bench FOLDER GROUP` measures one group alone, without the large files of the others.
    let group = env::args().nth(2);
    let wants = |name: &str| group.as_deref().is_none_or(|group| group == name);
    let mut table = Table::default();
    if wants("http") {
        http::http(&mut table, &wardroom, &bin.join("floor_axum"), &BenchData::packages(&root)?)?;
    }
    if wants("blog") {
        blog::blog(&mut table, &wardroom, &root)?;
    }
    if wants("learning") {
        learning::learning(&mut table, &wardroom)?;
    }
    if wants("syscalls") {
        syscalls::syscalls(&mut table, &wardroom, &BenchData::packages(&root)?, &root.join("syscalls.trace"))?;
    }
    if wants("runs") {
        runs::in_a_row(&mut table, &wardroom, &bin)?;
    }
    if group.is_none() {
        measure::first_lists(&mut table, &wardroom, &BenchData::prepare(&root)?)?;
    }
    pin()?;
    if group.is_none() {
        let data = BenchData::prepare(&root)?;
        measure::start(&mut table, &wardroom, &bin, &data)?;
        measure::fixed(&mut table, &wardroom, &bin, &data)?;
        measure::extraction(&mut table)?;
        measure::packages(&mut table, &wardroom, &data)?;
        measure::changes(&mut table, &wardroom, &data)?;
        measure::cards(&mut table, &wardroom, &data)?;
        measure::records(&mut table, &wardroom, &data)?;
    }
    if wants("runs") {
        runs::runs(&mut table, &wardroom)?;
        runs::memory(&mut table, &wardroom)?;
        user_tools::user_tools(&mut table, &wardroom)?;
    }
    if group.as_deref() != Some("peers") {
        println!("{table}");
    }
    if wants("peers") {
        println!("{}", peers::peers(&wardroom, &bin, &BenchData::packages(&root)?, &root.join("peers"))?);
    }
    Ok(())
}

/// Copies the programs, as an installation does, and returns their folder: a program that was written from beginning to end is
/// mapped in larger pieces than one that a linker wrote here and there, and so starts sooner.
fn copy_programs(built: &Path, root: &Path) -> Result<PathBuf> {
    let bin = root.join("programs");
    fs::create_dir_all(&bin)?;
    for name in ["wardroom", "floor_axum", "floor_fork", "floor_loop", "floor_rmcp"] {
        let copy = bin.join(name);
        // What still runs keeps its file.
        if copy.exists() {
            fs::remove_file(&copy)?;
        }
        fs::copy(built.join(name), &copy).with_context(|| format!("{name} cannot be copied"))?;
    }
    Ok(fs::canonicalize(bin)?)
}

/// Pins client and servers to one processor, so that the figures measure work and not the scheduler.
fn pin() -> Result<()> {
    let mut one = CpuSet::new();
    one.set(0);
    Ok(sched_setaffinity(None, &one)?)
}
