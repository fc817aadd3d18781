//! Handlers of declared tools, prompts and resources, each call in a fresh Lua state.
//!
//! Owns: what a call is made of, and which modules there are.
//! Never: performs what a handler asks for.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::error::LuaError;
use super::frame::{Entry, Start};
use super::pool::Pool;
use super::run::Run;

/// The modules that an entry may list.
pub const MODULES: &[&str] = &["alc", "json"];

/// Why an entry cannot list a module; nothing for one that there is.
#[must_use]
pub fn module_problem(name: &str) -> Option<String> {
    (!MODULES.contains(&name)).then(|| format!("there is no module {name}: there are {}", MODULES.join(", ")))
}

/// One call, as a worker gets it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Call {
    /// `ns:name`, the chunk's name in messages.
    pub id: String,
    pub source: String,
    pub method: String,
    pub arguments: Value,
    pub modules: Vec<String>,
    /// Alias → entry id.
    pub imports: BTreeMap<String, String>,
    pub seed: u64,
}

/// Starts calls.
pub struct Handlers {
    pool: Arc<Pool>,
}

const CALL: &str = "local chunk, why = load(ctx.source, '=' .. ctx.id, 't')
if not chunk then error(why, 0) end
local exported = chunk()
local handler = type(exported) == 'table' and exported[ctx.method] or exported
if type(handler) ~= 'function' then error(ctx.id .. ' has no function ' .. ctx.method, 0) end
local value, problem = handler(ctx.arguments)
if value == nil and type(problem) == 'string' then return { error = { message = problem } } end
return { value = value }";

impl Handlers {
    #[must_use]
    pub fn new(pool: &Arc<Pool>) -> Self {
        Self { pool: Arc::clone(pool) }
    }

    /// # Errors
    /// When no worker can be started.
    pub fn start(&self, _namespace: &str, call: &Call) -> Result<Run, LuaError> {
        let context = json!({
            "id": call.id, "source": call.source, "method": call.method, "arguments": call.arguments,
        });
        let entry = Entry::Code { name: call.id.clone(), source: CALL.to_owned() };
        self.pool.start(&Start { entry, context, seed: call.seed })
    }
}
