//! The error for a path in no granted folder, with the command by which the operator would grant it.
//!
//! Never: grants anything.

use std::path::{Path, PathBuf};

use super::{Grant, PathGrants};
use crate::error_code as code;
use wardroom_service::{ServiceError, escape_and_truncate};

impl Grant {
    /// Returns the options of `mount add` besides the name and the path. A mount of packages hides those of the AppDir,
    /// so a path that need not hold packages is mounted as files.
    const fn mount_flags(self) -> &'static str {
        match self {
            Self::Read => " --as files --read-only",
            Self::Write => " --as files",
            Self::Link => " --read-only",
            Self::CreatePackages => "",
        }
    }
}

impl PathGrants {
    /// Returns the error for a path in no granted folder, with the command that would grant it.
    pub(crate) fn not_mounted_error(&self, path: &str, grant: Grant) -> ServiceError {
        let full = self.absolute_path(path).unwrap_or_else(|| PathBuf::from(path));
        // Only folders are granted.
        let is_file = full.extension().is_some_and(|extension| {
            ["lua", "toml", "json", "jsonl", "md", "txt"].iter().any(|known| extension == *known)
        });
        self.mount_advice_error(path, full.parent().filter(|_| is_file).unwrap_or(&full), grant)
    }

    pub(super) fn file_not_mounted_error(&self, path: &str, grant: Grant) -> ServiceError {
        let full = self.absolute_path(path).unwrap_or_else(|| PathBuf::from(path));
        self.mount_advice_error(path, full.parent().unwrap_or(&full), grant)
    }

    fn mount_advice_error(&self, path: &str, granted: &Path, grant: Grant) -> ServiceError {
        let nowhere = format!("{} is in no folder that this server may use", escape_and_truncate(path));
        // Control characters could make the pasted command differ from the one that is shown.
        let message = match granted.to_str().filter(|path| !path.contains(char::is_control)) {
            None => format!("{nowhere}, and its name has control characters, so no command to grant it is shown"),
            Some(text) => format!(
                "{nowhere}; the operator can grant it with `{} mount add {} {}{}` and a restart (create a missing folder \
                 first)",
                self.operator.command,
                suggested_mount_name(granted),
                shell_quote(text),
                grant.mount_flags()
            ),
        };
        ServiceError::tool(code::NOT_MOUNTED, message)
    }
}

fn suggested_mount_name(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let good = |c: char| if c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-') { c } else { '-' };
    let name: String = name.chars().map(good).take(100).collect();
    if matches!(name.as_str(), "" | "." | "..") || name.starts_with('-') { format!("m{name}") } else { name }
}

/// Quotes a text for a shell.
fn shell_quote(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
