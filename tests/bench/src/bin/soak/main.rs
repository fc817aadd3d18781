//! `make soak`: a day in minutes. Eight clients, each with a server of its own, ask two million mixed questions of one
//! AppDir, while a writer changes it and other servers are killed at work.
//!
//! Owns: what counts as growth. It fails on a wrong answer, and when a server takes more at the end than after its
//! warm-up.

#![expect(clippy::disallowed_methods, reason = "starts servers on a folder that it makes")]
#![expect(clippy::print_stdout, reason = "its output is a table")]
#![expect(clippy::indexing_slicing, reason = "a JSON value has null for what it lacks")]

mod client;
mod questions;
mod world;

use std::env;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Context as _, Result, bail};
use wardroom_base::limits::MAX_WORKERS;

use self::client::{Client, Usage};
use self::world::World;

const CLIENTS: usize = 8;
const ROUNDS: usize = 20;
/// Rounds that do not count.
const WARM_UP: usize = 4;
/// The allocator's pools fill up with the threads that use them. Of two million requests each server gets an eighth, and
/// eight rounds of twenty count for each half: 21 bytes lost on each request would show.
const SLACK_KIB: u64 = 2048;
/// Descriptors of a look at what changed, which may be under way.
const LOOKING: u64 = 8;
/// Worker threads come and go with the work. A few others are always there.
const MOST_THREADS: u64 = MAX_WORKERS as u64 + 8;

fn main() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let root = arguments.next().map_or_else(|| PathBuf::from("target/soak"), PathBuf::from);
    let requests: usize = arguments.next().map_or(Ok(2_000_000), |count| count.parse())?;
    let server = env::current_exe()?.parent().context("a binary lies in a folder")?.join("wardroom");
    let world = World::make(&root)?;
    let mut clients =
        (0..CLIENTS).map(|number| Client::start(number, &server, world.path())).collect::<Result<Vec<_>>>()?;
    let (done, start) = (AtomicBool::new(false), Instant::now());
    let rounds = thread::scope(|scope| {
        let writer = scope.spawn(|| world.keep_changing(&done));
        let killer = scope.spawn(|| world.keep_killing(&server, &done));
        let rounds = (0..ROUNDS).map(|_| round(&mut clients, requests / ROUNDS / CLIENTS)).collect::<Result<Vec<_>>>();
        done.store(true, Ordering::Relaxed);
        joined(writer.join())?;
        joined(killer.join())?;
        rounds
    })?;
    println!("{requests} requests in {:.0} s, no wrong answer", start.elapsed().as_secs_f64());
    println!("| round | resident, KiB | descriptors | threads |");
    for (number, round) in rounds.iter().enumerate() {
        println!("| {} | {} | {} | {} |", number + 1, round.resident, round.descriptors, round.threads);
    }
    judge(&rounds)
}

/// One part of the questions: what the greediest server takes after it.
fn round(clients: &mut [Client], questions: usize) -> Result<Usage> {
    thread::scope(|scope| {
        let running: Vec<_> = clients.iter_mut().map(|client| scope.spawn(move || client.run(questions))).collect();
        running.into_iter().try_for_each(|client| joined(client.join()))
    })?;
    let mut most = Usage::default();
    for client in &*clients {
        most = most.or_more(client.usage()?);
    }
    Ok(most)
}

fn joined(ended: thread::Result<Result<()>>) -> Result<()> {
    ended.unwrap_or_else(|_| bail!("a thread panicked"))
}

fn judge(rounds: &[Usage]) -> Result<()> {
    let most = |rounds: &[Usage]| rounds.iter().copied().fold(Usage::default(), Usage::or_more);
    let (before, after) = rounds.get(WARM_UP..).unwrap_or_default().split_at((ROUNDS - WARM_UP) / 2);
    let (before, after) = (most(before), most(after));
    if after.resident > before.resident + SLACK_KIB
        || after.descriptors > before.descriptors + LOOKING
        || after.threads > MOST_THREADS
    {
        bail!("a server grew: {before:?} in the first half, {after:?} in the second");
    }
    println!("no growth: at most {before:?} in the first half after the warm-up, {after:?} in the second");
    Ok(())
}

impl Usage {
    fn or_more(self, other: Self) -> Self {
        Self {
            resident: self.resident.max(other.resident),
            descriptors: self.descriptors.max(other.descriptors),
            threads: self.threads.max(other.threads),
        }
    }
}
