//! The dependencies of each `alc://` resource: the files and folders that a read of it uses.

use super::alc_uri::{AlcUri, TypesFile};
use super::packages::{NARRATIVE_FILE, SOURCE_FILE};
use super::{Alc, type_stubs};
use wardroom_service::Dependencies;

pub(super) fn collect_uri_dependencies(alc: &Alc, resource: &AlcUri, uri: &str) -> Dependencies {
    let mut dependencies = Dependencies::default();
    let app = &alc.app;
    // The index of the hub is also kept in memory, and a log is written while it is read.
    if !matches!(resource, AlcUri::HubIndex | AlcUri::Log { .. }) {
        dependencies.declare_complete();
    }
    match resource {
        AlcUri::Types(file) => dependencies.add_file(app, &type_stubs::relative_path(*file)),
        AlcUri::HubIndex => alc.hub.add_dependencies(&mut dependencies),
        AlcUri::PackageSource(name) | AlcUri::PackageMeta(name) => {
            alc.packages.add_dependencies(name, SOURCE_FILE, uri, &mut dependencies);
        }
        AlcUri::PackageNarrative(name) => {
            // A package without a source has no narrative.
            alc.packages.add_dependencies(name, SOURCE_FILE, uri, &mut dependencies);
            alc.packages.add_dependencies(name, NARRATIVE_FILE, uri, &mut dependencies);
        }
        AlcUri::Card(card) => alc.cards.add_dependencies(card, &mut dependencies),
        AlcUri::Samples { card, .. } => {
            alc.cards.add_sample_dependencies(card, &mut dependencies);
        }
        AlcUri::Scenario(name) => alc.scenarios.add_dependencies(name, &mut dependencies),
        AlcUri::Eval(eval) => alc.evals.add_dependencies(eval, &mut dependencies),
        AlcUri::Log { session, .. } => alc.logs.add_dependencies(session, &mut dependencies),
    }
    dependencies
}

/// Returns the dependencies of the resource list: the type stubs, whose size and modification time it shows, and,
/// if the operator enabled it, the names of stored documents. In-place edits of those documents are not detected.
pub(super) fn collect_list_dependencies(alc: &Alc) -> Dependencies {
    let mut dependencies = Dependencies::default();
    let app = &alc.app;
    TypesFile::ALL.iter().for_each(|file| dependencies.add_file(app, &type_stubs::relative_path(*file)));
    if alc.config.enumerate {
        alc.packages.add_list_dependencies(&mut dependencies);
        alc.evals.add_list_dependencies(&mut dependencies);
        alc.logs.add_list_dependencies(&mut dependencies);
        alc.cards.add_list_dependencies(&mut dependencies);
    }
    dependencies
}
