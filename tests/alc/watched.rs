//! What a resource is taken to depend on, and where a change may show nowhere.

use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;

use wardroom_alc::{Alc, AlcFolders};
use wardroom_appdir::{Folder, LineIndexes};
use wardroom_base::limits::{MAX_HUB_SOURCES, MAX_WATCHED_FOLDERS};
use wardroom_config::AlcConfig;
use wardroom_service::{CallContext, Catalogue};

use wardroom_test_support::{AlcService, SANDBOX, TestDir};

const SOURCE: &str = "alc://packages/hello/init.lua";

#[test]
fn a_link_or_another_name_is_looked_at_from_time_to_time() {
    type Make<'m> = &'m dyn Fn(&TestDir);
    let rows: [(&str, Make<'_>); 5] = [
        ("plain", &|dir| drop(dir.file("packages/hello/init.lua", ""))),
        ("not there", &|_| {}),
        ("a folder on the way", &|dir| {
            dir.file("elsewhere/hello/init.lua", "");
            symlink("elsewhere", dir.app().join("packages")).unwrap();
        }),
        ("the file", &|dir| {
            dir.file("packages/hello/other.lua", "");
            symlink("other.lua", dir.app().join("packages/hello/init.lua")).unwrap();
        }),
        ("a second name", &|dir| {
            let file = dir.file("packages/hello/init.lua", "");
            fs::hard_link(file, dir.app().join("second")).unwrap();
        }),
    ];
    for (what, make) in rows {
        let dir = TestDir::new();
        make(&dir);
        let is_partial = AlcService::new(&dir).watched(SOURCE).is_partial();
        assert_eq!(is_partial, !matches!(what, "plain" | "not there"), "{what}");
    }
}

#[test]
fn every_folder_on_the_way_is_watched_once() {
    let dir = TestDir::new();
    dir.file("packages/hello/init.lua", "");
    let watched = AlcService::new(&dir).watched(SOURCE);
    let app = dir.folder();
    let expected = [app.clone(), app.folder("packages").unwrap(), app.folder("packages/hello").unwrap()];
    let identity = |folder: &Folder| folder.own_stat().unwrap().identity;
    let found: Vec<_> = watched.folders().iter().map(|near| identity(&near.opened().unwrap())).collect();
    assert_eq!(found, expected.each_ref().map(identity));
}

#[test]
fn more_folders_than_can_be_watched_are_looked_at_from_time_to_time() {
    let list = |dir: &TestDir| {
        let folders = AlcFolders { app: dir.folder(), logs: None, project: None, linked: Vec::new() };
        let alc = Alc::new(folders, Arc::clone(&SANDBOX), LineIndexes::new(None));
        let alc = alc.offering(AlcConfig { v2: true, enumerate: true, sampling: false });
        let catalogue = Arc::new(Catalogue::new(vec![Box::new(alc)]));
        let context = CallContext::patient(&catalogue);
        let (listed, hub) = (catalogue.watched_list(&context), catalogue.watched("alc://hub/index", &context).unwrap());
        (listed.is_partial(), listed.folders().len(), hub.is_partial())
    };
    let dir = TestDir::new();
    for n in 0..MAX_HUB_SOURCES * 5 {
        dir.file(&format!("hub_cache/{n}.json"), "{}");
    }
    let (is_partial, _, hub) = list(&dir);
    assert!(!is_partial && !hub);
    for n in 0..MAX_WATCHED_FOLDERS {
        fs::create_dir_all(dir.app().join(format!("cards/{n}"))).unwrap();
    }
    assert_eq!(list(&dir), (true, MAX_WATCHED_FOLDERS, false));
}
