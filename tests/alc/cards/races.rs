//! Several processes, and some that are killed: of two writers of one card one wins, and nothing is ever half there.

use std::io::{BufRead as _, BufReader};
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use rustix::process::{Signal, getpid, kill_process};
use serde_json::{Value, json};
use wardroom_appdir::with_failpoints;

use super::{alc, alc_at, asked, create, listed, told};
use wardroom_test_support::TestDir;

const ROLE: &str = "WARDROOM_CARD_ROLE";
const APP: &str = "WARDROOM_CARD_APP";

/// This binary again, as a process that does something to the cards of an AppDir.
fn child(role: &str, app: &Path) -> Command {
    let test = format!("{}::play_a_role", module_path!().split_once("::").unwrap().1);
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", &test, "--nocapture"]).env(ROLE, role).env(APP, app);
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
    command
}

/// What a child is to do. In the parent, and in an ordinary run of all tests, nothing.
#[test]
fn play_a_role() {
    let Ok(role) = std::env::var(ROLE) else { return };
    let alc = alc_at(&PathBuf::from(std::env::var(APP).unwrap()));
    let (what, who) = role.split_once(' ').unwrap();
    match what {
        "create" => {
            let won = (0..ROUNDS).filter(|round| {
                let card = json!({"card_id": format!("card_{round}"), "by": who, "pkg": {"name": who}});
                asked(&alc, "card.create", json!({"card": card})).is_ok()
            });
            println!("\nwon {}", won.map(|round| round.to_string()).collect::<Vec<_>>().join(","));
        }
        "append" => {
            for round in 0..ROUNDS {
                told(&alc, "card.append", json!({"card_id": "shared", "fields": {format!("{who}_{round}"): round}}));
                told(&alc, "card.alias_set", json!({"name": format!("{who}_{round}"), "card_id": "shared"}));
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
fn of_many_writers_of_one_card_exactly_one_wins() {
    let dir = TestDir::new();
    // Some for the same package, some for others: an id is one card's in all of them.
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
    assert_eq!(listed(&alc(&dir)).len(), ROUNDS);
}

#[test]
fn of_several_who_add_to_one_card_none_loses_anything() {
    let dir = TestDir::new();
    create(&alc(&dir), json!({"card_id": "shared", "pkg": {"name": "p"}}));
    let who = ["one", "two", "three"];
    let children: Vec<Child> =
        who.iter().map(|who| child(&format!("append {who}"), &dir.app_path()).spawn().unwrap()).collect();
    for mut child in children {
        lines(&mut child);
        assert!(child.wait().unwrap().success());
    }
    let card = told(&alc(&dir), "card.get", json!({"card_id": "shared"}));
    let aliases = told(&alc(&dir), "card.alias_list", json!({}));
    let aliased = |name: &str| aliases.as_array().unwrap().iter().any(|alias| alias["name"] == name);
    for who in who {
        for round in 0..ROUNDS {
            let name = format!("{who}_{round}");
            assert_eq!(card[&name], round, "{name}");
            assert!(aliased(&name), "{name}");
        }
    }
}

/// One change, of which a process may die in the middle.
fn change(alc: &wardroom_alc::Alc, operation: &str) -> Result<Value, String> {
    match operation {
        "create" => asked(alc, "card.create", json!({"card": {"card_id": "new", "pkg": {"name": "q"}}})),
        "append" => asked(alc, "card.append", json!({"card_id": "p_1", "fields": {"more": 1}})),
        "samples" => asked(alc, "card.write_samples", json!({"card_id": "p_1", "rows": [{"n": 1}, {"n": 2}]})),
        "alias" => asked(alc, "card.alias_set", json!({"name": "new", "card_id": "p_1"})),
        other => panic!("no such change: {other}"),
    }
}

/// All that anybody can learn of the cards.
fn seen(alc: &wardroom_alc::Alc) -> Value {
    json!([
        told(alc, "card.list", json!({})),
        told(alc, "card.get", json!({"card_id": "p_1"})),
        told(alc, "card.read_samples", json!({"card_id": "p_1"})),
        told(alc, "card.alias_list", json!({})),
    ])
}

#[test]
fn a_death_in_the_middle_of_a_change_leaves_all_of_it_or_nothing() {
    for operation in ["create", "append", "samples", "alias"] {
        let make = || {
            let dir = TestDir::new();
            create(&alc(&dir), json!({"card_id": "p_1", "pkg": {"name": "p"}}));
            told(&alc(&dir), "card.alias_set", json!({"name": "old", "card_id": "p_1"}));
            dir
        };
        let (before, whole) = (make(), make());
        change(&alc(&whole), operation).unwrap();
        let (before, after) = (seen(&alc(&before)), seen(&alc(&whole)));
        assert_ne!(before, after, "{operation}");
        for at in 0.. {
            let dir = make();
            let mut child = child(&format!("die {at} {operation}"), &dir.app_path()).spawn().unwrap();
            lines(&mut child);
            let status = child.wait().unwrap();
            let died = status.signal() == Some(9);
            assert!(died || status.success(), "{operation} {at}: {status}");
            let found = seen(&alc(&dir));
            assert!(found == after || died && found == before, "{operation}, killed at {at}: {found}");
            // Whoever comes next gets it done, or finds it done.
            let again = change(&alc(&dir), operation);
            assert_eq!(
                again.is_err(),
                found == after && operation != "alias",
                "{operation}, killed at {at}: {again:?}"
            );
            assert_eq!(seen(&alc(&dir)), after, "{operation}, killed at {at}");
            if !died {
                assert!(at > 4, "{operation} has {at} steps");
                break;
            }
        }
    }
}
