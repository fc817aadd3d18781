//! Which Landlock this kernel has.

use wardroom_process::confine::{ConfinementReport, MechanismState, Wall, probe};

/// The version of Landlock here; nothing where there is none.
pub fn landlock_version() -> Option<u32> {
    let ConfinementReport(walls) = probe();
    let landlock = walls.into_iter().find(|standing| standing.wall == Wall::Landlock).unwrap();
    match landlock.state {
        MechanismState::FullyEnforced(detail) | MechanismState::PartiallyEnforced(detail) => {
            Some(detail.split_whitespace().nth(1).unwrap().trim_end_matches(',').parse().unwrap())
        }
        MechanismState::NotEnforced(_) => None,
    }
}
