//! `wardroom blog`: makes a blog, checks its files, and brings its index up to date.
//!
//! Never: changes a file of a blog that exists.

use serde_json::{Value, json};

use super::blog_args::BlogAction;
use crate::assemble;
use crate::assemble::settings::Settings;
use crate::report::{self, CommandError, Progress};
use wardroom_appdir::{Folder, ambient};
use wardroom_blog::{BLOG_DIR, BlogCheck, FileProblem, init_blog};
use wardroom_config::BlogLayoutName;
use wardroom_service::ServiceError;

pub(super) fn run(settings: &Settings, action: &BlogAction) -> Result<(), CommandError> {
    match action {
        BlogAction::Init { name } => init(settings, name),
        BlogAction::Check { json } => check(settings, *json),
        BlogAction::Index { rebuild } => index(settings, *rebuild),
    }
}

fn init(settings: &Settings, name: &str) -> Result<(), CommandError> {
    if settings.read_only {
        return Err(CommandError::new("blog init writes files, which --read-only forbids", "leave out --read-only"));
    }
    let failed = |error| {
        CommandError::with_cause("cannot make the blog", error, "name a folder that you may write with --blog DIR")
    };
    let (folder, shown): (Folder, _) = match &settings.blog {
        Some(path) => (ambient::create_folder(path).map_err(failed)?, path.clone()),
        None => {
            let app = assemble::open_app_dir(settings)?;
            (app.create_folder(BLOG_DIR).map_err(failed)?, settings.app_dir.path.join(BLOG_DIR))
        }
    };
    assemble::refuse_site(&folder, &shown).map_err(|error| match settings.config.blog.layout {
        BlogLayoutName::Bds => error,
        BlogLayoutName::Markdown => {
            let hint = format!("a site is served as it is: run {} blog check", settings.command_line());
            CommandError::new(error.to_string(), hint)
        }
    })?;
    let written = init_blog(&folder, name).map_err(failed)?;
    report::print_line(&format!("blog: {} ({} files written)", shown.display(), written.len()))?;
    report::print_line(&format!("next: put posts into posts/YYYY/MM, then run {} blog check", settings.command_line()))
}

fn check(settings: &Settings, as_json: bool) -> Result<(), CommandError> {
    let found = update(settings, false)?;
    let hidden = found.problems.iter().filter(|problem| problem.hides_file).count();
    if as_json {
        let row = |problem: &FileProblem| json!({"file": problem.path, "line": problem.line, "message": problem.message, "hidesFile": problem.hides_file});
        report::print_json(&found.problems.iter().map(row).collect::<Value>())?;
    } else {
        for problem in &found.problems {
            let line = format!("{}:{}: {}", problem.path, problem.line, problem.message);
            report::print_line(&report::escape_name(&line))?;
        }
        report::print_note(
            "drafts that exist only in the database of another program are not in files, and are not seen here",
        );
    }
    match hidden {
        0 if as_json => Ok(()),
        0 if found.n_files == 0 => report::print_line(&format!("files: 0. {}", where_documents_belong(settings))),
        0 => report::print_line(&format!("files: {}, none left out", found.n_files)),
        1 => Err(left_out("1 file is left out".to_owned())),
        more => Err(left_out(format!("{more} files are left out"))),
    }
}

/// Says in which folders the documents of the configured layout are found.
pub(super) fn where_documents_belong(settings: &Settings) -> &'static str {
    match settings.config.blog.layout {
        BlogLayoutName::Bds => {
            "Put posts into posts/YYYY/MM; a site of Hugo, Jekyll or Astro needs layout = \"markdown\" in the section [blog] of \
             the configuration"
        }
        BlogLayoutName::Markdown => "Posts are read in content, _posts, _drafts and src/content",
    }
}

fn left_out(what: String) -> CommandError {
    CommandError::new(what, "correct the lines above; the other files are served")
}

fn index(settings: &Settings, rebuild: bool) -> Result<(), CommandError> {
    let found = update(settings, rebuild)?;
    report::print_line(&format!("files: {}, read: {}", found.n_files, found.n_read))
}

/// Brings the index up to date, with a progress bar on a terminal.
fn update(settings: &Settings, rebuild: bool) -> Result<BlogCheck, CommandError> {
    let failed = |error: ServiceError| {
        CommandError::with_cause("cannot bring the index of the blog up to date", error, settings.doctor_hint())
    };
    if settings.read_only {
        let what = "the index of the blog is written to the AppDir, which --read-only forbids";
        return Err(CommandError::new(what, "leave out --read-only"));
    }
    let blog = assemble::standalone_blog(settings)?;
    let progress = Progress::bar("files");
    let number = |n: usize| u64::try_from(n).unwrap_or(u64::MAX);
    blog.update(rebuild, &mut |done, total| progress.set(number(done), number(total))).map_err(failed)
}
