//! Confinement on systems other than Linux, where no mechanism is implemented.

use super::{ConfinementReport, Grants, MechanismState, MechanismStatus, NetworkAccess, Wall};

fn not_enforced(walls: &[Wall]) -> ConfinementReport {
    let state = || MechanismState::NotEnforced("a process is not confined on this system".into());
    ConfinementReport(walls.iter().map(|wall| MechanismStatus { wall: *wall, state: state() }).collect())
}

#[expect(clippy::unnecessary_wraps, reason = "the system's functions fail")]
pub(super) const fn drop_privileges() -> rustix::io::Result<()> {
    Ok(())
}

/// Nothing here counts threads. The processes that ask have one by their construction.
pub(super) const fn is_single_threaded() -> bool {
    true
}

pub(super) fn confine_server(_: &Grants) -> ConfinementReport {
    not_enforced(&Wall::FOR_SERVER)
}

pub(super) fn apply_server_walls(walls: &[Wall], _: &Grants) -> ConfinementReport {
    not_enforced(walls)
}

pub(super) fn confine_fetcher(_: &Grants) -> ConfinementReport {
    not_enforced(&Wall::FOR_SERVER)
}

pub(super) fn apply_fetcher_walls(walls: &[Wall], _: &Grants) -> ConfinementReport {
    not_enforced(walls)
}

pub(super) fn confine_launcher(_: &Grants, _: NetworkAccess) -> ConfinementReport {
    not_enforced(&Wall::FOR_LAUNCHER)
}

pub(super) fn apply_launcher_walls(walls: &[Wall], _: &Grants, _: NetworkAccess) -> ConfinementReport {
    not_enforced(walls)
}

pub(super) fn apply_worker_walls(walls: &[Wall], _: u64) -> ConfinementReport {
    not_enforced(walls)
}

pub(super) fn probe() -> ConfinementReport {
    not_enforced(&Wall::FOR_SERVER)
}
