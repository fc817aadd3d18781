//! `bench FOLDER peers`: the same work of wardroom and of what a user could take instead, client and servers on one processor.
//!
//! Owns: the servers, the work, and which of them can do it.
//! Never: measures a server that it did not start, or leaves out a figure that is worse than another's.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::measure::server;
use crate::peer::{INITIALIZE, Peer, Revision, median, memory_of_all, read};
use crate::picture;

const FIXED: &str = "alc://types/alc.d.lua";
const PACKAGE: &str = "alc://packages/small/init.lua";
const WINDOW: usize = 32;
/// A request that is answered within a tenth of a millisecond is repeated so often; a slower one less often.
const TIMES: usize = 5_000;

/// What of a server is measured.
struct Candidate {
    name: &'static str,
    start: Box<dyn Fn() -> Command>,
    /// A read of 1 KiB.
    read: Box<dyn Fn(usize) -> Vec<u8>>,
    /// A call of a tool that its user wrote.
    echo: Option<Vec<u8>>,
    /// A run of `return 1`.
    run: Option<Vec<u8>>,
}

/// One piece of work, and what each candidate needs for it.
pub(crate) struct Comparison {
    pub(crate) what: &'static str,
    pub(crate) unit: Unit,
    pub(crate) figures: Vec<(&'static str, f64)>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unit {
    Micros,
    Megabytes,
}

impl Unit {
    pub(crate) fn format(self, value: f64) -> String {
        match self {
            Self::Micros => crate::table::micros(value),
            Self::Megabytes => format!("{value:.1} MB"),
        }
    }
}

fn call(tool: &str, arguments: &Value) -> Vec<u8> {
    let params = json!({"name": tool, "arguments": arguments});
    format!("{}\n", json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})).into_bytes()
}

/// Writes the folder that all servers read: 134 packages as in the other figures, a small package, and a declared tool.
fn write_app_dir(root: &Path, packages: &Path) -> Result<()> {
    for entry in fs::read_dir(packages.join("packages"))? {
        let entry = entry?;
        let folder = root.join("packages").join(entry.file_name());
        fs::create_dir_all(&folder)?;
        fs::copy(entry.path().join("init.lua"), folder.join("init.lua"))?;
    }
    fs::create_dir_all(root.join("packages/small"))?;
    fs::write(root.join("packages/small/init.lua"), "-".repeat(1024))?;
    fs::create_dir_all(root.join("types"))?;
    fs::write(root.join("types/alc.d.lua"), "-".repeat(1024))?;
    fs::create_dir_all(root.join("registry/app"))?;
    fs::write(
        root.join("registry/app/_index.yaml"),
        "version: \"1.0\"\nnamespace: app\nentries:\n  - name: echo\n    kind: function.lua\n    source: file://echo.lua\n    \
         method: call\n    meta:\n      mcp.tool: true\n      mcp.name: echo\n      mcp.description: Echoes its text\n      \
         mcp.inputSchema:\n        type: object\n        properties:\n          text: { type: string, description: What is \
         echoed }\n        required: [text]\n",
    )?;
    let echo = "local M = {}\nfunction M.call(arguments) return 'Echo: ' .. arguments.text end\nreturn M\n";
    Ok(fs::write(root.join("registry/app/echo.lua"), echo)?)
}

/// Returns the servers that this machine has. `installed` is the folder of those that others made.
fn candidates(wardroom: &Path, bin: &Path, root: &Path, installed: &Path) -> Result<Vec<Candidate>> {
    let of = |path: PathBuf| -> Box<dyn Fn() -> Command> { Box::new(move || Command::new(&path)) };
    let fixed = || -> Box<dyn Fn(usize) -> Vec<u8>> { Box::new(|id| read(id, FIXED, Revision::Legacy)) };
    let echo = || Some(call("echo", &json!({"text": "x"})));
    let run = || Some(call("alc_run", &json!({"code": "return 1"})));
    let (own, own_root) = (wardroom.to_owned(), root.to_owned());
    let mut all = vec![
        Candidate {
            name: "wardroom",
            start: Box::new(move || server(&own, &own_root)),
            read: Box::new(|id| read(id, PACKAGE, Revision::Legacy)),
            echo: echo(),
            run: run(),
        },
        Candidate { name: "bare loop", start: of(bin.join("floor_loop")), read: fixed(), echo: None, run: None },
        Candidate { name: "minimal rmcp", start: of(bin.join("floor_rmcp")), read: fixed(), echo: None, run: None },
    ];
    if let Ok(original) = env::var("PEER") {
        let home = root.to_owned();
        let words: Vec<String> = original.split_whitespace().map(str::to_owned).collect();
        let (program, arguments) = words.split_first().context("PEER names the program of the original")?;
        let (program, arguments) = (program.clone(), arguments.to_vec());
        all.push(Candidate {
            name: "the original",
            start: Box::new(move || {
                let mut command = Command::new(&program);
                command.args(&arguments).env("HOME", &home).env("ALC_HOME", &home);
                command.env("ALC_PACKAGES_PATH", home.join("packages"));
                command
            }),
            read: Box::new(|id| read(id, PACKAGE, Revision::Legacy)),
            echo: None,
            run: run(),
        });
    }
    let filesystem = installed.join("node_modules/@modelcontextprotocol/server-filesystem/dist/index.js");
    let python = installed.join("py/bin/python");
    if !filesystem.exists() || !python.exists() {
        bail!("{} lacks the servers of others: `make bench` installs them", installed.display());
    }
    let folder = root.to_owned();
    let file = root.join("packages/small/init.lua");
    let path = file.clone();
    all.push(Candidate {
        name: "filesystem (Node)",
        start: Box::new(move || {
            let mut command = Command::new("node");
            command.arg(&filesystem).arg(&folder);
            command
        }),
        read: Box::new(move |id| {
            let params = json!({"name": "read_text_file", "arguments": {"path": path}});
            let request = json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params});
            format!("{request}\n").into_bytes()
        }),
        echo: None,
        run: None,
    });
    let script = installed.join("server.py");
    all.push(Candidate {
        name: "FastMCP (Python)",
        start: Box::new(move || {
            let mut command = Command::new(&python);
            command.arg(&script).arg(&file);
            command
        }),
        read: fixed(),
        echo: echo(),
        run: None,
    });
    Ok(all)
}

impl Candidate {
    /// Returns the time from the start of the process to the answer of `initialize`.
    fn first_answer(&self) -> Result<f64> {
        let start = Instant::now();
        let mut peer = Peer::spawn(&mut (self.start)())?;
        peer.request(INITIALIZE)?;
        Ok(start.elapsed().as_secs_f64() * 1e6)
    }

    fn ready(&self) -> Result<Peer> {
        let mut peer = Peer::spawn(&mut (self.start)())?;
        peer.initialize()?;
        Ok(peer)
    }
}

/// Returns the median time of a request, repeated for a few seconds at most.
fn typical(peer: &mut Peer, line: impl Fn(usize) -> Vec<u8>) -> Result<f64> {
    let first = median(20, |at| peer.timed(&line(at + 1)))?;
    median(times(first), |at| peer.timed(&line(at + 1)))
}

fn times(micros: f64) -> usize {
    TIMES.min((2e6 / micros) as usize).max(50)
}

/// Measures every server, and draws the picture.
pub(crate) fn peers(wardroom: &Path, bin: &Path, packages: &Path, installed: &Path) -> Result<String> {
    let folder = TempDir::new()?;
    let root = folder.path().canonicalize()?;
    write_app_dir(&root, packages)?;
    let all = candidates(wardroom, bin, &root, installed)?;
    let mut comparisons = Vec::new();
    let mut compare = |what, unit, once: &dyn Fn(&Candidate) -> Result<Option<f64>>| -> Result<()> {
        let mut figures = Vec::new();
        for candidate in &all {
            if let Some(figure) = once(candidate).with_context(|| candidate.name)? {
                figures.push((candidate.name, figure));
            }
        }
        comparisons.push(Comparison { what, unit, figures });
        Ok(())
    };
    compare("start to the answer of `initialize`", Unit::Micros, &|candidate| {
        let first = candidate.first_answer()?;
        median(if first > 50_000.0 { 10 } else { 100 }, |_| candidate.first_answer()).map(Some)
    })?;
    compare("read of a file of 1 KiB", Unit::Micros, &|candidate| {
        typical(&mut candidate.ready()?, &candidate.read).map(Some)
    })?;
    compare("the same with 32 at once, each", Unit::Micros, &|candidate| {
        let mut peer = candidate.ready()?;
        let requests = 20 * times(typical(&mut peer, &candidate.read)?);
        Ok(Some(1e6 / peer.pipelined(requests, WINDOW, &candidate.read)?))
    })?;
    compare("call of a tool that a user wrote", Unit::Micros, &|candidate| {
        let Some(echo) = &candidate.echo else { return Ok(None) };
        typical(&mut candidate.ready()?, |_| echo.clone()).map(Some)
    })?;
    compare("run of `return 1` in Lua", Unit::Micros, &|candidate| {
        let Some(run) = &candidate.run else { return Ok(None) };
        typical(&mut candidate.ready()?, |_| run.clone()).map(Some)
    })?;
    compare("memory after a read, all processes", Unit::Megabytes, &|candidate| {
        let mut peer = candidate.ready()?;
        peer.timed(&(candidate.read)(1))?;
        std::thread::sleep(std::time::Duration::from_millis(500));
        memory_of_all(peer.id()).map(Some)
    })?;
    fs::write(installed.join("peers.svg"), picture::draw(&comparisons))?;
    let names: Vec<&str> = all.iter().map(|candidate| candidate.name).collect();
    Ok(markdown(&names, &comparisons))
}

fn markdown(names: &[&str], comparisons: &[Comparison]) -> String {
    let mut lines =
        vec![format!("| p50 | {} |", names.join(" | ")), format!("| --- |{}", " --- |".repeat(names.len()))];
    lines.extend(comparisons.iter().map(|row| {
        let figure = |name: &&str| {
            let found = row.figures.iter().find(|(of, _)| of == name);
            found.map_or_else(String::new, |(_, figure)| row.unit.format(*figure))
        };
        format!("| {} | {} |", row.what, names.iter().map(figure).collect::<Vec<_>>().join(" | "))
    }));
    lines.join("\n") + "\n"
}
