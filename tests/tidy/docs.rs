//! The generated pages are what the code says. `UPDATE_DOCS=1 cargo test --release generated` writes them.

use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;

use clap::CommandFactory as _;
use tokio_util::sync::CancellationToken;
use wardroom::appdir::LineIndexes;
use wardroom::cli::args::Args;
use wardroom::config::AlcConfig;
use wardroom::payload::Payload;
use wardroom::sandbox::{Image, Sandbox};
use wardroom::services::alc::{Alc, AlcFolders};
use wardroom::services::resources::Resources;
use wardroom::services::{CallContext, Catalogue, Effort, ResourceEntry, TemplateEntry};

use super::root;
use crate::support::TestDir;

fn check(page: &str, generated: &str) {
    let path = root().join("docs").join(page);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, generated).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == generated,
        "docs/{page} is not what the code says: run `UPDATE_DOCS=1 cargo test --release generated`"
    );
}

#[test]
fn the_command_line_page_is_generated() {
    let mut page = String::from(
        "# Command line\n\nGenerated from the code. Results go to standard output, failures and advice to standard error.\n\
         Exit status: 0 done, 1 failed, 2 usage.\n",
    );
    section(&mut page, &mut Args::command(), "");
    check("CLI.md", &page);
}

fn section(page: &mut String, command: &mut clap::Command, above: &str) {
    let name = format!("{above}{}", command.get_name());
    // Flags of every command are shown once, with the first.
    let shown = if above.is_empty() {
        command.clone()
    } else {
        command.clone().mut_args(|arg| {
            let global = arg.is_global_set();
            arg.hide(global)
        })
    };
    let help = shown.bin_name(&name).term_width(100).render_long_help();
    let help: String = help.to_string().lines().map(|line| format!("{}\n", line.trim_end())).collect();
    write!(page, "\n## `{name}`\n\n```text\n{}\n```\n", help.trim_end()).unwrap();
    for sub in command.get_subcommands_mut().filter(|sub| !sub.is_hide_set()) {
        section(page, sub, &format!("{name} "));
    }
}

#[test]
fn the_protocol_page_is_generated() {
    let dir = TestDir::new();
    let sandbox = Arc::new(Sandbox::new(Image::embedded()));
    let offering = |additions: AlcConfig| {
        let folders = AlcFolders { app: dir.folder(), logs: None, project: None, linked: Vec::new() };
        let alc = Alc::new(folders, Arc::clone(&sandbox), LineIndexes::new(None)).offering(additions);
        Arc::new(Catalogue::new(vec![Box::new(alc), Box::new(Resources)]))
    };
    let resources = |catalogue: &Arc<Catalogue>| {
        let cancelled = CancellationToken::new();
        let context = CallContext {
            cancelled,
            catalogue: Arc::clone(catalogue),
            effort: Effort::Light,
            client: None,
            caller: Arc::default(),
        };
        catalogue.resources(None, None, &context).unwrap().items
    };
    let catalogue = offering(AlcConfig::default());

    let mut page = String::from("# What a client sees\n\nGenerated from the code.\n\n## Resources\n\n");
    page.push_str("| URI | name | description | MIME type |\n| --- | --- | --- | --- |\n");
    let fixed = |page: &mut String, entries: &[ResourceEntry]| {
        for ResourceEntry { uri, name, description, mime_type, .. } in entries {
            writeln!(page, "| `{uri}` | {name} | {description} | `{mime_type}` |").unwrap();
        }
    };
    let templates = |page: &mut String, entries: &[TemplateEntry]| {
        for TemplateEntry { pattern, name, description, mime_type, .. } in entries {
            writeln!(page, "| `{pattern}` | {name} | {description} | `{mime_type}` |").unwrap();
        }
    };
    let (listed, patterns) = (resources(&catalogue), catalogue.templates());
    fixed(&mut page, &listed);
    page.push_str(
        "\n## Resource templates\n\n| URI template | name | description | MIME type |\n| --- | --- | --- | --- |\n",
    );
    templates(&mut page, &patterns);
    page.push_str(
        "\n## With `[alc] v2 = true`\n\nAfter those; `[alc] enumerate` adds what is stored to the first list: \
         [CONFIG.md](CONFIG.md).\n\n| URI or template | name | description | MIME type |\n| --- | --- | --- | --- |\n",
    );
    let longer = offering(AlcConfig { v2: true, ..AlcConfig::default() });
    fixed(&mut page, resources(&longer).strip_prefix(listed.as_slice()).unwrap());
    templates(&mut page, longer.templates().strip_prefix(patterns.as_slice()).unwrap());
    page.push_str("\n### Query parameters\n\nWhole numbers. A value above the cap is refused, not lowered.\n\n");
    page.push_str("| URI template | parameter | default | cap |\n| --- | --- | --- | --- |\n");
    let scheme = &wardroom_rules::alc::SCHEME;
    for template in scheme.templates {
        for param in template.params {
            let pattern = template.pattern(scheme);
            writeln!(page, "| `{pattern}` | `{}` | {} | {} |", param.name, param.default, param.cap).unwrap();
        }
    }
    page.push_str("\n## Tools\n");
    for tool in catalogue.tools() {
        write!(page, "\n### `{}`\n\n{}\n\nArguments:\n\n", tool.name, tool.description).unwrap();
        write!(page, "```json\n{}\n```\n\nAnswer:\n\n```json\n{}\n```\n", pretty(tool.input), pretty(tool.output))
            .unwrap();
    }
    check("MCP.md", &page);
}

fn pretty(schema: Payload) -> String {
    serde_json::to_string_pretty(&schema.into_value()).unwrap()
}
