//! `wardroom verify ARCHIVE`: whether a downloaded file of a release is the one that was signed.
//!
//! Owns: the order of the checks. The signature of the list comes first, and nothing of the list is believed before it holds.
//! Never: opens a file that the list names, or writes one.

use std::io::{self, Read as _};
use std::path::Path;

use minisign_verify::{Error as SignatureError, PublicKey, Signature};
use sha2::{Digest as _, Sha256};

use crate::limits::MAX_SIGNED_LIST_BYTES;
use crate::report::{self, CommandError};
use wardroom_appdir::{Access, AppDirError, ambient};
use wardroom_base::hex::encode_hex;

// The key of releases, as `dist/wardroom.pub` held it when this program was built: `RELEASE_KEY`.
include!(concat!(env!("OUT_DIR"), "/release_key.rs"));

/// The list of digests of a release, and its signature. Both lie beside the archive.
const LIST: &str = "SHA256SUMS";
const SIGNATURE: &str = "SHA256SUMS.minisig";

const ARCHIVE_HINT: &str = "name a file of a release, as it was downloaded";
const DOWNLOAD_HINT: &str =
    "download SHA256SUMS and SHA256SUMS.minisig of the same release into the folder of the archive";
const FORGED_HINT: &str =
    "do not use this download: take the archive, SHA256SUMS and SHA256SUMS.minisig from the project's own releases";

pub(super) fn run(archive: &Path, key: Option<&Path>) -> Result<(), CommandError> {
    let key = release_key(key)?;
    let (folder, name) = ambient::split_path(archive)
        .map_err(|error| CommandError::with_cause("cannot read the archive", error, ARCHIVE_HINT))?;
    let unread = |error| CommandError::with_cause("cannot read the signed list", error, DOWNLOAD_HINT);
    let list = ambient::read(&folder.join(LIST), MAX_SIGNED_LIST_BYTES).map_err(unread)?;
    let signature = ambient::read_text(&folder.join(SIGNATURE), MAX_SIGNED_LIST_BYTES).map_err(unread)?;
    let release = signed_by(&key, &list, &signature)?;
    let Some(listed) = digest_in_list(&list, name) else {
        return Err(CommandError::new(format!("SHA256SUMS of {release} does not list {name}"), FORGED_HINT));
    };
    let digest = report::name_if_slow(format!("reading {}", report::escape_name(name)), || digest_of_file(archive))?;
    if digest != listed {
        return Err(CommandError::new(format!("{name} is not the file that was signed for {release}"), FORGED_HINT));
    }
    report::print_line(&format!("{} is the file that was signed for {release}", report::escape_name(name)))
}

/// The key in a file that the caller names, or the one of this program.
fn release_key(path: Option<&Path>) -> Result<PublicKey, CommandError> {
    let hint = "name the public key of the project's releases with --key FILE, a file that minisign wrote";
    let given;
    let text = match (path, RELEASE_KEY) {
        (Some(path), _) => {
            given = ambient::read_text(path, MAX_SIGNED_LIST_BYTES)
                .map_err(|error| CommandError::with_cause("cannot read the public key", error, hint))?;
            given.as_str()
        }
        (None, Some(built_in)) => built_in,
        (None, None) => return Err(CommandError::new("this program was built without a key of releases", hint)),
    };
    PublicKey::decode(text)
        .map_err(|_| CommandError::new("the file with the public key is not one that minisign wrote", hint))
}

/// Checks the signature of the list, and returns what the signer says of it: the release, in the trusted comment.
fn signed_by(key: &PublicKey, list: &[u8], signature: &str) -> Result<String, CommandError> {
    let signature = Signature::decode(signature)
        .map_err(|_| CommandError::new("SHA256SUMS.minisig is not a signature that minisign wrote", DOWNLOAD_HINT))?;
    // Without the older form, in which the list itself is signed and not its hash: releases never had it.
    key.verify(list, &signature, false).map_err(|error| match error {
        SignatureError::UnexpectedKeyId => CommandError::new(
            "SHA256SUMS is signed with another key",
            "take the public key from the project itself, and not from where the archive came from",
        ),
        _ => CommandError::new("the signature of SHA256SUMS is wrong", FORGED_HINT),
    })?;
    Ok(report::escape_name(signature.trusted_comment()))
}

/// The digest of a name in the format of `sha256sum`.
fn digest_in_list(list: &[u8], name: &str) -> Option<String> {
    let list = std::str::from_utf8(list).ok()?;
    let rows = list.lines().filter_map(|line| line.split_once("  "));
    rows.filter(|(_, listed)| *listed == name).map(|(digest, _)| digest.to_owned()).next()
}

/// The SHA-256 digest of a file of any size.
fn digest_of_file(path: &Path) -> Result<String, CommandError> {
    let unread = |error| CommandError::with_cause("cannot read the archive", error, ARCHIVE_HINT);
    let failed = |error: io::Error| CommandError::with_cause("cannot read the archive", error, ARCHIVE_HINT);
    let mut file = ambient::open_file(path, Access::ReadOnly).map_err(unread)?;
    if !file.metadata().map_err(failed)?.is_file() {
        return Err(unread(AppDirError::NotRegularFile(path.display().to_string())));
    }
    let mut digest = Sha256::new();
    let mut piece = vec![0; 64 * 1024];
    loop {
        let length = file.read(&mut piece).map_err(failed)?;
        let Some(read) = piece.get(..length).filter(|read| !read.is_empty()) else { break };
        digest.update(read);
    }
    Ok(encode_hex(&digest.finalize()))
}
