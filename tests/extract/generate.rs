//! Programs that make metadata in every way that Lua has, and change it behind the back of a reader.
//!
//! Owns: the grammar. Names are few, so that they often lead to the same table.
//! Never: makes only valid programs: one that raises an error is not compared.

use crate::choices::Choices;

const MAX_DEPTH: usize = 4;

/// Writes one program.
#[must_use]
pub fn program(choices: &mut Choices<'_>) -> String {
    let mildness = [0, 2, 3, 3, 4, 4].get(choices.below(6)).copied().unwrap_or(0);
    let mut writer =
        Writer { choices, text: String::new(), tables: Vec::new(), functions: Vec::new(), depth: 0, mildness };
    writer.program();
    writer.text
}

struct Writer<'c, 'a> {
    choices: &'c mut Choices<'a>,
    text: String,
    /// The names that are thought to hold tables, innermost last.
    tables: Vec<String>,
    functions: Vec<String>,
    depth: usize,
    /// How many of 4 statements are such as packages have.
    mildness: usize,
}

impl Writer<'_, '_> {
    fn program(&mut self) {
        let heads = [
            "local M = {}",
            "local M = {}",
            "local M = { meta = { name = \"a\", tags = { \"x\", \"y\" } } }",
            "M = {}",
            "M = { meta = { name = \"a\" } }",
            "local M; M = {}",
            "local M <const> = {}",
            "local M = setmetatable({}, { __call = function(m, x) return m end })",
            "local M = setmetatable({}, { __index = function(m, k) rawset(m, \"meta\", { name = k }) end })",
            "local M = setmetatable({}, { __newindex = function(m, k, v) rawset(m, k, k == \"meta\" and { name = \"n\" } or v) end })",
            "local A = {} local M = setmetatable({}, { __index = A })",
            "local M, A = {}, {}",
            "local S = require(\"alc_shapes\") local T = S.T local M = {}",
        ];
        if self.choices.once_in(3) {
            self.line("local S = require(\"alc_shapes\")");
        }
        let head = self.choices.of(&heads);
        self.line(head);
        self.tables.push("M".into());
        if head.contains("A = {}") || head.contains("M, A") {
            self.tables.push("A".into());
        }
        if !self.choices.once_in(4) {
            let meta = self.constant_table(0);
            self.line(&format!("M.meta = {meta}"));
        }
        for _ in 0..=self.choices.below(7) {
            self.statement();
        }
        let tail = self.tail();
        self.line(&tail);
    }

    fn tail(&mut self) -> String {
        match self.choices.below(12) {
            0 => format!("return setmetatable(M, {})", self.metatable()),
            1 => format!("return {{ meta = {} }}", self.value(0)),
            2 => format!("return {}", self.table()),
            3 => "return M, 1".into(),
            4 => "return (M)".into(),
            5 => "return { meta = M.meta }".into(),
            _ => "return M".into(),
        }
    }

    fn line(&mut self, text: &str) {
        self.text.push_str(text);
        let end = match self.choices.below(12) {
            0 => "; ",
            1 => " ",
            2 => " -- S.instrument(\n",
            _ => "\n",
        };
        self.text.push_str(end);
    }

    /// A name that is thought to hold a table.
    fn name(&mut self) -> String {
        if self.choices.below(3) > 0 || self.tables.is_empty() {
            return "M".into();
        }
        let index = self.choices.below(self.tables.len());
        self.tables.get(index).cloned().unwrap_or_default()
    }

    /// An expression that is thought to be a table of the program.
    fn table(&mut self) -> String {
        let name = self.name();
        match self.choices.below(14) {
            0..4 => name,
            4..7 => format!("{name}.meta"),
            7 => format!("{name}.meta.tags"),
            8 => format!("({name})"),
            9 => format!("{name}[\"meta\"]"),
            10 => format!("{name}[(\"meta\")]"),
            11 => format!("(nil or {name})"),
            12 => format!("setmetatable({name}, {})", self.metatable()),
            _ => format!("{name}.sub"),
        }
    }

    fn key(&mut self) -> &'static str {
        self.choices.of(&["name", "version", "tags", "meta", "x", "sub", "meta", "name"])
    }

    fn place(&mut self) -> String {
        let table = match self.choices.below(8) {
            0..3 => self.name(),
            3..7 => format!("{}.meta", self.name()),
            _ => self.table(),
        };
        let table = if table.starts_with('(') || table.starts_with("set") { "M".into() } else { table };
        let key = self.key();
        match self.choices.below(12) {
            0 => format!("{table}[\"{key}\"]"),
            1 => format!("{table}[(\"{key}\")]"),
            2 => format!("{table}[\"{}\" .. \"{}\"]", &key[..1], &key[1..]),
            3 => format!("{table}[{}]", self.choices.below(3)),
            4 => format!("{table}[tostring(\"{key}\")]"),
            5 => format!("({table}).{key}"),
            6 => format!("{table} . {key}"),
            _ => format!("{table}.{key}"),
        }
    }

    fn constant(&mut self) -> String {
        match self.choices.below(12) {
            0 => self.choices.below(100).to_string(),
            1 => "true".into(),
            2 => "1.5".into(),
            3 => "\"a\" .. 1 .. 'b'".into(),
            4 => "nil".into(),
            5 => "-3 // 2".into(),
            6 => "[[long]]".into(),
            7 => "0x10 % 7".into(),
            8 => "\"\\u{e9}\\z  \\x41\"".into(),
            _ => format!("\"v{}\"", self.choices.below(9)),
        }
    }

    fn constant_table(&mut self, depth: usize) -> String {
        let mut text = String::from("{ ");
        for _ in 0..self.choices.below(5) {
            let key = self.key();
            let value =
                if depth < 2 && self.choices.once_in(4) { self.constant_table(depth + 1) } else { self.constant() };
            match self.choices.below(12) {
                0 | 1 => text.push_str(&value),
                2 => text.push_str(&format!("[1] = {value}")),
                3 => text.push_str(&format!("[\"{key}\"] = {value}")),
                4 => text.push_str(&format!("[2.0] = {value}")),
                5 => text.push_str(&format!("[\"1\"] = {value}")),
                _ => text.push_str(&format!("{key} = {value}")),
            }
            text.push_str(self.choices.of(&[", ", "; "]));
        }
        text.push('}');
        text
    }

    fn value(&mut self, depth: usize) -> String {
        match self.choices.below(20) {
            0..7 => self.constant(),
            7..12 => self.constant_table(0),
            12..14 => self.table(),
            14 if depth < 3 => format!("{{ meta = {}, {} }}", self.value(depth + 1), self.value(depth + 1)),
            15 => format!("setmetatable({}, {})", self.constant_table(0), self.metatable()),
            16 => self.call(),
            17 => format!("{{ {} = {} }}", self.key(), self.table()),
            18 => self.function(&["p"]),
            _ => self.operation(),
        }
    }

    fn operation(&mut self) -> String {
        let (left, right) = (self.table(), self.table());
        match self.choices.below(8) {
            0 => format!("#{left}"),
            1 => format!("{left} .. \"x\""),
            2 => format!("({left} == {right})"),
            3 => format!("{left} or {right}"),
            4 => format!("{left} and {right}"),
            5 => format!("not {left}"),
            6 => format!("-{left}"),
            _ => format!("{left}.missing"),
        }
    }

    fn metatable(&mut self) -> String {
        match self.choices.below(16) {
            0 => "{}".into(),
            1 => "{ __call = function(m, x) m.meta = { name = \"called\" } return m end }".into(),
            2 => "{ __index = function(m, k) rawset(m, \"name\", k) end }".into(),
            3 => "{ __newindex = function(m, k, v) rawset(m, k, \"other\") end }".into(),
            4 => "{ __mode = \"v\" }".into(),
            5 => "{ __len = function(m) m.name = \"len\" return 0 end }".into(),
            6 => "{ __concat = function(m) rawset(m, \"name\", \"concat\") return \"\" end }".into(),
            7 => "{ __unm = function(m) rawset(m, \"meta\", nil) return 0 end }".into(),
            8 => "{ __close = function(m) rawset(m, \"meta\", { name = \"closed\" }) end }".into(),
            9 => "{ __gc = function(m) if type(M) == \"table\" then M.meta = nil end end }".into(),
            10 => "{ __index = { meta = { name = \"inherited\" } } }".into(),
            11 => format!("{{ __index = {} }}", self.name()),
            12 => "{ __eq = function(a, b) rawset(a, \"name\", \"eq\") return true end }".into(),
            13 => "{ [\"__\" .. \"newindex\"] = function(m, k, v) rawset(m, k, 0) end }".into(),
            14 => self.name(),
            _ => "{ __index = {}, __call = function(m) return m end; __name = \"m\" }".into(),
        }
    }

    /// A function whose body changes what it gets, or what it sees.
    fn function(&mut self, parameters: &[&str]) -> String {
        let outer = std::mem::take(&mut self.text);
        let (tables, functions) = (self.tables.len(), self.functions.len());
        self.tables.extend(parameters.iter().map(|name| (*name).to_owned()));
        self.depth += 1;
        for _ in 0..=self.choices.below(2) {
            self.statement();
        }
        if self.choices.once_in(3) {
            let value = self.table();
            self.line(&format!("do return {value} end"));
        }
        self.depth -= 1;
        self.tables.truncate(tables);
        self.functions.truncate(functions);
        let body = std::mem::replace(&mut self.text, outer);
        format!("function({}) {body} end", parameters.join(", "))
    }

    fn call(&mut self) -> String {
        let (first, second) = (self.table(), self.table());
        let function = if self.functions.is_empty() || self.choices.once_in(3) {
            "M.f".to_owned()
        } else {
            let index = self.choices.below(self.functions.len());
            self.functions.get(index).cloned().unwrap_or_default()
        };
        match self.choices.below(34) {
            0..4 => format!("{function}({first})"),
            4 => format!("{function}({first}, {second})"),
            5 => format!("{function}{{ {first} }}"),
            6 => format!("{function}()"),
            7 => format!("({function})({first})"),
            8 => format!("pcall({function}, {first})"),
            9 => "M:g()".into(),
            10 => "M:g(1)".into(),
            11 => format!("rawset({first}, \"{}\", {})", self.key(), self.constant()),
            12 => format!("table.insert({first}, {})", self.choices.of(&["\"z\"", "1"])),
            13 => format!("require(\"other\").touch({first}, {second})"),
            14 => format!("require(\"other\")({first})"),
            15 => format!("S.instrument({first}, \"run\")"),
            16 => "S.instrument(M, \"run\")".into(),
            17 => "require(\"alc_shapes\").instrument(M, \"f\")".into(),
            18 => format!("alc.llm({first})"),
            19 => "load(\"if M then M.meta = { name = 'loaded' } end\")()".into(),
            20 => format!("({})({first})", self.nested_function()),
            21 => format!("coroutine.wrap({})({first})", self.nested_function()),
            22 => format!("select(1, {first})"),
            23 => format!("getmetatable({first})"),
            24 => "(\"x\"):rep(2)".into(),
            25 => format!("type({first})"),
            26 => format!("next({first})"),
            27 => format!("table.move({{ \"q\" }}, 1, 1, 1, {first})"),
            28 => format!("assert({first})"),
            29 => format!("string.gsub(\"a\", \"a\", {})", self.nested_function()),
            30 => format!("setmetatable({first}, {})", self.metatable()),
            31 => format!("tostring({first})"),
            32 => "M.h()".into(),
            _ => format!("table.unpack({{ {first} }})"),
        }
    }

    fn nested_function(&mut self) -> String {
        if self.depth >= MAX_DEPTH { "function(p) return p end".into() } else { self.function(&["p"]) }
    }

    fn statement(&mut self) {
        if self.depth >= MAX_DEPTH {
            let (place, value) = (self.place(), self.constant());
            return self.line(&format!("{place} = {value}"));
        }
        if self.choices.below(4) < self.mildness {
            return self.mild_statement();
        }
        match self.choices.below(40) {
            0..6 => {
                let (place, value) = (self.place(), self.value(0));
                self.line(&format!("{place} = {value}"));
            }
            6..9 => self.local(),
            9 => {
                let (name, value) = (self.name(), self.table());
                self.line(&format!("{name} = {value}"));
            }
            10..13 => {
                let call = self.call();
                let is_statement = !call.starts_with("(\"") && !call.starts_with('(');
                self.line(&if is_statement { call } else { format!("local _ = {call}") });
            }
            13..16 => self.declare_function(),
            16 => self.assign_several(),
            17..20 => self.block(),
            20..22 => self.for_each(),
            22 => self.jump(),
            23 => {
                let (place, value) = (self.table(), self.choices.of(&["true", "false", "nil", "M"]));
                self.line(&format!("if {value} then return {place} end"));
            }
            24 => {
                let value = self.table();
                self.line(&format!("do return {value} end"));
            }
            25 => {
                let (key, value) = (self.key(), self.constant_table(0));
                let door = self.choices.of(&["_G", "_ENV", "_G[\"_G\"]"]);
                self.line(&format!("if {door}.M then {door}.M.{key} = {value} end"));
            }
            26 => {
                let function = self.function(&["p"]);
                self.line(&format!("local c <close> = setmetatable({{}}, {{ __close = {function} }})"));
            }
            27 => {
                let operation = self.operation();
                self.line(&format!("local _ = {operation}"));
            }
            28 => {
                let (name, value) = (self.name(), self.metatable());
                self.line(&format!("setmetatable({name}, {value})"));
            }
            29 => {
                let target = self.table();
                let name = self.choices.of(&["run", "f", "spec"]);
                let call = if self.choices.once_in(2) { "S.instrument(M, \"run\")" } else { "S.instrument(M, 'f')" };
                let _ = target;
                self.line(&format!("M.{name} = {call}"));
            }
            30 => {
                let shadow = self.choices.of(&[
                    "local setmetatable = function(t, m) if t then t.meta = nil t.name = 1 end return t end",
                    "setmetatable = function(t, m) if t then t.meta = nil t.name = 2 end return t end",
                    "local require = function() return { instrument = function(m) m.meta = nil end } end",
                    "require = function() return { instrument = function(m) m.meta = nil end } end",
                    "if S then S.instrument = function(m) m.meta = { name = \"s\" } end end",
                    "local s = S if s then s.instrument = function(m) m.meta = { name = \"t\" } end end",
                    "local _ENV = { M = { meta = { name = \"env\" } }, setmetatable = function(t) return { meta = {} } end }",
                    "local _ENV <const> = setmetatable({}, { __index = _G })",
                    "local M = M",
                    "local A = M",
                ]);
                self.line(shadow);
            }
            31 => {
                // Written inside the value of its own declaration, the name is still the outer one's.
                let name = self.name();
                let function = self.function(&["q"]);
                self.line(&format!("do local {name} = ({function})({{}}) end"));
            }
            32 => {
                let name = self.name();
                let function = self.function(&["q"]);
                self.line(&format!("for {name} in {function} do break end"));
            }
            33 => {
                let (name, function) = (self.name(), self.function(&["q"]));
                let (place, value) = (self.place(), self.value(0));
                self.line(&format!("{name}[({function})({{}}) or 1], {place} = 1, {value}"));
            }
            34 => {
                let name = self.name();
                self.line(&format!("{name}.self = {name}"));
                let path = ".self".repeat(self.choices.of(&["1", "2", "70"]).parse().unwrap_or(1));
                let (key, value) = (self.key(), self.constant());
                self.line(&format!("{name}{path}.meta.{key} = {value}"));
            }
            35 => {
                let (name, value) = (self.name(), self.table());
                self.line(&format!("{name}.sub = {value}"));
                let (key, value) = (self.key(), self.constant());
                self.line(&format!("{name}.sub.{key} = {value}"));
            }
            _ => {
                let (key, value) = (self.key(), self.constant());
                let name = self.name();
                self.line(&format!("{name}.meta.{key} = {value}"));
            }
        }
    }

    /// A statement that a reader can follow, or that changes nothing.
    fn mild_statement(&mut self) {
        let (key, constant) = (self.key(), self.constant());
        let meta = self.constant_table(1);
        let text = match self.choices.below(24) {
            0 => format!("local V = {constant} M.meta = {{ {key} = V, version = V }}"),
            1 => format!("local t = {meta} M.meta = t t.{key} = {constant}"),
            2 => format!("local t = {meta} M.meta = {{ tags = t }} t[1] = {constant}"),
            3 => format!("local A = M A.meta = {meta}"),
            4 => "local A <const> = M.meta and 1 local _ = A".into(),
            5 => format!("local meta = {meta} M.meta, meta.name = meta, {constant}"),
            6 => format!("M.meta = {meta} M.meta.{key} = {constant}"),
            7 => "function M.run(ctx) ctx.result = M.meta.name .. M.help(ctx) return ctx end".into(),
            8 => "function M.help(ctx) for i, v in ipairs(ctx) do v.name = i end local M = ctx M.meta = nil end".into(),
            9 => "M.spec = { entries = { run = { input = (S or alc).llm } } }".into(),
            10 => "local function each(list) local out = {} for k, v in pairs(list) do out[k] = v end return out end"
                .into(),
            11 => format!("local u = {meta} for k, v in pairs(u) do u[k] = nil end M.defaults = u"),
            12 => "local count = 0 while count < 3 do count = count + 1 end M.count = count".into(),
            13 => format!("do local M = {{}} M.meta = {meta} end"),
            14 => format!("for M = 1, 2 do local x = M end M.{key} = {meta}"),
            15 => format!("M.meta = setmetatable({meta}, {{ __call = print, __index = {{ name = 1 }} }})"),
            16 => format!("M[\"meta\"] = {meta}; M.meta[\"{key}\"] = {constant}"),
            17 => format!("M.meta = {meta} alc.log(M.meta.name, #(M.meta.version or \"\"))"),
            18 => format!("if M.meta then local x = M.meta.{key} and 1 end"),
            19 => format!("M.{key}, M.x = {meta}, 1"),
            20 => "M.f = function(t) t.meta = nil return t end local r = M.f({}) r.name = 1".into(),
            21 => "if S then M.run = M.run or print end M.run = function() end".into(),
            22 => format!("M.meta = {{ {key} = {constant}, {meta}, {constant} }}"),
            _ => format!("M.meta = {meta}"),
        };
        self.line(&text);
        if text.starts_with("local t") {
            self.tables.push("t".into());
        }
    }

    fn local(&mut self) {
        let name = self.choices.of(&["t", "u", "A", "meta", "M"]);
        match self.choices.below(5) {
            0 => {
                let value = self.constant_table(0);
                self.line(&format!("local {name} = {value}"));
            }
            1 => {
                let value = self.value(0);
                self.line(&format!("local {name} = {value}"));
            }
            2 => {
                let (first, second) = (self.table(), self.value(0));
                self.line(&format!("local {name}, u = {first}, {second}"));
            }
            3 => {
                self.line(&format!("local {name}"));
                let value = self.table();
                self.line(&format!("{name} = {value}"));
            }
            _ => {
                let value = self.table();
                self.line(&format!("local {name} = {value}"));
            }
        }
        self.tables.push(name.into());
    }

    fn declare_function(&mut self) {
        let name = self.choices.of(&["f", "g", "h"]);
        let function = self.function(&["p", "q"]);
        let body = function.strip_prefix("function").unwrap_or_default();
        match self.choices.below(5) {
            0 => self.line(&format!("function M.f{body}")),
            1 => self.line(&format!("M.f = {function}")),
            2 => {
                let function = self.function(&["self"]);
                let body = function.strip_prefix("function(self)").unwrap_or_default().to_owned();
                self.line(&format!("function M:g(p) {body}"));
            }
            3 => {
                self.line(&format!("local {name} = {function}"));
                self.functions.push(name.into());
            }
            _ => {
                self.line(&format!("local function {name}{body}"));
                self.functions.push(name.into());
            }
        }
    }

    fn assign_several(&mut self) {
        let (first, second) = (self.place(), self.place());
        let (one, two) = (self.value(0), self.value(0));
        let name = self.name();
        let text = match self.choices.below(6) {
            0 => format!("{first}, {first} = {one}, {two}"),
            1 => format!("{name}, {name} = {one}, {two}"),
            2 => format!("{first}, {name} = {one}, {{}}"),
            3 => format!("{name}, {first} = {{}}, {one}"),
            4 => format!("{first}, {second} = {}", self.call()),
            _ => format!("{first}, {second} = {one}, {two}"),
        };
        let text = if text.starts_with('(') { format!(";{text}") } else { text };
        self.line(&text);
    }

    fn block(&mut self) {
        let condition = self.choices.of(&["true", "false", "M", "M.meta", "1 == 2", "not M"]);
        let (open, close) = match self.choices.below(6) {
            0 => ("do".to_owned(), "end".to_owned()),
            1 => (format!("if {condition} then"), "end".into()),
            2 => (format!("if {condition} then"), "else M.other = 1 end".into()),
            3 => (format!("while {condition} do"), "break end".into()),
            4 => ("repeat".into(), "until true".into()),
            _ => ("for i = 1, 2 do".into(), "end".into()),
        };
        self.line(&open);
        let (tables, functions) = (self.tables.len(), self.functions.len());
        self.depth += 1;
        for _ in 0..=self.choices.below(2) {
            self.statement();
        }
        self.depth -= 1;
        self.tables.truncate(tables);
        self.functions.truncate(functions);
        self.line(&close);
    }

    fn for_each(&mut self) {
        let table = self.table();
        let open = match self.choices.below(3) {
            0 => format!("for k, v in pairs({table}) do if type(v) == \"table\" then"),
            1 => format!("for k, v in next, {table} do if type(v) == \"table\" then"),
            _ => format!("for k, v in ipairs({table}) do if type(v) == \"table\" then"),
        };
        self.line(&open);
        let tables = self.tables.len();
        self.tables.push("v".into());
        self.depth += 1;
        let (key, value) = (self.key(), self.constant());
        self.line(&format!("v.{key} = {value}"));
        self.depth -= 1;
        self.tables.truncate(tables);
        self.line("end end");
    }

    fn jump(&mut self) {
        let (place, value) = (self.place(), self.constant());
        match self.choices.below(3) {
            0 => {
                self.line("do goto over end");
                self.line(&format!("{place} = {value}"));
                self.line("::over::");
            }
            1 => {
                self.line("for i = 1, 2 do if i == 1 then goto again end");
                self.line(&format!("{place} = {value}"));
                self.line("::again:: end");
            }
            _ => {
                self.line("N = N or 0");
                self.line("::back::");
                self.line(&format!("if N > 0 then {place} = {value} end"));
                self.line("N = N + 1");
                let (place, value) = (self.place(), self.constant());
                self.line(&format!("{place} = {value}"));
                self.line("if N < 2 then goto back end");
            }
        }
    }
}
