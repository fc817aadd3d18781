//! `propose_script` and `propose_template`: new ones, checked before they are proposed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use uuid::Uuid;

use super::BlogTool;
use super::filters::check_name;
use super::proposed::{ProposedDetails, ProposedOutput, check_body, check_title, invalid, proposed_output};
use crate::BlogState;
use crate::apps::{AppPage, AppUse};
use crate::content::BlogLayout;
use crate::content::slug::{short_slug, slugify};
use crate::content::time::format_time;
use crate::error_code as code;
use crate::index::schema::DocKind;
use crate::proposals::ProposalKind;
use crate::proposals::change::{Change, FieldChange};
use crate::proposals::new::{NewProposal, ProposedPlaces};
use crate::proposals::source_check::find_mistakes;
use wardroom_base::payload::Payload;
use wardroom_service::proposal::proposal_time_ms;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments};
use wardroom_service::{RequestInfo, ServiceError, ToolBehavior};

#[derive(Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ScriptKind {
    Macro,
    Utility,
    Transform,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ProposeScriptArgs {
    title: String,
    kind: ScriptKind,
    /// Lua, without front matter.
    content: String,
    entrypoint: Option<String>,
}

#[derive(Clone, Copy, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum TemplateKind {
    Post,
    List,
    #[serde(alias = "not_found")]
    NotFound,
    Partial,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct ProposeTemplateArgs {
    title: String,
    kind: TemplateKind,
    /// Liquid, without front matter.
    content: String,
}

pub(super) const SCRIPT_TOOL: BlogTool = BlogTool {
    name: "propose_script",
    title: "Propose Script",
    description: "Puts forward a Lua script: code, macro or automation for the blog, for a human to check. Syntax \
                  errors are refused with line and column.",
    input: input_schema::<ProposeScriptArgs>,
    output: output_schema::<ProposedOutput>,
    behavior: ToolBehavior::ADDITIVE,
    app: AppUse::Shown(AppPage::Script),
    call: |state, info, arguments| {
        let args: ProposeScriptArgs = parse_arguments(arguments)?;
        let default_entry = if matches!(args.kind, ScriptKind::Macro) { "render" } else { "main" };
        let entrypoint = args.entrypoint.unwrap_or_else(|| default_entry.to_owned());
        let new = NewScript {
            is_template: false,
            title: check_title("title", &args.title)?,
            kind: kind_name(args.kind)?,
            entrypoint: Some(check_name("entrypoint", &entrypoint)?),
            source: check_body(&args.content)?,
        };
        propose_source(state, info, new)
    },
};

pub(super) const TEMPLATE_TOOL: BlogTool = BlogTool {
    name: "propose_template",
    title: "Propose Template",
    description: "Suggests a Liquid template: a page layout, HTML, theme, header or footer used for the blog, new or \
                  changed. Errors are refused with line and column.",
    input: input_schema::<ProposeTemplateArgs>,
    output: output_schema::<ProposedOutput>,
    behavior: ToolBehavior::ADDITIVE,
    app: AppUse::Shown(AppPage::Template),
    call: |state, info, arguments| {
        let args: ProposeTemplateArgs = parse_arguments(arguments)?;
        let new = NewScript {
            is_template: true,
            title: check_title("title", &args.title)?,
            kind: kind_name(args.kind)?,
            entrypoint: None,
            source: check_body(&args.content)?,
        };
        propose_source(state, info, new)
    },
};

struct NewScript {
    is_template: bool,
    title: String,
    kind: String,
    entrypoint: Option<String>,
    source: String,
}

fn kind_name(kind: impl Serialize) -> Result<String, ServiceError> {
    let value = serde_json::to_value(kind).map_err(|error| ServiceError::internal("cannot encode the kind", error))?;
    Ok(value.as_str().unwrap_or_default().to_owned())
}

fn propose_source(state: &BlogState, info: &RequestInfo, new: NewScript) -> Result<Payload, ServiceError> {
    if state.source.layout == BlogLayout::Markdown {
        return Err(invalid("a folder of Markdown files has no scripts and templates".to_owned()));
    }
    let (folder, extension, kind) = if new.is_template {
        ("templates", "liquid", ProposalKind::ProposeTemplate)
    } else {
        ("scripts", "lua", ProposalKind::ProposeScript)
    };
    match find_mistakes(&state.source, kind, &new.source) {
        Ok(None) => {}
        Ok(Some(mistakes)) => {
            let message = format!("nothing was proposed, since it has mistakes:\n{mistakes}");
            return Err(ServiceError::tool(code::INVALID_SOURCE, message));
        }
        Err(error) => return Err(ServiceError::internal("the source cannot be checked in the sandbox now", error)),
    }
    let (id, time) = (Uuid::new_v4().to_string(), format_time(proposal_time_ms()));
    let places = state.lock_places()?;
    let slug = free_slug(state, &places, (folder, extension), new.is_template, short_slug(&slugify(&new.title)))?;
    let mut fields = vec![
        FieldChange::new("id", id.as_str()),
        FieldChange::new("slug", slug.as_str()),
        FieldChange::new("title", new.title.as_str()),
        FieldChange::new("kind", new.kind.as_str()),
    ];
    fields.extend(new.entrypoint.as_deref().map(|entry| FieldChange::new("entrypoint", entry)));
    fields.extend([
        FieldChange::new("enabled", true),
        FieldChange::new("version", 1),
        FieldChange::new("createdAt", time.as_str()),
        FieldChange::new("updatedAt", time.as_str()),
    ]);
    let preview = json!({
        "title": new.title,
        "slug": slug,
        "kind": new.kind,
        "entrypoint": new.entrypoint,
        "contentLength": new.source.len(),
        "syntaxValid": true,
        "syntaxErrors": [],
    });
    let path = format!("{folder}/{slug}.{extension}");
    let change = Change { path, draft: None, replaces: None, base: None, fields, body: Some(new.source) };
    let made = state.propose(info, NewProposal { kind, entity_id: id, title: new.title, change })?;
    proposed_output(made, ProposedDetails { preview: Some(preview), ..ProposedDetails::default() })
}

/// Returns a slug that no script or template has, proposed or not.
fn free_slug(
    state: &BlogState,
    places: &ProposedPlaces,
    (folder, extension): (&str, &str),
    is_template: bool,
    slug: &str,
) -> Result<String, ServiceError> {
    const MAX_NUMBER: u32 = 1_000;
    let known = state.all_scripts(if is_template { DocKind::Template } else { DocKind::Script })?;
    for number in 1..=MAX_NUMBER {
        let slug = if number == 1 { slug.to_owned() } else { format!("{slug}-{number}") };
        let path = format!("{folder}/{slug}.{extension}");
        let is_free = !places.has(&path) && state.source.folder.stat(&path).is_err();
        if is_free && !known.iter().any(|script| script.is_named(&slug)) {
            return Ok(slug);
        }
    }
    Err(invalid(format!("title: more than {MAX_NUMBER} have this name: choose another title")))
}
