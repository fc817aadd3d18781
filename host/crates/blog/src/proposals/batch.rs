//! One decision on several proposals.
//!
//! Owns: that all of them are compared with what was shown before one of them is decided.
//! Never: decides on a part of them because another part is not what was shown.

use std::collections::HashMap;

use super::ProposalState;
use super::decide::{
    DecideError, DecisionRequest, Outcome, Planned, Recorded, Verdict, carry_out_now, finish_others, plan, record,
};
use super::store::ProposalStore;
use crate::index::BlogSource;

/// Decides on several proposals as one: where one of them is not pending or not what was shown, none is decided. All are
/// recorded before a file is written. After a crash in between, those that are recorded are carried out by the next process,
/// and the others are still pending.
///
/// # Errors
/// When the proposals cannot be read or locked.
pub(crate) fn decide_all(
    source: &BlogSource,
    requests: &[DecisionRequest<'_>],
    verdict: Verdict,
) -> Result<BatchOutcome, DecideError> {
    let Some(first) = requests.first() else { return Ok(BatchOutcome::Decided(Vec::new())) };
    let store = ProposalStore::new(&source.folder);
    let _lock = store.lock()?;
    finish_others(source, &store, first.trail)?;
    let (mut all, mut refusals) = (Vec::new(), Vec::new());
    let (mut written, mut slugs) = (HashMap::new(), HashMap::new());
    for request in requests {
        let refusal = match plan(source, &store, request, verdict) {
            Ok(Planned::Decision(planned)) => {
                let others = planned.steps.iter().find_map(|step| written.get(step.path()).copied());
                written.extend(planned.steps.iter().map(|step| (step.path().to_owned(), request.id)));
                let refusal = others.map(|other: &str| BatchRefusal::SameFile { other: other.to_owned() });
                let same = planned.slug.clone().and_then(|slug| {
                    let other = slugs.insert(slug.clone(), request.id)?;
                    Some(BatchRefusal::SameSlug { other: other.to_owned(), slug })
                });
                all.push((request, *planned));
                refusal.or(same)
            }
            Ok(Planned::Already(state)) => Some(BatchRefusal::Already(state)),
            Err(error) => Some(BatchRefusal::Failed(error)),
        };
        refusals.extend(refusal.map(|refusal| (request.id.to_owned(), refusal)));
    }
    if !refusals.is_empty() {
        return Ok(BatchOutcome::Refused(refusals));
    }
    let recorded: Vec<_> =
        all.into_iter().map(|(request, planned)| (request.id, record(&store, planned, request))).collect();
    let carry_out = |(id, recorded): (&str, Result<Recorded, DecideError>)| {
        let outcome = recorded.and_then(|recorded| match recorded {
            Recorded::Decided(decided) => Ok(Outcome::Done { applied: carry_out_now(source, &decided)?, decided }),
            Recorded::Already(state) => Ok(Outcome::Already(state)),
        });
        (id.to_owned(), outcome)
    };
    Ok(BatchOutcome::Decided(recorded.into_iter().map(carry_out).collect()))
}

/// What became of several decisions, by the ids of the proposals.
#[derive(Debug)]
pub(crate) enum BatchOutcome {
    Decided(Vec<(String, Result<Outcome, DecideError>)>),
    /// Nothing was decided, because of these.
    Refused(Vec<(String, BatchRefusal)>),
}

/// Why nothing was decided on several proposals.
#[derive(Debug)]
pub(crate) enum BatchRefusal {
    /// This one is not pending.
    Already(Box<ProposalState>),
    /// This one is not what was shown.
    Failed(DecideError),
    /// This one and another one change the same file: what was shown of one is not true after the other one.
    SameFile { other: String },
    /// This one and another one are new posts with one slug.
    SameSlug { other: String, slug: String },
}
