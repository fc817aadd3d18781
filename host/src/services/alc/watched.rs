//! What each `alc://` resource depends on: the same places, in which reading it looks.

use super::ids::{AlcUri, TypesFile};
use super::packages::{Linked, SOURCE, VARIANTS};
use super::{Alc, Ask, cards, evals, samples};
use crate::limits::MAX_NAMES_SCANNED;
use crate::services::Watched;
use crate::uri::{CardId, EvalId, PackageName};

impl Alc {
    pub(super) fn watch(&self, uri: &AlcUri, ask: &Ask) -> Watched {
        let mut watched = Watched::default();
        let app = &self.folders.app;
        match uri {
            AlcUri::Types(file) => watched.file(app, &types_path(*file)),
            AlcUri::PackageSource(name) | AlcUri::PackageMeta(name) => self.watch_package(name, ask, &mut watched),
            AlcUri::Card(card) => self.watch_card(card, &[cards::file_name(card)], ask, &mut watched),
            AlcUri::Samples { card, .. } => {
                self.watch_card(card, &[cards::file_name(card), samples::file_name(card)], ask, &mut watched);
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

    /// The list says how large the type stubs are and when they changed.
    pub(super) fn watch_list(&self) -> Watched {
        let mut watched = Watched::default();
        TypesFile::ALL.iter().for_each(|file| watched.file(&self.folders.app, &types_path(*file)));
        watched
    }

    /// A package can appear in a place that comes before the one where it is now.
    fn watch_package(&self, name: &PackageName, ask: &Ask, watched: &mut Watched) {
        if let Some(project) = &self.folders.project {
            watched.file(&project.folder, VARIANTS);
        }
        for linked in &self.folders.linked {
            match linked {
                Linked::Package { name: linked, folder, .. } if linked == name => watched.file(folder, SOURCE),
                Linked::Package { .. } => {}
                Linked::Packages { folder, .. } => watched.file(folder, &format!("{name}/{SOURCE}")),
            }
        }
        watched.file(&self.folders.app, &format!("packages/{name}/{SOURCE}"));
        if let Ok(folder) = self.package(name, ask) {
            watched.file(&folder, SOURCE);
        }
    }

    /// A card that is not there yet is expected in its own package's folder.
    fn watch_card(&self, card: &CardId, files: &[String], ask: &Ask, watched: &mut Watched) {
        let Some(all) = watched.folder(&self.folders.app, "cards") else { return };
        for likely in cards::likely_folders(card).filter_map(|name| all.folder(name).ok()) {
            watched.watch(&likely);
        }
        if let Ok(folder) = self.card_folder(card, ask) {
            files.iter().for_each(|file| watched.file(&folder, file));
        }
    }

    fn watch_eval(&self, eval: &EvalId, watched: &mut Watched) {
        let Some(evals) = watched.folder(&self.folders.app, "evals") else { return };
        let mut names = vec![eval.to_string(), eval.as_str().replace('-', "_")];
        if eval.as_str().contains('-') {
            let stored = evals.entries(MAX_NAMES_SCANNED).unwrap_or_default();
            let others = stored.iter().filter_map(|entry| entry.name.strip_suffix(".json"));
            names.extend(others.filter(|name| evals::id_of(name).as_deref() == Some(eval.as_str())).map(str::to_owned));
        }
        names.iter().for_each(|name| watched.file(&evals, &format!("{name}.json")));
    }
}

fn types_path(file: TypesFile) -> String {
    format!("types/{}", file.file_name())
}
