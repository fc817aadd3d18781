//! Completion of the variables in `alc` templates, from the names that exist.

use super::{Alc, evals};
use wardroom_appdir::{AppDirError, EntryKind, Folder};
use wardroom_base::limits::MAX_NAMES_SCANNED;
use wardroom_base::uri::IdKind;
use wardroom_rules::id;
use wardroom_service::{CallContext, ServiceError, shown};

impl Alc {
    /// Nothing for a template that is not one of this service's.
    pub(super) fn complete_variable(
        &self,
        pattern: &str,
        variable: &str,
        prefix: &str,
        context: &CallContext,
    ) -> Result<Option<Vec<String>>, ServiceError> {
        let scheme = self.table();
        let Some(template) = scheme.templates.iter().find(|template| template.pattern(scheme) == pattern) else {
            return Ok(None);
        };
        if template.var != variable {
            return Err(ServiceError::Invalid(format!("{} has no variable '{}'", shown(pattern), shown(variable))));
        }
        // All names there are may take tens of megabytes.
        context.needs_large()?;
        // What is left to look at, whatever the number of folders.
        let left = &mut { MAX_NAMES_SCANNED };
        let mut names = match template.kind {
            IdKind::PackageName => self.package_names(left)?,
            IdKind::CardId => self.card_ids(left)?,
            IdKind::ScenarioName => self.stems("scenarios", ".lua", left)?,
            IdKind::EvalResult => self.eval_ids(left)?,
            IdKind::SessionId => without_summaries(match &self.folders.logs {
                Some(logs) => stems_in(logs, ".json", left)?,
                None => self.stems("logs", ".json", left)?,
            }),
        };
        names.retain(|name| name.starts_with(prefix) && id::check(template.kind, name).is_ok());
        names.sort_unstable();
        names.dedup();
        Ok(Some(names))
    }

    fn card_ids(&self, left: &mut usize) -> Result<Vec<String>, ServiceError> {
        let mut ids = Vec::new();
        for package in self.list("cards", left)? {
            // Opening folders that nothing may be read of any more would be work without end too.
            if *left == 0 {
                break;
            }
            if !matches!(package.kind, EntryKind::Folder | EntryKind::Link) {
                continue;
            }
            match self.stems(&format!("cards/{}", package.name), ".toml", left) {
                Ok(found) => ids.extend(found),
                // As in reading: a folder that cannot be opened hides no card in the others.
                Err(error) => tracing::debug!(%error, "folder of cards skipped"),
            }
        }
        Ok(ids)
    }

    fn eval_ids(&self, left: &mut usize) -> Result<Vec<String>, ServiceError> {
        let stored = without_summaries(self.stems("evals", ".json", left)?);
        Ok(stored.iter().filter_map(|name| evals::id_of(name)).collect())
    }

    fn stems(&self, folder: &str, suffix: &str, left: &mut usize) -> Result<Vec<String>, ServiceError> {
        match self.folders.app.folder(folder) {
            Ok(folder) => stems_in(&folder, suffix, left),
            Err(AppDirError::NotFound(_)) => Ok(Vec::new()),
            Err(error) => Err(unlisted(error)),
        }
    }

    fn list(&self, folder: &str, left: &mut usize) -> Result<Vec<wardroom_appdir::Entry>, ServiceError> {
        match self.folders.app.folder(folder).and_then(|folder| folder.entries_within(left)) {
            Err(AppDirError::NotFound(_)) => Ok(Vec::new()),
            listed => listed.map_err(unlisted),
        }
    }
}

fn stems_in(folder: &Folder, suffix: &str, left: &mut usize) -> Result<Vec<String>, ServiceError> {
    let entries = folder.entries_within(left).map_err(unlisted)?;
    let files = entries.into_iter().filter(|entry| matches!(entry.kind, EntryKind::File | EntryKind::Link));
    Ok(files.filter_map(|entry| entry.name.strip_suffix(suffix).map(str::to_owned)).collect())
}

/// `x.meta.json` is the summary of `x.json`.
fn without_summaries(mut names: Vec<String>) -> Vec<String> {
    names.retain(|name| !name.ends_with(".meta"));
    names
}

fn unlisted(error: AppDirError) -> ServiceError {
    ServiceError::internal("cannot list the names", error)
}
