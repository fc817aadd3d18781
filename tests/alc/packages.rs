//! Packages: the lookup of their folder, and reads of source and metadata without running them.

use std::fs;
use std::path::PathBuf;

use serde_json::{Value, json};
use wardroom_alc::limits::MAX_CACHED_METADATA_BYTES;
use wardroom_alc::{AlcFolders, PackageMount, Project};
use wardroom_appdir::{Access, Folder, ambient};
use wardroom_base::uri::PackageName;

use wardroom_test_support::{TestAlcService, TestDir};

/// An AppDir, a project beside it, and the operator's mounts.
struct LookupFixture {
    dir: TestDir,
    linked: Vec<(Option<&'static str>, &'static str)>,
}

impl LookupFixture {
    /// Creates the folders, with `variants` as the project's `alc.local.toml`.
    fn new(variants: &str) -> Self {
        let fixture = Self { dir: TestDir::new(), linked: Vec::new() };
        fixture.file("project/alc.local.toml", variants);
        fixture
    }

    fn path(&self, name: &str) -> PathBuf {
        // The canonical path, as the server uses it.
        fs::canonicalize(self.dir.root()).unwrap().join(name)
    }

    /// Writes a file below the fixture's root.
    fn file(&self, name: &str, content: &str) {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }

    /// Writes a package whose source and metadata state its folder.
    fn package(&self, folder: &str) {
        self.file(&format!("{folder}/init.lua"), &format!("return {{ meta = {{ at = '{folder}' }} }}"));
    }

    fn open(&self, name: &str) -> Folder {
        ambient::open_folder(&self.path(name), Access::ReadOnly).unwrap()
    }

    fn service(&self) -> TestAlcService {
        let linked = self.linked.iter().map(|(name, at)| {
            let (folder, path) = (self.open(at), self.path(at));
            match name {
                Some(name) => PackageMount::Single { name: PackageName::parse(name).unwrap(), folder, path },
                None => PackageMount::Collection { folder, path },
            }
        });
        TestAlcService::with_folders(AlcFolders {
            app: self.dir.open_app(),
            logs: None,
            project: Some(Project { folder: self.open("project"), path: self.path("project") }),
            package_mounts: linked.collect(),
        })
    }

    /// Checks the folder that the source and the metadata of the package `name` come from.
    #[track_caller]
    fn check_found(&self, name: &str, folder: &str) {
        let service = self.service();
        let source = service.read_text(&format!("alc://packages/{name}/init.lua"));
        assert_eq!(source, format!("return {{ meta = {{ at = '{folder}' }} }}"));
        let meta = service.read_text(&format!("alc://packages/{name}/meta"));
        assert_eq!(meta, format!("{{\"at\":\"{folder}\"}}"));
    }

    /// Checks the error for both; `{}` stands for the URI.
    #[track_caller]
    fn check_refused(&self, name: &str, sentence: &str) {
        let service = self.service();
        for tail in ["init.lua", "meta"] {
            let uri = format!("alc://packages/{name}/{tail}");
            let refusal = service.read_refusal(&uri);
            assert_eq!(refusal, sentence.replace("{}", &uri));
            assert!(!refusal.contains(self.dir.root().to_str().unwrap()), "{refusal}");
        }
    }
}

/// Checks the metadata of one source, and its annotations.
#[track_caller]
fn check_meta(source: impl AsRef<[u8]>, meta: &str, notes: &Value) {
    let dir = TestDir::new();
    dir.write_file("packages/p/init.lua", source);
    let service = TestAlcService::new(&dir);
    assert_eq!(service.read_text("alc://packages/p/meta"), meta);
    assert_eq!(service.read_meta_fields("alc://packages/p/meta"), *notes);
}

#[test]
fn installed_package_is_found() {
    let fixture = LookupFixture::new("");
    fixture.package("app/packages/cot");
    fixture.check_found("cot", "app/packages/cot");
    fixture.check_refused("unknown", "-32602 resource not found: {}");
}

#[test]
fn variant_precedes_mount_which_precedes_app_dir() {
    let mut fixture = LookupFixture::new("[packages]\ncot = { path = \"variants/mine\" }\n");
    for folder in ["project/variants/mine", "linked/one", "more/cot", "more/two", "rest/two", "rest/three"] {
        fixture.package(folder);
    }
    for name in ["cot", "single", "two", "three", "four"] {
        fixture.package(&format!("app/packages/{name}"));
    }
    fixture.linked = vec![(Some("single"), "linked/one"), (None, "more"), (None, "rest")];
    fixture.check_found("cot", "project/variants/mine");
    fixture.check_found("single", "linked/one");
    fixture.check_found("two", "more/two");
    fixture.check_found("three", "rest/three");
    fixture.check_found("four", "app/packages/four");
    fs::remove_file(fixture.path("project/alc.local.toml")).unwrap();
    fixture.check_found("cot", "more/cot");
}

#[test]
fn any_spelling_of_a_variant_path_inside_the_project_works() {
    let fixture = LookupFixture::new("");
    fixture.package("project/a/b");
    let absolute = fixture.path("project/a/b");
    for path in ["a/b", "./a/b/", "a/../a/./b", "../project/a/b", absolute.to_str().unwrap()] {
        fixture.file("project/alc.local.toml", &format!("[packages.v]\npath = '{path}'\nversion = '*'\n"));
        fixture.check_found("v", "project/a/b");
    }
    fixture.package("project");
    fixture.file("project/alc.local.toml", "[packages]\nv.path = '.'\n");
    fixture.check_found("v", "project");
}

#[test]
fn variant_path_into_a_mount_is_followed() {
    let mut fixture = LookupFixture::new("[packages]\nv = { path = \"../more/deep/v\" }\nw = { path = \"../one\" }\n");
    fixture.package("more/deep/v");
    fixture.package("one");
    fixture.linked = vec![(None, "more"), (Some("one"), "one")];
    fixture.check_found("v", "more/deep/v");
    fixture.check_found("w", "one");
}

#[test]
fn variant_path_leading_outside_is_refused() {
    let fixture = LookupFixture::new("");
    fixture.package("elsewhere/v");
    fixture.package("project-evil/v");
    fixture.package("app/packages/v");
    let absolute = fixture.path("elsewhere/v");
    for path in
        ["../elsewhere/v", "..", "/", "/etc", "a/../../elsewhere/v", "../project-evil/v", absolute.to_str().unwrap()]
    {
        fixture.file("project/alc.local.toml", &format!("[packages]\nv = {{ path = '{path}' }}\n"));
        fixture.check_refused("v", "-32603 variant package v is outside the project and every mount");
    }
    std::os::unix::fs::symlink(fixture.path("elsewhere"), fixture.path("project/link")).unwrap();
    fixture.file("project/alc.local.toml", "[packages]\nv = { path = 'link/v' }\n");
    fixture.check_refused("v", "-32603 {} leads outside its folder");
}

#[test]
fn variant_without_folder_is_skipped_but_not_without_source() {
    let fixture =
        LookupFixture::new("[packages]\na.path = 'missing'\nb = '1.0'\nc = { git = 'https://x' }\nd.path = 'empty'\n");
    for name in ["a", "b", "c", "d"] {
        fixture.package(&format!("app/packages/{name}"));
    }
    fs::create_dir(fixture.path("project/empty")).unwrap();
    for name in ["a", "b", "c"] {
        fixture.check_found(name, &format!("app/packages/{name}"));
    }
    fixture.check_refused("d", "-32602 resource not found: {}");
}

/// A folder of the operator's own may hold other things than packages.
#[test]
fn folder_without_source_in_a_mount_hides_no_package() {
    let mut fixture = LookupFixture::new("");
    fixture.package("app/packages/d");
    fixture.file("mount/d/notes.txt", "");
    fixture.linked.push((None, "mount"));
    fixture.check_found("d", "app/packages/d");
}

#[test]
fn malformed_variants_file_error_shows_no_path() {
    for (variants, reason) in [
        ("[packages\n", ": line 1: not TOML"),
        ("\n\n[packages]\nv = { path = \n", ": line 4: not TOML"),
        ("[packages]\na = 1\na = '/home/x'\n", ": line 3: not TOML"),
        ("packages = '/home/somebody/secret'", ": packages is not a table"),
    ] {
        let fixture = LookupFixture::new(variants);
        fixture.package("app/packages/v");
        fixture.check_refused("v", &format!("-32603 malformed alc.local.toml{reason}"));
    }
    let fixture = LookupFixture::new("");
    fs::write(fixture.path("project/alc.local.toml"), b"x = '\xff'").unwrap();
    fixture.check_refused("v", "-32603 alc.local.toml for {} is not UTF-8 text");
}

#[test]
fn metadata_is_extracted_from_every_source_form() {
    let none = json!({});
    check_meta("local M = {} return M", "{}", &none);
    check_meta("", "{}", &none);
    let meta = r#"{"category":"reasoning","description":"one, two","name":"demo","tags":["a","b"],"version":"0.1.0"}"#;
    for source in [
        "local M = {}\n---@type AlcMeta\nM.meta = { name = \"demo\", version = \"0.1.0\", description = \"one, \"\n .. \
         \"two\", category = \"reasoning\", tags = { \"a\", \"b\" } }\nreturn M",
        "return { meta = { name = 'demo', version = '0.1.0', description = [[one, two]], category = 'reasoning', tags = \
         { 'a'; 'b' } } }",
        "local V = '0.1.0' local M = { meta = { name = 'demo', version = V } } M.meta.description = 'one, two' \
         M.meta['category'] = 'reason' .. 'ing' M.meta.tags = { [1] = 'a', [2] = 'b' } return M",
    ] {
        check_meta(source, meta, &none);
    }
}

#[test]
fn non_constant_metadata_is_null_and_reported_with_position() {
    check_meta(
        "--- Thinks in steps.\n--- Then answers.\nlocal M = {}\nM.meta = {\n  name = \"x\",\n  at = os.time(),\n}\nreturn M\n",
        r#"{"at":null,"name":"x"}"#,
        &json!({
            "doc": "Thinks in steps.\nThen answers.",
            "unresolved": [{"path": "at", "line": 6, "column": 8, "reason": "calls a function"}],
        }),
    );
}

#[test]
fn crlf_and_byte_order_mark_do_not_change_metadata() {
    let source = "--- Doc.\nlocal M = {}\nM.meta = {\n  name = \"x\", -- not 'y'\n}\nreturn M\n";
    for written in [source.to_owned(), source.replace('\n', "\r\n"), format!("\u{feff}{source}")] {
        check_meta(&written, r#"{"name":"x"}"#, &json!({"doc": "Doc."}));
        let dir = TestDir::new();
        dir.write_package("p", &written);
        assert_eq!(TestAlcService::new(&dir).read_text("alc://packages/p/init.lua"), written);
    }
}

#[test]
fn source_that_is_not_lua_text_is_refused() {
    for (source, source_refusal, meta_refusal) in [
        (
            b"\xff\xfe".to_vec(),
            Some("-32603 {} is not UTF-8 text"),
            "-32603 cannot extract {}: line 1, column 1: not UTF-8",
        ),
        (b"return {\n\"open".to_vec(), None, "-32603 cannot extract {}: line 2, column 1: unterminated string"),
        (
            vec![b' '; 1024 * 1024 + 1],
            Some("-32603 {} has 1.1 MiB, the limit is 1 MiB"),
            "-32603 {} has 1.1 MiB, the limit is 1 MiB",
        ),
    ] {
        let dir = TestDir::new();
        dir.write_file("packages/p/init.lua", source);
        let service = TestAlcService::new(&dir);
        if let Some(refusal) = source_refusal {
            let uri = "alc://packages/p/init.lua";
            assert_eq!(service.read_refusal(uri), refusal.replace("{}", uri));
        }
        let uri = "alc://packages/p/meta";
        assert_eq!(service.read_refusal(uri), meta_refusal.replace("{}", uri));
    }
}

#[test]
fn reading_metadata_never_runs_the_package() {
    let dir = TestDir::new();
    let trace = dir.app_path().join("trace");
    let source = format!(
        "io.open('{0}', 'w'):write('x')\nos.execute('touch {0}')\nwhile true do end\nreturn {{ meta = {{ name = 'loop' }} }}",
        trace.display()
    );
    dir.write_package("loop", &source);
    dir.write_package("other", "return { meta = { name = 'other' } }");
    let service = TestAlcService::new(&dir);
    assert_eq!(service.read_text("alc://packages/loop/meta"), r#"{"name":"loop"}"#);
    assert_eq!(service.read_text("alc://packages/other/meta"), r#"{"name":"other"}"#);
    assert!(!trace.exists());
}

#[test]
fn edited_source_yields_new_metadata() {
    let dir = TestDir::new();
    let service = TestAlcService::new(&dir);
    let write = |name: &str| dir.write_package("p", &format!("return {{ meta = {{ name = '{name}' }} }}"));
    let check = |name: &str| {
        // Twice, so that the second read may come from the cache.
        for _ in 0..2 {
            assert_eq!(service.read_text("alc://packages/p/meta"), format!("{{\"name\":\"{name}\"}}"));
        }
    };
    write("a");
    check("a");
    write("b");
    check("b");
    write("c");
    check("c");
    let replaced = dir.write_file("packages/p/new.lua", "return { meta = { name = 'd' } }");
    fs::rename(replaced, dir.app_path().join("packages/p/init.lua")).unwrap();
    check("d");
    fs::remove_file(dir.app_path().join("packages/p/init.lua")).unwrap();
    let uri = "alc://packages/p/meta";
    assert_eq!(service.read_refusal(uri), format!("-32602 resource not found: {uri}"));
}

#[test]
fn metadata_cache_is_bounded_in_bytes() {
    let dir = TestDir::new();
    let service = TestAlcService::new(&dir);
    let large = 250 * 1024;
    let fitting = MAX_CACHED_METADATA_BYTES / (large + 100);
    let uri = |n: usize| format!("alc://packages/p{n}/meta");
    for n in 0..=fitting {
        dir.write_package(&format!("p{n}"), &format!("return {{ meta = {{ d = '{}' }} }}", "x".repeat(large)));
    }
    dir.wait_until_settled(&format!("packages/p{fitting}/init.lua"));
    let known = |n: usize| service.read_inline(&uri(n)).is_some();
    for n in 0..fitting {
        service.read_text(&uri(n));
        // A repeated read is not counted again.
        service.read_text(&uri(0));
    }
    assert!((0..fitting).all(known));
    service.read_text(&uri(fitting));
    assert!(!(0..fitting).any(known) && known(fitting));
}

#[test]
fn metadata_is_cached_until_the_source_changes() {
    let dir = TestDir::new();
    let service = TestAlcService::new(&dir);
    let (file, uri) = ("packages/p/init.lua", "alc://packages/p/meta");
    dir.write_package("p", "return { meta = { name = 'a' } }");
    let old = std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000);
    fs::File::options().write(true).open(dir.app_path().join(file)).unwrap().set_modified(old).unwrap();
    service.read_text(uri);
    assert!(service.read_inline(uri).is_none(), "changed a moment ago, whatever its time of modification says");
    dir.wait_until_settled(file);
    service.read_text(uri);
    assert!(service.read_inline(uri).is_some(), "kept");
    dir.edit_preserving_mtime(file, "return { meta = { name = 'b' } }");
    assert_eq!(service.read_text(uri), "{\"name\":\"b\"}");
}
