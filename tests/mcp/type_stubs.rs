//! What the `alc://` specification says of its fixed resources: always listed, and an error where their file is missing.

use std::fs;

use serde_json::json;

use wardroom_test_support::{ClientRevision, StdioClient, TestDir};

const URIS: [&str; 2] = ["alc://types/alc.d.lua", "alc://types/alc_shapes.d.lua"];

#[test]
fn resource_list_has_the_fixed_resources_only() {
    for (revision, args) in [
        (ClientRevision::Legacy, &[][..]),
        (ClientRevision::Modern, &[]),
        (ClientRevision::Legacy, &["--service", "alc"]),
        (ClientRevision::Modern, &["--service", "alc"]),
    ] {
        let dir = TestDir::new();
        let mut client = StdioClient::start_with(&dir, revision, args);
        let result = client.call("resources/list", json!({}))["result"].take();
        let listed: Vec<_> = result["resources"].as_array().unwrap().iter().map(|entry| &entry["uri"]).collect();
        assert_eq!(listed, URIS, "{args:?}");
        assert!(result.get("nextCursor").is_none(), "{result}");
    }
}

#[test]
fn first_server_writes_type_stubs_and_later_ones_do_not() {
    let dir = TestDir::new();
    let mut client = StdioClient::start(&dir, ClientRevision::Modern);
    for (uri, (name, text)) in URIS.iter().zip(wardroom_lua::type_stubs()) {
        assert_eq!(client.read_resource(uri).unwrap()["text"], text);
        fs::remove_file(dir.app_path().join("types").join(name)).unwrap();
    }
    for client in [&mut client, &mut StdioClient::start(&dir, ClientRevision::Legacy)] {
        for uri in URIS {
            let missing = client.read_resource(uri).unwrap_err();
            let expected = (json!(-32602), json!(format!("resource not found: {uri}")));
            assert_eq!((missing["code"].clone(), missing["message"].clone()), expected);
        }
        let listed = client.call("resources/list", json!({}))["result"]["resources"].take();
        assert_eq!(listed.as_array().unwrap().len(), URIS.len());
    }
}

#[test]
fn read_only_server_writes_no_type_stubs() {
    let dir = TestDir::new();
    let mut client = StdioClient::start_with(&dir, ClientRevision::Modern, &["--read-only"]);
    assert!(client.read_resource(URIS[0]).is_err());
    assert!(!dir.app_path().join("types").exists());
}
