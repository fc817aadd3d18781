//! What each `alc://` resource depends on: the same places, in which reading it looks.

use super::alc_uri::{AlcUri, TypesFile};
use super::package_lookup::{LINKS_FILE, NARRATIVE_FILE, PackageMount, SOURCE_FILE};
use super::project_files::{REQUIREMENTS_FILE, VARIANTS_FILE};
use super::{Alc, ReadRequest, cards, hub, samples};
use crate::limits::{MAX_CONFIG_BYTES, MAX_HUB_SOURCES};
use wardroom_appdir::EntryKind;
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_base::uri::{CardId, EvalId, PackageName};
use wardroom_service::Dependencies;

impl Alc {
    pub(super) fn collect_uri_dependencies(&self, uri: &AlcUri, ask: &ReadRequest) -> Dependencies {
        let mut watched = Dependencies::default();
        let app = &self.folders.app;
        match uri {
            AlcUri::Types(file) => watched.add_file(app, &types_relative_path(*file)),
            AlcUri::HubIndex => self.add_hub_dependencies(&mut watched),
            AlcUri::PackageSource(name) | AlcUri::PackageMeta(name) => {
                self.add_package_dependencies(name, SOURCE_FILE, ask, &mut watched);
            }
            AlcUri::PackageNarrative(name) => self.add_package_dependencies(name, NARRATIVE_FILE, ask, &mut watched),
            AlcUri::Card(card) => self.add_card_dependencies(card, &[cards::card_file_name(card)], &mut watched),
            AlcUri::Samples { card, .. } => {
                self.add_card_dependencies(
                    card,
                    &[cards::card_file_name(card), samples::samples_file_name(card)],
                    &mut watched,
                );
            }
            AlcUri::Scenario(name) => watched.add_file(app, &format!("scenarios/{name}.lua")),
            AlcUri::Eval(eval) => self.add_eval_dependencies(eval, &mut watched),
            AlcUri::Log { session, .. } => match &self.folders.logs {
                Some(logs) => watched.add_file(logs, &format!("{session}.json")),
                None => watched.add_file(app, &format!("logs/{session}.json")),
            },
        }
        watched
    }

    /// The list says how large the type stubs are and when they changed, and where the operator wants it, the names of
    /// what is stored. That a file was edited in place does not show here.
    pub(super) fn collect_list_dependencies(&self) -> Dependencies {
        let mut watched = Dependencies::default();
        let app = &self.folders.app;
        TypesFile::ALL.iter().for_each(|file| watched.add_file(app, &types_relative_path(*file)));
        if self.config.enumerate {
            self.add_project_dependencies(&mut watched);
            for linked in &self.folders.package_mounts {
                if let PackageMount::Collection { folder, .. } = linked {
                    watched.add_dir_listing(folder, "");
                }
            }
            watched.add_file(app, &format!("packages/{LINKS_FILE}"));
            for folder in ["packages", "evals"] {
                watched.add_dir_listing(app, folder);
            }
            match &self.folders.logs {
                Some(logs) => watched.add_dir_listing(logs, ""),
                None => watched.add_dir_listing(app, "logs"),
            };
            let cards = watched.add_dir_listing(app, "cards");
            let entries = cards.as_ref().and_then(|cards| cards.entries(MAX_NAMES_SCANNED).ok()).unwrap_or_default();
            for package in entries.iter().filter(|entry| matches!(entry.kind, EntryKind::Folder | EntryKind::Symlink)) {
                watched.add_dir_listing(app, &format!("cards/{}", package.name));
            }
        }
        watched
    }

    fn add_hub_dependencies(&self, watched: &mut Dependencies) {
        let Some(cache) = watched.add_dir_listing(&self.folders.app, hub::HUB_CACHE_DIR) else { return };
        let entries = cache.entries(MAX_NAMES_SCANNED).unwrap_or_default();
        let sources = entries.iter().filter(|entry| hub::is_cached_index(entry)).take(MAX_HUB_SOURCES + 1);
        sources
            .for_each(|entry| watched.add_file(&self.folders.app, &format!("{}/{}", hub::HUB_CACHE_DIR, entry.name)));
    }

    /// A package can appear in a place that comes before the one where it is now.
    fn add_package_dependencies(&self, name: &PackageName, file: &str, ask: &ReadRequest, watched: &mut Dependencies) {
        self.add_project_dependencies(watched);
        for linked in &self.folders.package_mounts {
            match linked {
                PackageMount::Single { name: linked, folder, .. } if linked == name => watched.add_file(folder, file),
                PackageMount::Single { .. } => {}
                PackageMount::Collection { folder, .. } => watched.add_file(folder, &format!("{name}/{file}")),
            }
        }
        watched.add_file(&self.folders.app, &format!("packages/{LINKS_FILE}"));
        watched.add_file(&self.folders.app, &format!("packages/{name}/{file}"));
        let links = self.read_links(ask.uri, MAX_CONFIG_BYTES).unwrap_or_default();
        let link = links.get(name.as_str()).and_then(|entry| self.resolve_link_path(entry.path.as_deref()?));
        if let Some((root, below)) = link {
            watched.add_file(root, &if below.is_empty() { file.to_owned() } else { format!("{below}/{file}") });
        }
        for (root, below) in self.project_package_paths(name, ask).unwrap_or_default() {
            watched.add_file(root, &if below.is_empty() { file.to_owned() } else { format!("{below}/{file}") });
        }
    }

    fn add_project_dependencies(&self, watched: &mut Dependencies) {
        let Some(project) = &self.folders.project else { return };
        [VARIANTS_FILE, REQUIREMENTS_FILE].iter().for_each(|file| watched.add_file(&project.folder, file));
    }

    /// In the folders that the id begins with. To look for a card in all others costs too much to do it again and again.
    fn add_card_dependencies(&self, card: &CardId, files: &[String], watched: &mut Dependencies) {
        for likely in cards::candidate_package_names(card) {
            files.iter().for_each(|file| watched.add_file(&self.folders.app, &format!("cards/{likely}/{file}")));
        }
    }

    /// An id with a `-` may be that of a file with another name: then any change of the names may be one of the eval.
    fn add_eval_dependencies(&self, eval: &EvalId, watched: &mut Dependencies) {
        let names = [eval.to_string(), eval.as_str().replace('-', "_")].map(|name| format!("evals/{name}.json"));
        names.iter().for_each(|name| watched.add_file(&self.folders.app, name));
        let is_there = |name: &String| self.folders.app.stat(name).is_ok();
        if eval.as_str().contains('-') && !names.iter().any(is_there) {
            watched.add_dir_listing(&self.folders.app, "evals");
        }
    }
}

fn types_relative_path(file: TypesFile) -> String {
    format!("types/{}", file.file_name())
}
