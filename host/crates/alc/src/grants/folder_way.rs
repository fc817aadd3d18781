//! The folders that a path leads through, by their identity: a mount, a project or a link may lead to a folder under another name.
//!
//! Never: decides what may be done there.

use std::path::Path;

use wardroom_appdir::{FileId, Folder};

/// A folder that a path leads through, from the granted folder on.
pub(super) struct FolderOnWay {
    /// The name under which the folder before has it; empty for the granted folder.
    pub(super) name: String,
    /// `None` where there is no such folder.
    pub(super) id: Option<FileId>,
}

pub(super) fn folder_id(folder: &Folder) -> Option<FileId> {
    folder.stat_self().ok().map(|stat| stat.file_id)
}

/// Returns the folders that a path below a granted folder leads through, with its links resolved.
pub(super) fn folders_on_way(root: &Folder, below: &str) -> Vec<FolderOnWay> {
    let mut reached = String::new();
    let mut way = vec![FolderOnWay { name: String::new(), id: folder_id(root) }];
    for name in resolve_links(root, below).split('/').filter(|name| !name.is_empty()) {
        reached.push_str(if reached.is_empty() { "" } else { "/" });
        reached.push_str(name);
        let id = root.open_folder(&reached).ok().and_then(|folder| folder_id(&folder));
        way.push(FolderOnWay { name: name.to_owned(), id });
    }
    way
}

/// Resolves the links of a path, as far as it exists. One that leads out of the folder is left: nothing opens it.
fn resolve_links(root: &Folder, below: &str) -> String {
    let mut end = below.len();
    loop {
        let (there, rest) = below.split_at_checked(end).unwrap_or((below, ""));
        if there.is_empty() {
            return below.to_owned();
        }
        if let Some(there) = root.resolve_links(there).ok().as_deref().and_then(Path::to_str) {
            return format!("{there}{rest}");
        }
        end = there.rfind('/').unwrap_or(0);
    }
}
