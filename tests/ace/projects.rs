//! The learning log of a project: how it is found, and what a server may touch in the project.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use serde_json::json;
use wardroom_test_support::{
    ClientRevision, CommandOutput, RunClient, StdioClient, TestDir, run_command, wardroom_command,
};

use super::test_log::{analyze, bullets, capture};

/// An AppDir, and a project beside it.
struct TestProject {
    dir: TestDir,
    root: PathBuf,
}

impl TestProject {
    fn new() -> Self {
        let dir = TestDir::new();
        let root = dir.root().join("work/project");
        fs::create_dir_all(root.join("src/deep")).unwrap();
        fs::create_dir_all(root.join(".git/hooks")).unwrap();
        Self { dir, root }
    }

    /// A command in a folder of the project.
    fn command(&self, below: &str, args: &[&str]) -> std::process::Command {
        let mut command = wardroom_command(self.dir.root());
        command.current_dir(self.root.join(below)).arg("--appdir").arg(self.dir.app_path()).args(args);
        command
    }

    fn run(&self, below: &str, args: &[&str]) -> CommandOutput {
        run_command(&mut self.command(below, args))
    }

    fn client(command: std::process::Command) -> RunClient {
        let mut client = StdioClient::spawn(command, ClientRevision::Legacy);
        client.initialize();
        RunClient(client)
    }

    fn server(&self, below: &str, args: &[&str]) -> RunClient {
        Self::client(self.command(below, args))
    }

    fn playbook(&self) -> String {
        fs::read_to_string(self.root.join("AGENTS.md")).unwrap()
    }
}

/// Learns one lesson.
fn learn(client: &mut RunClient) {
    capture(client, "b", "Cannot find module ./x.js");
    analyze(client);
    let update = client.call_ok("ace_update_knowledge", json!({}));
    assert_eq!(update["updated"], true, "{update:#}");
}

#[track_caller]
fn expect_lesson(playbook: &Path) {
    let text = fs::read_to_string(playbook).unwrap();
    assert!(text.contains("Cannot find module PATH"), "{text}");
}

#[test]
fn log_of_the_project_around_the_working_directory_is_used() {
    let project = TestProject::new();
    // Without a log there is none to be found, but a new one lies in the project.
    assert!(!project.server("src", &[]).0.call("tools/list", json!({})).to_string().contains("ace_"));
    let made = project.run("src/deep", &["ace", "init"]).expect_success();
    assert!(made.contains(&format!("learning log: {}", project.root.display())), "{made}");
    assert!(!project.dir.app_path().join("ace").exists());
    let mut client = project.server("src/deep", &[]);
    learn(&mut client);
    expect_lesson(&project.root.join("AGENTS.md"));
    assert_eq!(bullets(&mut client).len(), 1);
    // Each project has its own; elsewhere there is none.
    let other = project.dir.root().join("work/other");
    fs::create_dir(&other).unwrap();
    let found = project.run("../other", &["ace", "bullets"]);
    assert!(found.stderr.contains("there is no learning log"), "{found:?}");
    // A named project is meant whatever folder this is.
    let root = project.root.display().to_string();
    let named = project.run("../other", &["ace", "bullets", "--project", &root]).expect_success();
    assert!(named.contains("Cannot find module PATH"), "{named}");
}

#[test]
fn variables_and_the_configuration_name_files() {
    let project = TestProject::new();
    let mut command = project.command("", &["ace", "init"]);
    let variables = [
        ("ACE_KNOWLEDGE_BASE", "docs/LESSONS.md"),
        ("ACE_TRACES_PATH", "var/t.jsonl"),
        ("ACE_INSIGHTS_PATH", "var/i.jsonl"),
    ];
    fs::create_dir(project.root.join("docs")).unwrap();
    fs::create_dir(project.root.join("var")).unwrap();
    run_command(command.envs(variables)).expect_success();
    let mut command = project.command("", &[]);
    command.envs(variables);
    learn(&mut TestProject::client(command));
    expect_lesson(&project.root.join("docs/LESSONS.md"));
    let size = |name: &str| fs::metadata(project.root.join(name)).unwrap().len();
    assert!(size("var/t.jsonl") > 0 && size("var/i.jsonl") > 0);

    let config = project.dir.root().join("config.toml");
    let root = &project.root;
    let text = format!("[ace]\nroot = '{}'\nknowledge_base = 'docs/LESSONS.md'\n", root.display());
    fs::write(&config, text).unwrap();
    let config = config.display().to_string();
    let mut client = project.server("..", &["--config", &config]);
    assert_eq!(bullets(&mut client).len(), 1);
    capture(&mut client, "b", "TS2345: x");
    assert!(size("logs/execution_traces.jsonl") > 0);

    // Each file by itself, with relative names below the root.
    let (traces, insights) = (root.join("elsewhere/t.jsonl"), root.join("records/i.jsonl"));
    ["elsewhere", "records"].iter().for_each(|folder| fs::create_dir(root.join(folder)).unwrap());
    let named = format!(
        "[ace]\nroot = '{}'\ntraces_path = '{}'\ninsights_path = 'records/i.jsonl'\n",
        root.display(),
        traces.display()
    );
    fs::write(&config, named).unwrap();
    let before = size("logs/execution_traces.jsonl");
    let mut client = project.server("..", &["--config", &config]);
    capture(&mut client, "b", "Cannot find module ./x.js");
    analyze(&mut client);
    assert_eq!(client.call_ok("ace_get_insights", json!({"source": "insights"}))["totalMatched"], 1);
    let n_lines = |path: &Path| fs::read_to_string(path).unwrap().lines().count();
    assert_eq!((n_lines(&traces), n_lines(&insights), size("logs/execution_traces.jsonl")), (1, 1, before));
}

#[test]
fn server_writes_the_playbook_through_its_helper_alone() {
    let project = TestProject::new();
    project.run("", &["ace", "init"]).expect_success();
    let text = project.playbook() + "\nRun `make`.\n";
    fs::write(project.root.join("AGENTS.md"), &text).unwrap();
    let mut client = project.server("", &["--service", "ace"]);
    learn(&mut client);
    expect_lesson(&project.root.join("AGENTS.md"));
    let server = client.0.process_id();
    let helper = find_helper(server);
    rustix::process::kill_process(rustix::process::Pid::from_raw(helper).unwrap(), rustix::process::Signal::KILL)
        .unwrap();
    // Its own process has no rights in the folder of the project.
    let refused = client.call_tool("ace_get_insights", json!({"source": "bullets"}));
    assert!(refused.1, "{refused:?}");
    assert_eq!(refused.0["error"]["code"], "HELPER_GONE", "{refused:?}");
    capture(&mut client, "b", "TS2345: y");
    drop(client);
    assert_eq!(bullets(&mut project.server("", &[])).len(), 1);
}

/// Returns the process of the server that replaces the playbook.
fn find_helper(server: u32) -> i32 {
    let listed =
        fs::read_dir("/proc").unwrap().filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok());
    let is_helper = |id: &i32| {
        let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
        let parent = stat.rsplit(')').next().and_then(|rest| rest.split_whitespace().nth(1)?.parse::<u32>().ok());
        let command = fs::read_to_string(format!("/proc/{id}/cmdline")).unwrap_or_default();
        parent == Some(server) && command.contains("helper\0playbook")
    };
    listed.filter(is_helper).collect::<Vec<_>>()[..].first().copied().expect("the helper")
}

#[test]
fn links_of_a_project_open_no_other_folder() {
    let project = TestProject::new();
    project.run("", &["ace", "init"]).expect_success();
    fs::rename(project.root.join("logs"), project.root.join("kept")).unwrap();
    for target in [".git/hooks", "../..", "kept"] {
        fs::write(project.root.join(target).join("insights.jsonl"), "").unwrap();
        symlink(target, project.root.join("logs")).unwrap();
        let refused = project.run("", &["ace", "stats", "--project", "."]);
        assert!(refused.stderr.contains("the folder of the logs is a link"), "{target}: {refused:?}");
        fs::remove_file(project.root.join("logs")).unwrap();
    }
    fs::rename(project.root.join("kept"), project.root.join("logs")).unwrap();
    // What the tools of the project run is no playbook.
    let hook = project.root.join(".git/hooks/pre-commit");
    fs::rename(project.root.join("AGENTS.md"), &hook).unwrap();
    symlink(".git/hooks/pre-commit", project.root.join("AGENTS.md")).unwrap();
    let before = fs::read(&hook).unwrap();
    let mut client = project.server("", &[]);
    capture(&mut client, "b", "Cannot find module ./x.js");
    analyze(&mut client);
    client.expect_refusal("ace_update_knowledge", json!({}), "WRITE_ERROR");
    assert_eq!(fs::read(&hook).unwrap(), before);
}

#[test]
fn logs_and_playbook_share_no_folder() {
    let project = TestProject::new();
    fs::write(project.root.join("AGENTS.md"), "## TypeScript Patterns\n").unwrap();
    let mut command = project.command("", &["ace", "stats"]);
    let refused = run_command(command.env("ACE_TRACES_PATH", "traces.jsonl"));
    assert!(refused.stderr.contains("the logs and the playbook may not share a folder"), "{refused:?}");
}

#[test]
fn read_only_server_reads_a_project() {
    let project = TestProject::new();
    project.run("", &["ace", "init"]).expect_success();
    learn(&mut project.server("", &[]));
    let before = project.playbook();
    let mut client = project.server("", &["--read-only"]);
    assert_eq!(bullets(&mut client).len(), 1);
    assert!(!client.0.call("tools/list", json!({})).to_string().contains("ace_update_knowledge"));
    assert_eq!(project.playbook(), before);
}

#[test]
fn titles_of_tasks_come_from_the_tracker_of_the_project() {
    let project = TestProject::new();
    project.run("", &["ace", "init"]).expect_success();
    fs::create_dir(project.root.join(".beads")).unwrap();
    fs::write(project.root.join(".beads/issues.jsonl"), "{\"id\":\"b\",\"title\":\"Mend the build\"}\n").unwrap();
    capture(&mut project.server("", &[]), "b", "TS2345: y");
    let traces = fs::read_to_string(project.root.join("logs/execution_traces.jsonl")).unwrap();
    assert!(traces.contains("\"task_description\":\"Mend the build\""), "{traces}");
}

#[test]
fn subscriber_learns_of_a_playbook_that_the_server_may_not_open() {
    let project = TestProject::new();
    project.run("", &["ace", "init"]).expect_success();
    let mut client = project.server("", &[]);
    client.0.call("resources/subscribe", json!({"uri": "ace://knowledge/bullets"}));
    let text = project.playbook() + "[Bullet #mine, helpful:0, harmful:0] Mine.\n";
    fs::write(project.root.join("AGENTS.md"), text).unwrap();
    let message = client.0.receive();
    assert_eq!(message["params"]["uri"], "ace://knowledge/bullets", "{message}");
    assert_eq!(bullets(&mut client).len(), 1);
}
