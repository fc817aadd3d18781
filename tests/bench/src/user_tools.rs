//! Figures of user-defined tools: a handler call, a page of a long list, and a reload after a change.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use serde_json::{Value, json};
use tempfile::TempDir;
use wardroom_appdir::{Access, ambient};
use wardroom_config::WatchMode;
use wardroom_registry::{RegistryRoot, RegistryService};

use crate::measure::{ready, server};
use crate::peer::{Peer, median};
use crate::table::{Table, micros};

fn line(method: &str, params: &Value) -> Vec<u8> {
    format!("{}\n", json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})).into_bytes()
}

/// Returns an index of `count` tools with the same handler.
fn tools(count: usize) -> Result<String> {
    let mut index = String::from("version: \"1.0\"\nnamespace: bench\nentries:\n");
    for number in 0..count {
        write!(
            index,
            "  - name: echo{number}\n    kind: function.lua\n    source: file://echo.lua\n    method: call\n    meta:\n      \
             mcp.tool: true\n      mcp.name: echo{number}\n      mcp.description: Echoes its text\n      mcp.inputSchema:\n        \
             type: object\n        properties:\n          text: {{ type: string, description: What is echoed }}\n        \
             required: [text]\n"
        )?;
    }
    Ok(index)
}

const ECHO: &str = "local M = {}\nfunction M.call(arguments) return 'Echo: ' .. arguments.text end\nreturn M\n";

pub(crate) fn user_tools(table: &mut Table, wardroom: &Path) -> Result<()> {
    let dir = TempDir::new()?;
    // Ten folders with an index each, so that a change touches one file.
    for folder in 0..10 {
        let folder = dir.path().join(format!("registry/part{folder}"));
        fs::create_dir_all(&folder)?;
    }
    let write_all = |count: usize| -> Result<()> {
        for folder in 0..10 {
            let path = dir.path().join(format!("registry/part{folder}"));
            let index = tools(count)?.replace("namespace: bench", &format!("namespace: bench{folder}"));
            let index = index.replace("echo", &format!("echo_{folder}_"));
            fs::write(path.join("_index.yaml"), index)?;
            fs::write(path.join(format!("echo_{folder}_.lua")), ECHO)?;
        }
        Ok(())
    };
    write_all(100)?;
    let mut peer = ready(&mut server(wardroom, dir.path()))?;
    let call = line("tools/call", &json!({"name": "echo_0_7", "arguments": {"text": "x"}}));
    let answer: Value = serde_json::from_slice(&peer.request(&call)?)?;
    answer.pointer("/result/content/0/text").context(format!("no answer: {answer}"))?;
    let ping = median(1000, |_| peer.timed(&line("ping", &json!({}))))?;
    let pause = || std::thread::sleep(Duration::from_millis(5));
    let took = median(1000, |_| peer.timed(&call))?;
    table.row("a declared tool (`echo`), warm", micros(took), format!("{} (ping)", micros(ping)), Some(took / ping));
    // A processor that was idle is slow at first under any load.
    let late = median(300, |_| {
        pause();
        peer.timed(&line("ping", &json!({})))
    })?;
    let took = median(300, |_| {
        pause();
        peer.timed(&call)
    })?;
    let beside = format!("{} (ping after the same pause)", micros(late));
    table.row("the same after a pause of 5 ms", micros(took), beside, Some(took / late));
    let list = line("tools/list", &json!({"cursor": "registry:echo_2_0"}));
    let took = median(300, |_| peer.timed(&list))?;
    table.row(
        "`tools/list`, a page of 100 of 1,000",
        micros(took),
        format!("{} (ping)", micros(ping)),
        Some(took / ping),
    );
    notification(table, &mut peer, dir.path())?;
    drop(peer);
    reload(table, dir.path())
}

/// Measures the time from the replacement of an index to the notification of the client.
fn notification(table: &mut Table, peer: &mut Peer, app: &Path) -> Result<()> {
    let (index, new) = (app.join("registry/part3/_index.yaml"), app.join("registry/part3/new"));
    let text = fs::read_to_string(&index)?;
    let took = median(20, |turn| {
        fs::write(&new, text.replace("Echoes its text", &format!("Echoes its text {turn}")))?;
        std::thread::sleep(Duration::from_millis(300));
        let start = Instant::now();
        fs::rename(&new, &index)?;
        let message = peer.request(b"")?;
        anyhow::ensure!(
            message.windows(18).any(|part| part == b"tools/list_changed"),
            "{}",
            String::from_utf8_lossy(&message)
        );
        Ok(start.elapsed().as_secs_f64() * 1e6)
    })?;
    let beside = "40 ms (the wait for the end of a burst)";
    table.row("from an index's replacement to `tools/list_changed`", micros(took), beside, None);
    Ok(())
}

/// Measures a reload after a change of one file, when all files are settled.
fn reload(table: &mut Table, app: &Path) -> Result<()> {
    std::thread::sleep(Duration::from_millis(2100));
    let folder = ambient::open_folder(app, Access::ReadOnly)?;
    let root = RegistryRoot { name: "registry".into(), folder, relative_path: "registry".into() };
    let registry = RegistryService::new(vec![root], Box::new(|_| false), WatchMode::Off);
    let start = Instant::now();
    drop(registry.overview());
    let first = start.elapsed().as_secs_f64() * 1e6;
    let path = app.join("registry/part3/echo_3_.lua");
    let took = median(20, |turn| {
        fs::write(&path, format!("{ECHO}-- {turn}\n"))?;
        let start = Instant::now();
        registry.reload();
        Ok(start.elapsed().as_secs_f64() * 1e6)
    })?;
    table.row(
        "1,000 declared tools, one file changed",
        micros(took),
        format!("the first time: {}", micros(first)),
        Some(took / first),
    );
    Ok(())
}
