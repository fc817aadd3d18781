//! Errors that are recognised: by their code, or by the words of their message.
//!
//! Owns: the table of known messages, with their tags and advice, and the forms of error codes.
//! Never: recognises a message of another tool by a word that every message may have.

/// A kind of error that is known.
#[derive(Debug)]
pub(crate) struct KnownError {
    /// Codes of it.
    codes: &'static [&'static str],
    /// Texts in its message, in lower case, one of which it has.
    words: &'static [&'static str],
    pub(crate) tags: &'static [&'static str],
    pub(crate) advice: &'static str,
}

/// The table. The first row that fits is taken.
const KNOWN_ERRORS: &[KnownError] = &[
    KnownError {
        codes: &["TS2307", "TS2305", "TS2306", "TS2834", "TS2835", "E0432", "E0433", "ERR_MODULE_NOT_FOUND"],
        words: &[
            "cannot find module",
            "module not found",
            "unresolved import",
            "modulenotfounderror",
            "no module named",
            "err_module_not_found",
        ],
        tags: &["import", "module"],
        advice: "Check that the imported module exists under exactly this name and that its package is installed; relative \
                 imports in ESM keep the file extension",
    },
    KnownError {
        codes: &["TS2322", "TS2345", "TS2339", "TS2741", "TS2769", "TS2559", "TS7006", "E0308", "E0277", "E0599"],
        words: &[
            "is not assignable to",
            "mismatched types",
            "incompatible type",
            "does not exist on type",
            "the trait bound",
            "has incompatible type",
        ],
        tags: &["type-error"],
        advice: "Make the two types agree where the value is made, not by a cast; run the type checker before the tests",
    },
    KnownError {
        codes: &["TS2531", "TS2532", "TS2533", "TS18046", "TS18047", "TS18048"],
        words: &[
            "possibly 'null'",
            "possibly 'undefined'",
            "possibly null",
            "possibly undefined",
            "cannot read properties of undefined",
            "cannot read properties of null",
            "nonetype' object has no attribute",
        ],
        tags: &["null-check", "type-error"],
        advice: "Handle the missing value before it is used",
    },
    KnownError {
        codes: &["TS2304", "TS2552", "E0425", "E0412", "F821"],
        words: &[
            "cannot find name",
            "cannot find value",
            "cannot find type",
            "cannot find function",
            "is not defined",
            "undefined name",
            "undeclared identifier",
            "undefined: ",
        ],
        tags: &["import", "undefined-name"],
        advice: "Import or declare the name, and compare its spelling with the declaration",
    },
    KnownError {
        codes: &["E0382", "E0499", "E0502", "E0505", "E0506", "E0507", "E0515", "E0597", "E0716"],
        words: &["borrow of moved value", "use of moved value", "cannot borrow", "does not live long enough"],
        tags: &["borrow-checker"],
        advice: "Shorten the borrow, or move or clone the value before the conflicting use",
    },
    KnownError {
        codes: &[
            "no-unused-vars",
            "@typescript-eslint/no-unused-vars",
            "F401",
            "F841",
            "TS6133",
            "unused_variables",
            "unused_imports",
        ],
        words: &[
            "is defined but never used",
            "is declared but its value is never read",
            "unused variable",
            "unused import",
            "imported but unused",
        ],
        tags: &["unused"],
        advice: "Remove the unused name, or use it",
    },
    KnownError {
        codes: &["TS1005", "TS1109", "TS1128"],
        words: &["syntaxerror", "unexpected token", "unexpected end of", "unterminated string"],
        tags: &["syntax"],
        advice: "Read the line before the reported one too: a syntax error is often reported behind its cause",
    },
    KnownError {
        codes: &["EADDRINUSE"],
        words: &["address already in use"],
        tags: &["environment", "network"],
        advice: "Use port 0 or a free port, and stop the process that holds the port",
    },
    KnownError {
        codes: &["ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENOTFOUND"],
        words: &["connection refused", "connection reset", "could not resolve host"],
        tags: &["environment", "network"],
        advice: "Start the service that is connected to before the command, or replace it in tests",
    },
    KnownError {
        codes: &["EACCES", "EPERM"],
        words: &["permission denied"],
        tags: &["environment", "permission"],
        advice: "Check the owner and the rights of the file, and write where this user may write",
    },
    KnownError {
        codes: &["ENOENT"],
        words: &["no such file or directory", "command not found"],
        tags: &["environment", "missing-file"],
        advice: "Create the file or install the program first, and run the command from the folder that it expects",
    },
    KnownError {
        codes: &[],
        words: &["timed out", "timeout of", "test timeout"],
        tags: &["timeout"],
        advice: "Await what the test starts, and find what it waits for before the time is raised",
    },
    KnownError {
        codes: &[],
        words: &["assertionerror", "assertion failed", "assertion `left == right` failed", "tobe(", "toequal("],
        tags: &["assertion", "test"],
        advice: "Run this test alone and compare the expected value with the code before either is changed",
    },
    KnownError {
        codes: &["TypeError"],
        words: &["typeerror:", "is not a function", "is not iterable"],
        tags: &["type-error"],
        advice: "Check what the value is where the call is made",
    },
];

/// Names of errors of the system that are codes.
const SYSTEM_ERRORS: &[&str] = &[
    "EACCES",
    "EADDRINUSE",
    "ECONNREFUSED",
    "ECONNRESET",
    "ENOENT",
    "ENOTFOUND",
    "EPERM",
    "ETIMEDOUT",
    "ERR_MODULE_NOT_FOUND",
];

/// Returns the known error with this code, or with these words in its message.
pub(crate) fn find_known_error(code: Option<&str>, message: &str) -> Option<&'static KnownError> {
    let by_code = code.and_then(|code| KNOWN_ERRORS.iter().find(|known| known.codes.contains(&code)));
    by_code.or_else(|| {
        let message = message.to_lowercase();
        KNOWN_ERRORS.iter().find(|known| known.words.iter().any(|words| message.contains(words)))
    })
}

/// Splits the code from a message: `error TS2307: text`, `error[E0308]: text`, `F401 text`, `text (no-unused-vars)`.
pub(crate) fn split_code<'m>(tool: &str, message: &'m str) -> (Option<&'m str>, &'m str) {
    let text = message.trim();
    let rest = ["error", "warning", "Error", "Warning"].iter().find_map(|word| {
        let rest = text.strip_prefix(word)?;
        rest.starts_with([' ', '[', ':']).then(|| rest.trim_start_matches([' ', ':']))
    });
    let rest = rest.unwrap_or(text);
    let first = rest.split_whitespace().next().unwrap_or_default();
    let code = first.trim_start_matches('[').trim_end_matches([':', ',', ']']);
    let code = code.split_once("]:").map_or(code, |(code, _)| code);
    // A message may begin with a word such as `well-known`, which has the form of a lint.
    if is_code(code) && (code.contains("::") || !is_lint_rule(code)) {
        let after = rest.get(first.len()..).unwrap_or_default().trim();
        return (Some(code), if after.is_empty() { rest } else { after });
    }
    let last = text.split_whitespace().next_back().unwrap_or_default();
    let rule = last.trim_matches(['(', ')', '[', ']']);
    let is_marked = rule.len() + 2 == last.len() || tool.eq_ignore_ascii_case("eslint");
    if is_marked && is_lint_rule(rule) && last.len() < text.len() {
        let before = text.get(..text.len() - last.len()).unwrap_or_default().trim_end();
        return (Some(rule), before);
    }
    let within = text.split_whitespace().map(|word| word.trim_matches(['(', ')', '[', ']', ':', ',', '.', '\'']));
    (within.into_iter().find(|word| SYSTEM_ERRORS.contains(word) || is_compiler_code(word)), rest)
}

/// Whether a code that a tool reported in a field of its own, or a word of a message, has the form of one.
pub(crate) fn is_code(code: &str) -> bool {
    is_compiler_code(code) || is_linter_code(code) || SYSTEM_ERRORS.contains(&code) || is_lint_rule(code)
}

/// `TS2307`, `E0308`, `CS0103`, `C2065`: capitals and at least four digits.
fn is_compiler_code(word: &str) -> bool {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
    (1..=3).contains(&(word.len() - digits.len()))
        && (4..=5).contains(&digits.len())
        && digits.bytes().all(|b| b.is_ascii_digit())
}

/// `F401`, `SIM102`: capitals and three digits.
fn is_linter_code(word: &str) -> bool {
    let digits = word.trim_start_matches(|c: char| c.is_ascii_uppercase());
    (1..=4).contains(&(word.len() - digits.len())) && digits.len() == 3 && digits.bytes().all(|b| b.is_ascii_digit())
}

/// `no-unused-vars`, `@typescript-eslint/no-explicit-any`, `clippy::unwrap_used`.
fn is_lint_rule(word: &str) -> bool {
    if let Some(name) = word.strip_prefix("clippy::") {
        return !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    }
    let name = match word.strip_prefix('@').map(|rest| rest.split_once('/')) {
        Some(Some((_, name))) => name,
        Some(None) => return false,
        None => word,
    };
    let is_part = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_lowercase());
    name.contains('-') && name.split('-').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_split_from_messages() {
        for (tool, message, code, rest) in [
            ("tsc", "error TS2307: Cannot find module './x'", Some("TS2307"), "Cannot find module './x'"),
            ("tsc", "TS2322: Type 'a' is not assignable", Some("TS2322"), "Type 'a' is not assignable"),
            ("cargo", "error[E0308]: mismatched types", Some("E0308"), "mismatched types"),
            ("ruff", "F401 `os` imported but unused", Some("F401"), "`os` imported but unused"),
            (
                "eslint",
                "'x' is defined but never used  no-unused-vars",
                Some("no-unused-vars"),
                "'x' is defined but never used",
            ),
            (
                "lint",
                "Unexpected any (@typescript-eslint/no-explicit-any)",
                Some("@typescript-eslint/no-explicit-any"),
                "Unexpected any",
            ),
            (
                "vitest",
                "connect ECONNREFUSED 127.0.0.1:5432",
                Some("ECONNREFUSED"),
                "connect ECONNREFUSED 127.0.0.1:5432",
            ),
            ("tsc", "Cannot find module ./auth.js", None, "Cannot find module ./auth.js"),
            ("make", "a well-known", None, "a well-known"),
            ("make", "Error: it broke", None, "it broke"),
            ("make", "errors were found", None, "errors were found"),
            ("make", "", None, ""),
        ] {
            assert_eq!(split_code(tool, message), (code, rest), "{message}");
        }
    }

    #[test]
    fn errors_are_known_by_code_or_words() {
        let tags = |code, message| find_known_error(code, message).map(|known| known.tags[0]);
        assert_eq!(tags(Some("TS2307"), ""), Some("import"));
        assert_eq!(tags(None, "Cannot find module ./auth.js"), Some("import"));
        assert_eq!(tags(None, "Type 'a' is not assignable to type 'b'"), Some("type-error"));
        assert_eq!(tags(Some("X9999"), "something else"), None);
    }
}
