//! The names under which `alc` resources are listed: the founding document's, in its order.

use wardroom_rules::alc::SCHEME;

use super::ids::TypesFile;
use crate::services::{TemplateEntry, mime};

/// Title and description of a fixed resource.
pub(super) const fn of_types(file: TypesFile) -> (&'static str, &'static str) {
    match file {
        TypesFile::Alc => ("Type stubs: alc", "Lua type stubs for `alc.*` StdLib"),
        TypesFile::Shapes => ("Type stubs: alc_shapes", "Lua type stubs for alc_shapes DSL"),
    }
}

/// One row a template, in the order of the scheme's table.
const TEMPLATES: [(&str, &str, &str, &str); 7] = [
    ("package-init-lua", "Package source", "Package init.lua source", mime::LUA),
    ("package-meta", "Package metadata", "Package metadata (M.meta table)", mime::JSON),
    ("card", "Card", "Full Card JSON", mime::JSON),
    ("card-samples", "Card samples", "Card samples JSONL", mime::JSON),
    ("scenario", "Scenario", "Scenario source", mime::LUA),
    ("eval-result", "Eval result", "Eval result JSON", mime::JSON),
    ("session-log", "Session log", "Session log JSON", mime::JSON),
];

pub(super) fn templates() -> Vec<TemplateEntry> {
    let rows = SCHEME.templates.iter().zip(TEMPLATES);
    rows.map(|(template, (name, title, description, mime_type))| TemplateEntry {
        pattern: template.pattern(&SCHEME),
        name,
        title,
        description,
        mime_type,
    })
    .collect()
}
