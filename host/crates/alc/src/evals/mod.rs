//! Evals: the stored results of evaluations, as `alc://eval/{result_id}` and for tools.
//!
//! Owns: `evals/`, and the mapping from the name of a stored eval to its id. The pattern of eval ids has no `_` in the
//! strategy, while most strategies have one in their name.
//! Gives: evals as resources, new ones (`store.rs`), and what their tools list and compare.
//! Never: replaces an eval.

mod compare;
mod figures;
mod intervals;
mod store;
mod tools;
mod welch;

pub use self::figures::{EvalCase, EvalDetails, EvalFigures, EvalPair, SCORE_RANGES, score_counts};
pub use self::intervals::{Estimate, PassCount, mean_difference, rate_difference};
pub use self::store::EvalTarget;
pub(super) use self::tools::TOOLS;
pub use self::welch::{SampleStats, WelchResult, welch_t_test};

use std::sync::Arc;

use wardroom_rules::id;

use super::DOCUMENT_LIMITS;
use crate::error_code as code;
use crate::listed_names::{document_stem, is_summary_stem, list_stems};
use crate::recent::DocumentFolders;
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_appdir::{AppDirError, Folder, OpenFile};
use wardroom_base::payload;
use wardroom_base::uri::{EvalId, IdKind};
use wardroom_service::{Cost, Dependencies, ResourceContent, ServiceError, Step, Work, escape_and_truncate, mime};

/// Returns the id of the eval that is stored as `name`: the name itself, or with `-` for each `_` of the strategy.
pub(super) fn eval_id_from_name(name: &str) -> Option<String> {
    if id::is_eval_id(name) {
        return Some(name.to_owned());
    }
    let (strategy, time) = name.rsplit_once('_')?;
    Some(format!("{}_{time}", strategy.replace('_', "-")))
}

/// The folder of evals, below the AppDir.
const EVALS_DIR: &str = "evals";

/// The evals of one AppDir.
pub struct EvalStore {
    app: Folder,
}

impl EvalStore {
    /// Creates the store of the AppDir `app`.
    #[must_use]
    pub fn new(app: Folder) -> Self {
        Self { app }
    }

    fn open_evals_folder(&self) -> Result<Folder, AppDirError> {
        self.app.open_folder(EVALS_DIR)
    }

    /// Resolves the read of an eval: by its name, or, where its id may be that of another name, after a scan.
    pub(super) fn resolve_eval(
        self: &Arc<Self>,
        eval: &EvalId,
        uri: &str,
    ) -> Result<Work<ResourceContent>, ServiceError> {
        let failed = |error| ServiceError::from_read_error(uri, error);
        let id = eval.as_str();
        if let Some(file) = self.open_eval(id).map_err(failed)? {
            return Ok(read_eval_file(file, uri));
        }
        if !id.contains('-') {
            return Err(ServiceError::NotFound { uri: uri.to_owned() });
        }
        let (store, id, uri) = (Arc::clone(self), id.to_owned(), uri.to_owned());
        Ok(Work::in_steps(Cost::Worker, move |_| {
            let file = store.open_eval_by_scan(&id).map_err(|error| ServiceError::from_read_error(&uri, error))?;
            Ok(Step::Next(read_eval_file(file, &uri)))
        }))
    }

    /// Opens the eval with exactly this name, else the one with `_` for each `-`.
    fn open_eval(&self, eval: &str) -> Result<Option<OpenFile>, AppDirError> {
        for name in [eval, &eval.replace('-', "_")] {
            match self.app.open(&format!("{EVALS_DIR}/{name}.json")) {
                Err(AppDirError::NotFound(_)) => {}
                opened => return opened.map(Some),
            }
        }
        Ok(None)
    }

    /// Opens any eval with this id, whatever its name.
    fn open_eval_by_scan(&self, eval: &str) -> Result<OpenFile, AppDirError> {
        if !eval.contains('-') {
            return Err(AppDirError::NotFound(eval.to_owned()));
        }
        let stored = self.open_evals_folder()?.entries(MAX_NAMES_SCANNED)?;
        let mut names = stored.iter().filter_map(|entry| entry.name.strip_suffix(".json"));
        match names.find(|name| eval_id_from_name(name).as_deref() == Some(eval)) {
            Some(name) => self.app.open(&format!("{EVALS_DIR}/{name}.json")),
            None => Err(AppDirError::NotFound(eval.to_owned())),
        }
    }

    /// Opens an eval by its id or by its file's name, which may have more `_`.
    fn open_eval_object(&self, eval: &str) -> Result<OpenFile, ServiceError> {
        id::check_alphabet(eval).map_err(|error| {
            ServiceError::tool(
                code::INVALID_EVAL_ID,
                format!("Invalid eval_id: '{}' {error}", escape_and_truncate(eval)),
            )
        })?;
        let opened = self.open_eval(eval).and_then(|file| file.map_or_else(|| self.open_eval_by_scan(eval), Ok));
        opened.map_err(|error| match error {
            AppDirError::NotFound(_) => ServiceError::tool(code::NOT_FOUND, format!("Eval result not found: {eval}")),
            other => ServiceError::from_read_error(&format!("alc://eval/{eval}"), other),
        })
    }

    /// Returns the folder of evals, for the list of what is stored.
    pub(crate) fn document_folders(&self) -> Result<DocumentFolders<'_>, AppDirError> {
        // That there is none is for the caller to know.
        self.open_evals_folder()?;
        Ok(DocumentFolders {
            names: vec![Arc::default()],
            open: Box::new(|_| self.open_evals_folder()),
            is_document: |file| {
                let id = document_stem(file).and_then(eval_id_from_name);
                id.is_some_and(|id| id::check(IdKind::EvalResult, &id).is_ok())
            },
            id_of: |file| document_stem(file).and_then(eval_id_from_name).unwrap_or_default().into(),
        })
    }

    /// Returns the ids of the evals that are wanted, unordered.
    pub(crate) fn list_ids(
        &self,
        budget: &mut usize,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<String>, ServiceError> {
        let id_of = |stem: &str| eval_id_from_name(stem).filter(|id| !is_summary_stem(stem) && is_wanted(id));
        let stems = list_stems(&self.app, EVALS_DIR, ".json", budget, &|stem| id_of(stem).is_some())?;
        Ok(stems.iter().filter_map(|stem| id_of(stem)).collect())
    }

    /// Adds an eval's files. If none exists and the id has a `-`, a file of another name can have that id, so the
    /// listing is added too.
    pub(crate) fn add_dependencies(&self, eval: &EvalId, dependencies: &mut Dependencies) {
        let names = [eval.to_string(), eval.as_str().replace('-', "_")].map(|name| format!("{EVALS_DIR}/{name}.json"));
        names.iter().for_each(|name| dependencies.add_file(&self.app, name));
        let is_there = |name: &String| self.app.stat(name).is_ok();
        if eval.as_str().contains('-') && !names.iter().any(is_there) {
            dependencies.add_dir_listing(&self.app, EVALS_DIR);
        }
    }

    /// Adds the names of all evals.
    pub(crate) fn add_list_dependencies(&self, dependencies: &mut Dependencies) {
        dependencies.add_dir_listing(&self.app, EVALS_DIR);
    }
}

fn read_eval_file(file: OpenFile, uri: &str) -> Work<ResourceContent> {
    let named = uri.to_owned();
    DOCUMENT_LIMITS.read_text(file, uri, move |text, modified| {
        let check = payload::check_json_text(&text, text.len());
        check.map_err(|error| ServiceError::internal(format!("{named} is not valid JSON"), error))?;
        Ok(ResourceContent::new(mime::JSON, text, modified))
    })
}
