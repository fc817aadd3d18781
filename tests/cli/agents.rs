//! `wardroom agents` with agents' files in the test's own home.

use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use serde_json::Value;

use wardroom_test_support::{
    ClientRevision, CommandOutput, StdioClient, TestDir, run_command, run_wardroom, wardroom_command,
};

const CLAUDE: &str = "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"other\": {\"command\": \"npx\"}\n  }\n}\n";

fn home() -> TestDir {
    let dir = TestDir::new();
    fs::write(dir.root().join(".claude.json"), CLAUDE).unwrap();
    dir
}

fn claude(dir: &TestDir) -> String {
    fs::read_to_string(dir.root().join(".claude.json")).unwrap()
}

fn run(dir: &TestDir, args: &[&str]) -> CommandOutput {
    run_wardroom(dir.root(), &[&["agents"], args].concat())
}

fn rows(finished: &CommandOutput) -> Vec<Value> {
    serde_json::from_str(&finished.stdout).unwrap()
}

#[test]
fn installed_entry_starts_until_uninstalled() {
    let dir = home();
    let app = dir.app_path().display().to_string();
    run(&dir, &["install", "claude_code", "--yes", "--appdir", &app, "--service", "resources"]).expect_success();
    let row = rows(&run(&dir, &["status", "claude_code", "--json"])).remove(0);
    assert_eq!((&row["ours"], &row["starts"]), (&true.into(), &true.into()), "{row}");
    let app = dir.app_path().canonicalize().unwrap();
    assert_eq!(row["entry"]["args"], serde_json::json!(["--appdir", app, "--service", "resources"]));
    let written = claude(&dir);
    let again = run(
        &dir,
        &["install", "claude_code", "--yes", "--appdir", &app.display().to_string(), "--service", "resources"],
    );
    assert_eq!(again.expect_success(), "");
    assert_eq!(claude(&dir), written);
    run(&dir, &["uninstall", "claude_code", "--yes"]).expect_success();
    assert_eq!(claude(&dir), CLAUDE);
}

/// An agent that a desktop starts has no variables of a shell.
#[test]
fn folders_of_this_shell_are_written_into_the_entry() {
    let dir = home();
    let folder = |name: &str| {
        let folder = dir.root().join(name);
        fs::create_dir_all(folder.join("wardroom")).unwrap();
        folder.canonicalize().unwrap()
    };
    let (data, config) = (folder("data"), folder("config"));
    fs::remove_dir(data.join("wardroom")).unwrap();
    fs::write(config.join("wardroom/config.toml"), "").unwrap();
    let mut command = wardroom_command(dir.root());
    command.env("XDG_DATA_HOME", &data).env("XDG_CONFIG_HOME", &config).env("ACE_TRACES_PATH", "/none");
    let installed = run_command(command.args(["agents", "install", "claude_code", "--yes"]));
    assert!(installed.stderr.contains("ACE_TRACES_PATH is set here"), "{installed:?}");
    installed.expect_success();
    let row = rows(&run(&dir, &["status", "claude_code", "--json"])).remove(0);
    let expected =
        serde_json::json!(["--appdir", data.join("wardroom"), "--config", config.join("wardroom/config.toml")]);
    assert_eq!((&row["entry"]["args"], &row["starts"]), (&expected, &true.into()), "{row}");
}

#[test]
fn install_without_consent_shows_diff_and_writes_nothing() {
    let dir = home();
    let shown = run(&dir, &["install", "claude_code"]);
    assert_eq!(shown.status, 1, "{shown:?}");
    assert!(shown.stdout.contains("+    \"wardroom\": {\n"), "{}", shown.stdout);
    assert!(shown.stderr.contains("hint: pass --yes"), "{}", shown.stderr);
    assert_eq!(claude(&dir), CLAUDE);
    let shown = run(&dir, &["install", "claude_code", "--dry-run"]).expect_success();
    assert!(shown.contains("+    \"wardroom\": {\n"), "{shown}");
    assert_eq!(claude(&dir), CLAUDE);
}

#[test]
fn unreadable_file_is_skipped_and_others_are_written() {
    let dir = home();
    let broken: PathBuf = dir.root().join(".cursor/mcp.json");
    fs::create_dir_all(broken.parent().unwrap()).unwrap();
    fs::write(&broken, "{\n  \"mcpServers\": {\n").unwrap();
    let done = run(&dir, &["install", "--all", "--yes"]);
    assert_eq!(done.status, 1, "{done:?}");
    assert!(done.stderr.contains("mcp.json: line "), "{}", done.stderr);
    assert_eq!(fs::read_to_string(&broken).unwrap(), "{\n  \"mcpServers\": {\n");
    assert!(claude(&dir).contains("\"wardroom\""));
    assert!(!dir.root().join(".codex").exists());
}

#[test]
fn entry_of_missing_program_is_reported() {
    let dir = home();
    let gone = r#"{"mcpServers": {"wardroom": {"command": "/no/such/wardroom"}}}"#;
    fs::write(dir.root().join(".claude.json"), gone).unwrap();
    let status = run(&dir, &["status", "claude_code"]);
    assert_eq!(status.status, 1);
    assert!(status.stdout.contains("/no/such/wardroom does not start: "), "{}", status.stdout);
}

#[test]
fn install_requires_agent_selection() {
    let dir = home();
    assert_eq!(run(&dir, &["install", "--yes"]).status, 1);
    assert_eq!(run(&dir, &["install", "nobody", "--yes"]).status, 2);
    assert_eq!(run(&dir, &["install", "zed", "--yes"]).status, 1);
    assert_eq!(run(&dir, &["install", "claude_code", "--yes", "--name", "a b"]).status, 1);
    assert_eq!(claude(&dir), CLAUDE);
    let printed = run(&dir, &["print", "openai_codex", "--name", "alc"]).expect_success();
    assert!(printed.starts_with("[mcp_servers.alc]\ncommand = "), "{printed}");
}

/// An invalid path of a folder is refused instead of another one being edited.
#[test]
fn relative_config_dir_is_refused_with_its_variable() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    let dir = home();
    let asked = |name: &str, value: &[u8], agent: &str| {
        fs::create_dir_all(dir.root().join(OsStr::from_bytes(value))).unwrap();
        let mut command = wardroom_command(dir.root());
        run_command(command.env(name, OsStr::from_bytes(value)).args(["agents", "install", agent, "--yes"]))
    };
    let whole = [dir.root().as_os_str().as_bytes(), b"/\xff"].concat();
    for value in [b"here".as_slice(), &whole, b"\xff"] {
        for (name, agent) in [("CODEX_HOME", "openai_codex"), ("CLAUDE_CONFIG_DIR", "claude_code")] {
            let refused = asked(name, value, agent);
            assert_eq!(refused.status, 1, "{refused:?}");
            assert!(refused.stderr.contains(&format!("hint: set {name} to an absolute path")), "{}", refused.stderr);
        }
        // Agents of other variables are not affected.
        asked("CODEX_HOME", value, "claude_code").expect_success();
        fs::write(dir.root().join(".claude.json"), CLAUDE).unwrap();
    }
    assert!(!dir.root().join(".codex").exists());
    let refused = asked("XDG_CONFIG_HOME", &whole, "opencode");
    assert!(refused.status == 1 && refused.stderr.contains("XDG_CONFIG_HOME"), "{refused:?}");
    let refused = asked("HOME", b"here", "claude_code");
    assert!(refused.status == 1 && refused.stderr.contains("hint: set the variable HOME"), "{refused:?}");
    assert_eq!(claude(&dir), CLAUDE);
}

/// Other programs may write in place while the file is read.
#[test]
fn partially_written_file_is_read_again() {
    for half in [&b"{\n  \"mcpServers\": {"[..], b"{\"a\": \"\xc3"] {
        let dir = home();
        let path = dir.root().join(".claude.json");
        fs::write(&path, half).unwrap();
        std::thread::scope(|scope| {
            let done = scope.spawn(|| run(&dir, &["install", "claude_code", "--yes"]));
            std::thread::sleep(std::time::Duration::from_millis(200));
            fs::write(&path, CLAUDE).unwrap();
            done.join().unwrap().expect_success();
        });
        assert!(claude(&dir).contains("\"wardroom\"") && claude(&dir).contains("\"other\""), "{}", claude(&dir));
    }
}

/// A file cannot be given to a group that its owner is not in: the new file must grant nobody more than before.
#[test]
fn file_of_foreign_group_is_edited() {
    use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, chown};
    use std::os::unix::process::CommandExt as _;
    const OWNER: u32 = 4321;
    // Only root can create such a file.
    if !rustix::process::geteuid().is_root() {
        return;
    }
    for (bits, left) in [(0o660, 0o600), (0o644, 0o644), (0o604, 0o600), (0o646, 0o644)] {
        let dir = home();
        let (home, path, program) = (dir.root(), dir.root().join(".claude.json"), dir.root().join("wardroom"));
        // Another process writes it, as it does scripts.
        assert!(
            Command::new("cp").arg(wardroom_test_support::wardroom_binary()).arg(&program).status().unwrap().success()
        );
        chown(home, Some(OWNER), Some(OWNER)).unwrap();
        chown(&path, Some(OWNER), Some(OWNER + 1)).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(bits)).unwrap();
        let mut command = Command::new(&program);
        command.env_clear().env("HOME", home).current_dir(home).uid(OWNER).gid(OWNER);
        run_command(command.args(["agents", "install", "claude_code", "--yes"])).expect_success();
        let written = fs::metadata(&path).unwrap();
        assert!(claude(&dir).contains("\"wardroom\""));
        assert_eq!((written.uid(), written.gid(), written.mode() & 0o7777), (OWNER, OWNER, left), "{bits:o}");
        let mut names = fs::read_dir(home).unwrap().map(|entry| entry.unwrap().path());
        let copy = names.find(|name| name.extension().is_some_and(|kind| kind == "bak")).unwrap();
        assert_eq!(fs::metadata(copy).unwrap().mode() & 0o7777, 0o600);
    }
}

/// A command that has nothing to do names the next command.
#[test]
fn no_op_command_names_next_command() {
    let dir = home();
    let said = |args: &[&str]| run(&dir, args).stderr;
    let check = |args: &[&str], next: &str| assert!(said(args).contains(next), "{args:?}: {}", said(args));
    check(&["uninstall", "claude_code", "--yes"], ".claude.json has no entry\n");
    check(&["install", "claude_code", "--dry-run"], "; leave out --dry-run to write it\n");
    check(&["status", "claude_code"], "run wardroom agents install claude_code to write the missing entries");
    check(&["status", "zed"], "run wardroom agents install zed --create to create the file");
    run(&dir, &["install", "claude_code", "--yes", "--name", "alc"]).expect_success();
    check(
        &["install", "claude_code", "--yes", "--name", "alc"],
        "; run wardroom agents status claude_code --name alc to see whether it starts\n",
    );
    fs::remove_file(dir.root().join(".claude.json")).unwrap();
    for args in [&["status"][..], &["install", "--all", "--yes"], &["uninstall", "--all", "--yes"]] {
        check(args, "no agent is installed here; run wardroom agents list to see");
    }
    fs::write(dir.root().join(".claude.json"), "{\"mcpServers\": {\"wardroom\": null}}").unwrap();
    check(&["install", "claude_code", "--yes"], "or pass --force to replace or remove that entry");
    run(&dir, &["install", "claude_code", "--yes", "--force"]).expect_success();
    run(&dir, &["install", "claude_code", "--yes", "--read-only"]).expect_success();
    check(&["install", "claude_code", "--yes"], "hint: give --read-only again, or pass --force to write the entry");
}

/// The commands wait for each other, and none reverts another one's entry.
#[test]
fn concurrent_installs_keep_all_entries() {
    let dir = home();
    std::thread::scope(|scope| {
        for n in 0..20 {
            let (dir, name) = (&dir, format!("n{n}"));
            scope.spawn(move || run(dir, &["install", "claude_code", "--yes", "--name", &name]).expect_success());
        }
    });
    let written: Value = serde_json::from_str(&claude(&dir)).unwrap();
    assert_eq!(written["mcpServers"].as_object().unwrap().len(), 21, "{written}");
}

/// As `@alc:alc://packages/panel/init.lua` is resolved: by the command of the entry with that name.
#[test]
fn renamed_entry_serves_mentioned_uri() {
    let dir = TestDir::new_demo();
    let app = dir.app_path().display().to_string();
    fs::write(dir.root().join(".claude.json"), CLAUDE).unwrap();
    run(&dir, &["install", "claude_code", "--yes", "--name", "alc", "--appdir", &app]).expect_success();
    let written: Value = serde_json::from_str(&claude(&dir)).unwrap();
    let entry = &written["mcpServers"]["alc"];
    let mut command = wardroom_command(dir.root());
    assert_eq!(entry["command"], command.get_program().to_str().unwrap());
    command.args(entry["args"].as_array().unwrap().iter().map(|arg| arg.as_str().unwrap()));
    let read =
        StdioClient::spawn(command, ClientRevision::Modern).read_resource("alc://packages/panel/init.lua").unwrap();
    assert!(read["text"].as_str().unwrap().contains("panel"), "{read}");
}

/// Only yes is an agreement.
#[cfg(target_os = "linux")]
#[test]
fn install_at_terminal_asks_for_consent() {
    for (answer, to, is_written) in
        [("y\n", "", true), ("n\n", "", false), ("\n", "", false), ("y\n", " > shown", true)]
    {
        let dir = home();
        let own = wardroom_command(dir.root());
        let said = format!("{} agents install claude_code{to}", own.get_program().to_str().unwrap());
        let mut terminal = Command::new("script");
        terminal.env_clear().envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
        terminal.current_dir(dir.root()).args(["-qec", &said, "/dev/null"]);
        let mut child = terminal.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(answer.as_bytes()).unwrap();
        let shown = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
        let (difference, question) = ("+    \"wardroom\": {\r\n", "Write it? [y/N]");
        // Once, before the question, although the results go elsewhere.
        let before = shown.split_once(question).map(|(before, _)| before.matches(difference).count());
        assert_eq!(before, Some(1), "{answer:?}{to} {shown}");
        assert_eq!(claude(&dir).contains("\"wardroom\""), is_written, "{answer:?} {shown}");
    }
}

/// A server has the tools when the operator enables them, for the agent that started it, unless it is read-only.
#[test]
fn agent_tools_follow_config_and_read_only() {
    let dir = TestDir::new();
    let config = dir.root().join("config.toml");
    let tools = |text: &str, args: &[&str]| {
        fs::write(&config, text).unwrap();
        let mut command = wardroom_command(dir.root());
        command.arg("--config").arg(&config).arg("--appdir").arg(dir.app_path()).args(args);
        let listed = StdioClient::spawn(command, ClientRevision::Modern).call("tools/list", serde_json::json!({}));
        let tools = listed["result"]["tools"].as_array().unwrap().clone();
        tools.iter().filter(|tool| tool["name"].as_str().unwrap().ends_with("_agent_config")).count()
    };
    assert_eq!(tools("", &[]), 0);
    assert_eq!(tools("[agents]\ntools = false\n", &[]), 0);
    assert_eq!(tools("[agents]\ntools = true\n", &[]), 2);
    assert_eq!(tools("[agents]\ntools = true\n", &["--service", "agents"]), 2);
    assert_eq!(tools("[agents]\ntools = true\n", &["--service", "resources"]), 0);
    assert_eq!(tools("[agents]\ntools = true\n", &["--read-only"]), 0);
}

#[test]
fn difference_shows_no_secret_of_another_entry() {
    let dir = TestDir::new();
    let secrets = ["sk-first", "sk-second", "sk-third", "sk-fourth"];
    let [first, second, third, fourth] = secrets;
    let text = format!(
        "{{\n  \"mcpServers\": {{\n    \"other\": {{\n      \"command\": \"npx\",\n      \"args\": [\"--api-key\", \"{first}\"],\n      \
         \"env\": {{\"KEY\": \"{second}\"}},\n      \"headers\": {{\"X\": \"{third}\"}}, \"token\": \"{fourth}\"\n    }}\n  }}\n}}\n"
    );
    fs::write(dir.root().join(".claude.json"), &text).unwrap();
    let shown = run(&dir, &["install", "claude", "--dry-run"]).expect_success();
    assert!(shown.contains("+    \"wardroom\": {\n") && shown.contains("\"KEY\": \"***\""), "{shown}");
    run(&dir, &["install", "claude", "--yes"]).expect_success();
    let removed = run(&dir, &["uninstall", "claude", "--yes"]);
    for secret in secrets {
        assert!(!shown.contains(secret) && !format!("{removed:?}").contains(secret), "{shown} {removed:?}");
        assert!(claude(&dir).contains(secret), "{secret}");
    }
    // What is written is what was there.
    assert_eq!(claude(&dir), text);
}

#[test]
fn entry_whose_server_does_not_start_is_written_by_force_only() {
    let dir = home();
    let missing = dir.root().join("missing").display().to_string();
    let args = ["install", "claude_code", "--yes", "--appdir", &missing];
    let refused = run(&dir, &args);
    assert_eq!(refused.status, 1, "{refused:?}");
    assert!(refused.stderr.contains("nothing was written: the server of the entry does not start: "), "{refused:?}");
    assert!(refused.stderr.contains("cannot open the AppDir") && refused.stderr.contains("--force"), "{refused:?}");
    assert_eq!((refused.stdout.as_str(), claude(&dir).as_str()), ("", CLAUDE));
    run(&dir, &[&args[..], &["--force"]].concat()).expect_success();
    assert!(claude(&dir).contains("\"wardroom\""));
}

#[test]
fn agent_is_named_by_an_alias() {
    let dir = TestDir::new();
    for (alias, id) in [("codex", "openai_codex"), ("vscode", "github_copilot"), ("copilot", "github_copilot")] {
        let by_alias = run(&dir, &["list", alias, "--json"]);
        assert!(rows(&by_alias).iter().all(|row| row["agent"] == id), "{by_alias:?}");
        assert_eq!(by_alias.stdout, run(&dir, &["list", id, "--json"]).stdout);
        assert_eq!(run(&dir, &["print", alias]).expect_success(), run(&dir, &["print", id]).expect_success());
    }
    // Once, by both names.
    assert_eq!(rows(&run(&dir, &["list", "codex", "openai_codex", "--json"])).len(), 1);
}

#[test]
fn newest_three_backups_are_kept() {
    let dir = home();
    let old = ["20200101T000000Z", "20200102T000000Z-2", "20200102T000000Z", "20200103T000000Z"];
    for time in old {
        fs::write(dir.root().join(format!(".claude.json.{time}.bak")), time).unwrap();
    }
    // Not backups of this file.
    for other in [".claude.json.bak", ".claude.json.2020.bak", ".claude.jsonx.20200101T000000Z.bak"] {
        fs::write(dir.root().join(other), "mine").unwrap();
    }
    run(&dir, &["install", "claude_code", "--yes", "--appdir", &dir.app_path().display().to_string()]).expect_success();
    let names = fs::read_dir(dir.root()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let backups: Vec<String> = names.filter(|name| name.ends_with(".bak")).collect();
    let is_there = |time: &str| backups.contains(&format!(".claude.json.{time}.bak"));
    assert_eq!(old.map(is_there), [false, true, false, true], "{backups:?}");
    // The new one, and the three that are no backups of this file.
    assert_eq!(backups.len(), 2 + 1 + 3, "{backups:?}");
}
