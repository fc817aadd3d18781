//! The README's commands do what it shows. Every fenced command is run, in order, in Ada's home, at a terminal where it
//! needs one. The exceptions are blocks whose fence names a requirement that tests lack; of these only the names are
//! checked. A server that clients are told to start must serve, and one that they connect to must listen. Entries that
//! the page shows for agents' files are parsed as the agents do.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};

use wardroom_agents::{EntrySpec, OwnPrograms, ServerName, find_agent, find_entry};
use wardroom_sandbox::GUEST_COMPONENT;

use wardroom_test_support::{ClientRevision, StdioClient, TestDir, run_command};

/// Requirements that a fence may state, with the first words of their commands, none of which is ours.
const NEEDS: [(&str, &[&str]); 4] = [
    ("a-build", &["make ", "cargo ", "git "]),
    ("a-browser", &["wardroom review"]),
    ("a-client", &["claude "]),
    ("wasmtime", &["wasmtime "]),
];

/// A command, and its output if the page shows one.
struct Step {
    command: String,
    /// The command needs a terminal, where every question is answered with yes.
    at_terminal: bool,
    shown: Option<Vec<String>>,
}

#[derive(Default)]
struct Readme {
    steps: Vec<Step>,
    /// Skipped commands, each with its requirement.
    left_out: Vec<(String, String)>,
    /// Text that the page shows for agents' files.
    files: Vec<String>,
}

fn read(readme: &str) -> Readme {
    let mut all = Readme::default();
    let mut lines = readme.lines();
    while let Some(line) = lines.next() {
        let Some(info) = line.strip_prefix("```") else { continue };
        let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
        let (language, needs) = info.split_once(" needs=").map_or((info, None), |(name, needs)| (name, Some(needs)));
        let found: Vec<Step> = match language {
            "sh" => block
                .iter()
                .filter(|line| !line.is_empty())
                .map(|line| Step { command: (*line).to_owned(), at_terminal: needs == Some(TERMINAL), shown: None })
                .collect(),
            "console" => console(&block),
            _ => {
                assert!(["json", "toml"].contains(&info), "a fence of {info:?}");
                all.files.push(block.join("\n"));
                continue;
            }
        };
        match needs {
            None | Some(TERMINAL) => all.steps.extend(found),
            Some(needs) => all.left_out.extend(found.into_iter().map(|step| (needs.to_owned(), step.command))),
        }
    }
    all
}

const TERMINAL: &str = "a-terminal";

fn console(block: &[&str]) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in block {
        match line.strip_prefix("$ ") {
            Some(command) => {
                steps.push(Step { command: command.to_owned(), at_terminal: false, shown: Some(Vec::new()) });
            }
            None => steps.last_mut().unwrap().shown.as_mut().unwrap().push((*line).to_owned()),
        }
    }
    steps
}

/// Whether the output matches the page: `…` stands for a part of a line, and on a line of its own for any number of
/// lines.
fn fits(shown: &[String], said: &[String]) -> bool {
    match shown.split_first() {
        None => said.is_empty(),
        Some((first, rest)) if first == "…" => (0..=said.len()).any(|skipped| fits(rest, &said[skipped..])),
        Some((first, rest)) => {
            said.split_first().is_some_and(|(line, others)| line_fits(first, line) && fits(rest, others))
        }
    }
}

fn line_fits(shown: &str, said: &str) -> bool {
    let Some((before, after)) = shown.split_once('…') else { return shown == said };
    let Some(rest) = said.strip_prefix(before) else { return false };
    (0..=rest.len()).filter_map(|at| rest.get(at..)).any(|rest| line_fits(after, rest))
}

/// Ada's home, with the README's prerequisites, and the server that runs in it.
struct Home {
    dir: TestDir,
    server: Option<Child>,
    /// The actual port of the server, shown as the README's.
    port: Option<String>,
}

impl Home {
    fn new() -> Self {
        let dir = TestDir::new();
        let file = |name: &str, text: &str| {
            let path = dir.root().join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        file(".claude.json", "{\n  \"numStartups\": 1\n}\n");
        for package in ["path/to/package", "my_packages/sketch"] {
            file(
                &format!("{package}/init.lua"),
                "local M = {}\nM.meta = { name = 'sketch', version = '0.1.0' }\nreturn M\n",
            );
        }
        Self { dir, server: None, port: None }
    }

    fn shell(&self, line: &str) -> Command {
        let folder = wardroom_test_support::wardroom_binary().parent().unwrap();
        let path = format!("{}:/usr/bin:/bin", folder.display());
        let mut shell = Command::new("sh");
        shell.args(["-c", line]).env_clear().env("HOME", self.dir.root()).env("PATH", path).env("NO_COLOR", "1");
        shell.current_dir(self.dir.root());
        shell
    }

    /// Output with the paths and ports that Ada would see.
    fn as_shown(&self, said: &str) -> Vec<String> {
        let home = self.dir.root();
        let mut said =
            said.replace(wardroom_test_support::wardroom_binary().to_str().unwrap(), "/home/ada/.cargo/bin/wardroom");
        for path in [home.canonicalize().unwrap(), home.to_owned()] {
            said = said.replace(&path.display().to_string(), "/home/ada");
        }
        if let Some(port) = &self.port {
            said = said.replace(&format!(":{port}"), ":4124");
        }
        said.lines().map(str::to_owned).collect()
    }

    fn take(&mut self, step: &Step) -> Vec<String> {
        let command = step.command.split(" #").next().unwrap().trim();
        if command == "kill %1" {
            self.end();
            return Vec::new();
        }
        let (command, stays) = command.strip_suffix(" &").map_or((command, false), |command| (command, true));
        if command.starts_with("wardroom serve") {
            let said = self.serve(command);
            if !stays {
                self.end();
            }
            return said;
        }
        let line = if step.at_terminal {
            format!("echo y | script -qec '{command}' /dev/null")
        } else {
            format!("{{ {command}\n}} 2>&1")
        };
        let finished = run_command(&mut self.shell(&line));
        assert_eq!(finished.status, 0, "{command}: {finished:?}");
        self.as_shown(&finished.stdout)
    }

    /// Starts a server at a free port, and returns its output until it serves.
    fn serve(&mut self, command: &str) -> Vec<String> {
        let free = if command.contains(":4124") {
            command.replace(":4124", ":0")
        } else {
            command.replace("--http", "--http 127.0.0.1:0")
        };
        let mut child =
            self.shell(&format!("exec {free}")).stdin(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let mut said = String::new();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        while !said.contains("serving MCP at") {
            said += &format!("{}\n", lines.next().unwrap_or_else(|| panic!("{command}: {said}")).unwrap());
        }
        self.port = said.split("http://").nth(1).and_then(|at| at.split([':', '/']).nth(1)).map(str::to_owned);
        assert!(self.server.replace(child).is_none(), "{command}: another one runs");
        self.as_shown(&said)
    }

    /// Checks everything of ours that a skipped command names.
    fn look_at(&mut self, command: &str, readme: &str) {
        let words: Vec<&str> = command.split(" #").next().unwrap().split_whitespace().collect();
        match words[..] {
            ["claude", "mcp", "add", "--scope", "user", "wardroom", "--", ref started @ ..] => {
                let server = self.shell(&format!("exec {}", started.join(" ")));
                let answer = StdioClient::spawn(server, ClientRevision::Legacy).initialize();
                assert_eq!(answer["result"]["serverInfo"]["name"], "wardroom", "{command}: {answer}");
            }
            ["claude", "mcp", "add", "--transport", "http", "wardroom", url] => {
                let said = self.serve("wardroom serve --http");
                self.end();
                assert_eq!(said, [format!("serving MCP at {url}")], "{command}");
            }
            ["wardroom", "review"] => {
                let mut page = self.shell("exec wardroom review --no-open").stdout(Stdio::piped()).spawn().unwrap();
                let said = BufReader::new(page.stdout.take().unwrap()).lines().next();
                page.kill().unwrap();
                page.wait().unwrap();
                assert!(said.unwrap().unwrap().starts_with("review page: http://wardroom-"), "{command}");
            }
            ["wasmtime", "run", component, "<", input] => {
                let writes = format!("wardroom guest -o {component}");
                assert!(readme.contains(&format!("`{writes}`")), "{command}: nothing says what {component} is");
                assert_eq!(run_command(&mut self.shell(&writes)).status, 0, "{writes}");
                assert!(fs::read(self.dir.root().join(component)).unwrap() == GUEST_COMPONENT, "{writes}");
                let demo = self.dir.root().join(".local/share/wardroom").join(input);
                assert!(demo.is_file(), "{command}: no {input} in the demo");
                let guest = fs::read_to_string(root().join("docs/GUEST.md")).unwrap();
                assert!(
                    guest.contains(&format!("`wasmtime run {component} < init.lua`")),
                    "{command}: not in GUEST.md"
                );
            }
            ["make", target] => {
                let makefile = fs::read_to_string(root().join("Makefile")).unwrap();
                assert!(makefile.lines().any(|line| line.starts_with(&format!("{target}: "))), "{command}: no target");
            }
            ["cargo", "install", "--locked", "--path", path, "--target-dir", "target"] => {
                assert!(root().join(path).join("Cargo.toml").is_file(), "{command}");
            }
            _ => panic!("{command}: nothing of it is looked at"),
        }
    }

    fn end(&mut self) {
        let mut server = self.server.take().expect("no server runs");
        let ended = Command::new("kill").arg(server.id().to_string()).status().unwrap();
        assert!(ended.success() && server.wait().unwrap().success());
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        if let Some(mut server) = self.server.take() {
            let _ = server.kill();
            let _ = server.wait();
        }
    }
}

fn root() -> PathBuf {
    wardroom_test_support::workspace_root().to_path_buf()
}

#[test]
fn readme_commands_match_shown_output() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let Readme { steps, left_out, files } = read(&readme);
    for (needs, command) in &left_out {
        let (_, begin) = NEEDS.iter().find(|(name, _)| name == needs).unwrap_or_else(|| panic!("needs={needs}"));
        assert!(begin.iter().any(|begin| command.starts_with(begin)), "{command:?} does not take {needs}");
    }
    assert!(steps.len() >= 25, "{} steps", steps.len());
    let mut home = Home::new();
    for step in steps {
        let said = home.take(&step);
        if let Some(shown) = &step.shown {
            assert!(fits(shown, &said), "$ {}\nshown:\n{}\nsaid:\n{}", step.command, shown.join("\n"), said.join("\n"));
        }
    }
    assert!(home.server.is_none(), "a server still runs");
    for (_, command) in left_out {
        home.look_at(&command, &readme);
    }
    // The agent, the name of the server, and its number of arguments.
    let agents = [
        ("claude_desktop", "wardroom", 0),
        ("github_copilot", "wardroom", 0),
        ("openai_codex", "wardroom", 0),
        ("gemini_cli", "wardroom", 0),
        ("amp", "ace", 2),
        ("cline", "ace", 2),
    ];
    assert_eq!(files.len(), agents.len());
    for ((id, name, n_args), text) in agents.into_iter().zip(files) {
        let (name, owners) = (ServerName::parse(name).unwrap(), OwnPrograms::default());
        let wanted =
            EntrySpec { target: &find_agent(id).unwrap().targets[0], name: &name, own_programs: &owners, force: false };
        let found = find_entry(&text, &wanted).unwrap().unwrap_or_else(|| panic!("{id}: {text}"));
        assert_eq!(
            (found.launch.command.as_str(), found.launch.args.len(), found.is_disabled),
            ("wardroom", n_args, false),
            "{id}"
        );
    }
}

#[test]
fn ellipsis_matches_omitted_output() {
    let lines = |text: &str| -> Vec<String> { text.lines().map(str::to_owned).collect() };
    for (shown, said, expected) in [
        ("a\nb", "a\nb", true),
        ("a", "a\nb", false),
        ("a\n…", "a\nb\nc", true),
        ("…\nc", "a\nb\nc", true),
        ("…\nb", "a\nb\nc", false),
        ("a … c", "a b c", true),
        ("a … c", "a b d", false),
        ("…x", "yyx", true),
        ("", "", true),
        ("", "a", false),
    ] {
        assert_eq!(fits(&lines(shown), &lines(said)), expected, "{shown:?} {said:?}");
    }
}
