//! The forms in which metadata is written, and those that a plain text search gets wrong, each with its right result.

use super::check;

#[test]
fn metadata_forms_give_expected_json() {
    let m = |body: &str| format!("local M = {{}}\n{body}\nreturn M");
    let rows = [
        (
            "\u{feff}local M = {} M.meta = { name = \"a\" .. \"b\"; version = \"1\" } return M".into(),
            r#"{"name":"ab","version":"1"}"#,
        ),
        (m("M.meta = setmetatable({ name = 'a' }, {})"), r#"{"name":"a"}"#),
        (m("M.meta = { name = \"a\", authors = {{ name = \"bob\" }} }"), r#"{"authors":[{"name":"bob"}],"name":"a"}"#),
        (
            m("M.meta = { authors = {{ name = \"bob\" }}, name = \"demo_f\" }"),
            r#"{"authors":[{"name":"bob"}],"name":"demo_f"}"#,
        ),
        (m("M.meta = { name = 'a' }"), r#"{"name":"a"}"#),
        (
            m("M.meta = { description = [[long \"text\" here]], name = \"e\" }"),
            r#"{"description":"long \"text\" here","name":"e"}"#,
        ),
        (m("local V = 'v' M.meta = { d = \"a\" .. 'b' .. V }"), r#"{"d":"abv"}"#),
        (
            m("local V = \"1.2.0\"; M.meta = { name = \"d\", version = V, category = \"x\" }"),
            r#"{"category":"x","name":"d","version":"1.2.0"}"#,
        ),
        (m("M.meta = { version = nil, name = 'a' }"), r#"{"name":"a"}"#),
        (m("M.meta = { version = 1.5, name = 'a' }"), r#"{"name":"a","version":1.5}"#),
        (m("local meta_table = { name = 'a' } M.meta = meta_table M.other = { name = 'b' }"), r#"{"name":"a"}"#),
        ("local meta = { name = 'a' }; M = { meta = meta } return M".into(), r#"{"name":"a"}"#),
        (m("M . meta = {} M.meta.name = 'a'"), r#"{"name":"a"}"#),
        (m(r#"M.meta = { d = "say \"hi\"", name = "a" }"#), r#"{"d":"say \"hi\"","name":"a"}"#),
        (m("M.meta = { d = \"}\", name = \"a\" }"), r#"{"d":"}","name":"a"}"#),
        (m("M.meta = { [\"name\"] = \"x\" }"), r#"{"name":"x"}"#),
        (m("M.meta = { description = \"the name is\", name = \"a\" }"), r#"{"description":"the name is","name":"a"}"#),
        (m("M.metadata = { name = 'no' } M.meta = { name = 'a' }"), r#"{"name":"a"}"#),
        (m("M.meta = { name_long = 'no', name = 'a' }"), r#"{"name":"a","name_long":"no"}"#),
        (m("local u = 'http://x--y' M.meta = { name = 'a' }"), r#"{"name":"a"}"#),
        (m("M.meta = {\n-- version = \"0.0.1\"\nversion = \"1\" }"), r#"{"version":"1"}"#),
        (m("--[==[ M.meta = { name = 'no' } ]==] M.meta = { name = 'a' }"), r#"{"name":"a"}"#),
        (m("local s = 'M.meta = {}' --- M.meta = {}\nM.meta = { name = 'a' }"), r#"{"name":"a"}"#),
        (m(r#"M.meta = { d = "\\boxed{x}" }"#), r#"{"d":"\\boxed{x}"}"#),
    ];
    for (source, json) in rows {
        check(&source, json, &[]);
    }
    check(
        &m("M.meta = { version = ('x'):rep(3), name = 'a' }"),
        r#"{"name":"a","version":null}"#,
        &["version: calls a function"],
    );
    check(&m("M.meta = merge(base, { name = 'a' })"), "{}", &[": calls a function"]);
    let wrapped = ": may be assigned to in brackets";
    let full = r#"{"name":"a"}"#;
    for (body, json, place) in [
        ("(M).meta = { name = 'a' }", "{}", wrapped),
        ("M.meta = { name = 'a' }; ((M)).meta = nil", full, wrapped),
        ("if x then end (M or x).meta = { name = 'a' }", "{}", wrapped),
        ("local t = {}; M.meta, (t).x = { name = 'a' }, 1", "{}", wrapped),
        ("local t = {}; (t).x, M.meta = 1, { name = 'a' }", "{}", wrapped),
        ("M.meta = {} function M.f() (M).meta = nil end", "{}", ": assigned inside a block"),
        ("M.meta = {} function M.f(t) t.x, (M).meta = nil end", "{}", ": assigned inside a block"),
    ] {
        check(&m(body), json, &[place]);
    }
    // Brackets in which the name belongs to another variable.
    for body in [
        "M.meta = { name = 'a' } function M.f(M) (M).meta = nil end",
        "M.meta = { name = 'a' } function M.f(self) (self.M or x).M = nil end",
    ] {
        check(&m(body), r#"{"name":"a"}"#, &[]);
    }
    check(
        &m("M.meta = { x = -1e-300 % 2e-300, y = 1e-300 % -2e-300, z = -4.0 % 2.0 }"),
        r#"{"x":1e-300,"y":-1e-300,"z":-0.0}"#,
        &[],
    );
}
