//! `draft_post`: a new post, as a draft that a person publishes or discards.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use uuid::Uuid;

use super::BlogTool;
use super::filters::{check_language, check_name, check_names};
use super::proposed::{ProposedDetails, ProposedOutput, check_body, check_text, check_title, invalid, proposed_output};
use crate::BlogState;
use crate::apps::{AppPage, AppUse};
use crate::content::post::path_id;
use crate::content::slug::{short_slug, slugify};
use crate::content::time::{date_of, format_time};
use crate::content::{BlogLayout, PostStatus};
use crate::proposals::ProposalKind;
use crate::proposals::change::{Change, FieldChange};
use crate::proposals::new::{NewProposal, ProposedPlaces};
use wardroom_service::proposal::proposal_time_ms;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments};
use wardroom_service::{ServiceError, ToolBehavior};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DraftPostArgs {
    title: String,
    /// Markdown, without front matter.
    content: String,
    excerpt: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    #[serde(default)]
    categories: Vec<String>,
    author: Option<String>,
    language: Option<String>,
}

pub(super) const TOOL: BlogTool = BlogTool {
    name: "draft_post",
    title: "Draft Post",
    description: "Writes a new post: starts a fresh blog article (entry) from a title and Markdown, as an \
                  unpublished draft, not public until a person has reviewed it.",
    input: input_schema::<DraftPostArgs>,
    output: output_schema::<ProposedOutput>,
    behavior: ToolBehavior::ADDITIVE,
    app: AppUse::Shown(AppPage::Post),
    call: |state, info, arguments| {
        let args: DraftPostArgs = parse_arguments(arguments)?;
        let title = check_title("title", &args.title)?;
        let body = check_body(&args.content)?;
        let excerpt = args.excerpt.map(|excerpt| check_text("excerpt", &excerpt)).transpose()?;
        let (tags, categories) = (check_names("tags", &args.tags)?, check_names("categories", &args.categories)?);
        let author = args.author.map(|author| check_name("author", &author)).transpose()?;
        let language = args.language.map(|language| check_language("language", &language)).transpose()?;
        let now = proposal_time_ms();
        let places = state.lock_places()?;
        let (slug, path) = free_post_place(state, &places, short_slug(&slugify(&title)), now)?;
        let is_bds = state.source.layout == BlogLayout::Bds;
        let id = if is_bds {
            Uuid::new_v4().to_string()
        } else {
            path_id(path.rsplit_once('.').map_or(&*path, |(stem, _)| stem))
        };
        let time = format_time(now);
        let main_language = state.main_language().map(str::to_owned);
        let own_language = language.clone().or(main_language);
        // As read_post_by_slug gives it. The caller has the body.
        let post = json!({
            "id": id,
            "title": title,
            "slug": slug,
            "excerpt": excerpt,
            "status": PostStatus::Draft.as_str(),
            "author": author,
            "tags": tags,
            "categories": categories,
            "language": own_language,
            "canonicalLanguage": own_language,
            "availableLanguages": own_language.iter().collect::<Vec<_>>(),
            "contentLength": body.len(),
            "created_at": time,
            "createdAt": time,
            "updatedAt": time,
            "publishedAt": null,
        });
        let mut fields = Vec::new();
        let mut add = |name: &str, value: Value| {
            if !value.is_null() {
                fields.push(FieldChange::new(name, value));
            }
        };
        if is_bds {
            add("id", id.as_str().into());
            add("title", title.as_str().into());
            add("slug", slug.as_str().into());
            add("excerpt", excerpt.into());
            add("status", "draft".into());
            add("author", author.into());
            add("language", language.into());
            add("createdAt", time.as_str().into());
            add("updatedAt", time.as_str().into());
        } else {
            add("title", title.as_str().into());
            add("date", time.as_str().into());
            add("description", excerpt.into());
            add("author", author.into());
            add("lang", language.into());
        }
        add("tags", tags.into());
        add("categories", categories.into());
        let change = Change { path, draft: None, replaces: None, base: None, fields, body: Some(body) };
        let made = state.propose(info, NewProposal { kind: ProposalKind::DraftPost, entity_id: id, title, change })?;
        proposed_output(made, ProposedDetails { post: Some(post), ..ProposedDetails::default() })
    },
};

/// Returns a slug that no post has, and the path of a file that neither exists nor is proposed.
pub(super) fn free_post_place(
    state: &BlogState,
    places: &ProposedPlaces,
    slug: &str,
    created: i64,
) -> Result<(String, String), ServiceError> {
    const MAX_NUMBER: u32 = 10_000;
    let folder = post_folder(state, created)?;
    for number in 1..=MAX_NUMBER {
        let slug = if number == 1 { slug.to_owned() } else { format!("{slug}-{number}") };
        let path = format!("{folder}{slug}.md");
        let is_taken = places.has(&path)
            || state.source.folder.stat(&path).is_ok()
            || state.read_index(|| state.stored.has_slug(&slug))?;
        if !is_taken {
            return Ok((slug, path));
        }
    }
    Err(invalid(format!("title: more than {MAX_NUMBER} posts have this slug: choose another title")))
}

/// Returns the beginning of the path of a new post: its folder, and for Jekyll its date.
pub(super) fn post_folder(state: &BlogState, created: i64) -> Result<String, ServiceError> {
    let folder = &state.source.folder;
    if state.source.layout == BlogLayout::Bds {
        let (year, month, _) = date_of(created);
        return Ok(format!("posts/{year:04}/{month:02}/"));
    }
    let exists = |path: &str| folder.open_folder(path).is_ok();
    if exists("src/content") {
        let collection = ["blog", "posts"].into_iter().find(|name| exists(&format!("src/content/{name}")));
        return Ok(format!("src/content/{}/", collection.unwrap_or("blog")));
    }
    if exists("content") {
        let section = ["posts", "post", "blog"].into_iter().find(|name| exists(&format!("content/{name}")));
        return Ok(format!("content/{}/", section.unwrap_or("posts")));
    }
    let date = format_time(created);
    Ok(format!("_posts/{}-", date.get(..10).unwrap_or_default()))
}
