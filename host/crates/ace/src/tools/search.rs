//! `ace_search`: what is known about an error, or about anything else.
//!
//! Owns: the arguments.
//! Never: changes a file.

use schemars::JsonSchema;
use serde::Deserialize;

use super::{AceTool, invalid, parse_params};
use crate::limits::{DEFAULT_SEARCH_RESULTS, MAX_SEARCH_CHARS, MAX_SEARCH_RESULTS};
use crate::search::SearchResults;
use wardroom_service::ToolBehavior;
use wardroom_service::schema::{input_schema, output_schema, serialize_output};

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchArgs {
    /// E.g. an error message.
    query: String,
    /// 1-50 (5).
    limit: Option<i64>,
}

pub(super) const TOOL: AceTool = AceTool {
    name: "ace_search",
    title: "Search Knowledge",
    description: "Looks up an error message, problem or topic in the learning log of stored lessons: have we seen or \
                  learned anything about it before, and what helped?",
    input: input_schema::<SearchArgs>,
    output: output_schema::<SearchResults>,
    behavior: ToolBehavior::READ_ONLY,
    call: |log, info, arguments| {
        let args: SearchArgs = parse_params(arguments)?;
        if args.query.trim().is_empty() {
            return Err(invalid("query is required"));
        }
        let limit = match args.limit {
            None => DEFAULT_SEARCH_RESULTS,
            Some(given) => usize::try_from(given)
                .ok()
                .filter(|limit| (1..=MAX_SEARCH_RESULTS).contains(limit))
                .ok_or_else(|| invalid(format!("limit must be between 1 and {MAX_SEARCH_RESULTS}")))?,
        };
        let end = args.query.char_indices().nth(MAX_SEARCH_CHARS).map_or(args.query.len(), |(at, _)| at);
        let query = args.query.get(..end).unwrap_or_default();
        serialize_output(&log.search(query, limit, &|| info.cancellation.is_cancelled())?)
    },
};
