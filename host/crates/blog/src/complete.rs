//! Completion of the variables in `bds` templates and of the prompts' arguments, from the names that exist.

use std::sync::Arc;

use tantivy::schema::Field;

use crate::index::schema::DocKind;
use crate::limits::MAX_COMPLETIONS;
use crate::proposals::new::store_error;
use crate::proposals::store::ProposalStore;
use crate::search::matching::with_term;
use crate::search::words::fold_name;
use crate::{Blog, BlogState};
use wardroom_base::percent::percent_encode;
use wardroom_service::proposal::proposal_time_ms;
use wardroom_service::{Cost, ServiceError, VariableCompletion, Work, escape_and_truncate};

/// Resolves a completion; `None` for another service's template.
pub(crate) fn resolve_variable(
    blog: &Arc<Blog>,
    completing: &VariableCompletion,
) -> Option<Result<Work<Vec<String>>, ServiceError>> {
    let VariableCompletion { template, variable, prefix } = completing;
    let path = template.strip_prefix("bds://")?;
    let known = match (path.split('/').next().unwrap_or_default(), variable.as_str()) {
        ("posts", "post") => CompletedName::Post,
        ("media", "media") => CompletedName::Media,
        ("scripts", "script") => CompletedName::Script(DocKind::Script),
        ("templates", "template") => CompletedName::Script(DocKind::Template),
        ("proposals", "proposal") => CompletedName::PendingProposal,
        ("media", "size") => {
            let sizes = ["original", "thumbnail"].map(str::to_owned);
            let sizes = sizes.into_iter().filter(|size| size.starts_with(prefix)).collect();
            return Some(Ok(Work::done(sizes)));
        }
        ("posts{?cursor}" | "media{?cursor}", "cursor") => return Some(Ok(Work::done(Vec::new()))),
        _ => {
            return Some(Err(ServiceError::Invalid(format!(
                "{} has no variable '{}'",
                escape_and_truncate(template),
                escape_and_truncate(variable)
            ))));
        }
    };
    let (blog, prefix) = (Arc::clone(blog), prefix.clone());
    Some(Ok(Work::new(Cost::Worker, move |info| {
        let state = blog.state(info)?;
        let names = known.names(&state, &prefix)?;
        Ok(names.iter().map(|name| percent_encode(name.as_bytes())).collect())
    })))
}

/// Whose names are completed.
pub(crate) enum CompletedName {
    Post,
    Media,
    Script(DocKind),
    Category,
    Tag,
    PendingProposal,
}

impl CompletedName {
    /// Returns the first names that begin with a text.
    pub(crate) fn names(&self, state: &BlogState, prefix: &str) -> Result<Vec<String>, ServiceError> {
        let (stored, fields) = (&state.stored, &state.stored.fields);
        match self {
            Self::Post => state.read_index(|| stored.terms_with_prefix(fields.slug, prefix, MAX_COMPLETIONS)),
            Self::Media => {
                let keys = state.read_index(|| {
                    stored.terms_with_prefix(fields.key, &crate::index::media_key(prefix), MAX_COMPLETIONS)
                })?;
                Ok(keys.into_iter().filter_map(|key| Some(key.split_once(':')?.1.to_owned())).collect())
            }
            Self::Script(kind) => {
                let rows = state.read_index(|| stored.all(&*with_term(fields.kind, kind.as_str())))?;
                let slugs = rows.into_iter().filter_map(|row| match row.row {
                    crate::index::row::Row::Script(script) | crate::index::row::Row::Template(script) => {
                        Some(script.slug)
                    }
                    _ => None,
                });
                let mut slugs: Vec<String> = slugs.filter(|slug| slug.starts_with(prefix)).collect();
                slugs.sort_unstable();
                slugs.dedup();
                slugs.truncate(MAX_COMPLETIONS);
                Ok(slugs)
            }
            Self::Category => {
                let configured = state.settings.categories.iter();
                folded_names(state, fields.category, configured, prefix)
            }
            Self::Tag => {
                let configured = state.settings.tags.iter().map(|tag| &tag.name);
                folded_names(state, fields.tag, configured, prefix)
            }
            Self::PendingProposal => {
                let pending = ProposalStore::new(&state.source.folder).pending(&state.source.pending);
                let (pending, now) = (pending.map_err(store_error)?, proposal_time_ms());
                let ids = pending.into_iter().filter(|entry| entry.is_pending(now)).map(|entry| entry.id);
                Ok(ids.filter(|id| id.starts_with(prefix)).take(MAX_COMPLETIONS).collect())
            }
        }
    }
}

/// Returns names that posts have or that are configured, in lower case.
fn folded_names<'n>(
    state: &BlogState,
    field: Field,
    configured: impl Iterator<Item = &'n String>,
    prefix: &str,
) -> Result<Vec<String>, ServiceError> {
    let prefix = prefix.to_lowercase();
    let mut names = state.read_index(|| state.stored.terms_with_prefix(field, &prefix, MAX_COMPLETIONS))?;
    names.extend(configured.map(|name| fold_name(name)).filter(|name| name.starts_with(&prefix)));
    names.sort_unstable();
    names.dedup();
    names.truncate(MAX_COMPLETIONS);
    Ok(names)
}
