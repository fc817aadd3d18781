//! `make soak`: the load of a day in minutes. Eight clients, each with its own server, send two million mixed requests
//! to one AppDir, while a writer changes it and other servers are killed during requests.
//!
//! Owns: the definition of growth. The run fails on a wrong answer, and when a server uses more resources in the second
//! half than in the first one after the warm-up.

#![expect(clippy::disallowed_methods, reason = "starts servers on a folder that it creates")]
#![expect(clippy::print_stdout, reason = "its output is a table")]
#![expect(clippy::indexing_slicing, reason = "a JSON value has null for what it lacks")]

mod app_dir;
mod client;
mod requests;

use std::env;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use wardroom_mcp::limits::MAX_BLOCKING_REQUESTS;

use self::app_dir::SoakAppDir;
use self::client::{SoakClient, Usage};

const CLIENTS: usize = 8;
const ROUNDS: usize = 20;
/// Rounds before the measurement.
const WARM_UP: usize = 4;
/// Allowed growth of resident memory, because the allocator's pools fill up with the threads that use them. Each server
/// gets an eighth of two million requests, and each half is eight rounds of twenty: a leak of 21 bytes per request
/// fails.
const SLACK_KIB: u64 = 2048;
/// Descriptors of a refresh after changes, which may be in progress.
const REFRESH_DESCRIPTORS: u64 = 8;
/// Most threads of a server: worker threads start and end with the load, and a few others always run.
const MAX_THREADS: u64 = MAX_BLOCKING_REQUESTS as u64 + 8;

fn main() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let root = arguments.next().map_or_else(|| PathBuf::from("target/soak"), PathBuf::from);
    let requests: usize = arguments.next().map_or(Ok(2_000_000), |count| count.parse())?;
    let server = env::current_exe()?.parent().context("a binary lies in a folder")?.join("wardroom");
    let app_dir = SoakAppDir::create(&root)?;
    let mut clients =
        (0..CLIENTS).map(|number| SoakClient::start(number, &server, app_dir.path())).collect::<Result<Vec<_>>>()?;
    let (done, start) = (AtomicBool::new(false), Instant::now());
    let rounds = thread::scope(|scope| {
        let writer = scope.spawn(|| app_dir.run_writer(&done));
        let killer = scope.spawn(|| app_dir.run_killer(&server, &done));
        let rounds =
            (0..ROUNDS).map(|_| run_round(&mut clients, requests / ROUNDS / CLIENTS)).collect::<Result<Vec<_>>>();
        done.store(true, Ordering::Relaxed);
        join_result(writer.join())?;
        join_result(killer.join())?;
        rounds
    })?;
    println!("{requests} requests in {:.0} s, no wrong answer", start.elapsed().as_secs_f64());
    println!("| round | resident, KiB | descriptors | threads |");
    for (number, round) in rounds.iter().enumerate() {
        println!("| {} | {} | {} | {} |", number + 1, round.resident, round.descriptors, round.threads);
    }
    check_growth(&rounds)
}

/// Sends one round of requests; returns the highest usage of any server after it.
fn run_round(clients: &mut [SoakClient], requests: usize) -> Result<Usage> {
    thread::scope(|scope| {
        let running: Vec<_> = clients.iter_mut().map(|client| scope.spawn(move || client.run(requests))).collect();
        running.into_iter().try_for_each(|client| join_result(client.join()))
    })?;
    let mut most = Usage::default();
    for client in &*clients {
        most = most.max(client.usage()?);
    }
    Ok(most)
}

fn join_result(ended: thread::Result<Result<()>>) -> Result<()> {
    ended.unwrap_or_else(|_| bail!("a thread panicked"))
}

fn check_growth(rounds: &[Usage]) -> Result<()> {
    let most = |rounds: &[Usage]| rounds.iter().copied().fold(Usage::default(), Usage::max);
    let (before, after) = rounds.get(WARM_UP..).unwrap_or_default().split_at((ROUNDS - WARM_UP) / 2);
    let (before, after) = (most(before), most(after));
    if after.resident > before.resident + SLACK_KIB
        || after.descriptors > before.descriptors + REFRESH_DESCRIPTORS
        || after.threads > MAX_THREADS
    {
        bail!("a server grew: {before:?} in the first half, {after:?} in the second");
    }
    println!("no growth: at most {before:?} in the first half after the warm-up, {after:?} in the second");
    Ok(())
}

impl Usage {
    fn max(self, other: Self) -> Self {
        Self {
            resident: self.resident.max(other.resident),
            descriptors: self.descriptors.max(other.descriptors),
            threads: self.threads.max(other.threads),
        }
    }
}
