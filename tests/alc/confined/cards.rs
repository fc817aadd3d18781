//! Tests of cards that runs create, and of cards that packages bring along.

use std::fmt::Write as _;

use serde_json::{Value, json};
use wardroom_alc::limits::{
    MAX_ALIAS_TABLE_BYTES, MAX_CARD_BYTES, MAX_CARD_INDEX_ENTRY_BYTES, MAX_UNINDEXED_CARD_READ_BYTES,
};

use super::ConfinedServer;

#[test]
fn cards_are_created_found_extended_and_copied() {
    let mut server = ConfinedServer::new();
    let code = "for i = 1, 3 do alc.card.create({card_id = 'p_' .. i, pkg = {name = 'p'}, stats = {pass_rate = i / 10}, \
                metadata = {prior_card_id = i > 1 and 'p_' .. (i - 1) or nil}}) end \
                return alc.card.write_samples('p_1', {{n = 1}, {n = 2}})";
    assert_eq!(server.client.run_result(code)["count"], 2);
    assert_eq!(server.call("alc_card_list", json!({}))["total"], 3);
    assert_eq!(server.call("alc_card_get", json!({"card_id": "p_2"}))["stats"]["pass_rate"], 0.2);
    let clause = json!({"where": {"stats": {"pass_rate": {"gt": 0.1}}}, "order_by": "-stats.pass_rate"});
    assert_eq!(server.call("alc_card_find", clause)["cards"][0]["card_id"], "p_3");
    assert_eq!(server.call("alc_card_append", json!({"card_id": "p_3", "fields": {"note": "n"}}))["note"], "n");
    assert_eq!(server.call("alc_card_alias_set", json!({"name": "best", "card_id": "p_3"}))["name"], "best");
    assert_eq!(server.call("alc_card_get_by_alias", json!({"name": "best"}))["card_id"], "p_3");
    assert_eq!(server.call("alc_card_alias_list", json!({}))["aliases"].as_array().unwrap().len(), 1);
    assert_eq!(server.call("alc_card_samples", json!({"card_id": "p_1"}))["samples"], json!([{"n": 1}, {"n": 2}]));
    let lineage = server.call("alc_card_lineage", json!({"card_id": "p_3"}));
    assert_eq!(lineage["nodes"].as_array().unwrap().len(), 3);
    let sideways = server.expect_refusal(
        "alc_card_lineage",
        json!({"card_id": "p_3", "direction": "sideways"}),
        "INVALID_DIRECTION",
    );
    assert_eq!(sideways, "direction must be 'up', 'down', or 'both' (got 'sideways')");
    assert!(server.read("granted/mirror/p/p_3.toml").contains("note = \"n\""));
    let sink = format!("file://{}", server.path_text("granted/mirror"));
    let filled = server.call("alc_card_sink_backfill", json!({"sink": sink}));
    assert_eq!((&filled["pushed"], filled["skipped"].as_array().unwrap().len()), (&json!([]), 3));
    server.file("granted/cards/alc_cards.toml", "");
    server.file("granted/cards/q/q_1.toml", "schema_version = \"card/v0\"\ncard_id = \"q_1\"\n");
    let installed = server.call("alc_card_install", json!({"url": server.path_text("granted/cards")}));
    assert_eq!(installed["installed_cards"], json!(["q_1"]));
}

/// A card is read by its id alone: a package that is installed later must not shadow it.
#[test]
fn installed_package_does_not_shadow_existing_card() {
    let mut server = ConfinedServer::new();
    server.client.run_result("return alc.card.create({card_id = 'a_b_1', pkg = {name = 'a'}, said = 'first'})");
    server.package("granted/src/a_b", "0.1.0");
    for id in ["a_b_1", "a_b_2"] {
        server.file(&format!("granted/src/a_b/cards/{id}.toml"), "schema_version = \"card/v0\"\nsaid = \"later\"\n");
        server.file(&format!("granted/src/a_b/cards/{id}.samples.jsonl"), "{\"n\":1}\n");
    }
    let done = server.call("alc_pkg_install", json!({"url": server.path_text("granted/src/a_b")}));
    assert_eq!(done["cards_installed"], json!(["a_b_2"]));
    for _ in 0..2 {
        assert_eq!(server.call("alc_card_get", json!({"card_id": "a_b_1"}))["said"], "first");
        assert_eq!(server.call("alc_card_samples", json!({"card_id": "a_b_2"}))["samples"], json!([{"n": 1}]));
        server.restart();
    }
    assert!(!server.exists("app/cards/a_b/a_b_1.toml") && !server.exists("app/cards/a_b/a_b_1.samples.jsonl"));
    assert!(server.exists("granted/mirror/a_b/a_b_2.toml"), "mirrors have it too");
}

/// Returns a long card of many small values, which takes many times its text when parsed.
fn heavy(id: &str, rate: f64) -> String {
    let mut text = format!("card_id = \"{id}\"\ncreated_at = \"{id}\"\nrank = {rate:?}\nmany = [");
    while text.len() < 400_000 {
        text.push_str("0,");
    }
    write!(text, "]\n[stats]\npass_rate = {rate:?}\ndetail = \"of {id}\"\n").unwrap();
    text
}

#[test]
fn search_over_long_cards_takes_memory_of_one() {
    let mut server = ConfinedServer::new();
    for n in 0..20 {
        let id = format!("p_{n:02}");
        server.file(&format!("app/cards/p/{id}.toml"), heavy(&id, f64::from(n)));
    }
    let found = server.call("alc_card_find", json!({"where": {"rank": {"gte": 4}}, "order_by": "-rank", "limit": 2}));
    assert_eq!((&found["total"], &found["cards"][0]["card_id"]), (&json!(16), &json!("p_19")));
    let found = server.call("alc_card_find", json!({"where": {"stats": {"detail": {"eq": "of p_07"}}}}));
    assert_eq!((&found["total"], &found["cards"][0]["card_id"]), (&json!(1), &json!("p_07")));
    let peak = server.client.0.peak_resident_bytes();
    // All 20 together would take more than 600 MiB. Two threads each keep the memory that they once needed.
    assert!(peak < 160 << 20, "{} MiB", peak >> 20);
}

#[test]
fn lineage_shows_whole_stats_of_long_card() {
    let mut server = ConfinedServer::new();
    let long = "x".repeat(2 * MAX_CARD_INDEX_ENTRY_BYTES);
    server.file(
        "app/cards/p/p_1.toml",
        format!("card_id = \"p_1\"\nlong = \"{long}\"\n[stats]\npass_rate = 0.5\npassed = 7\n"),
    );
    server.file(
        "app/cards/p/p_2.toml",
        format!("card_id = \"p_2\"\n[metadata]\nprior_card_id = \"p_1\"\n[stats]\nlong = \"{long}\"\n"),
    );
    let lineage = server.call("alc_card_lineage", json!({"card_id": "p_2"}));
    assert_eq!(lineage["nodes"][0]["stats"]["long"], json!(long));
    assert_eq!(lineage["nodes"][1]["stats"], json!({"pass_rate": 0.5, "passed": 7}));
    let without = server.call("alc_card_lineage", json!({"card_id": "p_2", "include_stats": false}));
    assert!(without["nodes"].as_array().unwrap().iter().all(|node| node.get("stats").is_none()), "{without:#}");
    // Stats that do not fit are omitted, and the node says so.
    let most = usize::try_from(MAX_CARD_BYTES).unwrap() - 1000;
    for n in 3..6 {
        let text = format!(
            "card_id = \"p_{n}\"\n[metadata]\nprior_card_id = \"p_{}\"\n[stats]\nlong = \"{}\"\n",
            n - 1,
            "y".repeat(most)
        );
        server.file(&format!("app/cards/p/p_{n}.toml"), text);
    }
    let lineage = server.call("alc_card_lineage", json!({"card_id": "p_5"}));
    let omitted: Vec<Option<&Value>> =
        lineage["nodes"].as_array().unwrap().iter().map(|node| node.get("stats_omitted")).collect();
    assert_eq!(omitted, [None, Some(&json!(true)), Some(&json!(true)), Some(&json!(true)), None], "{omitted:?}");
}

#[test]
fn search_over_too_many_long_cards_is_refused_with_advice() {
    let mut server = ConfinedServer::new();
    let text = format!("long = \"{}\"\n", "x".repeat(usize::try_from(MAX_CARD_BYTES).unwrap() - 100));
    let folder = server.path("app/cards/p");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(server.path("one"), &text).unwrap();
    // One file under many names: the disk holds it once.
    for n in 0..=MAX_UNINDEXED_CARD_READ_BYTES / text.len() + 1 {
        std::fs::hard_link(server.path("one"), folder.join(format!("p_{n}.toml"))).unwrap();
    }
    let message = server.expect_refusal("alc_card_find", json!({"where": {"long": "none"}}), "TOO_MANY_LONG_CARDS");
    assert!(message.contains("name a package"), "{message}");
    assert_eq!(server.call("alc_card_find", json!({"where": {"long": "none"}, "pkg": "q"}))["total"], 0);
    assert_eq!(server.call("alc_card_list", json!({"limit": 1}))["cards"].as_array().unwrap().len(), 1);
}

#[test]
fn oversized_samples_and_alias_table_are_refused() {
    let mut server = ConfinedServer::new();
    let rows = "{\"text\":\"".to_owned() + &"x".repeat(1 << 19) + "\"}\n";
    server.file("app/cards/p/p_1.toml", "card_id = \"p_1\"\n");
    server.file("app/cards/p/p_1.samples.jsonl", rows.repeat(30));
    let why = server.client.run_error("return #alc.card.read_samples('p_1')");
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
    server.file("app/cards/_aliases.toml", &aliases);
    let setting = json!({"name": "one more", "card_id": "p_1", "note": "x".repeat(4000)});
    server.expect_refusal("alc_card_alias_set", setting, "TOO_MANY_ALIASES");
    assert_eq!(server.read("app/cards/_aliases.toml"), aliases);
}
