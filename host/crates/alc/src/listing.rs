//! What of `alc` is listed: the fixed resources, and where the operator switched it on, what is stored.
//!
//! Owns: the order (fixed, packages by name, then the newest cards, evals and logs) and the marks between two pages.
//! A mark says what the last entry's place in that order was, so it holds where entries come and go.
//! Never: opens a document, or remembers anything from one page to the next.

use std::cmp::Reverse;
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use wardroom_rules::id;

use super::ids::TypesFile;
use super::{Alc, descriptors, evals};
use wardroom_appdir::{AppDirError, EntryKind, Stat};
use wardroom_base::limits::{MAX_LISTED_RECENT, MAX_NAMES_SCANNED};
use wardroom_base::uri::IdKind;
use wardroom_service::{CallContext, Extra, Listing, ResourceEntry, ServiceError, mime};

/// The parts of the list, in its order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Part {
    Fixed,
    Packages,
    Cards,
    Evals,
    Logs,
}

impl Part {
    const ALL: [(Self, &str); 5] = [
        (Self::Fixed, "fixed"),
        (Self::Packages, "packages"),
        (Self::Cards, "cards"),
        (Self::Evals, "evals"),
        (Self::Logs, "logs"),
    ];
}

/// Where an entry stands in the list.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mark {
    part: Part,
    /// How many of its part are listed with it, where only the newest are.
    listed: usize,
    /// Since 1970, in nanoseconds; 0 where the order is another one.
    modified: u64,
    id: String,
}

impl fmt::Display for Mark {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = Part::ALL.iter().find(|(part, _)| *part == self.part).map_or("", |(_, name)| name);
        write!(f, "{name}:{}:{:x}:{}", self.listed, self.modified, self.id)
    }
}

impl Mark {
    /// Only what [`Display`](fmt::Display) would print is one.
    fn parse(text: &str) -> Option<Self> {
        let mut fields = text.splitn(4, ':');
        let name = fields.next()?;
        let (part, _) = Part::ALL.into_iter().find(|(_, known)| *known == name)?;
        let listed = fields.next()?.parse().ok()?;
        let modified = u64::from_str_radix(fields.next()?, 16).ok()?;
        let mark = Self { part, listed, modified, id: fields.next()?.to_owned() };
        (id::check_alphabet(&mark.id).is_ok() && mark.listed <= MAX_LISTED_RECENT && mark.to_string() == text)
            .then_some(mark)
    }

    fn of_name(part: Part, id: String) -> Self {
        Self { part, listed: 0, modified: 0, id }
    }

    /// What the newest are ordered by.
    fn age(&self) -> (Reverse<u64>, &str) {
        (Reverse(self.modified), &self.id)
    }
}

type Row = (Mark, ResourceEntry);

impl Alc {
    pub(super) fn listing(
        &self,
        mark: Option<&str>,
        limit: usize,
        context: &CallContext,
    ) -> Result<Listing<ResourceEntry>, ServiceError> {
        let after = match mark {
            Some(mark) => Some(Mark::parse(mark).ok_or_else(ServiceError::unknown_cursor)?),
            None => None,
        };
        let start = after.as_ref().map_or(Part::Fixed, |mark| mark.part);
        if self.additions.enumerate {
            // The names of all that is stored may take tens of megabytes.
            context.needs_large()?;
        } else if start != Part::Fixed {
            return Err(ServiceError::unknown_cursor());
        }
        let mut page: Vec<Row> = Vec::new();
        for (part, name) in Part::ALL.into_iter().filter(|(part, _)| *part >= start) {
            if context.cancelled.is_cancelled() {
                return Err(ServiceError::reading(name, AppDirError::Stopped(name.into())));
            }
            // One more than there is room for says whether anything follows.
            let most = limit + 1 - page.len();
            let after = after.as_ref().filter(|mark| mark.part == part);
            let rows = match part {
                Part::Fixed => self.fixed_after(after)?,
                _ if !self.additions.enumerate => break,
                Part::Packages => self.packages_after(after, most),
                Part::Cards | Part::Evals | Part::Logs => self.newest_after(part, after, most),
            };
            page.extend(rows.into_iter().take(most));
            if page.len() > limit {
                break;
            }
        }
        let more = page.len() > limit;
        page.truncate(limit);
        let next = page.last().filter(|_| more).map(|(mark, _)| mark.to_string());
        Ok(Listing { items: page.into_iter().map(|(_, entry)| entry).collect(), next })
    }

    fn fixed_after(&self, after: Option<&Mark>) -> Result<Vec<Row>, ServiceError> {
        let types = TypesFile::ALL.map(|file| self.types_file(file));
        let hub = self.additions.v2.then(|| descriptors::hub_index(self.table()));
        let mut rows: Vec<Row> = types
            .into_iter()
            .chain(hub)
            .map(|entry| (Mark::of_name(Part::Fixed, entry.name.to_string()), entry))
            .collect();
        if let Some(after) = after {
            let at = rows.iter().position(|(mark, _)| mark == after).ok_or_else(ServiceError::unknown_cursor)?;
            rows.drain(..=at);
        }
        Ok(rows)
    }

    fn types_file(&self, file: TypesFile) -> ResourceEntry {
        let path = format!("types/{}", file.file_name());
        let stat = self.folders.app.stat(&path).ok();
        let (title, description) = descriptors::of_types(file);
        ResourceEntry {
            uri: format!("{}://{path}", self.table().name),
            name: file.file_name().into(),
            title: Some(title.into()),
            description: description.into(),
            mime_type: mime::LUA.into(),
            extra: Extra::default(),
            size: stat.map(|stat| stat.len),
            modified: stat.and_then(|stat| stat.modified),
        }
    }

    /// Packages are listed by their metadata: what a client asks for first, and the key to all else of a package.
    fn packages_after(&self, after: Option<&Mark>, most: usize) -> Vec<Row> {
        let mut names = self.package_names(&mut { MAX_NAMES_SCANNED }).unwrap_or_else(|error| {
            unlisted("packages", &error);
            Vec::new()
        });
        names.retain(|name| after.is_none_or(|mark| *name > mark.id) && id::check_alphabet(name).is_ok());
        names.sort_unstable();
        names.dedup();
        names.truncate(most);
        let row = |name: String| {
            let entry = descriptors::member(IdKind::PackageName, Some("meta"), &name)?;
            Some((Mark::of_name(Part::Packages, name), entry))
        };
        names.into_iter().filter_map(row).collect()
    }

    /// The newest of `part`, each once, however many files have its id.
    fn newest_after(&self, part: Part, after: Option<&Mark>, most: usize) -> Vec<Row> {
        let before = after.map_or(0, |mark| mark.listed);
        let most = most.min(MAX_LISTED_RECENT.saturating_sub(before));
        if most == 0 {
            return Vec::new();
        }
        let mut found: Vec<(Reverse<u64>, String)> = Vec::new();
        let visit = |id, stat: Stat| found.push((Reverse(nanos(stat.modified)), id));
        let (kind, walked) = match part {
            Part::Cards => (IdKind::CardId, self.each_card(visit)),
            Part::Evals => (IdKind::EvalResult, self.each_eval(visit)),
            Part::Logs => (IdKind::SessionId, self.each_log(MAX_NAMES_SCANNED, visit)),
            Part::Fixed | Part::Packages => return Vec::new(),
        };
        match walked {
            Ok(()) | Err(AppDirError::NotFound(_)) => {}
            Err(error) => unlisted(kind.label(), &error),
        }
        found.sort_unstable_by(|(at, id), (other_at, other)| (id, at).cmp(&(other, other_at)));
        found.dedup_by(|(_, older), (_, newest)| older == newest);
        found.retain(|(at, id)| after.is_none_or(|mark| (*at, id.as_str()) > mark.age()));
        if found.len() > most {
            found.select_nth_unstable(most);
            found.truncate(most);
        }
        found.sort_unstable();
        let row = |(n, (Reverse(at), id)): (usize, (Reverse<u64>, String))| {
            let mut entry = descriptors::member(kind, None, &id)?;
            entry.modified = (at > 0).then(|| UNIX_EPOCH + Duration::from_nanos(at));
            Some((Mark { part, listed: before + n + 1, modified: at, id }, entry))
        };
        found.into_iter().enumerate().filter_map(row).collect()
    }

    fn each_card(&self, mut visit: impl FnMut(String, Stat)) -> Result<(), AppDirError> {
        let left = &mut { MAX_NAMES_SCANNED };
        let cards = self.folders.app.folder("cards")?;
        for package in cards.entries_within(left)? {
            if *left == 0 {
                break;
            }
            if !matches!(package.kind, EntryKind::Folder | EntryKind::Link) {
                continue;
            }
            let pick = |name: &str| good(IdKind::CardId, name.strip_suffix(".toml")?.to_owned());
            let walked = cards.folder(&package.name).and_then(|f| f.each_file_within(left, pick, &mut visit));
            // As in reading: a folder that cannot be opened hides no card in the others.
            if let Err(error) = walked {
                tracing::debug!(%error, "folder of cards skipped");
            }
        }
        Ok(())
    }

    fn each_eval(&self, visit: impl FnMut(String, Stat)) -> Result<(), AppDirError> {
        let pick = |name: &str| good(IdKind::EvalResult, evals::id_of(document(name)?)?);
        self.folders.app.folder("evals")?.each_file_within(&mut { MAX_NAMES_SCANNED }, pick, visit)
    }

    /// Visits the logs, going through so many names at most.
    pub(super) fn each_log(&self, mut most: usize, visit: impl FnMut(String, Stat)) -> Result<(), AppDirError> {
        let pick = |name: &str| good(IdKind::SessionId, document(name)?.to_owned());
        self.logs()?.each_file_within(&mut most, pick, visit)
    }
}

/// `x.meta.json` is the summary of `x.json`.
pub(super) fn document(name: &str) -> Option<&str> {
    name.strip_suffix(".json").filter(|stem| !stem.ends_with(".meta"))
}

fn good(kind: IdKind, id: String) -> Option<String> {
    id::check(kind, &id).is_ok().then_some(id)
}

fn nanos(time: Option<SystemTime>) -> u64 {
    let since = time.and_then(|time| time.duration_since(UNIX_EPOCH).ok()).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// One folder that cannot be read takes nothing from the rest of the list.
fn unlisted(what: &str, error: &dyn fmt::Display) {
    tracing::warn!(%error, "{what} cannot be listed, skipped");
}
