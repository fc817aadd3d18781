//! `wardroom doctor --shared PATH --peer PATH2`: whether a file system that several machines mount is what servers need.
//!
//! Owns: the checks, each with a process on both mounts, and the stamp where all of them pass.
//! Never: takes the word of a file system for it, or leaves its folder behind.

pub(super) mod peer;

use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use self::peer::{PeerReply, PeerStep};
use crate::assemble::file_system::FileSystemStamp;
use crate::assemble::helpers;
use crate::report::{self, Cell, Column, CommandError, Progress, Table, TextRole};
use wardroom_appdir::{Access, FileSystemReach, Folder, ambient};
use wardroom_base::hex::encode_hex;
use wardroom_base::random;
use wardroom_base::unix_time;

/// The folder of what servers write of themselves.
const SERVER_DIR: &str = "server";
/// Increments by each of the two processes.
const INCREMENTS: u32 = 60;
/// Files that both create.
const CREATED_FILES: u32 = 200;
/// Files that one replaces and the other reads at once.
const VERSIONS: u32 = 60;
/// Time in which a lock that its holder gave up, or left as it died, has to be free. Some file systems are told of a closed file
/// only after the call has returned.
const FREE_LOCK_TIMEOUT: Duration = Duration::from_secs(10);

/// The outcome of a check: what it shows, and why it failed.
struct CheckOutcome {
    name: &'static str,
    shows: &'static str,
    failure: Option<String>,
}

/// What a check asks of both processes. The error says what is wrong.
type Check = fn(&mut Peer, &mut Peer) -> Result<(), String>;

const CHECKS: [(&str, &str, Check); 7] = [
    ("locks", "a lock of one mount holds on the other", locks_exclude),
    ("dead holder", "the lock of a process that died is free", dead_holder_loses_lock),
    ("creation", "of two processes that create a file one succeeds", creation_is_exclusive),
    ("replacement", "a replaced file is seen whole and at once", replacement_is_seen),
    ("names", "a new file is listed at once", names_are_seen),
    ("state", "what was replaced under a lock is read under it", state_is_fresh),
    ("journals", "what was appended under a lock is read under it", journal_is_fresh),
];

/// A process on one mount.
struct Peer {
    path: std::path::PathBuf,
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Peer {
    #[expect(clippy::disallowed_methods, reason = "a command that a person runs starts its own program")]
    fn start(path: &Path) -> std::io::Result<Self> {
        let mut command = Command::new(helpers::OWN_PROGRAM);
        command.arg("file-system-peer").arg(path).env_clear();
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(std::io::ErrorKind::BrokenPipe.into());
        };
        Ok(Self { path: path.to_owned(), child, input, output: BufReader::new(output) })
    }

    fn send(&mut self, step: &PeerStep) -> Result<(), String> {
        let line = serde_json::to_string(step).unwrap_or_default();
        writeln!(self.input, "{line}").map_err(|error| error.to_string())
    }

    fn receive(&mut self) -> Result<u32, String> {
        let mut line = String::new();
        self.output.read_line(&mut line).map_err(|error| error.to_string())?;
        match serde_json::from_str(&line) {
            Ok(PeerReply::Done(number)) => Ok(number),
            Ok(PeerReply::Failed(why)) => Err(why),
            Err(_) => Err("the process on a mount ended".to_owned()),
        }
    }

    fn perform(&mut self, step: &PeerStep) -> Result<u32, String> {
        self.send(step)?;
        self.receive()
    }

    /// Ends the process without a warning, and starts another one.
    fn kill_and_restart(&mut self) -> Result<(), String> {
        self.end();
        *self = Self::start(&self.path).map_err(|error| error.to_string())?;
        Ok(())
    }

    fn end(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.end();
    }
}

/// Has both perform a step at the same time, and returns both numbers.
fn at_once(first: &mut Peer, second: &mut Peer, step: &PeerStep) -> Result<[u32; 2], String> {
    first.send(step)?;
    second.send(step)?;
    let numbers = [first.receive(), second.receive()];
    let [one, other] = numbers;
    Ok([one?, other?])
}

fn expect(is_so: bool, otherwise: impl Into<String>) -> Result<(), String> {
    if is_so { Ok(()) } else { Err(otherwise.into()) }
}

fn locks_exclude(first: &mut Peer, second: &mut Peer) -> Result<(), String> {
    for _ in 0..20 {
        first.perform(&PeerStep::Hold)?;
        expect(second.perform(&PeerStep::IsHeld)? == 1, "the other mount got a lock that was held")?;
        first.perform(&PeerStep::Release)?;
        expect_free_lock(second, "a released lock stays")?;
    }
    Ok(())
}

fn expect_free_lock(peer: &mut Peer, otherwise: &str) -> Result<(), String> {
    let begun = Instant::now();
    while peer.perform(&PeerStep::IsHeld)? == 1 {
        expect(begun.elapsed() < FREE_LOCK_TIMEOUT, otherwise)?;
        thread::sleep(Duration::from_millis(5));
    }
    Ok(())
}

fn dead_holder_loses_lock(first: &mut Peer, second: &mut Peer) -> Result<(), String> {
    first.perform(&PeerStep::Hold)?;
    first.kill_and_restart()?;
    expect_free_lock(second, "the lock of a process that died stays")
}

fn creation_is_exclusive(first: &mut Peer, second: &mut Peer) -> Result<(), String> {
    let [one, other] = at_once(first, second, &PeerStep::Create { files: CREATED_FILES })?;
    let created = one + other;
    expect(created == CREATED_FILES, format!("{CREATED_FILES} files were created {created} times"))
}

fn replacement_is_seen(first: &mut Peer, second: &mut Peer) -> Result<(), String> {
    first.perform(&PeerStep::Write { version: 0 })?;
    for version in 1..=VERSIONS {
        // One reads while the other replaces, and again afterwards.
        second.send(&PeerStep::Read)?;
        first.perform(&PeerStep::Write { version })?;
        let during = second.receive()?;
        expect(during + 1 >= version && during <= version, "a file that was replaced long ago was read")?;
        expect(second.perform(&PeerStep::Read)? == version, "a file that had been replaced was read")?;
    }
    Ok(())
}

fn names_are_seen(first: &mut Peer, second: &mut Peer) -> Result<(), String> {
    for count in 1..=20 {
        first.perform(&PeerStep::CreateNamed { name: format!("listed-{count}") })?;
        let listed = second.perform(&PeerStep::Names { beginning: "listed-".to_owned() })?;
        expect(listed == count, "a new file was not listed")?;
    }
    Ok(())
}

fn state_is_fresh(first: &mut Peer, second: &mut Peer) -> Result<(), String> {
    at_once(first, second, &PeerStep::Count { times: INCREMENTS })?;
    let sums = [first.perform(&PeerStep::Count { times: 0 })?, second.perform(&PeerStep::Count { times: 0 })?];
    let expected = 2 * INCREMENTS;
    expect(sums == [expected; 2], format!("{expected} increments gave {} and {}", sums[0], sums[1]))
}

fn journal_is_fresh(first: &mut Peer, second: &mut Peer) -> Result<(), String> {
    first.perform(&PeerStep::CreateJournal)?;
    at_once(first, second, &PeerStep::CountInJournal { times: INCREMENTS })?;
    let step = PeerStep::CountInJournal { times: 0 };
    let lines = [first.perform(&step)?, second.perform(&step)?];
    let expected = 2 * INCREMENTS;
    expect(lines == [expected; 2], format!("{expected} lines became {} and {}", lines[0], lines[1]))
}

pub(super) fn run(path: &Path, peer: &Path) -> Result<(), CommandError> {
    let opened = |path: &Path| {
        ambient::open_folder(path, Access::ReadWrite).map(Folder::with_owner_only).map_err(|error| {
            let what = format!("cannot open {}", path.display());
            CommandError::with_cause(what, error, "name the AppDir as each of the two mounts has it")
        })
    };
    let (app, other) = (opened(path)?, opened(peer)?);
    let outcomes = check_both(&app, [path, peer])?;
    print_outcomes(&outcomes)?;
    let failed = outcomes.iter().filter(|outcome| outcome.failure.is_some()).count();
    let unwritten =
        |error| CommandError::with_cause("cannot write the stamp", error, "the checks are to be run again afterwards");
    if failed > 0 {
        FileSystemStamp::remove(&app).map_err(unwritten)?;
        let what = format!("{failed} of {} checks failed: servers only read this AppDir", outcomes.len());
        return Err(CommandError::new(what, "wardroom help scaling has the options of each file system that mend it"));
    }
    let ids = [&app, &other].map(|folder| folder.stat_self().map(|stat| stat.file_id.device));
    let is_one_mount = matches!(&ids, [Ok(one), Ok(other)] if one == other);
    if is_one_mount {
        report::print_note(
            "both paths are on one mount, so that this shows nothing of other machines: no stamp is written",
        );
        return Ok(());
    }
    let reach = app.file_system_reach().map_err(unwritten)?;
    let Some(volume) = ambient::mounted_volume(&app).filter(|_| reach == FileSystemReach::Shared) else {
        report::print_note("this file system is this machine's alone, and needs no stamp");
        return Ok(());
    };
    let checked = unix_time::now_seconds();
    let mounts = [path, peer].map(|path| path.display().to_string());
    FileSystemStamp::new(&volume, mounts, checked).write(&app).map_err(unwritten)?;
    let name = report::escape_name(volume.volume());
    report::print_line(&format!("servers write to the AppDir on {name} ({}) from now on", volume.file_system))
}

/// Runs the checks in a folder of their own, which is removed afterwards.
fn check_both(app: &Folder, paths: [&Path; 2]) -> Result<Vec<CheckOutcome>, CommandError> {
    let failed =
        |error| CommandError::with_cause("cannot make a folder for the check", error, "make the AppDir writable");
    let mut random = [0; 8];
    random::fill(&mut random)
        .map_err(|error| CommandError::new(error.to_string(), "the system has to give random bytes"))?;
    let name = format!("check-{}", encode_hex(&random));
    let server = app.create_folder(SERVER_DIR).map_err(failed)?;
    server.create_folder(&name).map_err(failed)?;
    let outcomes = run_checks(paths.map(|path| path.join(SERVER_DIR).join(&name)));
    if let Err(error) = server.remove_tree(&name) {
        report::print_note(&format!("the folder {SERVER_DIR}/{name} stays: {error}"));
    }
    outcomes
}

fn run_checks(folders: [std::path::PathBuf; 2]) -> Result<Vec<CheckOutcome>, CommandError> {
    let started = folders.map(|folder| Peer::start(&folder));
    let hint = "install wardroom again if its file was moved";
    let failed = |error| CommandError::with_cause("cannot start a process on a mount", error, hint);
    let [first, second] = started;
    let (mut first, mut second) = (first.map_err(failed)?, second.map_err(failed)?);
    // Both have to see one folder before anything else means something.
    let is_seen = first.perform(&PeerStep::CreateNamed { name: "seen".to_owned() });
    let is_seen = is_seen.and_then(|_| second.perform(&PeerStep::Names { beginning: "seen".to_owned() }));
    if is_seen != Ok(1) {
        return Err(CommandError::new(
            "the two paths are not one folder",
            "name the AppDir as each of the two mounts has it",
        ));
    }
    let progress = Progress::spinner("checking");
    let outcomes = CHECKS.map(|(name, shows, check)| {
        progress.name(name);
        CheckOutcome { name, shows, failure: check(&mut first, &mut second).err() }
    });
    drop(progress);
    Ok(outcomes.into())
}

fn print_outcomes(outcomes: &[CheckOutcome]) -> Result<(), CommandError> {
    let mut table = Table::new(" ", [Column::new("", 8), Column::new("", 14), Column::text("", 0)]);
    for outcome in outcomes {
        let (state, role) = match &outcome.failure {
            None => ("ok", TextRole::Good),
            Some(_) => ("error", TextRole::Bad),
        };
        let detail = outcome.failure.as_deref().unwrap_or(outcome.shows);
        table.add([Cell::new(state, role), Cell::new(outcome.name, TextRole::Name), detail.into()]);
    }
    table.print()
}
