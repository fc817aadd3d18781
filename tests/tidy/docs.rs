//! The generated pages are what the code says. `UPDATE_DOCS=1 cargo test --release --locked -p wardroom-test-tidy` writes them.

use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;

use clap::CommandFactory as _;
use wardroom::cli::args::Args;
use wardroom_ace::{Ace, AceInputs, AceOptions, LearningPlaces};
use wardroom_agent_tools::AgentsService;
use wardroom_alc::{Alc, AlcFolders, AlcOptions};
use wardroom_appdir::{CacheDir, LineIndexCache};
use wardroom_blog::{Blog, BlogDefaults, BlogInputs, BlogLayout, BlogWatch, ProposalOptions};
use wardroom_config::AlcConfig;
use wardroom_config::DocsListing;
use wardroom_docs::DocsService;
use wardroom_resource_tools::ResourcesService;
use wardroom_sandbox::{DocumentSandbox, GuestImage, Sandbox};
use wardroom_service::audit::AuditTrail;
use wardroom_service::{Catalogue, RequestInfo, ResourceEntry, SharedSchema, TemplateEntry, ToolEntry};

use super::{parameters, root};
use wardroom_test_support::TestDir;
use wardroom_tool_search::ToolSearchService;

pub(super) fn check(page: &str, generated: &str) {
    let path = root().join("docs").join(page);
    if std::env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&path, generated).unwrap();
    }
    let kept = fs::read_to_string(&path).unwrap_or_default();
    assert!(
        kept == generated,
        "docs/{page} is not what the code says: run `UPDATE_DOCS=1 cargo test --release --locked -p wardroom-test-tidy`"
    );
}

#[test]
fn the_command_line_page_is_generated() {
    let mut page = String::from(
        "# Command line\n\nGenerated from the code. Results go to standard output, failures and advice to standard error.\n\
         Exit status: 0 done, 1 failed, 2 usage; `ace run` has that of its command, `ace merge` 129 where it failed, `ace hook capture` always 0.\n",
    );
    section(&mut page, &mut Args::command(), "");
    check("CLI.md", &page);
}

#[test]
fn every_option_and_argument_says_what_it_is_for() {
    fn silent(command: &clap::Command, found: &mut Vec<String>) {
        let own = command.get_arguments().filter(|arg| !arg.is_hide_set() && arg.get_help().is_none());
        found.extend(own.map(|arg| format!("{} {}", command.get_name(), arg.get_id())));
        command.get_subcommands().filter(|sub| !sub.is_hide_set()).for_each(|sub| silent(sub, found));
    }
    let mut found = Vec::new();
    silent(&Args::command(), &mut found);
    assert_eq!(found, Vec::<String>::new());
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

/// What the types do not say.
const MODULES_HEAD: &str = r#"# Modules of declared handlers

Generated from the code, but for this part.

A handler is a Lua file that returns a table with the function that its entry names as `method`:

```lua
local function call(arguments)
    if not arguments.text then
        return nil, errors.new{ message = "text is missing", kind = errors.INVALID }
    end
    return "Echo: " .. arguments.text
end

return { call = call }
```

Each call has a Lua state of its own: nothing stays from one to the next but what is in `store`, in files, or elsewhere.
A handler finds `assert`, `error`, `pcall`, `xpcall`, `select`, `tonumber`, `tostring`, `type`, `pairs`, `ipairs`, `next`, `unpack`,
`getmetatable`, `setmetatable`, the `raw…` functions, `print` (which writes to the log), `coroutine`, `math`, `string`, `table`,
`utf8`, `os` (`time`, `clock`, `date`, `difftime`, `platform`), `require`, `_G` and `errors`. What its entry lists under `modules` and `imports` is global under
its name, and what `require` gives. Nothing else is there.

It returns a value that JSON can hold (a table with an item 1 is an array, of which keys after a gap and keys that are texts are left out), or `nil` and an error: a text, or what `errors.new` makes of
`{ message, kind?, retryable?, details? }`. The kinds are `errors.NOT_FOUND`, `ALREADY_EXISTS`, `INVALID`, `PERMISSION_DENIED`,
`UNAVAILABLE`, `INTERNAL`, `CANCELED`, `CONFLICT`, `TIMEOUT`, `RATE_LIMITED` and `UNKNOWN`. An error has the methods `message`, `kind`,
`retryable`, `details` and `stack`; `errors.wrap(err, "context")` puts words before it, `errors.is(err, errors.TIMEOUT)` asks for its
kind, and `errors.call_stack(err)` gives the lines of one that `errors.new` or `errors.wrap` made; those of modules have none.

`alc` is the library of strategies, which `types/alc.d.lua` describes. The others:

"#;

#[test]
fn the_modules_page_is_generated() {
    check("MODULES.md", &format!("{MODULES_HEAD}```lua\n{}```\n", wardroom_lua::module_stubs().1));
}

#[test]
fn the_protocol_page_is_generated() {
    let dir = TestDir::new();
    let sandbox = Arc::new(Sandbox::new(GuestImage::embedded()));
    let offering = |additions: AlcConfig| {
        let folders = AlcFolders { app: dir.open_app(), logs: None, project: None, package_mounts: Vec::new() };
        let options = AlcOptions { config: additions, ..AlcOptions::default() };
        let alc = Alc::with_options(folders, Arc::clone(&sandbox), LineIndexCache::new(None), options);
        Arc::new(Catalogue::new(vec![
            Arc::new(alc),
            Arc::new(ResourcesService),
            Arc::new(DocsService { listing: DocsListing::default() }),
        ]))
    };
    let resources = |catalogue: &Arc<Catalogue>| {
        catalogue.resources(None, None).finish(&RequestInfo::new(catalogue)).unwrap().items
    };
    let catalogue = offering(AlcConfig::default());

    let mut page = String::from("# What a client sees\n\nGenerated from the code.\n\n## Resources\n\n");
    page.push_str("| URI | name | description | MIME type |\n| --- | --- | --- | --- |\n");
    let fixed = |page: &mut String, entries: &[ResourceEntry]| {
        for ResourceEntry { uri, name, description, mime_type, .. } in entries {
            writeln!(page, "| `{uri}` | {name} | {description} | `{mime_type}` |").unwrap();
        }
    };
    let templates = |page: &mut String, entries: &[Arc<TemplateEntry>]| {
        for entry in entries {
            let TemplateEntry { pattern, name, description, mime_type, .. } = &**entry;
            writeln!(page, "| `{pattern}` | {name} | {description} | `{mime_type}` |").unwrap();
        }
    };
    let (listed, patterns) =
        (resources(&catalogue), catalogue.templates().finish(&RequestInfo::new(&catalogue)).unwrap());
    fixed(&mut page, &listed);
    page.push_str(
        "\n## Resource templates\n\n| URI template | name | description | MIME type |\n| --- | --- | --- | --- |\n",
    );
    templates(&mut page, &patterns);
    page.push_str(
        "\n## With `[alc] v2 = true`\n\nAfter those of `alc://`; `[alc] enumerate` adds what is stored to the first list: \
         [CONFIG.md](CONFIG.md).\n\n| URI or template | name | description | MIME type |\n| --- | --- | --- | --- |\n",
    );
    let longer = offering(AlcConfig { v2: true, ..AlcConfig::default() });
    let more: Vec<_> = resources(&longer).into_iter().filter(|entry| !listed.contains(entry)).collect();
    fixed(&mut page, &more);
    let longer_patterns = longer.templates().finish(&RequestInfo::new(&longer)).unwrap();
    templates(&mut page, longer_patterns.strip_prefix(patterns.as_slice()).unwrap());
    page.push_str("\n### Query parameters\n\nWhole numbers. A value above the cap is refused, not lowered.\n\n");
    page.push_str("| URI template | parameter | default | cap |\n| --- | --- | --- | --- |\n");
    let scheme = &wardroom_rules::alc::ALC_SCHEME;
    for template in scheme.templates {
        for param in template.params {
            let pattern = template.pattern(scheme);
            writeln!(page, "| `{pattern}` | `{}` | {} | {} |", param.name, param.default, param.cap).unwrap();
        }
    }
    page.push_str(
        "\n## Tools\n\nAn argument that is not listed is refused. `wardroom call` lists the tools of a server, declared ones too, \
         and `wardroom call --json` their schemas.\n",
    );
    let tools = catalogue.tools(None).finish(&RequestInfo::new(&catalogue)).unwrap().items;
    tools.iter().for_each(|tool| describe(&mut page, tool));
    page.push_str(
        "\n## The search for tools\n\nWhere every service is offered, or where the service `tools` is named, lists leave out \
         what few tasks need: [CONFIG.md](CONFIG.md).\n",
    );
    ToolSearchService::tool_entries().iter().for_each(|tool| describe(&mut page, tool));
    page.push_str("\n## Tools with `[agents] tools = true`\n\nOver stdio: [AGENTS.md](AGENTS.md).\n");
    AgentsService::tool_entries().iter().for_each(|tool| describe(&mut page, tool));
    page.push_str(
        "\n## The blog\n\nWhere there is one: [BLOG.md](BLOG.md).\n\n| URI or template | name | description | MIME type |\n\
         | --- | --- | --- | --- |\n",
    );
    let blog = blog_catalogue(&dir);
    fixed(&mut page, &resources(&blog));
    templates(&mut page, &blog.templates().finish(&RequestInfo::new(&blog)).unwrap());
    let tools = blog.tools(None).finish(&RequestInfo::new(&blog)).unwrap().items;
    tools.iter().for_each(|tool| describe(&mut page, tool));
    page.push_str(
        "\n## The learning log\n\nWhere there is one: [ACE.md](ACE.md).\n\n| URI or template | name | description | MIME type |\n\
         | --- | --- | --- | --- |\n",
    );
    let log = learning_log_catalogue(&dir);
    fixed(&mut page, &resources(&log));
    templates(&mut page, &log.templates().finish(&RequestInfo::new(&log)).unwrap());
    let tools = log.tools(None).finish(&RequestInfo::new(&log)).unwrap().items;
    tools.iter().for_each(|tool| describe(&mut page, tool));
    check("MCP.md", &page);
}

/// The catalogue of a server that offers an empty blog alone.
fn blog_catalogue(dir: &TestDir) -> Arc<Catalogue> {
    let app = dir.open_app();
    let inputs = BlogInputs {
        folder: app.create_folder("blog").unwrap(),
        layout: BlogLayout::Bds,
        defaults: BlogDefaults::default(),
        identity: "blog".to_owned(),
        cache: CacheDir::in_app(&app),
        sandbox: Arc::new(DocumentSandbox::new(GuestImage::documents())),
        watch: BlogWatch::Off,
        options: ProposalOptions::default(),
        review_key: Box::new(|| None),
        trail: AuditTrail::default(),
    };
    Arc::new(Catalogue::new(vec![Arc::new(Blog::new(Some(inputs)))]))
}

/// The catalogue of a server that offers an empty learning log alone.
fn learning_log_catalogue(dir: &TestDir) -> Arc<Catalogue> {
    let folder = dir.open_app().create_folder("ace").unwrap();
    let inputs =
        AceInputs { places: LearningPlaces::below(&folder), is_in_app_dir: true, options: AceOptions::default() };
    Arc::new(Catalogue::new(vec![Arc::new(Ace::new(Some(inputs)))]))
}

fn describe(page: &mut String, tool: &ToolEntry) {
    // The table says what is taken, and the schema that nothing else is.
    assert_eq!(tool.input_schema["additionalProperties"], false, "{}", tool.name);
    let listed = if tool.is_on_demand { "It is listed with `[alc] tools = \"all\"`.\n\n" } else { "" };
    write!(
        page,
        "\n### `{}`\n\n{}\n\n{listed}{}\n",
        tool.name,
        tool.description.as_deref().unwrap(),
        parameters::table(&tool.input_schema),
    )
    .unwrap();
    match &tool.output_schema {
        Some(schema) => write!(page, "Answer:\n\n```json\n{}\n```\n", pretty(&schema.documented)).unwrap(),
        None => page.push_str("The answer is that of the tool.\n"),
    }
}

/// Each example of the page is a file that runs (`make hosts`): a comment names it, the block after it shows it.
#[test]
fn the_guest_page_shows_its_examples_as_they_run() {
    let page = fs::read_to_string(root().join("docs/GUEST.md")).unwrap();
    let (mut filled, mut rest, mut shown) = (String::new(), page.as_str(), Vec::new());
    while let Some((before, after)) = rest.split_once("<!-- file: ") {
        let (name, after) = after.split_once(" -->\n```").unwrap();
        let (language, after) = after.split_once('\n').unwrap();
        let file = fs::read_to_string(root().join(name)).unwrap();
        write!(filled, "{before}<!-- file: {name} -->\n```{language}\n{file}```\n").unwrap();
        rest = after.split_once("\n```\n").unwrap().1;
        shown.push(name);
    }
    filled.push_str(rest);
    let examples = ["python/host.py", "node/host.mjs", "rust/Cargo.toml", "rust/src/main.rs", "cli/example.sh"];
    for name in examples.map(|example| format!("tests/hosts/{example}")) {
        assert!(shown.contains(&name.as_str()), "docs/GUEST.md does not show {name}");
    }
    let answers = fs::read_to_string(root().join("tests/hosts/cli/example.txt")).unwrap();
    assert!(filled.ends_with(&format!("```text\n{answers}```\n")), "docs/GUEST.md does not end with example.txt");
    check("GUEST.md", &filled);
}

fn pretty(schema: &SharedSchema) -> String {
    serde_json::to_string_pretty(&**schema).unwrap()
}

/// What registries of servers are told; `make dist` adds the packages of a release.
#[test]
fn the_description_for_registries_is_generated() {
    let manifest: toml::Table = toml::from_str(&fs::read_to_string(root().join("host/Cargo.toml")).unwrap()).unwrap();
    let (repository, description) =
        (env!("CARGO_PKG_REPOSITORY"), manifest["package"]["description"].as_str().unwrap());
    let name = repository.strip_prefix("https://github.com/").unwrap();
    let server = serde_json::json!({
        "$schema": "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
        "name": format!("io.github.{name}"),
        "title": "wardroom",
        "description": description,
        "repository": {"url": repository, "source": "github"},
        "version": env!("CARGO_PKG_VERSION"),
    });
    // What that schema says of these fields.
    let is_plain = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"._-".contains(&byte));
    assert!(name.split('/').count() == 2 && name.split('/').all(is_plain), "{name}");
    assert!((1..=100).contains(&description.chars().count()), "{description}");
    check("../server.json", &format!("{}\n", serde_json::to_string_pretty(&server).unwrap()));
}
