//! The dependencies of each `alc://` resource: the files and folders that a read of it uses.

use super::alc_uri::{AlcUri, TypesFile};
use super::package_lookup::{LINKS_FILE, NARRATIVE_FILE, SOURCE_FILE};
use super::project_files::{REQUIREMENTS_FILE, VARIANTS_FILE};
use super::{Alc, PackageMount, cards, hub};
use crate::cards::file_names::{card_file_name, samples_file_name};
use crate::limits::{MAX_CONFIG_BYTES, MAX_HUB_SOURCES};
use wardroom_appdir::EntryKind;
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_base::uri::{CardId, EvalId, PackageName};
use wardroom_service::Dependencies;

impl Alc {
    pub(super) fn collect_uri_dependencies(&self, resource: &AlcUri, uri: &str) -> Dependencies {
        let mut dependencies = Dependencies::default();
        let app = &self.app;
        match resource {
            AlcUri::Types(file) => dependencies.add_file(app, &types_relative_path(*file)),
            AlcUri::HubIndex => self.add_hub_dependencies(&mut dependencies),
            AlcUri::PackageSource(name) | AlcUri::PackageMeta(name) => {
                self.add_package_dependencies(name, SOURCE_FILE, uri, &mut dependencies);
            }
            AlcUri::PackageNarrative(name) => {
                self.add_package_dependencies(name, NARRATIVE_FILE, uri, &mut dependencies);
            }
            AlcUri::Card(card) => self.add_card_dependencies(card, &[card_file_name(card)], &mut dependencies),
            AlcUri::Samples { card, .. } => {
                self.add_card_dependencies(card, &[card_file_name(card), samples_file_name(card)], &mut dependencies);
            }
            AlcUri::Scenario(name) => dependencies.add_file(app, &format!("scenarios/{name}.lua")),
            AlcUri::Eval(eval) => self.add_eval_dependencies(eval, &mut dependencies),
            AlcUri::Log { session, .. } => match &self.logs {
                Some(logs) => dependencies.add_file(logs, &format!("{session}.json")),
                None => dependencies.add_file(app, &format!("logs/{session}.json")),
            },
        }
        dependencies
    }

    /// Returns the dependencies of the resource list: the type stubs, whose size and modification time it shows, and,
    /// if the operator enabled it, the names of stored documents. In-place edits of those documents are not detected.
    pub(super) fn collect_list_dependencies(&self) -> Dependencies {
        let mut dependencies = Dependencies::default();
        let app = &self.app;
        TypesFile::ALL.iter().for_each(|file| dependencies.add_file(app, &types_relative_path(*file)));
        if self.config.enumerate {
            self.add_project_dependencies(&mut dependencies);
            for mount in self.grants.package_mounts() {
                if let PackageMount::Collection { folder, .. } = mount {
                    dependencies.add_dir_listing(folder, "");
                }
            }
            dependencies.add_file(app, &format!("packages/{LINKS_FILE}"));
            for folder in ["packages", "evals"] {
                dependencies.add_dir_listing(app, folder);
            }
            match &self.logs {
                Some(logs) => dependencies.add_dir_listing(logs, ""),
                None => dependencies.add_dir_listing(app, "logs"),
            };
            let cards = dependencies.add_dir_listing(app, "cards");
            let entries = cards.as_ref().and_then(|cards| cards.entries(MAX_NAMES_SCANNED).ok()).unwrap_or_default();
            for package in entries.iter().filter(|entry| matches!(entry.kind, EntryKind::Folder | EntryKind::Symlink)) {
                dependencies.add_dir_listing(app, &format!("cards/{}", package.name));
            }
        }
        dependencies
    }

    fn add_hub_dependencies(&self, dependencies: &mut Dependencies) {
        let Some(cache) = dependencies.add_dir_listing(&self.app, hub::HUB_CACHE_DIR) else { return };
        let entries = cache.entries(MAX_NAMES_SCANNED).unwrap_or_default();
        let sources = entries.iter().filter(|entry| hub::is_cached_index(entry)).take(MAX_HUB_SOURCES + 1);
        sources.for_each(|entry| {
            dependencies.add_file(&self.app, &format!("{}/{}", hub::HUB_CACHE_DIR, entry.name));
        });
    }

    /// Adds every location that is searched for a package: it can appear in one that precedes its current location.
    fn add_package_dependencies(&self, name: &PackageName, file: &str, uri: &str, dependencies: &mut Dependencies) {
        self.add_project_dependencies(dependencies);
        for mount in self.grants.package_mounts() {
            match mount {
                PackageMount::Single { name: mounted, folder, .. } if mounted == name => {
                    dependencies.add_file(folder, file);
                }
                PackageMount::Single { .. } => {}
                PackageMount::Collection { folder, .. } => dependencies.add_file(folder, &format!("{name}/{file}")),
            }
        }
        dependencies.add_file(&self.app, &format!("packages/{LINKS_FILE}"));
        dependencies.add_file(&self.app, &format!("packages/{name}/{file}"));
        let links = self.read_links(uri, MAX_CONFIG_BYTES).unwrap_or_default();
        let link = links.get(name.as_str()).and_then(|entry| self.resolve_link_path(entry.path.as_deref()?));
        if let Some((root, below)) = link {
            dependencies.add_file(root, &if below.is_empty() { file.to_owned() } else { format!("{below}/{file}") });
        }
        for (root, below) in self.project_package_paths(name, MAX_CONFIG_BYTES, uri).unwrap_or_default() {
            dependencies.add_file(root, &if below.is_empty() { file.to_owned() } else { format!("{below}/{file}") });
        }
    }

    fn add_project_dependencies(&self, dependencies: &mut Dependencies) {
        let Some(project) = self.grants.project() else { return };
        [VARIANTS_FILE, REQUIREMENTS_FILE].iter().for_each(|file| dependencies.add_file(&project.folder, file));
    }

    /// Adds a card's files in the folders whose names its id begins with. A search of all other folders costs too much
    /// to be repeated.
    fn add_card_dependencies(&self, card: &CardId, files: &[String], dependencies: &mut Dependencies) {
        for likely in cards::candidate_package_names(card) {
            files.iter().for_each(|file| dependencies.add_file(&self.app, &format!("cards/{likely}/{file}")));
        }
    }

    /// Adds an eval's files. If none exists and the id has a `-`, a file of another name can have that id, so the
    /// listing is added too.
    fn add_eval_dependencies(&self, eval: &EvalId, dependencies: &mut Dependencies) {
        let names = [eval.to_string(), eval.as_str().replace('-', "_")].map(|name| format!("evals/{name}.json"));
        names.iter().for_each(|name| dependencies.add_file(&self.app, name));
        let is_there = |name: &String| self.app.stat(name).is_ok();
        if eval.as_str().contains('-') && !names.iter().any(is_there) {
            dependencies.add_dir_listing(&self.app, "evals");
        }
    }
}

fn types_relative_path(file: TypesFile) -> String {
    format!("types/{}", file.file_name())
}
