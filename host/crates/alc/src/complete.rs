//! Completion of the variables in `alc` templates, from the names that exist.

use std::sync::Arc;

use super::{Alc, evals};
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_appdir::{AppDirError, EntryKind, Folder};
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
            IdKind::CardId => self.list_card_ids(budget)?,
            IdKind::ScenarioName => self.list_stems("scenarios", ".lua", budget)?,
            IdKind::EvalResult => self.list_eval_ids(budget)?,
            IdKind::SessionId => drop_summaries(match &self.logs {
                Some(logs) => list_stems_in(logs, ".json", budget)?,
                None => self.list_stems("logs", ".json", budget)?,
            }),
        };
        names.retain(|name| name.starts_with(prefix) && id::check(kind, name).is_ok());
        names.sort_unstable();
        names.dedup();
        Ok(names)
    }

    fn list_card_ids(&self, budget: &mut usize) -> Result<Vec<String>, ServiceError> {
        let mut ids = Vec::new();
        for package in self.list_entries("cards", budget)? {
            // Once the budget is spent, opening more folders would be unbounded work.
            if *budget == 0 {
                break;
            }
            if !matches!(package.kind, EntryKind::Folder | EntryKind::Symlink) {
                continue;
            }
            match self.list_stems(&format!("cards/{}", package.name), ".toml", budget) {
                Ok(found) => ids.extend(found),
                // As in reads, a folder that cannot be opened hides no card of the others.
                Err(error) => tracing::debug!(%error, "cannot list a folder of cards, skipped"),
            }
        }
        Ok(ids)
    }

    fn list_eval_ids(&self, budget: &mut usize) -> Result<Vec<String>, ServiceError> {
        let stored = drop_summaries(self.list_stems("evals", ".json", budget)?);
        Ok(stored.iter().filter_map(|name| evals::eval_id_from_name(name)).collect())
    }

    fn list_stems(&self, folder: &str, suffix: &str, budget: &mut usize) -> Result<Vec<String>, ServiceError> {
        match self.app.open_folder(folder) {
            Ok(folder) => list_stems_in(&folder, suffix, budget),
            Err(AppDirError::NotFound(_)) => Ok(Vec::new()),
            Err(error) => Err(list_error(error)),
        }
    }

    fn list_entries(&self, folder: &str, budget: &mut usize) -> Result<Vec<wardroom_appdir::DirEntry>, ServiceError> {
        match self.app.open_folder(folder).and_then(|folder| folder.entries_with_budget(budget)) {
            Err(AppDirError::NotFound(_)) => Ok(Vec::new()),
            listed => listed.map_err(list_error),
        }
    }
}

fn list_stems_in(folder: &Folder, suffix: &str, budget: &mut usize) -> Result<Vec<String>, ServiceError> {
    let entries = folder.entries_with_budget(budget).map_err(list_error)?;
    let files = entries.into_iter().filter(|entry| matches!(entry.kind, EntryKind::File | EntryKind::Symlink));
    Ok(files.filter_map(|entry| entry.name.strip_suffix(suffix).map(str::to_owned)).collect())
}

/// Drops the names of summaries: `x.meta.json` is the summary of `x.json`.
fn drop_summaries(mut names: Vec<String>) -> Vec<String> {
    names.retain(|name| !name.ends_with(".meta"));
    names
}

fn list_error(error: AppDirError) -> ServiceError {
    ServiceError::internal("cannot list the names", error)
}
