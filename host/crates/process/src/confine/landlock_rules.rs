//! Landlock rules: the process keeps the granted folders, by their handles. As far as the kernel supports it, no other
//! file can be opened, no file executed, no network address bound or connected to, and no outside process signalled or
//! reached by an abstract socket.
//!
//! Never: takes a path.

use std::os::fd::AsFd as _;

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, LandlockStatus, PathBeneath, RestrictionStatus, Ruleset,
    RulesetAttr as _, RulesetCreatedAttr as _, RulesetError, RulesetStatus, Scope, make_bitflags,
};

use super::{FolderRights, Grants, MechanismState, NetworkAccess};
use wardroom_appdir::Access;

/// The requested ABI. An older kernel enforces less.
const REQUESTED_ABI: ABI = ABI::V9;
/// From this ABI on (Linux 6.2) no file outside can be changed; older ones let a readable file be truncated. The system
/// call filter covers what later ABIs add, of all processes but those that start programs.
const MIN_FULL_ABI: ABI = ABI::V3;
/// From this ABI on (Linux 6.12) it covers signals and abstract sockets of those too. What later ABIs add, it does not.
const MIN_LAUNCHER_ABI: ABI = ABI::V6;

pub(super) fn apply_ruleset(grants: &Grants, network: NetworkAccess) -> MechanismState {
    match restrict_self(grants, network) {
        Ok(status) => ruleset_state(&status),
        Err(error) => MechanismState::NotEnforced(error.to_string()),
    }
}

fn restrict_self(grants: &Grants, network: NetworkAccess) -> Result<RestrictionStatus, RulesetError> {
    let forbidden = match network {
        NetworkAccess::None => AccessNet::from_all(REQUESTED_ABI),
        NetworkAccess::Connect => AccessNet::BindTcp.into(),
    };
    let rules = Ruleset::default()
        .handle_access(AccessFs::from_all(REQUESTED_ABI))?
        .handle_access(forbidden)?
        .scope(Scope::from_all(REQUESTED_ABI))?;
    let mut rules = rules.create()?;
    for (folder, how) in &grants.folders {
        rules = rules.add_rule(PathBeneath::new(folder.as_fd(), landlock_rights(*how)))?;
    }
    for (file, access) in &grants.files {
        let rights = match access {
            Access::ReadOnly => make_bitflags!(AccessFs::{ReadFile}),
            Access::ReadWrite => make_bitflags!(AccessFs::{ReadFile | WriteFile | Truncate}),
        };
        rules = rules.add_rule(PathBeneath::new(file.as_fd(), rights))?;
    }
    for program in &grants.programs {
        let rights = make_bitflags!(AccessFs::{ReadFile | Execute});
        rules = rules.add_rule(PathBeneath::new(program.as_fd(), rights))?;
    }
    rules.restrict_self()
}

/// The Landlock rights for each level of access to a folder.
fn landlock_rights(how: FolderRights) -> BitFlags<AccessFs> {
    let read = make_bitflags!(AccessFs::{ReadFile | ReadDir});
    let edit = read | make_bitflags!(AccessFs::{WriteFile | MakeReg | RemoveFile | MakeDir});
    let folders = make_bitflags!(AccessFs::{Truncate | RemoveDir | Refer});
    match how {
        FolderRights::Read => read,
        FolderRights::Edit => edit,
        FolderRights::Write => edit | folders,
        FolderRights::Build => edit | folders | AccessFs::MakeSym,
        FolderRights::Execute => read | AccessFs::Execute,
    }
}

fn ruleset_state(status: &RestrictionStatus) -> MechanismState {
    match status.landlock {
        LandlockStatus::NotImplemented => {
            MechanismState::NotEnforced("this kernel lacks it: Linux 5.13 or later has it".into())
        }
        LandlockStatus::NotEnabled => MechanismState::NotEnforced("it is switched off in this kernel".into()),
        LandlockStatus::Available { .. } if status.ruleset == RulesetStatus::NotEnforced => {
            MechanismState::NotEnforced("the kernel did not enforce it".into())
        }
        LandlockStatus::Available { effective_abi, kernel_abi } => {
            let abi = kernel_abi.unwrap_or(effective_abi as i32);
            if effective_abi < MIN_FULL_ABI {
                MechanismState::PartiallyEnforced(format!(
                    "ABI {abi}, which lets files outside be truncated: ABI 3 of Linux 6.2 does not"
                ))
            } else if effective_abi < MIN_LAUNCHER_ABI {
                MechanismState::FullyEnforced(format!(
                    "ABI {abi}; git is kept from signals and abstract sockets of this user by ABI 6 of Linux 6.12"
                ))
            } else {
                MechanismState::FullyEnforced(format!("ABI {abi}"))
            }
        }
    }
}
