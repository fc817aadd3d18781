//! Programs that make metadata in every way that Lua has, and change it behind the back of a reader.
//!
//! Owns: the grammar. Names are few, so that they often lead to the same table.
//! Never: makes only valid programs: one that raises an error is not compared.

mod misleading;
mod numbers;
mod statements;

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
        match self.choices.below(14) {
            0 => format!("return setmetatable(M, {})", self.metatable()),
            1 => format!("return {{ meta = {} }}", self.value(0)),
            2 => format!("return {}", self.table()),
            3 => "return M, 1".into(),
            4 => "return (M)".into(),
            5 => "return { meta = M.meta }".into(),
            6 if self.choices.once_in(3) => {
                format!("return function() end {} M", self.choices.of(&["and", "or", "=="]))
            }
            7 if self.choices.once_in(3) => "local F = function() end and M return F".into(),
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
        match self.choices.below(14) {
            0 => self.choices.below(100).to_string(),
            1 => "true".into(),
            2 => "1.5".into(),
            3 => "\"a\" .. 1 .. 'b'".into(),
            4 => "nil".into(),
            5 => "-3 // 2".into(),
            6 => "[[long]]".into(),
            7 => "0x10 % 7".into(),
            8 => "\"\\u{e9}\\z  \\x41\"".into(),
            9 => self.number(),
            10 => self.text(),
            _ => format!("\"v{}\"", self.choices.below(9)),
        }
    }

    fn constant_table(&mut self, depth: usize) -> String {
        let mut text = String::from("{ ");
        for _ in 0..self.choices.below(5) {
            let key = self.key();
            let value =
                if depth < 2 && self.choices.once_in(4) { self.constant_table(depth + 1) } else { self.constant() };
            match self.choices.below(14) {
                0 | 1 => text.push_str(&value),
                2 => text.push_str(&format!("[1] = {value}")),
                3 => text.push_str(&format!("[\"{key}\"] = {value}")),
                4 => text.push_str(&format!("[2.0] = {value}")),
                5 => text.push_str(&format!("[\"1\"] = {value}")),
                6 => text.push_str(&format!("[{}] = {value}", self.number())),
                _ => text.push_str(&format!("{key} = {value}")),
            }
            text.push_str(self.choices.of(&[", ", "; "]));
        }
        text.push('}');
        text
    }

    fn value(&mut self, depth: usize) -> String {
        match self.choices.below(21) {
            0..7 => self.constant(),
            7..12 => self.constant_table(0),
            12..14 => self.table(),
            14 if depth < 3 => format!("{{ meta = {}, {} }}", self.value(depth + 1), self.value(depth + 1)),
            15 => format!("setmetatable({}, {})", self.constant_table(0), self.metatable()),
            16 => self.call(),
            17 => format!("{{ {} = {} }}", self.key(), self.table()),
            18 => self.function(&["p"]),
            19 => format!("function() end and {}", self.constant_table(0)),
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
        match self.choices.below(17) {
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
            13 => self
                .choices
                .of(&[
                    "{} and { __newindex = function(m, k, v) rawset(m, k, { name = k }) end }",
                    "{ __index = {} and function(m, k) rawset(m, \"meta\", { name = k }) end }",
                    "{ __index = { x = 1 } and M, __call = function(m) return m end }",
                ])
                .into(),
            14 => "{ [\"__\" .. \"newindex\"] = function(m, k, v) rawset(m, k, 0) end }".into(),
            15 => self.name(),
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
}
