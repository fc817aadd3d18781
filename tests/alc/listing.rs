//! The resource list with its names and order, and the completion of template variables.

use std::os::unix::fs::symlink;
use std::sync::Arc;

use serde_json::json;
use wardroom_alc::{AlcFolders, PackageMount, Project};
use wardroom_appdir::limits::MAX_NAMES_SCANNED;
use wardroom_appdir::{Access, ambient};
use wardroom_base::uri::{PackageName, Scheme};
use wardroom_resource_tools::ResourcesService;
use wardroom_service::limits::LIST_PAGE_SIZE;
use wardroom_service::{
    Caller, Catalogue, EntryExtras, ListPage, RequestInfo, ResourceContent, ResourceEntry, ResourceProvider, Service,
    ServiceError, Work,
};

use wardroom_test_support::{ClientRevision, StdioClient, TestAlcService, TestDir, protocol_error_text};

/// Checks the completion of a template's only variable.
#[track_caller]
fn check_completion(service: &TestAlcService, template: &str, prefix: &str, expected: &[&str]) {
    let variable = template.split(['{', '}']).nth(1).unwrap();
    assert_eq!(service.complete(template, variable, prefix).unwrap(), expected, "{template} {prefix:?}");
}

#[test]
fn both_fixed_resources_are_listed_even_if_missing() {
    let dir = TestDir::new();
    let service = TestAlcService::new(&dir);
    let row = |entry: ResourceEntry| {
        (entry.uri, entry.name.into_owned(), entry.description.into_owned(), entry.mime_type.into_owned(), entry.size)
    };
    // The light tier, as on the protocol's own thread.
    let listed = || {
        let page = service.list_page_inline(None).unwrap();
        assert_eq!(page.next_cursor, None);
        page.items.into_iter().map(row).collect::<Vec<_>>()
    };
    let stubs = (
        "alc://types/alc.d.lua".to_owned(),
        "alc.d.lua".to_owned(),
        "Lua type stubs for `alc.*` StdLib".to_owned(),
        "text/x-lua".to_owned(),
    );
    let shapes = (
        "alc://types/alc_shapes.d.lua".to_owned(),
        "alc_shapes.d.lua".to_owned(),
        "Lua type stubs for alc_shapes DSL".to_owned(),
        "text/x-lua".to_owned(),
    );
    let row = |(uri, name, description, mime): (String, String, _, _), size| (uri, name, description, mime, size);
    assert_eq!(listed(), [row(stubs.clone(), None), row(shapes.clone(), None)]);
    dir.write_file("types/alc_shapes.d.lua", "---@meta\n");
    assert_eq!(listed(), [row(stubs, None), row(shapes, Some(9))]);
}

#[test]
fn seven_templates_are_listed_in_the_documented_order() {
    let dir = TestDir::new();
    let templates = TestAlcService::new(&dir).templates();
    let rows: Vec<_> =
        templates.iter().map(|t| (t.pattern.as_str(), &*t.name, &*t.description, &*t.mime_type)).collect();
    assert_eq!(
        rows,
        [
            ("alc://packages/{name}/init.lua", "package-init-lua", "Package init.lua source", "text/x-lua"),
            ("alc://packages/{name}/meta", "package-meta", "Package metadata (M.meta table)", "application/json"),
            ("alc://cards/{card_id}", "card", "Full Card JSON", "application/json"),
            ("alc://cards/{card_id}/samples", "card-samples", "Card samples JSONL", "application/json"),
            ("alc://scenarios/{name}", "scenario", "Scenario source", "text/x-lua"),
            ("alc://eval/{result_id}", "eval-result", "Eval result JSON", "application/json"),
            ("alc://logs/{session_id}", "session-log", "Session log JSON", "application/json"),
        ]
    );
}

/// A service that lists this many resources.
struct Numbers(&'static Scheme, usize);

impl Service for Numbers {
    fn name(&self) -> &'static str {
        self.0.name
    }

    fn instructions(&self) -> &'static str {
        ""
    }

    fn resources(self: Arc<Self>) -> Option<Arc<dyn ResourceProvider>> {
        Some(self)
    }
}

impl ResourceProvider for Numbers {
    fn scheme(&self) -> Option<&'static Scheme> {
        Some(self.0)
    }

    fn resolve(self: Arc<Self>, _: &str, _: &Arc<Caller>) -> Option<Result<Work<ResourceContent>, ServiceError>> {
        None
    }

    fn validate(&self, _: &str, _: &Caller) -> Option<Result<(), ServiceError>> {
        None
    }

    fn list(&self, mark: Option<&str>, limit: usize, _: &RequestInfo) -> Result<ListPage<ResourceEntry>, ServiceError> {
        let start = mark.map_or(0, |mark| mark.parse::<usize>().unwrap() + 1);
        let end = self.1.min(start + limit);
        let entry = |n: usize| ResourceEntry {
            uri: format!("{}://{n}", self.0.name),
            name: "n".into(),
            title: None,
            description: "".into(),
            mime_type: "".into(),
            extra: EntryExtras::default(),
            size: None,
            modified: None,
        };
        let next = (end < self.1).then(|| (end - 1).to_string());
        Ok(ListPage { items: (start..end).map(entry).collect(), next_cursor: next })
    }
}

#[test]
fn lists_of_several_services_are_concatenated() {
    const ONE: Scheme = Scheme { name: "one", services: &[], fixed: &[], templates: &[] };
    const TWO: Scheme = Scheme { name: "two", services: &[], fixed: &[], templates: &[] };
    for (one, two) in [(250, 30), (LIST_PAGE_SIZE, LIST_PAGE_SIZE), (0, 150), (30, 0), (70, 130)] {
        let services: Vec<Arc<dyn Service>> =
            vec![Arc::new(Numbers(&ONE, one)), Arc::new(ResourcesService), Arc::new(Numbers(&TWO, two))];
        let catalogue = Arc::new(Catalogue::new(services));
        let info = RequestInfo::new(&catalogue);
        let all = |scheme: Option<&str>| {
            let (mut uris, mut cursor) = (Vec::new(), None);
            loop {
                let page = catalogue.resources(scheme, cursor.as_deref()).finish(&info).unwrap();
                assert!(page.items.len() == LIST_PAGE_SIZE || page.next_cursor.is_none());
                uris.extend(page.items.into_iter().map(|entry| entry.uri));
                match page.next_cursor {
                    Some(next) => cursor = Some(next),
                    None => return uris,
                }
            }
        };
        let of = |name: &str, n: usize| (0..n).map(|n| format!("{name}://{n}")).collect::<Vec<_>>();
        assert_eq!(all(None), [of("one", one), of("two", two)].concat());
        assert_eq!((all(Some("two")), all(Some("tw"))), (of("two", two), Vec::new()));
        let other = catalogue.resources(Some("two"), Some("one:1")).finish(&info).unwrap_err();
        assert_eq!(protocol_error_text(&other), "-32602 unknown cursor: start again without one");
        assert!(catalogue.resources(None, Some("nothing:")).finish(&info).is_err());
    }
}

#[test]
fn empty_app_dir_completes_nothing() {
    let dir = TestDir::new();
    let service = TestAlcService::new(&dir);
    for template in service.templates() {
        check_completion(&service, &template.pattern, "", &[]);
    }
}

#[test]
fn packages_complete_from_every_location() {
    let dir = TestDir::new();
    dir.write_package("cot", "");
    dir.write_package("panel", "");
    dir.write_file("packages/README.md", "");
    dir.write_file("packages/bad name/init.lua", "");
    symlink("cot", dir.app_path().join("packages/alias")).unwrap();
    std::fs::create_dir_all(dir.root().join("more/panel")).unwrap();
    std::fs::create_dir_all(dir.root().join("more/linked")).unwrap();
    std::fs::create_dir_all(dir.root().join("project")).unwrap();
    std::fs::write(dir.root().join("project/alc.local.toml"), "[packages]\nvariant = { path = \"x\" }").unwrap();
    let open = |name: &str| ambient::open_folder(&dir.root().join(name), Access::ReadOnly).unwrap();
    let path = |name: &str| dir.root().join(name);
    let service = TestAlcService::with_folders(AlcFolders {
        app: dir.open_app(),
        logs: None,
        project: Some(Project { folder: open("project"), path: path("project") }),
        package_mounts: vec![
            PackageMount::Single {
                name: PackageName::parse("single").unwrap(),
                folder: open("more/linked"),
                path: path("more/linked"),
            },
            PackageMount::Collection { folder: open("more"), path: path("more") },
        ],
    });
    let all = ["alias", "cot", "linked", "panel", "single", "variant"];
    for template in ["alc://packages/{name}/init.lua", "alc://packages/{name}/meta"] {
        check_completion(&service, template, "", &all);
        check_completion(&service, template, "pan", &["panel"]);
        check_completion(&service, template, "PAN", &[]);
    }
}

#[test]
fn cards_complete_over_all_packages() {
    let dir = TestDir::new();
    dir.write_card("cot", "cot_1", &["1"]);
    dir.write_card("panel", "panel_1", &[]);
    dir.write_card("panel", "cot_1", &[]);
    dir.write_file("cards/_aliases.toml", "");
    dir.write_file("cards/cot/.cot_2.toml.0123456789abcdef.tmp", "");
    dir.write_file("cards/cot/bad name.toml", "");
    let service = TestAlcService::new(&dir);
    for template in ["alc://cards/{card_id}", "alc://cards/{card_id}/samples"] {
        check_completion(&service, template, "", &["cot_1", "panel_1"]);
        check_completion(&service, template, "panel_", &["panel_1"]);
    }
}

#[test]
fn completion_scans_one_budget_of_names_across_folders() {
    let dir = TestDir::new();
    let (folders, files) = (3, MAX_NAMES_SCANNED / 3 + 1);
    std::thread::scope(|scope| {
        for package in 0..folders {
            let folder = dir.app_path().join(format!("cards/p{package}"));
            scope.spawn(move || {
                std::fs::create_dir_all(&folder).unwrap();
                let named = |n: usize| folder.join(format!("p{package}_{n}.toml"));
                for n in 0..files {
                    // Links are created faster than files, and a file system limits the links of one file.
                    match n % 10_000 {
                        0 => std::fs::write(named(n), "").unwrap(),
                        after => std::fs::hard_link(named(n - after), named(n)).unwrap(),
                    }
                }
            });
        }
    });
    let names = TestAlcService::new(&dir).complete("alc://cards/{card_id}", "card_id", "").unwrap();
    assert_eq!(names.len(), MAX_NAMES_SCANNED - folders);
}

#[test]
fn scenarios_complete_without_their_suffix() {
    let dir = TestDir::new();
    for name in ["a.lua", "a.b.lua", "c.txt", "d.lua.bak", "sub/e.lua"] {
        dir.write_file(&format!("scenarios/{name}"), "");
    }
    check_completion(&TestAlcService::new(&dir), "alc://scenarios/{name}", "", &["a", "a.b"]);
}

#[test]
fn evals_complete_to_ids_that_can_be_read() {
    let dir = TestDir::new();
    let uuid = "9e8d7c6b-0001-0000-0000-000000000000";
    for id in ["cot_1", "quick_vote_2", "my-quick_vote_3", "compare_a_1_vs_b_2", uuid, "not an eval"] {
        dir.write_file(&format!("evals/{id}.json"), format!("\"{id}\""));
        dir.write_file(&format!("evals/{id}.meta.json"), "{}");
    }
    let service = TestAlcService::new(&dir);
    let template = "alc://eval/{result_id}";
    let all = [uuid, "compare-a-1-vs-b_2", "cot_1", "my-quick-vote_3", "quick-vote_2"];
    check_completion(&service, template, "", &all);
    check_completion(&service, template, "quick-", &["quick-vote_2"]);
    check_completion(&service, template, "quick_", &[]);
    for (id, stored) in all.iter().zip([uuid, "compare_a_1_vs_b_2", "cot_1", "my-quick_vote_3", "quick_vote_2"]) {
        assert_eq!(service.read_text(&format!("alc://eval/{id}")), format!("\"{stored}\""));
    }
}

#[test]
fn logs_complete_without_their_summaries() {
    let dir = TestDir::new();
    for name in ["s-1.json", "s-1.meta.json", "s-2.json", "tracing.log.2026-01-01"] {
        dir.write_file(&format!("logs/{name}"), "{}");
    }
    check_completion(&TestAlcService::new(&dir), "alc://logs/{session_id}", "", &["s-1", "s-2"]);

    std::fs::create_dir(dir.root().join("elsewhere")).unwrap();
    std::fs::write(dir.root().join("elsewhere/s-3.json"), "{}").unwrap();
    let logs = ambient::open_folder(&dir.root().join("elsewhere"), Access::ReadOnly).unwrap();
    let folders = AlcFolders { app: dir.open_app(), logs: Some(logs), project: None, package_mounts: Vec::new() };
    check_completion(&TestAlcService::with_folders(folders), "alc://logs/{session_id}", "", &["s-3"]);
}

#[test]
fn client_gets_at_most_100_completions_with_total() {
    let dir = TestDir::new();
    for at in 0..120 {
        dir.write_file(&format!("scenarios/s{at:03}.lua"), "");
    }
    let template = "alc://scenarios/{name}";
    assert_eq!(TestAlcService::new(&dir).complete(template, "name", "").unwrap().len(), 120);
    let mut client = StdioClient::start(&dir, ClientRevision::Legacy);
    let mut complete = |prefix: &str| {
        let params =
            json!({"ref": {"type": "ref/resource", "uri": template}, "argument": {"name": "name", "value": prefix}});
        client.call("completion/complete", params)["result"]["completion"].take()
    };
    let first: Vec<String> = (0..100).map(|at| format!("s{at:03}")).collect();
    assert_eq!(complete(""), json!({"values": first, "total": 120, "hasMore": true}));
    assert_eq!(
        complete("s11"),
        json!({"values": (110..120).map(|at| format!("s{at}")).collect::<Vec<_>>(), "total": 10, "hasMore": false})
    );
}

#[test]
fn unknown_template_or_variable_is_refused() {
    let dir = TestDir::new();
    let service = TestAlcService::new(&dir);
    for (template, variable, sentence) in [
        ("alc://cards/{id}", "id", "unknown resource template: alc://cards/{id}"),
        ("alc://cards/x", "card_id", "unknown resource template: alc://cards/x"),
        ("alc://cards/{card_id}", "name", "alc://cards/{card_id} has no variable 'name'"),
    ] {
        let error = service.complete(template, variable, "").unwrap_err();
        assert_eq!(protocol_error_text(&error), format!("-32602 {sentence}"));
    }
}

#[test]
fn card_folder_link_leading_outside_is_skipped() {
    let dir = TestDir::new();
    dir.write_card("kept", "kept_model_1", &[]);
    std::fs::create_dir(dir.root().join("elsewhere")).unwrap();
    symlink(dir.root().join("elsewhere"), dir.app_path().join("cards/away")).unwrap();
    symlink("kept", dir.app_path().join("cards/again")).unwrap();
    let found = TestAlcService::new(&dir).complete("alc://cards/{card_id}", "card_id", "").unwrap();
    assert_eq!(found, ["kept_model_1"]);
}
