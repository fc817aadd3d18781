//! What the pages name of the source exists: a file that is renamed, or a constant, is renamed in them too.

use std::collections::HashSet;
use std::fs;

use super::{files_below, root, shown};

/// Names in capitals that belong to the system, to other programs, or to an example.
const FOREIGN_NAMES: [&str; 8] = [
    "CHANGELOG_SAVE_MODE",
    "HDD_FSYNC_BEFORE_CLOSE",
    "INSTA_UPDATE",
    "LIMIT_MS",
    "O_DIRECT",
    "O_EXCL",
    "PR_SET_NO_NEW_PRIVS",
    "RESOLVE_BENEATH",
];
/// The source of another program.
const FOREIGN_FILE: &str = "crates/paths/src/paths.rs";

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// Returns what stands between backticks, with the page and the line.
fn code_of_pages() -> Vec<(String, String)> {
    let mut pages = files_below("docs", &[".md"]);
    pages.extend(["README.md", "CONTRIBUTING.md", "SECURITY.md"].map(|page| root().join(page)));
    let mut code = Vec::new();
    for page in pages {
        for (number, line) in fs::read_to_string(&page).unwrap().lines().enumerate() {
            let place = format!("{}:{}", shown(&page), number + 1);
            code.extend(line.split('`').skip(1).step_by(2).map(|code| (place.clone(), code.to_owned())));
        }
    }
    code
}

#[test]
fn files_that_pages_name_exist() {
    let sources: Vec<String> = files_below(".", &[".rs"]).iter().map(|file| format!("/{}", shown(file))).collect();
    let mut missing = Vec::new();
    for (place, code) in code_of_pages() {
        for path in code.split(|c| !is_word(c) && !"/.-".contains(c)).filter(|path| path.ends_with(".rs")) {
            // `NAME` and the like stand for a name.
            let is_pattern = path.split(['/', '.']).any(|part| !part.is_empty() && part == part.to_uppercase());
            if !is_pattern && path != FOREIGN_FILE && !sources.iter().any(|file| file.ends_with(&format!("/{path}"))) {
                missing.push(format!("{place}: {path}"));
            }
        }
    }
    assert_eq!(missing, Vec::<String>::new());
}

#[test]
fn constants_that_pages_name_exist() {
    let mut known: HashSet<String> = FOREIGN_NAMES.map(str::to_owned).into();
    for file in files_below(".", &[".rs", ".toml", ".lua", ".py", ".sh", ".wit", "Makefile"]) {
        let text = fs::read_to_string(&file).unwrap_or_default();
        known.extend(text.split(|c| !is_word(c)).filter(|word| word.contains('_')).map(str::to_owned));
    }
    let is_constant = |word: &&str| {
        word.contains('_') && word.starts_with(|c: char| c.is_ascii_uppercase()) && *word == word.to_uppercase()
    };
    let mut missing = Vec::new();
    for (place, code) in code_of_pages() {
        let words = code.split(|c| !is_word(c)).filter(is_constant);
        missing.extend(words.filter(|word| !known.contains(*word)).map(|word| format!("{place}: {word}")));
    }
    assert_eq!(missing, Vec::<String>::new());
}
