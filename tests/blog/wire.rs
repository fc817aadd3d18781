//! What clients receive of the demo blog, as snapshots: lists, resources, answers of tools, and prompts.

use insta::{Settings, assert_snapshot};
use serde_json::{Value, json};
use wardroom_test_support::{ClientRevision, StdioClient, TestDir, eventually, snapshot_message, wardroom_command};

/// A post with translations, links in both directions and a picture.
const POST: &str = "cda5717a-bad5-4fd5-a6ff-d83bcd514f14";
/// That picture, which has a translation.
const PICTURE: &str = "3497b290-0f8d-45af-b969-7e87be49663d";

/// Starts a server, and waits until it has compared all files: answers from before that say so.
fn start(dir: &TestDir, revision: ClientRevision) -> StdioClient {
    let mut client = StdioClient::start_with(dir, revision, &["--service", "blog"]);
    eventually("an answer of now", || {
        let answer = client.call("resources/read", json!({"uri": "bds://stats"}));
        answer["error"].is_null() && !answer.to_string().contains("the files are being")
    });
    client
}

/// Compares the answers to requests with a snapshot, and those of the other revision of the protocol with these.
fn check(name: &str, requests: &[(&str, Value)]) {
    let dir = TestDir::new_demo();
    let (mut legacy, mut modern) = (start(&dir, ClientRevision::Legacy), start(&dir, ClientRevision::Modern));
    let mut text = String::new();
    for (method, params) in requests {
        let answers = [&mut legacy, &mut modern].map(|client| content(&client.call(method, params.clone())));
        assert_eq!(answers[0], answers[1], "{method} {params}");
        let [answer, _] = answers;
        text.push_str(&format!("> {method} {params}\n{}\n\n", serde_json::to_string_pretty(&answer).unwrap()));
    }
    let mut settings = Settings::clone_current();
    settings.set_omit_expression(true);
    settings.bind(|| assert_snapshot!(name, text));
}

/// Returns the part of an answer that the blog made, which is the same in all revisions. JSON within a text is shown as
/// JSON; what differs between machines is replaced.
fn content(answer: &Value) -> Value {
    if answer["error"].is_object() {
        return answer["error"].clone();
    }
    let mut result = answer["result"].clone();
    let fields = result.as_object_mut().unwrap();
    // Of the server and of the revision, not of the blog.
    for name in ["resultType", "ttlMs", "cacheScope"] {
        fields.remove(name);
    }
    if let Some(meta) = fields.get_mut("_meta").and_then(Value::as_object_mut) {
        meta.retain(|name, _| !name.starts_with("io.modelcontextprotocol/"));
    }
    if fields.get("_meta").and_then(Value::as_object).is_some_and(serde_json::Map::is_empty) {
        fields.remove("_meta");
    }
    if let Some(structured) = fields.get("structuredContent").filter(|_| fields["isError"] == false) {
        let text = fields["content"][0]["text"].as_str().unwrap();
        assert_eq!(serde_json::from_str::<Value>(text).unwrap(), *structured);
        fields.remove("content");
    }
    for item in fields.get_mut("contents").and_then(Value::as_array_mut).into_iter().flatten() {
        match item.get("blob") {
            // The file's time is that of the test.
            Some(Value::String(blob)) => {
                item["blob"] = format!("<{} characters>", blob.len()).into();
                item["_meta"]["lastModified"] = "<time>".into();
            }
            _ => item["text"] = serde_json::from_str(item["text"].as_str().unwrap()).unwrap(),
        }
    }
    redact(&mut result);
    result
}

/// Replaces scores, whose last digits depend on the segments of the index, and cuts long texts.
fn redact(value: &mut Value) {
    const MAX_CHARS: usize = 300;
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match field {
                    Value::Number(_) if name == "score" => *field = "<score>".into(),
                    _ => redact(field),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(redact),
        Value::String(text) if text.contains('\n') && text.chars().nth(MAX_CHARS).is_some() => {
            *text = text.chars().take(MAX_CHARS).chain(['…']).collect();
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn read(uri: &str) -> (&'static str, Value) {
    ("resources/read", json!({"uri": format!("bds://{uri}")}))
}

fn call(tool: &str, arguments: &Value) -> (&'static str, Value) {
    ("tools/call", json!({"name": tool, "arguments": arguments}))
}

/// Tools, resources, templates and prompts, with their schemas. Hints of caching differ between the revisions, and the
/// rest of a list is the same.
#[test]
fn lists_match_snapshot() {
    let dir = TestDir::new_demo();
    let mut client = start(&dir, ClientRevision::Legacy);
    let mut text = String::new();
    for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
        let answer = client.call(method, json!({}));
        text.push_str(&format!("> {method}\n{}\n\n", snapshot_message(answer["result"].clone())));
    }
    let mut settings = Settings::clone_current();
    settings.set_omit_expression(true);
    settings.bind(|| assert_snapshot!("lists", text));
}

#[test]
fn lists_of_the_blog_match_snapshot() {
    check(
        "resource_lists",
        &["posts", "media", "tags", "categories", "stats", "project", "scripts", "templates"].map(read),
    );
}

#[test]
fn items_match_snapshot() {
    let uris = [
        format!("posts/{POST}"),
        "posts/rule-of-twelfths/backlinks".to_owned(),
        format!("posts/{POST}/outlinks"),
        "posts/rule-of-twelfths/media".to_owned(),
        "posts/laying-up-list".to_owned(),
        "posts/chosekihyo-no-yomikata".to_owned(),
        format!("media/{PICTURE}"),
        format!("media/{PICTURE}/posts"),
        format!("media/{PICTURE}/image"),
        format!("media/{PICTURE}/image?size=thumbnail"),
        format!("media/{PICTURE}/image?size=original"),
        "scripts/twelfths".to_owned(),
        "scripts/bf0a65ba-76ef-42c0-af85-c96b7b04ceaf".to_owned(),
        "templates/log-entry".to_owned(),
        "posts/nobody".to_owned(),
        format!("posts/{PICTURE}"),
        format!("media/{POST}"),
        "media/nobody/image".to_owned(),
        format!("media/{PICTURE}/image?size=large"),
        "scripts/nobody".to_owned(),
        "templates/nobody".to_owned(),
        "posts?cursor=garbage".to_owned(),
        "tags/ship".to_owned(),
    ];
    check("items", &uris.each_ref().map(|uri| read(uri)));
}

/// Every post, media item, script and template that a list names can be read, with all that belongs to it.
#[test]
fn everything_that_is_listed_can_be_read() {
    let dir = TestDir::new_demo();
    let mut client = start(&dir, ClientRevision::Modern);
    let mut names = |list: &str, name: &str| -> Vec<String> {
        let read = client.read_resource(&format!("bds://{list}")).unwrap();
        let listed: Value = serde_json::from_str(read["text"].as_str().unwrap()).unwrap();
        listed["items"].as_array().unwrap().iter().map(|item| item[name].as_str().unwrap().to_owned()).collect()
    };
    let mut uris = Vec::new();
    for (list, name, parts, n_items) in [
        ("posts", "id", &["", "/backlinks", "/outlinks", "/media"][..], 12),
        ("posts", "slug", &["", "/backlinks", "/outlinks", "/media"], 12),
        ("media", "id", &["", "/posts", "/image", "/image?size=original"], 3),
        ("scripts", "slug", &[""], 2),
        ("templates", "slug", &[""], 2),
    ] {
        let names = names(list, name);
        assert_eq!(names.len(), n_items, "{list}");
        uris.extend(names.iter().flat_map(|name| parts.iter().map(move |part| format!("bds://{list}/{name}{part}"))));
    }
    for uri in uris {
        let read = client.read_resource(&uri).unwrap_or_else(|error| panic!("{uri}: {error:#}"));
        assert!(read["text"].as_str().is_some_and(|text| text.len() > 2) || read["blob"].is_string(), "{uri}");
    }
}

#[test]
fn searches_match_snapshot() {
    check(
        "searches",
        &[
            json!({"query": "tide"}),
            json!({"query": "\"rule of twelfths\"", "limit": 2}),
            json!({"query": "Erbsen", "language": "de"}),
            json!({"query": "潮汐"}),
            json!({"query": "mizen"}),
            json!({"query": "nothing has this"}),
            json!({"tags": ["navigation"], "limit": 1, "offset": 1}),
            json!({"category": "navigation", "year": 2024, "status": "published", "limit": 1}),
            json!({"missingTranslationLanguage": "ja", "status": "published", "language": "de"}),
            json!({"status": "archived"}),
            json!({"month": 3}),
            json!({"limit": 51}),
            json!({"unknown": 1}),
        ]
        .map(|arguments| call("search_posts", &arguments)),
    );
}

#[test]
fn counts_and_terms_match_snapshot() {
    let counts = [
        json!({"groupBy": ["year", "status"]}),
        json!({"groupBy": ["category", "language"]}),
        json!({"group_by": ["tag"], "year": 2025}),
        json!({"groupBy": ["month"], "tags": ["tides"], "language": "ja"}),
        json!({"groupBy": ["day"]}),
        json!({}),
    ];
    let terms = [
        json!({"term": "navigation"}),
        json!({"term": "Ship"}),
        json!({"term": "picture"}),
        json!({"term": "soup"}),
        json!({"term": ""}),
    ];
    let requests: Vec<_> = counts
        .iter()
        .map(|arguments| call("count_posts", arguments))
        .chain(terms.iter().map(|arguments| call("check_term", arguments)))
        .collect();
    check("counts_and_terms", &requests);
}

#[test]
fn reads_by_tools_match_snapshot() {
    check(
        "tool_reads",
        &[
            call("read_post_by_slug", &json!({"slug": "rule-of-twelfths"})),
            call("read_post_by_slug", &json!({"slug": "rule-of-twelfths", "language": "ja"})),
            call("read_post_by_slug", &json!({"slug": "dog-watches", "language": "de"})),
            call("read_post_by_slug", &json!({"slug": "nobody"})),
            call("get_post_translations", &json!({"postId": POST})),
            call("get_post_translations", &json!({"slug": "dog-watches"})),
            call("get_post_translations", &json!({"postId": PICTURE})),
            call("get_media_translations", &json!({"mediaId": PICTURE})),
            call("get_media_translations", &json!({"media_id": "nobody"})),
            call("search_media", &json!({"query": "flag"})),
            call("search_media", &json!({"tags": ["tides"]})),
            call("search_media", &json!({"missing": "alt"})),
            call("search_media", &json!({"missing": "colour"})),
        ],
    );
}

#[test]
fn prompts_match_snapshot() {
    let get = |name: &str, arguments: Value| ("prompts/get", json!({"name": name, "arguments": arguments}));
    check(
        "prompts",
        &[
            get("content-audit", json!({})),
            get("content-audit", json!({"category": "navigation"})),
            get("draft-blog-post", json!({})),
            get("draft-blog-post", json!({"topic": "A \"quoted\"\nline", "category": "aside"})),
            get("improve-media-metadata", json!({})),
            get("improve-media-metadata", json!({"scope": "missing-alt"})),
            get("improve-media-metadata", json!({"scope": "missing-caption"})),
            get("improve-media-metadata", json!({"scope": "some"})),
            get("nobody", json!({})),
        ],
    );
}

/// Replaces the times of proposals, and tokens, which differ with each run.
fn hide_times(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let is_time =
                    ["createdAt", "created_at", "expiresAt", "expires_at", "decided_at"].contains(&name.as_str());
                let is_token = ["token", "discardToken"].contains(&name.as_str());
                if is_time {
                    *value = "<time>".into();
                } else if is_token && value.is_string() {
                    *value = "<token>".into();
                } else {
                    hide_times(value);
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(hide_times),
        _ => {}
    }
}

/// What changes with each run: times of today and ids that were made.
fn without_ids(text: &str, ids: &[String]) -> String {
    let mut text = text.to_owned();
    for (number, id) in ids.iter().enumerate() {
        text = text.replace(id, &format!("<id {number}>"));
    }
    let today = today();
    let start = format!("{today}T");
    while let Some(at) = text.find(&start) {
        text.replace_range(at..at + "2024-03-09T00:00:00.000Z".len(), "<time>");
    }
    // A path of this month, and a time that a text ends in.
    let month = format!("posts/{}/", today[..7].replace('-', "/"));
    text.replace(&month, "posts/<month>/").replace(&format!("'{}…", &today[..6]), "'<time>…")
}

/// The day in UTC, as the server writes it.
fn today() -> String {
    let output = std::process::Command::new("date").args(["-u", "+%F"]).output().unwrap();
    String::from_utf8(output.stdout).unwrap().trim().to_owned()
}

#[test]
fn proposals_match_snapshot() {
    let dir = TestDir::new_demo();
    let config = dir.write_file("config.toml", "[blog]\naccept = \"agent\"\n").display().to_string();
    let mut client = StdioClient::start_with(&dir, ClientRevision::Modern, &["--service", "blog", "--config", &config]);
    eventually("an answer of now", || {
        let answer = client.call("resources/read", json!({"uri": "bds://stats"}));
        answer["error"].is_null() && !answer.to_string().contains("the files are being")
    });
    let (mut text, mut ids) = (String::new(), Vec::new());
    let mut ask = |method: &str, params: Value, ids: &mut Vec<String>| {
        let mut answer = content(&client.call(method, params.clone()));
        hide_times(&mut answer);
        let made = &answer["structuredContent"];
        let entities = [&made["proposed_script"]["id"], &made["proposed_template"]["id"]];
        ids.extend(
            [&made["proposalId"], &made["post"]["id"]]
                .iter()
                .chain(&entities)
                .filter_map(|id| Some(id.as_str()?.to_owned())),
        );
        text.push_str(&format!("> {method} {params}\n{}\n\n", serde_json::to_string_pretty(&answer).unwrap()));
    };
    let call = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
    for (name, arguments) in [
        ("draft_post", json!({"title": "Knots", "content": "A bowline.", "tags": ["ropes"], "language": "en"})),
        ("propose_post_metadata", json!({"postId": POST, "excerpt": "Another excerpt", "tags": ["tides"]})),
        (
            "propose_post_edit",
            json!({"postId": POST, "edits": [{"find": "Take the range", "replace": "Take the height"}]}),
        ),
        ("propose_media_metadata", json!({"mediaId": PICTURE, "alt": "A picture"})),
        ("upsert_media_translation", json!({"mediaId": PICTURE, "language": "ja", "alt": "\u{5199}"})),
        ("propose_script", json!({"title": "Count", "kind": "utility", "content": "return 1"})),
        ("propose_template", json!({"title": "Card", "kind": "partial", "content": "{{ title | escape }}"})),
        ("propose_script", json!({"title": "Wrong", "kind": "utility", "content": "return return"})),
        ("propose_post_metadata", json!({"postId": "nobody", "title": "x"})),
    ] {
        ask("tools/call", call(name, arguments), &mut ids);
    }
    let proposals: Vec<String> = ids.iter().filter(|id| id.as_bytes()[14] == b'7').cloned().collect();
    for (name, arguments) in [
        ("get_proposal", json!({"proposalId": proposals[0]})),
        ("get_proposal", json!({"proposalId": proposals[1]})),
        ("get_proposal", json!({"proposalId": proposals[5]})),
        ("get_proposal", json!({"proposalId": proposals[6]})),
        ("accept_proposal", json!({"proposalId": proposals[1]})),
        ("accept_proposal", json!({"proposalId": proposals[1]})),
        ("discard_proposal", json!({"proposalId": proposals[0], "reason": "too short"})),
        ("discard_proposal", json!({"proposalId": proposals[1]})),
        ("get_proposal", json!({"proposalId": proposals[0]})),
        ("list_proposals", json!({"status": "accepted"})),
        ("list_proposals", json!({"cursor": "x"})),
        ("accept_proposal", json!({"proposalId": "x"})),
    ] {
        ask("tools/call", call(name, arguments), &mut ids);
    }
    ask("resources/read", json!({"uri": format!("bds://proposals/{}", proposals[3])}), &mut ids);
    ask("resources/read", json!({"uri": "bds://proposals/none"}), &mut ids);
    let mut settings = Settings::clone_current();
    settings.set_omit_expression(true);
    settings.bind(|| assert_snapshot!("proposals", without_ids(&text, &ids)));
}

/// What a client with pages of MCP Apps gets where a person decides: pending proposals, a conflict, and what has expired.
#[test]
fn proposals_of_a_person_match_snapshot() {
    let dir = TestDir::new_demo();
    let mut command = wardroom_command(dir.root());
    command.args(["--service", "blog", "--appdir"]).arg(dir.app_path());
    let capabilities =
        json!({"extensions": {"io.modelcontextprotocol/ui": {"mimeTypes": ["text/html;profile=mcp-app"]}}});
    let mut client = StdioClient::spawn(command, ClientRevision::Modern).declaring(capabilities);
    eventually("an answer of now", || {
        let answer = client.call("resources/read", json!({"uri": "bds://stats"}));
        answer["error"].is_null() && !answer.to_string().contains("the files are being")
    });
    let (mut text, mut ids) = (String::new(), Vec::new());
    let mut ask = |method: &str, params: Value, ids: &mut Vec<String>| {
        let mut answer = content(&client.call(method, params.clone()));
        hide_times(&mut answer);
        ids.extend(answer["structuredContent"]["proposalId"].as_str().map(str::to_owned));
        text.push_str(&format!("> {method} {params}\n{}\n\n", serde_json::to_string_pretty(&answer).unwrap()));
        answer
    };
    let call = |name: &str, arguments: Value| json!({"name": name, "arguments": arguments});
    let dutch = json!({"postId": POST, "language": "nl", "title": "De regel", "content": "Een *regel*."});
    let made = ask("tools/call", call("propose_post_translation", dutch), &mut ids);
    let new_id = made["_meta"]["wardroom/review"]["fields"][0]["proposed"].as_str().unwrap().to_owned();
    let title = call("propose_post_metadata", json!({"postId": POST, "title": "Another title"}));
    ask("tools/call", title, &mut ids);
    ask("tools/call", call("list_proposals", json!({})), &mut ids);
    ask("resources/read", json!({"uri": "bds://proposals"}), &mut ids);
    let [translation, title] = [json!({"proposalId": ids[0]}), json!({"proposalId": ids[1]})];
    let shown = ask("tools/call", call("get_proposal", title.clone()), &mut ids);
    ask("tools/call", call("accept_proposal", title.clone()), &mut ids);
    // Others write another title.
    let path = dir.app_path().join("blog").join(shown["structuredContent"]["target_post"]["path"].as_str().unwrap());
    let source = std::fs::read_to_string(&path).unwrap();
    let line = source.lines().find(|line| line.starts_with("title:")).unwrap();
    std::fs::write(&path, source.replace(line, "title: Their title")).unwrap();
    ask("tools/call", call("get_proposal", title.clone()), &mut ids);
    ask("tools/call", call("accept_proposal", title), &mut ids);
    // Its time is over.
    let file = dir.app_path().join(format!("blog/.wardroom/proposals/{}.json", ids[0]));
    let mut stored: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
    stored["expires_at"] = 1.into();
    std::fs::write(&file, stored.to_string()).unwrap();
    ask("tools/call", call("get_proposal", translation.clone()), &mut ids);
    ask("tools/call", call("accept_proposal", translation), &mut ids);
    ids.push(new_id);
    let mut settings = Settings::clone_current();
    settings.set_omit_expression(true);
    settings.bind(|| assert_snapshot!("proposals_of_a_person", without_ids(&text, &ids)));
}
