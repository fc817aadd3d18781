//! The traceback of an error, as the author of a script needs it.
//!
//! Never: has a line of this crate's own Lua, or is one without a place in a script.

use mlua::{Function, Lua};

/// The name of `base.lua` in tracebacks.
pub(crate) const BASE_CHUNK_NAME: &str = "wardroom";
/// The name of `base_rest.lua` and `handler_rest.lua`, whose functions are called in the place of others.
pub(crate) const REST_CHUNK_NAME: &str = "wardroom/rest";
/// The name of `evalframe.lua` where `alc.eval` runs it.
pub(crate) const EVALFRAME_CHUNK_NAME: &str = "evalframe";
/// The names of the library's own Lua.
pub(crate) const GLUE_CHUNK_NAME: &str = "alc/glue.lua";
pub(crate) const PRELUDE_CHUNK_NAME: &str = "alc/prelude.lua";
/// How a traceback names bytecode without names.
const NAMELESS: &str = "?";
/// What stands for calls in tail position, of which Lua keeps nothing.
const TAIL_CALLS: &str = "(...tail calls...)";

/// Creates the function that a message handler calls for the traceback. It is nil where no line says anything.
pub(crate) fn create_function(lua: &Lua) -> mlua::Result<Function> {
    lua.create_function(|lua, ()| {
        let traceback = lua.traceback(None, 2)?.to_string_lossy();
        let place_of = |line: &str| line.trim_start().split(':').next().unwrap_or_default().to_owned();
        let is_ours = |line: &str| {
            [BASE_CHUNK_NAME, REST_CHUNK_NAME, EVALFRAME_CHUNK_NAME, GLUE_CHUNK_NAME, PRELUDE_CHUNK_NAME, NAMELESS]
                .contains(&place_of(line).as_str())
                || ["'pcall'", "'xpcall'", "'?'"].iter().any(|name| line.ends_with(&format!("in upvalue {name}")))
        };
        let mut follows_rest = false;
        let is_shown = |line: &&str| {
            // The call in tail position is that of the function which the script sees.
            let is_stub = std::mem::replace(&mut follows_rest, place_of(line) == REST_CHUNK_NAME)
                && line.trim_start() == TAIL_CALLS;
            !is_stub && !is_ours(line)
        };
        let shown: Vec<&str> = traceback.lines().filter(is_shown).collect();
        // What Lua left out of a long one begins with dots.
        let is_place = |line: &str| !line.starts_with("[C]:") && !line.starts_with("...") && line != TAIL_CALLS;
        // After its headline.
        let has_place = shown.iter().skip(1).any(|line| is_place(line.trim_start()));
        Ok(has_place.then(|| shown.join("\n")))
    })
}
