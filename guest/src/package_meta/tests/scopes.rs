//! Names that mean another variable than they seem to: each program makes other metadata than a reader sees who takes
//! the name for the wrong variable.

use super::check;

const FULL: &str = r#"{"name":"a"}"#;
const GIVEN: &str = ": gives code that is not followed a table to change";

fn module(body: &str) -> String {
    format!("local M = {{}} M.meta = {{ name = 'a' }}\n{body}\nreturn M")
}

#[test]
fn declared_name_is_new_only_after_its_value() {
    for body in [
        "do local M = f 'x' (M) end",
        "do local M = f [[x]] (M) end",
        "do local M = f {} (M) end",
        "do local M = o:f 'x' (M) end",
        "do local M = f {} 'x' { y = 1 } (M) end",
        "for M in f {} (M) do end",
        "for M in f '' (M) do end",
    ] {
        check(&module(body), FULL, &[GIVEN]);
    }
    // A string or a table of its own is not called: a new statement begins, with the new variable.
    for body in [
        "do local M = 'x' (f)(M) end",
        "do local M = {} (f)(M) end",
        "do local M = function() end (f)(M) end",
        "do local M = 1 goto x (f)(M) ::x:: end",
    ] {
        check(&module(body), FULL, &[]);
    }
}

#[test]
fn condition_of_repeat_sees_names_of_its_block() {
    let shapes = "local S = require('alc_shapes') local M = {} M.meta = { name = 'a' }";
    let condition = |body: &str| format!("{shapes} repeat {body} M.x = 1 return M");
    for body in [
        "local S = f until S.instrument(M, 'run')",
        "local require = f until require('alc_shapes').instrument(M, 'run')",
        "local S = f until not f(function() return S.instrument(M, 'run') end)",
    ] {
        check(&condition(body), FULL, &[GIVEN]);
    }
    // Behind the condition, the name is the outer one's again.
    for body in [
        "local M until M.meta local A = M A.meta.name = 'a'",
        "local M until f(M) M.y = S.instrument(M, 'run')",
        "local M until f(M) do M.y = S.instrument(M, 'run') end",
        "local S until f(function() repeat local S until S end) (f)() M.run = S.instrument(M, 'run')",
    ] {
        check(&condition(body), FULL, &[]);
    }
    check(&module("repeat local M until f M.meta = nil"), "{}", &[]);
}

#[test]
fn method_has_a_parameter_without_a_name() {
    let source = |name: &str| {
        format!(
            "local self = require('alc_shapes') local M = {{}} M.meta = {{ name = 'a' }} local X = {{}}
            function X{name} self.instrument(M, 'run') end X.g({{ instrument = function(m) m.meta = nil end }}) return M"
        )
    };
    check(&source(":g()"), FULL, &[GIVEN]);
    check(&source(".g()"), FULL, &[]);
    check(&module("local self = M function M:f() self.meta = nil end"), FULL, &[]);
}

#[test]
fn key_in_a_block_is_not_the_constant_of_its_name() {
    let key = ": has a key that is not a constant";
    for (head, body) in [
        ("local k = 'other'", "local function f(k) M[k] = nil end f('meta')"),
        ("", "for k, v in pairs({ meta = { name = 'evil' } }) do M[k] = v end local k = 'other'"),
        ("", "local k = 'meta' do M[k] = nil end local k = 'other'"),
        ("local k = 'other'", "do local k = 'meta' M[k] = nil end"),
        ("local k = 'other'", "do local k = 'meta' M[k].name = nil end"),
    ] {
        check(&module(&format!("{head} {body}")), FULL, &[key]);
    }
    check(&module("local k = 'x' do M['x'] = k M[2] = k end M[k] = 1"), FULL, &[]);
}

#[test]
fn variable_that_a_block_assigns_leads_anywhere() {
    for body in [
        "local A = M.meta do A = {} end A.name = 'b'",
        "local T = { name = 'a' } M.meta = T local A = T do A = {} end A.name = 'b'",
        "local T = { name = 'a' } M.meta = T local A = T local function f() A = {} end f() A.name = 'b'",
    ] {
        let (json, reason) =
            if body.starts_with("local A") { (FULL, GIVEN) } else { (r#"{"name":"b"}"#, ": assigned inside a block") };
        check(&module(body), json, &[reason]);
    }
    check(&module("local A = {} do A = { 1 } end A.name = 'b' M.x = 1"), FULL, &[]);
}
