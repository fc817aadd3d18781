//! `propose_post_edit` and `propose_post_translation`: the body of a post, or of one of its translations.

use schemars::JsonSchema;
use serde::Deserialize;
use uuid::Uuid;

use super::BlogTool;
use super::filters::check_language;
use super::propose_metadata::{date_field, excerpt_field, existing_text, published_path};
use super::proposed::{ProposedDetails, ProposedOutput, check_body, check_text, check_title, invalid, proposed_output};
use crate::BlogState;
use crate::apps::{AppPage, AppUse};
use crate::content::language::is_language;
use crate::content::layout::DRAFTS_DIR;
use crate::content::site::SiteProgram;
use crate::content::time::format_time;
use crate::content::{BlogLayout, PostStatus};
use crate::error_code as code;
use crate::index::row::PostRow;
use crate::limits::{MAX_BLOG_DOCUMENT_BYTES, MAX_EDITS};
use crate::proposals::ProposalKind;
use crate::proposals::change::{Change, FieldChange};
use crate::proposals::diff::{apply_diff, with_line_ends_of};
use crate::proposals::new::{NewProposal, service_error};
use crate::proposals::plan::read_text;
use wardroom_service::proposal::proposal_time_ms;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments};
use wardroom_service::{ServiceError, ToolBehavior, escape_and_truncate};

/// A text of the body that is replaced.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Replacement {
    /// Stands once in the body.
    find: String,
    replace: String,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PostEditArgs {
    /// Or the slug.
    #[serde(alias = "post_id", alias = "slug")]
    post_id: String,
    /// Of a translation.
    language: Option<String>,
    /// The whole body, or else edits, or else diff.
    content: Option<String>,
    edits: Option<Vec<Replacement>>,
    /// Unified, of the body.
    diff: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, rename_all = "camelCase")]
struct PostTranslationArgs {
    /// Or the slug.
    #[serde(alias = "post_id", alias = "slug")]
    post_id: String,
    language: String,
    title: String,
    /// Markdown, without front matter.
    content: String,
    excerpt: Option<String>,
}

pub(super) const EDIT_TOOL: BlogTool = BlogTool {
    name: "propose_post_edit",
    title: "Propose Post Edit",
    description: "Suggests a correction or revised text for the body of an existing post (article): fix a typo, update \
                  a paragraph that is out of date, rewrite, as replacements, a diff or a whole body.",
    input: input_schema::<PostEditArgs>,
    output: output_schema::<ProposedOutput>,
    behavior: ToolBehavior::ADDITIVE,
    app: AppUse::Shown(AppPage::Post),
    call: |state, info, arguments| {
        let args: PostEditArgs = parse_arguments(arguments)?;
        let post = state.settled_post(&args.post_id)?;
        let path = state.version_path(&post, args.language.as_deref())?;
        let base = existing_text(state, &path)?;
        let body = state.source.split_body(&path, &base).map_err(service_error)?.1;
        let body = edited_body(body, args.content, args.edits, args.diff)?;
        let change =
            Change { path, draft: None, replaces: None, base: Some(base), fields: Vec::new(), body: Some(body) };
        let made = state.propose(
            info,
            NewProposal { kind: ProposalKind::ProposePostEdit, entity_id: post.id, title: post.title, change },
        )?;
        proposed_output(made, ProposedDetails { shows_diff: true, ..ProposedDetails::default() })
    },
};

pub(super) const TRANSLATION_TOOL: BlogTool = BlogTool {
    name: "propose_post_translation",
    title: "Propose Post Translation",
    description: "Offers a translation of a post (article): your translated text in another language, such as a \
                  French, Spanish or Japanese version, for a person to review.",
    input: input_schema::<PostTranslationArgs>,
    output: output_schema::<ProposedOutput>,
    behavior: ToolBehavior::ADDITIVE,
    app: AppUse::Shown(AppPage::Post),
    call: |state, info, arguments| {
        let args: PostTranslationArgs = parse_arguments(arguments)?;
        let post = state.settled_post(&args.post_id)?;
        let language = check_language("language", &args.language)?;
        let title = check_title("title", &args.title)?;
        let body = check_body(&args.content)?;
        let excerpt = args.excerpt.map(|excerpt| check_text("excerpt", &excerpt)).transpose()?;
        if post.language.as_deref().or(state.main_language()) == Some(&*language) {
            return Err(invalid(format!("language: the post itself is in {language}: propose_post_edit changes it")));
        }
        if !post.is_translatable {
            return Err(invalid("the post says that it is not to be translated".to_owned()));
        }
        let (path, base) = translation_file(state, &post, &language)?;
        let mut fields = Vec::new();
        if base.is_none() {
            fields.extend(new_translation_fields(state, &post, &language)?);
        }
        fields.push(FieldChange::new("title", title.as_str()));
        if let Some(excerpt) = excerpt {
            // A new translation names it as its post does.
            let named_in = if base.is_some() { &path } else { &post.path };
            fields.push(FieldChange::new(excerpt_field(state, named_in)?, excerpt));
        }
        let change = Change { path, draft: None, replaces: None, base, fields, body: Some(body) };
        let made = state.propose(
            info,
            NewProposal {
                kind: ProposalKind::ProposePostTranslation,
                entity_id: post.id,
                title: format!("{} ({language})", post.title),
                change,
            },
        )?;
        proposed_output(made, ProposedDetails { shows_diff: true, ..ProposedDetails::default() })
    },
};

/// Returns the file of a translation, and its text if it is there.
fn translation_file(
    state: &BlogState,
    post: &PostRow,
    language: &str,
) -> Result<(String, Option<String>), ServiceError> {
    if let Some(known) = post.translations.iter().find(|other| other.language == language) {
        return Ok((known.path.clone(), Some(existing_text(state, &known.path)?)));
    }
    let own = published_path(state, post)?;
    if post.path.starts_with(DRAFTS_DIR) && read_text(&state.source, &own).map_err(service_error)?.is_none() {
        return Err(invalid("the post is a draft that was never published: publish it first".to_owned()));
    }
    let (stem, extension) = own.rsplit_once('.').unwrap_or((&own, "md"));
    let path = format!("{stem}.{language}.{extension}");
    if state.source.layout == BlogLayout::Markdown {
        let is_recognized = match SiteProgram::of_file(&path) {
            Some(program) => program.read_name(&path).language.as_deref() == Some(language),
            None => is_language(language),
        };
        if !is_recognized {
            let message = format!("language: {path} would be a post of its own, by its name: draft_post makes one");
            return Err(invalid(message));
        }
    }
    match read_text(&state.source, &path).map_err(service_error)? {
        None => Ok((path, None)),
        Some(_) => {
            let message = format!("{path} is there and is no translation of this post: `wardroom blog check` says why");
            Err(ServiceError::tool(code::CONFLICT, message))
        }
    }
}

fn new_translation_fields(state: &BlogState, post: &PostRow, language: &str) -> Result<Vec<FieldChange>, ServiceError> {
    if state.source.layout == BlogLayout::Markdown {
        let mut fields = vec![FieldChange::new(&date_field(state, &post.path)?, format_time(post.created_at))];
        // What is not public is not public in another language.
        if post.status == PostStatus::Draft {
            fields.push(FieldChange::new("draft", true));
        }
        return Ok(fields);
    }
    let time = format_time(proposal_time_ms());
    let mut fields = vec![
        FieldChange::new("id", Uuid::new_v4().to_string()),
        FieldChange::new("translationFor", post.id.as_str()),
        FieldChange::new("language", language),
        FieldChange::new("status", post.status.as_str()),
        FieldChange::new("createdAt", time.as_str()),
        FieldChange::new("updatedAt", time.as_str()),
    ];
    if post.status == PostStatus::Published {
        fields.push(FieldChange::new("publishedAt", time));
    }
    Ok(fields)
}

/// Returns the body that one of the three arguments makes.
fn edited_body(
    body: &str,
    content: Option<String>,
    edits: Option<Vec<Replacement>>,
    diff: Option<String>,
) -> Result<String, ServiceError> {
    // Agents write line feeds, and each line of the file keeps its line end.
    let plain = body.replace("\r\n", "\n");
    let edited = match (content, edits, diff) {
        (Some(content), None, None) => check_body(&content)?,
        (None, Some(edits), None) => apply_edits(plain, &edits)?,
        (None, None, Some(diff)) => {
            let diff = diff.replace("\r\n", "\n");
            if has_control_chars(&diff) {
                return Err(invalid("diff: expected no control characters".to_owned()));
            }
            apply_diff(&plain, &diff).map_err(|error| invalid(format!("diff: {error}")))?
        }
        _ => return Err(invalid("give one of content, edits, diff".to_owned())),
    };
    Ok(with_line_ends_of(body, edited))
}

fn apply_edits(mut body: String, edits: &[Replacement]) -> Result<String, ServiceError> {
    if edits.len() > MAX_EDITS {
        return Err(invalid(format!("edits: expected at most {MAX_EDITS}")));
    }
    for (number, edit) in edits.iter().enumerate() {
        let (find, replace) = (edit.find.replace("\r\n", "\n"), edit.replace.replace("\r\n", "\n"));
        if has_control_chars(&replace) {
            return Err(invalid("edits: expected no control characters".to_owned()));
        }
        body = replace_once(&body, &find, &replace)
            .map_err(|reason| invalid(format!("edits[{number}]: '{}' {reason}", escape_and_truncate(&edit.find))))?;
        if body.len() as u64 > MAX_BLOG_DOCUMENT_BYTES {
            return Err(invalid("edits: the body would be larger than 1 MiB".to_owned()));
        }
    }
    Ok(body)
}

fn has_control_chars(text: &str) -> bool {
    text.chars().any(|c| c.is_control() && !matches!(c, '\n' | '\t'))
}

fn replace_once(body: &str, find: &str, replace: &str) -> Result<String, &'static str> {
    let Some(first) = find.chars().next() else { return Err("is empty: quote a part of the body") };
    let Some(at) = body.find(find) else { return Err("is not in the body: quote it to the letter") };
    // One that overlaps the first is another one.
    if body.get(at + first.len_utf8()..).is_some_and(|rest| rest.contains(find)) {
        return Err("stands in the body more than once: quote more of it");
    }
    Ok(body.replacen(find, replace, 1))
}
