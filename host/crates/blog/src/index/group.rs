//! The files of one post or media item, put together.
//!
//! Owns: which file stands for what: a draft before the published file, the first path where two files claim the same,
//! and the problems of those that get nothing.
//! Never: reads a file, or knows other groups: a slug that two posts claim is decided where both are known.

use std::collections::HashSet;
use std::iter;

use super::row::{MediaRow, MediaTranslationRow, PostRow, Row, SlugClaim, TranslationRow};
use super::schema::DocKind;
use crate::content::FileProblem;
use crate::content::layout::DRAFTS_DIR;
use crate::content::media::MediaFile;
use crate::content::post::{PostFile, PostFileRole};
use crate::content::read_file::{DocumentContent, ReadFile};
use crate::content::script::ScriptFile;
use crate::limits::{MAX_FILES_PER_POST, MAX_LISTED_PROBLEMS, MAX_POST_FILES_BYTES, MAX_POST_LINKS};

/// A document of the index before it is written.
#[derive(Debug)]
pub(crate) struct Group {
    pub(crate) key: String,
    pub(crate) row: Row,
    /// The path and the state of each file.
    pub(crate) files: Vec<(String, u64)>,
    pub(crate) problems: Vec<FileProblem>,
    pub(crate) claims: Vec<SlugClaim>,
    /// The line of the slug that it wants most.
    slug_line: u32,
    /// The texts of a document in their languages, which are searched.
    pub(crate) texts: Vec<GroupText>,
}

/// A text with the language by whose rules it is searched, if that is known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct GroupText {
    pub(crate) language: Option<String>,
    /// Title, slug, tags and categories.
    pub(crate) head: String,
    pub(crate) body: String,
}

/// Returns the key of the group that a file belongs to.
pub(crate) fn group_key(file: &ReadFile) -> String {
    match &file.content {
        Some(DocumentContent::Post(post)) => post_key(&post.post_id),
        Some(DocumentContent::Media(media)) => media_key(&media.media_id),
        Some(DocumentContent::Script(_)) => format!("script:{}", file.path),
        Some(DocumentContent::Template(_)) => format!("template:{}", file.path),
        None => format!("file:{}", file.path),
    }
}

pub(crate) fn post_key(id: &str) -> String {
    format!("post:{id}")
}

pub(crate) fn media_key(id: &str) -> String {
    format!("media:{id}")
}

impl Group {
    /// Puts the files of one key together; those in excess are left out.
    pub(crate) fn compose(
        key: &str,
        mut files: Vec<ReadFile>,
        excess: Vec<(String, u64)>,
        main_language: Option<&str>,
    ) -> Self {
        files.sort_by(|a, b| a.path.cmp(&b.path));
        let mut group = Self {
            key: key.to_owned(),
            row: Row::Hidden,
            files: files.iter().map(|file| (file.path.clone(), file.stat_hash)).collect(),
            problems: files.iter_mut().flat_map(|file| std::mem::take(&mut file.problems)).collect(),
            claims: Vec::new(),
            slug_line: 1,
            texts: Vec::new(),
        };
        for (path, _) in &excess {
            let message = format!(
                "more than {MAX_FILES_PER_POST} files or {} MiB have this id: give each post its own",
                MAX_POST_FILES_BYTES / 1024 / 1024
            );
            group.problems.push(FileProblem::hiding(path, 1, message));
        }
        group.problems.truncate(MAX_LISTED_PROBLEMS);
        group.files.extend(excess);
        let (mut posts, mut media) = (Vec::new(), Vec::new());
        for content in files.into_iter().filter_map(|file| file.content) {
            match content {
                DocumentContent::Post(post) => posts.push(*post),
                DocumentContent::Media(item) => media.push(*item),
                DocumentContent::Script(script) => group.set_script(script, Row::Script),
                DocumentContent::Template(template) => group.set_script(template, Row::Template),
            }
        }
        if !posts.is_empty() {
            group.set_post(posts, main_language);
        } else if !media.is_empty() {
            group.set_media(media);
        }
        group
    }

    pub(crate) fn kind(&self) -> DocKind {
        match self.row {
            Row::Post(ref post) if post.proposal.is_some() => DocKind::ProposedPost,
            Row::Post(_) => DocKind::Post,
            Row::Media(_) => DocKind::Media,
            Row::Script(ref script) if script.is_draft() => DocKind::ProposedScript,
            Row::Script(_) => DocKind::Script,
            Row::Template(ref script) if script.is_draft() => DocKind::ProposedTemplate,
            Row::Template(_) => DocKind::Template,
            Row::Hidden => DocKind::Hidden,
        }
    }

    /// Claims a slug that no other post wants, for a layout in which several may have the same.
    pub(crate) fn claim_long_slug(&mut self) {
        const ID_CHARS: usize = 8;
        let (Row::Post(post), Some(last)) = (&self.row, self.claims.last()) else { return };
        let id: String = post.id.chars().take(ID_CHARS).collect();
        self.claims.push(SlugClaim { slug: format!("{}-{id}", last.slug), path: last.path.clone() });
    }

    /// Gives the post one of the slugs that it claims, or leaves it out. `winner` is the file that has the one that it
    /// wanted most.
    pub(crate) fn settle_slug(&mut self, slug: Option<&str>, winner: &str) {
        let Row::Post(post) = &mut self.row else { return };
        if slug == Some(&post.slug) {
            return;
        }
        let message = format!("the slug {} is that of {winner} too: change one of them", post.slug);
        match slug {
            Some(slug) => {
                // A draft has that of its published file until then.
                if post.path.starts_with(DRAFTS_DIR) {
                    self.problems.push(FileProblem::minor(&post.path, self.slug_line, message));
                }
                slug.clone_into(&mut post.slug);
            }
            None => {
                self.problems.push(FileProblem::hiding(&post.path, self.slug_line, message));
                self.row = Row::Hidden;
                self.texts.clear();
            }
        }
    }

    fn set_script(&mut self, script: Box<ScriptFile>, row: fn(Box<ScriptFile>) -> Row) {
        let head = format!("{} {}", script.title, script.slug);
        self.texts.push(GroupText { language: None, head, body: String::new() });
        self.row = row(script);
    }

    fn set_post(&mut self, files: Vec<PostFile>, main_language: Option<&str>) {
        let (mut original, mut draft) = (None::<PostFile>, None::<PostFile>);
        let mut translations: Vec<PostFile> = Vec::new();
        for file in files {
            let place = match file.role {
                PostFileRole::Original => &mut original,
                PostFileRole::Draft => &mut draft,
                PostFileRole::Translation => {
                    translations.push(file);
                    continue;
                }
            };
            match place {
                None => *place = Some(file),
                Some(first) => {
                    let message =
                        format!("the id {} is that of {} too: give one of them a new id", file.post_id, first.path);
                    self.problems.push(FileProblem::hiding(&file.path, file.lines.id, message));
                }
            }
        }
        // In a folder of Markdown, a post may be there in several languages and in none alone.
        if original.is_none() && draft.is_none() {
            let is_main = |file: &PostFile| file.is_named_translation && file.language.as_deref() == main_language;
            let own = translations.iter().position(is_main);
            let first = own.or_else(|| translations.iter().position(|file| file.is_named_translation));
            original = first.map(|at| translations.remove(at));
        }
        // What is only proposed takes the place of nothing.
        if let Some(published) = &original
            && let Some(proposed) = draft.take_if(|draft| draft.proposal.is_some())
        {
            let message = format!(
                "{} is there by now, with the id of this proposed post: discard the proposal, or remove `proposal` from this draft if it is decided",
                published.path
            );
            self.problems.push(FileProblem::hiding(&proposed.path, proposed.lines.id, message));
        }
        let Some((shown, published)) = pick_shown(original, draft) else {
            for file in translations {
                let message =
                    format!("there is no post with the id {}: correct translationFor, or add the post", file.post_id);
                self.problems.push(FileProblem::hiding(&file.path, file.lines.translation_of, message));
            }
            return;
        };
        let mut kept: Vec<PostFile> = Vec::new();
        for file in translations {
            let language = file.language.as_deref().unwrap_or_default();
            if shown.language.as_deref().or(main_language) == Some(language) {
                let message = format!("the translation has the language of the post, {language}: correct one of them");
                self.problems.push(FileProblem::hiding(&file.path, file.lines.language, message));
            } else if let Some(first) = kept.iter().find(|other| other.language.as_deref() == Some(language)) {
                let message = format!("{} is a translation into {language} too: remove one of them", first.path);
                self.problems.push(FileProblem::hiding(&file.path, file.lines.language, message));
            } else {
                kept.push(file);
            }
        }
        kept.sort_by(|a, b| a.language.cmp(&b.language));
        let claim = |file: &PostFile| SlugClaim { slug: file.slug.clone(), path: file.path.clone() };
        // A published file has a better claim to the slug that both have.
        self.claims
            .extend(Some(claim(&shown)).filter(|own| published.as_ref().is_none_or(|file| file.slug != own.slug)));
        self.claims.extend(published.as_ref().map(claim));
        self.slug_line = shown.lines.slug;
        let (post, rest) = post_row(shown, published.as_ref(), &kept);
        self.texts.push(rest);
        self.texts.extend(kept.into_iter().map(|file| GroupText {
            language: file.language,
            head: file.title,
            body: with_excerpt(file.excerpt.as_deref(), file.text),
        }));
        self.row = Row::Post(Box::new(post));
    }

    fn set_media(&mut self, files: Vec<MediaFile>) {
        let mut item = None::<MediaFile>;
        let mut translations: Vec<MediaFile> = Vec::new();
        for file in files {
            match (&file.translation, &item) {
                (Some(language), _) => {
                    let same = translations.iter().find(|other| other.translation.as_ref() == Some(language));
                    if let Some(first) = same {
                        let message =
                            format!("{} is a translation into {language} too: remove one of them", first.path);
                        self.problems.push(FileProblem::hiding(&file.path, file.language_line, message));
                    } else {
                        translations.push(file);
                    }
                }
                (None, None) => item = Some(file),
                (None, Some(first)) => {
                    let message =
                        format!("the id {} is that of {} too: give one of them a new id", file.media_id, first.path);
                    self.problems.push(FileProblem::hiding(&file.path, file.id_line, message));
                }
            }
        }
        let Some(item) = item else {
            for file in translations {
                let message = format!("there is no media item with the id {}: correct translationFor", file.media_id);
                self.problems.push(FileProblem::hiding(&file.path, file.id_line, message));
            }
            return;
        };
        translations.sort_by(|a, b| a.translation.cmp(&b.translation));
        let text = |file: &MediaFile, language: Option<&String>| GroupText {
            language: language.cloned(),
            head: join([file.title.as_deref(), file.original_name.as_deref()].into_iter().flatten(), &file.tags),
            body: join(
                [file.alt.as_deref(), file.caption.as_deref(), file.author.as_deref()].into_iter().flatten(),
                &[],
            ),
        };
        self.texts.push(text(&item, item.language.as_ref()));
        self.texts.extend(translations.iter().map(|file| text(file, file.translation.as_ref())));
        let translations = translations.into_iter().filter_map(|file| {
            let MediaFile { translation, title, alt, caption, .. } = file;
            Some(MediaTranslationRow { language: translation?, title, alt, caption })
        });
        self.row = Row::Media(Box::new(media_row(item, translations.collect())));
    }
}

/// Returns the file that stands for the post, and the published one behind a draft.
fn pick_shown(original: Option<PostFile>, draft: Option<PostFile>) -> Option<(PostFile, Option<PostFile>)> {
    match (original, draft) {
        (original, Some(draft)) => Some((draft, original)),
        (Some(original), None) => Some((original, None)),
        (None, None) => None,
    }
}

fn post_row(shown: PostFile, published: Option<&PostFile>, translations: &[PostFile]) -> (PostRow, GroupText) {
    let links = all_links(&shown, translations);
    let translations = translations.iter().filter_map(|file| {
        Some(TranslationRow {
            id: file.own_id.clone(),
            language: file.language.clone()?,
            title: file.title.clone(),
            excerpt: file.excerpt.clone(),
            status: if file.has_own_status { file.status } else { shown.status },
            created_at: if file.has_own_dates { file.created_at } else { shown.created_at },
            updated_at: if file.has_own_dates { file.updated_at } else { shown.updated_at },
            path: file.path.clone(),
            body_start: file.body_start,
        })
    });
    let row = PostRow {
        translations: translations.collect(),
        id: shown.post_id,
        slug: shown.slug,
        excerpt: shown.excerpt,
        status: shown.status,
        author: shown.author,
        is_translatable: shown.is_translatable,
        template_slug: shown.template_slug,
        proposal: shown.proposal,
        // A draft of a published post is as old as the post.
        created_at: published.map_or(shown.created_at, |published| published.created_at),
        updated_at: shown.updated_at,
        published_at: shown.published_at.or(published.and_then(|published| published.published_at)),
        word_count: shown.word_count,
        path: shown.path,
        body_start: shown.body_start,
        links,
        title: shown.title,
        language: shown.language,
        tags: shown.tags,
        categories: shown.categories,
    };
    let names: Vec<String> = row.tags.iter().chain(&row.categories).cloned().collect();
    let text = GroupText {
        language: row.language.clone(),
        head: join([row.title.as_str(), &row.slug].into_iter(), &names),
        body: with_excerpt(row.excerpt.as_deref(), shown.text),
    };
    (row, text)
}

/// Returns the slugs that a post links to in any of its languages: those of its own text first.
fn all_links(shown: &PostFile, translations: &[PostFile]) -> Vec<String> {
    let mut known: HashSet<&str> = HashSet::from([shown.slug.as_str()]);
    let all = iter::once(shown).chain(translations).flat_map(|file| &file.links);
    all.filter(|slug| known.insert(slug)).take(MAX_POST_LINKS).cloned().collect()
}

fn media_row(item: MediaFile, translations: Vec<MediaTranslationRow>) -> MediaRow {
    MediaRow {
        id: item.media_id,
        file_path: item.file_path,
        original_name: item.original_name,
        mime_type: item.mime_type,
        size: item.size,
        width: item.width,
        height: item.height,
        title: item.title,
        alt: item.alt,
        caption: item.caption,
        author: item.author,
        language: item.language,
        tags: item.tags,
        linked_post_ids: item.linked_post_ids,
        created_at: item.created_at,
        updated_at: item.updated_at,
        translations,
    }
}

/// Joins texts by lines, so that no phrase reaches from one into the next.
fn join<'t>(parts: impl Iterator<Item = &'t str>, names: &'t [String]) -> String {
    parts.chain(names.iter().map(String::as_str)).collect::<Vec<_>>().join("\n")
}

/// An excerpt that was written by hand is searched too; one that is the beginning of the body is there already.
fn with_excerpt(excerpt: Option<&str>, body: String) -> String {
    match excerpt {
        Some(excerpt) if !body.starts_with(excerpt.trim_end_matches('…')) => format!("{excerpt}\n{body}"),
        _ => body,
    }
}
