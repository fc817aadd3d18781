//! Exchanges: conversations of several steps whose every answer is known beforehand, held while the load goes on.
//!
//! Owns: the loop of an exchange, and what all exchanges know of the soak.
//! Never: knows what an exchange is about.

mod caller;
mod captures;
mod declared;
mod http;
mod installs;
mod kept;
mod proposals;
mod runs;
mod searches;
mod tasks;

use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, Result};

use super::app_dir::SoakAppDir;
use super::growth::Usage;

pub(crate) use self::kept::check_kept_runs;

/// Between two rounds of an exchange, so that exchanges last as long as the load.
const PAUSE: Duration = Duration::from_millis(100);
/// Every fourth round loses a server.
const KILL_INTERVAL: usize = 4;

/// What the threads of one soak share.
pub(crate) struct Soak<'s> {
    /// The binary of the servers.
    pub(crate) server: &'s Path,
    pub(crate) app_dir: &'s SoakAppDir,
    /// Rounds that each exchange makes, even if the load is over before.
    pub(crate) min_rounds: usize,
    /// Whether the load is over.
    pub(crate) is_over: AtomicBool,
    /// Whether the exchanges are over too, so that the AppDir may stop changing.
    pub(crate) is_quiet: AtomicBool,
    pub(crate) has_failed: AtomicBool,
    /// Requests of exchanges that were answered.
    pub(crate) answered: AtomicU64,
    pub(crate) killed: AtomicUsize,
}

impl Soak<'_> {
    fn app(&self) -> &Path {
        self.app_dir.path()
    }

    fn count_answer(&self) {
        self.answered.fetch_add(1, Ordering::Relaxed);
    }

    fn count_kill(&self) {
        self.killed.fetch_add(1, Ordering::Relaxed);
    }
}

/// One subject, which is asked about in rounds.
pub(crate) trait Exchange {
    /// Holds one exchange; the number is that of the round.
    fn hold(&mut self, round: usize) -> Result<()>;

    /// Checks what must hold after the last round.
    fn finish(&mut self) -> Result<()> {
        Ok(())
    }

    /// Returns the usage of the server that lives as long as the exchange.
    fn usage(&self) -> Result<Usage>;

    /// Rounds after which what the AppDir keeps for its clients would be full.
    fn max_rounds(&self) -> usize {
        usize::MAX
    }
}

pub(crate) type Starter = for<'s> fn(&'s Soak<'s>) -> Result<Box<dyn Exchange + 's>>;

/// The exchanges, by name.
pub(crate) const EXCHANGES: [(&str, Starter); 8] = [
    ("runs", |soak| Ok(Box::new(runs::Runs::start(soak)?))),
    ("declared tools", |soak| Ok(Box::new(declared::Declared::start(soak)?))),
    ("tasks", |soak| Ok(Box::new(tasks::Tasks::start(soak)?))),
    ("HTTP", |soak| Ok(Box::new(http::Http::start(soak)?))),
    ("installs", |soak| Ok(Box::new(installs::Installs::start(soak)?))),
    ("searches", |soak| Ok(Box::new(searches::Searches::start(soak)?))),
    ("proposals", |soak| Ok(Box::new(proposals::Proposals::start(soak)?))),
    ("captures", |soak| Ok(Box::new(captures::Captures::start(soak)?))),
];

/// Writes what the exchanges need of the AppDir, before any server starts.
pub(crate) fn prepare(app_dir: &SoakAppDir) -> Result<()> {
    declared::write_registry(app_dir)?;
    searches::write_blog(app_dir)?;
    captures::write_log(app_dir)
}

/// Holds an exchange until the load is over; returns the usage after each round.
pub(crate) fn run(name: &str, start: Starter, soak: &Soak<'_>) -> Result<Vec<Usage>> {
    let held = hold_rounds(name, start, soak);
    if held.is_err() {
        soak.has_failed.store(true, Ordering::Relaxed);
    }
    held
}

fn hold_rounds(name: &str, start: Starter, soak: &Soak<'_>) -> Result<Vec<Usage>> {
    let mut exchange = start(soak).with_context(|| format!("{name}: start"))?;
    let mut usages = Vec::new();
    let is_over = |rounds| soak.is_over.load(Ordering::Relaxed) && rounds >= soak.min_rounds;
    while !is_over(usages.len()) && usages.len() < exchange.max_rounds() && !soak.has_failed.load(Ordering::Relaxed) {
        let round = usages.len();
        exchange.hold(round).with_context(|| format!("{name}: round {round}"))?;
        usages.push(exchange.usage()?);
        sleep(PAUSE);
    }
    exchange.finish().with_context(|| format!("{name}: end"))?;
    Ok(usages)
}

/// Whether a round loses a server.
fn loses_server(round: usize) -> bool {
    round % KILL_INTERVAL == KILL_INTERVAL - 1
}
