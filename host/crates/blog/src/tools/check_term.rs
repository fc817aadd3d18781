//! `check_term`: whether a word is a category, a tag, or both.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::BlogTool;
use super::filters::{check_name, count};
use crate::apps::AppUse;
use crate::search::matching::PostFilters;
use crate::search::words::fold_name;
use wardroom_service::ToolBehavior;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct CheckTermArgs {
    /// A word, in any case.
    term: String,
}

#[derive(Serialize, JsonSchema)]
struct CheckTermOutput {
    term: String,
    /// Posts have it as a category, or it is configured as one.
    is_category: bool,
    category_post_count: usize,
    is_tag: bool,
    tag_post_count: usize,
}

pub(super) const TOOL: BlogTool = BlogTool {
    name: "check_term",
    title: "Check Term",
    description: "Says whether a term, word or label exists on the blog as a tag or category: check that before you \
                  tag or file a post, with its kind, spelling and the number of posts that have it.",
    input: input_schema::<CheckTermArgs>,
    output: output_schema::<CheckTermOutput>,
    behavior: ToolBehavior::READ_ONLY,
    app: AppUse::None,
    call: |state, _, arguments| {
        let CheckTermArgs { term } = parse_arguments(arguments)?;
        let term = check_name("term", &term)?;
        let by_category = PostFilters { category: Some(term.clone()), ..PostFilters::default() };
        let by_tag = PostFilters { tags: vec![term.clone()], ..PostFilters::default() };
        let (in_category, with_tag) = (count(state, &by_category)?, count(state, &by_tag)?);
        let folded = fold_name(&term);
        let is_configured = |name: &String| fold_name(name) == folded;
        serialize_output(&CheckTermOutput {
            is_category: in_category > 0 || state.settings.categories.iter().any(is_configured),
            category_post_count: in_category,
            is_tag: with_tag > 0 || state.settings.tags.iter().any(|tag| is_configured(&tag.name)),
            tag_post_count: with_tag,
            term,
        })
    },
};
