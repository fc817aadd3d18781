//! The Landlock version of this kernel.

use wardroom_process::confine::{ConfinementReport, MechanismState, Wall, probe};

/// Returns the Landlock ABI version of this kernel; `None` without Landlock.
pub(crate) fn landlock_abi_version() -> Option<u32> {
    let ConfinementReport(walls) = probe();
    let landlock = walls.into_iter().find(|mechanism| mechanism.wall == Wall::Landlock).unwrap();
    match landlock.state {
        MechanismState::FullyEnforced(detail) | MechanismState::PartiallyEnforced(detail) => {
            let number = detail.split(|c: char| !c.is_ascii_digit()).find(|number| !number.is_empty());
            Some(number.unwrap().parse().unwrap())
        }
        MechanismState::NotEnforced(_) => None,
    }
}
