//! Completion of the variables in `alc` templates, from the names that exist.

use std::sync::Arc;

use super::Alc;
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_base::uri::IdKind;
use wardroom_rules::id;
use wardroom_service::{Cost, ServiceError, VariableCompletion, Work, escape_and_truncate};

impl Alc {
    /// Resolves a completion into the work that lists the names; `None` for another service's template.
    pub(super) fn resolve_completion(
        self: Arc<Self>,
        completing: &VariableCompletion,
    ) -> Option<Result<Work<Vec<String>>, ServiceError>> {
        let scheme = self.active_scheme();
        let VariableCompletion { template: pattern, variable, prefix } = completing;
        let template = scheme.templates.iter().find(|template| template.pattern(scheme) == *pattern)?;
        if template.var != variable {
            return Some(Err(ServiceError::Invalid(format!(
                "{} has no variable '{}'",
                escape_and_truncate(pattern),
                escape_and_truncate(variable)
            ))));
        }
        let prefix = prefix.clone();
        // The list of all names can take tens of megabytes.
        Some(Ok(Work::new(Cost::Large, move |_| self.list_ids(template.kind, &prefix))))
    }

    /// Returns the ids of a kind that begin with `prefix`, sorted.
    fn list_ids(&self, kind: IdKind, prefix: &str) -> Result<Vec<String>, ServiceError> {
        // One budget of names for all folders.
        let budget = &mut { MAX_NAMES_SCANNED };
        let mut names = match kind {
            IdKind::PackageName => self.packages.list_package_names(budget)?,
            IdKind::CardId => self.cards.list_ids(budget)?,
            IdKind::ScenarioName => self.scenarios.list_names(budget)?,
            IdKind::EvalResult => self.evals.list_ids(budget)?,
            IdKind::SessionId => self.logs.list_ids(budget)?,
        };
        names.retain(|name| name.starts_with(prefix) && id::check(kind, name).is_ok());
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }
}
