//! Declared resources: texts, files, templates and handlers.

use serde_json::{Value, json};

use super::{declare, handler, serve};
use wardroom_test_support::{ClientRevision, StdioClient, TestDir};

fn resource(name: &str, meta: &str) -> String {
    format!("  - name: {name}\n    kind: function.lua\n    meta:\n      mcp.resource: true\n{meta}")
}

fn handled(name: &str, meta: &str) -> String {
    resource(name, meta).replace("    meta:", &format!("    source: file://{name}.lua\n    method: read\n    meta:"))
}

#[test]
fn every_kind_is_listed_and_read() {
    let dir = TestDir::new();
    dir.write_file("registry/app/data.json", "{\"a\":1}");
    dir.write_file("registry/app/pixel.png", b"\x89PNG\x00\xff");
    dir.write_file("registry/app/item.lua", handler("read", "if arguments.id == '9' then return nil end return { id = arguments.id, params = arguments.params, uri = arguments.uri }"));
    dir.write_file("registry/app/blob.lua", handler("read", "return { blob = 'AAAA', mimeType = 'image/gif' }"));
    let entries = [
        resource(
            "text",
            "      mcp.resource.uri: test://text\n      mcp.resource.name: text\n      mcp.resource.description: D\n      mcp.resource.text: Hello {{x}}\n",
        ),
        resource("json", "      mcp.resource.uri: test://json\n      mcp.resource.file: file://data.json\n"),
        resource("image", "      mcp.resource.uri: test://image\n      mcp.resource.file: pixel.png\n"),
        resource(
            "family",
            "      mcp.resource.template: \"test://greet/{who}\"\n      mcp.resource.text: Hello {{who}}\n      mcp.completions: { who: [Ada, Alan] }\n",
        ),
        handled(
            "item",
            "      mcp.resource.template: \"test://item/{id}/data\"\n      mcp.resource.mimeType: application/json\n",
        ),
        handled("blob", "      mcp.resource.uri: test://blob\n"),
    ];
    declare(&dir, &entries.concat());
    for revision in ClientRevision::ALL {
        let client = &mut serve(&dir, revision);
        let listed = client.call("resources/list", json!({}))["result"]["resources"].take();
        let uris: Vec<_> = listed.as_array().unwrap().iter().map(|row| row["uri"].as_str().unwrap()).collect();
        assert_eq!(uris, ["test://blob", "test://image", "test://json", "test://text"]);
        assert_eq!(
            listed[3],
            json!({"uri": "test://text", "name": "text", "description": "D", "mimeType": "text/plain", "size": 11})
        );
        let similar = client.read_resource("test://tetx").unwrap_err();
        let expected = "resource not found: test://tetx; did you mean test://text?";
        assert_eq!((&similar["message"], &similar["data"]), (&json!(expected), &json!({"uri": "test://tetx"})));
        let read = |client: &mut StdioClient, uri: &str| {
            let mut read = client.read_resource(uri).unwrap_or_else(|error| panic!("{uri}: {error}"));
            read.as_object_mut().unwrap().remove("_meta");
            read
        };
        assert_eq!(
            read(client, "test://text"),
            json!({"uri": "test://text", "mimeType": "text/plain", "text": "Hello {{x}}"})
        );
        assert_eq!(
            read(client, "test://json"),
            json!({"uri": "test://json", "mimeType": "application/json", "text": "{\"a\":1}"})
        );
        assert_eq!(
            read(client, "test://image"),
            json!({"uri": "test://image", "mimeType": "image/png", "blob": "iVBORwD/"})
        );
        assert_eq!(read(client, "test://blob"), json!({"uri": "test://blob", "mimeType": "image/gif", "blob": "AAAA"}));
        assert_eq!(read(client, "test://greet/Ada%20L")["text"], "Hello Ada L");
        let item: Value = serde_json::from_str(read(client, "test://item/123/data")["text"].as_str().unwrap()).unwrap();
        assert_eq!(item, json!({"id": "123", "params": {"id": "123"}, "uri": "test://item/123/data"}));
        for missing in
            ["test://item/9/data", "test://item//data", "test://item/a/b/data", "test://none", "test://greet/%zz"]
        {
            let error = client.read_resource(missing).unwrap_err();
            let expected =
                json!({"code": -32602, "message": format!("resource not found: {missing}"), "data": {"uri": missing}});
            assert_eq!(error, expected);
        }
        // For a scheme without a declaration, the error is the specification's.
        assert!(client.read_resource("other://x").is_err());
        let reference = json!({"type": "ref/resource", "uri": "test://greet/{who}"});
        let completed =
            client.call("completion/complete", json!({"ref": reference, "argument": {"name": "who", "value": "Al"}}));
        assert_eq!(completed["result"]["completion"]["values"], json!(["Alan"]));
        let templates = client.call("resources/templates/list", json!({}))["result"]["resourceTemplates"].take();
        let patterns: Vec<_> =
            templates.as_array().unwrap().iter().map(|row| row["uriTemplate"].as_str().unwrap()).collect();
        assert_eq!(patterns, ["test://greet/{who}", "test://item/{id}/data"]);
    }
}

#[test]
fn declared_resources_follow_built_in_ones() {
    let dir = TestDir::new_demo();
    let client = &mut StdioClient::start(&dir, ClientRevision::Modern);
    let listed = client.call("resources/list", json!({}))["result"]["resources"].take();
    let uris: Vec<_> = listed.as_array().unwrap().iter().map(|row| row["uri"].as_str().unwrap()).collect();
    assert_eq!(uris.last(), Some(&"demo://about"), "{uris:?}");
    assert!(
        uris[..uris.len() - 1]
            .iter()
            .all(|uri| ["alc://", "bds://", "ui://bds/"].iter().any(|start| uri.starts_with(start))),
        "{uris:?}"
    );
    assert!(client.read_resource("demo://about").unwrap()["text"].as_str().unwrap().starts_with("# The demo"));
    assert_eq!(
        client.read_resource("http://x/").unwrap_err()["message"],
        "invalid scheme: expected alc://, got http://x/"
    );
}

#[test]
fn symlink_out_of_registry_is_not_read() {
    let dir = TestDir::new();
    std::fs::write(dir.root().join("secret"), "secret").unwrap();
    declare(&dir, &resource("link", "      mcp.resource.uri: test://link\n      mcp.resource.file: link.txt\n"));
    dir.write_file("registry/app/link.txt", "inside");
    let client = &mut serve(&dir, ClientRevision::Modern);
    assert_eq!(client.read_resource("test://link").unwrap()["text"], "inside");
    std::fs::remove_file(dir.app_path().join("registry/app/link.txt")).unwrap();
    std::os::unix::fs::symlink(dir.root().join("secret"), dir.app_path().join("registry/app/link.txt")).unwrap();
    let error = client.read_resource("test://link").unwrap_err();
    assert!(!error.to_string().contains("secret"), "{error}");
}

#[test]
fn declared_size_is_listed() {
    let dir = TestDir::new();
    dir.write_file("registry/app/data.txt", "data");
    let entries = [
        resource(
            "a",
            "      mcp.resource.uri: test://a\n      mcp.resource.file: data.txt\n      mcp.resource.size: 4\n",
        ),
        resource("b", "      mcp.resource.uri: test://b\n      mcp.resource.file: data.txt\n"),
        resource(
            "c",
            "      mcp.resource.uri: test://c\n      mcp.resource.file: data.txt\n      mcp.resource.size: -1\n",
        ),
    ];
    declare(&dir, &entries.concat());
    let listed = serve(&dir, ClientRevision::Modern).call("resources/list", json!({}))["result"]["resources"].take();
    let sizes: Vec<_> = listed.as_array().unwrap().iter().map(|row| (&row["uri"], &row["size"])).collect();
    assert_eq!(json!(sizes), json!([["test://a", 4], ["test://b", null]]));
}

#[test]
fn address_of_other_service_is_refused() {
    let dir = TestDir::new_demo();
    let entries = [
        resource("own", "      mcp.resource.uri: test://own\n      mcp.resource.text: x\n"),
        resource("other", "      mcp.resource.uri: alc://packages/none/meta\n      mcp.resource.text: x\n"),
        resource("family", "      mcp.resource.template: \"alc://mine/{id}\"\n      mcp.resource.text: x\n"),
    ];
    declare(&dir, &entries.concat());
    let client = &mut StdioClient::start(&dir, ClientRevision::Modern);
    assert_eq!(client.read_resource("test://own").unwrap()["text"], "x");
    assert!(client.read_resource("alc://packages/none/meta").is_err());
    let listed = client.call("resources/list", json!({})).to_string();
    assert!(listed.contains("test://own") && !listed.contains("packages/none"), "{listed}");
    assert!(!client.call("resources/templates/list", json!({})).to_string().contains("alc://mine"));
    let app = dir.app_path().display().to_string();
    let checked = wardroom_test_support::run_wardroom(dir.root(), &["registry", "check", "--appdir", &app]);
    assert_eq!(checked.stdout.matches("has the scheme of another service").count(), 2, "{checked:?}");
}
