//! Long lists: in pages, in order, with cursors that stay valid while entries come and go.

use serde_json::{Value, json};

use super::{declare, handler, serve};
use wardroom_test_support::{ClientRevision, StdioClient, TestDir};

fn many(dir: &TestDir, numbers: impl Iterator<Item = usize>) {
    dir.write_file("registry/app/t.lua", handler("call", "return 1"));
    let entry = |n: usize| {
        format!(
            "  - name: t{n:04}\n    kind: function.lua\n    source: file://t.lua\n    method: call\n    meta:\n      \
             mcp.tool: true\n      mcp.name: t{n:04}\n      mcp.description: d\n      mcp.inputSchema: {{ type: object, \
             properties: {{ a: {{ type: string }} }} }}\n"
        )
    };
    let entries: String = numbers.map(entry).collect();
    declare(dir, &entries);
}

fn page(client: &mut StdioClient, cursor: Option<&str>) -> (Vec<String>, Option<String>) {
    let params = cursor.map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
    let answer = client.call("tools/list", params);
    let tools = answer["result"]["tools"].as_array().unwrap_or_else(|| panic!("{answer}"));
    let names = tools.iter().map(|tool| tool["name"].as_str().unwrap().to_owned()).collect();
    (names, answer["result"]["nextCursor"].as_str().map(str::to_owned))
}

#[test]
fn thousand_tools_are_listed_in_pages_of_hundred() {
    let dir = TestDir::new();
    many(&dir, (0..1000).rev());
    for revision in ClientRevision::ALL {
        let client = &mut serve(&dir, revision);
        let (mut all, mut cursor) = (Vec::new(), None);
        let mut pages = 0;
        loop {
            let (names, next) = page(client, cursor.as_deref());
            pages += 1;
            all.extend(names);
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }
        let expected: Vec<String> = (0..1000).map(|n| format!("t{n:04}")).collect();
        assert_eq!((pages, all), (10, expected));
        for unknown in ["x", "registry", "nobody:t0001", &"registry:".repeat(100)] {
            let error = client.call("tools/list", json!({"cursor": unknown}))["error"].take();
            assert_eq!(error["code"], Value::from(-32602), "{unknown}: {error}");
        }
    }
}

#[test]
fn cursor_stays_valid_when_its_entry_is_removed() {
    let dir = TestDir::new();
    many(&dir, 0..250);
    let client = &mut serve(&dir, ClientRevision::Modern);
    let (first, next) = page(client, None);
    assert_eq!(first.last().unwrap(), "t0099");
    many(&dir, (0..250).filter(|n| *n != 99 && *n != 150));
    let deadline = std::time::Instant::now() + wardroom_test_support::TEST_TIMEOUT;
    let second = loop {
        let (second, _) = page(client, next.as_deref());
        if !second.contains(&"t0150".to_owned()) {
            break second;
        }
        assert!(std::time::Instant::now() < deadline, "the change is not seen");
        std::thread::sleep(std::time::Duration::from_millis(20));
    };
    assert_eq!((second.first().unwrap().as_str(), second.len()), ("t0100", 100));
}

#[test]
fn every_list_is_paginated() {
    let dir = TestDir::new();
    let prompts = (0..250).map(|n| {
        format!(
            "  - name: p{n:03}\n    kind: function.lua\n    meta: {{ mcp.prompt: true, mcp.prompt.name: p{n:03}, mcp.prompt.messages: [{{ \
             content: x }}] }}\n"
        )
    });
    let resources = (0..250).map(|n| {
        format!("  - name: r{n:03}\n    kind: registry.entry\n    meta: {{ mcp.resource.uri: \"r://{n:03}\", mcp.resource.text: x }}\n")
    });
    let templates = (0..250).map(|n| {
        format!(
            "  - name: f{n:03}\n    kind: registry.entry\n    meta: {{ mcp.resource.template: \"f://{n:03}/{{id}}\", mcp.resource.text: x }}\n"
        )
    });
    let entries: String = prompts.chain(resources).chain(templates).collect();
    declare(&dir, &entries);
    let rows = [
        ("prompts/list", "prompts", "name", "p000"),
        ("resources/list", "resources", "uri", "r://000"),
        ("resources/templates/list", "resourceTemplates", "uriTemplate", "f://000/{id}"),
    ];
    for revision in ClientRevision::ALL {
        let client = &mut serve(&dir, revision);
        for (method, list, key, first) in rows {
            let (mut all, mut cursor, mut pages) = (Vec::new(), None::<String>, 0);
            loop {
                let params = cursor.as_ref().map_or_else(|| json!({}), |cursor| json!({"cursor": cursor}));
                let answer = client.call(method, params);
                let page = answer["result"][list].as_array().unwrap_or_else(|| panic!("{answer}"));
                all.extend(page.iter().map(|row| row[key].as_str().unwrap().to_owned()));
                pages += 1;
                cursor = answer["result"]["nextCursor"].as_str().map(str::to_owned);
                if cursor.is_none() {
                    break;
                }
            }
            assert_eq!((pages, all.len(), all[0].as_str()), (3, 250, first), "{method}");
            assert!(all.is_sorted_by(|a, b| a < b), "{method}");
            let error = client.call(method, json!({"cursor": "nobody:x"}))["error"]["code"].take();
            assert_eq!(error, Value::from(-32602), "{method}");
        }
    }
}
