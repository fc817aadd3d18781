//! Addresses that are posts, and addresses that are not.

use super::*;

fn post(slug: &str, language: Option<&str>) -> Option<PostAddress> {
    Some(PostAddress { slug: slug.into(), language: language.map(Into::into) })
}

fn blog() -> Blog {
    Blog::new(Some("https://example.com/"))
}

#[test]
fn permalinks_are_posts_in_all_their_forms() {
    for before in ["", "/en", "https://example.com", "https://EXAMPLE.com/en", "http://example.com", "//example.com"] {
        let language = before.ends_with("/en").then_some("en");
        for middle in ["/", "/posts/", "/2024/03/", "/2024/03/09/", "/posts/2024/3/", "/posts/2024/3/9/"] {
            for after in ["", "/", ".html", ".htm", "/index.html", "?a=/b", "#c/d", "/?a#b", ".html#x"] {
                let address = format!("{before}{middle}my-post{after}");
                assert_eq!(blog().find_post(&address), post("my-post", language), "{address}");
            }
        }
    }
}

#[test]
fn languages_are_told_from_folders_and_slugs() {
    for (address, found) in [
        ("/pt-br/a", post("a", Some("pt-br"))),
        ("/zh-Hant/2024/03/09/a", post("a", Some("zh-Hant"))),
        ("/es-419/a/", post("a", Some("es-419"))),
        ("/gsw/posts/a", post("a", Some("gsw"))),
        ("/en", post("en", None)),
        ("/en/", post("en", None)),
        ("/posts", post("posts", None)),
        ("/posts/", post("posts", None)),
        ("/en/posts/en", post("en", Some("en"))),
        ("/de/2024/03/a", post("a", Some("de"))),
    ] {
        assert_eq!(blog().find_post(address), found, "{address}");
    }
}

#[test]
fn other_addresses_are_no_posts() {
    for address in [
        "",
        "#top",
        "?q=1",
        "/",
        "//",
        "/tags/x",
        "/category/x/",
        "/tag/x",
        "/media/2024/03/x",
        "/assets/x.png",
        "/x.png",
        "/feed.xml",
        "/2024/03/",
        "/2024/03/09",
        "/2024/13/x",
        "/2024/03/32/x",
        "/20240/03/x",
        "/a/b",
        "/a/b/c/d/e/f/g/h/i",
        "mailto:a@example.com",
        "javascript:x",
        "https://example.org/a",
        "https://example.com.evil.org/a",
        "https://example.community/a",
        "https://example.com",
        "ftp://example.com/a",
        "//other.org/a",
        "tel:1",
        "/.hidden",
        "/a%2Fb",
        "/a%00",
        "/a b",
        "/%ff",
        "..",
        "../",
        "{{ x }}",
        "{% include x %}",
        "/a\\b",
        "data:,x",
    ] {
        assert_eq!(blog().find_post(address), None, "{address:?}");
    }
    assert_eq!(Blog::new(None).find_post("https://example.com/a"), None);
    assert_eq!(blog().find_post(&format!("/{}", "a".repeat(MAX_SLUG_BYTES + 1))), None);
}

#[test]
fn slugs_may_be_escaped_and_in_any_script() {
    for (address, slug) in [
        ("/%C3%BCber-uns", "über-uns"),
        ("/über-uns", "über-uns"),
        ("/2024/03/%E4%B8%AD%E6%96%87", "中文"),
        ("%E4%B8%AD", "中"),
        ("/version-1.2", "version-1.2"),
        ("/100%", "100%"),
        ("/a_b", "a_b"),
        ("/Mixed-Case.HTML", "Mixed-Case"),
    ] {
        assert_eq!(blog().find_post(address), post(slug, None), "{address}");
    }
}

#[test]
fn relative_addresses_and_source_files_are_posts() {
    for (address, found) in [
        ("other-post", post("other-post", None)),
        ("./other-post/", post("other-post", None)),
        ("../other-post", post("other-post", None)),
        ("../../2024/03/other-post/", post("other-post", None)),
        ("other-post.md", post("other-post", None)),
        ("../posts/2024-03-09-other-post.md#part", post("other-post", None)),
        ("other-post.de.md", post("other-post", Some("de"))),
        ("/posts/other-post/index.md", post("other-post", None)),
        ("other-post/_index.md", post("other-post", None)),
        ("other-post.mdx", post("other-post", None)),
        ("/blog/other-post/", post("other-post", None)),
        ("/news/rust/2024/03/09/other-post.html", post("other-post", None)),
        ("/de/news/2024/03/09/other-post", post("other-post", Some("de"))),
        ("/news/rust/other-post.html", post("other-post", None)),
        ("/de/news/other-post.htm#part", post("other-post", Some("de"))),
        ("_posts/2024-03-09-other-post.md", post("other-post", None)),
        ("../notes/other-post.de.md", post("other-post", Some("de"))),
        ("/news/2024/03/09", None),
        ("/news/2024/03/09.html", None),
        ("/tag/other-post.html", None),
        ("/page/2.html", None),
        ("/news/2024/03/other-post", None),
        ("picture.jpg", None),
        ("files/a.pdf", None),
        (".md", None),
    ] {
        assert_eq!(blog().find_post(address), found, "{address}");
    }
}

#[test]
fn folders_of_a_collection_come_before_a_slug() {
    for (address, found) in [
        ("/blog/de/second/", post("second", Some("de"))),
        ("/blog/2025/hello/", post("hello", None)),
        ("/blog/de/2025/hello", post("hello", Some("de"))),
        ("/de/blog/guides/hello/", post("hello", Some("de"))),
        ("/posts/guides/rust/hello.html", post("hello", None)),
        ("https://example.com/blog/js/intro?a#b", post("intro", None)),
        ("/blog/2025", post("2025", None)),
        ("/blog/2025/03/", None),
        ("/blog/2025/03/09", None),
        ("/posts/2024/13", None),
        ("/blog/page/2/", None),
        ("/blog/de/page/2/", None),
        ("/blog/tags/hello", None),
        ("/blog/Category/hello/", None),
        ("/posts/guides/hello.png", None),
        ("/guides/blog/hello", None),
    ] {
        assert_eq!(blog().find_post(address), found, "{address}");
    }
}

#[test]
fn template_expressions_name_posts() {
    for (address, found) in [
        ("{% post_url 2024-03-09-other-post %}", post("other-post", None)),
        ("% post_url /sub/2024-03-09-other-post %", post("other-post", None)),
        ("{% link _posts/2024-03-09-other-post.md %}", post("other-post", None)),
        ("{ site.baseurl }}{% post_url 2024-03-09-other-post %", post("other-post", None)),
        ("{{ site.baseurl }}/2024/03/09/other-post/#x", post("other-post", None)),
        ("{{ '/other-post/' | relative_url }}", post("other-post", None)),
        ("{{< ref \"other-post\" >}}", post("other-post", None)),
        ("{  relref \"/posts/other-post.md#x\"  }", post("other-post", None)),
        ("{{% ref `blog/other-post/index.md` %}}", post("other-post", None)),
        ("{{< ref \"\" >}}", None),
        ("{{ site.url }}", None),
        ("{% link assets/a.pdf %}", None),
    ] {
        assert_eq!(blog().find_post(address), found, "{address}");
    }
}

#[test]
fn blog_in_a_folder_of_its_host_has_it_in_its_links() {
    let blog = Blog::new(Some("https://example.com/blog"));
    for address in ["/blog/a", "/a", "https://example.com/blog/a", "/blog/2024/03/09/a"] {
        assert_eq!(blog.find_post(address), post("a", None), "{address}");
    }
    assert_eq!(blog.find_post("https://example.com/a"), None);
    assert_eq!(blog.find_post("/blogroll"), post("blogroll", None));
    for url in ["", "example.com", "https://", "://"] {
        assert_eq!(Blog::new(Some(url)).find_post("https://example.com/a"), None, "{url}");
    }
}
