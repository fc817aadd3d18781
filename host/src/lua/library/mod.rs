//! What scripts see as `alc` and `json`.

use std::rc::Rc;

use mlua::Lua;

use super::Host;

/// Puts the library into the globals.
pub(crate) fn install(_lua: &Lua, _host: Rc<dyn Host>) -> mlua::Result<()> {
    Ok(())
}
