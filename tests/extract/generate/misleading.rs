//! Statements that look as if they meant another variable, another table or another library than they do.
//!
//! Owns: shadowed names, values that end later than they seem to, and the ways to the library of shapes and to globals.
//! Never: depends on the statements around it, apart from the names that hold tables.

use super::Writer;

/// Changes what it gets, as the function of a library.
const CHANGE: &str = "function(m) if type(m) == \"table\" then m.meta = { name = \"m\" } end return true end";

/// A function that returns a function that changes what it gets.
const CHAIN: &str = "local function c(s) return function(t) if type(t) == \"table\" then t.meta = { name = \"c\" } end \
    return function() end end end";

impl Writer<'_, '_> {
    pub(super) fn misleading_statement(&mut self) {
        match self.choices.below(10) {
            0 => self.chained_call(),
            1 => self.key_of_a_name(),
            2 => self.path_behind_a_key(),
            3 => self.block_variable(),
            4 => self.end_of_a_constructor(),
            5 => self.condition(),
            6 => self.method(),
            7 => self.way_to_a_library(),
            8 => self.operator_on_a_library(),
            _ => self.call_to_assign_to(),
        }
    }

    /// A declaration whose value ends with a call that has no bracket, or seems to.
    fn chained_call(&mut self) {
        let name = self.name();
        let argument = self.choices.of(&["\"x\"", "{}", "[[x]]", "(1)", "'' --[[ ]]"]);
        let call = format!("c {argument}");
        let text = match self.choices.below(7) {
            0 => format!("do local {name} = {call} ({name}) end"),
            1 => format!("for {name} in {call} ({name}) do end"),
            2 => format!("repeat local {name} = {call} ({name}) until true"),
            3 => format!("do local {name} = {argument} (c \"\")({name}) end"),
            4 => format!("do local {name} = function() end (c \"\")({name}) end"),
            5 => format!("do goto skip (c \"\")({name}) ::skip:: (c {{}})({name}.meta) end"),
            _ => format!("do local x = {{ c }} x[1] \"\" ({name}.meta) end"),
        };
        self.line(&format!("{CHAIN} {text}"));
    }

    /// A constant and a variable of the same name, in a key.
    fn key_of_a_name(&mut self) {
        let (table, key, other) = (self.table(), self.key(), self.key());
        let value = self.value(1);
        let table = if table.starts_with('(') || table.starts_with("set") { "M".into() } else { table };
        if self.choices.once_in(2) {
            self.line(&format!("local k = \"{other}\""));
        }
        let text = match self.choices.below(6) {
            0 => format!("local function s(k) {table}[k] = {value} end s(\"{key}\")"),
            1 => format!("for k, v in pairs({{ {key} = {value} }}) do {table}[k] = v end"),
            2 => format!("do local k = \"{key}\" {table}[k] = {value} end"),
            3 => format!("do {table}[k or \"{key}\"] = {value} end"),
            4 => format!("if true then {table}[k or 1], {table}.{other} = {value}, 1 end"),
            _ => format!("{table}[k or \"{key}\"] = {value}"),
        };
        self.line(&text);
        if self.choices.once_in(2) {
            self.line(&format!("local k = \"{key}\""));
        }
    }

    fn path_behind_a_key(&mut self) {
        let (name, table, key) = (self.name(), self.table(), self.key());
        let constant = self.constant();
        let unknown = self.choices.of(&[
            "tostring(\"sub\")",
            "(\"sub\"):lower()",
            "\"s\" .. \"ub\"",
            "nil or \"sub\"",
            "k or \"sub\"",
        ]);
        self.line(&format!("{name}.sub = {table}"));
        let write = format!("{name}[{unknown}].{key} = {constant}");
        let text = match self.choices.below(4) {
            0 => format!("do {write} end"),
            1 => format!("local function w() {write} end w()"),
            2 => format!("{name}[{unknown}][\"{key}\"], {name}.x = {constant}, 1"),
            _ => write,
        };
        self.line(&text);
    }

    /// A variable that holds another table where it is written through.
    fn block_variable(&mut self) {
        let (name, table, other) = (self.choices.of(&["A", "B", "meta"]), self.table(), self.constant_table(1));
        let (key, constant) = (self.key(), self.constant());
        let declared = self.choices.of(&["local ", "local ", ""]);
        self.line(&format!("{declared}{name} = {table}"));
        let text = match self.choices.below(5) {
            0 => format!("do {name} = {other} end"),
            1 => format!("local function a() {name} = {other} end a()"),
            2 => format!("for i = 1, 1 do {name} = {other} end"),
            3 => format!("if M then {name}, x = {other} end"),
            _ => format!("if not M then {name} = {other} end"),
        };
        self.line(&text);
        self.line(&format!("{name}.{key} = {constant}"));
        self.tables.push(name.into());
    }

    /// A table whose last value stands for several.
    fn end_of_a_constructor(&mut self) {
        let name = self.choices.of(&["t", "u", "meta"]);
        let last = self.choices.of(&[
            "table.unpack({ 1, 2, 3 })",
            "...",
            "(table.unpack({ 1, 2 }))",
            "nil",
            "select(2, 1, 2, 3)",
        ]);
        let first = self.choices.of(&["", "\"a\", ", "[2] = \"z\", ", "nil, "]);
        let (index, value) = (self.choices.below(4), self.constant());
        self.line(&format!("local {name} = {{ {first}{last} }}"));
        self.line(&format!("{name}[{index}] = {value}"));
        if self.choices.once_in(2) {
            self.line(&format!("{name}[1] = {value}"));
        }
        let key = self.key();
        let place = self.choices.of(&["M.meta", "M.meta.tags"]);
        let text = if self.choices.once_in(2) {
            format!("{place} = {name}")
        } else {
            format!("M.meta = {{ {key} = {name} }}")
        };
        self.line(&text);
        self.tables.push(name.into());
    }

    /// A condition that sees the names of its block.
    fn condition(&mut self) {
        let (name, table, key) = (self.name(), self.table(), self.key());
        let constant = self.constant();
        let text = match self.choices.below(6) {
            0 => format!("repeat local S = {{ instrument = {CHANGE} }} until S.instrument(M, \"run\")"),
            1 => format!(
                "repeat local require = function() return {{ instrument = {CHANGE} }} end \
                until require(\"alc_shapes\").instrument(M, \"run\")"
            ),
            2 => format!("repeat local {name} = {table} until ({CHANGE})({name})"),
            3 => format!("repeat local {name} = {{}} until ({CHANGE})({name}) {name}.{key} = {constant}"),
            4 => format!("repeat local {name} = {{}} {name}.meta = {constant} until {name} or {name}.meta.{key}"),
            _ => format!("repeat repeat local {name} = {{}} until {name} {name}.{key} = {constant} until {name}"),
        };
        self.line(&text);
    }

    /// A method, whose first parameter has no name.
    fn method(&mut self) {
        let (name, table) = (self.name(), self.table());
        let (key, constant) = (self.key(), self.constant());
        let (hidden, dot) =
            (self.choices.of(&["M", "require(\"alc_shapes\")", "M.meta", "{}"]), self.choices.of(&[":", ":", "."]));
        self.line(&format!("local self = {hidden}"));
        let text = match self.choices.below(4) {
            0 => {
                format!("function {name}{dot}m() self.instrument(M, \"run\") end {name}.m({{ instrument = {CHANGE} }})")
            }
            1 => format!("function {name}{dot}m() self.{key} = {constant} end {name}.m({table})"),
            2 => format!("function {name}{dot}m() self.meta = {{}} end {name}{dot}m({{}})"),
            _ => format!(
                "function {name}{dot}m(self) if self then self.{key} = {constant} end end {name}{dot}m({table})"
            ),
        };
        self.line(&text);
    }

    /// A way to change the library of shapes or a global that is not spelt like one.
    fn way_to_a_library(&mut self) {
        let text = match self.choices.below(14) {
            12 => "local own = type type = function(x) if own(x) == \"table\" then x.meta = { name = \"t\" } end return own(x) end".into(),
            13 => "local get = rawget function rawget(m, k) m.meta = { name = \"r\" } return get(m, k) end".into(),
            0 => format!("local r = require r(\"alc_shapes\").instrument = {CHANGE}"),
            1 => format!("local L = require(\"alc_\" .. \"shapes\") L.instrument = {CHANGE}"),
            2 => format!("require(\"alc_\" .. \"shapes\").instrument = {CHANGE}"),
            3 => format!("local _, L = pcall(require, \"alc_shapes\") L.instrument = {CHANGE}"),
            4 => format!("local R = require(\"alc_shapes\").spec_resolver R.resolve = {CHANGE}"),
            5 => format!("if S then local R = S.spec_resolver R.resolve = {CHANGE} end"),
            6 => format!("local L, x = require(\"alc_shapes\") string.instrument = {CHANGE} x.instrument(M, \"run\")"),
            7 => format!("require(\"_G\").require = function() return {{ instrument = {CHANGE} }} end"),
            8 => "local G = require(\"_G\") G.setmetatable = function(t, m) if t then t.meta = { name = \"g\" } end return t end".into(),
            9 => "require(\"_G\").setmetatable = function(t, m) if t then t.meta = { name = \"g\" } end return t end".into(),
            10 => format!("local R = require(\"alc_shapes\").spec_resolver R.resolve(1) local {} = R.x", self.choices.of(&["x", "y"])),
            _ => "local R = require(\"alc_shapes.t\") local T = R.T".into(),
        };
        self.line(&text);
        if self.choices.once_in(2) {
            let call = self.choices.of(&["S.instrument(M, \"run\")", "require(\"alc_shapes\").instrument(M, \"run\")"]);
            self.line(&format!("M.run = {call}"));
        }
    }

    /// An operator whose function gets the library.
    fn operator_on_a_library(&mut self) {
        let (metamethod, operator) = [("__lt", "<"), ("__eq", "=="), ("__concat", ".."), ("__add", "+")]
            .get(self.choices.below(4))
            .copied()
            .unwrap_or(("__le", "<="));
        let function =
            format!("function(_, s) if type(s) == \"table\" then s.instrument = {CHANGE} end return true end");
        self.line("local S = require(\"alc_shapes\")");
        self.line(&format!("local B = setmetatable({{}}, {{ {metamethod} = {function} }})"));
        let text = match self.choices.below(3) {
            0 => format!("if S and B {operator} S then end"),
            1 => format!("local x = S and B {operator} S and 1"),
            _ => "if S and S.instrument then local y = S and 1 end".into(),
        };
        self.line(&text);
        let call = self.choices.of(&["S", "S", "require(\"alc_shapes\")"]);
        self.line(&format!("M.run = {call}.instrument(M, \"run\")"));
    }

    /// An assignment to a field of what a call returns.
    fn call_to_assign_to(&mut self) {
        let (table, key, constant) = (self.table(), self.key(), self.constant());
        let name = self.name();
        self.line(&format!("{name}.r = function(t) return t or {table} end"));
        let text = match self.choices.below(6) {
            0 => format!("{name}.r().{key} = {constant}"),
            1 => format!("{name}:r().{key} = {constant}"),
            2 => format!("{name}.r {{ {table} }} [1].{key} = {constant}"),
            3 => format!("do {name}:r().{key}, {name}.x = {constant}, 1 end"),
            4 => format!("{name}.r \"\":rep(2).{key} = {constant}"),
            _ => format!("local function r(t) return t end {name}.x, r({table}).{key} = 1, {constant}"),
        };
        self.line(&text);
    }
}
