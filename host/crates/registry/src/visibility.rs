//! The visibility of entries: scopes and groups.
//!
//! Owns: the matrix. For a caller that may not see an entry the entry does not exist, in lists and in calls.

use wardroom_service::Caller;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Visibility {
    pub(super) scope: VisibilityScope,
    /// `None` where the entry is open to all groups.
    pub(super) groups: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum VisibilityScope {
    Everybody,
    Only(String),
    NoCaller,
}

impl Visibility {
    /// Returns the scope that a caller needs; `None` where any will do.
    pub(super) fn scope_name(&self) -> Option<&str> {
        match &self.scope {
            VisibilityScope::Everybody => None,
            VisibilityScope::Only(scope) => Some(scope),
            VisibilityScope::NoCaller => Some(""),
        }
    }

    /// Whether a caller sees the entry; `hides_gated` is the operator's switch that hides every entry with groups.
    pub(super) fn is_visible_to(&self, caller: &Caller, hides_gated: bool) -> bool {
        let is_in_scope = match &self.scope {
            VisibilityScope::Everybody => true,
            VisibilityScope::Only(scope) => caller.scope.as_ref() == Some(scope),
            VisibilityScope::NoCaller => false,
        };
        let is_in_group = match (&self.groups, &caller.groups) {
            (None, _) => true,
            // The caller presented no token: gated entries are hidden.
            (Some(_), None) => false,
            (Some(groups), Some(own)) => !hides_gated && groups.iter().any(|group| own.contains(group)),
        };
        is_in_scope && is_in_group
    }
}
