//! The service `blog`: the folder of the blog, and the guest that reads its documents.
//!
//! Never: opens a folder that the operator did not name.

use std::sync::Arc;

use super::settings::Settings;
use super::{ServiceInputs, folder_access, open_app_dir, open_granted};
use crate::report::CommandError;
use wardroom_appdir::{AppDirError, Folder, ambient};
use wardroom_blog::{BLOG_DIR, Blog, BlogDefaults, BlogInputs, BlogLayout, BlogWatch, IndexedBlog};
use wardroom_config::{BlogLayoutName, WatchMode};
use wardroom_process::confine::FolderRights;
use wardroom_sandbox::{DocumentSandbox, GuestImage};

pub(crate) fn build(parts: &ServiceInputs<'_>) -> Result<Blog, CommandError> {
    let inputs = open_blog(parts.settings, &parts.app)?;
    if let Some(inputs) = &inputs {
        parts.extra_grants.borrow_mut().push((inputs.folder.clone(), FolderRights::Read));
    }
    Ok(Blog::new(inputs))
}

/// Opens the blog with its index, for a command.
pub(crate) fn standalone_blog(settings: &Settings) -> Result<IndexedBlog, CommandError> {
    let app = open_app_dir(settings)?;
    let inputs = open_blog(settings, &app)?;
    let missing = || {
        let hint = format!("run {} blog init to make one, or name one with --blog DIR", settings.command_line());
        CommandError::new("there is no blog", hint)
    };
    Ok(IndexedBlog::new(inputs.ok_or_else(missing)?))
}

/// Opens the folder of the blog; `None` if there is none and none was named.
fn open_blog(settings: &Settings, app: &Folder) -> Result<Option<BlogInputs>, CommandError> {
    let failed = |error| {
        let hint = format!("name the folder of a blog with --blog DIR, or run {} blog init", settings.command_line());
        CommandError::with_cause("cannot open the blog", error, hint)
    };
    let (folder, path) = match &settings.blog {
        Some(path) => (open_granted(settings, path, folder_access(settings)).map_err(failed)?, path.clone()),
        None => match app.open_folder(BLOG_DIR) {
            Ok(folder) => (folder, settings.app_dir.path.join(BLOG_DIR)),
            Err(AppDirError::NotFound(_)) => return Ok(None),
            Err(error) => return Err(failed(error)),
        },
    };
    let path = ambient::canonicalize(&path).unwrap_or(path);
    Ok(Some(BlogInputs {
        folder,
        layout: match settings.config.blog.layout {
            BlogLayoutName::Bds => BlogLayout::Bds,
            BlogLayoutName::Markdown => BlogLayout::Markdown,
        },
        defaults: BlogDefaults {
            language: settings.config.blog.language.clone(),
            public_url: settings.config.blog.public_url.clone(),
        },
        identity: path.to_string_lossy().into_owned(),
        app: app.clone(),
        sandbox: Arc::new(DocumentSandbox::new(GuestImage::documents())),
        watch: match settings.config.server.watch {
            WatchMode::Events => BlogWatch::Notices,
            WatchMode::Poll => BlogWatch::Polling,
            WatchMode::Off => BlogWatch::Off,
        },
    }))
}
