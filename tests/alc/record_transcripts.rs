//! Transcripts written by runs: fields, order, privacy, tokens, and a second write.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use serde_json::{Value, json};
use wardroom_alc::LogStore;
use wardroom_alc::transcript::{RunStats, TokenCount, TokenCountSource, Transcript, TranscriptRound};
use wardroom_appdir::{Access, ambient, with_failpoints};
use wardroom_base::uri::SessionId;
use wardroom_service::ServiceError;

use wardroom_test_support::{TestAlcService, TestDir};

const SESSION: &str = "s-1-0123456789abcdef";

fn logs(dir: &TestDir) -> LogStore {
    LogStore::new(dir.open_app(), None, true)
}

fn transcript(prompt: &str) -> Transcript {
    let round = |n: usize, system: Option<&str>| TranscriptRound {
        query_id: format!("q-{n}"),
        prompt: prompt.to_owned(),
        system: system.map(str::to_owned),
        response: "An answer.".to_owned(),
    };
    let prompt_tokens =
        TokenCount::estimate_prompt(prompt, Some("Be brief.")).saturating_add(TokenCount::from_client(7));
    let stats = RunStats {
        elapsed_ms: 12,
        llm_calls: 2,
        pauses: 2,
        rounds: 2,
        total_prompt_chars: 8,
        total_response_chars: 20,
        prompt_tokens,
        response_tokens: TokenCount::from_client(9),
        total_tokens: prompt_tokens.saturating_add(TokenCount::from_client(9)),
        budget: Some(json!({"max_llm_calls": 5})),
    };
    Transcript {
        session: SessionId::parse(SESSION).unwrap(),
        strategy: Some("cot".to_owned()),
        stats,
        error: None,
        logs: Vec::new(),
        rounds: vec![round(0, None), round(1, Some("Be brief."))],
    }
}

#[test]
fn log_and_summary_have_ordered_fields_and_owner_only_mode() {
    let dir = TestDir::new();
    logs(&dir).write(&transcript("Why?")).unwrap();
    let log = r#"{
  "session_id": "s-1-0123456789abcdef",
  "strategy": "cot",
  "task_hint": "Why?",
  "stats": {
    "elapsed_ms": 12,
    "llm_calls": 2,
    "pauses": 2,
    "rounds": 2,
    "total_prompt_chars": 8,
    "total_response_chars": 20,
    "prompt_tokens": {
      "tokens": 11,
      "source": "estimated"
    },
    "response_tokens": {
      "tokens": 9,
      "source": "provided"
    },
    "total_tokens": {
      "tokens": 20,
      "source": "estimated"
    },
    "budget": {
      "max_llm_calls": 5
    }
  },
  "transcript": [
    {
      "query_id": "q-0",
      "prompt": "Why?",
      "system": null,
      "response": "An answer."
    },
    {
      "query_id": "q-1",
      "prompt": "Why?",
      "system": "Be brief.",
      "response": "An answer."
    }
  ]
}"#;
    let summary = concat!(
        r#"{"session_id":"s-1-0123456789abcdef","strategy":"cot","task_hint":"Why?","elapsed_ms":12,"rounds":2,"#,
        r#""llm_calls":2,"total_prompt_chars":8,"total_response_chars":20,"#,
        r#""prompt_tokens":{"tokens":11,"source":"estimated"},"response_tokens":{"tokens":9,"source":"provided"},"#,
        r#""total_tokens":{"tokens":20,"source":"estimated"},"notes_count":0}"#
    );
    for (name, expected) in [(format!("{SESSION}.json"), log), (format!("{SESSION}.meta.json"), summary)] {
        let path = dir.app_path().join("logs").join(name);
        assert_eq!(fs::read_to_string(&path).unwrap(), expected);
        assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
    // The resource and the tools can read it.
    let service = TestAlcService::new(&dir);
    assert_eq!(service.read_text(&format!("alc://logs/{SESSION}")), log);
    assert_eq!(service.call("alc_log_view", json!({})).unwrap()["sessions"][0]["task_hint"], "Why?");
}

#[test]
fn task_hint_is_the_beginning_of_the_first_prompt() {
    for (prompt, hint) in [
        ("x".repeat(100), "x".repeat(100)),
        ("x".repeat(101), format!("{}...", "x".repeat(100))),
        ("é".repeat(60), format!("{}...", "é".repeat(50))),
        (format!("x{}", "é".repeat(60)), format!("x{}...", "é".repeat(49))),
    ] {
        let dir = TestDir::new();
        logs(&dir).write(&transcript(&prompt)).unwrap();
        let log = fs::read_to_string(dir.app_path().join(format!("logs/{SESSION}.json"))).unwrap();
        assert_eq!(serde_json::from_str::<Value>(&log).unwrap()["task_hint"], hint);
    }
}

#[test]
fn run_without_rounds_or_with_logs_off_writes_nothing() {
    let dir = TestDir::new();
    LogStore::new(dir.open_app(), None, false).write(&transcript("Why?")).unwrap();
    logs(&dir).write(&Transcript { rounds: Vec::new(), ..transcript("") }).unwrap();
    assert!(!dir.app_path().join("logs").exists());
}

#[test]
fn logs_go_to_the_separate_log_folder() {
    let dir = TestDir::new();
    fs::create_dir(dir.root().join("logs")).unwrap();
    let logs = ambient::open_folder(&dir.root().join("logs"), Access::ReadWrite).unwrap();
    LogStore::new(dir.open_app(), Some(logs), true).write(&transcript("Why?")).unwrap();
    assert!(dir.root().join(format!("logs/{SESSION}.json")).exists() && !dir.app_path().join("logs").exists());
}

/// The process that finds a run's journal finishes the run again if the first process died before it recorded the end.
#[test]
fn run_finished_twice_keeps_first_log_and_adds_missing_summary() {
    let dir = TestDir::new();
    let log = dir.app_path().join(format!("logs/{SESSION}.json"));
    let mut number = 0;
    let dies = move |_| {
        number += 1;
        // In the middle of the second file.
        if number == 10 { Err(rustix::io::Errno::NOSPC.into()) } else { Ok(()) }
    };
    let refused = with_failpoints(dies, || logs(&dir).write(&transcript("Why?")));
    let Err(ServiceError::Tool { code: wardroom_alc::error_code::DISK_FULL, message, .. }) = refused else {
        panic!("{refused:?}")
    };
    assert!(message.starts_with(&format!("cannot change the log of session '{SESSION}'")), "{message}");
    assert!(log.exists() && !dir.app_path().join(format!("logs/{SESSION}.meta.json")).exists());
    TestAlcService::new(&dir).call("alc_note", json!({"session_id": SESSION, "content": "kept"})).unwrap();
    logs(&dir).write(&transcript("Why?")).unwrap();
    let found: Value = serde_json::from_str(&fs::read_to_string(log).unwrap()).unwrap();
    assert_eq!(found["notes"][0]["content"], "kept");
    assert!(dir.app_path().join(format!("logs/{SESSION}.meta.json")).exists());
}

#[test]
fn log_too_large_to_read_is_not_written() {
    let dir = TestDir::new();
    let mut large = transcript("Why?");
    large.rounds[0].response = "x".repeat(64 << 20);
    let refused = logs(&dir).write(&large);
    assert!(
        matches!(refused, Err(ServiceError::Tool { code: wardroom_alc::error_code::LOG_TOO_LARGE, .. })),
        "{refused:?}"
    );
    assert!(!dir.app_path().join("logs").exists());
}

#[test]
fn token_sum_has_the_least_reliable_source() {
    for (text, tokens) in [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("é", 1), ("éé", 2), ("ééé", 2), ("ab日本", 3)]
    {
        assert_eq!(TokenCount::estimate(text), TokenCount { tokens, source: TokenCountSource::Estimated }, "{text}");
    }
    assert_eq!(TokenCount::estimate_prompt("abcde", Some("é")).tokens, 3);
    assert_eq!(TokenCount::estimate_prompt("abcde", None).tokens, 2);
    let (estimated, provided) = (TokenCount::estimate("abcd"), TokenCount::from_client(5));
    for (sum, tokens, source) in [
        (TokenCount::ZERO.saturating_add(TokenCount::ZERO), 0, TokenCountSource::Definite),
        (TokenCount::ZERO.saturating_add(provided), 5, TokenCountSource::Provided),
        (provided.saturating_add(estimated), 6, TokenCountSource::Estimated),
        (estimated.saturating_add(provided), 6, TokenCountSource::Estimated),
        (provided.saturating_add(TokenCount::from_client(u64::MAX)), u64::MAX, TokenCountSource::Provided),
    ] {
        assert_eq!(sum, TokenCount { tokens, source });
    }
}
