//! `wardroom extract FILES`: the metadata of package sources, as the guest extracts them.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::report::{self, CommandError};
use wardroom_appdir::{AppDirError, ambient};
use wardroom_sandbox::{GuestImage, PackageMetadata, Sandbox};
use wardroom_service::limits::MAX_SOURCE_BYTES;

pub(super) fn extract(files: &[PathBuf], json: bool) -> Result<(), CommandError> {
    let sandbox = Sandbox::new(GuestImage::embedded());
    let mut failed = 0;
    for path in files {
        match extract_one(&sandbox, path) {
            Ok(metadata) if json => report::print_json(&extraction_json(path, metadata)?)?,
            Ok(metadata) => {
                report::print_line(&metadata.json)?;
                for entry in metadata.unresolved {
                    let (path, line, reason) = (path.display(), entry.line, entry.reason);
                    report::print_note(&format!("warning: {path}:{line}: {} {reason}", entry.path));
                }
            }
            Err(failure) => {
                report::print_error(&failure);
                failed += 1;
            }
        }
    }
    if failed == 0 {
        return Ok(());
    }
    let what = format!("no metadata could be read from {failed} of {} files", files.len());
    Err(CommandError::new(what, "fix the errors above, and extract those files again"))
}

/// Extracts one package. Its name is its folder's; a single file has none.
fn extract_one(sandbox: &Sandbox, path: &Path) -> Result<PackageMetadata, CommandError> {
    let file = if ambient::is_dir(path) { path.join("init.lua") } else { path.to_path_buf() };
    let folder = file.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    let name = folder.filter(|name| wardroom_rules::id::check_alphabet(name).is_ok()).unwrap_or("package");
    let what = || path.display().to_string();
    let unread = |error| {
        let hint = match error {
            AppDirError::TooLarge { .. } => {
                "keep the metadata in a smaller init.lua, and the rest in files that it requires"
            }
            _ => "name an init.lua, or the folder of a package",
        };
        CommandError::with_cause(what(), error, hint)
    };
    let source = ambient::read(&file, MAX_SOURCE_BYTES).map_err(unread)?;
    let extracted = sandbox.extract(name, &source);
    let extracted =
        extracted.map_err(|error| CommandError::with_cause(what(), error, "run wardroom doctor to check the guest"))?;
    extracted.map_err(|refusal| {
        CommandError::with_cause(what(), refusal, "fix the file at that place; it is parsed and never run")
    })
}

/// The output of the tool `extract_package_meta`, and the file.
fn extraction_json(path: &Path, metadata: PackageMetadata) -> Result<Value, CommandError> {
    let extracted = wardroom_alc::render_metadata(metadata);
    let extracted =
        extracted.map_err(|error| CommandError::new(error.to_string(), "run wardroom doctor to check the guest"))?;
    let mut whole = extracted.into_value();
    if let Some(fields) = whole.as_object_mut() {
        fields.insert("file".to_owned(), json!(path));
    }
    Ok(whole)
}
