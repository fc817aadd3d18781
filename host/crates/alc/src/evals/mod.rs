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

use std::time::SystemTime;

use wardroom_rules::id;

use super::{Alc, DOCUMENT_LIMITS, ReadRequest};
use wardroom_appdir::AppDirError;
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_base::payload;
use wardroom_base::uri::EvalId;
use wardroom_service::{ExecutionTier, ResourceContent, ServiceError, mime};

/// Returns the id of the eval that is stored as `name`: the name itself, or with `-` for each `_` of the strategy.
pub(super) fn eval_id_from_name(name: &str) -> Option<String> {
    if id::is_eval_id(name) {
        return Some(name.to_owned());
    }
    let (strategy, time) = name.rsplit_once('_')?;
    Some(format!("{}_{time}", strategy.replace('_', "-")))
}

impl Alc {
    pub(super) fn read_eval(&self, eval: &EvalId, ask: &ReadRequest) -> Result<ResourceContent, ServiceError> {
        let (text, modified) =
            self.read_eval_text(eval.as_str(), ask).map_err(|error| ServiceError::from_read_error(ask.uri, error))?;
        let check = payload::check_json_text(&text, text.len());
        check.map_err(|error| ServiceError::internal(format!("{} is not valid JSON", ask.uri), error))?;
        Ok(ResourceContent::new(mime::JSON, text, modified))
    }

    /// Reads the eval with exactly this name, else the one with `_` for each `-`, else any other with this id.
    fn read_eval_text(&self, eval: &str, ask: &ReadRequest) -> Result<(String, Option<SystemTime>), AppDirError> {
        let read = |name: &str| {
            let file = format!("evals/{name}.json");
            self.folders.app.read_text(&file, ask.context.size_limit(DOCUMENT_LIMITS))
        };
        for name in [eval, &eval.replace('-', "_")] {
            match read(name) {
                Err(AppDirError::NotFound(_)) => {}
                found => return found,
            }
        }
        if !eval.contains('-') {
            return Err(AppDirError::NotFound(eval.to_owned()));
        }
        if ask.context.tier == ExecutionTier::Light {
            return Err(AppDirError::NotIndexed(eval.to_owned()));
        }
        let stored = self.folders.app.open_folder("evals")?.entries(MAX_NAMES_SCANNED)?;
        let mut names = stored.iter().filter_map(|entry| entry.name.strip_suffix(".json"));
        match names.find(|name| eval_id_from_name(name).as_deref() == Some(eval)) {
            Some(name) => read(name),
            None => Err(AppDirError::NotFound(eval.to_owned())),
        }
    }
}
