//! Declarations: a hostile one is an entry or a problem with its file and line, and hides no other entry, in its own file
//! or beside it.
#![no_main]

use std::cell::RefCell;
use std::fs;
use std::path::PathBuf;

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use tempfile::TempDir;
use wardroom_appdir::{Access, Folder, ambient};
use wardroom_config::WatchMode;
use wardroom_registry::{RegistryOverview, RegistryRoot, RegistryService};

/// An entry that every caller gets.
fn good(namespace: &str, name: &str) -> String {
    format!(
        "  - name: {name}\n    kind: function.lua\n    source: file://run.lua\n    method: call\n    meta: {{ mcp.tool: true, mcp.name: \
         {namespace}_{name}, mcp.description: A tool }}\n"
    )
}

const LINES_OF_GOOD: u64 = 5;

fn head(namespace: &str) -> String {
    format!("version: \"1.0\"\nnamespace: {namespace}\nentries:\n")
}

struct Fixture {
    _dir: TempDir,
    path: PathBuf,
    folder: Folder,
}

impl Fixture {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().canonicalize().expect("a path");
        let folder = ambient::open_folder(&path, Access::ReadWrite).expect("it can be opened");
        for name in ["beside", "hostile"] {
            fs::create_dir_all(path.join("registry").join(name)).expect("a folder is made");
            let handler = "return { call = function(arguments) return {} end }\n";
            fs::write(path.join("registry").join(name).join("run.lua"), handler).expect("a file is written");
        }
        let text = head("safe") + &good("safe", "one");
        fs::write(path.join("registry/beside/_index.yaml"), text).expect("a file is written");
        Self { _dir: dir, path, folder }
    }

    /// Scans with this index.
    fn scan(&self, index: &[u8]) -> RegistryOverview {
        fs::write(self.path.join("registry/hostile/_index.yaml"), index).expect("a file is written");
        let root = RegistryRoot {
            name: "registry".to_owned(),
            folder: self.folder.clone(),
            relative_path: "registry".to_owned(),
        };
        let is_taken = Box::new(|name: &str| name.starts_with("alc"));
        RegistryService::new(vec![root], is_taken, WatchMode::Off).overview()
    }
}

fn offers(overview: &RegistryOverview, id: &str) -> bool {
    let tool = format!("tool {}", id.replace(':', "_"));
    overview.rows.iter().any(|row| row.id == id && row.offers.contains(&tool))
}

/// Problems name a place in the hostile file; only of two with one name both are named.
fn check_problems(overview: &RegistryOverview, lines: u64) {
    for problem in &overview.problems {
        let is_duplicate = problem.message.contains("is also declared at");
        assert!(problem.file == "registry/hostile/_index.yaml" || is_duplicate, "{problem}");
        assert!(problem.line <= lines + 1, "{problem} of {lines} lines");
        assert!(!problem.message.is_empty() && problem.message.len() <= 1_003, "{problem}");
    }
    for row in &overview.rows {
        assert!(row.line >= 1 && !row.id.is_empty(), "{row:?}");
    }
}

fn count_lines(text: &[u8]) -> u64 {
    text.iter().filter(|byte| matches!(byte, b'\n' | b'\r')).count() as u64 + 1
}

/// Any file beside another one.
fn check_file(fixture: &Fixture, text: &[u8]) {
    let overview = fixture.scan(text);
    check_problems(&overview, count_lines(text));
    let is_claimed = overview.problems.iter().any(|problem| problem.file != "registry/hostile/_index.yaml");
    assert!(is_claimed || offers(&overview, "safe:one"), "{overview:?}");
    let is_index = overview.rows.iter().any(|row| row.file == "registry/hostile/_index.yaml");
    if !is_index && overview.problems.is_empty() {
        // An empty list of entries is valid. A key without its list is a warning.
        let text = String::from_utf8_lossy(text);
        let has_list = text.contains("entries") || text.contains('\\');
        assert!(text.trim().is_empty() || has_list, "{text:?} is neither an entry nor a problem");
    }
}

/// An entry of JSON, which is YAML too, between two others.
fn check_entry(fixture: &Fixture, entry: &Value) {
    let text = head("app") + &good("app", "before") + &format!("  - {entry}\n") + &good("app", "after");
    let line = 4 + LINES_OF_GOOD;
    let overview = fixture.scan(text.as_bytes());
    check_problems(&overview, count_lines(text.as_bytes()));
    let is_of_entry = |at: u64| at == line;
    let is_clash = overview.problems.iter().any(|problem| problem.message.contains("is also declared at"));
    for id in ["app:before", "app:after", "safe:one"] {
        assert!(is_clash || offers(&overview, id), "{id} is hidden by {entry}: {:?}", overview.problems);
    }
    let is_row = overview.rows.iter().any(|row| row.file.contains("hostile") && is_of_entry(row.line));
    let is_problem = overview.problems.iter().any(|problem| is_of_entry(problem.line));
    assert!(is_row || is_problem, "{entry} is neither an entry nor a problem: {overview:?}");
}

thread_local! {
    static FIXTURE: RefCell<Option<Fixture>> = const { RefCell::new(None) };
}

fuzz_target!(|input: &[u8]| {
    let Some((kind, rest)) = input.split_first() else { return };
    FIXTURE.with_borrow_mut(|fixture| {
        let fixture = fixture.get_or_insert_with(Fixture::new);
        match kind % 4 {
            0 => {
                if let Ok(entry) = serde_json::from_slice::<Value>(rest) {
                    check_entry(fixture, &entry);
                }
            }
            // The entries of a file.
            1 => check_file(fixture, &[head("app").as_bytes(), rest].concat()),
            // The keys of an entry.
            2 => {
                let entry = good("app", "one") + &good("app", "two");
                check_file(fixture, &[head("app").as_bytes(), entry.as_bytes(), b"    ", rest].concat());
            }
            _ => check_file(fixture, rest),
        }
    });
});
