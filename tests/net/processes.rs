//! The helper processes: they end with their server, even if that is killed, are confined, and their absence is
//! reported.

#![cfg(target_os = "linux")]

use std::fs;

use serde_json::json;

use super::web::{Web, reply};
use super::{call, command, eventually, path, refusal, serving};
use wardroom_test_support::{StdioClient, TestDir, run_command, wardroom_command};

fn comm(id: u32) -> Option<String> {
    Some(fs::read_to_string(format!("/proc/{id}/comm")).ok()?.trim_end().to_owned())
}

/// Whether a process runs; a zombie does not.
pub(super) fn runs(id: u32) -> bool {
    let stat = fs::read_to_string(format!("/proc/{id}/stat")).unwrap_or_default();
    stat.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

/// Returns the child processes of a process.
pub(super) fn children(id: u32) -> Vec<u32> {
    let tasks = fs::read_dir(format!("/proc/{id}/task")).into_iter().flatten();
    let listed = tasks.filter_map(|task| fs::read_to_string(task.ok()?.path().join("children")).ok());
    listed.flat_map(|ids| ids.split_whitespace().map(|id| id.parse().unwrap()).collect::<Vec<_>>()).collect()
}

pub(super) fn helpers_of(server: u32) -> Vec<(u32, String)> {
    let named = children(server).into_iter().filter_map(|id| Some((id, comm(id)?)));
    named.filter(|(_, name)| name.starts_with("helper-")).collect()
}

pub(super) fn kill(id: u32) {
    let pid = rustix::process::Pid::from_raw(id.try_into().unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

const BOTH: &str = "git = true\nhub = true\nprivate = [\"localhost\"]";

fn setup() -> (TestDir, Web) {
    let index = json!({"schema_version": "hub_index/v0", "packages": []}).to_string();
    let web = Web::start(move |_, out| reply(out, 200, &[], &index));
    let dir = TestDir::new();
    dir.write_file("config.toml", format!("[hub]\ncollection_url = \"{}\"\n", web.url("/i.json")));
    (dir, web)
}

fn names(client: &StdioClient) -> Vec<String> {
    let mut names: Vec<String> = helpers_of(client.process_id()).into_iter().map(|(_, name)| name).collect();
    names.sort_unstable();
    names
}

#[test]
fn enabled_helpers_run_and_end_with_server() {
    let (dir, web) = setup();
    for (network, expected) in [
        ("", &[][..]),
        ("git = true", &["helper-git"]),
        ("hub = true", &["helper-http"]),
        (BOTH, &["helper-git", "helper-http"]),
    ] {
        let client = serving(&dir, &web, network);
        assert_eq!(names(&client), expected);
        let ids: Vec<u32> = helpers_of(client.process_id()).into_iter().map(|(id, _)| id).collect();
        assert!(client.finish().0.success());
        eventually("they end with the server", || !ids.iter().any(|id| runs(*id)));
    }
    let mut client = serving(&dir, &web, BOTH);
    let ids: Vec<u32> = helpers_of(client.process_id()).into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids.len(), 2);
    kill(client.process_id());
    client.wait();
    eventually("they end with a server that was killed", || !ids.iter().any(|id| runs(*id)));
}

/// A confined server cannot start another helper.
#[test]
fn killed_helper_is_reported_and_server_continues() {
    let (dir, web) = setup();
    let mut client = serving(&dir, &web, BOTH);
    for (id, _) in helpers_of(client.process_id()) {
        kill(id);
        eventually("it ends", || !runs(id));
    }
    let found = call(&mut client, "alc_hub_search", json!({}));
    let warning = found["warnings"][0].as_str().unwrap();
    assert!(warning.contains("restart the server"), "{warning}");
    let (code, message) = refusal(&mut client, "alc_pkg_install", json!({"url": web.url("/r")}));
    assert!(code == "HELPER_GONE" && message.contains("restart the server"), "{code} {message}");
    assert_eq!(web.connections(), 0);
    assert!(call(&mut client, "alc_pkg_list", json!({}))["packages"].is_array());
    assert!(client.finish().0.success());
}

#[test]
fn helpers_are_confined() {
    if wardroom_test_support::landlock_or_skip(3).is_none() {
        return;
    }
    let (dir, web) = setup();
    let client = serving(&dir, &web, BOTH);
    for (id, name) in helpers_of(client.process_id()) {
        let status = fs::read_to_string(format!("/proc/{id}/status")).unwrap();
        let has = |line: &str| status.lines().any(|found| found == line);
        assert!(has("NoNewPrivs:\t1"), "{name}: {status}");
        // The system calls of git are unknown, so only the HTTP helper has a filter.
        assert_eq!(has("Seccomp:\t2"), name == "helper-http", "{name}: {status}");
        let environment = fs::read(format!("/proc/{id}/environ")).unwrap_or_default();
        assert!(!String::from_utf8_lossy(&environment).contains("HOME="), "{name}");
    }
}

#[test]
fn doctor_reports_helper_status() {
    let (dir, web) = setup();
    let mut good = command(&dir, &web, BOTH);
    let finished = run_command(good.arg("doctor"));
    let line = |finished: &wardroom_test_support::CommandOutput, what: &str| {
        let found = finished.stdout.lines().find(|line| line.contains(what)).unwrap_or_else(|| panic!("{finished:?}"));
        found.to_owned()
    };
    assert!(line(&finished, "fetching git").contains("on (git version "), "{}", finished.stdout);
    assert!(line(&finished, "fetching http").contains("on (certificates: 1)"), "{}", finished.stdout);
    // Without git and without certificates.
    let mut bare = wardroom_command(dir.root());
    bare.arg("--appdir").arg(dir.app_path()).env("PATH", dir.root()).env("SSL_CERT_FILE", dir.root().join("none"));
    let finished = run_command(bare.arg("doctor"));
    assert!(line(&finished, "fetching git").contains("git is not installed"), "{}", finished.stdout);
    assert!(line(&finished, "fetching http").contains("no root certificates"), "{}", finished.stdout);
    let mut off = command(&dir, &web, "");
    assert!(!run_command(off.env("PATH", path()).arg("doctor")).stdout.contains("fetching"));
}
