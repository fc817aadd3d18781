//! The error messages of commands: what failed, the cause, and a hint.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use insta::assert_snapshot;

use wardroom_test_support::{CommandOutput, TestDir, run_command, run_wardroom, wardroom_command};

/// Failures that need no help of the system. They run in a home with an AppDir in `app`.
const FAILING: &[&[&str]] = &[
    &["--no-such-flag"],
    &["no-such-command"],
    &["raed", "alc://types/alc.d.lua"],
    &["read"],
    &["completions", "no-such-shell"],
    &["help", "confg"],
    &["help", "no-such-page"],
    &["help", "agents", "instal"],
    &["agents", "instal"],
    &["agents", "status", "cursor", "--yes"],
    &["pkg", "list", "extra"],
    &["--config", "none.toml", "ls"],
    &["--config", "broken.toml", "ls"],
    &["--config", "broken.toml", "mount", "add", "one", "one"],
    &["--service", "alc,weblog", "ls"],
    &["--project", "none", "ls"],
    &["--registry", "none", "registry", "list"],
    &["--registry", "file", "registry", "list"],
    &["--appdir", "file", "ls"],
    &["--config", "dangling.toml", "ls"],
    &["--config", "broken.toml", "agents", "print", "zed"],
    &["--log-file", "none/log", "ls"],
    &["--appdir", "slip", "ls"],
    &["init", "--read-only"],
    &["init", "--appdir", "file/app"],
    &["--appdir", "slip", "doctor"],
    &["--appdir", "slip", "status"],
    &["guest", "--output", "file/guest.wasm"],
    &["guest", "--output", "none/guest.wasm"],
    &["extract", "large.lua"],
    &["extract", "broken.lua", "one", "none"],
    &["ls", "none"],
    &["ls", "alc://card/x"],
    &["read", "alc://packages/nobody/meta"],
    &["read", "alc://packages/../x/meta"],
    &["read", "alc://packages/broken/meta"],
    &["read", "alc://scenarios/folder"],
    &["read", "https://example.org/"],
    &["read", "x"],
    &["--service", "resources", "read", "x"],
    &["call", "read_resource", "{\"uri\": \"alc://cards/none\"}"],
    &["read", "wardroom://docs/confg"],
    &["read", "wardroom://pages/config"],
    &["--service", "resources", "read", "alc://packages/cot/meta"],
    &["call", "alc_statu"],
    &["call", "nothing_like_it"],
    &["call", "alc_status", "{"],
    &["call", "alc_status", "[1]"],
    &["call", "alc_status", "{\"no_such\": 1}"],
    &["call", "alc_run"],
    &["call", "alc_continue", "{\"session_id\": \"x\", \"response\": \"y\"}"],
    &["--read-only", "call", "alc_pkg_remove", "{\"name\": \"cot\"}"],
    &["call", "greet"],
    &["prompt", "greetin"],
    &["prompt", "greeting"],
    &["prompt", "greeting", "Ada"],
    &["prompt", "greeting", "name=Ada", "extra=1"],
    &["--registry", "declared", "registry", "check"],
    &["--registry", "worse", "registry", "check"],
    &["registry", "failures", "demo:greeet"],
    &["registry", "new", "tool", "a b"],
    &["registry", "new", "tool", "echo", "--namespace", "demo"],
    &["registry", "new", "tool", "x", "--read-only"],
    &["blog", "check"],
    &["review", "--no-open", "--service", "docs"],
    &["--blog", "none", "review"],
    &["--blog", "none", "blog", "check"],
    &["--blog", "site", "blog", "check"],
    &["--blog", "file", "blog", "init"],
    &["blog", "init", "--read-only"],
    &["--blog", "one", "blog", "check", "--read-only"],
    &["proposals", "list"],
    &["--blog", "one", "proposals", "list", "--status", "lost"],
    &["--blog", "one", "proposals", "show", "x"],
    &["--blog", "one", "proposals", "discard", "x", "--read-only"],
    &["ace", "bullets"],
    &["ace", "init", "--read-only"],
    &["ace", "run", "--", "no-such-program"],
    &["--config", "learning.toml", "ace", "init"],
    &["--config", "learning.toml", "ace", "bullets"],
    &["ace", "capture", "--bead", "b", "--exec", "none.json"],
    &["ace", "capture", "--bead", "b", "--exec", "broken.lua"],
    &["ace", "capture", "--bead", "b", "--exec", "object.json"],
    &["--config", "learned.toml", "ace", "update", "--read-only"],
    &["--config", "learned.toml", "ace", "update"],
    &["--config", "lessons.toml", "ace", "update", "--force-insight-ids", "none"],
    &["--config", "learned.toml", "ace", "import", "file", "--read-only"],
    &["--config", "learned.toml", "ace", "import", "none"],
    &["--config", "learned.toml", "ace", "import", "file"],
    &["--config", "learned.toml", "ace", "export"],
    &["--config", "learned.toml", "ace", "merge", "none", "file", "file"],
    &["--config", "learned.toml", "ace", "init", "--git"],
    &["--config", "linked.toml", "ace", "stats"],
    &["--config", "shared.toml", "ace", "stats"],
    &["--config", "elsewhere.toml", "ace", "stats"],
    &["mount", "add", "none", "no/such/folder"],
    &["mount", "add", "file", "one/init.lua"],
    &["mount", "add", "../x", "one"],
    &["mount", "add", "home", ".", "--as", "files"],
    &["mount", "add", "old", "one"],
    &["mount", "remove", "none"],
    &["token", "new", "a b"],
    &["token", "new", "team"],
    &["token", "new", "none", "--replace"],
    &["token", "remove", "none"],
    &["token", "remove", "none", "--read-only"],
    &["mount", "remove", "none", "--read-only"],
    &["pkg", "install", "./none"],
    &["pkg", "install", "http://example.org/a"],
    &["pkg", "install", "many"],
    &["pkg", "install", "more"],
    &["pkg", "install", "one", "--read-only"],
    &["pkg", "remove", "none"],
    &["call", "alc_status", "now"],
    &["call", "alc_status", "@none"],
    &["call", "alc_status", "--as", "nobody"],
    &["run", "./plain"],
    &["run", "cot", "one", "two"],
    &["run", "cot", "--model", "'"],
    &["run", "cot", "--answers", "object.json"],
    &["new", "scenario", "A b", "--strategy", "cot"],
    &["new", "scenario", "a", "--strategy", "A b"],
    &["new", "strategy", "cot"],
    &["--read-only", "new", "strategy", "other"],
    &["test", "nobody"],
    &["sessions", "show", "../x"],
    &["sessions", "drop", "s-18a1b2c3d4e5f-0123456789abcdef"],
    &["agents", "install"],
    &["agents", "install", "claude_desktop", "--yes"],
    &["agents", "install", "claude_code"],
    &["agents", "install", "claude_code", "--yes", "--name", "a b"],
    &["agents", "install", "cursor", "--yes"],
    &["agents", "install", "nobody"],
    &["agents", "install", "cline", "--yes"],
    &["agents", "install", "amp", "--yes"],
    &["agents", "install", "mistral_vibe", "--yes"],
    &["agents", "install", "openai_codex", "--yes"],
    &["agents", "install", "zed", "--yes"],
    &["agents", "install", "cline", "amp", "--yes"],
    &["agents", "status", "amp"],
    &["agents", "install", "antigravity", "--yes"],
    &["agents", "install", "github_copilot", "--yes"],
    &["agents", "uninstall", "gemini_cli", "--yes"],
    &["agents", "status", "cursor", "openai_codex", "antigravity"],
    &["doctor", "--shared", "one", "--peer", "nowhere"],
    &["doctor", "--shared", "one", "--peer", "many"],
    &["serve", "--http", "no such address"],
    &["serve", "--http", "99999"],
    &["--config", "empty.toml", "serve", "--http", "0.0.0.0:0"],
    &["serve", "--unix", "file"],
    &["serve", "--unix", "file/socket"],
    &["--config", "endpoint.toml", "serve", "--http", "0"],
    &["--config", "open.toml", "serve", "--http", "0"],
    &["--config", "hosts.toml", "serve", "--http", "0"],
    &["--config", "team.toml", "--blog", "one", "serve", "--http", "0.0.0.0:0"],
];

fn home() -> TestDir {
    let dir = TestDir::new_demo();
    fs::remove_dir_all(dir.app_path().join("blog")).unwrap();
    let file = |name: &str, text: &str| {
        let path = dir.root().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    };
    let sha256 = "0".repeat(64);
    let one = dir.root().join("one").display().to_string();
    file("one/init.lua", "return { meta = { name = 'one' } }");
    file("site/content/one.md", "---\ntitle: One\n---\nText\n");
    file("plain/init.lua", "return { meta = { name = 'plain' } }");
    file("many/two/init.lua", "return { meta = { name = 'two' } }");
    file("more/one/init.lua", "return { meta = { name = 'one' } }");
    file("more/two/init.lua", "return { meta = { name = 'two' } }");
    for package in ["many/two", "more/one", "more/two"] {
        std::os::unix::fs::symlink("/etc/passwd", dir.root().join(package).join("out")).unwrap();
    }
    file("file", "");
    file("object.json", "{}");
    file("learning.toml", &format!("[ace]\nroot = \"{}/file/none\"\n", dir.root().display()));
    file("lessons.toml", &format!("[ace]\nroot = \"{}/lessons\"\n", dir.root().display()));
    file("lessons/AGENTS.md", "# Knowledge\n");
    file("lessons/logs/insights.jsonl", "");
    file("learned.toml", &format!("[ace]\nroot = \"{one}\"\n"));
    file("linked.toml", &format!("[ace]\nroot = \"{one}\"\ninsights_path = \"link/insights.jsonl\"\n"));
    std::os::unix::fs::symlink("..", dir.root().join("one/link")).unwrap();
    file("shared.toml", &format!("[ace]\nroot = \"{one}\"\ntraces_path = \"traces.jsonl\"\n"));
    file("elsewhere.toml", &format!("[ace]\nroot = \"{one}\"\ntraces_path = \"/none/traces.jsonl\"\n"));
    file("empty.toml", "");
    file("broken.lua", "x = '");
    file("large.lua", &"-".repeat(2 * 1024 * 1024));
    std::os::unix::fs::symlink("nowhere", dir.root().join("dangling.toml")).unwrap();
    file("broken.toml", "[server\n");
    file("endpoint.toml", "[http.endpoints.x]\npath = \"/x\"\nservices = [\"weblog\"]\n");
    let taken =
        format!("[http.tokens.team]\nsha256 = \"{sha256}\"\n[http.endpoints.x]\npath = \"/x\"\ntokens = [\"team\"]\n");
    file("open.toml", &taken);
    file("team.toml", &format!("[http.tokens.team]\nsha256 = \"{sha256}\"\n"));
    file("hosts.toml", "[http]\nhosts = [\"no such host\"]\n");
    file(
        "declared/_index.yaml",
        "version: \"1.0\"\nnamespace: declared\nentries:\n  - name: x\n    kind: function.lua\n",
    );
    let broken = |name: &str| format!("  - name: {name}\n    kind: function.lua\n    meta: {{ mcp.tool: true }}\n");
    let worse = format!("version: \"1.0\"\nnamespace: worse\nentries:\n{}{}", broken("x"), broken("y"));
    file("worse/_index.yaml", &worse);
    file(
        ".config/wardroom/config.toml",
        &format!("[mounts.old]\npath = \"{one}\"\nas = \"package\"\n[http.tokens.team]\nsha256 = \"{sha256}\"\n"),
    );
    file(".claude.json", "{}\n");
    file(".cursor/mcp.json", "{\n");
    file(".cline/data/settings/cline_mcp_settings.json", "{\"mcpServers\": {\"wardroom\": {\"command\": \"npx\"}}}");
    file(".config/amp/settings.json", "{\"a\": 1,\n\"a\": 2}");
    file(".vibe/config.toml", "mcp_servers = \"none\"\n");
    file(".codex/config.toml", "mcp_servers.wardroom.command = \"wardroom\"\n");
    file(".gemini/settings.json", "{\"mcpServers\": {\"wardroom\": {\"url\": \"http://127.0.0.1:8421/mcp\"}}}");
    file(".gemini/config/mcp_config.json", "");
    fs::write(dir.root().join(".gemini/config/mcp_config.json"), b"\xff").unwrap();
    file(".copilot/mcp-config.json", "");
    let large = fs::File::create(dir.root().join(".copilot/mcp-config.json")).unwrap();
    large.set_len(16 * 1024 * 1024 + 1).unwrap();
    fs::create_dir_all(dir.root().join(".config/zed")).unwrap();
    std::os::unix::fs::symlink("nowhere", dir.root().join(".config/zed/settings.json")).unwrap();
    dir.write_package("broken", "x = '");
    fs::create_dir_all(dir.app_path().join("scenarios/folder.lua")).unwrap();
    dir
}

fn failed(dir: &TestDir, args: &[&str]) -> CommandOutput {
    let place: &[&str] = if args.contains(&"--appdir") { &[] } else { &["--appdir", "app"] };
    run_wardroom(dir.root(), &[place, args].concat())
}

#[test]
fn every_error_has_a_hint() {
    let dir = home();
    let mut sheet = String::new();
    for args in FAILING {
        let finished = failed(&dir, args);
        let usage = matches!(args, [first, ..] if first.starts_with("--no-") || first.starts_with("no-"));
        // What runs a command has the exit codes of a shell.
        let is_not_found = matches!(args, ["ace", "run", ..]) && finished.status == 127;
        if args.contains(&"merge") {
            // git reads this one.
            assert_eq!(finished.status, 129, "{args:?}: {finished:?}");
        } else {
            assert!(finished.status == 1 || finished.status == 2 || is_not_found, "{args:?}: {finished:?}");
        }
        assert!(!usage || finished.status == 2, "{args:?}: {finished:?}");
        let marked = |mark: &str| finished.stderr.lines().filter(|line| line.starts_with(mark)).count();
        assert!(marked("error: ") > 0, "{args:?}: {}", finished.stderr);
        let warned = marked("warning: mount ");
        assert_eq!(marked("hint: ") - warned, marked("error: "), "{args:?}: {}", finished.stderr);
        let shown: Vec<String> = args
            .iter()
            .map(|arg| if arg.contains([' ', '"']) { format!("'{arg}'") } else { (*arg).to_owned() })
            .collect();
        sheet += &format!("$ wardroom {}\n{}\n", shown.join(" "), finished.stderr);
    }
    let (home, whole) = (dir.root().display().to_string(), dir.root().canonicalize().unwrap());
    let sheet = sheet.replace(&whole.display().to_string(), "$HOME").replace(&home, "$HOME");
    assert_snapshot!("errors", sheet);
}

/// Failures caused by the disk or the environment.
#[test]
fn system_errors_have_hints() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt as _;
    type Prepare = fn(&Path, &mut Command);
    let rows: [(&str, &[&str], Prepare); 10] = [
        ("a file where the demo has a folder", &["init", "--demo"], |app, _| {
            fs::write(app.join("registry/demo"), "").unwrap();
        }),
        ("a folder with such a name", &["mount", "add", "one"], |app, command| {
            let odd = app.parent().unwrap().join(OsStr::from_bytes(b"\xff"));
            fs::create_dir(&odd).unwrap();
            command.arg(odd);
        }),
        ("a file for the index of the blog", &["blog", "check"], |app, _| {
            fs::create_dir(app.join("blog")).unwrap();
            fs::write(app.join("cache/blog"), "").unwrap();
        }),
        ("a file for tasks/", &["serve"], |app, _| fs::write(app.join("tasks"), "").unwrap()),
        ("an unknown folder as home", &["agents", "list"], |_, command| {
            command.env("HOME", OsStr::from_bytes(b"/\xff"));
        }),
        ("a home that depends on where one is", &["agents", "list"], |_, command| {
            command.env("HOME", "here");
        }),
        ("an agent's folder with such a name", &["agents", "list", "openai_codex"], |_, command| {
            command.env("CODEX_HOME", OsStr::from_bytes(b"/\xff"));
        }),
        ("an AppDir with such a name", &["agents", "print", "zed"], |app, command| {
            let odd = app.parent().unwrap().join(OsStr::from_bytes(b"\xff"));
            fs::create_dir(&odd).unwrap();
            command.env("ALC_HOME", odd);
        }),
        ("words that are no message", &["helper", "agents"], |_, command| {
            command.stdin(fs::File::open("/proc/version").unwrap());
        }),
        ("a configuration below a file", &["mount", "add", "one", "app"], |app, _| {
            fs::write(app.parent().unwrap().join(".config"), "").unwrap();
        }),
    ];
    let mut sheet = String::new();
    for (what, args, prepare) in rows {
        let dir = TestDir::new();
        fs::create_dir_all(dir.app_path().join("cache")).unwrap();
        fs::create_dir_all(dir.app_path().join("registry")).unwrap();
        let mut command = wardroom_command(dir.root());
        command.env("ALC_HOME", dir.app_path()).args(args).stdin(Stdio::null());
        prepare(&dir.app_path(), &mut command);
        let done = command.output().unwrap();
        let said = String::from_utf8_lossy(&done.stderr).replace(&dir.root().display().to_string(), "$HOME");
        let marked = |mark: &str| said.lines().filter(|line| line.starts_with(mark)).count();
        assert!(!done.status.success() && marked("error: ") == 1 && marked("hint: ") == 1, "{what}: {said}");
        sheet += &format!("# {what}\n$ wardroom {}\n{said}\n", args.join(" "));
    }
    assert_snapshot!("refused", sheet);
}

/// Whether a command has no placeholder in capitals.
fn is_whole(command: &str) -> bool {
    !command.split(' ').any(|word| word.len() > 1 && word.bytes().all(|byte| byte.is_ascii_uppercase()))
}

#[test]
fn commands_in_hints_run() {
    const STARTS: [&str; 2] = ["run wardroom ", "did you mean wardroom "];
    const ENDS: [&str; 6] = [" to ", " first", ", ", "; ", ": ", "? "];
    let dir = home();
    let mut typed = BTreeSet::new();
    for args in FAILING {
        for line in failed(&dir, args).stderr.lines().filter_map(|line| line.strip_prefix("hint: ")) {
            let starts = STARTS.iter().flat_map(|start| line.match_indices(start));
            for (at, start) in starts {
                let command = &line[at + start.len() - "wardroom ".len()..];
                let end = ENDS.iter().filter_map(|end| command.find(end)).min();
                let command = &command[..end.unwrap_or(command.len())];
                if is_whole(command) {
                    typed.insert(command.to_owned());
                }
            }
        }
    }
    assert!(typed.len() > 15, "{typed:?}");
    let folder = wardroom_test_support::wardroom_binary().parent().unwrap();
    let path = format!("{}:/usr/bin:/bin", folder.display());
    for line in typed {
        let mut shell = Command::new("sh");
        shell.args(["-c", &line]).env_clear().env("HOME", dir.root()).env("PATH", &path).current_dir(dir.root());
        let finished = run_command(&mut shell);
        // Commands that search for problems may find some, and commands that ask find no terminal here.
        let asks = finished.stderr.contains("hint: pass --yes to write it");
        let may_fail = line.ends_with(" doctor") || line.contains("agents status") || asks;
        assert!(finished.status == 0 || may_fail && finished.status == 1, "{line}: {finished:?}");
    }
}
