//! The service `registry`: the folders in which things are declared, and what handlers reach.
//!
//! Never: opens a folder that the operator did not name.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::settings::Settings;
use super::{Parts, SERVICES, access, missing_mount};
use crate::report::Failure;
use wardroom_appdir::{Access, Folder, ambient};
use wardroom_config::{MountConfig, MountKind};
use wardroom_net::Policy;
use wardroom_process::confine::Use;
use wardroom_registry::{IsTaken, Mounted, Reach, Registry, Root};
use wardroom_service::{CallContext, Catalogue, Service, has_scheme};

/// The folder of the AppDir in which things are declared.
pub(crate) const REGISTRY: &str = "registry";

pub(crate) fn build(parts: &Parts<'_>, others: Vec<Arc<dyn Service>>) -> Result<Registry, Failure> {
    let Parts { settings, app, pool, helpers, beside, .. } = parts;
    let nobody = CallContext::patient(&Arc::new(Catalogue::new(Vec::new())));
    let is_taken: IsTaken = Box::new(move |name| {
        let has = |service: &Arc<dyn Service>| {
            service.has_tool(name, &nobody) || service.scheme().is_some_and(|scheme| has_scheme(name, scheme.name))
        };
        others.iter().any(has)
    });
    let mut beside = beside.borrow_mut();
    let mut roots = vec![match &settings.registry {
        Some(path) => {
            let opened = ambient::open(path, Access::ReadOnly);
            let failed = |error| Failure::of("cannot open the registry", error, "name a folder with --registry DIR");
            let folder = opened.map_err(failed)?;
            beside.push((folder.clone(), Use::Read));
            Root { name: path.display().to_string(), folder, below: String::new() }
        }
        None => Root { name: REGISTRY.to_owned(), folder: app.clone(), below: REGISTRY.to_owned() },
    }];
    let mut mounts = BTreeMap::new();
    for (name, mount) in &settings.config.mounts {
        let access = if mount.read_only { Access::ReadOnly } else { access(settings) };
        match mount.kind {
            MountKind::Package | MountKind::Packages => {}
            MountKind::Registry => {
                if let Some(folder) = mounted(parts, name, mount, Access::ReadOnly) {
                    beside.push((folder.clone(), Use::Read));
                    roots.push(Root { name: name.clone(), folder, below: String::new() });
                }
            }
            MountKind::Files => {
                if let Some(folder) = mounted(parts, name, mount, access) {
                    beside.push((folder.clone(), Use::Write));
                    mounts.insert(name.clone(), Mounted { folder });
                }
            }
        }
    }
    let environment = settings.handler_environment.clone();
    let hosts = &settings.config.registry.hosts;
    let http = helpers.borrow().http.clone().filter(|_| !hosts.is_empty());
    let reach = Reach { app: Some(app.clone()), mounts, environment, http, hosts: Policy::new(hosts.iter().cloned()) };
    let registry = Registry::new(roots, is_taken, settings.config.server.watch).reaching(reach);
    Ok(match pool {
        Some(pool) => registry.running(pool),
        None => registry,
    })
}

/// The service alone, for a command that asks it for more than a client may.
pub(crate) fn declared(settings: &Settings) -> Result<Registry, Failure> {
    // What is granted and is not there has checks of its own.
    let parts = Parts::alone(settings, &|_| {})?;
    let others = SERVICES.iter().filter(|(name, _)| *name != "registry");
    let others = others.map(|(_, build)| build(&parts, &[])).collect::<Result<_, _>>()?;
    build(&parts, others)
}

fn mounted(parts: &Parts<'_>, name: &str, mount: &MountConfig, access: Access) -> Option<Folder> {
    let opened = ambient::open(&mount.path, access);
    // The rest of the server is of use without it.
    opened.map_err(|error| (parts.warn)(missing_mount(parts.settings, name, &error))).ok()
}
