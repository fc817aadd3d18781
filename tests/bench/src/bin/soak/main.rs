//! `make soak`: the load of a day in minutes. Eight clients, each with its own server, send two million mixed requests
//! to one AppDir, while a writer changes it and other servers are killed during requests. Exchanges of several steps go
//! on meanwhile, and their servers are killed between two steps.
//!
//! Owns: the course of the soak, and its report. The run fails on a wrong answer, on growth, and on a process that is
//! left over.

#![expect(clippy::disallowed_methods, reason = "starts servers on a folder that it creates")]
#![expect(clippy::print_stdout, reason = "its output is a table")]
#![expect(clippy::indexing_slicing, reason = "a JSON value has null for what it lacks")]

mod app_dir;
mod client;
mod exchanges;
mod growth;
mod requests;

use std::env;
use std::fs;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::{Result, bail};

use self::app_dir::SoakAppDir;
use self::client::SoakClient;
use self::exchanges::{EXCHANGES, Soak, check_kept_runs};
use self::growth::{Halves, Usage, check_no_process_left};

const CLIENTS: usize = 8;
const ROUNDS: usize = 20;
/// Requests of the load for which each exchange makes one round, if not more.
const REQUESTS_PER_EXCHANGE: usize = 10_000;
/// Rounds of an exchange in a short soak.
const MIN_EXCHANGES: usize = 40;

fn main() -> Result<()> {
    let mut arguments = env::args().skip(1);
    let root = arguments.next().map_or_else(|| PathBuf::from("target/soak"), PathBuf::from);
    let requests: usize = arguments.next().map_or(Ok(2_000_000), |count| count.parse())?;
    let app_dir = SoakAppDir::create(&root)?;
    exchanges::prepare(&app_dir)?;
    // A copy of its own, by which its processes are told from those of others.
    let server = root.with_extension("server");
    fs::copy(env::current_exe()?.with_file_name("wardroom"), &server)?;
    let server = server.canonicalize()?;
    let start = Instant::now();
    let soak = Soak {
        server: &server,
        app_dir: &app_dir,
        min_rounds: MIN_EXCHANGES.max(requests / REQUESTS_PER_EXCHANGE),
        is_over: AtomicBool::new(false),
        is_quiet: AtomicBool::new(false),
        has_failed: AtomicBool::new(false),
        answered: AtomicU64::new(0),
        killed: AtomicUsize::new(0),
    };
    let (load, held) = run(&soak, requests)?;
    report(&soak, requests, &load, &held, start.elapsed().as_secs());
    Halves::of(&load).check_growth("the load")?;
    for ((name, _), usages) in EXCHANGES.iter().zip(&held) {
        Halves::of(usages).check_growth(name)?;
    }
    check_kept_runs(&soak)?;
    check_no_process_left(&server)?;
    println!("\nno wrong answer, no growth, and no process is left");
    Ok(())
}

/// Runs the load and the exchanges; returns the usages after each round of the load, and of each exchange.
fn run(soak: &Soak<'_>, requests: usize) -> Result<(Vec<Usage>, Vec<Vec<Usage>>)> {
    let start = |number| SoakClient::start(number, soak.server, soak.app_dir.path());
    let mut clients = (0..CLIENTS).map(start).collect::<Result<Vec<_>>>()?;
    thread::scope(|scope| {
        let writer = scope.spawn(|| soak.app_dir.run_writer(&soak.is_quiet));
        let killer = scope.spawn(|| soak.app_dir.run_killer(soak.server, &soak.is_quiet));
        let exchanges = EXCHANGES.map(|(name, start)| scope.spawn(move || exchanges::run(name, start, soak)));
        let mut rounds = Vec::new();
        for _ in 0..ROUNDS {
            if soak.has_failed.load(Ordering::Relaxed) {
                break;
            }
            let round = run_round(&mut clients, requests / ROUNDS / CLIENTS);
            soak.has_failed.fetch_or(round.is_err(), Ordering::Relaxed);
            rounds.push(round);
        }
        soak.is_over.store(true, Ordering::Relaxed);
        let held = exchanges.map(|exchange| join_result(exchange.join()));
        soak.is_quiet.store(true, Ordering::Relaxed);
        let others = [join_result(writer.join()), join_result(killer.join())];
        let rounds = rounds.into_iter().collect::<Result<Vec<_>>>()?;
        let held = held.into_iter().collect::<Result<Vec<_>>>()?;
        others.into_iter().collect::<Result<()>>()?;
        Ok((rounds, held))
    })
}

/// Sends one round of requests; returns the highest usage of any server after it.
fn run_round(clients: &mut [SoakClient], requests: usize) -> Result<Usage> {
    thread::scope(|scope| {
        let running: Vec<_> = clients.iter_mut().map(|client| scope.spawn(move || client.run(requests))).collect();
        running.into_iter().try_for_each(|client| join_result(client.join()))
    })?;
    clients.iter().try_fold(Usage::default(), |most, client| Ok(most.max(client.usage()?)))
}

fn join_result<T>(ended: thread::Result<Result<T>>) -> Result<T> {
    ended.unwrap_or_else(|_| bail!("a thread panicked"))
}

fn report(soak: &Soak<'_>, requests: usize, load: &[Usage], held: &[Vec<Usage>], seconds: u64) {
    let commit = env::var("SOAK_COMMIT").unwrap_or_else(|_| "unknown".to_owned());
    let answered = soak.answered.load(Ordering::Relaxed);
    let killed = soak.killed.load(Ordering::Relaxed);
    println!("commit {commit}");
    println!(
        "{} requests in {seconds} s: {requests} of {CLIENTS} clients, {answered} in exchanges, of which {killed} lost their \
         server\n",
        requests as u64 + answered
    );
    println!("| what | rounds | resident in the halves after the warm-up, KiB | descriptors | threads |");
    println!("| --- | --- | --- | --- | --- |");
    let rows = EXCHANGES.iter().map(|(name, _)| *name).zip(held.iter().map(Vec::as_slice));
    for (name, usages) in std::iter::once(("load", load)).chain(rows) {
        let Halves { first, second } = Halves::of(usages);
        println!(
            "| {name} | {} | {}, {} | {}, {} | {}, {} |",
            usages.len(),
            first.resident,
            second.resident,
            first.descriptors,
            second.descriptors,
            first.threads,
            second.threads
        );
    }
}
