//! `alc://eval/{result_id}`: the stored result of one evaluation; storing evals (`store.rs`), and their tools.
//!
//! Owns: the mapping from the name of a stored eval to its id. The pattern of eval ids has no `_` in the strategy,
//! while most strategies have one in their name.

mod compare;
mod store;
mod tools;
mod welch;

pub use self::store::{EvalTarget, write_eval, write_eval_journaled};
pub(super) use self::tools::TOOLS;
pub use self::welch::{SampleStats, WelchResult, welch_t_test};

use std::sync::Arc;

use wardroom_rules::id;

use super::{Alc, DOCUMENT_LIMITS};
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_appdir::{AppDirError, OpenFile};
use wardroom_base::payload;
use wardroom_base::uri::EvalId;
use wardroom_service::{Cost, ResourceContent, ServiceError, Step, Work, mime};

/// Returns the id of the eval that is stored as `name`: the name itself, or with `-` for each `_` of the strategy.
pub(super) fn eval_id_from_name(name: &str) -> Option<String> {
    if id::is_eval_id(name) {
        return Some(name.to_owned());
    }
    let (strategy, time) = name.rsplit_once('_')?;
    Some(format!("{}_{time}", strategy.replace('_', "-")))
}

impl Alc {
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
        let (alc, id, uri) = (Arc::clone(self), id.to_owned(), uri.to_owned());
        Ok(Work::in_steps(Cost::Worker, move |_| {
            let file = alc.open_eval_by_scan(&id).map_err(|error| ServiceError::from_read_error(&uri, error))?;
            Ok(Step::Next(read_eval_file(file, &uri)))
        }))
    }

    /// Opens the eval with exactly this name, else the one with `_` for each `-`.
    fn open_eval(&self, eval: &str) -> Result<Option<OpenFile>, AppDirError> {
        for name in [eval, &eval.replace('-', "_")] {
            match self.app.open(&format!("evals/{name}.json")) {
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
        let stored = self.app.open_folder("evals")?.entries(MAX_NAMES_SCANNED)?;
        let mut names = stored.iter().filter_map(|entry| entry.name.strip_suffix(".json"));
        match names.find(|name| eval_id_from_name(name).as_deref() == Some(eval)) {
            Some(name) => self.app.open(&format!("evals/{name}.json")),
            None => Err(AppDirError::NotFound(eval.to_owned())),
        }
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
