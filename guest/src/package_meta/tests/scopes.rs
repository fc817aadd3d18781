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
