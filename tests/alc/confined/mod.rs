//! Tests of the tools of packages, projects, the hub and cards, through the binary and behind its walls.

mod all_tools;
mod cards;
mod hub;
mod modes;
mod packages;
mod strategies;

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};

use wardroom_test_support::{ClientRevision, RunClient, StdioClient, TestDir, wardroom_command};

/// A server on an AppDir, a project and a mount, beside a folder that is not granted.
struct ConfinedServer {
    dir: TestDir,
    client: RunClient,
}

impl ConfinedServer {
    fn new() -> Self {
        Self::with(&["--project", "project"], |_| ())
    }

    /// Starts a server with other arguments, after `prepare` has added files.
    fn with(args: &[&str], prepare: impl FnOnce(&TestDir)) -> Self {
        let dir = TestDir::new();
        for folder in ["project", "granted/mirror", "elsewhere", ".config/wardroom"] {
            fs::create_dir_all(dir.root().join(folder)).unwrap();
        }
        // A slow call would be overtaken by the notification of what it changes.
        let config = format!(
            "[server]\nwatch = \"off\"\n[alc]\ntools = \"all\"\n[mounts.granted]\npath = \"{}\"\nas = \"packages\"\n",
            dir.root().join("granted").display()
        );
        fs::write(dir.root().join(".config/wardroom/config.toml"), config).unwrap();
        prepare(&dir);
        let client = Self::connect(&dir, args);
        Self { dir, client }
    }

    fn connect(dir: &TestDir, args: &[&str]) -> RunClient {
        let mut command = wardroom_command(dir.root());
        let mirror = format!("file://{}/granted/mirror", dir.root().display());
        command.arg("--appdir").arg(dir.app_path()).args(args).env("ALC_CARD_SINKS", mirror);
        let mut client = StdioClient::spawn(command, ClientRevision::Legacy);
        client.initialize();
        RunClient(client)
    }

    /// Replaces the server by a new one on the same folders.
    fn restart(&mut self) {
        self.client = Self::connect(&self.dir, &["--project", "project"]);
    }

    fn path(&self, name: &str) -> PathBuf {
        fs::canonicalize(self.dir.root()).unwrap().join(name)
    }

    fn path_text(&self, name: &str) -> String {
        self.path(name).display().to_string()
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    fn package(&self, at: &str, version: &str) {
        let name = at.rsplit('/').next().unwrap();
        let source = format!(
            "--- {name}\nreturn {{ meta = {{ name = '{name}', version = '{version}', description = 'd', category = 'c' }}, \
             run = function(ctx) ctx.result = '{version}' return ctx end }}\n"
        );
        self.file(&format!("{at}/init.lua"), source);
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn exists(&self, name: &str) -> bool {
        fs::symlink_metadata(self.path(name)).is_ok()
    }

    #[track_caller]
    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.client.call_ok(tool, arguments)
    }

    #[track_caller]
    fn expect_refusal(&mut self, tool: &str, arguments: Value, code: &str) -> String {
        self.client.expect_refusal(tool, arguments, code)
    }

    /// Runs the strategy of a package and returns its result.
    #[track_caller]
    fn run_strategy(&mut self, package: &str) -> Value {
        self.call("alc_advice", json!({"strategy": package, "task": "t"}))["result"]["result"].clone()
    }
}
