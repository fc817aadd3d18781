//! The embedded guest, end to end: its results, its refusals, and its imports and exports.

use std::process::Command;
use std::sync::OnceLock;
use std::thread;

use wardroom_sandbox::{
    CodeInput, CodeInputs, ExtractRefusal, GUEST_COMPONENT, GuestImage, InputNeed, PackageMetadata, Sandbox,
};
use wardroom_service::limits::MAX_SOURCE_BYTES;
use wasmparser::{Parser, Payload};

fn sandbox() -> &'static Sandbox {
    static SANDBOX: OnceLock<Sandbox> = OnceLock::new();
    SANDBOX.get_or_init(|| Sandbox::new(GuestImage::embedded()))
}

fn extract(source: impl AsRef<[u8]>) -> Result<PackageMetadata, ExtractRefusal> {
    sandbox().extract("x", source.as_ref()).unwrap()
}

/// The JSON, followed by each unresolved entry.
fn sheet(source: &str) -> String {
    match extract(source) {
        Ok(metadata) => {
            let entry = |entry: wardroom_sandbox::UnresolvedMetadata| format!(" | {}: {}", entry.path, entry.reason);
            metadata.json + &metadata.unresolved.into_iter().map(entry).collect::<String>()
        }
        Err(refusal) => refusal.to_string(),
    }
}

/// Checks statements between the usual first and last line of a package.
fn check(rows: &[(&str, &str)]) {
    for (body, expected) in rows {
        assert_eq!(sheet(&format!("local M = {{}}\n{body}\nreturn M\n")), *expected, "{body}");
    }
}

/// Checks whole sources.
fn check_whole(rows: &[(&str, &str)]) {
    for (source, expected) in rows {
        assert_eq!(sheet(source), *expected, "{source}");
    }
}

#[test]
fn corpus_forms_are_extracted() {
    check(&[
        (
            "---@type AlcMeta\nM.meta = {\n    name = \"demo_a\", version = \"0.1.0\",\n    description = \"first piece, \"\n        \
             .. \"second piece\",\n    category = \"reasoning\", alc_shapes_compat = \"^0.25\",\n    tags = { \"one\", \"two\" },\n}",
            r#"{"alc_shapes_compat":"^0.25","category":"reasoning","description":"first piece, second piece","name":"demo_a","tags":["one","two"],"version":"0.1.0"}"#,
        ),
        ("M.meta = { name = \"a\"; version = \"1\"; }", r#"{"name":"a","version":"1"}"#),
        ("M.meta = setmetatable({ name = \"a\" }, {})", r#"{"name":"a"}"#),
        ("", "{}"),
    ]);
}

#[test]
fn forms_that_upstream_misreads_are_extracted() {
    check(&[
        ("M.meta = { name = \"a\", authors = {{ name = \"bob\" }} }", r#"{"authors":[{"name":"bob"}],"name":"a"}"#),
        ("M.meta = { authors = {{ name = \"bob\" }}, name = \"f\" }", r#"{"authors":[{"name":"bob"}],"name":"f"}"#),
        ("M.meta = { name = 'c' }", r#"{"name":"c"}"#),
        ("M.meta = { d = [[long \"text\" here]], name = \"e\" }", r#"{"d":"long \"text\" here","name":"e"}"#),
        ("M.meta = { d = [==[ ]] ]==] }", r#"{"d":" ]] "}"#),
        ("local V = \"1.2.0\"; M.meta = { name = \"d\", version = V }", r#"{"name":"d","version":"1.2.0"}"#),
        ("local V = '2' M.meta = { d = \"a\" .. 'b' .. V .. 3 }", r#"{"d":"ab23"}"#),
        ("M.meta = { version = nil, name = 'a' }", r#"{"name":"a"}"#),
        (
            "M.meta = { n = 1.5, i = -3, h = 0x10, e = 1e3, yes = true, no = false }",
            r#"{"e":1000.0,"h":16,"i":-3,"n":1.5,"no":false,"yes":true}"#,
        ),
        ("local t = { name = 'a' } M.meta = t M.other = { name = 'b' }", r#"{"name":"a"}"#),
        ("M . meta = { name = 'a' }", r#"{"name":"a"}"#),
        ("M[\"meta\"] = { name = 'a' }", r#"{"name":"a"}"#),
        ("M.meta = {} M.meta.name = 'a' M.meta.name = 'b'", r#"{"name":"b"}"#),
        (r#"M.meta = { d = "say \"hi\"", name = "a" }"#, r#"{"d":"say \"hi\"","name":"a"}"#),
        (
            r#"M.meta = { d = "\x41\65\u{41}\z
              B\n" }"#,
            r#"{"d":"AAAB\n"}"#,
        ),
        ("M.meta = { d = \"}\", name = \"a\" }", r#"{"d":"}","name":"a"}"#),
        ("M.meta = { [\"name\"] = \"x\" }", r#"{"name":"x"}"#),
        ("M.meta = { description = \"the name is\", name = \"a\" }", r#"{"description":"the name is","name":"a"}"#),
        ("M.metadata = { name = 'no' } M.meta = { name = 'a' }", r#"{"name":"a"}"#),
        ("M.meta = { name_long = 'no', name = 'a' }", r#"{"name":"a","name_long":"no"}"#),
        ("local u = 'http://x--y' M.meta = { name = 'a' }", r#"{"name":"a"}"#),
        ("M.meta = {\n-- version = \"0.0.1\"\nversion = \"1\" }", r#"{"version":"1"}"#),
        ("--[==[ M.meta = { name = 'no' } ]==] M.meta = { name = 'a' }", r#"{"name":"a"}"#),
        ("local s = 'M.meta = {}' M.meta = { name = 'a' }", r#"{"name":"a"}"#),
        (
            "M.meta = { version = (\"x\"):rep(3), name = 'a' }",
            r#"{"name":"a","version":null} | version: calls a function"#,
        ),
        ("M.meta = { name = (('a')) }", r#"{"name":"a"}"#),
    ]);
    check_whole(&[
        ("local M = { meta = { name = \"b\", version = \"0.1.0\" } }\nreturn M", r#"{"name":"b","version":"0.1.0"}"#),
        ("return { meta = { name = 'c' } }", r#"{"name":"c"}"#),
        ("local meta = { name = 'a' }; M = { meta = meta } return M", r#"{"name":"a"}"#),
        ("local P = {} P.meta = { name = 'p' } return P", r#"{"name":"p"}"#),
        ("\u{feff}local M = {} M.meta = { name = 'a' } return M", r#"{"name":"a"}"#),
        ("local M = {}\r\nM.meta = {\r\n  name = 'a'\r\n}\r\nreturn M\r\n", r#"{"name":"a"}"#),
        ("", "{}"),
        ("#!/usr/bin/lua\nreturn { meta = { name = 'a' } }", r#"{"name":"a"}"#),
    ]);
}

#[test]
fn leading_comment_is_documentation() {
    let metadata = extract("--- First.\n---\n--- Second.\nlocal M = {}\nreturn M").unwrap();
    assert_eq!(metadata.doc.as_deref(), Some("First.\n\nSecond."));
    assert_eq!(extract("local M = {}\n--- Not this.\nreturn M").unwrap().doc, None);
}

#[test]
fn invalid_source_is_refused_with_position() {
    let max = usize::try_from(MAX_SOURCE_BYTES).unwrap();
    let too_large = ExtractRefusal::TooLarge(u32::try_from(max).unwrap());
    let syntax = |line, column, message: &str| ExtractRefusal::Syntax { line, column, message: message.into() };
    let rows: Vec<(Vec<u8>, ExtractRefusal)> = vec![
        (vec![b' '; max + 1], too_large.clone()),
        (vec![b'{'; 10_000_000], too_large),
        (b"x = \"a".to_vec(), syntax(1, 5, "unterminated string")),
        (b"\n  x = 'a\n'".to_vec(), syntax(2, 7, "unterminated string")),
        (b"x = [[a".to_vec(), syntax(1, 5, "unterminated string")),
        (b"--[[ a".to_vec(), syntax(1, 1, "unterminated comment")),
        (b"x = 'a\\".to_vec(), syntax(1, 7, "invalid escape sequence")),
        (b"return {".to_vec(), syntax(1, 8, "'{' is never closed")),
        (b"a\n\xff".to_vec(), ExtractRefusal::NotUtf8 { line: 2, column: 1 }),
        (b"x = '\xc3\x28'".to_vec(), ExtractRefusal::NotUtf8 { line: 1, column: 6 }),
    ];
    for (source, refusal) in rows {
        let shown = String::from_utf8_lossy(&source[..source.len().min(40)]).into_owned();
        assert_eq!(extract(source).unwrap_err(), refusal, "{shown}");
    }
    assert_eq!(extract(vec![b' '; max]).unwrap().json, "{}");
}

/// Each must be a refusal or an unresolved field: no trap, and no limit of the sandbox.
#[test]
fn nesting_and_repetition_are_bounded_by_guest() {
    let nested = |open: &str, close: &str, n: usize| {
        format!("local M = {{}} M.meta = {}1{} return M", open.repeat(n), close.repeat(n))
    };
    let sources = [
        nested("{", "}", 100_000),
        nested("(", ")", 100_000),
        nested("{a=", "}", 100_000),
        format!("local M = {{}} M.meta = {{ a = {}1 }} return M", "-".repeat(400_000)),
        format!("local M = {{}} M.meta = {{ a = {}true }} return M", "not ".repeat(200_000)),
        format!("local M = {{}} M.meta = {{ a = 'a'{} }} return M", " .. 'a'".repeat(100_000)),
        "{".repeat(1_000_000),
        "function f() ".repeat(70_000),
        "if a then ".repeat(90_000),
        "[".repeat(1_000_000),
        "local a = 'aaaaaaaaaaaaaaaa'\n".to_owned() + &"local a = a .. a\n".repeat(60) + "return { meta = { a = a } }",
        "local a = { 1 }\n".to_owned() + &"local a = { a, a }\n".repeat(60) + "return { meta = a }",
        "a.".repeat(400_000),
    ];
    for source in sources {
        let answer = sandbox().extract("x", source.as_bytes());
        assert!(answer.is_ok(), "{answer:?}: {}", &source[..60]);
    }
}

#[test]
fn same_source_has_same_result_on_every_thread() {
    let source = "--- Doc.\nlocal M = {}\nM.meta = { b = 1, a = f(), c = { x = g } }\nreturn M";
    let expected = extract(source);
    assert_eq!(
        sheet(source),
        "{\"a\":null,\"b\":1,\"c\":{\"x\":null}} | a: calls a function | c.x: names a variable that is not a constant"
    );
    thread::scope(|scope| {
        for _ in 0..200 {
            scope.spawn(|| assert_eq!(extract(source), expected));
        }
    });
}

/// Other hosts instantiate our two interfaces and a command. The imports are those of the command alone, as
/// docs/GUEST.md promises: no files, clocks, random numbers or network.
#[test]
fn component_imports_only_command_streams() {
    let (mut imports, mut exports, mut depth) = (Vec::new(), Vec::new(), 0);
    for payload in Parser::new(0).parse_all(GUEST_COMPONENT) {
        match payload.unwrap() {
            Payload::ModuleSection { .. } | Payload::ComponentSection { .. } => depth += 1,
            Payload::End(_) => depth -= 1,
            Payload::ComponentImportSection(section) if depth == 0 => {
                imports.extend(section.into_iter().map(|import| import.unwrap().name.name.to_owned()));
            }
            Payload::ComponentExportSection(section) if depth == 0 => {
                exports.extend(section.into_iter().map(|export| export.unwrap().name.name.to_owned()));
            }
            _ => {}
        }
    }
    exports.sort();
    assert_eq!(
        exports,
        ["wardroom:guest/package-meta@0.1.1", "wardroom:guest/resource-id@0.1.1", "wasi:cli/run@0.2.6"]
    );
    assert!(!imports.is_empty());
    let allowed = |name: &str| name.starts_with("wasi:cli/") || name.starts_with("wasi:io/");
    assert!(imports.iter().all(|name| allowed(name)), "{imports:?}");
}

#[test]
fn inputs_are_found_in_code_and_refused_as_metadata_are() {
    let source = "local M = {} function M.run(ctx) local task = ctx.task or error('x') return go(task, ctx.n or 1, ctx) end return M";
    let found = sandbox().inputs("x", source.as_bytes()).unwrap().unwrap();
    let input = |name: &str, need| CodeInput { name: name.to_owned(), need };
    let inputs = vec![input("task", InputNeed::Required), input("n", InputNeed::Optional)];
    assert_eq!(found, CodeInputs { inputs, is_complete: false });
    let found = sandbox().inputs("x", b"local M = {} function M.run(c) return c.a end return M").unwrap().unwrap();
    assert_eq!(found, CodeInputs { inputs: vec![input("a", InputNeed::Read)], is_complete: true });
    for source in [&b"return {"[..], b"\xff", &[b' '; 2 << 20]] {
        let refused = sandbox().inputs("x", source).unwrap().unwrap_err();
        assert_eq!(refused, sandbox().extract("x", source).unwrap().unwrap_err());
    }
}

/// A compiler in the binary could compile machine code for an attacker.
#[test]
fn binary_contains_no_compiler() {
    let mut command = Command::new(env!("CARGO"));
    command.current_dir(env!("CARGO_MANIFEST_DIR"));
    command.args(["tree", "--offline", "--locked", "-p", "wardroom", "-e", "normal", "--prefix", "none", "-f", "{p}"]);
    let output = command.output().unwrap();
    let tree = String::from_utf8(output.stdout).unwrap();
    let has = |name: &str| tree.lines().any(|line| line.split(' ').next() == Some(name));
    assert!(has("wasmtime"), "{tree}{}", String::from_utf8_lossy(&output.stderr));
    for compiler in ["cranelift-codegen", "wasmtime-internal-cranelift", "wasmtime-internal-winch", "winch-codegen"] {
        assert!(!has(compiler), "{compiler}");
    }
}
