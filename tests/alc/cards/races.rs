//! Tests with several processes, some of them killed: one of two writers of a card wins, and no write is left in part.

use std::collections::HashSet;
use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::{Signal, getpid, kill_process};
use serde_json::{Value, json};
use wardroom_appdir::with_failpoints;

use super::{alc, alc_at, create, list_ids, run_op, try_op};
use wardroom_alc::AlcOptions;
use wardroom_alc::limits::MAX_CARD_ID_ATTEMPTS;
use wardroom_test_support::TestDir;

const ROLE: &str = "WARDROOM_CARD_ROLE";
const APP: &str = "WARDROOM_CARD_APP";

/// Returns a command that starts this binary in a role, as another process on the AppDir.
fn child(role: &str, app: &Path) -> Command {
    let test = format!("{}::child_process_runs_role", module_path!().split_once("::").unwrap().1);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &test, "--nocapture"]).env(ROLE, role).env(APP, app);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// Runs the role of a child process. Does nothing in the parent and in an ordinary test run.
#[test]
fn child_process_runs_role() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let alc = alc_at(&PathBuf::from(std::env::var(APP).unwrap()), AlcOptions::default());
    let (what, who) = role.split_once(' ').unwrap();
    match what {
        "create" => {
            let won = (0..ROUNDS).filter(|round| {
                let card = json!({"card_id": format!("card_{round}"), "by": who, "pkg": {"name": who}});
                try_op(&alc, "card.create", json!({"card": card})).is_ok()
            });
            println!("\nwon {}", won.map(|round| round.to_string()).collect::<Vec<_>>().join(","));
        }
        "alike" => {
            for _ in 0..MAX_CARD_ID_ATTEMPTS / 4 {
                println!("\nid {}", create(&alc, json!({"pkg": {"name": "p"}})));
            }
        }
        "append" => {
            for round in 0..ROUNDS {
                run_op(&alc, "card.append", json!({"card_id": "shared", "fields": {format!("{who}_{round}"): round}}));
                run_op(&alc, "card.alias_set", json!({"name": format!("{who}_{round}"), "card_id": "shared"}));
            }
        }
        "die" => {
            let (at, operation) = who.split_once(' ').unwrap();
            let (at, mut step) = (at.parse::<usize>().unwrap(), 0);
            let die = move |_: &'static str| {
                if step == at {
                    kill_process(getpid(), Signal::KILL).unwrap();
                }
                step += 1;
                Ok(())
            };
            with_failpoints(die, || change(&alc, operation).unwrap());
        }
        other => panic!("no such role: {other}"),
    }
}

const ROUNDS: usize = 40;

fn lines(child: &mut Child) -> Vec<String> {
    BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap).collect()
}

#[test]
fn concurrent_creates_of_one_card_have_one_winner() {
    let dir = TestDir::new();
    // In the same package and in others: an id is unique across packages.
    let mut children: Vec<Child> = ["one", "one", "two", "three"]
        .iter()
        .map(|who| child(&format!("create {who}"), &dir.app_path()).spawn().unwrap())
        .collect();
    let mut won: Vec<usize> = Vec::new();
    for child in &mut children {
        let lines = lines(child);
        assert!(child.wait().unwrap().success());
        let line = lines.iter().find_map(|line| line.strip_prefix("won ")).unwrap().to_owned();
        won.extend(line.split(',').filter(|round| !round.is_empty()).map(|round| round.parse::<usize>().unwrap()));
    }
    won.sort_unstable();
    assert_eq!(won, (0..ROUNDS).collect::<Vec<_>>());
    assert_eq!(list_ids(&alc(&dir)).len(), ROUNDS);
}

#[test]
fn equal_cards_of_several_processes_get_different_ids() {
    let dir = TestDir::new();
    let mut children: Vec<Child> = (0..4).map(|_| child("alike x", &dir.app_path()).spawn().unwrap()).collect();
    let mut ids = HashSet::new();
    for child in &mut children {
        let lines = lines(child);
        assert!(child.wait().unwrap().success());
        ids.extend(lines.iter().filter_map(|line| line.strip_prefix("id ")).map(str::to_owned));
    }
    assert_eq!(ids.len(), MAX_CARD_ID_ATTEMPTS);
    let listed: HashSet<String> = list_ids(&alc(&dir)).into_iter().collect();
    assert_eq!(listed, ids);
}

#[test]
fn concurrent_appends_and_aliases_are_all_kept() {
    let dir = TestDir::new();
    create(&alc(&dir), json!({"card_id": "shared", "pkg": {"name": "p"}}));
    let who = ["one", "two", "three"];
    let children: Vec<Child> =
        who.iter().map(|who| child(&format!("append {who}"), &dir.app_path()).spawn().unwrap()).collect();
    for mut child in children {
        lines(&mut child);
        assert!(child.wait().unwrap().success());
    }
    let card = run_op(&alc(&dir), "card.get", json!({"card_id": "shared"}));
    let aliases = run_op(&alc(&dir), "card.alias_list", json!({}));
    let aliased = |name: &str| aliases.as_array().unwrap().iter().any(|alias| alias["name"] == name);
    for who in who {
        for round in 0..ROUNDS {
            let name = format!("{who}_{round}");
            assert_eq!(card[&name], round, "{name}");
            assert!(aliased(&name), "{name}");
        }
    }
}

/// Makes one change, during which the process may be killed.
fn change(alc: &wardroom_alc::Alc, operation: &str) -> Result<Value, String> {
    match operation {
        "create" => try_op(alc, "card.create", json!({"card": {"card_id": "new", "pkg": {"name": "q"}}})),
        "append" => try_op(alc, "card.append", json!({"card_id": "p_1", "fields": {"more": 1}})),
        "samples" => try_op(alc, "card.write_samples", json!({"card_id": "p_1", "rows": [{"n": 1}, {"n": 2}]})),
        "alias" => try_op(alc, "card.alias_set", json!({"name": "new", "card_id": "p_1"})),
        other => panic!("no such change: {other}"),
    }
}

/// Returns all that clients can read of the cards.
fn snapshot(alc: &wardroom_alc::Alc) -> Value {
    json!([
        run_op(alc, "card.list", json!({})),
        run_op(alc, "card.get", json!({"card_id": "p_1"})),
        run_op(alc, "card.read_samples", json!({"card_id": "p_1"})),
        run_op(alc, "card.alias_list", json!({})),
    ])
}

#[test]
fn kill_during_change_leaves_all_or_nothing() {
    for operation in ["create", "append", "samples", "alias"] {
        let make = || {
            let dir = TestDir::new();
            create(&alc(&dir), json!({"card_id": "p_1", "pkg": {"name": "p"}}));
            run_op(&alc(&dir), "card.alias_set", json!({"name": "old", "card_id": "p_1"}));
            dir
        };
        let (before, whole) = (make(), make());
        change(&alc(&whole), operation).unwrap();
        let (before, after) = (snapshot(&alc(&before)), snapshot(&alc(&whole)));
        assert_ne!(before, after, "{operation}");
        for at in 0.. {
            let dir = make();
            let mut child = child(&format!("die {at} {operation}"), &dir.app_path()).spawn().unwrap();
            lines(&mut child);
            let status = child.wait().unwrap();
            let died = status.signal() == Some(9);
            assert!(died || status.success(), "{operation} {at}: {status}");
            let found = snapshot(&alc(&dir));
            assert!(found == after || died && found == before, "{operation}, killed at {at}: {found}");
            // The next process completes the change, or finds it complete.
            let again = change(&alc(&dir), operation);
            assert_eq!(
                again.is_err(),
                found == after && operation != "alias",
                "{operation}, killed at {at}: {again:?}"
            );
            assert_eq!(snapshot(&alc(&dir)), after, "{operation}, killed at {at}");
            if !died {
                assert!(at > 4, "{operation} has {at} steps");
                break;
            }
        }
    }
}
