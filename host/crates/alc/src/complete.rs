//! Completion of the variables in `alc` templates, from the names that exist.

use std::sync::Arc;

use super::Alc;
use crate::limits::MAX_COMPARED_NAMES;
use crate::session_owner::is_visible;
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_base::uri::{IdKind, MatchedUri, Scheme};
use wardroom_ranking::closest_name;
use wardroom_rules::id;
use wardroom_service::{Cost, RequestInfo, ServiceError, VariableCompletion, Work, escape_and_truncate};

/// Resolves a completion into the work that lists the names; `None` for another service's template.
pub(super) fn resolve_completion(
    alc: &Alc,
    completing: &VariableCompletion,
) -> Option<Result<Work<Vec<String>>, ServiceError>> {
    let scheme = alc.active_scheme();
    let VariableCompletion { template: pattern, variable, prefix } = completing;
    let template = scheme.templates.iter().find(|template| template.pattern(scheme) == *pattern)?;
    if template.var != variable {
        return Some(Err(ServiceError::Invalid(format!(
            "{} has no variable '{}'",
            escape_and_truncate(pattern),
            escape_and_truncate(variable)
        ))));
    }
    let (kind, prefix) = (template.kind, prefix.clone());
    let list = id_lister(alc, kind);
    // The list of all names can take tens of megabytes.
    Some(Ok(Work::new(Cost::Large, move |info| {
        let is_wanted = |name: &str| name.starts_with(&prefix) && is_offered(name, kind, info);
        let mut names = list(&mut { MAX_NAMES_SCANNED }, &is_wanted)?;
        names.sort_unstable();
        names.dedup();
        Ok(names)
    })))
}

/// Returns the URI with the id that is most similar to one that does not exist, of those that the caller may see. Of very many
/// ids none is compared.
pub(super) fn closest_uri(alc: &Alc, scheme: &Scheme, uri: &str, info: &RequestInfo) -> Option<String> {
    let Ok(MatchedUri::Template { template, id, .. }) = scheme.parse(uri) else { return None };
    let kind = scheme.templates.get(template)?.kind;
    let mut names_left = MAX_COMPARED_NAMES;
    let mut names = id_lister(alc, kind)(&mut names_left, &|name| is_offered(name, kind, info)).ok()?;
    if names_left == 0 {
        return None;
    }
    // Of several that are as similar, the same one each time.
    names.sort_unstable();
    if names.iter().any(|name| name == id) {
        // It lacks that document.
        return None;
    }
    let meant = closest_name(id, names.iter().map(String::as_str))?;
    // The id follows the scheme and the kind: `alc://packages/ID/meta`.
    let start = uri.match_indices('/').nth(2)?.0 + 1;
    let end = start + id.len();
    let is_there = uri.get(start..end) == Some(id);
    is_there.then_some([uri.get(..start)?, meant, uri.get(end..)?].concat())
}

/// Whether a name is an id of its kind, and not one of a stranger's run.
fn is_offered(name: &str, kind: IdKind, info: &RequestInfo) -> bool {
    id::check(kind, name).is_ok() && (kind != IdKind::SessionId || is_visible(name, info))
}

/// Lists the ids of one kind that are wanted, with one budget of names for all folders.
type IdLister = Box<dyn FnOnce(&mut usize, &dyn Fn(&str) -> bool) -> Result<Vec<String>, ServiceError> + Send>;

/// Returns the function that lists the ids of a kind, with the store that has them.
fn id_lister(alc: &Alc, kind: IdKind) -> IdLister {
    match kind {
        IdKind::PackageName => {
            let packages = Arc::clone(&alc.packages);
            Box::new(move |budget, is_wanted| packages.list_package_names(budget, is_wanted))
        }
        IdKind::CardId => {
            let cards = Arc::clone(&alc.cards);
            Box::new(move |budget, is_wanted| cards.list_ids(budget, is_wanted))
        }
        IdKind::ScenarioName => {
            let scenarios = Arc::clone(&alc.scenarios);
            Box::new(move |budget, is_wanted| scenarios.list_names(budget, is_wanted))
        }
        IdKind::EvalResult => {
            let evals = Arc::clone(&alc.evals);
            Box::new(move |budget, is_wanted| evals.list_ids(budget, is_wanted))
        }
        IdKind::SessionId => {
            let logs = Arc::clone(&alc.logs);
            Box::new(move |budget, is_wanted| logs.list_ids(budget, is_wanted))
        }
    }
}
