//! Edits of one entry of a JSON file, with the rest of the file unchanged.

use proptest::prelude::*;
use wardroom_agents::{AGENTS, ConfigFormat, EditError, EntryChange, edit_entry};

use super::{check_install, check_refused, check_round, forced, found, installed, launch, target, uninstalled, with};

const ENTRY: &str = r#""wardroom": {
      "type": "stdio",
      "command": "/opt/bin/wardroom",
      "args": ["--service", "alc"]
    }"#;

/// The entry in a file on one line.
const LINE: &str = r#""wardroom": {"type": "stdio", "command": "/opt/bin/wardroom", "args": ["--service", "alc"]}"#;

#[test]
fn missing_or_empty_file_gets_only_the_entry() {
    let whole = format!("{{\n  \"mcpServers\": {{\n    {ENTRY}\n  }}\n}}\n");
    check_install(target("claude_code"), "", &whole);
    check_install(target("claude_code"), "{}\n", &whole);
    check_install(target("claude_code"), "\n", &whole);
    check_install(target("claude_code"), "{ }", whole.trim_end());
    check_install(target("cursor"), "// mine\n", &format!("// mine\n{whole}"));
}

/// Gemini CLI takes comments out, and reads the rest as standard JSON.
#[test]
fn comma_that_an_agent_does_not_accept_is_refused() {
    let commented = "{\n  // mine\n  \"mcpServers\": {}\n}\n";
    let comma = "{\n  \"mcpServers\": {\n    \"other\": {\"command\": \"npx\"},\n  }\n}\n";
    let installed_text = installed(target("gemini_cli"), commented).unwrap().unwrap();
    assert!(installed_text.contains("// mine") && !installed_text.contains(",\n  }"), "{installed_text}");
    check_refused(&[("gemini_cli", comma, 3)]);
    assert!(installed(target("cursor"), comma).is_ok());
}

/// An agent or a script that installs again must not open the AppDir wider by leaving an option out.
#[test]
fn installation_drops_no_restriction_of_our_entry() {
    for (args, option) in [
        (r#"["--service", "alc", "--read-only"]"#, "--read-only"),
        (r#"["--config=/c.toml", "--service", "alc"]"#, "--config"),
    ] {
        let entry =
            |command: &str| format!(r#"{{"mcpServers": {{"wardroom": {{"command": "{command}", "args": {args}}}}}}}"#);
        let restricted = entry("/opt/bin/wardroom");
        let expected = EditError::DroppedRestriction { name: "wardroom".to_owned(), option };
        assert_eq!(installed(target("cursor"), &restricted), Err(expected));
        assert!(uninstalled(target("cursor"), &restricted).unwrap().is_some());
        let widened = forced(target("cursor"), &restricted, EntryChange::Install(&launch(&["--service", "alc"])));
        assert!(!widened.contains(option), "{widened}");
        let foreign = installed(target("cursor"), &entry("/usr/bin/other"));
        assert!(matches!(foreign, Err(EditError::ForeignEntry { .. })), "{foreign:?}");
    }
    // What stands beside an element that is no text counts.
    let odd = r#"{"mcpServers": {"wardroom": {"command": "/opt/bin/wardroom", "args": ["--read-only", 5]}}}"#;
    assert!(matches!(
        installed(target("cursor"), odd),
        Err(EditError::DroppedRestriction { option: "--read-only", .. })
    ));
    let all = r#"{"mcpServers": {"wardroom": {"command": "/opt/bin/wardroom", "args": ["--service", "alc"]}}}"#;
    let outcome = with(target("cursor"), false, |wanted| edit_entry(all, wanted, EntryChange::Install(&launch(&[]))));
    assert!(matches!(outcome, Err(EditError::DroppedRestriction { option: "--service", .. })), "{outcome:?}");
}

#[test]
fn new_entry_follows_others_in_their_formatting() {
    let before = "{\n  \"numStartups\": 3,\n  \"mcpServers\": {\n    \"other\": {\n      \"command\": \"npx\"\n    }\n  },\n  \"last\": null\n}\n";
    let after = before.replace("    }\n  },", &format!("    }},\n    {ENTRY}\n  }},"));
    check_round(target("claude_code"), before, &after);
    // Four blanks, tabs, and no final newline.
    for unit in ["    ", "\t"] {
        let other = |text: &str| text.replace("  ", unit);
        check_round(target("claude_code"), &other(before), &other(&after));
        check_round(target("claude_code"), other(before).trim_end(), other(&after).trim_end());
    }
}

#[test]
fn line_endings_and_bom_are_kept() {
    let before = "\u{feff}{\r\n  \"a\": 1\r\n}\r\n";
    let entry = ENTRY.replace('\n', "\r\n");
    let after = format!("\u{feff}{{\r\n  \"a\": 1,\r\n  \"mcpServers\": {{\r\n    {entry}\r\n  }}\r\n}}\r\n");
    check_round(target("claude_code"), before, &after);
}

#[test]
fn mixed_line_endings_are_kept_and_new_lines_use_most_common() {
    for (before, eol) in [
        ("{\r\n  \"a\": 1,\n  \"b\": 2,\n  \"c\": 3\n}\n", "\n"),
        ("{\n  \"a\": 1,\r\n  \"b\": 2,\r\n  \"c\": 3\n}\r\n", "\r\n"),
        ("{\n  \"c\": 3\r\n}", "\n"),
    ] {
        let entry = format!(",\n  \"mcpServers\": {{\n    {ENTRY}\n  }}").replace('\n', eol);
        check_round(target("claude_code"), before, &before.replace("\"c\": 3", &format!("\"c\": 3{entry}")));
    }
}

/// A line ending of old programs, which counts as a blank elsewhere.
#[test]
fn lone_carriage_return_is_kept() {
    for end in ["\r", " \r", "\r\r"] {
        let before = format!(r#"{{"a":1}}{end}"#);
        check_round(target("claude_code"), &before, &format!(r#"{{"a":1, "mcpServers": {{{LINE}}}}}{end}"#));
    }
}

#[test]
fn blanks_at_the_end_of_a_line_are_kept() {
    for blanks in ["  ", "\t", " /* mine */ "] {
        for last in ["\"a\": {}", "\"a\": 1"] {
            let before = format!("{{\n  {last}{blanks}\n}}\n");
            let after = format!("{{\n  {last},{blanks}\n  \"mcpServers\": {{\n    {ENTRY}\n  }}\n}}\n");
            check_round(target("cursor"), &before, &after);
            let line_ends = |text: &str| text.replace('\n', "\r\n");
            check_round(target("cursor"), &line_ends(&before), &line_ends(&after));
        }
    }
    let before = "{\n  \"a\": 1,  \n}\n";
    let after = format!("{{\n  \"a\": 1,  \n  \"mcpServers\": {{\n    {ENTRY}\n  }},\n}}\n");
    check_round(target("cursor"), before, &after);
}

#[test]
fn one_line_file_stays_on_one_line() {
    let claude = target("claude_code");
    check_round(claude, r#"{"a":1}"#, &format!(r#"{{"a":1, "mcpServers": {{{LINE}}}}}"#));
    check_round(claude, r#"{"mcpServers":{"b":{}},"a":1}"#, &format!(r#"{{"mcpServers":{{"b":{{}}, {LINE}}},"a":1}}"#));
    check_install(claude, r#"{"mcpServers":{},"a":1}"#, &format!(r#"{{"mcpServers":{{{LINE}}},"a":1}}"#));
}

#[test]
fn comments_stay_with_their_values() {
    let before = "// top\n{\n  // servers\n  \"servers\": {\n    /* one */ \"a\": {}, // about a\n    \"b\": {} // about b\n    // below\n  }, // end\n  \"inputs\": []\n}\n// tail\n";
    let after = before.replace("\"b\": {} // about b", &format!("\"b\": {{}}, // about b\n    {ENTRY}"));
    check_round(target("github_copilot"), before, &after);
    // An object with only a comment in it.
    let before = "{\n  \"servers\": {\n    // none yet\n  }\n}\n";
    let after = format!("{{\n  \"servers\": {{\n    // none yet\n    {ENTRY}\n  }}\n}}\n");
    check_round(target("github_copilot"), before, &after);
}

/// Also between the key of a list and its brace.
#[test]
fn commented_server_list_is_not_removed() {
    let text = |servers: &str| format!(r#"{{"mcpServers": /* mine */ {{{servers}}}, "a": 1}}"#);
    check_round(target("cursor"), &text(""), &text(LINE));
    let text = |servers: &str| format!("{{\n  \"mcpServers\" // mine\n  : {{{servers}}}\n}}\n");
    let after = uninstalled(target("cursor"), &text(LINE)).unwrap();
    assert_eq!(after.as_deref(), Some(text("").as_str()));
}

#[test]
fn trailing_commas_are_kept_and_added() {
    let before = "{\n  \"context_servers\": {\n    \"a\": {},\n  },\n}\n";
    let entry = ENTRY.replace("\"type\": \"stdio\",\n      ", "");
    let after = before.replace("\"a\": {},", &format!("\"a\": {{}},\n    {entry},"));
    check_round(target("zed"), before, &after);
    check_install(
        target("zed"),
        r#"{"context_servers":{"a":{},}}"#,
        r#"{"context_servers":{"a":{}, "wardroom": {"command": "/opt/bin/wardroom", "args": ["--service", "alc"]},}}"#,
    );
}

#[test]
fn every_agent_gets_its_entry_shape() {
    let targets = AGENTS.iter().flat_map(|agent| agent.targets.iter().map(move |target| (agent, target)));
    let shapes = targets.map(|(agent, target)| {
        let text = installed(target, "").unwrap().unwrap();
        format!("{} ({}), {:?}\n{text}", agent.id, target.title, target.format)
    });
    insta::assert_snapshot!("shapes", shapes.collect::<Vec<_>>().join("\n"));
}

#[test]
fn opencode_entry_follows_shape_of_file() {
    let opencode = target("opencode");
    let list = r#"["/opt/bin/wardroom", "--service", "alc"]"#;
    let first = format!("\"wardroom\": {{\"type\": \"local\", \"command\": {list}, \"enabled\": true}}");
    let second = format!("\"wardroom\": {{\"type\": \"local\", \"command\": {list}}}");
    check_round(opencode, r#"{"mcp":{"a":{}}}"#, &format!(r#"{{"mcp":{{"a":{{}}, {first}}}}}"#));
    check_round(
        opencode,
        r#"{"mcp":{"servers":{"a":{}}}}"#,
        &format!(r#"{{"mcp":{{"servers":{{"a":{{}}, {second}}}}}}}"#),
    );
    check_install(opencode, r#"{"mcp":{"servers":{}}}"#, &format!(r#"{{"mcp":{{"servers":{{{second}}}}}}}"#));
    // An existing entry of the first version is used.
    let old = r#""wardroom": {"type": "local", "command": ["wardroom"]}"#;
    for rest in [r#""servers":{}"#, r#""servers":{"a":{}}"#] {
        let (before, after) = (format!(r#"{{"mcp":{{{old}, {rest}}}}}"#), format!(r#"{{"mcp":{{{first}, {rest}}}}}"#));
        assert_eq!(found(opencode, &before).unwrap().unwrap().command, "wardroom");
        check_install(opencode, &before, &after.replace(", \"enabled\": true", ""));
        let left = uninstalled(opencode, &before).unwrap().unwrap();
        assert_eq!(left, format!(r#"{{"mcp":{{{rest}}}}}"#));
    }
    // A server of the first version with the name `servers`.
    let server = r#"{"mcp":{"servers":{"type":"local","command":["x"]}}}"#;
    check_round(opencode, server, &format!(r#"{{"mcp":{{"servers":{{"type":"local","command":["x"]}}, {first}}}}}"#));
}

#[test]
fn reinstall_keeps_user_fields_and_updates_launch() {
    let before = "{\n  \"mcpServers\": {\n    \"wardroom\": {\n      \"disabled\": true, // for now\n      \"command\": \"/old/wardroom\",\n      \"args\": [\n        \"--appdir\", \"/x\"\n      ],\n      \"env\": {\"A\": \"b\"}\n    }\n  }\n}\n";
    let after = "{\n  \"mcpServers\": {\n    \"wardroom\": {\n      \"disabled\": true, // for now\n      \"command\": \"/opt/bin/wardroom\",\n      \"args\": [\"--service\", \"alc\"],\n      \"env\": {\"A\": \"b\"}\n    }\n  }\n}\n";
    check_install(target("cursor"), before, after);
    // A missing key is added; a missing transport is allowed.
    check_install(
        target("cursor"),
        r#"{"mcpServers":{"wardroom":{"command":"wardroom"}}}"#,
        r#"{"mcpServers":{"wardroom":{"command":"/opt/bin/wardroom", "args": ["--service", "alc"]}}}"#,
    );
    // Another transport is replaced.
    check_install(
        target("cursor"),
        r#"{"mcpServers":{"wardroom":{"type":"sse","command":"wardroom"}}}"#,
        r#"{"mcpServers":{"wardroom":{"type":"stdio","command":"/opt/bin/wardroom", "args": ["--service", "alc"]}}}"#,
    );
    // Without arguments no list is needed.
    let bare = r#"{"mcpServers":{"wardroom":{"command":"/opt/bin/wardroom"}}}"#;
    assert_eq!(
        with(target("cursor"), false, |wanted| edit_entry(bare, wanted, EntryChange::Install(&launch(&[])))),
        Ok(None)
    );
    let off =
        r#"{"mcp":{"wardroom":{"type":"local","enabled":false,"command":["/opt/bin/wardroom","--service","alc"]}}}"#;
    assert_eq!(installed(target("opencode"), off), Ok(None));
}

#[test]
fn escaped_keys_equal_plain_keys() {
    let text = r#"{"mcp\u0053ervers":{"ward\u0072oom":{"command":"wardroom"}}}"#;
    assert_eq!(found(target("claude_code"), text).unwrap().unwrap().command, "wardroom");
    let twice = "{\"mcpServers\": {},\n\"mcp\\u0053ervers\": {}}";
    assert_eq!(
        installed(target("claude_code"), twice),
        Err(EditError::DuplicateKey { line: 2, key: "mcpServers".to_owned() })
    );
}

/// As JavaScript writes a string that was cut within a surrogate pair.
#[test]
fn unpaired_surrogates_are_kept() {
    let claude = target("claude_code");
    for text in [
        r#""\ud83d""#,
        r#""cut \uD83D""#,
        r#""\ude00 first""#,
        r#""\ude00\ud83d""#,
        r#""\ud83d\ud83d\ude00""#,
        r#""\\ud83d \\\ud83d \ud83d\ude00""#,
        r#"{"\ud83d":1,"\ud83e":2}"#,
        r#"{"\ud83d":1,"\uE83D":2}"#,
        "{\"\\ud83d\":1,\"\u{e83d}\":2,\"\u{e03d}\":3,\"\u{103d}\":4,\"\u{1f600}\":5}",
    ] {
        let servers = format!(r#"{{"history":{text},"mcpServers":{{"b":{text}}}}}"#);
        let after = format!(r#"{{"history":{text},"mcpServers":{{"b":{text}, {LINE}}}}}"#);
        check_round(claude, &servers, &after);
        check_round(target("cursor"), &servers, &after);
    }
    // An invalid escape stays refused, and so does a duplicate key.
    for text in [r#"{"a": "\ud8"}"#, r#"{"a": "\ud8zz"}"#] {
        assert!(matches!(installed(claude, text), Err(EditError::Malformed { .. })), "{text}");
    }
    let twice = installed(claude, "{\"\\ud83d\": 1,\n\"\\uD83d\": 2}").unwrap_err();
    assert_eq!(twice.to_string(), "line 2: a key with an unpaired surrogate occurs twice");
    // A text with characters of every block that could replace a surrogate.
    let full = r#"{"a": "\ud83d \ue03d \ue83d \uf03d"}"#;
    assert!(matches!(installed(claude, full), Err(EditError::Malformed { line: 1, .. })));
}

#[test]
fn path_with_special_characters_round_trips() {
    let odd = wardroom_agents::LaunchCommand {
        command: "C:\\Program Files\\\"x\" ä\u{1}\\wardroom.exe".to_owned(),
        args: vec!["--appdir".to_owned(), "\\\\server\\x\n".to_owned()],
    };
    for agent in AGENTS {
        for target in agent.targets {
            let text =
                with(target, false, |wanted| edit_entry("", wanted, EntryChange::Install(&odd))).unwrap().unwrap();
            assert_eq!(found(target, &text), Ok(Some(odd.clone())), "{}", target.title);
        }
    }
}

#[test]
fn foreign_entry_is_changed_only_with_force() {
    let claude = target("claude_code");
    let text = "{\n  \"mcpServers\": {\n    \"wardroom\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"wardroom\"]\n    },\n    \"b\": {}\n  }\n}\n";
    let foreign = Err(EditError::ForeignEntry { line: 3, name: "wardroom".to_owned(), command: "npx".to_owned() });
    assert_eq!(installed(claude, text), foreign);
    assert_eq!(uninstalled(claude, text), foreign);
    let own = launch(&["--service", "alc"]);
    assert_eq!(
        forced(claude, text, EntryChange::Install(&own)),
        format!("{{\n  \"mcpServers\": {{\n    {ENTRY},\n    \"b\": {{}}\n  }}\n}}\n")
    );
    assert_eq!(forced(claude, text, EntryChange::Uninstall), "{\n  \"mcpServers\": {\n    \"b\": {}\n  }\n}\n");
    // An entry for an HTTP server does not start our program.
    let remote = r#"{"mcpServers":{"wardroom":{"type":"http","url":"http://127.0.0.1:4124/mcp"}}}"#;
    assert!(matches!(uninstalled(claude, remote), Err(EditError::NoCommand { line: 1, .. })));
}

#[test]
fn non_object_entry_is_replaced_with_force() {
    let claude = target("claude_code");
    for value in ["null", "\"x\"", "[]", "true"] {
        let text = format!("{{\n  \"mcpServers\": {{\n    \"wardroom\": {value}\n  }}\n}}\n");
        let nothing = || EditError::NoCommand { line: 3, name: "wardroom".to_owned() };
        assert_eq!(found(claude, &text), Err(nothing()));
        assert_eq!(installed(claude, &text), Err(nothing()));
        assert_eq!(uninstalled(claude, &text), Err(nothing()));
        let own = launch(&["--service", "alc"]);
        let expected = format!("{{\n  \"mcpServers\": {{\n    {ENTRY}\n  }}\n}}\n");
        assert_eq!(forced(claude, &text, EntryChange::Install(&own)), expected);
        assert_eq!(forced(claude, &text, EntryChange::Uninstall), "{}\n");
    }
}

#[test]
fn uninstall_removes_only_the_entry() {
    let cursor = target("cursor");
    let own = r#""wardroom": {"command": "wardroom"}"#;
    let check = |before: String, after: &str| {
        assert_eq!(uninstalled(cursor, &before).unwrap().as_deref(), Some(after), "{before}");
    };
    check(format!("{{\"mcpServers\":{{{own},\"b\":{{}}}}}}"), r#"{"mcpServers":{"b":{}}}"#);
    check(format!("{{\"mcpServers\":{{\"a\":{{}}, {own}, \"b\":{{}}}}}}"), r#"{"mcpServers":{"a":{}, "b":{}}}"#);
    check(format!("{{\"mcpServers\":{{\"a\":{{}}, {own}}}}}"), r#"{"mcpServers":{"a":{}}}"#);
    check(format!("{{\"mcpServers\":{{\"a\":{{}}, {own},}}}}"), r#"{"mcpServers":{"a":{},}}"#);
    check(
        format!("{{\n\"mcpServers\": {{\n  {own}, // ours\n  \"b\": {{}}\n}}}}"),
        "{\n\"mcpServers\": {\n  \"b\": {}\n}}",
    );
    check(format!("{{\n\"mcpServers\": {{\n  // all\n  {own}\n}}}}"), "{\n\"mcpServers\": {\n  // all\n}}");
    check(format!("{{\n\"mcpServers\": {{\n  \"a\": {{}},\n  {own} }}\n}}"), "{\n\"mcpServers\": {\n  \"a\": {} }\n}");
    check(format!("{{\n\"mcpServers\": {{\n  {own}, \"b\": {{}}\n}}\n}}"), "{\n\"mcpServers\": {\n  \"b\": {}\n}\n}");
    // A comment after the next property belongs to that.
    check(
        format!("{{\n\"mcpServers\": {{\n  {own}, \"b\": {{}}, // both\n  \"c\": {{}}\n}}\n}}"),
        "{\n\"mcpServers\": {\n  \"b\": {}, // both\n  \"c\": {}\n}\n}",
    );
    check(
        format!("{{\n  \"mcpServers\": {{\n    {own}\n  }}, \"key\": 1, // key\n  \"a\": 2\n}}"),
        "{\n  \"key\": 1, // key\n  \"a\": 2\n}",
    );
    // A list of servers that held only our entry is removed with it, and the surrounding text stays.
    check(format!("{{\n  \"a\": 1,\n  \"mcpServers\": {{\n    {own}\n  }}\n}}\n"), "{\n  \"a\": 1\n}\n");
    check(format!("{{\n  \"mcpServers\": {{\n    {own}\n  }},\n  \"a\": 1\n}}\n"), "{\n  \"a\": 1\n}\n");
    check(format!("{{\"mcpServers\": {{{own}}}}}"), "{}");
}

#[test]
fn malformed_file_is_refused_with_line() {
    let rows: [(&str, &str, usize); 19] = [
        ("claude_code", "{\n  \"a\": 1,\n}", 2),
        ("claude_code", "{\n  // mine\n}", 2),
        ("claude_code", "{\n  \"a\" 1\n}", 2),
        ("claude_code", "{\"a\": 1", 1),
        ("claude_code", "{} {}", 1),
        ("claude_code", "\n[]", 2),
        ("claude_code", "null", 1),
        ("claude_code", "\"text\"", 1),
        ("cursor", "{a: 1}", 1),
        ("cursor", "{'a': 1}", 1),
        ("cursor", "{\"a\": 1 \"b\": 2}", 1),
        ("cursor", "{\n\"a\": +1}", 2),
        ("cursor", "{\"mcpServers\": []}", 1),
        ("cursor", "{\n\"mcpServers\": null}", 2),
        // Which of two duplicate keys counts is unknown, at any position.
        ("cursor", "{\"a\": 1,\n\"a\": 2}", 2),
        ("cursor", "{\"b\": [{\"a\": 1,\n\n\"a\": 2}]}", 3),
        ("cursor", "{\"mcpServers\": {\"x\": {},\n\"x\": {}}}", 2),
        // Syntax beyond standard JSON.
        ("claude_code", "{\n\"a\": \"\t\"}", 2),
        ("cursor", "{\"mcpServers\": {\"wardroom\": {\"command\": \"wardroom\",\n\"command\": \"x\"}}}", 2),
    ];
    check_refused(&rows);
}

/// Clients of Cline may write either form.
#[test]
fn cline_launch_in_transport_object_is_updated() {
    let entry = |args: &str| {
        format!(
            "{{\"mcpServers\": {{\"wardroom\": {{\"transport\": {{\"type\": \"stdio\", \"command\": \"{}\"{args}}}, \"disabled\": true}}}}}}",
            super::PROGRAM
        )
    };
    let (before, cline) = (entry(", \"args\": [\"old\"]"), target("cline"));
    assert!(super::entry("cline", &before).is_disabled);
    let after = installed(cline, &before).unwrap().unwrap();
    assert_eq!(after, entry(", \"args\": [\"--service\", \"alc\"]"));
    assert_eq!(installed(cline, &after), Ok(None));
    assert_eq!(uninstalled(cline, &after).unwrap().unwrap(), "{}");
}

#[test]
fn entry_without_command_is_refused() {
    let text = "{\"mcpServers\": {\n\"wardroom\": {\"url\": \"http://127.0.0.1:8421/mcp\"}}}";
    let nothing = || EditError::NoCommand { line: 2, name: "wardroom".to_owned() };
    assert_eq!(installed(target("cursor"), text), Err(nothing()));
    assert_eq!(uninstalled(target("cursor"), text), Err(nothing()));
    assert_eq!(found(target("cursor"), text), Err(nothing()));
}

/// A comment between an entry and its comma may belong to the next property.
#[test]
fn comment_before_comma_is_kept() {
    let own = "\"wardroom\": {\"command\": \"/opt/bin/wardroom\"}";
    let text = format!("{{\"mcpServers\": {{\n  {own} /* keep */, \"b\": {{}}\n}}}}");
    let after = uninstalled(target("cursor"), &text).unwrap().unwrap();
    assert_eq!(after, "{\"mcpServers\": {\n   /* keep */ \"b\": {}\n}}");
    let text = format!("{{\"mcpServers\": {{\n  \"b\": {{}},\n  {own} // keep\n  ,\n}}}}");
    let after = uninstalled(target("cursor"), &text).unwrap().unwrap();
    assert!(after.contains("// keep") && !after.contains("wardroom"), "{after}");
}

#[test]
fn deeply_nested_file_is_refused() {
    for deep in [101, 600, 100_000] {
        let text = format!("{{\"a\": {}{}}}", "[".repeat(deep), "]".repeat(deep));
        assert!(matches!(installed(target("cursor"), &text), Err(EditError::Malformed { .. })), "{deep}");
    }
    let text = format!("{{\"a\": {}{}}}", "[".repeat(98), "]".repeat(98));
    assert!(installed(target("cursor"), &text).unwrap().is_some());
}

/// Generates files as people and programs write them.
fn files() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![Just("1"), Just("null"), Just("\"a // no comment\""), Just("[1, 2]"), Just("{}")];
    let leaf = leaf.prop_map(str::to_owned);
    let blank = prop_oneof![Just(""), Just(" "), Just("\n  "), Just("\r\n\t"), Just(" /* , } */ "), Just(" // {,\n")];
    let pair = (blank.clone(), "[a-d]", blank.clone(), leaf, blank.clone());
    let pairs = prop::collection::btree_map("[a-e]", pair, 0..4);
    let object = (pairs, blank.clone(), any::<bool>()).prop_map(|(pairs, inner, trailing)| {
        let many = pairs.len();
        let mut text = String::from("{");
        for (index, (key, (a, _, b, value, c))) in pairs.into_iter().enumerate() {
            let comma = if index + 1 < many || trailing { "," } else { "" };
            text += &format!("{a}\"{key}\":{b}{value}{c}{comma}");
        }
        text + inner + "}"
    });
    (object.clone(), object, blank.clone(), blank, any::<bool>()).prop_map(|(root, servers, a, b, has_servers)| {
        if !has_servers {
            return format!("{a}{root}{b}");
        }
        let head = root.trim_end_matches('}').to_owned();
        // The comma that a root with properties needs, on a line of its own, since a comment may precede it.
        let comma = if root.contains("\":") && !jsonc_ends_with_comma(&head) { "\n," } else { "\n" };
        format!("{a}{head}{comma}\"mcpServers\":{servers}}}{b}")
    })
}

fn jsonc_ends_with_comma(head: &str) -> bool {
    let code = head.lines().map(|line| line.split(" //").next().unwrap_or_default()).collect::<Vec<_>>().join("\n");
    code.replace("/* , } */", "").trim_end().ends_with(',')
}

/// Whether everything in `before` is still there, in its order. Blanks between two brackets separate nothing.
fn is_kept(before: &str, after: &str) -> bool {
    let letters = |text: &str| text.chars().filter(|letter| !letter.is_whitespace()).collect::<Vec<_>>();
    let mut after = letters(after).into_iter();
    letters(before).into_iter().all(|wanted| after.any(|found| found == wanted))
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1000) })]

    #[test]
    fn install_and_uninstall_keep_any_file_intact(text in files()) {
        let cursor = target("cursor");
        prop_assert_eq!(cursor.format, ConfigFormat::Jsonc);
        let Ok(Some(after)) = installed(cursor, &text) else {
            // The generator creates few invalid files; those are refused whole.
            let refused = installed(cursor, &text);
            prop_assert!(matches!(refused, Err(EditError::Malformed { .. })), "{:?}", refused);
            return Ok(());
        };
        let expected = launch(&["--service", "alc"]);
        prop_assert_eq!(found(cursor, &after), Ok(Some(expected)), "{}", after);
        prop_assert_eq!(installed(cursor, &after), Ok(None));
        if text.contains("\":") {
            prop_assert!(is_kept(&text, &after), "{} -> {}", text, after);
        }
        let back = uninstalled(cursor, &after).unwrap().unwrap();
        prop_assert_eq!(found(cursor, &back), Ok(None));
        let comments = |text: &str| (text.matches("/*").count(), text.matches("// {,").count());
        prop_assert_eq!(comments(&back), comments(&text), "{} -> {} -> {}", text, after, back);
    }
}
