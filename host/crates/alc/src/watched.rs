//! What each `alc://` resource depends on: the same places, in which reading it looks.

use super::ids::{AlcUri, TypesFile};
use super::packages::{LINKS, Linked, NARRATIVE, SOURCE};
use super::project_files::{REQUIREMENTS, VARIANTS};
use super::{Alc, Ask, cards, hub, samples};
use wardroom_appdir::EntryKind;
use wardroom_base::limits::{MAX_CONFIG_BYTES, MAX_HUB_SOURCES, MAX_NAMES_SCANNED};
use wardroom_base::uri::{CardId, EvalId, PackageName};
use wardroom_service::Watched;

impl Alc {
    pub(super) fn watch(&self, uri: &AlcUri, ask: &Ask) -> Watched {
        let mut watched = Watched::default();
        let app = &self.folders.app;
        match uri {
            AlcUri::Types(file) => watched.file(app, &types_path(*file)),
            AlcUri::HubIndex => self.watch_hub(&mut watched),
            AlcUri::PackageSource(name) | AlcUri::PackageMeta(name) => {
                self.watch_package(name, SOURCE, ask, &mut watched);
            }
            AlcUri::PackageNarrative(name) => self.watch_package(name, NARRATIVE, ask, &mut watched),
            AlcUri::Card(card) => self.watch_card(card, &[cards::file_name(card)], &mut watched),
            AlcUri::Samples { card, .. } => {
                self.watch_card(card, &[cards::file_name(card), samples::file_name(card)], &mut watched);
            }
            AlcUri::Scenario(name) => watched.file(app, &format!("scenarios/{name}.lua")),
            AlcUri::Eval(eval) => self.watch_eval(eval, &mut watched),
            AlcUri::Log { session, .. } => match &self.folders.logs {
                Some(logs) => watched.file(logs, &format!("{session}.json")),
                None => watched.file(app, &format!("logs/{session}.json")),
            },
        }
        watched
    }

    /// The list says how large the type stubs are and when they changed, and where the operator wants it, the names of
    /// what is stored. That a file was edited in place does not show here.
    pub(super) fn watch_list(&self) -> Watched {
        let mut watched = Watched::default();
        let app = &self.folders.app;
        TypesFile::ALL.iter().for_each(|file| watched.file(app, &types_path(*file)));
        if self.additions.enumerate {
            self.watch_project(&mut watched);
            for linked in &self.folders.linked {
                if let Linked::Packages { folder, .. } = linked {
                    watched.names(folder, "");
                }
            }
            watched.file(app, &format!("packages/{LINKS}"));
            for folder in ["packages", "evals"] {
                watched.names(app, folder);
            }
            match &self.folders.logs {
                Some(logs) => watched.names(logs, ""),
                None => watched.names(app, "logs"),
            };
            let cards = watched.names(app, "cards");
            let entries = cards.as_ref().and_then(|cards| cards.entries(MAX_NAMES_SCANNED).ok()).unwrap_or_default();
            for package in entries.iter().filter(|entry| matches!(entry.kind, EntryKind::Folder | EntryKind::Link)) {
                watched.names(app, &format!("cards/{}", package.name));
            }
        }
        watched
    }

    fn watch_hub(&self, watched: &mut Watched) {
        let Some(cache) = watched.names(&self.folders.app, hub::CACHE) else { return };
        let entries = cache.entries(MAX_NAMES_SCANNED).unwrap_or_default();
        let sources = entries.iter().filter(|entry| hub::is_source(entry)).take(MAX_HUB_SOURCES + 1);
        sources.for_each(|entry| watched.file(&self.folders.app, &format!("{}/{}", hub::CACHE, entry.name)));
    }

    /// A package can appear in a place that comes before the one where it is now.
    fn watch_package(&self, name: &PackageName, file: &str, ask: &Ask, watched: &mut Watched) {
        self.watch_project(watched);
        for linked in &self.folders.linked {
            match linked {
                Linked::Package { name: linked, folder, .. } if linked == name => watched.file(folder, file),
                Linked::Package { .. } => {}
                Linked::Packages { folder, .. } => watched.file(folder, &format!("{name}/{file}")),
            }
        }
        watched.file(&self.folders.app, &format!("packages/{LINKS}"));
        watched.file(&self.folders.app, &format!("packages/{name}/{file}"));
        let links = self.links(ask.uri, MAX_CONFIG_BYTES).unwrap_or_default();
        let link = links.get(name.as_str()).and_then(|entry| self.link_place(entry.path.as_deref()?));
        if let Some((root, below)) = link {
            watched.file(root, &if below.is_empty() { file.to_owned() } else { format!("{below}/{file}") });
        }
        for (root, below) in self.project_places(name, ask).unwrap_or_default() {
            watched.file(root, &if below.is_empty() { file.to_owned() } else { format!("{below}/{file}") });
        }
    }

    fn watch_project(&self, watched: &mut Watched) {
        let Some(project) = &self.folders.project else { return };
        [VARIANTS, REQUIREMENTS].iter().for_each(|file| watched.file(&project.folder, file));
    }

    /// In the folders that the id begins with. To look for a card in all others costs too much to do it again and again.
    fn watch_card(&self, card: &CardId, files: &[String], watched: &mut Watched) {
        for likely in cards::likely_folders(card) {
            files.iter().for_each(|file| watched.file(&self.folders.app, &format!("cards/{likely}/{file}")));
        }
    }

    /// An id with a `-` may be that of a file with another name: then any change of the names may be one of the eval.
    fn watch_eval(&self, eval: &EvalId, watched: &mut Watched) {
        let names = [eval.to_string(), eval.as_str().replace('-', "_")].map(|name| format!("evals/{name}.json"));
        names.iter().for_each(|name| watched.file(&self.folders.app, name));
        let is_there = |name: &String| self.folders.app.stat(name).is_ok();
        if eval.as_str().contains('-') && !names.iter().any(is_there) {
            watched.names(&self.folders.app, "evals");
        }
    }
}

fn types_path(file: TypesFile) -> String {
    format!("types/{}", file.file_name())
}
