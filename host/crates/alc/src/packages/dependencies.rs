//! The files and folders that the lookup of a package uses.

use super::lookup::{LINKS_FILE, NARRATIVE_FILE, OLD_LINKS_FILE, generated_narrative};
use super::project_files::{REQUIREMENTS_FILE, VARIANTS_FILE};
use super::{PACKAGES_DIR, PackageStore};
use crate::grants::PackageMount;
use crate::limits::MAX_CONFIG_BYTES;
use wardroom_base::uri::PackageName;
use wardroom_service::Dependencies;

impl PackageStore {
    /// Adds every location that is searched for a package: it can appear in one that precedes its current location.
    pub(crate) fn add_dependencies(&self, name: &PackageName, file: &str, uri: &str, dependencies: &mut Dependencies) {
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
        self.add_link_dependencies(dependencies);
        dependencies.add_file(&self.app, &format!("{PACKAGES_DIR}/{name}/{file}"));
        if file == NARRATIVE_FILE {
            dependencies.add_file(&self.app, &generated_narrative(name));
        }
        let links = self.read_links(uri, MAX_CONFIG_BYTES).unwrap_or_default();
        let link = links.get(name.as_str()).and_then(|entry| self.resolve_link_path(entry.path.as_deref()?));
        if let Some((root, below)) = link {
            dependencies.add_file(root, &if below.is_empty() { file.to_owned() } else { format!("{below}/{file}") });
        }
        for (root, below) in self.project_package_paths(name, MAX_CONFIG_BYTES, uri).unwrap_or_default() {
            dependencies.add_file(root, &if below.is_empty() { file.to_owned() } else { format!("{below}/{file}") });
        }
    }

    fn add_link_dependencies(&self, dependencies: &mut Dependencies) {
        dependencies.add_file(&self.app, &format!("{PACKAGES_DIR}/{LINKS_FILE}"));
        if self.has_old_links {
            dependencies.add_file(&self.app, &format!("{PACKAGES_DIR}/{OLD_LINKS_FILE}"));
        }
    }

    fn add_project_dependencies(&self, dependencies: &mut Dependencies) {
        let Some(project) = self.grants.project() else { return };
        [VARIANTS_FILE, REQUIREMENTS_FILE].iter().for_each(|file| dependencies.add_file(&project.folder, file));
    }

    /// Adds what the list of packages shows: the names in every folder of packages.
    pub(crate) fn add_list_dependencies(&self, dependencies: &mut Dependencies) {
        self.add_project_dependencies(dependencies);
        for mount in self.grants.package_mounts() {
            if let PackageMount::Collection { folder, .. } = mount {
                dependencies.add_dir_listing(folder, "");
            }
        }
        self.add_link_dependencies(dependencies);
        dependencies.add_dir_listing(&self.app, PACKAGES_DIR);
    }
}
