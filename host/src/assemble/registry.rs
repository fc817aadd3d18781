//! The service `registry`: the folders of its indices, and the access of its handlers.
//!
//! Never: opens a folder that the operator did not name.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::settings::Settings;
use super::{
    SERVICE_BUILDERS, ServiceInputs, check_writable_mount, grant_access, missing_mount_warning, open_granted,
    start_lua_pool,
};
use crate::report::CommandError;
use wardroom_appdir::{Access, Folder, ambient};
use wardroom_config::{MountConfig, MountKind};
use wardroom_net::FetchPolicy;
use wardroom_process::confine::FolderRights;
use wardroom_registry::{HandlerCapabilities, RegistryRoot, RegistryService, ReservedNameCheck, StoredKeyCounts};
use wardroom_service::{Caller, Service, has_scheme};

/// The folder of the AppDir with the registry's indices.
pub(crate) const REGISTRY_DIR: &str = "registry";

pub(crate) fn build(parts: &ServiceInputs<'_>, others: Vec<Arc<dyn Service>>) -> Result<RegistryService, CommandError> {
    let ServiceInputs { settings, app, pool, helpers, extra_grants, .. } = parts;
    let caller = Arc::new(Caller::default());
    let tools: Vec<_> = others.iter().filter_map(|service| Arc::clone(service).tools()).collect();
    let resources = others.into_iter().filter_map(Service::resources);
    let schemes: Vec<_> = resources.filter_map(|resources| resources.scheme()).collect();
    let is_taken: ReservedNameCheck = Box::new(move |name| {
        tools.iter().any(|tools| Arc::clone(tools).resolve(name, &caller).is_some())
            || schemes.iter().any(|scheme| has_scheme(name, scheme.name))
    });
    let mut extra_grants = extra_grants.borrow_mut();
    let mut roots = vec![match &settings.registry {
        Some(path) => {
            let opened = ambient::open_folder(path, Access::ReadOnly);
            let failed = |error| {
                CommandError::with_cause("cannot open the registry", error, "name a folder with --registry DIR")
            };
            let folder = opened.map_err(failed)?;
            extra_grants.push((folder.clone(), FolderRights::Read));
            RegistryRoot { name: path.display().to_string(), folder, relative_path: String::new() }
        }
        None => {
            RegistryRoot { name: REGISTRY_DIR.to_owned(), folder: app.clone(), relative_path: REGISTRY_DIR.to_owned() }
        }
    }];
    let mut mounts = BTreeMap::new();
    for (name, mount) in &settings.config.mounts {
        let access = if mount.read_only { Access::ReadOnly } else { grant_access(settings) };
        match mount.kind {
            MountKind::Package | MountKind::Packages => {}
            MountKind::Registry => {
                if let Some(folder) = open_mount(parts, name, mount, Access::ReadOnly) {
                    extra_grants.push((folder.clone(), FolderRights::Read));
                    roots.push(RegistryRoot { name: name.clone(), folder, relative_path: String::new() });
                }
            }
            MountKind::Files => {
                if access == Access::ReadWrite {
                    check_writable_mount(settings, name, &mount.path)?;
                }
                if let Some(folder) = open_mount(parts, name, mount, access) {
                    extra_grants.push((folder.clone(), FolderRights::Write));
                    mounts.insert(name.clone(), folder);
                }
            }
        }
    }
    let environment = settings.handler_environment.clone();
    let hosts = &settings.config.registry.hosts;
    let http = helpers.borrow().http.clone().filter(|_| !hosts.is_empty());
    let reach = HandlerCapabilities {
        app_dir: Some(app.clone()),
        stored_keys: StoredKeyCounts::default(),
        mounts,
        environment,
        http,
        network_policy: FetchPolicy::new(hosts.iter().cloned()),
    };
    let registry = RegistryService::new(roots, is_taken, settings.config.server.watch).with_capabilities(reach);
    Ok(match pool {
        Some(pool) => registry.with_pool(pool),
        None => registry,
    })
}

/// Builds this service alone, for a command that may do more than a client.
pub(crate) fn standalone_registry(settings: &Settings) -> Result<RegistryService, CommandError> {
    // `doctor` has separate checks for missing grants.
    let parts = ServiceInputs::standalone(settings, &|_| {})?;
    let others = SERVICE_BUILDERS.iter().filter(|(name, _)| *name != "registry");
    let others = others.map(|(_, build)| build(&parts, &[])).collect::<Result<_, _>>()?;
    build(&parts, others)
}

/// Builds this service for a command that checks sources, with the processes in which they are loaded.
pub(crate) fn checking_registry(settings: &Settings) -> Result<RegistryService, CommandError> {
    let pool = start_lua_pool(settings)?;
    Ok(standalone_registry(settings)?.with_pool(&pool))
}

fn open_mount(parts: &ServiceInputs<'_>, name: &str, mount: &MountConfig, access: Access) -> Option<Folder> {
    let opened = open_granted(parts.settings, &mount.path, access);
    // The server works without this mount.
    opened.map_err(|error| (parts.warn)(missing_mount_warning(parts.settings, name, &error))).ok()
}
