//! Stored evals: their ids, the history, one eval, and the comparison of two.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::thread;

use serde_json::{Value, json};
use wardroom_alc::EvalStore;
use wardroom_alc::evals::{SampleStats, WelchResult, welch_t_test};
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_base::uri::EvalId;
use wardroom_service::ServiceError;
use wardroom_service::limits::MAX_PAGE_BYTES;

use wardroom_test_support::{TestAlcService, TestDir};

const NOW: u64 = 1_763_715_600;

fn evals(dir: &TestDir) -> EvalStore {
    EvalStore::new(dir.open_app())
}

fn response(name: &str, n: u64, mean: f64, std_dev: f64, pass_rate: f64) -> Value {
    json!({"status": "completed", "result": {"name": name, "summary": "fine", "aggregated": {
        "total": n, "passed": 3, "pass_rate": pass_rate, "pass_at_1": pass_rate,
        "scores": {"n": n, "mean": mean, "std_dev": std_dev, "min": 0.0, "max": 1.0, "median": mean},
        "ci_95": {"lower": 0.1, "upper": 0.9}}},
        "stats": {"auto": {"llm_calls": 4, "elapsed_ms": 90}, "custom": {}}})
}

fn names(dir: &TestDir) -> Vec<String> {
    let listed = fs::read_dir(dir.app_path().join("evals")).unwrap();
    let mut names: Vec<String> = listed.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn eval_is_stored_with_its_summary() {
    let dir = TestDir::new();
    let response = response("cot:math", 5, 0.9, 0.1, 0.6);
    let id = evals(&dir).write("cot", &response, NOW).unwrap();
    assert_eq!(id, "cot_1763715600");
    let path = dir.app_path().join("evals/cot_1763715600.json");
    assert_eq!(fs::read_to_string(&path).unwrap(), response.to_string());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let summary = concat!(
        r#"{"eval_id":"cot_1763715600","strategy":"cot","timestamp":1763715600,"pass_rate":0.6,"mean_score":0.9,"#,
        r#""total_cases":5,"passed":3,"llm_calls":4,"elapsed_ms":90,"summary":"fine"}"#
    );
    assert_eq!(fs::read_to_string(dir.app_path().join("evals/cot_1763715600.meta.json")).unwrap(), summary);
    let service = TestAlcService::new(&dir);
    assert_eq!(service.read_text(&format!("alc://eval/{id}")), response.to_string());
    assert_eq!(service.call("alc_eval_detail", json!({"eval_id": id})).unwrap(), response);
}

#[test]
fn every_eval_id_is_valid_in_a_uri() {
    let dir = TestDir::new();
    let response = response("x", 5, 0.9, 0.1, 0.6);
    for (strategy, id) in [
        ("orch_fixpipe", "orch-fixpipe_1763715600".to_owned()),
        ("a.b c/é", "a-b-c--_1763715600".to_owned()),
        ("", "inline_1763715600".to_owned()),
        ("..", "--_1763715600".to_owned()),
        (&"x_".repeat(200), format!("{}_1763715600", "x-".repeat(80))),
    ] {
        let stored = evals(&dir).write(strategy, &response, NOW).unwrap();
        assert_eq!(stored, id);
        EvalId::parse(&stored).unwrap();
        let service = TestAlcService::new(&dir);
        assert_eq!(service.read_text(&format!("alc://eval/{stored}")), response.to_string());
        let history = service.call("alc_eval_history", json!({"strategy": strategy})).unwrap();
        assert_eq!(history["evals"][0]["strategy"], strategy);
        assert_eq!(history["evals"].as_array().unwrap().len(), 1);
    }
}

#[test]
fn concurrent_evals_of_one_second_get_distinct_ids() {
    let dir = TestDir::new();
    // An eval of the original can be read by the id that ours would have.
    dir.write_file("evals/quick_vote_1763715601.json", "{}");
    let ids: Vec<String> = thread::scope(|scope| {
        let write = |n: u64| {
            let dir = &dir;
            scope.spawn(move || evals(dir).write("quick_vote", &response("x", n, 0.5, 0.1, 0.5), NOW).unwrap())
        };
        let writers: Vec<_> = (0..20).map(write).collect();
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    let mut sorted = ids.clone();
    sorted.sort();
    let expected: Vec<String> = (0..21).filter(|n| *n != 1).map(|n| format!("quick-vote_{}", NOW + n)).collect();
    assert_eq!(sorted, expected);
    let service = TestAlcService::new(&dir);
    for (n, id) in ids.iter().enumerate() {
        let detail = service.call("alc_eval_detail", json!({"eval_id": id})).unwrap();
        assert_eq!(detail["result"]["aggregated"]["total"], n);
    }
    assert_eq!(service.read_text("alc://eval/quick-vote_1763715601"), "{}");
    // The timestamps are exact.
    let listed = service.call("alc_eval_history", json!({"strategy": "quick_vote", "limit": 1000})).unwrap();
    let times: Vec<&Value> = listed["evals"].as_array().unwrap().iter().map(|eval| &eval["timestamp"]).collect();
    assert_eq!(times.len(), 21);
    assert_eq!(times.iter().filter(|time| ***time == json!(NOW)).count(), 20);
}

#[test]
fn incomplete_or_oversized_eval_is_not_stored() {
    let dir = TestDir::new();
    for response in [
        json!({"status": "error", "error": "boom"}),
        json!({"status": "needs_response"}),
        json!({"status": "cancelled"}),
        json!({"result": {}}),
        json!("completed"),
    ] {
        let refused = evals(&dir).write("cot", &response, NOW);
        assert!(
            matches!(refused, Err(ServiceError::Tool { code: wardroom_alc::error_code::NOT_COMPLETED, .. })),
            "{refused:?}"
        );
    }
    let large = json!({"status": "completed", "result": "x".repeat(8 << 20)});
    let refused = evals(&dir).write("cot", &large, NOW);
    assert!(
        matches!(refused, Err(ServiceError::Tool { code: wardroom_alc::error_code::EVAL_TOO_LARGE, .. })),
        "{refused:?}"
    );
    assert!(!dir.app_path().join("evals").exists());
}

#[test]
fn history_is_newest_first_and_filters_by_strategy() {
    let dir = TestDir::new();
    let service = TestAlcService::new(&dir);
    let ids = |arguments: Value| -> Vec<String> {
        let history = service.call("alc_eval_history", arguments).unwrap();
        assert_eq!(history.get("warnings"), None, "{history}");
        let evals = history["evals"].as_array().unwrap();
        evals.iter().map(|eval| eval["eval_id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(json!({})), [""; 0]);
    for n in 0..30 {
        let strategy = if n % 2 == 0 { "cot" } else { "quick_vote" };
        evals(&dir).write(strategy, &response("x", n, 0.5, 0.1, 0.5), NOW + n).unwrap();
    }
    // An eval named by the original; another strategy with the same id prefix; a comparison; an eval without a summary.
    dir.write_file("evals/quick_vote_1763715700.json", "{}");
    let summary = json!({"eval_id": "quick_vote_1763715700", "strategy": "quick_vote", "timestamp": 1_763_715_700});
    dir.write_file("evals/quick_vote_1763715700.meta.json", summary.to_string());
    evals(&dir).write("quick-vote", &response("x", 1, 0.5, 0.1, 0.5), NOW + 200).unwrap();
    dir.write_file("evals/compare_cot_1_vs_quick_vote_9999999999.json", "{}");
    dir.write_file("evals/old_1000000000.json", response("x", 7, 0.25, 0.1, 0.5).to_string());

    assert_eq!(ids(json!({"limit": 3})), ["quick-vote_1763715800", "quick-vote_1763715700", "quick-vote_1763715629"]);
    assert_eq!(ids(json!({})).len(), 20);
    assert_eq!(ids(json!({"limit": 1000})).len(), 33);
    assert_eq!(ids(json!({"limit": 0})), [""; 0]);
    assert_eq!(ids(json!({"strategy": "quick_vote", "limit": 2})), ["quick-vote_1763715700", "quick-vote_1763715629"]);
    assert_eq!(ids(json!({"strategy": "quick-vote"})), ["quick-vote_1763715800"]);
    assert_eq!(ids(json!({"strategy": "cot", "limit": 100})).len(), 15);
    let old = service.call("alc_eval_history", json!({"strategy": "old"})).unwrap();
    let expected = json!({"eval_id": "old_1000000000", "strategy": "old", "timestamp": 1_000_000_000, "pass_rate": 0.5,
        "mean_score": 0.25, "total_cases": 7, "passed": 3, "llm_calls": 4, "elapsed_ms": 90, "summary": "fine"});
    assert_eq!(old, json!({"evals": [expected]}));
    let refused = service.tool_refusal("alc_eval_history", json!({"limit": 1001}));
    assert_eq!(refused, "OUT_OF_RANGE limit=1001 exceeds cap of 1000");
    dir.write_file("evals/cot_1999999999.json", "broken");
    let history = service.call("alc_eval_history", json!({"strategy": "cot", "limit": 1})).unwrap();
    assert_eq!(history, json!({"evals": [], "warnings": ["eval cot_1999999999 cannot be read"]}));
}

#[test]
fn eval_detail_accepts_dashed_and_stored_ids() {
    let dir = TestDir::new();
    let stored = json!({"status": "completed", "n": 1});
    dir.write_file("evals/orch_fixpipe_5.json", stored.to_string());
    dir.write_file("evals/list_1.json", "[]");
    dir.write_file("evals/broken_1.json", "{");
    dir.write_file("evals/large_1.json", format!("{{\"a\":\"{}\"}}", "x".repeat(4 << 20)));
    let service = TestAlcService::new(&dir);
    for id in ["orch_fixpipe_5", "orch-fixpipe_5"] {
        assert_eq!(service.call("alc_eval_detail", json!({"eval_id": id})).unwrap(), stored);
    }
    for (id, expected) in [
        ("none_1", "NOT_FOUND Eval result not found: none_1"),
        ("orch_fixpipe", "NOT_FOUND Eval result not found: orch_fixpipe"),
        ("../x_1", "INVALID_EVAL_ID Invalid eval_id: '../x_1' contains reserved character '/'"),
        ("", "INVALID_EVAL_ID Invalid eval_id: '' is empty"),
        ("list_1", "MALFORMED eval 'list_1' is not a JSON object"),
        (
            "large_1",
            "TOO_LARGE alc://eval/large_1 has 4.1 MiB, the limit for the answer of a tool is 4 MiB: read it \
             with resources/read",
        ),
    ] {
        assert_eq!(service.tool_refusal("alc_eval_detail", json!({"eval_id": id})), expected);
    }
    let broken = service.call("alc_eval_detail", json!({"eval_id": "broken_1"})).unwrap_err();
    assert_eq!(broken.to_string(), "Failed to parse eval 'broken_1': not JSON at line 1 column 1");
}

/// The expected values were computed with 30 digits.
#[test]
fn welch_t_test_matches_reference_values() {
    let scores = |(n, mean, std_dev): (f64, f64, f64)| SampleStats { n, mean, std_dev };
    for (a, b, t, df, p) in [
        (
            (25.0, 0.92, 0.236_291),
            (25.0, 0.6, 0.5),
            2.893_193_629_622_617,
            34.210_729_462_291_994,
            0.006_590_664_128_035_798,
        ),
        ((10.0, 0.5, 0.1), (12.0, 0.45, 0.2), 0.759_554_525_312_749_9, 16.747_747_747_747_75, 0.458_079_778_147_390_8),
        ((2.0, 1.0, 0.5), (2.0, 0.0, 0.5), 2.0, 2.0, 0.183_503_419_072_273_97),
        ((3.0, 0.8, 0.1), (50.0, 0.2, 0.3), 8.374_357_893_586_238, 4.687_410_251_859_501, 0.000_541_532_030_427_852_7),
        (
            (1000.0, 0.51, 0.5),
            (1200.0, 0.5, 0.49),
            0.471_360_878_285_657_3,
            2_111.222_851_023_868,
            0.637_431_751_624_569_2,
        ),
        ((5.0, 0.9, 0.01), (5.0, 0.1, 0.01), 126.491_106_406_735_17, 8.0, 1.705_911_724_634_946e-14),
        ((30.0, 0.7, 0.0), (30.0, 0.5, 0.2), 5.477_225_575_051_661, 29.0, 6.739_145_346_941_57e-6),
        ((100_000.0, 0.501, 0.5), (100_000.0, 0.5, 0.5), 0.447_213_595_499_957_9, 199_998.0, 0.654_721_330_325_739_9),
    ] {
        let is_close = |found: f64, expected: f64| (found - expected).abs() <= expected.abs() * 1e-10;
        let found = welch_t_test(scores(a), scores(b));
        assert!(is_close(found.t_stat, t) && is_close(found.df, df), "{found:?}");
        assert!(is_close(found.p_value.unwrap(), p), "{found:?}: {p}");
        assert_eq!((found.is_significant, found.direction), (p < 0.05, "a>b"));
        let turned = welch_t_test(scores(b), scores(a));
        assert_eq!(turned, WelchResult { t_stat: -found.t_stat, direction: "a<b", ..found });
    }
    let same = welch_t_test(scores((9.0, 0.5, 0.1)), scores((7.0, 0.5, 0.3)));
    assert_eq!((same.t_stat, same.p_value, same.is_significant, same.direction), (0.0, Some(1.0), false, "equal"));
    for (a, b, df, direction) in [
        ((1.0, 0.9, 0.0), (5.0, 0.1, 0.1), 0.0, "insufficient_data"),
        ((5.0, 0.9, 0.1), (0.0, 0.0, 0.0), 0.0, "insufficient_data"),
        ((5.0, 1.0, 0.0), (5.0, 1.0, 0.0), 8.0, "equal"),
        ((5.0, 1.0, 0.0), (4.0, 0.5, 0.0), 7.0, "a>b"),
        ((5.0, 0.0, 0.0), (4.0, 0.5, 0.0), 7.0, "a<b"),
    ] {
        let expected = WelchResult { t_stat: 0.0, df, p_value: None, is_significant: false, direction };
        assert_eq!(welch_t_test(scores(a), scores(b)), expected);
    }
}

#[test]
fn comparison_names_the_winner_and_is_stored() {
    let dir = TestDir::new();
    let a = evals(&dir).write("good", &response("good:math", 25, 0.92, 0.236_291, 0.88), NOW).unwrap();
    let b = evals(&dir).write("bad", &response("bad:math", 25, 0.6, 0.5, 0.6), NOW).unwrap();
    let service = TestAlcService::new(&dir);
    let compare = |a: &str, b: &str| service.call("alc_eval_compare", json!({"eval_id_a": a, "eval_id_b": b})).unwrap();
    let compared = compare(&a, &b);
    let side = |id: &str, name: &str, mean: f64, std_dev: f64, rate: f64| {
        let aggregated = response(name, 25, mean, std_dev, rate)["result"]["aggregated"].clone();
        json!({"eval_id": id, "strategy": name, "scores": aggregated["scores"], "pass_rate": rate, "pass_at_1": rate,
               "ci_95": aggregated["ci_95"]})
    };
    assert_eq!(compared["status"], "completed");
    assert_eq!(compared["result"]["a"], side(&a, "good:math", 0.92, 0.236_291, 0.88));
    assert_eq!(compared["result"]["b"], side(&b, "bad:math", 0.6, 0.5, 0.6));
    let outcome = &compared["result"]["comparison"];
    assert_eq!((&outcome["winner"], &outcome["welch_t"]["significant"]), (&json!("a"), &json!(true)));
    assert!((outcome["welch_t"]["p_value"].as_f64().unwrap() - 0.006_590_664).abs() < 1e-8, "{outcome}");
    let sentence = "good:math outperforms bad:math by 0.3200 (mean score), statistically significant (t=2.893, df=34.2). \
                    Pass rate: good:math +28.0pp.";
    assert_eq!(outcome["summary"], sentence);
    assert_eq!(compared["stats"]["auto"]["llm_calls"], 0);
    let stored_path = dir.app_path().join(format!("evals/compare_{a}_vs_{b}.json"));
    assert_eq!(serde_json::from_str::<Value>(&fs::read_to_string(&stored_path).unwrap()).unwrap(), compared);

    let turned = &compare(&b, &a)["result"]["comparison"];
    assert_eq!((&turned["winner"], &turned["welch_t"]["direction"]), (&json!("b"), &json!("a<b")));
    assert_eq!(turned["summary"], sentence);
    let same = &compare(&a, &a)["result"]["comparison"];
    assert_eq!(same["winner"], "none");
    let sentence = "No statistically significant difference between good:math and good:math (t=0.000, df=48.0). Pass rate: \
                    identical (88.0%).";
    assert_eq!(same["summary"], sentence);

    // A stored comparison is returned, except a failure that the original stored.
    let mut other = compared.clone();
    other["result"]["comparison"]["summary"] = json!("kept");
    fs::write(&stored_path, other.to_string()).unwrap();
    assert_eq!(compare(&a, &b), other);
    for broken in ["{\"status\":\"error\",\"error\":\"boom\"}", "{", "", "{\"status\":\"completed\"}"] {
        fs::write(&stored_path, broken).unwrap();
        assert_eq!(compare(&a, &b), compared);
        assert_eq!(serde_json::from_str::<Value>(&fs::read_to_string(&stored_path).unwrap()).unwrap(), compared);
    }
    // A comparison is not listed as an eval.
    let history = service.call("alc_eval_history", json!({})).unwrap();
    assert_eq!(history["evals"].as_array().unwrap().len(), 2);
}

#[test]
fn evals_without_scores_are_refused_and_nothing_is_stored() {
    let dir = TestDir::new();
    let a = evals(&dir).write("good", &response("x", 25, 0.92, 0.2, 0.88), NOW).unwrap();
    dir.write_file("evals/none_1.json", "{\"status\":\"completed\",\"result\":{\"aggregated\":{}}}");
    dir.write_file("evals/half_1.json", "{\"result\":{\"aggregated\":{\"scores\":{\"n\":1,\"mean\":1}}}}");
    let service = TestAlcService::new(&dir);
    let before = names(&dir);
    for (b, expected) in [
        ("missing_1", "NOT_FOUND Eval result not found: missing_1"),
        ("none_1", "NO_SCORES No aggregated scores in none_1"),
        ("half_1", "NO_SCORES No aggregated scores in half_1"),
        ("a b", "INVALID_EVAL_ID Invalid eval_id: 'a b' contains reserved character ' '"),
    ] {
        for (a, b) in [(a.as_str(), b), (b, a.as_str())] {
            let arguments = json!({"eval_id_a": a, "eval_id_b": b});
            assert_eq!(service.tool_refusal("alc_eval_compare", arguments), expected);
        }
    }
    assert_eq!(names(&dir), before);
    // Evals whose joined names are too long for a file are compared, but not stored.
    let ids =
        ["x", "y"].map(|name| evals(&dir).write(&name.repeat(150), &response(name, 5, 0.5, 0.1, 0.5), NOW).unwrap());
    let before = names(&dir);
    let arguments = json!({"eval_id_a": ids[0], "eval_id_b": ids[1]});
    assert_eq!(service.call("alc_eval_compare", arguments).unwrap()["result"]["comparison"]["winner"], "none");
    assert_eq!(names(&dir), before);
}

#[test]
fn eval_without_summary_is_listed_under_its_strategy() {
    let dir = TestDir::new();
    let report = json!({"status": "completed", "result": {"aggregated": {"pass_rate": 1.0}}}).to_string();
    for name in ["my-strat_1763715600", "my_strat_1763715601", "my-other_1763715602"] {
        dir.write_file(&format!("evals/{name}.json"), &report);
    }
    // The strategy in a summary counts, if there is a summary.
    dir.write_file("evals/my-strat_1763715603.json", &report);
    dir.write_file(
        "evals/my-strat_1763715603.meta.json",
        "{\"eval_id\":\"my-strat_1763715603\",\"strategy\":\"my-strat\"}",
    );
    let history = TestAlcService::new(&dir).call("alc_eval_history", json!({"strategy": "my_strat"})).unwrap();
    let ids: Vec<&Value> = history["evals"].as_array().unwrap().iter().map(|eval| &eval["eval_id"]).collect();
    assert_eq!(ids, ["my-strat_1763715601", "my-strat_1763715600"], "{history:#}");
}

#[test]
fn evals_too_large_to_show_can_be_compared() {
    let dir = TestDir::new();
    let report = |mean: f64| {
        let scores = json!({"n": 10, "mean": mean, "std_dev": 0.1});
        let long = "x".repeat(MAX_PAGE_BYTES + 1000);
        json!({"status": "completed", "result": {"aggregated": {"scores": scores}, "long": long}}).to_string()
    };
    dir.write_file("evals/a_1.json", report(0.9));
    dir.write_file("evals/b_1.json", report(0.1));
    let service = TestAlcService::new(&dir);
    let refused = service.tool_refusal("alc_eval_detail", json!({"eval_id": "a_1"}));
    assert!(refused.starts_with("TOO_LARGE ") && refused.contains("read it with resources/read"), "{refused}");
    let compared = service.call("alc_eval_compare", json!({"eval_id_a": "a_1", "eval_id_b": "b_1"})).unwrap();
    assert_eq!(compared["result"]["comparison"]["winner"], "a");
}

/// The order of the directory entries does not matter.
#[test]
fn history_finds_the_newest_among_more_than_the_scan_limit() {
    let dir = TestDir::new();
    let (many, newest) = (MAX_NAMES_SCANNED + MAX_NAMES_SCANNED / 4, 40);
    dir.write_file("evals/first.txt", "");
    // The newest are created first: some systems list names in the opposite order.
    for n in (0..many).rev() {
        // Links are created faster than files, and a file system limits the links of one file.
        let named = |n: usize| dir.app_path().join(format!("evals/s_{n}.json"));
        match (many - 1 - n) % 10_000 {
            0 => drop(fs::File::create(named(n)).unwrap()),
            after => fs::hard_link(named(n + after), named(n)).unwrap(),
        }
        if n >= many - newest {
            let meta = format!("{{\"eval_id\":\"s_{n}\",\"strategy\":\"s\"}}");
            fs::write(dir.app_path().join(format!("evals/s_{n}.meta.json")), meta).unwrap();
        }
    }
    let history = TestAlcService::new(&dir).call("alc_eval_history", json!({"limit": newest})).unwrap();
    let ids = history["evals"].as_array().unwrap().iter().map(|eval| eval["eval_id"].as_str().unwrap());
    assert!(ids.eq((many - newest..many).rev().map(|n| format!("s_{n}"))), "{history:#}");
}
