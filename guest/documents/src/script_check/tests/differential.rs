//! Lua itself as the judge: every script of this repository and thousands of mutations of them, with a fixed seed.

#![expect(clippy::disallowed_methods, reason = "the tests read the scripts of the tree")]

use std::path::{Path, PathBuf};

use mlua::{ChunkMode, Lua};

use super::check;
use crate::mutation::Random;
use crate::problem::Problem;
use crate::script_check::limits::MAX_DEPTH;

/// Returns Lua's error, if it does not compile a source. Nothing is executed.
fn refusal(lua: &Lua, source: &[u8]) -> Option<String> {
    // Lua skips a first line with `#` in a file; mlua has no files.
    let shebang = if source.starts_with(b"#") { source.iter().take_while(|byte| **byte != b'\n').count() } else { 0 };
    let source = &source[shebang..];
    lua.load(source).set_name("=script").set_mode(ChunkMode::Text).into_function().err().map(|error| error.to_string())
}

/// Limits of Lua's code generator, which the check does not know.
fn is_of_the_generator(refusal: &str) -> bool {
    ["too many registers", "too many upvalues"].iter().any(|limit| refusal.contains(limit))
}

#[track_caller]
fn compare(lua: &Lua, source: &[u8]) -> bool {
    let (found, refusal) = (check(source), refusal(lua, source));
    assert_eq!(
        found.is_empty(),
        refusal.as_deref().is_none_or(is_of_the_generator),
        "{found:?}\n{refusal:?}\n{}",
        String::from_utf8_lossy(source)
    );
    if let ([problem], Some(refusal)) = (found.as_slice(), &refusal) {
        compare_messages(source, problem, refusal);
    }
    refusal.is_none()
}

/// Compares syntax errors. The lexer and the limits have words of their own.
#[track_caller]
fn compare_messages(source: &[u8], problem: &Problem, refusal: &str) {
    let Some((ours, _)) = problem.message.split_once(" near ") else { return };
    let Some((line, its)) = refusal.strip_prefix("syntax error: script:").and_then(|rest| rest.split_once(": ")) else {
        panic!("{refusal}");
    };
    if its.contains("too many") {
        return;
    }
    let its = its.split_once(" near ").map(|(message, _)| message).unwrap_or_default();
    if source.contains(&b'\r') {
        // To Lua, `\n\r` is one break.
        let without_line =
            |message: &str| message.rsplit_once(" at line ").map_or(message, |(text, _)| text).to_owned();
        assert_eq!(without_line(ours), without_line(its), "{}", source.escape_ascii());
    } else {
        assert_eq!(ours, its, "{}", source.escape_ascii());
        // Lua gives the line to which it has read: the last one of the token, or of the one after it.
        assert!(line.parse::<u32>().unwrap() >= problem.position.line, "{problem:?}: {refusal}");
    }
}

fn scripts() -> Vec<Vec<u8>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut found = Vec::new();
    for folder in ["host/assets", "host/crates", "tests"] {
        collect(&root.join(folder), &mut found);
    }
    assert!(found.len() >= 20, "{} scripts", found.len());
    found.sort();
    found.iter().map(|path| without_front_matter(std::fs::read(path).unwrap())).collect()
}

/// A script of a blog begins with what describes it.
fn without_front_matter(source: Vec<u8>) -> Vec<u8> {
    const END: &[u8] = b"\n---\n";
    if !source.starts_with(b"---\n") {
        return source;
    }
    let end = source.windows(END.len()).position(|window| window == END).unwrap();
    source[end + END.len()..].to_vec()
}

fn collect(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            collect(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "lua") {
            found.push(path);
        }
    }
}

/// Pieces of Lua, with which random scripts are made.
const PIECES: &[&str] = &[
    "and",
    "break",
    "do",
    "else",
    "elseif",
    "end",
    "false",
    "for",
    "function",
    "goto",
    "if",
    "in",
    "local",
    "nil",
    "not",
    "or",
    "repeat",
    "return",
    "then",
    "true",
    "until",
    "while",
    "+",
    "-",
    "*",
    "/",
    "//",
    "%",
    "^",
    "#",
    "&",
    "~",
    "|",
    "<<",
    ">>",
    "==",
    "~=",
    "<=",
    ">=",
    "<",
    ">",
    "=",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "::",
    ";",
    ":",
    ",",
    ".",
    "..",
    "...",
    "a",
    "b",
    "x",
    "self",
    "1",
    "0x1p4",
    "3.",
    "'s'",
    "[[l]]",
    "[=[ ]=]",
    "\"\\u{41}\"",
    "<const>",
    "<close>",
    "\n",
    "--c\n",
    "--[[c]]",
    "= 1",
    "a = 1",
    "f()",
    "local a",
    "local a <const> = 1",
    "goto a",
    "::a::",
    "function()",
    "end end",
    "do end",
    "if a then",
    "while a do",
    "for a = 1, 2 do",
    "for a in b do",
    "repeat until",
    "return a",
    "function a.b:c(a, ...)",
    "local function a()",
    "break;",
    "{a = 1, [2] = 3; 4}",
    "a.b",
    "a[1]",
    "a:b()",
    "(a)",
];

#[test]
fn scripts_of_this_repository_agree() {
    let lua = Lua::new();
    for script in scripts() {
        assert!(compare(&lua, &script), "{}", String::from_utf8_lossy(&script));
    }
}

#[test]
fn mutated_scripts_agree() {
    let lua = Lua::new();
    let pieces: Vec<&[u8]> = PIECES.iter().map(|piece| piece.as_bytes()).collect();
    let mut random = Random::new(1);
    let fragments = fragments(&lua, &mut random);
    let (mut accepted, turns) = (0, 40_000);
    for _ in 0..turns {
        let mut source = random.choose(&fragments).clone();
        random.mutate(&mut source, &pieces);
        accepted += usize::from(compare(&lua, &source));
    }
    // Otherwise the comparison says little about one of the two answers.
    assert!((turns / 10..turns * 9 / 10).contains(&accepted), "{accepted} of {turns} are correct");
}

/// Returns parts of the scripts that are scripts, too.
fn fragments(lua: &Lua, random: &mut Random) -> Vec<Vec<u8>> {
    let scripts = scripts();
    let lines: Vec<&[u8]> = scripts.iter().flat_map(|script| script.split_inclusive(|b| *b == b'\n')).collect();
    let windows = (0..20_000).map(|_| {
        let first = random.below(lines.len());
        lines[first..(first + 1 + random.below(40)).min(lines.len())].concat()
    });
    let found: Vec<_> = windows.filter(|source| source.len() > 80 && refusal(lua, source).is_none()).collect();
    assert!(found.len() > 500, "{} fragments", found.len());
    found
}

#[test]
fn random_tokens_agree() {
    let lua = Lua::new();
    let mut random = Random::new(2);
    let mut accepted = 0;
    for _ in 0..200_000 {
        let source: String = (0..1 + random.below(9)).map(|_| format!("{} ", random.choose(PIECES))).collect();
        accepted += usize::from(compare(&lua, source.as_bytes()));
    }
    assert!(accepted > 2_000, "{accepted} are correct");
}

#[test]
fn random_blocks_agree() {
    let lua = Lua::new();
    let (mut random, mut accepted, turns) = (Random::new(3), 0, 60_000);
    for _ in 0..turns {
        let source = block(&mut random, 3);
        accepted += usize::from(compare(&lua, source.as_bytes()));
    }
    assert!((turns / 10..turns * 9 / 10).contains(&accepted), "{accepted} of {turns} are correct");
}

/// Returns statements that are well-formed but for the rules on labels, loops, attributes and `...`.
fn block(random: &mut Random, depth: usize) -> String {
    let simple = [
        "goto a ",
        "goto b ",
        "::a:: ",
        "::b:: ",
        "break ",
        "local x ",
        "local y <const> = 1 ",
        "local x <close> = nil ",
        "x = 1 ",
        "y = 1 ",
        "x, y = 1 ",
        "function y() end ",
        "f(...) ",
        "; ",
        "return ",
        "f(function(...) y = ... end) ",
    ];
    let mut source = String::new();
    for _ in 0..1 + random.below(4) {
        let inner = |random: &mut Random| if depth > 0 { block(random, depth - 1) } else { String::new() };
        source += &match random.below(14) {
            0 => format!("do {}end ", inner(random)),
            1 => format!("while x do {}end ", inner(random)),
            2 => format!("repeat {}until x ", inner(random)),
            3 => format!("if x then {}else {}end ", inner(random), inner(random)),
            4 => format!("for y = 1, 2 do {}end ", inner(random)),
            5 => format!("local function x(y) {}end ", inner(random)),
            _ => (*random.choose(&simple)).to_owned(),
        };
    }
    source
}

#[test]
fn depth_limit_is_close_to_lua() {
    let lua = Lua::new();
    let nested = |open: &str, close: &str, n: usize| format!("{}{}", open.repeat(n), close.repeat(n));
    let deepest = MAX_DEPTH as usize;
    for (open, close, levels) in [("do ", " end", 1), ("if x then ", " end", 1), ("local function f() ", " end", 1)] {
        for n in [deepest / levels - 1, 2 * deepest] {
            compare(&lua, nested(open, close, n).as_bytes());
        }
    }
    for (open, close, levels) in [("(", ")", 1), ("{", "}", 1), ("-", "", 1), ("function() return ", " end", 2)] {
        for n in [(deepest - 2) / levels, 2 * deepest] {
            compare(&lua, format!("x = {}1{}", open.repeat(n), close.repeat(n)).as_bytes());
        }
    }
}

#[test]
fn limit_of_local_variables_agrees() {
    let lua = Lua::new();
    for n in 190..=203 {
        let locals: String = (0..n).map(|i| format!("local v{i} ")).collect();
        for source in [
            locals.clone(),
            format!("{locals} for i = 1, 2 do end"),
            format!("{locals} for i in x do end"),
            format!("{locals} do local x end"),
            format!("{locals} local function f() end"),
            format!("function a:b() {locals} end"),
            format!("local function f() {locals} end {locals}"),
        ] {
            compare(&lua, source.as_bytes());
        }
    }
}
