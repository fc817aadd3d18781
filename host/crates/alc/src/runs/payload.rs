//! What a client is told of a run, in the original's forms.
//!
//! Owns: those forms, and what is stored of a run that is over: its transcript, and an eval's report.
//! Never: lets a run fail because one of those could not be stored; the answer says so.

use serde_json::{Map, Value, json};

use super::journal::Line;
use super::live::{Live, Query, now_ms};
use super::session::Session;
use crate::Alc;
use crate::evals::{Place, write_eval_at};
use crate::transcript::{Transcript, write_log};
use wardroom_base::payload::Payload;
use wardroom_base::uri::SessionId;
use wardroom_service::{Ask, Asks, Sample, ServiceError, ToolAnswer};

/// What the client's model is to answer.
pub(super) fn asks(session: &Session) -> ToolAnswer {
    let live = session.shared.live();
    let pending: Vec<&Query> = live.pending().collect();
    let mut payload = Map::new();
    payload.insert("status".into(), "needs_response".into());
    payload.insert("session_id".into(), session.id.clone().into());
    if let [only] = pending.as_slice() {
        payload.append(&mut only.asked("query_id"));
    } else {
        let queries: Vec<Value> = pending.iter().map(|query| query.asked("id").into()).collect();
        payload.insert("queries".into(), queries.into());
    }
    let sample = |query: &&Query| {
        Ask::from(Sample {
            key: query.id.clone(),
            prompt: query.prompt.clone(),
            system: query.system.clone(),
            max_tokens: query.max_tokens,
        })
    };
    let asks = Asks { asks: pending.iter().map(sample).collect(), handle: session.id.clone() };
    ToolAnswer { asks: Some(asks), ..answer(payload.into()) }
}

/// Others are still to come.
pub(super) fn accepted(remaining: usize) -> ToolAnswer {
    answer(json!({"status": "accepted", "remaining": remaining}))
}

/// A script that failed. The form is an answer's; the model should see a failure.
pub(super) fn failed(message: &str) -> ToolAnswer {
    ToolAnswer { failed: true, ..answer(json!({"status": "error", "error": message})) }
}

/// With the numbers of one that waited here.
pub(super) fn cancelled(stats: Option<&Value>) -> ToolAnswer {
    answer(json!({"status": "cancelled", "stats": stats}))
}

fn answer(value: Value) -> ToolAnswer {
    Payload::from_value(value).into()
}

/// The end of a run, with its records stored.
pub(super) fn over(session: &mut Session, alc: &Alc, result: Result<Value, String>) -> ToolAnswer {
    let mut notes = Map::new();
    let live = session.shared.live();
    if let Err(error) = store_transcript(session, alc, &live) {
        tracing::error!(%error, session = session.id, "the transcript cannot be stored");
        notes.insert("transcript_warning".into(), error.to_string().into());
    }
    let mut payload = match result {
        Err(message) => return with(failed(&message), notes),
        Ok(result) => json!({"status": "completed", "result": result, "stats": live.stats()}),
    };
    drop(live);
    if session.eval {
        match store_report(session, alc, &payload) {
            Ok(id) => drop(payload.as_object_mut().map(|fields| fields.insert("eval_id".into(), id.into()))),
            Err(error) => drop(notes.insert("save_warning".into(), error.to_string().into())),
        }
    }
    with(answer(payload), notes)
}

/// Another process finds it stored, should this one die before it says that the run is over.
fn store_report(session: &mut Session, alc: &Alc, payload: &Value) -> Result<String, ServiceError> {
    let (strategy, announced) = (session.strategy.clone().unwrap_or_default(), session.shared.report.take());
    let journal = &mut session.shared.journal;
    let mut announce = |Place { id, digest }: &Place| {
        let line = Line::Report { id: id.clone(), digest: digest.clone() };
        journal.add(&line).map_err(|error| ServiceError::writing("the journal of the run", error))
    };
    write_eval_at(alc, &strategy, payload, now_ms() / 1000, announced.as_ref(), &mut announce)
}

fn store_transcript(session: &Session, alc: &Alc, live: &Live) -> Result<(), ServiceError> {
    let id = SessionId::parse(&session.id)
        .map_err(|error| ServiceError::tool("STORE", format!("the session's name {error}")))?;
    let rounds = live.queries.iter().filter_map(Query::round).collect();
    write_log(alc, &Transcript { session: id, strategy: session.strategy.clone(), stats: live.auto(), rounds })
}

fn with(answer: ToolAnswer, mut notes: Map<String, Value>) -> ToolAnswer {
    if notes.is_empty() {
        return answer;
    }
    let mut value = answer.value.clone().into_value();
    if let Some(fields) = value.as_object_mut() {
        fields.append(&mut notes);
    }
    ToolAnswer { value: Payload::from_value(value), ..answer }
}
