//! Cards: written by runs, and by packages that bring some along.

use std::fmt::Write as _;

use serde_json::{Value, json};
use wardroom_alc::limits::{
    MAX_ALIAS_TABLE_BYTES, MAX_CARD_BYTES, MAX_CARD_INDEX_ENTRY_BYTES, MAX_UNINDEXED_CARD_READ_BYTES,
};

use super::Ship;

#[test]
fn cards_are_created_found_added_to_and_copied() {
    let mut ship = Ship::new();
    let code = "for i = 1, 3 do alc.card.create({card_id = 'p_' .. i, pkg = {name = 'p'}, stats = {pass_rate = i / 10}, \
                metadata = {prior_card_id = i > 1 and 'p_' .. (i - 1) or nil}}) end \
                return alc.card.write_samples('p_1', {{n = 1}, {n = 2}})";
    assert_eq!(ship.runner.run_result(code)["count"], 2);
    assert_eq!(ship.call("alc_card_list", json!({}))["total"], 3);
    assert_eq!(ship.call("alc_card_get", json!({"card_id": "p_2"}))["stats"]["pass_rate"], 0.2);
    let clause = json!({"where": {"stats": {"pass_rate": {"gt": 0.1}}}, "order_by": "-stats.pass_rate"});
    assert_eq!(ship.call("alc_card_find", clause)["cards"][0]["card_id"], "p_3");
    assert_eq!(ship.call("alc_card_append", json!({"card_id": "p_3", "fields": {"note": "n"}}))["note"], "n");
    assert_eq!(ship.call("alc_card_alias_set", json!({"name": "best", "card_id": "p_3"}))["name"], "best");
    assert_eq!(ship.call("alc_card_get_by_alias", json!({"name": "best"}))["card_id"], "p_3");
    assert_eq!(ship.call("alc_card_alias_list", json!({}))["aliases"].as_array().unwrap().len(), 1);
    assert_eq!(ship.call("alc_card_samples", json!({"card_id": "p_1"}))["samples"], json!([{"n": 1}, {"n": 2}]));
    let lineage = ship.call("alc_card_lineage", json!({"card_id": "p_3"}));
    assert_eq!(lineage["nodes"].as_array().unwrap().len(), 3);
    let sideways =
        ship.refused("alc_card_lineage", json!({"card_id": "p_3", "direction": "sideways"}), "INVALID_DIRECTION");
    assert_eq!(sideways, "direction must be 'up', 'down', or 'both' (got 'sideways')");
    assert!(ship.read("granted/mirror/p/p_3.toml").contains("note = \"n\""));
    let sink = format!("file://{}", ship.text_of("granted/mirror"));
    let filled = ship.call("alc_card_sink_backfill", json!({"sink": sink}));
    assert_eq!((&filled["pushed"], filled["skipped"].as_array().unwrap().len()), (&json!([]), 3));
    ship.file("granted/cards/alc_cards.toml", "");
    ship.file("granted/cards/q/q_1.toml", "schema_version = \"card/v0\"\ncard_id = \"q_1\"\n");
    let installed = ship.call("alc_card_install", json!({"url": ship.text_of("granted/cards")}));
    assert_eq!(installed["installed_cards"], json!(["q_1"]));
}

/// What reads as a card is decided by its id alone: a package that is installed later must not come before it.
#[test]
fn no_package_changes_what_the_id_of_a_card_reads_as() {
    let mut ship = Ship::new();
    ship.runner.run_result("return alc.card.create({card_id = 'a_b_1', pkg = {name = 'a'}, said = 'first'})");
    ship.package("granted/src/a_b", "0.1.0");
    for id in ["a_b_1", "a_b_2"] {
        ship.file(&format!("granted/src/a_b/cards/{id}.toml"), "schema_version = \"card/v0\"\nsaid = \"later\"\n");
        ship.file(&format!("granted/src/a_b/cards/{id}.samples.jsonl"), "{\"n\":1}\n");
    }
    let done = ship.call("alc_pkg_install", json!({"url": ship.text_of("granted/src/a_b")}));
    assert_eq!(done["cards_installed"], json!(["a_b_2"]));
    for _ in 0..2 {
        assert_eq!(ship.call("alc_card_get", json!({"card_id": "a_b_1"}))["said"], "first");
        assert_eq!(ship.call("alc_card_samples", json!({"card_id": "a_b_2"}))["samples"], json!([{"n": 1}]));
        ship.again();
    }
    assert!(!ship.has("app/cards/a_b/a_b_1.toml") && !ship.has("app/cards/a_b/a_b_1.samples.jsonl"));
    assert!(ship.has("granted/mirror/a_b/a_b_2.toml"), "mirrors have it too");
}

/// A long card of very many small values: taken apart, it takes many times its text.
fn heavy(id: &str, rate: f64) -> String {
    let mut text = format!("card_id = \"{id}\"\ncreated_at = \"{id}\"\nrank = {rate:?}\nmany = [");
    while text.len() < 400_000 {
        text.push_str("0,");
    }
    write!(text, "]\n[stats]\npass_rate = {rate:?}\ndetail = \"of {id}\"\n").unwrap();
    text
}

#[test]
fn a_search_over_long_cards_takes_the_memory_of_one() {
    let mut ship = Ship::new();
    for n in 0..20 {
        let id = format!("p_{n:02}");
        ship.file(&format!("app/cards/p/{id}.toml"), heavy(&id, f64::from(n)));
    }
    let found = ship.call("alc_card_find", json!({"where": {"rank": {"gte": 4}}, "order_by": "-rank", "limit": 2}));
    assert_eq!((&found["total"], &found["cards"][0]["card_id"]), (&json!(16), &json!("p_19")));
    let found = ship.call("alc_card_find", json!({"where": {"stats": {"detail": {"eq": "of p_07"}}}}));
    assert_eq!((&found["total"], &found["cards"][0]["card_id"]), (&json!(1), &json!("p_07")));
    let peak = ship.runner.0.peak_resident_bytes();
    // All of them together would take more than 600 MiB; two threads keep what they once needed.
    assert!(peak < 160 << 20, "{} MiB", peak >> 20);
}

#[test]
fn descent_tells_the_whole_stats_of_a_long_card() {
    let mut ship = Ship::new();
    let long = "x".repeat(2 * MAX_CARD_INDEX_ENTRY_BYTES);
    ship.file(
        "app/cards/p/p_1.toml",
        format!("card_id = \"p_1\"\nlong = \"{long}\"\n[stats]\npass_rate = 0.5\npassed = 7\n"),
    );
    ship.file(
        "app/cards/p/p_2.toml",
        format!("card_id = \"p_2\"\n[metadata]\nprior_card_id = \"p_1\"\n[stats]\nlong = \"{long}\"\n"),
    );
    let lineage = ship.call("alc_card_lineage", json!({"card_id": "p_2"}));
    assert_eq!(lineage["nodes"][0]["stats"]["long"], json!(long));
    assert_eq!(lineage["nodes"][1]["stats"], json!({"pass_rate": 0.5, "passed": 7}));
    let without = ship.call("alc_card_lineage", json!({"card_id": "p_2", "include_stats": false}));
    assert!(without["nodes"].as_array().unwrap().iter().all(|node| node.get("stats").is_none()), "{without:#}");
    // What has no room is left out, and said to be.
    let most = usize::try_from(MAX_CARD_BYTES).unwrap() - 1000;
    for n in 3..6 {
        let text = format!(
            "card_id = \"p_{n}\"\n[metadata]\nprior_card_id = \"p_{}\"\n[stats]\nlong = \"{}\"\n",
            n - 1,
            "y".repeat(most)
        );
        ship.file(&format!("app/cards/p/p_{n}.toml"), text);
    }
    let lineage = ship.call("alc_card_lineage", json!({"card_id": "p_5"}));
    let omitted: Vec<Option<&Value>> =
        lineage["nodes"].as_array().unwrap().iter().map(|node| node.get("stats_omitted")).collect();
    assert_eq!(omitted, [None, Some(&json!(true)), Some(&json!(true)), Some(&json!(true)), None], "{omitted:?}");
}

#[test]
fn a_search_over_more_long_cards_than_are_read_says_what_to_do() {
    let mut ship = Ship::new();
    let text = format!("long = \"{}\"\n", "x".repeat(usize::try_from(MAX_CARD_BYTES).unwrap() - 100));
    let folder = ship.path("app/cards/p");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(ship.path("one"), &text).unwrap();
    // One file under many names: the disk holds it once.
    for n in 0..=MAX_UNINDEXED_CARD_READ_BYTES / text.len() + 1 {
        std::fs::hard_link(ship.path("one"), folder.join(format!("p_{n}.toml"))).unwrap();
    }
    let message = ship.refused("alc_card_find", json!({"where": {"long": "none"}}), "TOO_MANY_LONG_CARDS");
    assert!(message.contains("name a package"), "{message}");
    assert_eq!(ship.call("alc_card_find", json!({"where": {"long": "none"}, "pkg": "q"}))["total"], 0);
    assert_eq!(ship.call("alc_card_list", json!({"limit": 1}))["cards"].as_array().unwrap().len(), 1);
}

#[test]
fn what_a_script_would_take_for_all_of_it_is_refused() {
    let mut ship = Ship::new();
    let rows = "{\"text\":\"".to_owned() + &"x".repeat(1 << 19) + "\"}\n";
    ship.file("app/cards/p/p_1.toml", "card_id = \"p_1\"\n");
    ship.file("app/cards/p/p_1.samples.jsonl", rows.repeat(30));
    let why = ship.runner.run_error("return #alc.card.read_samples('p_1')");
    assert!(why.contains("read them in pages, with offset and limit"), "{why}");
    let mut aliases = String::new();
    for n in 0.. {
        let note = "x".repeat(1000);
        let alias = format!("[[alias]]\nname = \"a{n}\"\ncard_id = \"p_1\"\nset_at = \"x\"\nnote = \"{note}\"\n");
        if (aliases.len() + alias.len()) as u64 > MAX_ALIAS_TABLE_BYTES {
            break;
        }
        aliases.push_str(&alias);
    }
    ship.file("app/cards/_aliases.toml", &aliases);
    let setting = json!({"name": "one more", "card_id": "p_1", "note": "x".repeat(4000)});
    ship.refused("alc_card_alias_set", setting, "TOO_MANY_ALIASES");
    assert_eq!(ship.read("app/cards/_aliases.toml"), aliases);
}
