//! `mount` and `token` change one entry of the configuration in any notation, and no other byte.

use std::ffi::OsStr;
use std::fs;
use std::path::PathBuf;
use std::process::Stdio;

use wardroom_config::Config;

use wardroom_test_support::{CommandOutput, TestDir, run_wardroom, wardroom_command};

fn file(dir: &TestDir) -> PathBuf {
    dir.root().join("config.toml")
}

/// The configuration after a command; a command that fails must not change it.
fn edited(dir: &TestDir, before: &str, args: &[&str]) -> (CommandOutput, String) {
    fs::write(file(dir), before).unwrap();
    let finished = run_wardroom(dir.root(), &[&["--config", "config.toml"], args].concat());
    (finished, fs::read_to_string(file(dir)).unwrap())
}

#[track_caller]
fn check(args: &[&str], before: &str, after: &str) {
    let dir = TestDir::new();
    fs::create_dir(dir.root().join("one")).unwrap();
    let (finished, text) = edited(&dir, before, args);
    assert_eq!(finished.status, 0, "{finished:?}");
    let home = dir.root().canonicalize().unwrap().display().to_string();
    assert_eq!(text.replace(&home, "$HOME"), after, "{before}");
}

const MOUNT: &[&str] = &["mount", "remove", "x"];
const TOKEN: &[&str] = &["token", "remove", "a"];
const DIGEST: &str = "\"0000000000000000000000000000000000000000000000000000000000000000\"";

#[test]
fn removed_entry_takes_its_comment_and_keeps_file_head() {
    const REST: &str = "mounts.y = { path = \"/y\", as = \"files\" }\n";
    const SERVER: &str = "[server]\nname = \"a\"\n";
    let x = "path = \"/x\"";
    // A section, keys with the entry's name, and a value; blank lines may contain spaces.
    let section = format!("[mounts.x]\n{x}\n# What it is.\nas = \"files\" # of x\n");
    let keys = format!("x.{x}\n\n# What it is.\nx.as = \"files\"\n");
    let value = format!("x = {{ {x}, as = \"files\" }}\n");
    for blank in ["\n", " \t \n", "\r\n"] {
        let head = format!("# About the file.\n{blank}");
        let before = format!("{head}# About x.\n{section}{blank}{SERVER}");
        check(MOUNT, &before, &format!("{head}{SERVER}"));
        for own in [&keys, &value] {
            let before = format!("{head}[mounts]\n{blank}# About x.\n{own}{blank}{SERVER}");
            check(MOUNT, &before, &format!("{head}[mounts]\n{blank}{SERVER}"));
        }
    }
    // Dotted keys at the top of the file.
    for own in [format!("mounts.x.{x}\nmounts.x.as = \"files\"\n"), format!("mounts.x = {{ {x}, as = \"files\" }}\n")] {
        for head in ["# About the file.\n\n", "# About the file.\n \n", "# One.\n\n# Two.\n\t\n"] {
            check(MOUNT, &format!("{head}# About x.\n{own}{REST}"), &format!("{head}{REST}"));
            let crlf = |text: String| text.replace('\n', "\r\n");
            check(MOUNT, &crlf(format!("{head}{own}{REST}")), &crlf(format!("{head}{REST}")));
        }
    }
    check(
        TOKEN,
        &format!("# About the file.\n\nhttp.tokens.a.sha256 = {DIGEST}\nhttp.hosts = []\nhttp.tokens.a.groups = []\n"),
        "# About the file.\n\nhttp.hosts = []\n",
    );
}

#[test]
fn removed_entry_keeps_unrelated_comments() {
    const X: &str = "path = \"/x\"\nas = \"files\"\n";
    const Y: &str = "y = { path = \"/y\", as = \"files\" }\n";
    let x = format!("[mounts.x]\n{X}");
    let value = "x = { path = \"/x\", as = \"files\" }\n";
    let keys = "mounts.x.path = \"/x\"\n";
    for (before, after) in [
        // The head of the file, a key of another entry, and the head of a table.
        (format!("# Do not delete.\n# License: X\n{x}"), "# Do not delete.\n# License: X\n".to_owned()),
        (
            format!("[mounts.y]\npath = \"/y\"\nas = \"packages\"\n# as = \"files\"\n{x}"),
            "[mounts.y]\npath = \"/y\"\nas = \"packages\"\n# as = \"files\"\n".to_owned(),
        ),
        (format!("[mounts]\n# list\n{value}{Y}"), format!("[mounts]\n# list\n{Y}")),
        // A comment between two keys, with blank lines around it.
        (format!("{keys}\n# shared\n\nmounts.x.as = \"files\"\n"), "# shared\n".to_owned()),
        (
            format!("mounts.{Y}{keys}# of x\n\n# shared\n# note\n\n# of x\nmounts.x.as = \"files\"\n"),
            format!("mounts.{Y}# of x\n\n# shared\n# note\n"),
        ),
        // Lines of a string and of an array.
        (
            format!("[server]\ninstructions = \"\"\"\n\n# in text\"\"\"\n{x}"),
            "[server]\ninstructions = \"\"\"\n\n# in text\"\"\"\n".to_owned(),
        ),
        (
            format!("[server]\ninstructions = \"\"\"\n\n# in text\n\"\"\"\n\n{x}"),
            "[server]\ninstructions = \"\"\"\n\n# in text\n\"\"\"\n".to_owned(),
        ),
    ] {
        check(MOUNT, &before, &after);
    }
}

#[test]
fn inline_table_entry_is_removed_and_added() {
    let [x, y] = ["x", "y"].map(|name| format!("{name} = {{ path = \"/{name}\", as = \"files\" }}"));
    for (before, after) in [
        (format!("# Head.\nmounts = {{ {x}, {y} }} # both\n"), format!("# Head.\nmounts = {{ {y} }} # both\n")),
        (format!("mounts = {{ {y}, {x} }}\n"), format!("mounts = {{ {y} }}\n")),
        (format!("mounts = {{ {x} }}\n"), "mounts = {}\n".to_owned()),
        (format!("mounts = {{\n  {x},\n  {y},\n}}\n"), format!("mounts = {{\n  {y},\n}}\n")),
    ] {
        check(MOUNT, &before, &after);
    }
    let add = &["mount", "add", "one", "one", "--as", "files"];
    let one = "one = { path = \"$HOME/one\", as = \"files\" }";
    for (before, after) in [
        ("mounts = {}\n".to_owned(), format!("mounts = {{ {one} }}\n")),
        (format!("mounts = {{ {x} }}\r\n"), format!("mounts = {{ {x}, {one} }}\r\n")),
        (format!("mounts = {{\n  {x},\n}}\n"), format!("mounts = {{\n  {x}, {one}\n}}\n")),
        (
            "mounts = { y.path = \"/y\", y.as = \"files\" }\n".to_owned(),
            format!("mounts = {{ y.path = \"/y\", y.as = \"files\", {one} }}\n"),
        ),
    ] {
        check(add, &before, &after);
    }
    let dir = TestDir::new();
    let before = format!("http = {{ tokens = {{ a = {{ sha256 = {DIGEST} }} }} }}\n");
    let (made, text) = edited(&dir, &before, &["token", "new", "b"]);
    let start = before.trim_end().trim_end_matches(" } }");
    assert!(made.status == 0 && text.starts_with(&format!("{start}, b = {{ sha256 = ")), "{text}");
    let (made, text) = edited(&dir, "http = { hosts = [] }\n", &["token", "new", "b", "--group", "g"]);
    assert!(made.status == 0 && text.starts_with("http = { hosts = [], tokens.b = { sha256 = "), "{text}");
    let before = format!("http = {{ tokens.a = {{ sha256 = {DIGEST} }}, hosts = [] }}\n");
    let (made, text) = edited(&dir, &before, &["token", "new", "b"]);
    let start = before.trim_end().trim_end_matches(" }");
    assert!(made.status == 0 && text.starts_with(&format!("{start}, tokens.b = {{ sha256 = ")), "{text}");
}

#[test]
fn replaced_token_keeps_its_name_its_groups_and_its_endpoint() {
    let dir = TestDir::new();
    let rest = "[http.endpoints.main]\npath = \"/mcp\"\ntokens = [\"a\"]\n";
    let commented = "groups = [\"g\"] # of ours\n";
    let before = format!("# Of the team.\n[http.tokens.a]\nsha256 = {DIGEST} # of May\n{commented}\n{rest}");
    let (refused, text) = edited(&dir, &before, &["token", "new", "a"]);
    assert_eq!((refused.status, &text), (1, &before));
    assert!(refused.stderr.contains("token new a --replace"), "{}", refused.stderr);
    let (replaced, text) = edited(&dir, &before, &["token", "new", "a", "--replace"]);
    assert_eq!(replaced.status, 0, "{replaced:?}");
    let kept =
        |text: &str| text.starts_with("# Of the team.\n") && text.contains(" # of May\n") && text.ends_with(rest);
    assert!(kept(&text) && text.contains(commented) && !text.contains(DIGEST), "{text}");
    let (_, text) = edited(&dir, &text, &["token", "new", "a", "--replace", "--group", "h"]);
    assert!(kept(&text) && text.contains("groups = [\"h\"] # of ours\n"), "{text}");
    // An entry without groups has no place for them.
    let bare = format!("[http.tokens.a]\nsha256 = {DIGEST}\n\n{rest}");
    let (_, text) = edited(&dir, &bare, &["token", "new", "a", "--replace", "--group", "h"]);
    assert!(text.starts_with(rest) && text.ends_with("groups = [\"h\"]\n") && !text.contains(DIGEST), "{text}");
}

#[test]
fn token_that_cannot_be_shown_can_be_replaced() {
    let dir = TestDir::new();
    fs::write(file(&dir), "").unwrap();
    let mut command = wardroom_command(dir.root());
    command.args(["--config", "config.toml", "token", "new", "a"]);
    let full = fs::File::options().write(true).open("/dev/full").unwrap();
    let output = command.stdout(full).stderr(Stdio::piped()).spawn().unwrap().wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("error: the token a was created and could not be shown: "), "{said}");
    assert!(said.contains("token new a --replace"), "{said}");
}

#[test]
fn ambiguous_entry_is_refused() {
    let x = "x = { path = \"/x\", as = \"files\" }";
    let dir = TestDir::new();
    let y = "y = { path = \"/y\", as = \"files\" }";
    // The end of a last entry with dotted keys is unknown.
    for (before, why) in [
        (
            format!("mounts = {{\n  {x}, # of mine\n  {y}\n}}\n"),
            "the entry cannot be separated from the text around it\n",
        ),
        (
            format!("mounts = {{ y.path = \"/y\", y.as = \"files\", {x} }}\n"),
            "the result would not be a valid configuration: ",
        ),
    ] {
        let (refused, text) = edited(&dir, &before, MOUNT);
        assert_eq!((refused.status, text), (1, before));
        assert!(refused.stderr.contains(why), "{}", refused.stderr);
        assert!(refused.stderr.contains("hint: nothing was changed"), "{}", refused.stderr);
    }
    // A token that an endpoint uses.
    let before =
        format!("http.tokens.a.sha256 = {DIGEST}\nhttp.endpoints.main = {{ path = \"/mcp\", tokens = [\"a\"] }}\n");
    let (refused, text) = edited(&dir, &before, TOKEN);
    assert_eq!((refused.status, text), (1, before));
    assert!(refused.stderr.contains("no token is called a"), "{}", refused.stderr);
}

#[test]
fn path_with_special_characters_round_trips() {
    for name in ["a\nb", "a\r\nb", "a\rb", "a\tb\u{1b}[1m\u{7f}\u{85}", "'\"\\ '''\n\"\"\"", "ö 日"] {
        for before in ["", "[server]\r\nname = \"a\"\r\n", "mounts = {}\r\n"] {
            let dir = TestDir::new();
            let folder = dir.root().canonicalize().unwrap().join(OsStr::new(name));
            fs::create_dir(&folder).unwrap();
            let (added, text) = edited(&dir, before, &["mount", "add", "x", name]);
            assert_eq!(added.status, 0, "{added:?}");
            assert_eq!(Config::parse(&text).unwrap().mounts["x"].path, folder, "{text}");
            run_wardroom(dir.root(), &["--config", "config.toml", "mount", "remove", "x"]).expect_success();
            assert_eq!(fs::read_to_string(file(&dir)).unwrap(), before);
        }
    }
}

#[test]
fn line_ends_are_kept_and_new_ones_match() {
    let added = |end: &str| format!("[mounts.one]{end}path = \"$HOME/one\"{end}as = \"packages\"{end}");
    let add = &["mount", "add", "one", "one"];
    for (before, parted, end) in [
        ("[server]\r\nname = \"a\"\nversion = \"1\"\r\n", "\r\n", "\r\n"),
        ("[server]\r\nname = \"a\"\r\nversion = \"1\"\n", "\n", "\n"),
        ("\u{feff}[server]\nname = '''\r\na\nb'''\r\nversion = \"1\"", "\r\n\r\n", "\r\n"),
    ] {
        check(add, before, &format!("{before}{parted}{}", added(end)));
    }
    let mixed = "# Head.\r\n\nhttp.hosts = []\nmounts.x.path = \"/x\"\r\nserver.name = \"a\"\r\nmounts.x.as = \"files\"\nhttp.max_sessions = 9\r\n";
    let after = "# Head.\r\n\nhttp.hosts = []\nserver.name = \"a\"\r\nhttp.max_sessions = 9\r\n";
    check(MOUNT, mixed, after);
}
