//! The AppDir of the soak: constant files, and files that a writer changes all the time.

use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::sleep;
use std::time::Duration;

use anyhow::{Context as _, Result};

pub(crate) const PACKAGES: usize = 40;
pub(crate) const CARDS: usize = 400;
pub(crate) const ROWS: usize = 20_000;
/// The card with [`ROWS`] rows.
pub(crate) const BIG: &str = "pkg_model_20261121T000000_ffffff";
/// The id of the card that changes; the package `live` changes with it.
pub(crate) const LIVE: &str = "live_model_20261121T000000_000000";

pub(crate) struct SoakAppDir(PathBuf);

impl SoakAppDir {
    pub(crate) fn create(root: &Path) -> Result<Self> {
        let _ = fs::remove_dir_all(root);
        let app_dir = Self(root.to_path_buf());
        for number in 0..PACKAGES {
            app_dir.file(&format!("packages/p{number}/init.lua"), &package(&format!("p{number}"), number))?;
        }
        for number in 0..CARDS {
            app_dir.file(
                &format!("cards/pkg/{}.toml", card(number)),
                &format!("n = {number}\n[stats]\npass_rate = 0.5\n"),
            )?;
        }
        app_dir.file(&format!("cards/pkg/{BIG}.toml"), "n = -1\n")?;
        let mut rows = String::new();
        for row in 0..ROWS {
            writeln!(rows, "{{\"i\":{row},\"text\":\"{}\"}}", "x".repeat(row % 90))?;
        }
        app_dir.file(&format!("cards/pkg/{BIG}.samples.jsonl"), &rows)?;
        app_dir.file("evals/e_1.json", &eval())?;
        app_dir.file("scenarios/s.lua", SCENARIO)?;
        app_dir.file("types/alc.d.lua", &"-".repeat(1024))?;
        app_dir.file("logs/l.json", &log())?;
        app_dir.change(0)?;
        app_dir.file(&format!("cards/live/{LIVE}.samples.jsonl"), "")?;
        Ok(app_dir)
    }

    pub(crate) fn file(&self, name: &str, text: &str) -> Result<()> {
        let path = self.0.join(name);
        fs::create_dir_all(path.parent().context("a file lies in a folder")?)?;
        Ok(fs::write(path, text)?)
    }

    /// Replaces a file atomically.
    pub(crate) fn replace(&self, name: &str, text: &str) -> Result<()> {
        let temporary = format!("{name}.new");
        self.file(&temporary, text)?;
        Ok(fs::rename(self.0.join(&temporary), self.0.join(name))?)
    }

    /// Replaces the changing package and card by version `n`, each atomically.
    fn change(&self, n: usize) -> Result<()> {
        self.replace("packages/live/init.lua", &package("live", n))?;
        self.replace(&format!("cards/live/{LIVE}.toml"), &format!("a = {n}\nb = {n}\n"))
    }

    /// Replaces the changing files and appends rows, each in two writes, until `done`.
    pub(crate) fn run_writer(&self, done: &AtomicBool) -> Result<()> {
        let name = format!("cards/live/{LIVE}.samples.jsonl");
        let mut rows = File::options().append(true).open(self.0.join(name))?;
        for n in 1.. {
            if done.load(Ordering::Relaxed) {
                break;
            }
            self.change(n)?;
            write!(rows, "{{\"i\":{}", n - 1)?;
            sleep(Duration::from_millis(1));
            writeln!(rows, "}}")?;
            sleep(Duration::from_millis(4));
        }
        Ok(())
    }

    /// Starts servers and kills them during their requests, until `done`.
    pub(crate) fn run_killer(&self, server: &Path, done: &AtomicBool) -> Result<()> {
        while !done.load(Ordering::Relaxed) {
            let mut child = server_command(server, &self.0)
                .stdin(Stdio::piped())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()?;
            let mut input = child.stdin.take().context("a pipe")?;
            for uri in [format!("alc://cards/{BIG}/samples?limit=1"), format!("alc://cards/{LIVE}/samples?limit=1")] {
                let request = serde_json::json!({"jsonrpc": "2.0", "id": uri, "method": "resources/read", "params": {
                    "uri": uri,
                    "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
                              "io.modelcontextprotocol/clientCapabilities": {}},
                }});
                // The server may have ended already.
                let _ = writeln!(input, "{request}");
            }
            sleep(Duration::from_millis(25));
            child.kill()?;
            child.wait()?;
            sleep(Duration::from_millis(200));
        }
        Ok(())
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

pub(crate) fn server_command(server: &Path, app: &Path) -> Command {
    let mut command = Command::new(server);
    command.arg("--appdir").arg(app).env_clear().env("HOME", app);
    command
}

pub(crate) fn card(number: usize) -> String {
    format!("pkg_model_20261121T000000_{number:06x}")
}

/// Returns a package whose description repeats the version, so that a mix of two versions is noticed.
pub(crate) fn package(name: &str, version: usize) -> String {
    let description = vec![version.to_string(); 200].join(" ");
    format!(
        "local M = {{}}\nM.meta = {{ name = \"{name}\", version = \"{version}\", description = \"{description}\" }}\nreturn M\n"
    )
}

pub(crate) const SCENARIO: &str = "return { cases = {} }\n";

pub(crate) fn eval() -> String {
    format!("{{\"status\":\"completed\",\"pad\":\"{}\"}}", "e".repeat(3000))
}

fn log() -> String {
    let rounds: Vec<String> = (0..60)
        .map(|n| format!("{{\"query_id\":\"q{n}\",\"prompt\":\"{}\",\"response\":\"r{n}\"}}", "p".repeat(200)))
        .collect();
    format!("{{\"session_id\":\"l\",\"transcript\":[{}]}}", rounds.join(","))
}
