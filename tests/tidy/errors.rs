//! Every error of the command line is shown in a snapshot of `tests/cli`, as a person reads it (a few are held against their
//! words there), or is named here with why it cannot be.

use std::fs;
use std::path::Path;

use super::root;

/// What no test can bring about, from the words that the message begins with.
const UNSEEN: &[(&str, &str)] = &[
    ("cannot check the sources", "the system gives random bytes"),
    ("cannot find the path of this program", "the system knows the program that it runs"),
    ("this user has no home folder", "the system knows a home of every user that it has"),
    ("cannot remove temporary files", "a disk that fails"),
    ("the permissions of {} cannot be changed", "a file of another user"),
    ("cannot list packages", "a disk that fails"),
    ("cannot read the failures", "a disk that fails"),
    ("the process that reads the configuration failed", "a server that starts it"),
    ("cannot list the servers", "a disk that fails"),
    ("cannot list the runs", "a disk that fails"),
    ("cannot drop the run", "a disk that fails"),
    ("cannot look for tests", "a disk that fails"),
    ("cannot remove what a test left", "a disk that fails"),
    ("cannot copy the AppDir for the tests", "a disk that fails"),
    ("cannot copy {folder} for the tests", "a package that cannot be installed either"),
    ("the tests were interrupted", "a person who interrupts them"),
    ("the run was stopped before", "a person who interrupts a run before its first question"),
    ("cannot notice an interruption", "a system without signals"),
    ("cannot ask at this terminal", "a terminal that fails"),
    ("checks failed: servers only read this AppDir", "a file system with a cache of its own"),
    ("cannot write the stamp", "a file system of several machines that fails"),
    ("cannot make a folder for the check", "a folder that cannot be written"),
    ("cannot start a process on a mount", "the system starts the program that it runs"),
    ("the check failed", "a check that starts it"),
    ("cannot draw on this terminal", "a terminal that fails"),
    ("{name} is longer than", "a file of 16 MiB"),
    ("cannot wait for the command", "the system knows the processes that it started"),
    ("cannot use the run", "a disk that fails"),
    ("the process that checks it ended with", "a worker that dies at once"),
    ("cannot find the absolute path of {}", "a working folder that was removed"),
    ("cannot open ALC_PACKAGES_PATH", "rights that do not bind root"),
    ("no agent is called", "the parser refuses it first"),
    ("this system has no Unix sockets", "on another system"),
    ("cannot create a token", "the system has random bytes"),
    ("cannot start the log", "a process starts it once"),
    ("cannot read the answer", "a terminal that fails between a question and its answer"),
    ("{text} has no address", "a name without an address is refused with the resolver's own words"),
    ("was changed meanwhile", "between a look and a rename; tests/agents/files.rs has the same for others' files"),
    ("cannot write to standard output", "a standard output that fails"),
    ("cannot serve", "a system that gives a server neither its pipes nor a thread"),
    ("cannot start the process", "a system that starts no process"),
    ("cannot check how workers are confined", "a system that starts no process"),
    ("this server cannot be confined", "a kernel without what it takes; tests/confine has it with such a one"),
    ("cannot be confined", "a kernel without what it takes"),
    ("there is no key for the review page", "the system has random bytes, and files can be read"),
    ("cannot listen at 127.0.0.1", "a system without a free port"),
    ("the spawner failed", "a server that ends in the middle of a message"),
];

/// The messages of a file: each literal that a failure is made with, directly or by the name next above it.
fn messages(text: &str) -> Vec<String> {
    let starts = text.match_indices("CommandError::new(").chain(text.match_indices("CommandError::with_cause("));
    let mut found = Vec::new();
    for (at, made) in starts {
        let rest = text[at + made.len()..].trim_start();
        let rest = rest.strip_prefix("format!(").unwrap_or(rest).trim_start();
        if rest.starts_with('"') {
            found.push(literal(rest));
            continue;
        }
        let name: String = rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let set = [format!("let {name} ="), format!("const {name}: &str =")];
        let Some(start) = set.iter().filter_map(|set| text[..at].rfind(set.as_str())).max() else { continue };
        let end = text[start..].find(';').map_or(text.len(), |end| start + end);
        let mut rest = &text[start..end];
        while let Some(quote) = rest.find('"') {
            let own = literal(&rest[quote..]);
            rest = &rest[quote + own.len() + 2..];
            found.push(own);
        }
    }
    found
}

/// A literal as it is written, from its first quote on.
fn literal(text: &str) -> String {
    let mut escaped = false;
    text[1..]
        .chars()
        .take_while(|c| {
            let ends = *c == '"' && !escaped;
            escaped = *c == '\\' && !escaped;
            !ends
        })
        .collect()
}

/// What is the same in it whatever it is about.
fn fixed(message: &str) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut is_value = false;
    for c in message.replace("\\\"", "\"").replace("\\n", "\n").chars() {
        match c {
            '{' => is_value = true,
            '}' => {
                is_value = false;
                parts.push(String::new());
            }
            _ if !is_value => parts.last_mut().unwrap().push(c),
            _ => {}
        }
    }
    parts.iter().map(|part| part.trim().to_owned()).filter(|part| part.len() > 2).collect()
}

fn sources(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.push(fs::read_to_string(&path).unwrap());
        }
    }
}

#[test]
fn every_error_of_the_command_line_is_in_a_snapshot() {
    let (mut code, mut shown) = (Vec::new(), Vec::new());
    sources(&root().join("host/src"), &mut code);
    sources(&root().join("tests/cli"), &mut shown);
    let shown = shown.concat();
    let all: Vec<String> = code.iter().flat_map(|text| messages(text)).collect();
    assert!(all.len() > 80, "{}", all.len());
    let is_shown = |message: &&String| fixed(message).iter().all(|part| shown.contains(part.as_str()));
    let is_named = |message: &&String| UNSEEN.iter().any(|(words, _)| message.contains(words));
    let unseen: Vec<_> = all.iter().filter(|message| !is_shown(message) && !is_named(message)).collect();
    assert!(unseen.is_empty(), "{unseen:#?}");
    // What can be seen by now, or is no message any more, is not named.
    let stale = |words: &&str| all.iter().filter(|message| message.contains(words)).all(|message| is_shown(&message));
    let stale: Vec<_> = UNSEEN.iter().map(|(words, _)| *words).filter(|words| stale(words)).collect();
    assert!(stale.is_empty(), "{stale:#?}");
}
