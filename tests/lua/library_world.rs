//! A VM in this process with the library in it, and a host that does what is asked in memory and remembers it.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use mlua::{ChunkMode, Lua, Value};
use serde_json::{Value as Json, json};
use wardroom_lua::ScriptHost;
use wardroom_lua::builtin_module;
use wardroom_lua::testing::{install, to_json};

/// What the host knows, and what it was asked.
#[derive(Default)]
pub(super) struct World {
    /// Every operation with its arguments; those that were posted begin with `+`.
    pub(super) asked: RefCell<Vec<(String, Json)>>,
    /// What the model says next; without any, it repeats the prompt.
    pub(super) answers: RefCell<VecDeque<Result<String, String>>>,
    /// Modules by name, packages and others.
    pub(super) modules: BTreeMap<&'static str, &'static str>,
    pub(super) scenarios: BTreeMap<&'static str, &'static str>,
    /// What is said to an operation, in place of what a world does.
    pub(super) said: BTreeMap<&'static str, Result<Json, String>>,
    pub(super) state: RefCell<BTreeMap<String, Json>>,
    clock: RefCell<i64>,
}

impl ScriptHost for World {
    fn request(&self, operation: &str, arguments: Json) -> Result<Json, String> {
        self.asked.borrow_mut().push((operation.to_owned(), arguments.clone()));
        if let Some(said) = self.said.get(operation) {
            return said.clone();
        }
        let text = |name: &str| arguments[name].as_str().unwrap_or_default().to_owned();
        let key = format!("{}/{}", text("ns"), text("key"));
        let mut state = self.state.borrow_mut();
        Ok(match operation {
            "llm" => {
                let queries = arguments["queries"].as_array().unwrap();
                let answer = |query: &Json| {
                    let next = self.answers.borrow_mut().pop_front();
                    next.unwrap_or_else(|| Ok(query["prompt"].as_str().unwrap().to_owned())).map(Json::String)
                };
                Json::Array(queries.iter().map(answer).collect::<Result<_, _>>()?)
            }
            "time" => {
                *self.clock.borrow_mut() += 1;
                json!(1000.5 + *self.clock.borrow() as f64)
            }
            "budget" => Json::Null,
            "require" => match self.modules.get(text("module").as_str()) {
                Some(source) => json!({ "name": format!("packages/{}.lua", text("module")), "source": source }),
                None => return Err(format!("module '{}' not found", text("module"))),
            },
            "scenario" => match self.scenarios.get(text("name").as_str()) {
                Some(source) => json!({ "name": format!("scenarios/{}.lua", text("name")), "source": source }),
                None => Json::Null,
            },
            "state.get" => json!({ "found": state.contains_key(&key), "value": state.get(&key) }),
            "state.has" => json!(state.contains_key(&key)),
            "state.delete" => json!(state.remove(&key).is_some()),
            "state.keys" => {
                let prefix = format!("{}/", text("ns"));
                json!(state.keys().filter_map(|key| key.strip_prefix(&prefix)).collect::<Vec<_>>())
            }
            "state.set_nx" => {
                let is_new = !state.contains_key(&key);
                state.entry(key).or_insert_with(|| arguments["value"].clone());
                json!(is_new)
            }
            "card.create" => json!({ "card_id": "made_1", "path": "cards/made/made_1.toml" }),
            "card.write_samples" => {
                json!({ "path": "cards/made/made_1.samples.jsonl", "count": arguments["rows"].as_array().unwrap().len() })
            }
            other => return Err(format!("nobody knows {other}")),
        })
    }

    fn notify(&self, operation: &str, arguments: Json) -> Result<(), String> {
        if operation == "state.set" {
            let key = format!("{}/{}", arguments["ns"].as_str().unwrap(), arguments["key"].as_str().unwrap());
            self.state.borrow_mut().insert(key, arguments["value"].clone());
        }
        self.asked.borrow_mut().push((format!("+{operation}"), arguments));
        Ok(())
    }
}

impl World {
    pub(super) fn answering<const N: usize>(answers: [&str; N]) -> Self {
        let world = Self::default();
        world.answers.borrow_mut().extend(answers.map(|answer| Ok(answer.to_owned())));
        world
    }

    pub(super) fn saying(mut self, operation: &'static str, said: Result<Json, &str>) -> Self {
        self.said.insert(operation, said.map_err(str::to_owned));
        self
    }

    pub(super) fn with_module(mut self, name: &'static str, source: &'static str) -> Self {
        self.modules.insert(name, source);
        self
    }

    /// Runs a script; what it returns, or its error.
    pub(super) fn run(self, script: &str) -> Ran {
        let world = Rc::new(self);
        let (lua, returned) = {
            let lua = vm(Rc::clone(&world) as Rc<dyn ScriptHost>, &json!({}));
            let value = lua.load(script).set_name("=script").call::<Value>(());
            let returned = value.map_err(|error| plain(&error)).and_then(|value| to_json(&lua, &value, "result"));
            (lua, returned)
        };
        drop(lua);
        let asked = world.asked.borrow().clone();
        Ran { returned, asked }
    }
}

pub(super) struct Ran {
    pub(super) returned: Result<Json, String>,
    pub(super) asked: Vec<(String, Json)>,
}

impl Ran {
    #[track_caller]
    pub(super) fn value(&self) -> Json {
        self.returned.clone().unwrap()
    }

    pub(super) fn operations(&self) -> Vec<&str> {
        self.asked.iter().map(|(operation, _)| operation.as_str()).collect()
    }

    /// The arguments of the one operation of this name.
    #[track_caller]
    pub(super) fn arguments(&self, operation: &str) -> Json {
        let mut found = self.asked.iter().filter(|(name, _)| name == operation);
        let arguments = found.next().unwrap_or_else(|| panic!("no {operation} in {:?}", self.operations())).1.clone();
        assert!(found.next().is_none(), "more than one {operation}");
        arguments
    }
}

/// A VM with Lua's whole library; what of it a strategy has is the worker's matter.
pub(super) fn vm(host: Rc<dyn ScriptHost>, context: &Json) -> Lua {
    let lua = Lua::new();
    let asked = Rc::clone(&host);
    let loaded = lua.create_table().unwrap();
    let require = lua
        .create_function(move |lua, name: String| {
            let known: Value = loaded.get(name.as_str())?;
            if !known.is_nil() {
                return Ok(known);
            }
            let source = match builtin_module(&name) {
                Some(source) => source.to_owned(),
                None => {
                    let found = asked.request("require", json!({ "module": name })).map_err(mlua::Error::runtime)?;
                    found["source"].as_str().unwrap().to_owned()
                }
            };
            let chunk = lua.load(source).set_name(format!("={name}")).set_mode(ChunkMode::Text);
            let module: Value = chunk.call(name.as_str())?;
            loaded.set(name, &module)?;
            Ok(module)
        })
        .unwrap();
    lua.globals().set("require", require).unwrap();
    install(&lua, host).unwrap().begin_run(context);
    lua
}

/// What a script's error says, without the traceback.
pub(super) fn plain(error: &mlua::Error) -> String {
    let text = match error {
        mlua::Error::RuntimeError(text) => text.clone(),
        other => other.to_string(),
    };
    text.split("\nstack traceback:").next().unwrap().to_owned()
}

/// What a script returns in a world without anything.
#[track_caller]
pub(super) fn value(script: &str) -> Json {
    World::default().run(script).value()
}

/// The error of a script in a world without anything.
#[track_caller]
pub(super) fn error(script: &str) -> String {
    World::default().run(script).returned.unwrap_err()
}
