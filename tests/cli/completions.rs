//! `wardroom completions`.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::{Command, Stdio};

use wardroom_docs::PAGES;

use super::terminal::Terminal;
use wardroom_test_support::{RunClient, TestDir, run_wardroom, wardroom_binary};

#[test]
fn scripts_of_other_shells_name_every_command_and_those_of_three_ask_the_program() {
    let dir = TestDir::new();
    for shell in ["elvish", "powershell"] {
        let script = run_wardroom(dir.root(), &["completions", shell]).expect_success();
        for word in ["wardroom", "serve", "init", "extract", "doctor", "import-links", "log-format"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    for shell in ["bash", "zsh", "fish"] {
        let script = run_wardroom(dir.root(), &["completions", shell]).expect_success();
        assert!(script.contains("command wardroom complete-words -- "), "{shell}: {script}");
    }
}

#[test]
fn completions_work_without_home_and_valid_config() {
    let dir = TestDir::new();
    std::fs::create_dir_all(dir.root().join(".config/wardroom")).unwrap();
    std::fs::write(dir.root().join(".config/wardroom/config.toml"), "wrong").unwrap();
    assert!(run_wardroom(dir.root(), &["completions", "bash"]).expect_success().contains("_wardroom"));
    let offered = completed(&dir, &["wardroom", "agents", "pr"]);
    assert_eq!(offered, ["print"]);
}

/// A shell that finds the program by its name.
fn shell(dir: &TestDir, program: &str) -> Command {
    let mut shell = Command::new(program);
    let folder = wardroom_binary().parent().unwrap().display().to_string();
    shell.env_clear().env("HOME", dir.root()).env("PATH", format!("{folder}:/usr/bin:/bin")).current_dir(dir.root());
    shell
}

/// What `bash` offers for the last of these words, which it splits as it does what is typed.
fn completed(dir: &TestDir, words: &[&str]) -> Vec<String> {
    let script = run_wardroom(dir.root(), &["completions", "bash"]).expect_success();
    let ask =
        "source /dev/stdin; COMP_WORDS=(\"$@\"); COMP_CWORD=$(($# - 1)); _wardroom; printf '%s\\n' \"${COMPREPLY[@]}\"";
    let mut split: Vec<String> = Vec::new();
    for word in words {
        let mut parts = word.split_inclusive([':', '=']).flat_map(|part| match part.strip_suffix([':', '=']) {
            Some(name) => vec![name.to_owned(), part[name.len()..].to_owned()],
            None => vec![part.to_owned()],
        });
        match parts.next() {
            None => split.push(String::new()),
            Some(first) => split.extend(std::iter::once(first).chain(parts)),
        }
    }
    let mut bash = shell(dir, "bash");
    bash.args(["--norc", "-c", ask, "bash"]).args(split).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = bash.spawn().unwrap();
    child.stdin.take().unwrap().write_all(script.as_bytes()).unwrap();
    let done = child.wait_with_output().unwrap();
    assert!(done.status.success(), "{words:?}");
    String::from_utf8(done.stdout).unwrap().lines().filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

#[test]
fn bash_completes_visible_commands_only() {
    let dir = TestDir::new();
    let offered = |words: &[&str]| completed(&dir, words);
    let flags = |words: &[String]| words.iter().filter(|word| !word.starts_with('-')).cloned().collect::<Vec<_>>();
    let root = offered(&["wardroom", ""]);
    assert!(root.contains(&"doctor".to_owned()) && root.contains(&"--version".to_owned()), "{root:?}");
    let topics: BTreeSet<String> = flags(&offered(&["wardroom", "help", ""])).into_iter().collect();
    let pages = PAGES.iter().map(|page| page.name.to_owned());
    assert_eq!(topics, pages.chain(flags(&root)).collect());
    assert_eq!(offered(&["wardroom", "--service", "re"]), ["resources", "registry"]);
    assert_eq!(offered(&["wardroom", "--service=re"]), ["resources", "registry"]);
    assert_eq!(offered(&["wardroom", "ls", "--service", "al"]), ["alc"]);
    assert_eq!(offered(&["wardroom", "agents", "pr"]), ["print"]);
    assert_eq!(offered(&["wardroom", "agents", "print", "claude_c"]), ["claude_code"]);
    for hidden in ["spawner", "helper", "lua-worker", "worker-walls", "complete-words", "man-pages"] {
        assert_eq!(offered(&["wardroom", hidden]), [""; 0], "{hidden}");
    }
    for hidden in ["spawner", "helper", "lua-worker", "worker-walls", "man-pages"] {
        for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
            let script = run_wardroom(dir.root(), &["completions", shell]).expect_success();
            assert!(!script.contains(hidden), "{shell}: {hidden}");
        }
    }
}

#[test]
fn bash_completes_names_that_exist() {
    let dir = TestDir::new_demo();
    let mut runner = RunClient::start(&dir);
    let session = runner.run_code("return alc.llm('what?')")["session_id"].as_str().unwrap().to_owned();
    drop(runner);
    let app = dir.app_path().display().to_string();
    let offered = |words: &[&str]| {
        let mut found = completed(&dir, &[&["wardroom", "--appdir", &app], words].concat());
        found.retain(|word| !word.starts_with('-'));
        found
    };
    assert_eq!(offered(&["pkg", "remove", "c"]), ["cot"]);
    assert_eq!(offered(&["run", "quick"]), ["quick_vote"]);
    assert_eq!(offered(&["eval", "cot", "--scenario", ""]), fs_names(&dir, "scenarios"));
    assert_eq!(offered(&["call", "alc_eval_hist"]), ["alc_eval_history"]);
    assert_eq!(offered(&["prompt", "greet"]), ["greeting"]);
    for command in ["show", "answer", "drop"] {
        assert_eq!(offered(&["sessions", command, ""]), [session.as_str()], "{command}");
    }
    assert_eq!(offered(&["run", "--continue", ""]), [session.as_str()]);
    // Only what follows the last colon is replaced.
    assert!(offered(&["read", "al"]).contains(&"alc://packages/".to_owned()), "{:?}", offered(&["read", "al"]));
    assert!(
        offered(&["read", "alc://pack"]).contains(&"//packages/".to_owned()),
        "{:?}",
        offered(&["read", "alc://pack"])
    );
    assert!(offered(&["read", "alc://packages/co"]).contains(&"//packages/cot/meta".to_owned()));
    // Another AppDir has other names, in both forms of the option.
    let other = TestDir::new();
    let path = other.app_path().display().to_string();
    assert_eq!(completed(&dir, &["wardroom", "--appdir", &path, "pkg", "remove", "c"]), [""; 0]);
    assert_eq!(completed(&other, &["wardroom", &format!("--appdir={app}"), "pkg", "remove", "c"]), ["cot"]);
}

/// Names of declared entries are the text of their author.
#[test]
fn bash_gets_no_command_in_a_name() {
    let dir = TestDir::new();
    let index = "version: \"1.0\"\nnamespace: app\nentries:\n  - name: p\n    kind: registry.entry\n    meta:\n      \
                 mcp.prompt: true\n      mcp.prompt.name: \"x;touch${IFS}PWN\"\n      mcp.prompt.messages: [{ content: x }]\n";
    dir.write_file("registry/app/_index.yaml", index);
    let app = dir.app_path().display().to_string();
    assert_eq!(completed(&dir, &["wardroom", "--appdir", &app, "prompt", "x"]), [r"x\;touch\$\{IFS\}PWN"]);
}

/// The names of the Lua files in a folder of the AppDir.
fn fs_names(dir: &TestDir, folder: &str) -> Vec<String> {
    let entries = std::fs::read_dir(dir.app_path().join(folder)).unwrap().map(|entry| entry.unwrap().path());
    let mut names: Vec<String> = entries
        .filter(|path| path.extension().is_some_and(|extension| extension == "lua"))
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .collect();
    names.sort();
    names
}

#[test]
fn bash_completes_proposals_mounts_and_tokens_of_the_configuration() {
    let dir = TestDir::new();
    std::fs::create_dir_all(dir.root().join(".config/wardroom")).unwrap();
    let text = format!(
        "[mounts.shared]\npath = {:?}\nas = \"files\"\n[http.tokens.ci]\nsha256 = \"{}\"\n[http.endpoints.team]\npath = \"/team\"\n",
        dir.root().display().to_string(),
        "0".repeat(64)
    );
    std::fs::write(dir.root().join(".config/wardroom/config.toml"), text).unwrap();
    let app = dir.app_path().display().to_string();
    let offered = |words: &[&str]| completed(&dir, &[&["wardroom", "--appdir", &app], words].concat());
    assert_eq!(offered(&["mount", "remove", "s"]), ["shared"]);
    assert_eq!(offered(&["token", "remove", "c"]), ["ci"]);
    assert_eq!(offered(&["read", "--as", "t"]), ["team"]);
}

/// A line that a person types, with Tab, in a shell that reads a terminal.
#[test]
fn bash_completes_at_a_terminal() {
    let dir = TestDir::new_demo();
    let app = dir.app_path().display().to_string();
    let script = run_wardroom(dir.root(), &["completions", "bash"]).expect_success();
    // The name is that of a function, so that nothing is removed.
    let begin = format!("{script}\nwardroom() {{ printf 'ran: %s\\n' \"$*\"; }}\nexport ALC_HOME='{app}'\nPS1=\n");
    std::fs::write(dir.root().join("rc"), begin).unwrap();
    let mut terminal = shell(&dir, "script");
    terminal.args(["--quiet", "--return", "--command", "bash --noprofile --rcfile rc -i", "typescript"]);
    terminal.env("TERM", "xterm").stdin(Stdio::piped()).stdout(Stdio::piped());
    let Ok(mut child) = terminal.spawn() else {
        wardroom_test_support::skip("there is no `script` to make a terminal with");
        return;
    };
    let mut typed = child.stdin.take().unwrap();
    typed.write_all(b"wardroom pkg rem\tquick\t\nwardroom read wardroom://docs/regi\t\nexit\n").unwrap();
    let output = child.wait_with_output().unwrap();
    drop(typed);
    let shown = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(shown.contains("ran: pkg remove quick_vote"), "{shown}");
    assert!(shown.contains("ran: read wardroom://docs/registry"), "{shown}");
}

/// Set where `fish` and `zsh` must be there.
const EXPECT_SHELLS: &str = "WARDROOM_EXPECT_SHELLS";

/// Returns whether a shell is installed; else says that a part of the test is skipped.
///
/// # Panics
/// Where the environment says that shells are expected.
fn is_installed(dir: &TestDir, name: &str) -> bool {
    let is_installed = shell(dir, name).arg("--version").stdout(Stdio::null()).status().is_ok();
    if !is_installed {
        assert!(std::env::var_os(EXPECT_SHELLS).is_none(), "{EXPECT_SHELLS} is set, and there is no `{name}`");
        wardroom_test_support::skip(&format!("there is no `{name}`"));
    }
    is_installed
}

/// An AppDir with the demo and a run that waits, with the scripts `wardroom.bash`, `wardroom.fish` and `wardroom.zsh` beside it.
/// Returns the name of the run, too.
fn dir_with_run_and_scripts() -> (TestDir, String) {
    let dir = TestDir::new_demo();
    let session = RunClient::start(&dir).run_code("return alc.llm('what?')")["session_id"].as_str().unwrap().to_owned();
    for shell in ["bash", "fish", "zsh"] {
        let script = run_wardroom(dir.root(), &["completions", shell]).expect_success();
        std::fs::write(dir.root().join(format!("wardroom.{shell}")), script).unwrap();
    }
    (dir, session)
}

/// What a shell's function offers for a line that a person types, without a line editor.
fn offered_by(shell_name: &str, dir: &TestDir, line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split(' ').collect();
    if shell_name == "bash" {
        // Only what follows the last colon is replaced, and what precedes it stays.
        let kept = words.last().unwrap().rsplit_once(':').map_or(String::new(), |(kept, _)| format!("{kept}:"));
        let app = dir.app_path().display().to_string();
        let words = [&["wardroom", "--appdir", &app], &words[1..]].concat();
        return completed(dir, &words).into_iter().map(|word| kept.clone() + &word).collect();
    }
    let mut asked = shell(dir, shell_name);
    asked.env("ALC_HOME", dir.app_path());
    match shell_name {
        "fish" => asked.args(["--no-config", "-c", "source wardroom.fish; complete --do-complete $argv[1]", line]),
        _ => {
            // `_describe` gets the name of a list of `VALUE:DESCRIPTION`, in which the colons of a value are escaped.
            let ask = "compdef() { }; source ./wardroom.zsh; _describe() { print -rl -- \"${(@P)3}\"; }; \
                       words=(\"$@\"); CURRENT=$#words; _wardroom";
            asked.args(["-f", "-c", ask, "zsh"]).args(words)
        }
    };
    let done = asked.output().unwrap();
    // The status says whether a list was offered last, which differs from shell to shell.
    assert!(done.stderr.is_empty(), "{line}: {done:?}");
    let offered = String::from_utf8(done.stdout).unwrap();
    let value = |line: &str| match shell_name {
        // A description follows.
        "fish" => line.split('\t').next().unwrap().to_owned(),
        _ => line.replace("\\:", "\n").split(':').next().unwrap().replace('\n', ":"),
    };
    offered.lines().map(value).collect()
}

#[test]
fn bash_fish_and_zsh_complete_names_alike() {
    let (dir, session) = dir_with_run_and_scripts();
    let packages: Vec<String> = ["cot", "panel", "quick_vote"]
        .iter()
        .flat_map(|name| ["init.lua", "meta"].map(|part| format!("alc://packages/{name}/{part}")))
        .collect();
    let packages: Vec<&str> = packages.iter().map(String::as_str).collect();
    let of_cot = ["alc://packages/cot/init.lua", "alc://packages/cot/meta"];
    let cases: [(&str, &[&str]); 9] = [
        ("wardroom pkg remove qu", &["quick_vote"]),
        ("wardroom call alc_pkg_lis", &["alc_pkg_list"]),
        ("wardroom call alc_pkg_l", &["alc_pkg_list", "alc_pkg_link"]),
        ("wardroom sessions show s-", &[&session]),
        ("wardroom sessions answer s-", &[&session]),
        ("wardroom read alc://pack", &["alc://packages/"]),
        ("wardroom read alc://packages/", &packages),
        ("wardroom read alc://packages/co", &of_cot),
        ("wardroom read alc://packages/none", &[]),
    ];
    for shell in ["bash", "fish", "zsh"] {
        if !is_installed(&dir, shell) {
            continue;
        }
        for (line, expected) in cases {
            assert_eq!(offered_by(shell, &dir, line), expected, "{shell}: {line}");
        }
    }
}

/// The line editor of each shell inserts what its function offers.
#[test]
fn fish_and_zsh_complete_at_a_terminal() {
    let (dir, session) = dir_with_run_and_scripts();
    // The command is a function, so that nothing is removed.
    let fish =
        "source wardroom.fish\nfunction wardroom; echo ran: $argv; end\nfunction fish_prompt; echo 'ready> '; end\n";
    let zsh = "autoload -Uz compinit\ncompinit -u -D\nsource ./wardroom.zsh\nwardroom() { print -r -- \"ran: $*\"; }\nPS1='ready> '\n";
    std::fs::write(dir.root().join("rc.fish"), fish).unwrap();
    std::fs::write(dir.root().join(".zshrc"), zsh).unwrap();
    let sessions = format!("sessions show {session}");
    let typed = [
        ("wardroom pkg rem\tquick\t", "pkg remove quick_vote"),
        ("wardroom call alc_pkg_lis\t", "call alc_pkg_list"),
        ("wardroom sessions show s-\t", sessions.as_str()),
        // No space follows the folder, so that the rest is completed too.
        ("wardroom read alc://pack\tquick_vote/m\t", "read alc://packages/quick_vote/meta"),
    ];
    for (name, line) in [("fish", "fish --no-config -i -C 'source rc.fish'"), ("zsh", "zsh -i")] {
        if !is_installed(&dir, name) {
            continue;
        }
        let mut script = shell(&dir, "script");
        let line = format!("stty cols 200 rows 40; {line}");
        script.args(["--quiet", "--return", "--command", &line, "typescript"]).env("TERM", "xterm");
        script.env("ALC_HOME", dir.app_path()).env("ZDOTDIR", dir.root()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let Ok(mut child) = script.spawn() else {
            wardroom_test_support::skip("there is no `script` to make a terminal with");
            return;
        };
        let mut terminal = Terminal::new(&mut child);
        for (keys, expected) in typed {
            terminal.expect("ready> ");
            terminal.send(&format!("{keys}\r"));
            terminal.expect(&format!("ran: {expected}"));
        }
        terminal.expect("ready> ");
        terminal.send("exit\r");
        terminal.finish();
    }
}

#[test]
fn manual_has_a_page_for_each_command() {
    let dir = TestDir::new();
    run_wardroom(dir.root(), &["man-pages", "man"]).expect_success();
    let mut pages: Vec<String> = std::fs::read_dir(dir.root().join("man"))
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    pages.sort();
    let commands = std::fs::read_to_string(wardroom_test_support::workspace_root().join("docs/CLI.md")).unwrap();
    let mut documented: Vec<String> = commands
        .lines()
        .filter_map(|line| line.strip_prefix("## `wardroom")?.strip_suffix('`'))
        .map(|words| format!("wardroom{}.1", words.replace(' ', "-")))
        .collect();
    documented.sort();
    assert_eq!(pages, documented);
    let text = std::fs::read_to_string(dir.root().join("man/wardroom-agents-install.1")).unwrap();
    assert!(text.contains(".TH wardroom-agents-install 1") && text.contains("wardroom agents install"), "{text}");
    assert!(text.contains("\\-\\-dry\\-run"), "{text}");
    std::fs::write(dir.root().join("taken"), "").unwrap();
    let refused = run_wardroom(dir.root(), &["man-pages", "taken"]);
    assert!(refused.status == 1 && refused.stderr.contains("error: cannot write the manual pages: "), "{refused:?}");
}
