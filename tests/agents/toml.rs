//! Edits of one entry of a TOML file, with the rest of the file unchanged.

use proptest::prelude::*;
use wardroom_agents::{EditError, EntryChange, edit_entry};

use super::{check_install, check_refused, check_round, forced, found, installed, launch, target, uninstalled, with};

const CODEX: &str = "[mcp_servers.wardroom]\ncommand = \"/opt/bin/wardroom\"\nargs = [\"--service\", \"alc\"]\n";
const VIBE: &str = "[[mcp_servers]]\nname = \"wardroom\"\ntransport = \"stdio\"\ncommand = \"/opt/bin/wardroom\"\nargs = [\"--service\", \"alc\"]\n";
const CODEX_LINE: &str = r#"wardroom = { command = "/opt/bin/wardroom", args = ["--service", "alc"] }"#;
const VIBE_LINE: &str =
    r#"{ name = "wardroom", transport = "stdio", command = "/opt/bin/wardroom", args = ["--service", "alc"] }"#;
const REST: &str = "# Mine.\nmodel = \"x\"   # the good one\nodd = 0x1F\n\n[mcp_servers.other] # theirs\ncommand = 'npx'\n\n[tui]\ntheme = \"dark\"\n# theme = \"light\"\n";

/// Two sections of ours share the blank line that separates them.
#[test]
fn entry_of_two_leading_sections_is_removed_whole() {
    let text = "[mcp_servers.wardroom]\ncommand = \"wardroom\"\n\n[mcp_servers.wardroom.env]\nA = \"b\"\n";
    let left = uninstalled(target("openai_codex"), text).unwrap().unwrap();
    assert_eq!(left.trim(), "");
    let left = uninstalled(target("openai_codex"), &format!("{text}\n[z]\na = 1\n")).unwrap().unwrap();
    assert_eq!(left.trim_start(), "[z]\na = 1\n");
}

#[test]
fn new_entry_is_section_at_end() {
    check_install(target("openai_codex"), "", CODEX);
    check_install(target("mistral_vibe"), "", VIBE);
    // A comment at the end of the last section stays with that section.
    check_round(target("openai_codex"), REST, &format!("{REST}\n{CODEX}"));
    let vibe = REST.replace("[mcp_servers.other]", "[[mcp_servers]]");
    check_round(target("mistral_vibe"), &vibe, &format!("{vibe}\n{VIBE}"));
}

#[test]
fn line_endings_and_bom_are_kept() {
    let (rest, entry) = (REST.replace('\n', "\r\n"), CODEX.replace('\n', "\r\n"));
    check_round(target("openai_codex"), &rest, &format!("{rest}\r\n{entry}"));
    check_round(target("openai_codex"), &format!("\u{feff}{rest}"), &format!("\u{feff}{rest}\r\n{entry}"));
    let open = REST.trim_end();
    check_round(target("openai_codex"), open, &format!("{open}\n\n{}", CODEX.trim_end()));
}

#[test]
fn mixed_line_endings_are_kept_and_new_lines_use_most_common() {
    for (before, eol) in [
        ("a = 1\r\n# b\n\n[c]\nd = \"\"\"\r\n\n\"\"\"\n", "\n"),
        ("a = 1\n# b\r\n\r\n[c]\nd = 2\r\n", "\r\n"),
        ("[mcp_servers.a]\ncommand = 'x' # y\r\nargs = [\r\n]\n", "\n"),
    ] {
        let entry = format!("\n{CODEX}").replace('\n', eol);
        check_round(target("openai_codex"), before, &format!("{before}{entry}"));
    }
    // In an existing entry only the launch command changes.
    let text = |command: &str| format!("a = 1\r\n[mcp_servers.wardroom]\n{command}\r\nenabled = true\n# end\r\n");
    check_install(
        target("openai_codex"),
        &text("command = 'wardroom'\nargs = []"),
        &text("command = \"/opt/bin/wardroom\"\nargs = [\"--service\", \"alc\"]"),
    );
}

#[test]
fn reinstall_keeps_user_fields_and_updates_launch() {
    let before = "a = 1\n\n[mcp_servers.wardroom]\nenabled = false # for now\ncommand = 'wardroom' # ours\nargs = [\n  \"--appdir\", # where\n  \"/x\",\n]\nstartup_timeout_sec = 20\n\n[mcp_servers.wardroom.env]\nA = \"b\"\n\n[z]\n";
    let after = "a = 1\n\n[mcp_servers.wardroom]\nenabled = false # for now\ncommand = \"/opt/bin/wardroom\" # ours\nargs = [\"--service\", \"alc\"]\nstartup_timeout_sec = 20\n\n[mcp_servers.wardroom.env]\nA = \"b\"\n\n[z]\n";
    check_install(target("openai_codex"), before, after);
    assert_eq!(uninstalled(target("openai_codex"), after).unwrap().unwrap(), "a = 1\n\n[z]\n");
    // A missing key is inserted first.
    let before = "[[mcp_servers]]\nname = \"wardroom\"\ncommand = \"wardroom\"\n";
    let after =
        "[[mcp_servers]]\nargs = [\"--service\", \"alc\"]\nname = \"wardroom\"\ncommand = \"/opt/bin/wardroom\"\n";
    check_install(target("mistral_vibe"), before, after);
    let bare = "[mcp_servers.wardroom]\ncommand = \"/opt/bin/wardroom\"\n";
    assert_eq!(
        with(target("openai_codex"), false, |wanted| edit_entry(bare, wanted, EntryChange::Install(&launch(&[])))),
        Ok(None)
    );
}

#[test]
fn uninstall_removes_only_sections_of_entry() {
    let text = "[mcp_servers.wardroom]\ncommand = \"wardroom\"\nenv.A = \"b\"\n# within\nenv.B = \"c\" # last\n# about other\n[mcp_servers.other]\ncommand = \"x\"\n\n[mcp_servers.wardroom.tools.read]\napproval_mode = \"auto\"\n\n# about tui\n[tui]\n";
    let left = "# about other\n[mcp_servers.other]\ncommand = \"x\"\n\n# about tui\n[tui]\n";
    assert_eq!(uninstalled(target("openai_codex"), text).unwrap().unwrap(), left);
    let text = "[[mcp_servers]]\nname = \"a\"\n\n[[mcp_servers]]\nname = \"wardroom\"\ncommand = \"wardroom\"\n[mcp_servers.env]\nA = \"b\"\n\n[[mcp_servers]]\nname = \"b\"\n[mcp_servers.env]\nA = \"c\"\n";
    let left = "[[mcp_servers]]\nname = \"a\"\n\n[[mcp_servers]]\nname = \"b\"\n[mcp_servers.env]\nA = \"c\"\n";
    assert_eq!(uninstalled(target("mistral_vibe"), text).unwrap().unwrap(), left);
}

#[test]
fn nan_values_are_kept() {
    let before = "a = nan\nb = [1.5, { c = -nan }]\nd = [-0.0, inf]\n[e]\nf = +nan\n";
    check_round(target("openai_codex"), before, &format!("{before}\n{CODEX}"));
    check_round(target("mistral_vibe"), before, &format!("{before}\n{VIBE}"));
}

#[test]
fn inline_servers_are_edited_inline() {
    check_round(
        target("openai_codex"),
        "mcp_servers = { a = { command = \"x\" } } # all\n[z]\n",
        &format!("mcp_servers = {{ a = {{ command = \"x\" }}, {CODEX_LINE} }} # all\n[z]\n"),
    );
    check_round(target("openai_codex"), "mcp_servers = {}\n", &format!("mcp_servers = {{{CODEX_LINE}}}\n"));
    check_round(target("mistral_vibe"), "mcp_servers = []\na = 1\n", &format!("mcp_servers = [{VIBE_LINE}]\na = 1\n"));
    check_round(
        target("mistral_vibe"),
        "mcp_servers = [{ name = \"a\" }]\n",
        &format!("mcp_servers = [{{ name = \"a\" }}, {VIBE_LINE}]\n"),
    );
    let text = "[mcp_servers]\nwardroom = { command = \"wardroom\" } # ours\nb = { command = \"x\" }\n";
    check_install(
        target("openai_codex"),
        text,
        "[mcp_servers]\nwardroom = { command = \"/opt/bin/wardroom\", args = [\"--service\", \"alc\"] } # ours\nb = { command = \"x\" }\n",
    );
    let left = uninstalled(target("openai_codex"), text).unwrap().unwrap();
    assert_eq!(left, "[mcp_servers]\nb = { command = \"x\" }\n");
    // Dotted keys, before the entry and after it.
    for (before, after) in [
        ("mcp_servers = { a.command = \"x\" }\n", "mcp_servers = { a.command = \"x\", OURS }\n"),
        (
            "mcp_servers = {\n  a.env.b = \"x\",\n  a.env.c = \"y\",\n  a.args = [],\n}\n",
            "mcp_servers = {\n  a.env.b = \"x\",\n  a.env.c = \"y\",\n  a.args = [],\n  OURS,\n}\n",
        ),
    ] {
        check_round(target("openai_codex"), before, &after.replace("OURS", CODEX_LINE));
    }
    for (before, after) in [
        (
            "mcp_servers = { OURS, a.command = \"x\", a.args = [] }\n",
            "mcp_servers = { a.command = \"x\", a.args = [] }\n",
        ),
        ("mcp_servers = {a.b = 1, OURS, a.c = 2}\n", "mcp_servers = {a.b = 1, a.c = 2}\n"),
    ] {
        let left = uninstalled(target("openai_codex"), &before.replace("OURS", CODEX_LINE));
        assert_eq!(left.unwrap().as_deref(), Some(after));
    }
    let dotted = "mcp_servers = { wardroom = { command = \"wardroom\", env.A = \"b\" } }\n";
    let args = dotted.replace("\"b\" }", "\"b\", args = [\"--service\", \"alc\"] }");
    check_install(target("openai_codex"), dotted, &args.replace("\"wardroom\"", "\"/opt/bin/wardroom\""));
}

/// Each with blanks, comments and commas as people write them.
#[test]
fn multiline_list_is_edited_in_its_formatting() {
    for (before, after) in [
        ("mcp_servers = [\n]\n", "mcp_servers = [\n  OURS,\n]\n"),
        ("mcp_servers = [  \n\n]\n", "mcp_servers = [  \n  OURS,\n\n]\n"),
        ("mcp_servers = [ # all\n  # none, yet \n]\n", "mcp_servers = [ # all\n  # none, yet \n  OURS,\n]\n"),
        ("mcp_servers = [ ]\n", "mcp_servers = [OURS ]\n"),
        ("mcp_servers = [ { name = 'a' }, ]\n", "mcp_servers = [ { name = 'a' }, OURS, ]\n"),
        ("mcp_servers = [{ name = 'a' }\n]\n", "mcp_servers = [{ name = 'a' }, OURS\n]\n"),
        ("mcp_servers = [\n\t{ name = 'a' } \n]\n", "mcp_servers = [\n\t{ name = 'a' }, \n\tOURS\n]\n"),
        ("mcp_servers = [\n  { name = 'a' } ]\n", "mcp_servers = [\n  { name = 'a' },\n  OURS ]\n"),
        (
            "mcp_servers = [\n  { name = 'a' }, # more, of it\n  # end\n]\n",
            "mcp_servers = [\n  { name = 'a' }, # more, of it\n  OURS,\n  # end\n]\n",
        ),
        (
            "mcp_servers = [\r\n  { name = 'a' } # more, of it\r\n]\r\n",
            "mcp_servers = [\r\n  { name = 'a' }, # more, of it\r\n  OURS\r\n]\r\n",
        ),
        (
            "a = 1\r\nb = 2\r\nmcp_servers = [\n  { name = 'a' }\n]\r\n",
            "a = 1\r\nb = 2\r\nmcp_servers = [\n  { name = 'a' },\r\n  OURS\n]\r\n",
        ),
        (
            "mcp_servers = [\n  { name = 'a' } # more, of it\n  ,\n]\n",
            "mcp_servers = [\n  { name = 'a' } # more, of it\n  ,\n  OURS,\n]\n",
        ),
    ] {
        check_round(target("mistral_vibe"), before, &after.replace("OURS", VIBE_LINE));
    }
    check_round(
        target("openai_codex"),
        "mcp_servers = { a = {} # more\n }\n",
        &format!("mcp_servers = {{ a = {{}}, # more\n{CODEX_LINE}\n }}\n"),
    );
}

#[test]
fn removed_element_leaves_comments() {
    let own = "{ name = \"wardroom\", command = \"wardroom\" }";
    for (before, after) in [
        ("[\n  OURS,\n  { name = 'b' },\n]", "[\n  { name = 'b' },\n]"),
        ("[\n  OURS, # mine\n  { name = 'b' },\n]", "[\n   # mine\n  { name = 'b' },\n]"),
        ("[\n  OURS # mine\n]", "[\n   # mine\n]"),
        ("[\n  OURS # mine, too\n  , { name = 'b' }]", "[\n   # mine, too\n   { name = 'b' }]"),
        ("[\n  { name = 'a' }, # a\n  OURS, # mine\n]", "[\n  { name = 'a' }, # a\n   # mine\n]"),
        ("[OURS, { name = 'b' }]", "[{ name = 'b' }]"),
        ("[{ name = 'a' }, OURS, { name = 'b' }]", "[{ name = 'a' }, { name = 'b' }]"),
        ("[OURS,]", "[]"),
    ] {
        let text = |list: &str| format!("mcp_servers = {list}\n");
        let left = uninstalled(target("mistral_vibe"), &text(&before.replace("OURS", own)));
        assert_eq!(left.unwrap().as_deref(), Some(text(after).as_str()), "{before}");
    }
}

#[test]
fn scattered_entry_is_refused() {
    let text = "a = 1\nmcp_servers.wardroom.command = \"wardroom\"\n";
    let spread = Err(EditError::ScatteredEntry { line: 2, name: "wardroom".to_owned() });
    assert_eq!(installed(target("openai_codex"), text), spread);
    assert_eq!(uninstalled(target("openai_codex"), text), spread);
    let text = "a = 1\nmcp_servers = { wardroom.command = \"wardroom\" }\n";
    assert_eq!(installed(target("openai_codex"), text), spread);
    assert_eq!(uninstalled(target("openai_codex"), text), spread);
}

#[test]
fn foreign_entry_is_changed_only_with_force() {
    let text = "a = 1\n\n[mcp_servers.wardroom]\ncommand = \"npx\"\n\n[z]\n";
    let foreign = Err(EditError::ForeignEntry { line: 3, name: "wardroom".to_owned(), command: "npx".to_owned() });
    assert_eq!(installed(target("openai_codex"), text), foreign);
    assert_eq!(uninstalled(target("openai_codex"), text), foreign);
    let own = launch(&["--service", "alc"]);
    let after = forced(target("openai_codex"), text, EntryChange::Install(&own));
    assert_eq!(after, format!("a = 1\n\n[z]\n\n{CODEX}"));
    assert_eq!(forced(target("openai_codex"), text, EntryChange::Uninstall), "a = 1\n\n[z]\n");
    // An entry for an HTTP server does not start our program.
    let remote = "[mcp_servers.wardroom]\nurl = \"http://127.0.0.1:4124/mcp\"\n";
    assert!(matches!(uninstalled(target("openai_codex"), remote), Err(EditError::NoCommand { line: 1, .. })));
    assert!(matches!(found(target("openai_codex"), remote), Err(EditError::NoCommand { line: 1, .. })));
}

#[test]
fn non_table_entry_is_replaced_with_force() {
    let codex = target("openai_codex");
    let own = launch(&["--service", "alc"]);
    for (before, after, without) in [
        ("[mcp_servers]\nwardroom = 1\n", format!("[mcp_servers]\n\n{CODEX}"), "[mcp_servers]\n"),
        ("\nmcp_servers = {wardroom = []}\n", format!("\nmcp_servers = {{{CODEX_LINE}}}\n"), "\nmcp_servers = {}\n"),
    ] {
        let nothing = || EditError::NoCommand { line: 2, name: "wardroom".to_owned() };
        assert_eq!(found(codex, before), Err(nothing()));
        assert_eq!(installed(codex, before), Err(nothing()));
        assert_eq!(uninstalled(codex, before), Err(nothing()));
        assert_eq!(forced(codex, before, EntryChange::Install(&own)), after);
        assert_eq!(forced(codex, before, EntryChange::Uninstall), without);
    }
}

#[test]
fn malformed_file_is_refused_with_line() {
    let deep = format!("a = {}{}\n", "[".repeat(200), "]".repeat(200));
    let rows: [(&str, &str, usize); 11] = [
        ("openai_codex", "a = 1\nb = \n", 2),
        ("openai_codex", "a = 1\na = 2\n", 2),
        ("openai_codex", "[mcp_servers.wardroom]\n[mcp_servers.wardroom]\n", 2),
        ("openai_codex", "{}", 1),
        ("openai_codex", "\nmcp_servers = []\n", 2),
        ("openai_codex", "\nmcp_servers = 1\n", 2),
        ("openai_codex", "\n[[mcp_servers.wardroom]]\n", 2),
        ("mistral_vibe", "[mcp_servers.a]\n", 1),
        ("mistral_vibe", "\nmcp_servers = {}\n", 2),
        ("mistral_vibe", "[[mcp_servers]]\nname = \"wardroom\"\n[[mcp_servers]]\nname = \"wardroom\"\n", 3),
        ("openai_codex", &deep, 1),
    ];
    check_refused(&rows);
}

/// Generates sections as people write them, each with its number in its name.
fn files() -> impl Strategy<Value = String> {
    let section = prop_oneof![
        Just("# a comment\n"),
        Just("\n"),
        Just("key# = 1 # why\n"),
        Just("\n[table#] # which\na = [\n  1, # one\n]\n# at the end\n"),
        Just("[mcp_servers.other#]\ncommand = 'x'\n\n[mcp_servers.other#.env]\nA = \"[mcp_servers.wardroom]\"\n"),
        Just("[[list]]\ntext = \"\"\"\n[mcp_servers.wardroom]\n\"\"\"\n"),
    ];
    (prop::collection::vec(section, 1..6), any::<bool>(), any::<bool>()).prop_map(|(sections, crlf, open)| {
        let numbered = sections.iter().enumerate().map(|(index, section)| {
            let number = format!("_{index}");
            section
                .replace("key#", &format!("key{number}"))
                .replace("table#", &format!("table{number}"))
                .replace("other#", &format!("other{number}"))
        });
        let text: String = numbered.collect();
        let text = if open { text.trim_end().to_owned() } else { text };
        if crlf { text.replace('\n', "\r\n") } else { text }
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(500) })]

    #[test]
    fn install_and_uninstall_keep_any_file_intact(text in files()) {
        let codex = target("openai_codex");
        let after = installed(codex, &text).unwrap().unwrap();
        prop_assert!(after.starts_with(&text), "{after}");
        prop_assert_eq!(found(codex, &after), Ok(Some(launch(&["--service", "alc"]))));
        prop_assert_eq!(installed(codex, &after), Ok(None));
        let back = uninstalled(codex, &after).unwrap().unwrap();
        if text.trim().is_empty() {
            prop_assert!(back.trim().is_empty(), "{}", back);
        } else {
            prop_assert_eq!(back, text);
        }
    }
}
