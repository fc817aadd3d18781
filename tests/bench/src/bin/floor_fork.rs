//! The floor of runs: a process is copied, confined as a worker is, and ends. Prints the median in microseconds.

#![expect(clippy::print_stdout, reason = "its output is a figure")]

use std::process::ExitCode;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use rustix::process::{WaitOptions, waitpid};
use wardroom_process::confine::confine_worker;
use wardroom_process::fork::{ForkSide, fork_single_threaded};

const TIMES: usize = 1000;
/// The memory that a worker may take.
const MEMORY: u64 = 64 * 1024 * 1024;

fn main() -> Result<ExitCode> {
    let mut all = Vec::with_capacity(TIMES);
    for _ in 0..TIMES {
        let start = Instant::now();
        let child = match fork_single_threaded()? {
            ForkSide::Child => return Ok(u8::from(!confine_worker(MEMORY).is_fully_enforced()).into()),
            ForkSide::Parent(child) => child,
        };
        let (_, status) = waitpid(Some(child), WaitOptions::empty())?.context("it ended")?;
        if status.exit_status() != Some(0) {
            bail!("a worker of this machine is not confined fully: {status:?}");
        }
        all.push(start.elapsed().as_secs_f64() * 1e6);
    }
    all.sort_by(f64::total_cmp);
    println!("{:.1}", all.get(TIMES / 2).context("times")?);
    Ok(ExitCode::SUCCESS)
}
