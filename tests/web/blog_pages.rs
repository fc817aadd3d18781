//! The pages of the blog: what they show, and where their links lead.

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::review_server::{ReviewServer, Visitor, blog_dir, write_post};
use wardroom_test_support::{TestDir, eventually};

/// A picture of one pixel.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/// A blog with three posts, a translation and a picture.
pub(crate) fn example() -> TestDir {
    let dir = blog_dir();
    write_post(
        &dir,
        "harbour",
        "title: The harbour\nstatus: published\ntags: [sea, ships]\ncategories: [article]\nauthor: Ada\nexcerpt: Ships at rest\n",
        "# Ships\n\nMany **ships** are in the harbour. [The tide](/2024/03/09/tide)\n\n![A dot](/media/2024/03/dot.png)",
    );
    write_post(
        &dir,
        "tide",
        "title: The tide\nstatus: draft\ntags: [sea]\n",
        "Water rises. [Harbour](/2024/03/09/harbour)",
    );
    write_post(&dir, "winter", "title: Winter\nstatus: archived\nlanguage: en\n", "Snow falls.");
    let id = std::fs::read_to_string(dir.app_path().join("blog/posts/2024/03/winter.md")).unwrap();
    let id = id.lines().find_map(|line| line.strip_prefix("id: ")).unwrap();
    dir.write_file(
        "blog/posts/2024/03/winter.de.md",
        format!("---\ntranslationFor: {id}\nlanguage: de\ntitle: Der Winter\n---\nSchnee fällt.\n"),
    );
    dir.write_file("blog/media/2024/03/dot.png", STANDARD.decode(PNG).unwrap());
    let harbour = std::fs::read_to_string(dir.app_path().join("blog/posts/2024/03/harbour.md")).unwrap();
    let harbour = harbour.lines().find_map(|line| line.strip_prefix("id: ")).unwrap();
    dir.write_file(
        "blog/media/2024/03/dot.png.meta",
        format!("---\nid: dot\ntitle: \"A dot\"\nalt: \"A red dot\"\nmimeType: image/png\nlinkedPostIds: [\"{harbour}\"]\n---\n"),
    );
    dir
}

fn signed_in(dir: &TestDir) -> (ReviewServer, Visitor) {
    let server = ReviewServer::start(dir);
    let visitor = server.visitor_of(3);
    eventually("the media are in the index", || visitor.get("/review/blog/media").text().contains("1 item<"));
    (server, visitor)
}

#[test]
fn posts_are_listed_with_what_they_say_of_themselves() {
    let dir = example();
    let (_server, visitor) = signed_in(&dir);
    let page = visitor.get("/review/blog").expect(200);
    for text in [
        "Posts of Harbour notes",
        "The harbour",
        "Ships at rest",
        ">draft<",
        ">archived<",
        "2024-03-09",
        ">ships<",
        ">de<",
    ] {
        assert!(page.text().contains(text), "{text}: {}", page.text());
    }
    assert!(page.text().contains("href=\"/review/blog\" aria-current=\"page\""), "{}", page.text());
}

#[test]
fn search_has_the_filters_of_the_tool() {
    let dir = example();
    let (_server, visitor) = signed_in(&dir);
    let titles = |query: &str| {
        let page = visitor.get(&format!("/review/blog?{query}")).expect(200);
        let titles = page.text().split(" data-item>").skip(1).map(|rest| rest.split('<').next().unwrap().to_owned());
        titles.collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>().join(", ")
    };
    assert_eq!(titles("q=ships"), "The harbour");
    assert_eq!(titles("q=schnee"), "Winter");
    assert_eq!(titles("tag=sea"), "The harbour, The tide");
    assert_eq!(titles("tag=sea&status=draft"), "The tide");
    assert_eq!(titles("language=de&q=&tag="), "Winter");
    assert_eq!(titles("missing=de&category=Article"), "The harbour");
    assert_eq!(titles("year=2024&month=4"), "");
    let page = visitor.get("/review/blog?q=ships").expect(200);
    assert!(page.text().contains("# <mark>Ships</mark> Many **ships** are"), "{}", page.text());
    // What is wrong is said beside the form.
    let page = visitor.get("/review/blog?month=3&q=a%26b").expect(400);
    assert!(
        page.text().contains("month requires year") && page.text().contains("value=\"a&amp;b\""),
        "{}",
        page.text()
    );
    for wrong in ["year=x", "status=lost", "offset=-1", "language=german!"] {
        visitor.get(&format!("/review/blog?{wrong}")).expect(400);
    }
}

#[test]
fn post_has_its_links_its_source_and_its_preview() {
    let dir = example();
    let (_server, visitor) = signed_in(&dir);
    let page = visitor.get("/review/blog/posts/harbour").expect(200);
    for text in [
        "<h1>The harbour</h1>",
        "Ada",
        "Many **ships** are",
        "Links here (1)",
        "Links to (1)",
        "The tide</a>",
        "Media (1)",
    ] {
        assert!(page.text().contains(text), "{text}: {}", page.text());
    }
    let frame = page.between("<iframe class=\"preview\" src=\"", "\"");
    assert!(page.text().contains("sandbox=\"\""));
    let preview = visitor.get(frame).expect(200);
    assert!(preview.text().contains("<strong>ships</strong>"), "{}", preview.text());
    // The picture of the blog is part of the document.
    assert!(preview.text().contains("<img src=\"data:image/"), "{}", preview.text());
    assert!(preview.text().contains("\" alt=\"A dot\">"), "{}", preview.text());
    let policy = preview.0.header("content-security-policy").unwrap();
    assert!(policy.starts_with("sandbox; default-src 'none'; img-src data:; style-src 'sha256-"), "{policy}");
    assert!(policy.ends_with("form-action 'none'; base-uri 'none'; frame-ancestors 'self'"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    for (name, value) in super::review_server::SECURITY_HEADERS {
        assert_eq!(preview.0.header(name), Some(value), "{name}");
    }
}

#[test]
fn link_of_any_tag_finds_its_posts() {
    let dir = blog_dir();
    write_post(&dir, "one", "title: One\ntags: ['C++ & co/100% #1?=ü']\n", "x");
    write_post(&dir, "two", "title: Two\ntags: [C]\n", "x");
    let server = ReviewServer::start(&dir);
    let visitor = server.visitor_of(2);
    let page = visitor.get("/review/blog/posts/one").expect(200);
    let link = page.between("<a class=\"tag\" href=\"/review/blog?tag=", "\"").to_owned();
    let found = visitor.get(&format!("/review/blog?tag={link}")).expect(200);
    assert!(found.text().contains("1 post<") && found.text().contains("One</a>"), "{}", found.text());
}

#[test]
fn hidden_characters_of_titles_are_shown_by_their_numbers() {
    let dir = example();
    write_post(&dir, "hidden", "title: \"Price\u{202E}s\u{E01F0}\"\nstatus: draft\n", "A text.");
    let server = ReviewServer::start(&dir);
    let visitor = server.visitor_of(4);
    for path in ["/review/blog?status=draft", "/review/blog/posts/hidden", "/review/blog/posts/hidden/preview"] {
        let page = visitor.get(path).expect(200);
        let text = page.text();
        assert!(text.contains("Price⟨U+202E⟩s⟨U+E01F0⟩"), "{path}: {text}");
        assert!(!text.contains('\u{202E}') && !text.contains('\u{E01F0}'), "{path}: {text}");
    }
}

#[test]
fn preview_tries_no_more_pictures_than_it_shows() {
    let dir = example();
    dir.write_file("blog/media/2024/03/broken.png", &STANDARD.decode(PNG).unwrap()[..40]);
    let sidecar = std::fs::read_to_string(dir.app_path().join("blog/media/2024/03/dot.png.meta")).unwrap();
    dir.write_file("blog/media/2024/03/broken.png.meta", sidecar.replace("id: dot", "id: broken"));
    let body = "![No picture](/media/2024/03/broken.png)\n\n".repeat(12) + "![A dot](/media/2024/03/dot.png)";
    write_post(&dir, "broken", "title: Broken\n", &body);
    let server = ReviewServer::start(&dir);
    let visitor = server.visitor_of(4);
    eventually("the media are in the index", || visitor.get("/review/blog/media").text().contains("2 items<"));
    let preview = visitor.get("/review/blog/posts/broken/preview").expect(200);
    assert_eq!(preview.text().matches("src=\"data:image/").count(), 0, "{}", preview.text());
    assert_eq!(preview.text().matches("src=\"/media/2024/03/").count(), 13);
}

#[test]
fn preview_shows_some_pictures_and_no_more() {
    let dir = example();
    let pictures =
        "![A dot](/media/2024/03/d%6Ft.png)\n\n".to_owned() + &"![A dot](/media/2024/03/dot.png)\n\n".repeat(13);
    write_post(&dir, "gallery", "title: Gallery\n", &pictures);
    let server = ReviewServer::start(&dir);
    let visitor = server.visitor_of(4);
    eventually("the media are in the index", || visitor.get("/review/blog/media").text().contains("1 item<"));
    let preview = visitor.get("/review/blog/posts/gallery/preview").expect(200);
    assert_eq!(preview.text().matches("src=\"data:image/").count(), 12);
    assert_eq!(preview.text().matches("src=\"/media/2024/03/dot.png\"").count(), 2);
}

#[test]
fn translation_is_shown_in_its_language() {
    let dir = example();
    let (_server, visitor) = signed_in(&dir);
    let page = visitor.get("/review/blog/posts/winter?language=de").expect(200);
    assert!(page.text().contains("<div lang=\"de\"><h1>Der Winter</h1>"), "{}", page.text());
    let preview = visitor.get(page.between("<iframe class=\"preview\" src=\"", "\"")).expect(200);
    assert!(
        preview.text().contains("<html lang=\"de\">") && preview.text().contains("Schnee fällt."),
        "{}",
        preview.text()
    );
    visitor.get("/review/blog/posts/winter?language=fr").expect(404);
}

#[test]
fn other_sections_show_names_media_and_days() {
    let dir = example();
    let (_server, visitor) = signed_in(&dir);
    let names = visitor.get("/review/blog/tags").expect(200);
    assert!(names.text().contains("href=\"/review/blog?tag=sea\""), "{}", names.text());
    assert!(visitor.get("/review/blog/media").expect(200).text().contains("alt=\"A red dot\""));
    let item = visitor.get("/review/blog/media/dot").expect(200);
    assert!(item.text().contains("The harbour</a>"), "{}", item.text());
    let picture = visitor.get("/review/blog/media/dot/thumbnail").expect(200).0;
    assert!(picture.header("content-type").unwrap().starts_with("image/"), "{picture:?}");
    assert_eq!(picture.header("content-security-policy"), Some("sandbox; default-src 'none'; frame-ancestors 'none'"));
    let calendar = visitor.get("/review/blog/calendar").expect(200);
    assert!(calendar.text().contains("aria-label=\"3 posts on 9 March\""), "{}", calendar.text());
    assert!(visitor.get("/review/blog/calendar/2023").expect(200).text().contains("0 posts"));
    for missing in
        ["calendar/x", "calendar/0", "media/none", "media/none/thumbnail", "posts/none", "posts/none/preview", "x/y"]
    {
        visitor.get(&format!("/review/blog/{missing}")).expect(404);
    }
}

/// Returns the addresses of this server that a page names.
fn links(page: &str) -> impl Iterator<Item = String> {
    let named = |attribute: &'static str| page.split(attribute).skip(1).map(|rest| rest.split('"').next().unwrap());
    let all: Vec<_> = named("href=\"").chain(named("src=\"")).chain(named("action=\"")).collect();
    all.into_iter()
        .filter(|link| link.starts_with('/'))
        .map(|link| link.replace("&amp;", "&"))
        .collect::<Vec<_>>()
        .into_iter()
}

#[test]
fn every_link_leads_to_a_page_and_nothing_needs_a_script() {
    let dir = example();
    let (_server, visitor) = signed_in(&dir);
    let (mut known, mut left) = (BTreeSet::new(), vec!["/review".to_owned()]);
    while let Some(path) = left.pop() {
        if !known.insert(path.clone()) || path == "/review/sign-out" {
            continue;
        }
        let page = visitor.get(&path);
        assert_eq!(page.0.status, 200, "{path}");
        let text = String::from_utf8_lossy(&page.0.body);
        if page.0.header("content-type") != Some("text/html; charset=utf-8") || path.contains("/preview") {
            continue;
        }
        // One script file, no handlers, no styles, and no buttons outside forms.
        assert_eq!(text.matches("<script").count(), 1, "{path}");
        let lower = text.to_lowercase();
        assert!(!lower.contains(" onclick") && !lower.contains(" style=") && !lower.contains("javascript:"), "{path}");
        assert!(!lower.contains("<button type=\"button\""), "{path}");
        assert_eq!(text.matches("<h1").count(), 1, "{path}");
        left.extend(links(&text));
    }
    assert!(known.len() > 20, "{known:?}");
}

#[test]
fn long_list_has_pages() {
    let dir = blog_dir();
    for number in 0..120 {
        write_post(&dir, &format!("post-{number:03}"), &format!("title: Post {number:03}\ntags: [a]\n"), "x");
    }
    let server = ReviewServer::start(&dir);
    let visitor = server.visitor_of(120);
    let mut path = "/review/blog?tag=a".to_owned();
    let mut titles = BTreeSet::new();
    for n_shown in [50, 50, 20] {
        let page = visitor.get(&path).expect(200);
        let shown: Vec<_> = page.text().split(" data-item>Post ").skip(1).map(|rest| rest[..3].to_owned()).collect();
        assert_eq!(shown.len(), n_shown);
        titles.extend(shown);
        if n_shown == 50 {
            path = page.between("rel=\"next\" href=\"", "\"").replace("&amp;", "&");
        } else {
            assert!(!page.text().contains("rel=\"next\""));
        }
    }
    assert_eq!(titles.len(), 120);
}
