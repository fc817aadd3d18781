//! Posts that try to run something on the page of a person who reads them.

use super::review_server::{ReviewServer, blog_dir, write_post};
use wardroom_test_support::eventually;

/// A text that runs where it is not escaped, in any place of HTML.
pub(crate) const ATTACK: &str = "\"'><script>attack()</script><img src=x onerror=attack()>";

/// Writes a blog with the attack in every field.
pub(crate) fn hostile_blog() -> wardroom_test_support::TestDir {
    let dir = blog_dir();
    let quoted = ATTACK.replace('\'', "''");
    let fields = ["title", "excerpt", "author", "templateSlug"].map(|name| format!("{name}: '{quoted}'\n")).concat();
    let fields = format!("{fields}tags: ['{quoted}']\ncategories: ['{quoted}']\nstatus: draft\n");
    write_post(&dir, "hostile", &fields, &format!("{ATTACK} word [link](javascript:attack()) `{ATTACK}`"));
    write_post(&dir, "other", "title: Other\n", "[to](/2024/03/09/hostile) word");
    let project = serde_json::json!({"name": ATTACK, "mainLanguage": "en", "description": ATTACK});
    dir.write_file("blog/meta/project.json", project.to_string());
    dir.write_file("blog/meta/tags.json", serde_json::json!([{"name": ATTACK, "color": ATTACK}]).to_string());
    dir.write_file("blog/media/2024/03/a.txt", "no picture");
    let sidecar = ["title", "alt", "caption", "author", "originalName", "mimeType"];
    let sidecar = sidecar.map(|name| format!("{name}: '{quoted}'\n")).concat();
    dir.write_file("blog/media/2024/03/a.txt.meta", format!("---\nid: m1\n{sidecar}tags: ['{quoted}']\n---\n"));
    dir
}

/// The pages on which the fields are shown.
pub(crate) fn hostile_pages() -> [String; 12] {
    let encoded = ATTACK.bytes().map(|byte| format!("%{byte:02X}")).collect::<String>();
    [
        "/review/blog".to_owned(),
        "/review/blog?q=word".to_owned(),
        format!("/review/blog?q={encoded}"),
        format!("/review/blog?tag={encoded}&category={encoded}&year={encoded}&language={encoded}"),
        "/review/blog/posts/hostile".to_owned(),
        "/review/blog/posts/other".to_owned(),
        format!("/review/blog/posts/{encoded}"),
        "/review/blog/tags".to_owned(),
        "/review/blog/media".to_owned(),
        "/review/blog/media/m1".to_owned(),
        format!("/review/{encoded}"),
        format!("/review/blog/calendar/{encoded}"),
    ]
}

#[test]
fn every_field_is_escaped() {
    let dir = hostile_blog();
    let server = ReviewServer::start(&dir);
    let visitor = server.visitor_of(2);
    eventually("the media are in the index", || visitor.get("/review/blog/media").text().contains("1 item<"));
    let mut n_shown = 0;
    for path in hostile_pages() {
        let page = visitor.get(&path);
        assert!(matches!(page.0.status, 200 | 400 | 404), "{path}: {}", page.0.status);
        assert!(!page.text().contains("<script>") && !page.text().contains("<img src=x"), "{path}: {}", page.text());
        // The quotation mark that ends an attribute.
        assert!(!page.text().contains("\"\"'>"), "{path}: {}", page.text());
        n_shown += page.text().matches("&lt;script&gt;attack()").count();
    }
    assert!(n_shown > 20, "{n_shown}");
    let preview = visitor.get("/review/blog/posts/hostile/preview").expect(200);
    assert!(!preview.text().contains("<script>") && !preview.text().contains("javascript:"), "{}", preview.text());
    assert!(!preview.text().contains("<img src=x"), "{}", preview.text());
}

#[test]
fn file_that_is_no_picture_is_not_sent() {
    let dir = hostile_blog();
    let server = ReviewServer::start(&dir);
    let visitor = server.visitor_of(2);
    eventually("the media are in the index", || visitor.get("/review/blog/media").text().contains("1 item<"));
    let refused = visitor.get("/review/blog/media/m1/thumbnail").expect(400);
    assert!(refused.text().contains("is not shown as a picture") && !refused.text().contains("no picture<"));
}
