//! The ids of all cards, and the files and folders that a read of a card uses.

use wardroom_rules::id;

use super::file_names::{CARDS_DIR, card_file_name, samples_file_name};
use super::{CardStore, candidate_package_names};
use crate::listed_names::{list_entries, list_stems};
use crate::recent::DocumentFolders;
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_appdir::{AppDirError, EntryKind};
use wardroom_base::uri::{CardId, IdKind};
use wardroom_service::{Dependencies, ServiceError};

impl CardStore {
    /// Returns the folders of cards, for the list of what is stored.
    pub(crate) fn document_folders(&self) -> Result<DocumentFolders<'_>, AppDirError> {
        let cards = self.app.open_folder(CARDS_DIR)?;
        let packages = cards.entries_with_budget(&mut { MAX_NAMES_SCANNED })?.into_iter();
        let packages = packages.filter(|package| matches!(package.kind, EntryKind::Folder | EntryKind::Symlink));
        let names = packages.map(|package| package.name.into()).collect();
        Ok(DocumentFolders {
            names,
            open: Box::new(move |name| cards.open_folder(name)),
            is_document: |file| file.strip_suffix(".toml").is_some_and(|id| id::check(IdKind::CardId, id).is_ok()),
            id_of: |file| file.strip_suffix(".toml").unwrap_or_default().into(),
        })
    }

    /// Returns the ids of the cards that are wanted, unordered and possibly repeated.
    pub(crate) fn list_ids(
        &self,
        budget: &mut usize,
        is_wanted: &dyn Fn(&str) -> bool,
    ) -> Result<Vec<String>, ServiceError> {
        let mut ids = Vec::new();
        for package in list_entries(&self.app, CARDS_DIR, budget)? {
            // Once the budget is spent, opening more folders would be unbounded work.
            if *budget == 0 {
                break;
            }
            if !matches!(package.kind, EntryKind::Folder | EntryKind::Symlink) {
                continue;
            }
            match list_stems(&self.app, &format!("{CARDS_DIR}/{}", package.name), ".toml", budget, is_wanted) {
                Ok(found) => ids.extend(found),
                // As in reads, a folder that cannot be opened hides no card of the others.
                Err(error) => tracing::debug!(%error, "cannot list a folder of cards, skipped"),
            }
        }
        Ok(ids)
    }

    /// Adds the file of a card.
    pub(crate) fn add_dependencies(&self, card: &CardId, dependencies: &mut Dependencies) {
        self.add_files(card, &[card_file_name(card)], dependencies);
    }

    /// Adds the file of a card, and that of its samples.
    pub(crate) fn add_sample_dependencies(&self, card: &CardId, dependencies: &mut Dependencies) {
        self.add_files(card, &[card_file_name(card), samples_file_name(card)], dependencies);
    }

    /// Adds a card's files in the folders whose names its id begins with. A search of all other folders costs too much
    /// to be repeated.
    fn add_files(&self, card: &CardId, files: &[String], dependencies: &mut Dependencies) {
        for likely in candidate_package_names(card) {
            files.iter().for_each(|file| dependencies.add_file(&self.app, &format!("{CARDS_DIR}/{likely}/{file}")));
        }
    }

    /// Adds the names of all cards.
    pub(crate) fn add_list_dependencies(&self, dependencies: &mut Dependencies) {
        let cards = dependencies.add_dir_listing(&self.app, CARDS_DIR);
        let entries = cards.as_ref().and_then(|cards| cards.entries(MAX_NAMES_SCANNED).ok()).unwrap_or_default();
        for package in entries.iter().filter(|entry| matches!(entry.kind, EntryKind::Folder | EntryKind::Symlink)) {
            dependencies.add_dir_listing(&self.app, &format!("{CARDS_DIR}/{}", package.name));
        }
    }
}
