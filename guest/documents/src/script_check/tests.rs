//! Tests of single rules. `differential` compares with Lua itself.

mod differential;
mod hostile;

use super::check;

/// Returns the problems as `line:column: message`.
fn problems(source: impl AsRef<[u8]>) -> Vec<String> {
    let shown = |problem: crate::problem::Problem| {
        format!("{}:{}: {}", problem.position.line, problem.position.column, problem.message)
    };
    check(source.as_ref()).into_iter().map(shown).collect()
}

#[test]
fn correct_script_has_no_problems() {
    for source in [
        "",
        ";;;",
        "#!/usr/bin/lua\nreturn 1",
        "# ends with\rthe next LF, if there is one: = =",
        "\u{feff}return",
        "local a <const>, b <close> = 1, nil; return a // 2 ~ b >> 1, ...",
        "function a.b:c(x, ...) return self, ... end",
        "for i = 1, 2, 3 do if i then break end end for k, v in pairs(t) do goto continue ::continue:: end",
        "repeat local x = f{1; 2, [3] = 4, five = 5,} until x",
        "do goto done; local x; ::done:: ; end",
        "::top:: if x then goto top end",
        "local function f() return f 'x', f[[y]], f\"\\z  \\u{7FFFFFFF}\" end",
        "a, b.c, d[1] = not -#~x ^ 2 .. 'x'",
        "local x <const> = 1; do local x = 2; x = 3 end",
        "local x = '\u{e9}' -- \u{e9}",
        "return",
        "return;",
        "return f()(1).x:y{}",
    ] {
        assert_eq!(problems(source), [""; 0], "{source}");
    }
    assert_eq!(problems(b"local s = '\xff' -- \xfe"), [""; 0]);
}

#[test]
fn syntax_error_names_position_and_token() {
    for (source, problem) in [
        ("x =", "1:4: unexpected symbol near <eof>"),
        ("x = end", "1:5: unexpected symbol near 'end'"),
        ("if x then\n y()\n", "3:1: 'end' expected (to close 'if' at line 1) near <eof>"),
        ("if x then y()", "1:14: 'end' expected near <eof>"),
        ("f(\n1", "2:2: ')' expected (to close '(' at line 1) near <eof>"),
        ("x = {\n1 2}", "2:3: '}' expected (to close '{' at line 1) near '2'"),
        ("end", "1:1: <eof> expected near 'end'"),
        ("return 1 x()", "1:10: <eof> expected near 'x'"),
        ("repeat x() end", "1:12: 'until' expected near 'end'"),
        ("for 1 = 2 do end", "1:5: <name> expected near '1'"),
        ("for x do end", "1:7: '=' or 'in' expected near 'do'"),
        ("for x = 1 do end", "1:11: ',' expected near 'do'"),
        ("x", "1:2: syntax error near <eof>"),
        ("x.y", "1:4: syntax error near <eof>"),
        ("(x) = 1", "1:5: syntax error near '='"),
        ("f() = 1", "1:5: syntax error near '='"),
        ("a, f() = 1, 2", "1:8: syntax error near '='"),
        ("x:y = 1", "1:5: function arguments expected near '='"),
        ("x = 'a' 'b'", "1:9: unexpected symbol near ''b''"),
        ("function f(a,) end", "1:14: <name> or '...' expected near ')'"),
        ("function f(..., a) end", "1:15: ')' expected near ','"),
        ("function f.g[1]() end", "1:13: '(' expected near '['"),
        ("local x.y = 1", "1:8: unexpected symbol near '.'"),
        ("goto 1", "1:6: <name> expected near '1'"),
        ("::a:", "1:4: '::' expected near ':'"),
        ("local function f.g() end", "1:17: '(' expected near '.'"),
        ("x = {[1] 2}", "1:10: '=' expected near '2'"),
        ("x = 1 = 2", "1:7: unexpected symbol near '='"),
        ("while x y() end", "1:9: 'do' expected near 'y'"),
        ("if x y() end", "1:6: 'then' expected near 'y'"),
        ("x = a != b", "1:7: unexpected character '!'"),
        ("x = 'a\ny = 1", "1:5: unterminated string"),
        ("x = '\\q'", "1:6: invalid escape sequence"),
        ("x = 0x", "1:5: malformed number"),
        ("y()\n--[[ a", "2:1: unterminated comment"),
    ] {
        // The rest after the error is not read.
        assert_eq!(problems(source), [problem], "{source}");
    }
}

#[test]
fn rule_of_the_compiler_does_not_end_the_check() {
    let source = "\
local a <const>, b <clse> = 1, 2
a = 3
function f() return ... end
break
goto nowhere
do goto over; local x; ::over:: print(x) end
::twice:: ::twice::
local c <close>, d <close> = nil
function a() a = 1; b, a.x = 1 end
";
    assert_eq!(
        problems(source),
        [
            "1:21: unknown attribute 'clse'",
            "2:1: attempt to assign to const variable 'a'",
            "3:21: cannot use '...' outside a vararg function",
            "4:1: break outside a loop",
            "5:6: no visible label 'nowhere' for goto",
            "6:9: goto 'over' jumps into the scope of local 'x'",
            "7:13: label 'twice' already defined on line 7",
            "8:21: multiple to-be-closed variables in local list",
            "9:10: attempt to assign to const variable 'a'",
            "9:14: attempt to assign to const variable 'a'",
            "9:21: attempt to assign to const variable 'b'",
        ]
    );
}

#[test]
fn label_is_seen_by_its_function_and_block_only() {
    for (source, problem) in [
        ("do ::a:: end goto a", "1:19: no visible label 'a' for goto"),
        ("::a:: local function f() goto a end", "1:31: no visible label 'a' for goto"),
        ("goto a local function f() ::a:: end", "1:6: no visible label 'a' for goto"),
        ("::a:: do ::a:: end", "1:12: label 'a' already defined on line 1"),
        ("repeat goto a; local x; ::a:: until x", "1:13: goto 'a' jumps into the scope of local 'x'"),
        ("do do goto a end local x ::a:: y() end", "1:12: goto 'a' jumps into the scope of local 'x'"),
        ("while x do local function f() break end end", "1:31: break outside a loop"),
    ] {
        assert_eq!(problems(source), [problem], "{source}");
    }
    for source in [
        "do ::a:: end do ::a:: end",
        "::a:: local function f() ::a:: goto a end goto a",
        "do do goto a end local x ::a:: ; end",
        "do local x goto a end ::a:: y()",
        "while x do repeat if y then break end until z end",
    ] {
        assert_eq!(problems(source), [""; 0], "{source}");
    }
}

#[test]
fn local_variables_are_limited() {
    let locals = |n: usize| (0..n).map(|i| format!("local v{i} ")).collect::<String>();
    assert_eq!(problems(locals(200)), [""; 0]);
    let refused = problems(format!("{}\nlocal x = 1", locals(200)));
    assert_eq!(refused, ["2:9: too many local variables (the limit is 200 in a function) near '='"]);
    assert_eq!(problems(format!("{} local function f() {} end", locals(199), locals(200))), [""; 0]);
    assert_eq!(problems(format!("do {} end {}", locals(200), locals(200))), [""; 0]);
    assert_eq!(problems(format!("{} for i = 1, 2 do end", locals(196))), [""; 0]);
    assert_eq!(problems(format!("{} for i = 1, 2 do end", locals(197))).len(), 1);
}
