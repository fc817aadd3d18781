//! The walls on Linux, put up in the order in which each still can be.

use std::thread;

use super::files::Network;
use super::program::{Arch, Own, Role, assemble};
use super::{Grants, Report, Standing, State, Wall, files, process};

pub(super) fn server(grants: &Grants) -> Report {
    alone(&Wall::OF_SERVER, || behind(&Wall::OF_SERVER, grants))
}

pub(super) fn requester(grants: &Grants) -> Report {
    alone(&Wall::OF_SERVER, || around_requester(&Wall::OF_SERVER, grants))
}

pub(super) fn starter(grants: &Grants) -> Report {
    alone(&Wall::OF_STARTER, || around_starter(&Wall::OF_STARTER, grants))
}

fn alone(walls: &[Wall], put_up: impl FnOnce() -> Report) -> Report {
    if process::is_alone() {
        return put_up();
    }
    let threads = || State::Not("other threads run already, and would not be confined".into());
    Report(walls.iter().map(|wall| Standing { wall: *wall, state: threads() }).collect())
}

pub(super) fn behind(walls: &[Wall], grants: &Grants) -> Report {
    let put_up = |wall: &Wall| {
        let state = match wall {
            Wall::Process => process::stand(),
            Wall::Landlock => files::stand(grants, Network::None),
            Wall::Seccomp => filter(Role::Server, &Own { process: number(), descriptors: Vec::new() }),
            Wall::Limits => State::Not("it is for workers".into()),
        };
        Standing { wall: *wall, state }
    };
    Report(walls.iter().map(put_up).collect())
}

pub(super) fn around_requester(walls: &[Wall], grants: &Grants) -> Report {
    let put_up = |wall: &Wall| {
        let state = match wall {
            Wall::Process => process::stand(),
            Wall::Landlock => files::stand(grants, Network::Connects),
            Wall::Seccomp => filter(Role::Requester, &Own { process: number(), descriptors: Vec::new() }),
            Wall::Limits => State::Not("it is for workers".into()),
        };
        Standing { wall: *wall, state }
    };
    Report(walls.iter().map(put_up).collect())
}

pub(super) fn around_starter(walls: &[Wall], grants: &Grants) -> Report {
    let put_up = |wall: &Wall| {
        let state = match wall {
            Wall::Process => process::stand(),
            Wall::Landlock => files::stand(grants, Network::Connects),
            Wall::Seccomp | Wall::Limits => State::Not("it is for others".into()),
        };
        Standing { wall: *wall, state }
    };
    Report(walls.iter().map(put_up).collect())
}

pub(super) fn worker(walls: &[Wall], memory: u64) -> Report {
    let put_up = |wall: &Wall| {
        let state = match wall {
            Wall::Process => process::stand(),
            Wall::Limits => process::limit(memory),
            Wall::Landlock => files::stand(&Grants::default(), Network::None),
            Wall::Seccomp => filter(Role::Worker, &Own { process: number(), descriptors: process::descriptors() }),
        };
        Standing { wall: *wall, state }
    };
    Report(walls.iter().map(put_up).collect())
}

/// What is forbidden to a thread ends with it.
pub(super) fn probe() -> Report {
    let tried = thread::spawn(|| behind(&Wall::OF_SERVER, &Grants::default())).join();
    let failed = || State::Not("it cannot be tried".into());
    tried.unwrap_or_else(|_| Report(Wall::OF_SERVER.map(|wall| Standing { wall, state: failed() }).into()))
}

fn filter(role: Role, own: &Own) -> State {
    let Some(arch) = Arch::here() else {
        return State::Not("there is no list of system calls for this architecture".into());
    };
    match seccompiler::apply_filter(&assemble(role, arch, own)) {
        Ok(()) => State::Whole("system calls by a list".into()),
        Err(error) => State::Not(error.to_string()),
    }
}

fn number() -> u32 {
    rustix::process::getpid().as_raw_nonzero().get().unsigned_abs()
}
