//! Landlock: which folders are left to this process, by their handles. No file can be executed, no address of the network
//! bound or connected to, and nothing outside is signalled or spoken to by an abstract socket, as far as the kernel knows
//! how to forbid it.
//!
//! Never: takes a path.

use std::os::fd::AsFd as _;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, RestrictionStatus, Ruleset,
    RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope, make_bitflags,
};

use super::{Grants, State, Use};

/// What is asked for. A kernel that knows less forbids less.
const ASKED: ABI = ABI::V9;
/// From here on (Linux 6.2) no file outside can be changed: before, one that may be read may be truncated. What later
/// kernels add, the filter of system calls has too.
const ENOUGH: ABI = ABI::V3;

pub(super) fn stand(grants: &Grants) -> State {
    match restrict(grants) {
        Ok(status) => judge(&status),
        Err(error) => State::Not(error.to_string()),
    }
}

fn restrict(grants: &Grants) -> Result<RestrictionStatus, RulesetError> {
    let rules = Ruleset::default()
        .handle_access(AccessFs::from_all(ASKED))?
        .handle_access(AccessNet::from_all(ASKED))?
        .scope(Scope::from_all(ASKED))?;
    let mut rules = rules.create()?;
    for (folder, how) in &grants.0 {
        rules = rules.add_rule(PathBeneath::new(folder.as_fd(), rights(*how)))?;
    }
    rules.restrict_self()
}

/// What may be done below a folder.
fn rights(how: Use) -> BitFlags<AccessFs> {
    let read = make_bitflags!(AccessFs::{ReadFile | ReadDir});
    let edit = read | make_bitflags!(AccessFs::{WriteFile | MakeReg | RemoveFile | MakeDir});
    match how {
        Use::Read => read,
        Use::Edit => edit,
        Use::Write => edit | make_bitflags!(AccessFs::{Truncate | RemoveDir | Refer}),
    }
}

fn judge(status: &RestrictionStatus) -> State {
    match status.landlock {
        LandlockStatus::NotImplemented => State::Not("this kernel has none (Linux has it since 5.13)".into()),
        LandlockStatus::NotEnabled => State::Not("it is built into this kernel and switched off".into()),
        LandlockStatus::Available { .. } if status.ruleset == RulesetStatus::NotEnforced => {
            State::Not("the kernel did not enforce it".into())
        }
        LandlockStatus::Available { effective_abi, kernel_abi } => {
            let abi = kernel_abi.unwrap_or(effective_abi as i32);
            if effective_abi < ENOUGH {
                State::Partly(format!("ABI {abi}, which lets files outside be truncated (ABI 3, Linux 6.2, does not)"))
            } else {
                State::Whole(format!("ABI {abi}"))
            }
        }
    }
}
