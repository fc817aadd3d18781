//! The type stubs of the Lua library, `types/*.d.lua` in the AppDir: as resources, and as paths for an editor.

use super::alc_uri::TypesFile;
use super::grants::PathGrants;
use super::{DOCUMENT_LIMITS, descriptors};
use wardroom_appdir::Folder;
use wardroom_base::uri::Scheme;
use wardroom_service::{EntryExtras, ResourceContent, ResourceEntry, ServiceError, Work, mime};

/// Returns the path of a file of stubs below the AppDir.
pub(super) fn relative_path(file: TypesFile) -> String {
    format!("types/{}", file.file_name())
}

/// Resolves the read of a file of stubs.
pub(super) fn resolve(app: &Folder, file: TypesFile, uri: &str) -> Result<Work<ResourceContent>, ServiceError> {
    let file = app.open(&relative_path(file)).map_err(|error| ServiceError::from_read_error(uri, error))?;
    Ok(DOCUMENT_LIMITS.read_text(file, uri, |text, modified| Ok(ResourceContent::new(mime::LUA, text, modified))))
}

/// Returns the path of a file of stubs for an editor, if the file exists.
pub(super) fn display_path(grants: &PathGrants, file: TypesFile) -> Option<String> {
    let below = relative_path(file);
    grants.app().stat(&below).ok()?;
    let path = grants.app_path().map_or_else(|| below.clone().into(), |app| app.join(&below));
    Some(path.display().to_string())
}

/// Returns the entry of a file of stubs in the list of resources.
pub(super) fn entry(app: &Folder, file: TypesFile, scheme: &Scheme) -> ResourceEntry {
    let path = relative_path(file);
    let stat = app.stat(&path).ok();
    let (title, description) = descriptors::describe_types_file(file);
    ResourceEntry {
        uri: format!("{}://{path}", scheme.name),
        name: file.file_name().into(),
        title: Some(title.into()),
        description: description.into(),
        mime_type: mime::LUA.into(),
        extra: EntryExtras::default(),
        size: stat.map(|stat| stat.len),
        modified: stat.and_then(|stat| stat.modified),
    }
}
