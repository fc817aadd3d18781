//! The check of scripts, natively, with Lua's own compiler as the judge: a script has a problem where Lua refuses it,
//! and nowhere else. Nothing is executed.
#![no_main]

use libfuzzer_sys::fuzz_target;
use mlua::{ChunkMode, Lua};
use wardroom_documents_guest::problem::MAX_PROBLEMS;
use wardroom_documents_guest::script_check::check;

/// What the check does not count.
const LIMITS_OF_LUA: [&str; 4] = ["too many registers", "too many upvalues", "too many C levels", "overflow"];

thread_local! {
    static LUA: Lua = Lua::new();
}

fuzz_target!(|source: &[u8]| {
    let problems = check(source);
    assert!(problems.len() <= MAX_PROBLEMS && problems.is_sorted_by_key(|problem| problem.position));
    assert!(problems.iter().all(|problem| !problem.message.is_empty()));
    assert_eq!(check(source), problems, "the same source has the same problems");
    let refusal = LUA.with(|lua| refusal(lua, source));
    if refusal.as_ref().is_none_or(|refusal| LIMITS_OF_LUA.iter().all(|limit| !refusal.contains(limit))) {
        assert_eq!(problems.is_empty(), refusal.is_none(), "{problems:?}\n{refusal:?}");
    }
});

/// Returns Lua's error, if it does not compile a source.
fn refusal(lua: &Lua, source: &[u8]) -> Option<String> {
    // Lua skips a byte order mark and a first line with `#` in a file; a chunk in memory is no file.
    let source = source.strip_prefix(b"\xef\xbb\xbf").unwrap_or(source);
    let first_line =
        if source.starts_with(b"#") { source.iter().take_while(|byte| **byte != b'\n').count() } else { 0 };
    let chunk = lua.load(&source[first_line..]).set_name("=script").set_mode(ChunkMode::Text);
    chunk.into_function().err().map(|error| error.to_string())
}
