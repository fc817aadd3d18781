//! The stores that a script's operations use, in a run and outside of one.

use std::sync::Arc;

use crate::cards::CardStore;
use crate::evals::EvalStore;
use crate::logs::LogStore;
use crate::packages::PackageStore;
use crate::scenarios::ScenarioStore;
use crate::state::StateStore;
use wardroom_base::permits::ThreadPermits;

/// The stores that the operations of scripts, and the records of their runs, use.
pub(crate) struct ScriptStores {
    pub(crate) packages: Arc<PackageStore>,
    pub(crate) cards: Arc<CardStore>,
    pub(crate) scenarios: Arc<ScenarioStore>,
    pub(crate) state: StateStore,
    pub(crate) evals: Arc<EvalStore>,
    pub(crate) logs: Arc<LogStore>,
    /// For operations that read many cards or samples.
    pub(crate) large_permits: ThreadPermits,
}
