//! `alc://eval/{result_id}`: the result of one evaluation, as it was stored.
//!
//! Owns: how the name of a stored eval is written as an id. The pattern of eval ids has no `_` in the strategy, while
//! most strategies have one in their name. Beside it: how one is stored (`store.rs`) and the tools.

mod compare;
mod store;
mod tools;
mod welch;

pub use self::store::{Place, write_eval, write_eval_at};
pub(super) use self::tools::TOOLS;
pub use self::welch::{Scores, Welch, welch};

use std::time::SystemTime;

use wardroom_rules::id;

use super::{Alc, Ask, DOCUMENT};
use wardroom_appdir::AppDirError;
use wardroom_base::limits::MAX_NAMES_SCANNED;
use wardroom_base::payload;
use wardroom_base::uri::EvalId;
use wardroom_service::{Content, Effort, ServiceError, mime};

/// The id of the eval that is stored as `name`: the name itself, or with `-` for each `_` of the strategy.
pub(super) fn id_of(name: &str) -> Option<String> {
    if id::is_eval_id(name) {
        return Some(name.to_owned());
    }
    let (strategy, time) = name.rsplit_once('_')?;
    Some(format!("{}_{time}", strategy.replace('_', "-")))
}

impl Alc {
    pub(super) fn eval(&self, eval: &EvalId, ask: &Ask) -> Result<Content, ServiceError> {
        let (text, modified) =
            self.eval_text(eval.as_str(), ask).map_err(|error| ServiceError::reading(ask.uri, error))?;
        let check = payload::check_text(&text, text.len());
        check.map_err(|error| ServiceError::internal(format!("{} is not valid JSON", ask.uri), error))?;
        Ok(Content::new(mime::JSON, text, modified))
    }

    /// The exact name comes first, then the one with `_` throughout, then any other that has this id.
    fn eval_text(&self, eval: &str, ask: &Ask) -> Result<(String, Option<SystemTime>), AppDirError> {
        let read = |name: &str| {
            let file = format!("evals/{name}.json");
            self.folders.app.read_text(&file, ask.context.within(DOCUMENT))
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
        if ask.context.effort == Effort::Light {
            return Err(AppDirError::NotIndexed(eval.to_owned()));
        }
        let stored = self.folders.app.folder("evals")?.entries(MAX_NAMES_SCANNED)?;
        let mut names = stored.iter().filter_map(|entry| entry.name.strip_suffix(".json"));
        match names.find(|name| id_of(name).as_deref() == Some(eval)) {
            Some(name) => read(name),
            None => Err(AppDirError::NotFound(eval.to_owned())),
        }
    }
}
