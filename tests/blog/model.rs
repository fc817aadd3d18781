//! A blog as a naive pass over its files sees it: what is visible, and with which fields.

use std::collections::{BTreeMap, BTreeSet};

use super::test_blog::{TestBlog, id};

/// What a file of a post says.
#[derive(Debug, Clone)]
pub(crate) struct ModelFile {
    pub(crate) slug: String,
    pub(crate) year: u32,
    pub(crate) month: u32,
    pub(crate) status: &'static str,
    pub(crate) tags: BTreeSet<u8>,
    pub(crate) categories: BTreeSet<u8>,
    pub(crate) language: Option<&'static str>,
    /// The slug of the post that it links to.
    pub(crate) link: String,
    /// A word that no other file has.
    pub(crate) word: String,
}

/// The files of a post.
#[derive(Debug, Clone, Default)]
pub(crate) struct ModelPost {
    /// The folder, and the published file in it.
    pub(crate) published: Option<(String, ModelFile)>,
    pub(crate) draft: Option<ModelFile>,
    /// By language.
    pub(crate) translations: BTreeMap<&'static str, ModelTranslation>,
}

/// A translation of a post.
#[derive(Debug, Clone)]
pub(crate) struct ModelTranslation {
    pub(crate) folder: String,
    /// A word that no other file has.
    pub(crate) word: String,
    /// The slug of the post that it links to.
    pub(crate) link: String,
}

/// A post as answers show it.
#[derive(Debug)]
pub(crate) struct ShownPost<'m> {
    pub(crate) file: &'m ModelFile,
    pub(crate) status: &'static str,
    pub(crate) year: u32,
    pub(crate) month: u32,
    pub(crate) languages: BTreeSet<&'static str>,
    /// The slugs that it links to in any language, without its own.
    pub(crate) links: BTreeSet<&'m str>,
}

#[derive(Debug, Default)]
pub(crate) struct Model(pub(crate) BTreeMap<u32, ModelPost>);

pub(crate) fn file_name(n: u32) -> String {
    format!("p{n:02}")
}

impl ModelFile {
    fn text(&self, n: u32) -> String {
        let names = |names: &BTreeSet<u8>, start: &str| {
            names.iter().map(|name| format!("{start}{name}")).collect::<Vec<_>>().join(", ")
        };
        let Self { slug, year, month, status, word, link, .. } = self;
        let language = self.language.map(|language| format!("language: {language}\n")).unwrap_or_default();
        format!(
            "---\nid: {}\ntitle: {word}\nslug: {slug}\nstatus: {status}\n{language}\
             createdAt: '{year}-{month:02}-01T00:00:00.000Z'\ntags: [{}]\ncategories: [{}]\n---\nIt is {word}. [A \
             link](/posts/{link})\n",
            id(n),
            names(&self.tags, "t"),
            names(&self.categories, "c"),
        )
    }
}

impl ModelPost {
    /// Returns the draft, or else the published file.
    fn shown(&self) -> Option<&ModelFile> {
        self.draft.as_ref().or(self.published.as_ref().map(|(_, file)| file))
    }

    /// Returns the place of the post among those that claim its slug: a published file before drafts, then by the path.
    fn rank(&self, n: u32) -> (bool, String) {
        let folder = self.published.as_ref().map(|(folder, _)| folder.as_str()).unwrap_or_default();
        (self.published.is_none(), format!("{folder}/{}", file_name(n)))
    }
}

impl Model {
    /// Returns the posts that are shown, by their numbers.
    pub(crate) fn shown(&self) -> BTreeMap<u32, ShownPost<'_>> {
        let mut owners: BTreeMap<&str, u32> = BTreeMap::new();
        for (n, post) in &self.0 {
            let Some(file) = post.shown() else { continue };
            let owner = owners.entry(&file.slug).or_insert(*n);
            if post.rank(*n) < self.0[owner].rank(*owner) {
                *owner = *n;
            }
        }
        let shown = owners.into_values().map(|n| {
            let post = &self.0[&n];
            let file = post.shown().unwrap();
            let dated = post.published.as_ref().map_or(file, |(_, published)| published);
            let own = file.language.unwrap_or("en");
            let status = if post.draft.is_some() { "draft" } else { file.status };
            let languages = post.translations.keys().copied().chain([own]).collect();
            let translated = post.translations.iter().filter(|(language, _)| **language != own);
            let links = translated.map(|(_, translation)| translation.link.as_str()).chain([file.link.as_str()]);
            let links = links.filter(|slug| *slug != file.slug).collect();
            (n, ShownPost { file, status, year: dated.year, month: dated.month, languages, links })
        });
        shown.collect()
    }

    /// Returns the files that are left out, in the order of their paths.
    pub(crate) fn hidden_files(&self) -> BTreeSet<String> {
        let shown = self.shown();
        let mut hidden = BTreeSet::new();
        for (n, post) in &self.0 {
            let own = post.shown().map(|file| file.language.unwrap_or("en"));
            for (language, ModelTranslation { folder, .. }) in &post.translations {
                if own.is_none() || own == Some(language) {
                    hidden.insert(format!("{folder}/{}.{language}.md", file_name(*n)));
                }
            }
            if own.is_some() && !shown.contains_key(n) {
                hidden.insert(match (&post.draft, &post.published) {
                    (Some(_), _) => draft_path(*n),
                    (None, Some((folder, _))) => format!("{folder}/{}.md", file_name(*n)),
                    (None, None) => continue,
                });
            }
        }
        hidden
    }
}

fn draft_path(n: u32) -> String {
    format!(".wardroom/drafts/{}.md", id(n))
}

/// Changes of the files, and of the model with them.
impl Model {
    pub(crate) fn publish(&mut self, blog: &TestBlog, n: u32, folder: &str, file: ModelFile) {
        let path = format!("{folder}/{}.md", file_name(n));
        let text = file.text(n);
        let post = self.0.entry(n).or_default();
        if let Some((before, _)) =
            post.published.replace((folder.to_owned(), file)).filter(|(before, _)| before != folder)
        {
            blog.remove(&format!("{before}/{}.md", file_name(n)));
        }
        blog.write(&path, text);
    }

    pub(crate) fn unpublish(&mut self, blog: &TestBlog, n: u32) {
        if let Some((folder, _)) = self.0.entry(n).or_default().published.take() {
            blog.remove(&format!("{folder}/{}.md", file_name(n)));
        }
    }

    /// Moves the published file, whose content and time stay.
    pub(crate) fn rename(&mut self, blog: &TestBlog, n: u32, folder: &str) {
        let Some((before, _)) = &mut self.0.entry(n).or_default().published else { return };
        std::fs::create_dir_all(blog.path().join(folder)).unwrap();
        let path = |folder: &str| blog.path().join(format!("{folder}/{}.md", file_name(n)));
        std::fs::rename(path(before), path(folder)).unwrap();
        folder.clone_into(before);
    }

    pub(crate) fn draft(&mut self, blog: &TestBlog, n: u32, file: ModelFile) {
        blog.write(&draft_path(n), file.text(n));
        self.0.entry(n).or_default().draft = Some(file);
    }

    pub(crate) fn discard(&mut self, blog: &TestBlog, n: u32) {
        if self.0.entry(n).or_default().draft.take().is_some() {
            blog.remove(&draft_path(n));
        }
    }

    /// Writes a translation, where the one before was.
    pub(crate) fn translate(&mut self, blog: &TestBlog, n: u32, language: &'static str, new: ModelTranslation) {
        let translations = &mut self.0.entry(n).or_default().translations;
        let folder = translations.get(language).map_or(new.folder, |known| known.folder.clone());
        let ModelTranslation { word, link, .. } = new;
        let text = format!(
            "---\ntranslationFor: {}\nlanguage: {language}\ntitle: {word}\n---\nIt is {word}. [A link](/{link})\n",
            id(n)
        );
        blog.write(&format!("{folder}/{}.{language}.md", file_name(n)), text);
        translations.insert(language, ModelTranslation { folder, word, link });
    }

    pub(crate) fn remove_translation(&mut self, blog: &TestBlog, n: u32, language: &'static str) {
        if let Some(ModelTranslation { folder, .. }) = self.0.entry(n).or_default().translations.remove(language) {
            blog.remove(&format!("{folder}/{}.{language}.md", file_name(n)));
        }
    }
}
