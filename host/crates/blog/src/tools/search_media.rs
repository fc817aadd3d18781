//! `search_media`: pictures and other files by words, tags, and what they lack.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tantivy::query::{BooleanQuery, Occur, Query};

use super::BlogTool;
use super::filters::{check_names, check_page, query_hint};
use crate::apps::AppUse;
use crate::index::row::Row;
use crate::index::schema::{DocKind, NO_ALT, NO_CAPTION, NO_TITLE};
use crate::search::matching::{PostFilters, filter_query, search_query, with_term};
use crate::search::query::{Exactness, parse_query};
use crate::view::MediaItem;
use wardroom_service::ToolBehavior;
use wardroom_service::schema::{input_schema, output_schema, parse_arguments, serialize_output};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum MissingText {
    Title,
    Alt,
    Caption,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct SearchMediaArgs {
    /// As in search_posts.
    query: Option<String>,
    #[serde(default)]
    tags: Vec<String>,
    /// Items without this text.
    missing: Option<MissingText>,
    offset: Option<i64>,
    /// 1-50.
    limit: Option<i64>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct SearchMediaOutput {
    total: usize,
    offset: usize,
    limit: usize,
    has_more: bool,
    media: Vec<MediaItem>,
    hints: Vec<String>,
}

pub(super) const TOOL: BlogTool = BlogTool {
    name: "search_media",
    title: "Search Media",
    description: "Finds images in the media library: looks for an uploaded photo, picture, diagram, PNG or other file \
                  of the blog by words or tags, or those that lack a title, alt text or caption.",
    input: input_schema::<SearchMediaArgs>,
    output: output_schema::<SearchMediaOutput>,
    behavior: ToolBehavior::READ_ONLY,
    app: AppUse::None,
    call: |state, _, arguments| {
        let args: SearchMediaArgs = parse_arguments(arguments)?;
        let (offset, limit) = check_page(args.offset, args.limit)?;
        let filters = PostFilters { tags: check_names("tags", &args.tags)?, ..PostFilters::default() };
        let fields = &state.stored.fields;
        let query = args.query.filter(|query| !query.trim().is_empty()).map(|query| parse_query(&query));
        let mut hints = state.notes.clone();
        hints.extend(query.as_ref().and_then(query_hint));
        let parts = query.unwrap_or_default().parts;
        let flag = args.missing.map(|missing| match missing {
            MissingText::Title => NO_TITLE,
            MissingText::Alt => NO_ALT,
            MissingText::Caption => NO_CAPTION,
        });
        let with_flag = |query: Box<dyn Query>| -> Box<dyn Query> {
            let Some(flag) = flag else { return query };
            Box::new(BooleanQuery::new(vec![(Occur::Must, query), (Occur::Must, with_term(fields.flag, flag))]))
        };
        let (rows, total) = if parts.is_empty() {
            let query = with_flag(filter_query(fields, DocKind::Media, &filters));
            let (rows, total) = state.read_index(|| state.stored.newest(&*query, offset, limit))?;
            (rows.into_iter().map(|stored| stored.row).collect::<Vec<_>>(), total)
        } else {
            let languages = state.query_languages(None)?;
            let query = search_query(fields, DocKind::Media, &parts, &filters, &languages, Exactness::Exact);
            let query = with_flag(query);
            let (rows, total) = state.read_index(|| state.stored.best(&*query, offset, limit))?;
            (rows.into_iter().map(|(_, stored)| stored.row).collect(), total)
        };
        let media: Vec<MediaItem> = rows
            .into_iter()
            .filter_map(|row| match row {
                Row::Media(media) => Some(MediaItem::new(*media)),
                _ => None,
            })
            .collect();
        serialize_output(&SearchMediaOutput {
            total,
            offset,
            limit,
            has_more: offset.saturating_add(media.len()) < total,
            media,
            hints,
        })
    },
};
