//! Statements of every kind.
//!
//! Owns: those that packages have, and those that change tables by every means of the language.
//! Never: writes what is misleading about a name or an operator; see `misleading`.

use super::{MAX_DEPTH, Writer};

impl Writer<'_, '_> {
    pub(super) fn statement(&mut self) {
        if self.depth >= MAX_DEPTH {
            let (place, value) = (self.place(), self.constant());
            return self.line(&format!("{place} = {value}"));
        }
        if self.choices.below(4) < self.mildness {
            return self.mild_statement();
        }
        if self.choices.once_in(4) {
            return self.misleading_statement();
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
                    "local _ENV = M meta = { name = \"own\" }",
                    "do local _, _ENV = 1, { q = M } q.meta = nil end",
                    "M.spec = { args = setmetatable({ m = M }, { __len = function(t) t.m.meta = nil return 0 end }) }",
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
