//! The service `blog`: the folder of the blog, and the guest that reads its documents.
//!
//! Never: opens a folder that the operator did not name.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use super::cache::overlap;
use super::handler_mounts::canonical_place;
use super::settings::Settings;
use super::{ServiceInputs, grant_access, open_app_dir, open_cache_dir, open_granted, seal_key};
use crate::report::CommandError;
use wardroom_appdir::{Access, AppDirError, CacheDir, Folder, ambient};
use wardroom_blog::limits::{DEFAULT_HTTP_PROPOSAL_TTL, DEFAULT_STDIO_PROPOSAL_TTL};
use wardroom_blog::{
    AcceptMode, BLOG_DIR, Blog, BlogDefaults, BlogInputs, BlogLayout, BlogWatch, IndexedBlog, ProposalOptions,
    create_proposal_folders,
};
use wardroom_config::{BlogAcceptMode, BlogLayoutName, MountKind, WatchMode};
use wardroom_process::confine::FolderRights;
use wardroom_sandbox::{DocumentSandbox, GuestImage};
use wardroom_service::audit::AuditTrail;

/// The folder of posts of wardroom's own layout, and those of programs that make sites.
const POSTS_FOLDER: &str = "posts";
const SITE_FOLDERS: [&str; 3] = ["content", "_posts", "src/content"];

pub(crate) fn build(parts: &ServiceInputs<'_>) -> Result<Blog, CommandError> {
    let inputs = open_blog(parts.settings, &parts.app, &parts.cache, &parts.trail)?;
    if let Some(inputs) = &inputs {
        let mut grants = parts.extra_grants.borrow_mut();
        if inputs.folder.is_read_only() {
            grants.push((inputs.folder.clone(), FolderRights::Read));
        } else if inputs.options.accept == AcceptMode::HumanStrict {
            // This server never decides. Where it proposes must exist, or it could not be granted.
            let own = create_proposal_folders(&inputs.folder).map_err(|error| {
                let hint = "let the server write to the folder of the blog, or set `[blog] proposals = false`";
                CommandError::with_cause("cannot make the folders of proposals", error, hint)
            })?;
            grants.push((inputs.folder.clone(), FolderRights::Read));
            grants.extend(own.map(|folder| (folder, FolderRights::Write)));
        } else {
            grants.push((inputs.folder.clone(), FolderRights::Write));
        }
    }
    Ok(Blog::new(inputs))
}

/// Refuses a strict server whose other services may write the posts: rights of the kernel add up.
pub(crate) fn check_apart(settings: &Settings) -> Result<(), CommandError> {
    let config = &settings.config.blog;
    let is_strict = config.accept == BlogAcceptMode::HumanStrict && config.proposals != Some(false);
    let blog = settings.blog.clone().unwrap_or_else(|| settings.app_dir.path.join(BLOG_DIR));
    let (true, Ok(blog)) = (is_strict && settings.offers("blog") && !settings.read_only, ambient::canonicalize(&blog))
    else {
        return Ok(());
    };
    let is_used = |kind: MountKind| match kind {
        MountKind::Package | MountKind::Packages => settings.offers("alc"),
        MountKind::Files => settings.offers("alc") || settings.offers("registry"),
        MountKind::Registry => false,
    };
    let mounts = settings.config.mounts.iter().filter(|(_, mount)| !mount.read_only && is_used(mount.kind));
    let mounts = mounts.map(|(name, mount)| (format!("the mount {name}"), &mount.path));
    let of_alc = [("the project", &settings.project), ("ALC_LOG_DIR", &settings.log_dir)];
    let of_alc = of_alc.into_iter().filter(|_| settings.offers("alc"));
    let of_alc = of_alc.filter_map(|(what, path)| Some((what.to_owned(), path.as_ref()?)));
    // The services write their own folders of the AppDir alone; its folder of the blog is this service's.
    let app = ambient::canonicalize(&settings.app_dir.path).unwrap_or_else(|_| settings.app_dir.path.clone());
    let app = (blog != app.join(BLOG_DIR)).then(|| ("the AppDir".to_owned(), &settings.app_dir.path));
    let logs = super::ace::written_folders(settings).into_iter().map(|path| ("the learning log".to_owned(), path));
    let logs: Vec<_> = logs.collect();
    let logs = logs.iter().map(|(what, path)| (what.clone(), path));
    for (what, path) in of_alc.chain(mounts).chain(app).chain(logs) {
        // What is not there yet, this server may create.
        let path = canonical_place(path);
        if overlap(&blog, &path) {
            let (path, blog) = (path.display(), blog.display());
            let what = format!(
                "accept = \"human-strict\" and {what}: the server may write {path}, around or in the blog {blog}"
            );
            let hint = "name another folder, make a mount read-only, or serve the blog apart with --service blog";
            return Err(CommandError::new(what, hint));
        }
    }
    Ok(())
}

/// Whether a blog is named, or in its place in the AppDir.
pub(crate) fn has_blog(settings: &Settings) -> bool {
    settings.blog.is_some() || open_app_dir(settings).is_ok_and(|app| app.open_folder(BLOG_DIR).is_ok())
}

/// Whether the AppDir belongs to the user of this process.
pub(crate) fn is_own_app_dir(settings: &Settings) -> bool {
    open_app_dir(settings).is_ok_and(|app| app.is_own())
}

/// Opens the blog with its index, for a command.
pub(crate) fn standalone_blog(settings: &Settings) -> Result<IndexedBlog, CommandError> {
    let app = open_app_dir(settings)?;
    let inputs = open_blog(settings, &app, &open_cache_dir(settings, &app)?, &AuditTrail::default())?;
    let missing = || {
        let hint = format!("run {} blog init to make one, or name one with --blog DIR", settings.command_line());
        CommandError::new("there is no blog", hint)
    };
    Ok(IndexedBlog::new(inputs.ok_or_else(missing)?))
}

/// Opens the folder of the blog; `None` if there is none and none was named.
fn open_blog(
    settings: &Settings,
    app: &Folder,
    cache: &CacheDir,
    trail: &AuditTrail,
) -> Result<Option<BlogInputs>, CommandError> {
    let failed = |error| {
        let hint = format!("name the folder of a blog with --blog DIR, or run {} blog init", settings.command_line());
        CommandError::with_cause("cannot open the blog", error, hint)
    };
    let config = &settings.config.blog;
    let access = if config.proposals == Some(false) { Access::ReadOnly } else { grant_access(settings) };
    let (folder, path) = match &settings.blog {
        Some(path) => (open_granted(settings, path, access).map_err(failed)?, path.clone()),
        None if access == Access::ReadOnly && !app.is_read_only() => {
            let path = settings.app_dir.path.join(BLOG_DIR);
            match open_granted(settings, &path, access) {
                Ok(folder) => (folder, path),
                Err(AppDirError::NotFound(_)) => return Ok(None),
                Err(error) => return Err(failed(error)),
            }
        }
        None => match app.open_folder(BLOG_DIR) {
            Ok(folder) => (folder, settings.app_dir.path.join(BLOG_DIR)),
            Err(AppDirError::NotFound(_)) => return Ok(None),
            Err(error) => return Err(failed(error)),
        },
    };
    if config.layout == BlogLayoutName::Bds {
        refuse_site(&folder, &path)?;
    }
    let path = ambient::canonicalize(&path).unwrap_or(path);
    Ok(Some(BlogInputs {
        folder: folder.reporting_removal(),
        layout: match settings.config.blog.layout {
            BlogLayoutName::Bds => BlogLayout::Bds,
            BlogLayoutName::Markdown => BlogLayout::Markdown,
        },
        defaults: BlogDefaults {
            language: settings.config.blog.language.clone(),
            public_url: settings.config.blog.public_url.clone(),
        },
        identity: path.to_string_lossy().into_owned(),
        cache: cache.clone(),
        sandbox: Arc::new(DocumentSandbox::new(GuestImage::documents())),
        watch: match settings.config.server.watch {
            WatchMode::Events => BlogWatch::Notices,
            WatchMode::Poll => BlogWatch::Polling,
            WatchMode::Off => BlogWatch::Off,
        },
        options: ProposalOptions {
            accept: match config.accept {
                BlogAcceptMode::Human => AcceptMode::Human,
                BlogAcceptMode::HumanStrict => AcceptMode::HumanStrict,
                BlogAcceptMode::Agent => AcceptMode::Agent,
            },
            ttl_http: config.proposal_ttl_app.map_or(DEFAULT_HTTP_PROPOSAL_TTL, minutes),
            ttl_stdio: config.proposal_ttl_cli.map_or(DEFAULT_STDIO_PROPOSAL_TTL, minutes),
        },
        review_key: seal_key::key_source(app.clone()),
        trail: trail.clone(),
    }))
}

/// Refuses the folder of a site's program where a blog of the own layout is meant.
pub(crate) fn refuse_site(folder: &Folder, path: &Path) -> Result<(), CommandError> {
    let is_site = SITE_FOLDERS.iter().any(|name| folder.open_folder(name).is_ok());
    if folder.open_folder(POSTS_FOLDER).is_ok() || !is_site {
        return Ok(());
    }
    let what = format!("{} is no blog of wardroom's own layout, but a site of Hugo, Jekyll or Astro", path.display());
    Err(CommandError::new(what, "set layout = \"markdown\" in the section [blog] of the configuration"))
}

fn minutes(minutes: u64) -> Duration {
    Duration::from_secs(minutes.saturating_mul(60))
}
