//! The names, titles and descriptions of `alc` resources: the specification's in its order, then the additions.

use wardroom_rules::alc::ALC_SCHEME;

use super::alc_uri::TypesFile;
use wardroom_base::uri::{IdKind, Scheme};
use wardroom_service::{EntryExtras, ResourceEntry, TemplateEntry, mime};

/// Returns the title and the description of a fixed resource.
pub(super) const fn describe_types_file(file: TypesFile) -> (&'static str, &'static str) {
    match file {
        TypesFile::Alc => ("Type stubs: alc", "Lua type stubs for `alc.*` StdLib"),
        TypesFile::Shapes => ("Type stubs: alc_shapes", "Lua type stubs for alc_shapes DSL"),
    }
}

/// One row per template, in the order of the scheme's longer table.
const TEMPLATES: [(&str, &str, &str, &str); 8] = [
    ("package-init-lua", "Package source", "Package init.lua source", mime::LUA),
    ("package-meta", "Package metadata", "Package metadata (M.meta table)", mime::JSON),
    ("card", "Card", "Full Card JSON", mime::JSON),
    ("card-samples", "Card samples", "Card samples JSONL", mime::JSON),
    ("scenario", "Scenario", "Scenario source", mime::LUA),
    ("eval-result", "Eval result", "Eval result JSON", mime::JSON),
    ("session-log", "Session log", "Session log JSON", mime::JSON),
    ("package-narrative", "Package narrative", "Package narrative (narrative.md)", mime::MARKDOWN),
];

pub(super) fn template_entries(scheme: &Scheme) -> Vec<TemplateEntry> {
    let rows = scheme.templates.iter().zip(TEMPLATES);
    rows.map(|(template, (name, title, description, mime_type))| TemplateEntry {
        pattern: template.pattern(scheme),
        name: name.into(),
        title: Some(title.into()),
        description: description.into(),
        mime_type: mime_type.into(),
        extra: EntryExtras::default(),
    })
    .collect()
}

pub(super) fn hub_index_entry(scheme: &Scheme) -> ResourceEntry {
    ResourceEntry {
        uri: format!("{}://hub/index", scheme.name),
        name: "hub-index".into(),
        title: Some("Hub index".into()),
        description: "Packages of every cached hub index, as one (hub_index/v0)".into(),
        mime_type: mime::JSON.into(),
        size: None,
        modified: None,
        extra: EntryExtras::default(),
    }
}

/// Returns the entry of one document, named after its id, by the template for that kind of id with `tail`.
pub(super) fn member_entry(kind: IdKind, tail: Option<&str>, id: &str) -> Option<ResourceEntry> {
    let mut rows = ALC_SCHEME.templates.iter().zip(TEMPLATES);
    let (template, (.., description, mime_type)) = rows.find(|(row, _)| row.kind == kind && row.tail == tail)?;
    Some(ResourceEntry {
        uri: template.uri(&ALC_SCHEME, id),
        name: id.to_owned().into(),
        title: Some(id.to_owned().into()),
        description: description.into(),
        mime_type: mime_type.into(),
        size: None,
        modified: None,
        extra: EntryExtras::default(),
    })
}
