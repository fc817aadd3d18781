//! Which Landlock this kernel has.

use wardroom_process::confine::{Report, State, Wall, probe};

/// The version of Landlock here; nothing where there is none.
pub fn landlock_version() -> Option<u32> {
    let Report(walls) = probe();
    let landlock = walls.into_iter().find(|standing| standing.wall == Wall::Landlock).unwrap();
    match landlock.state {
        State::Whole(detail) | State::Partly(detail) => {
            Some(detail.split_whitespace().nth(1).unwrap().trim_end_matches(',').parse().unwrap())
        }
        State::Not(_) => None,
    }
}
