//! The project of a call: the one that was chosen when the server started, or another granted folder.
//!
//! Never: takes a folder of the services or a hidden one for a project.

use super::{Grant, PathGrants, Project};
use crate::WRITABLE_DIRS;
use crate::error_code as code;
use crate::packages::PACKAGES_DIR;
use wardroom_service::{ServiceError, escape_and_truncate};

impl PathGrants {
    /// Refuses every project but the one that was chosen when the server started.
    pub(crate) fn check_project(&self, requested: Option<&str>) -> Result<(), ServiceError> {
        let Some(requested) = requested.filter(|requested| !requested.is_empty()) else { return Ok(()) };
        let known = self.project.as_ref().map(|project| project.path.as_path());
        if known.is_some() && self.absolute_path(requested).as_deref() == known {
            return Ok(());
        }
        let message = format!(
            "{} is not the project of this server, and a call cannot choose another one: start `wardroom --project \
             DIR`",
            escape_and_truncate(requested)
        );
        Err(ServiceError::tool(code::NOT_MOUNTED, message))
    }

    /// Opens the project of a call: the one fixed at the start, or another granted folder.
    pub(crate) fn open_project(&self, root: Option<&str>) -> Result<Project, ServiceError> {
        let Some(root) = root.filter(|root| !root.is_empty()) else {
            return self.project.clone().ok_or_else(|| {
                let command = &self.operator.command;
                ServiceError::tool(
                    code::NO_PROJECT,
                    format!("this server has no project: start it in one, or with `{command} --project DIR`"),
                )
            });
        };
        // The project of the server is granted as it is, also where it is the folder of a blog.
        if let Some(own) = &self.project
            && self.absolute_path(root).as_deref() == Some(own.path.as_path())
        {
            return Ok(own.clone());
        }
        let folder = self.open_folder(root, Grant::Write)?;
        let refuse = |why: &str| {
            let message = format!("{} {why}: name the folder of a project", escape_and_truncate(root));
            Err(ServiceError::tool(code::PROTECTED, message))
        };
        if self.part_in_app(&folder, "").is_some_and(|inside| inside.is_empty()) {
            return refuse("is the AppDir, which is no project");
        }
        let (granted, below) = self.resolve_path(root, Grant::Write)?;
        if below.split('/').any(|part| part.starts_with('.')) {
            return refuse("is hidden");
        }
        let inside = self.part_in_app(&granted, &below);
        let first = inside.as_deref().and_then(|inside| inside.split('/').next());
        if first.is_some_and(|first| first != PACKAGES_DIR && WRITABLE_DIRS.contains(&first)) {
            return refuse("is a folder of the AppDir with other files");
        }
        let path = self.absolute_path(root).unwrap_or_else(|| root.into());
        Ok(Project { folder, path })
    }

    /// Opens the project like [`Self::open_project`]; `None` without a `root` and a project of the server.
    pub(crate) fn open_project_if_any(&self, root: Option<&str>) -> Result<Option<Project>, ServiceError> {
        if root.is_none_or(str::is_empty) && self.project.is_none() {
            Ok(None)
        } else {
            self.open_project(root).map(Some)
        }
    }
}
