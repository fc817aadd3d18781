//! The walls on Linux, applied in the order in which each is still possible.

use std::thread;

use super::bpf::{Arch, FilterRole, ProcessIdentity, assemble_filter};
pub(super) use super::process_limits::{drop_privileges, is_single_threaded};
use super::{
    ConfinementReport, Grants, MechanismState, MechanismStatus, NetworkAccess, Wall, landlock_rules, process_limits,
};

pub(super) fn confine_server(grants: &Grants) -> ConfinementReport {
    run_single_threaded(&Wall::FOR_SERVER, || apply_server_walls(&Wall::FOR_SERVER, grants))
}

pub(super) fn confine_fetcher(grants: &Grants) -> ConfinementReport {
    run_single_threaded(&Wall::FOR_SERVER, || apply_fetcher_walls(&Wall::FOR_SERVER, grants))
}

pub(super) fn confine_launcher(grants: &Grants, network: NetworkAccess) -> ConfinementReport {
    run_single_threaded(&Wall::FOR_LAUNCHER, || apply_launcher_walls(&Wall::FOR_LAUNCHER, grants, network))
}

fn run_single_threaded(walls: &[Wall], put_up: impl FnOnce() -> ConfinementReport) -> ConfinementReport {
    if is_single_threaded() {
        return put_up();
    }
    let reason = "other threads run already, or there is no /proc to see that: they would not be confined";
    let threads = || MechanismState::NotEnforced(reason.into());
    ConfinementReport(walls.iter().map(|wall| MechanismStatus { wall: *wall, state: threads() }).collect())
}

pub(super) fn apply_server_walls(walls: &[Wall], grants: &Grants) -> ConfinementReport {
    let put_up = |wall: &Wall| {
        let state = match wall {
            Wall::Process => process_limits::harden_process(),
            Wall::Landlock => landlock_rules::apply_ruleset(grants, NetworkAccess::None),
            Wall::Seccomp => {
                install_filter(FilterRole::Server, &ProcessIdentity { process: process_id(), descriptors: Vec::new() })
            }
            Wall::Limits => MechanismState::NotEnforced("only workers have it".into()),
        };
        MechanismStatus { wall: *wall, state }
    };
    ConfinementReport(walls.iter().map(put_up).collect())
}

pub(super) fn apply_fetcher_walls(walls: &[Wall], grants: &Grants) -> ConfinementReport {
    let put_up = |wall: &Wall| {
        let state = match wall {
            Wall::Process => process_limits::harden_helper(),
            Wall::Landlock => landlock_rules::apply_ruleset(grants, NetworkAccess::Connect),
            Wall::Seccomp => {
                install_filter(FilterRole::Fetcher, &ProcessIdentity { process: process_id(), descriptors: Vec::new() })
            }
            Wall::Limits => MechanismState::NotEnforced("only workers have it".into()),
        };
        MechanismStatus { wall: *wall, state }
    };
    ConfinementReport(walls.iter().map(put_up).collect())
}

pub(super) fn apply_launcher_walls(walls: &[Wall], grants: &Grants, network: NetworkAccess) -> ConfinementReport {
    let put_up = |wall: &Wall| {
        let state = match wall {
            Wall::Process => process_limits::harden_helper(),
            Wall::Landlock => landlock_rules::apply_ruleset(grants, network),
            Wall::Seccomp | Wall::Limits => MechanismState::NotEnforced("launchers do not have it".into()),
        };
        MechanismStatus { wall: *wall, state }
    };
    ConfinementReport(walls.iter().map(put_up).collect())
}

pub(super) fn apply_worker_walls(walls: &[Wall], memory: u64) -> ConfinementReport {
    let put_up = |wall: &Wall| {
        let state = match wall {
            Wall::Process => process_limits::harden_helper(),
            Wall::Limits => process_limits::limit_worker(memory),
            Wall::Landlock => landlock_rules::apply_ruleset(&Grants::default(), NetworkAccess::None),
            Wall::Seccomp => install_filter(
                FilterRole::Worker,
                &ProcessIdentity { process: process_id(), descriptors: process_limits::worker_descriptors() },
            ),
        };
        MechanismStatus { wall: *wall, state }
    };
    ConfinementReport(walls.iter().map(put_up).collect())
}

/// Probes on a thread: its restrictions end with it.
pub(super) fn probe() -> ConfinementReport {
    let tried = thread::spawn(|| apply_server_walls(&Wall::FOR_SERVER, &Grants::default())).join();
    let failed = || MechanismState::NotEnforced("it could not be tested".into());
    tried.unwrap_or_else(|_| {
        ConfinementReport(Wall::FOR_SERVER.map(|wall| MechanismStatus { wall, state: failed() }).into())
    })
}

fn install_filter(role: FilterRole, own: &ProcessIdentity) -> MechanismState {
    let Some(arch) = Arch::current() else {
        return MechanismState::NotEnforced("there is no list of system calls for this architecture".into());
    };
    match seccompiler::apply_filter(&assemble_filter(role, arch, own)) {
        Ok(()) => MechanismState::FullyEnforced("an allow-list of system calls".into()),
        Err(error) => MechanismState::NotEnforced(error.to_string()),
    }
}

fn process_id() -> u32 {
    rustix::process::getpid().as_raw_nonzero().get().unsigned_abs()
}
