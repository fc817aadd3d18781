//! Declared tools: one that returns its arguments, one that counts its calls, and one whose source changes.
//!
//! Owns: the registry of the soak, which tasks and HTTP use too.

use std::thread::sleep;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use super::caller::{Caller, tool_content, tool_params};
use super::{Exchange, Soak, loses_server};
use crate::app_dir::SoakAppDir;
use crate::growth::Usage;
use crate::requests::Rng;

/// A server follows its files by the system's notices, on a machine that is busy.
const MAX_RELOAD_TIME: Duration = Duration::from_secs(30);
/// Every eighth round changes a source.
const CHANGE_INTERVAL: usize = 8;

/// Name, modules, further keys, and the body of the handler.
const TOOLS: [(&str, &str, &str, &str); 5] = [
    ("echo", "", "", "return arguments"),
    ("count", "alc", "", "return alc.state.incr('soak_calls')"),
    ("square", "time", "mcp.task: optional", "time.sleep('20ms') return {square = arguments.n * arguments.n}"),
    (
        "greet",
        "elicit",
        "mcp.task: optional",
        "local form = {type = 'object', properties = {name = {type = 'string'}}} \
         return arguments.greeting .. ' ' .. elicit.form('Name?', form).content.name",
    ),
    ("version", "", "", "return '0'"),
];

pub(super) fn write_registry(app_dir: &SoakAppDir) -> Result<()> {
    let mut index = "version: \"1.0\"\nnamespace: soak\nentries:\n".to_owned();
    for (name, modules, more, body) in TOOLS {
        index += &format!(
            "  - name: {name}\n    kind: function.lua\n    source: file://{name}.lua\n    method: call\n    \
             modules: [{modules}]\n    meta:\n      mcp.tool: true\n      mcp.name: soak_{name}\n      \
             mcp.description: A tool of the soak\n      {more}\n"
        );
        write_handler(app_dir, name, body)?;
    }
    app_dir.replace("registry/soak/_index.yaml", &index)
}

fn write_handler(app_dir: &SoakAppDir, name: &str, body: &str) -> Result<()> {
    let source = format!("local M = {{}}\nfunction M.call(arguments)\n{body}\nend\nreturn M\n");
    app_dir.replace(&format!("registry/soak/{name}.lua"), &source)
}

pub(super) struct Declared<'s> {
    soak: &'s Soak<'s>,
    lasting: Caller<'s>,
    rng: Rng,
    /// The last count that is known.
    count: u64,
    version: usize,
}

impl<'s> Declared<'s> {
    pub(super) fn start(soak: &'s Soak<'s>) -> Result<Self> {
        Ok(Self { soak, lasting: Caller::legacy(soak)?, rng: Rng::new(101), count: 0, version: 0 })
    }

    /// Loses a server during a call, which may have counted or not, and did if it was answered.
    fn lose_server(&mut self) -> Result<()> {
        let mut lost = Caller::legacy(self.soak)?;
        lost.send("tools/call", tool_params("soak_count", &json!({})))?;
        let answer = lost.kill_soon(&mut self.rng)?;
        let now = counted(&self.lasting.call_tool("soak_count", &json!({}))?)?;
        let before = now.checked_sub(1).context("a count")?;
        ensure!(before == self.count || before == self.count + 1, "{now} after {}", self.count);
        if let Some(answer) = answer {
            let acknowledged = counted(&tool_content(&answer["result"])?)?;
            ensure!(acknowledged == self.count + 1 && before == acknowledged, "{now} after {answer}");
        }
        self.count = now;
        Ok(())
    }

    /// Changes a source, and calls the tool until the server has it: it says the old version or the new one.
    fn change_source(&mut self) -> Result<()> {
        let (old, new) = (self.version.to_string(), (self.version + 1).to_string());
        write_handler(self.soak.app_dir, "version", &format!("return '{new}'"))?;
        let deadline = Instant::now() + MAX_RELOAD_TIME;
        loop {
            let said = self.lasting.call_tool("soak_version", &json!({}))?;
            if said == *new {
                break;
            }
            ensure!(said == *old, "{said} between {old} and {new}");
            ensure!(Instant::now() < deadline, "the change is not noticed");
            sleep(Duration::from_millis(20));
        }
        self.version += 1;
        Ok(())
    }
}

impl Exchange for Declared<'_> {
    fn hold(&mut self, round: usize) -> Result<()> {
        let arguments =
            json!({"round": round, "text": "ü\n".repeat(self.rng.below(3000)), "deep": {"list": [1, [2.5, true]]}});
        let echoed = self.lasting.call_tool("soak_echo", &arguments)?;
        ensure!(echoed == arguments, "another echo: {echoed}");
        let now = counted(&self.lasting.call_tool("soak_count", &json!({}))?)?;
        ensure!(now == self.count + 1, "{now} after {}", self.count);
        self.count = now;
        if loses_server(round) {
            self.lose_server()?;
        }
        if round.is_multiple_of(CHANGE_INTERVAL) {
            self.change_source()?;
        }
        Ok(())
    }

    fn usage(&self) -> Result<Usage> {
        self.lasting.usage()
    }
}

fn counted(content: &Value) -> Result<u64> {
    Ok(content.as_str().with_context(|| format!("no count: {content}"))?.parse()?)
}
