//! A VM with the library in the test's process, and an in-memory host that records all calls.

use std::cell::RefCell;
use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use mlua::{ChunkMode, Lua, Value};
use serde_json::{Value as Json, json};
use wardroom_base::payload::Payload;
use wardroom_lua::ScriptHost;
use wardroom_lua::builtin_module;
use wardroom_lua::testing::{install, to_json};

/// An in-memory host with configurable answers.
#[derive(Default)]
pub(super) struct TestHost {
    /// All operations with their arguments. Notifications begin with `+`.
    pub(super) calls: RefCell<Vec<(String, Json)>>,
    /// The next answers of the model, which repeats the prompt when none are left.
    pub(super) answers: RefCell<VecDeque<Result<String, String>>>,
    /// Sources of modules by name.
    pub(super) modules: BTreeMap<&'static str, &'static str>,
    pub(super) scenarios: BTreeMap<&'static str, &'static str>,
    /// Fixed responses to operations, which replace the default behaviour.
    pub(super) responses: BTreeMap<&'static str, Result<Json, String>>,
    pub(super) state: RefCell<BTreeMap<String, Json>>,
    clock: RefCell<i64>,
}

impl TestHost {
    fn respond(&self, operation: &str, arguments: &Json) -> Result<Json, String> {
        self.calls.borrow_mut().push((operation.to_owned(), arguments.clone()));
        if let Some(response) = self.responses.get(operation) {
            return response.clone();
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
            other => return Err(format!("unknown operation {other}")),
        })
    }
}

impl ScriptHost for TestHost {
    fn request(&self, operation: &str, arguments: Json) -> Result<Payload, String> {
        self.respond(operation, &arguments).map(Payload::from)
    }

    fn notify(&self, operation: &str, arguments: Json) -> Result<(), String> {
        if operation == "state.set" {
            let key = format!("{}/{}", arguments["ns"].as_str().unwrap(), arguments["key"].as_str().unwrap());
            self.state.borrow_mut().insert(key, arguments["value"].clone());
        }
        self.calls.borrow_mut().push((format!("+{operation}"), arguments));
        Ok(())
    }
}

impl TestHost {
    pub(super) fn with_answers<const N: usize>(answers: [&str; N]) -> Self {
        let host = Self::default();
        host.answers.borrow_mut().extend(answers.map(|answer| Ok(answer.to_owned())));
        host
    }

    pub(super) fn with_response(mut self, operation: &'static str, response: Result<Json, &str>) -> Self {
        self.responses.insert(operation, response.map_err(str::to_owned));
        self
    }

    pub(super) fn with_module(mut self, name: &'static str, source: &'static str) -> Self {
        self.modules.insert(name, source);
        self
    }

    /// Runs a script, and returns its result or error with the recorded calls.
    pub(super) fn run(self, script: &str) -> ScriptOutcome {
        let host = Rc::new(self);
        let (lua, returned) = {
            let lua = vm(Rc::clone(&host) as Rc<dyn ScriptHost>, &json!({}));
            let value = lua.load(script).set_name("=script").call::<Value>(());
            let returned = value.map_err(|error| plain(&error)).and_then(|value| to_json(&lua, &value, "result"));
            (lua, returned)
        };
        drop(lua);
        let calls = host.calls.borrow().clone();
        ScriptOutcome { returned, calls }
    }
}

pub(super) struct ScriptOutcome {
    pub(super) returned: Result<Json, String>,
    pub(super) calls: Vec<(String, Json)>,
}

impl ScriptOutcome {
    #[track_caller]
    pub(super) fn value(&self) -> Json {
        self.returned.clone().unwrap()
    }

    pub(super) fn operations(&self) -> Vec<&str> {
        self.calls.iter().map(|(operation, _)| operation.as_str()).collect()
    }

    /// The arguments of the only call of this operation.
    #[track_caller]
    pub(super) fn arguments(&self, operation: &str) -> Json {
        let mut found = self.calls.iter().filter(|(name, _)| name == operation);
        let arguments = found.next().unwrap_or_else(|| panic!("no {operation} in {:?}", self.operations())).1.clone();
        assert!(found.next().is_none(), "more than one {operation}");
        arguments
    }
}

/// Creates a VM with Lua's whole library. Only the worker restricts it.
pub(super) fn vm(host: Rc<dyn ScriptHost>, context: &Json) -> Lua {
    let lua = Lua::new();
    let module_host = Rc::clone(&host);
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
                    let found =
                        module_host.request("require", json!({ "module": name })).map_err(mlua::Error::runtime)?;
                    found.into_value()["source"].as_str().unwrap().to_owned()
                }
            };
            let chunk = lua.load(source).set_name(format!("={name}")).set_mode(ChunkMode::Text);
            let module: Value = chunk.call(name.as_str())?;
            loaded.set(name, &module)?;
            Ok(module)
        })
        .unwrap();
    lua.globals().set("require", require).unwrap();
    install(&lua, host).unwrap().begin_run(&context.clone().into());
    lua
}

/// The message of a script's error, without the traceback.
pub(super) fn plain(error: &mlua::Error) -> String {
    let text = match error {
        mlua::Error::RuntimeError(text) => text.clone(),
        other => other.to_string(),
    };
    text.split("\nstack traceback:").next().unwrap().to_owned()
}

/// The result of a script with the default host.
#[track_caller]
pub(super) fn value(script: &str) -> Json {
    TestHost::default().run(script).value()
}

/// The error of a script with the default host.
#[track_caller]
pub(super) fn error(script: &str) -> String {
    TestHost::default().run(script).returned.unwrap_err()
}
