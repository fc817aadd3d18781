//! Files in the folders that the operator granted to handlers, by the names of the grants.
//!
//! Never: opens a folder that was not granted, or leaves a granted one.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use super::store::STORE_FOLDER;
use super::{HandlerCapabilities, OperationAnswer, text_argument};
use crate::limits::{MAX_HANDLER_DIR_NAMES, MAX_HANDLER_FILE_BYTES};
use wardroom_appdir::{AppDirError, EntryKind, Folder, Privacy};
use wardroom_base::byte_size::ByteSize;

pub(super) fn perform_operation(
    capabilities: &HandlerCapabilities,
    operation: &str,
    arguments: &Value,
) -> OperationAnswer {
    let mount = text_argument(arguments, "fs")?;
    let folder = capabilities.mounts.get(mount).ok_or_else(|| not_mounted_message(capabilities, mount))?;
    let path = text_argument(arguments, "path").unwrap_or("");
    let path = path.trim_start_matches("./").trim_matches('/');
    if path.contains('\0') {
        return Err("a path must not contain NUL".to_owned());
    }
    let failed = |error| error_message(path, &error);
    match operation {
        "fs.read" => {
            let bytes = folder.read(path, MAX_HANDLER_FILE_BYTES).map_err(failed)?.bytes;
            Ok(match String::from_utf8(bytes) {
                Ok(text) => json!({"text": text}),
                Err(bytes) => json!({"base64": STANDARD.encode(bytes.as_bytes())}),
            })
        }
        "fs.write" => write_file(capabilities, mount, folder, path, arguments),
        "fs.list" => list_folder(folder, path),
        "fs.stat" => stat_path(folder, path).map_err(failed),
        // Where it cannot be known, neither answer is true.
        "fs.exists" => match stat_path(folder, path) {
            Err(error) if error.is_transient() => Err(failed(error)),
            found => Ok(found.is_ok().into()),
        },
        "fs.mkdir" => folder.create_folder(path).map(|_| true.into()).map_err(failed),
        "fs.remove" => match folder.remove_file(path) {
            Ok(()) => Ok(true.into()),
            Err(AppDirError::NotFound(_)) => Ok(false.into()),
            Err(error) => Err(failed(error)),
        },
        other => Err(format!("unknown operation: {other}")),
    }
}

fn not_mounted_message(capabilities: &HandlerCapabilities, mount: &str) -> String {
    let known: Vec<&str> = capabilities.mounts.keys().map(String::as_str).collect();
    let known = if known.is_empty() { "there is none".to_owned() } else { format!("there are {}", known.join(", ")) };
    format!(
        "no folder {} is granted to handlers: {known}; the operator grants one as [mounts.NAME] with as = \"files\"",
        wardroom_service::escape_and_truncate(mount)
    )
}

fn write_file(
    capabilities: &HandlerCapabilities,
    mount: &str,
    folder: &Folder,
    path: &str,
    arguments: &Value,
) -> OperationAnswer {
    let mut bytes =
        match (arguments.get("text").and_then(Value::as_str), arguments.get("base64").and_then(Value::as_str)) {
            (Some(text), _) => text.as_bytes().to_vec(),
            (None, Some(data)) => STANDARD.decode(data).map_err(|_| "base64 must be Base64 text".to_owned())?,
            (None, None) => return Err("text or base64 must be given".to_owned()),
        };
    let failed = |error| error_message(path, &error);
    let is = |flag: &str| arguments.get(flag).and_then(Value::as_bool) == Some(true);
    // An append must see what others appended before.
    let mut lock = None;
    if is("append") {
        let app = capabilities.app_dir.as_ref().ok_or("this server has no folder for handlers")?;
        let store = app.create_folder(STORE_FOLDER).map_err(failed)?;
        lock = Some(store.lock(&format!("@@{mount}.lock")).map_err(failed)?);
        match folder.read(path, MAX_HANDLER_FILE_BYTES) {
            Ok(before) => bytes.splice(0..0, before.bytes).for_each(drop),
            Err(AppDirError::NotFound(_)) => {}
            Err(error) => return Err(failed(error)),
        }
    }
    if bytes.len() as u64 > MAX_HANDLER_FILE_BYTES {
        return Err(format!(
            "{path} would have {}, the limit is {}",
            ByteSize(bytes.len() as u64),
            ByteSize(MAX_HANDLER_FILE_BYTES)
        ));
    }
    if is("create") {
        folder.create_file(path, &bytes, Privacy::Shared).map_err(failed)?;
    } else {
        let target = folder.link_target(path).map_err(failed)?;
        folder.write(&target, &bytes, Privacy::Preserve).map_err(failed)?;
    }
    drop(lock);
    Ok(true.into())
}

fn list_folder(folder: &Folder, path: &str) -> OperationAnswer {
    let failed = |error| error_message(path, &error);
    let folder = if path.is_empty() { folder.clone() } else { folder.open_folder(path).map_err(failed)? };
    let entries = folder.entries(MAX_HANDLER_DIR_NAMES).map_err(failed)?;
    let row = |entry: wardroom_appdir::DirEntry| {
        let size = folder.stat(&entry.name).ok().map(|stat| stat.len);
        let kind = match entry.kind {
            EntryKind::File => "file",
            EntryKind::Folder => "directory",
            EntryKind::Symlink => "link",
            EntryKind::Other => "other",
        };
        json!({"name": entry.name, "type": kind, "size": size})
    };
    Ok(entries.into_iter().map(row).collect())
}

fn stat_path(folder: &Folder, path: &str) -> Result<Value, AppDirError> {
    if path.is_empty() || folder.open_folder(path).is_ok() {
        return Ok(json!({"name": path, "type": "directory", "size": null}));
    }
    let stat = folder.stat(path)?;
    let modified = stat.modified.and_then(|at| at.duration_since(std::time::UNIX_EPOCH).ok());
    Ok(json!({
        "name": path, "type": "file", "size": stat.len, "modified": modified.map(|since| since.as_secs_f64()),
    }))
}

fn error_message(path: &str, error: &AppDirError) -> String {
    let message = format!("{} {}", wardroom_service::escape_and_truncate(path), error.predicate());
    if let AppDirError::Io { .. } | AppDirError::PermissionDenied(_) = error {
        tracing::warn!(%error, "cannot use a file of a handler");
    }
    message
}
