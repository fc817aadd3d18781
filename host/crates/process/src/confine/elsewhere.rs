//! Where there are no walls: systems other than Linux.

use super::{Grants, Report, Standing, State, Wall};

fn none(walls: &[Wall]) -> Report {
    let state = || State::Not("a process is not confined on this system".into());
    Report(walls.iter().map(|wall| Standing { wall: *wall, state: state() }).collect())
}

pub(super) fn server(_: &Grants) -> Report {
    none(&Wall::OF_SERVER)
}

pub(super) fn behind(walls: &[Wall], _: &Grants) -> Report {
    none(walls)
}

pub(super) fn requester(_: &Grants) -> Report {
    none(&Wall::OF_SERVER)
}

pub(super) fn around_requester(walls: &[Wall], _: &Grants) -> Report {
    none(walls)
}

pub(super) fn starter(_: &Grants) -> Report {
    none(&Wall::OF_STARTER)
}

pub(super) fn around_starter(walls: &[Wall], _: &Grants) -> Report {
    none(walls)
}

pub(super) fn worker(walls: &[Wall], _: u64) -> Report {
    none(walls)
}

pub(super) fn probe() -> Report {
    none(&Wall::OF_SERVER)
}
