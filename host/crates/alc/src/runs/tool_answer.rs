//! The answers of runs to the client, in the original's forms.
//!
//! Owns: those forms, and the records of a finished run: its transcript, and an eval's report.
//! Never: fails a run because a record could not be stored; the answer has a warning.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::error::RunError;
use super::journal::JournalLine;
use super::live_status::LiveStatus;
use super::queries::LlmQuery;
use super::run::Run;
use super::script_stores::ScriptStores;
use crate::error_code as code;
use crate::evals::EvalTarget;
use crate::logs::transcript::Transcript;
use wardroom_base::payload::Payload;
use wardroom_base::unix_time;
use wardroom_base::uri::SessionId;
use wardroom_service::{InputRequest, InputRequired, RequestMemory, SamplingPrompt, ServiceError, ToolOutput};

/// Returns an answer with the queries for the client's model.
pub(super) fn needs_response_answer(run: &Run) -> ToolOutput {
    let live = run.shared.lock_status();
    let waiting = live.queries.waiting();
    let mut payload = Map::new();
    payload.insert("status".into(), "needs_response".into());
    payload.insert("session_id".into(), run.id.clone().into());
    if let [only] = waiting {
        payload.append(&mut only.to_request_fields("query_id"));
    } else {
        let queries: Vec<Value> = waiting.iter().map(|query| query.to_request_fields("id").into()).collect();
        payload.insert("queries".into(), queries.into());
    }
    let sample = |query: &LlmQuery| {
        InputRequest::from(SamplingPrompt {
            key: query.id.clone(),
            prompt: query.prompt.clone(),
            system: query.system.clone(),
            max_tokens: query.max_tokens,
        })
    };
    let input_required = InputRequired {
        requests: waiting.iter().map(sample).collect(),
        continuation_token: run.id.clone(),
        may_repeat: true,
    };
    ToolOutput { input_required: Some(input_required), ..to_answer(payload.into()) }
}

/// Returns an answer to a reply while other queries are pending.
pub(super) fn accepted_answer(remaining: usize) -> ToolOutput {
    to_answer(json!({"status": "accepted", "remaining": remaining}))
}

/// Returns the answer of a failed script: a normal answer, flagged as an error.
pub(super) fn error_answer(message: &str) -> ToolOutput {
    ToolOutput { is_error: true, ..to_answer(json!({"status": "error", "error": message})) }
}

/// Returns the answer of a cancelled run, with its stats if the run was warm.
pub(super) fn cancelled_answer(stats: Option<Payload>) -> ToolOutput {
    let stats = stats.unwrap_or_default();
    let status = Payload::from_value("cancelled".into());
    fields_answer(&BTreeMap::from([("status", status), ("stats", stats)]))
}

/// Returns an answer of these fields, which are copied as text.
fn fields_answer(fields: &BTreeMap<&str, Payload>) -> ToolOutput {
    match Payload::text_of(fields) {
        Ok(answer) => answer.into(),
        Err(error) => error_answer(&format!("the answer is not JSON: {error}")),
    }
}

fn to_answer(value: Value) -> ToolOutput {
    Payload::from_value(value).into()
}

/// Ends a run whose script has ended: stores its writes and its records, and returns its final answer.
pub(super) fn finish_run(
    run: &mut Run,
    stores: &ScriptStores,
    result: Result<Payload, String>,
    memory: &RequestMemory,
) -> Result<ToolOutput, RunError> {
    // Writes that can never be stored are the run's failure.
    let result = match run.flush_writes(&stores.state) {
        Err(RunError::Script(message)) => Err(message),
        saved => saved.and(Ok(result))?,
    };
    // Without the memory for its answer a run stays as it is, and can be resumed if it has a journal.
    memory.hold_answer(result.as_ref().map_or_else(String::len, Payload::text_bytes), 0)?;
    let answer = store_records_and_answer(run, stores, result, memory);
    run.record_end(answer.is_error, &answer.value)?;
    Ok(answer)
}

/// Stores the records of a finished run and returns its final answer.
fn store_records_and_answer(
    run: &mut Run,
    stores: &ScriptStores,
    result: Result<Payload, String>,
    memory: &RequestMemory,
) -> ToolOutput {
    let mut fields = BTreeMap::new();
    // Others see the status while the transcript is written.
    let live = run.shared.lock_status();
    let transcript = build_transcript(run, &live, result.as_ref().err());
    let stats = Payload::text_of(&live.stats()).unwrap_or_default();
    drop(live);
    if let Err(error) = transcript.and_then(|transcript| stores.logs.write(&transcript)) {
        tracing::error!(%error, session = run.id, "cannot store the transcript");
        fields.insert("transcript_warning", text_field(error.to_string()));
    }
    match result {
        Err(message) => {
            fields.extend([("status", text_field("error")), ("error", text_field(message))]);
            return ToolOutput { is_error: true, ..fields_answer(&fields) };
        }
        Ok(result) => fields.extend([("status", text_field("completed")), ("result", result), ("stats", stats)]),
    }
    if run.is_eval {
        match store_report(run, stores, &fields, memory) {
            Ok(id) => drop(fields.insert("eval_id", text_field(id))),
            Err(error) => drop(fields.insert("save_warning", text_field(error.to_string()))),
        }
    }
    fields_answer(&fields)
}

fn text_field(text: impl Into<Value>) -> Payload {
    Payload::from_value(text.into())
}

/// Stores an eval's report. The target is journaled first: a later process finds the stored report if this one dies
/// before the run's end is journaled.
fn store_report(
    run: &mut Run,
    stores: &ScriptStores,
    fields: &BTreeMap<&str, Payload>,
    memory: &RequestMemory,
) -> Result<String, ServiceError> {
    let reported = ["result", "stats", "status"].into_iter().filter_map(|name| Some((name, fields.get(name)?)));
    let report = Payload::text_of(&reported.collect::<BTreeMap<_, _>>())
        .map_err(|error| ServiceError::internal("the report of an eval is not JSON", error))?;
    let _held = memory.lease(report.value_bytes())?;
    let report = report.into_value();
    let (strategy, announced) = (run.strategy.clone().unwrap_or_default(), run.shared.report_target.take());
    let journal = &mut run.shared.journal;
    let mut announce = |EvalTarget { id, digest }: &EvalTarget| {
        let line = JournalLine::Report { id: id.clone(), digest: digest.clone() };
        journal.append(&line).map_err(|error| ServiceError::from_write_error("the journal of the run", error))
    };
    stores.evals.write_journaled(&strategy, &report, unix_time::now_seconds(), announced.as_ref(), &mut announce)
}

fn build_transcript(run: &Run, live: &LiveStatus, error: Option<&String>) -> Result<Transcript, ServiceError> {
    let id = SessionId::parse(&run.id)
        .map_err(|error| ServiceError::tool(code::STORE, format!("the session's name {error}")))?;
    let rounds = live.queries.answered().filter_map(LlmQuery::to_round).collect();
    Ok(Transcript {
        session: id,
        strategy: run.strategy.clone(),
        stats: live.run_stats(),
        error: error.cloned(),
        logs: live.log_entries().cloned().collect(),
        rounds,
    })
}
