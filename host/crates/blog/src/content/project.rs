//! The settings of a blog: `meta/project.json`, the tags and categories beside it.
//!
//! Owns: which fields of these files are used. JSON is parsed here, within bounds: its parser is memory-safe.
//! Never: fails for a file that is missing or damaged: it has no settings, and the check of the blog lists it.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::language::normalize_language;
use super::problem::FileProblem;
use crate::limits::MAX_SETTINGS_BYTES;
use wardroom_appdir::{AppDirError, Folder, failpoint};
use wardroom_base::payload::{self, PayloadError, escape_and_truncate};

const PROJECT_FILE: &str = "meta/project.json";
const TAGS_FILE: &str = "meta/tags.json";
const CATEGORIES_FILE: &str = "meta/categories.json";
/// The files with settings.
pub(crate) const SETTINGS_FILES: [&str; 3] = [PROJECT_FILE, TAGS_FILE, CATEGORIES_FILE];

/// The settings of a blog.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct BlogSettings {
    pub(crate) project: ProjectSettings,
    main_language: Option<String>,
    pub(crate) tags: Vec<TagSettings>,
    /// The configured categories, also those that no post has.
    pub(crate) categories: Vec<String>,
    pub(crate) problems: Vec<FileProblem>,
}

/// What holds for a blog whose `meta/project.json` does not say it, or which has none, as the folders of site generators.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct BlogDefaults {
    /// The language of posts that do not say theirs.
    pub language: Option<String>,
    /// The address of the blog: links that begin with it are links between its posts.
    pub public_url: Option<String>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(crate) struct ProjectSettings {
    pub(crate) id: Option<String>,
    pub(crate) name: Option<String>,
    pub(crate) slug: Option<String>,
    pub(crate) description: Option<String>,
    #[serde(alias = "public_url")]
    pub(crate) public_url: Option<String>,
    #[serde(alias = "main_language")]
    pub(crate) main_language: Option<String>,
    #[serde(alias = "blog_languages")]
    pub(crate) blog_languages: Option<Vec<String>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct TagSettings {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) color: Option<String>,
}

impl BlogSettings {
    /// Reads the settings of a blog. What the files do not say is taken from `defaults`.
    pub(crate) fn read(blog: &Folder, defaults: &BlogDefaults) -> Self {
        Self::read_available(blog, defaults).0
    }

    /// Reads the settings as [`Self::read`] does, for a caller that stores what depends on them. [`Self::read`] treats a file on
    /// an unreachable file system as missing.
    ///
    /// # Errors
    /// When the system fails to read a file.
    pub(crate) fn read_all(blog: &Folder, defaults: &BlogDefaults) -> Result<Self, AppDirError> {
        let (settings, failure) = Self::read_available(blog, defaults);
        failure.map_or(Ok(settings), Err)
    }

    /// Reads the settings, and returns the first failure of the system.
    fn read_available(blog: &Folder, defaults: &BlogDefaults) -> (Self, Option<AppDirError>) {
        let (mut problems, mut failure) = (Vec::new(), None);
        let mut project: ProjectSettings =
            read_json(blog, PROJECT_FILE, &mut problems, &mut failure).unwrap_or_default();
        let is_known = |language: &Option<String>| language.as_deref().and_then(normalize_language).is_some();
        if !is_known(&project.main_language) && is_known(&defaults.language) {
            project.main_language.clone_from(&defaults.language);
        }
        if project.public_url.is_none() {
            project.public_url.clone_from(&defaults.public_url);
        }
        let main_language = project.main_language.as_deref().and_then(normalize_language);
        let tags = read_json(blog, TAGS_FILE, &mut problems, &mut failure).unwrap_or_default();
        // A list of names, or of objects with names.
        let categories: Vec<Value> = read_json(blog, CATEGORIES_FILE, &mut problems, &mut failure).unwrap_or_default();
        let name = |value: &Value| value.as_str().or_else(|| value.get("name")?.as_str()).map(str::to_owned);
        let categories = categories.iter().filter_map(name).collect();
        (Self { project, main_language, tags, categories, problems }, failure)
    }

    pub(crate) fn main_language(&self) -> Option<&str> {
        self.main_language.as_deref()
    }
}

fn read_json<T: for<'de> Deserialize<'de>>(
    blog: &Folder,
    name: &str,
    problems: &mut Vec<FileProblem>,
    failure: &mut Option<AppDirError>,
) -> Option<T> {
    let failed = |source| AppDirError::Io { name: name.to_owned(), source };
    let content = match failpoint("read settings").map_err(failed).and_then(|()| blog.read(name, MAX_SETTINGS_BYTES)) {
        Ok(content) => content,
        Err(AppDirError::NotFound(_)) => return None,
        Err(error) => {
            problems.push(FileProblem::hiding(name, 1, format!("the file {}", error.predicate())));
            if error.is_transient() {
                failure.get_or_insert(error);
            }
            return None;
        }
    };
    match payload::parse_stored(&content.bytes) {
        Ok(value) => Some(value),
        Err(error) => {
            let line = match &error {
                PayloadError::Malformed(error) | PayloadError::WrongType(error) => error.line().max(1),
                PayloadError::TooDeep | PayloadError::TooLarge { .. } => 1,
            };
            let line = u32::try_from(line).unwrap_or(u32::MAX);
            let reason = match error {
                PayloadError::Malformed(error) if error.is_data() => PayloadError::WrongType(error).to_string(),
                error => error.to_string(),
            };
            let reason = escape_and_truncate(&reason);
            problems.push(FileProblem::hiding(name, line, format!("{reason}: write it as the blog's program does")));
            None
        }
    }
}
