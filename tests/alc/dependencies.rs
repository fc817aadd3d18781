//! The dependencies of resources, and which of them need polling because a watch can miss their changes.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use wardroom_alc::limits::MAX_HUB_SOURCES;
use wardroom_alc::{Alc, AlcFolders, AlcOptions};
use wardroom_appdir::{Folder, LineIndexCache};
use wardroom_config::AlcConfig;
use wardroom_service::limits::MAX_WATCHED_DIRS_PER_RESOURCE;
use wardroom_service::{Caller, Catalogue};

use wardroom_test_support::{SANDBOX, TestAlcService, TestDir};

const SOURCE: &str = "alc://packages/hello/init.lua";

#[test]
fn links_and_hard_links_need_polling() {
    type Make<'m> = &'m dyn Fn(&TestDir);
    let rows: [(&str, Make<'_>); 5] = [
        ("plain", &|dir| drop(dir.write_file("packages/hello/init.lua", ""))),
        ("not there", &|_| {}),
        ("a folder on the way", &|dir| {
            dir.write_file("elsewhere/hello/init.lua", "");
            symlink("elsewhere", dir.app_path().join("packages")).unwrap();
        }),
        ("the file", &|dir| {
            dir.write_file("packages/hello/other.lua", "");
            symlink("other.lua", dir.app_path().join("packages/hello/init.lua")).unwrap();
        }),
        ("a second name", &|dir| {
            let file = dir.write_file("packages/hello/init.lua", "");
            fs::hard_link(file, dir.app_path().join("second")).unwrap();
        }),
    ];
    for (what, make) in rows {
        let dir = TestDir::new();
        make(&dir);
        let is_partial = TestAlcService::new(&dir).dependencies(SOURCE).is_partial();
        assert_eq!(is_partial, !matches!(what, "plain" | "not there"), "{what}");
    }
}

#[test]
fn every_folder_on_the_path_is_watched_once() {
    let dir = TestDir::new();
    dir.write_file("packages/hello/init.lua", "");
    let dependencies = TestAlcService::new(&dir).dependencies(SOURCE);
    let app = dir.open_app();
    let expected = [app.clone(), app.open_folder("packages").unwrap(), app.open_folder("packages/hello").unwrap()];
    let identity = |folder: &Folder| folder.stat_self().unwrap().file_id;
    let found: Vec<_> = dependencies.dirs().iter().map(|dir| identity(&dir.open().unwrap())).collect();
    assert_eq!(found, expected.each_ref().map(identity));
}

#[test]
fn folders_beyond_the_watch_limit_need_polling() {
    let list = |dir: &TestDir| {
        let folders = AlcFolders { app: dir.open_app(), logs: None, project: None, package_mounts: Vec::new() };
        let config = AlcConfig { v2: true, enumerate: true, ..AlcConfig::default() };
        let options = AlcOptions { config, ..AlcOptions::default() };
        let alc = Alc::with_options(folders, Arc::clone(&SANDBOX), LineIndexCache::new(None), options);
        let catalogue = Arc::new(Catalogue::new(vec![Arc::new(alc)]));
        let caller = Caller::default();
        let (listed, hub) = (
            catalogue.resource_list_dependencies(&caller),
            catalogue.dependencies("alc://hub/index", &caller).unwrap(),
        );
        (listed.is_partial(), listed.dirs().len(), hub.is_partial())
    };
    let dir = TestDir::new();
    for n in 0..MAX_HUB_SOURCES * 5 {
        dir.write_file(&format!("hub_cache/{n}.json"), "{}");
    }
    let (is_partial, _, hub) = list(&dir);
    assert!(!is_partial && !hub);
    for n in 0..MAX_WATCHED_DIRS_PER_RESOURCE {
        fs::create_dir_all(dir.app_path().join(format!("cards/{n}"))).unwrap();
    }
    assert_eq!(list(&dir), (true, MAX_WATCHED_DIRS_PER_RESOURCE, false));
}
