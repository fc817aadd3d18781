//! The resource list of `alc`: the fixed resources and, if the operator enabled it, stored documents.
//!
//! Owns: the order (fixed, packages by name, then the newest cards, evals and logs) and the cursors between two pages.
//! A cursor encodes the last entry's position in that order, so it stays valid when entries come and go.
//! Never: opens a document, or knows which page a client read before.

use std::cmp::Reverse;
use std::fmt;
use std::time::{Duration, UNIX_EPOCH};

use wardroom_rules::id;

use super::alc_uri::TypesFile;
use super::{Alc, descriptors, type_stubs};
use crate::limits::MAX_LISTED_RECENT_PER_KIND;
use crate::session_owner::is_visible;
use wardroom_appdir::AppDirError;
use wardroom_base::uri::IdKind;
use wardroom_service::{ListPage, RequestInfo, ResourceEntry, ServiceError};

/// The sections of the list, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
enum ListSection {
    Fixed,
    Packages,
    Cards,
    Evals,
    Logs,
}

impl ListSection {
    const ALL: [(Self, &str); 5] = [
        (Self::Fixed, "fixed"),
        (Self::Packages, "packages"),
        (Self::Cards, "cards"),
        (Self::Evals, "evals"),
        (Self::Logs, "logs"),
    ];
}

/// The position of an entry in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ListCursor {
    section: ListSection,
    /// The number of entries of its section up to this one, in sections that list only the newest; 0 in the others.
    n_listed: usize,
    /// Nanoseconds since 1970; 0 in a section with another order.
    modified: u64,
    id: String,
}

impl fmt::Display for ListCursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = ListSection::ALL.iter().find(|(section, _)| *section == self.section).map_or("", |(_, name)| name);
        write!(f, "{name}:{}:{:x}:{}", self.n_listed, self.modified, self.id)
    }
}

impl ListCursor {
    /// Parses a cursor, and accepts only text that [`Display`](fmt::Display) would print.
    fn parse(text: &str) -> Option<Self> {
        let mut fields = text.splitn(4, ':');
        let name = fields.next()?;
        let (section, _) = ListSection::ALL.into_iter().find(|(_, known)| *known == name)?;
        let listed = fields.next()?.parse().ok()?;
        let modified = u64::from_str_radix(fields.next()?, 16).ok()?;
        let cursor = Self { section, n_listed: listed, modified, id: fields.next()?.to_owned() };
        (id::check_alphabet(&cursor.id).is_ok()
            && cursor.n_listed <= MAX_LISTED_RECENT_PER_KIND
            && cursor.to_string() == text)
            .then_some(cursor)
    }

    fn from_name(section: ListSection, id: String) -> Self {
        Self { section, n_listed: 0, modified: 0, id }
    }

    /// Returns the sort key of sections that list the newest.
    fn sort_key(&self) -> (Reverse<u64>, &str) {
        (Reverse(self.modified), &self.id)
    }
}

type PagedResource = (ListCursor, ResourceEntry);

pub(super) fn list_resources(
    alc: &Alc,
    cursor: Option<&str>,
    limit: usize,
    info: &RequestInfo,
) -> Result<ListPage<ResourceEntry>, ServiceError> {
    let after = match cursor {
        Some(cursor) => Some(ListCursor::parse(cursor).ok_or_else(ServiceError::unknown_cursor)?),
        None => None,
    };
    let start = after.as_ref().map_or(ListSection::Fixed, |cursor| cursor.section);
    if !alc.config.enumerate && start != ListSection::Fixed {
        return Err(ServiceError::unknown_cursor());
    }
    let mut page: Vec<PagedResource> = Vec::new();
    for (section, name) in ListSection::ALL.into_iter().filter(|(section, _)| *section >= start) {
        if info.cancellation.is_cancelled() {
            return Err(ServiceError::from_read_error(name, AppDirError::Cancelled(name.into())));
        }
        // One entry more than the page holds shows whether another page follows.
        let most = limit + 1 - page.len();
        let after = after.as_ref().filter(|cursor| cursor.section == section);
        let rows = match section {
            ListSection::Fixed => fixed_entries_after(alc, after)?,
            _ if !alc.config.enumerate => break,
            ListSection::Packages => package_entries_after(alc, after, most),
            ListSection::Cards | ListSection::Evals | ListSection::Logs => {
                recent_entries_after(alc, section, after, most, info)
            }
        };
        page.extend(rows.into_iter().take(most));
        if page.len() > limit {
            break;
        }
    }
    let more = page.len() > limit;
    page.truncate(limit);
    let next = page.last().filter(|_| more).map(|(cursor, _)| cursor.to_string());
    Ok(ListPage { items: page.into_iter().map(|(_, entry)| entry).collect(), next_cursor: next })
}

fn fixed_entries_after(alc: &Alc, after: Option<&ListCursor>) -> Result<Vec<PagedResource>, ServiceError> {
    let types = TypesFile::ALL.map(|file| type_stubs::entry(&alc.app, file, alc.active_scheme()));
    let hub = alc.config.v2.then(|| descriptors::hub_index_entry(alc.active_scheme()));
    let mut rows: Vec<PagedResource> = types
        .into_iter()
        .chain(hub)
        .map(|entry| (ListCursor::from_name(ListSection::Fixed, entry.name.to_string()), entry))
        .collect();
    if let Some(after) = after {
        let at = rows.iter().position(|(cursor, _)| cursor == after).ok_or_else(ServiceError::unknown_cursor)?;
        rows.drain(..=at);
    }
    Ok(rows)
}

/// Returns the packages after a cursor. Each entry is the metadata, which a client reads first and which leads to
/// all else of the package.
fn package_entries_after(alc: &Alc, after: Option<&ListCursor>, most: usize) -> Vec<PagedResource> {
    let after = after.map(|cursor| cursor.id.as_str());
    let names = alc.packages.package_names_after(after, most, alc.config.max_records());
    let names = names.unwrap_or_else(|error| {
        warn_not_listed("packages", &error);
        Vec::new()
    });
    let row = |name: String| {
        let entry = descriptors::member_entry(IdKind::PackageName, Some("meta"), &name)?;
        Some((ListCursor::from_name(ListSection::Packages, name), entry))
    };
    names.into_iter().filter_map(row).collect()
}

/// Returns the newest documents of `section`, each id once even if several files have it.
fn recent_entries_after(
    alc: &Alc,
    section: ListSection,
    after: Option<&ListCursor>,
    most: usize,
    info: &RequestInfo,
) -> Vec<PagedResource> {
    let before = after.map_or(0, |cursor| cursor.n_listed);
    let most = most.min(MAX_LISTED_RECENT_PER_KIND.saturating_sub(before));
    if most == 0 {
        return Vec::new();
    }
    let (kind, recent, folders) = match section {
        ListSection::Cards => (IdKind::CardId, &alc.recent.cards, alc.cards.document_folders()),
        ListSection::Evals => (IdKind::EvalResult, &alc.recent.evals, alc.evals.document_folders()),
        ListSection::Logs => (IdKind::SessionId, &alc.recent.logs, alc.logs.document_folders()),
        ListSection::Fixed | ListSection::Packages => return Vec::new(),
    };
    let is_wanted = |id: &str| section != ListSection::Logs || is_visible(id, info);
    let stop = || info.cancellation.is_cancelled();
    let found =
        folders.and_then(|folders| recent.page(&folders, after.map(ListCursor::sort_key), most, is_wanted, &stop));
    let found = found.map(|page| page.documents).unwrap_or_else(|error| {
        if !matches!(error, AppDirError::NotFound(_) | AppDirError::Cancelled(_)) {
            warn_not_listed(kind.label(), &error);
        }
        Vec::new()
    });
    let row = |(n, (Reverse(at), id)): (usize, (Reverse<u64>, String))| {
        let mut entry = descriptors::member_entry(kind, None, &id)?;
        entry.modified = (at > 0).then(|| UNIX_EPOCH + Duration::from_nanos(at));
        Some((ListCursor { section, n_listed: before + n + 1, modified: at, id }, entry))
    };
    found.into_iter().enumerate().filter_map(row).collect()
}

/// Logs that one folder cannot be listed; the rest of the list is unaffected.
fn warn_not_listed(what: &str, error: &dyn fmt::Display) {
    tracing::warn!(%error, "{what} cannot be listed, skipped");
}
