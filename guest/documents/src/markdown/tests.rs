//! Bodies: text, excerpt, links and headings, and the limits of each.

use super::*;

fn body(markdown: &str) -> Body {
    read(markdown, &Blog::default()).unwrap()
}

fn text(markdown: &str) -> String {
    body(markdown).text
}

fn links(markdown: &str) -> Vec<(String, String)> {
    body(markdown).links.into_iter().map(|link| (link.slug, link.text)).collect()
}

#[test]
fn text_has_a_line_for_each_part_that_a_reader_sees() {
    let markdown = "# A *title* with `code`\n\nA paragraph\nover **two** [lines](https://example.org \"title\").\\\nHard  break.\n\n\
                    - one\n- two\n  - deep\n\n    more\n- [x] done\n\n1. first\n2. second\n\n> quoted\n> text\n\n```rust\nfn a() {\n\n    b();\n}\n```\n\n\
                    | a | b |\n| - | - |\n| c | **d** |\n\n---\n\nNote[^1] &amp; ~~gone~~ &copy;\n\n[^1]: The note.\n\n    indented\n\n\
                    ![Alt *text*](x.png)\n\nSetext\n======\n";
    assert_eq!(
        text(markdown),
        "A title with code\nA paragraph over two lines. Hard break.\none\ntwo\ndeep\nmore\ndone\nfirst\nsecond\nquoted text\n\
         fn a() {\n    b();\n}\na b\nc d\nNote & gone ©\nThe note.\nindented\nAlt text\nSetext"
    );
}

#[test]
fn macros_and_shortcodes_are_text() {
    for markdown in ["[[gallery id=\"x\"]]", "{{< figure src=\"a.png\" >}}", "{% include a.html %}", "{{ page.title }}"]
    {
        assert_eq!(text(markdown), markdown);
        assert!(links(markdown).is_empty());
    }
    assert_eq!(text("See [[photo slug=\"a-b\"]] there."), "See [[photo slug=\"a-b\"]] there.");
}

#[test]
fn html_shows_its_text_alone() {
    for (markdown, shown) in [
        (
            "<div class=\"x\">\n<p>Hello <b>big</b>\nworld</p>\n<p>Second &auml;</p></div>\n",
            "Hello big world\nSecond ä",
        ),
        ("a <b>b</b><br>c <i\nclass='x'>d</i>", "a b c d"),
        ("<script>\nalert(1) // <p>\n</script>\n\nafter", "after"),
        ("a <script>alert(1)</script> b", "a b"),
        ("<style>\np { color: red }\n\np { }\n</style>\nafter", "after"),
        ("<!-- comment\n\nmore -->\n\nafter", "after"),
        ("<ul><li>one</li><li>two</li></ul>", "one\ntwo"),
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>c</td></tr></table>", "a b\nc"),
        ("<img src=\"a.png\" alt=\"A picture\">", "A picture"),
        ("<pre>\n  a\n  b</pre>", "a b"),
        ("<h2>Title</h2>text", "Title\ntext"),
        ("> <div>\n> quoted\n> </div>", "quoted"),
        ("a <script>b\n\nc", "a\nc"),
    ] {
        assert_eq!(text(markdown), shown, "{markdown}");
    }
}

#[test]
fn excerpt_is_the_first_paragraph_or_ends_at_the_mark() {
    for (markdown, excerpt) in [
        ("# Title\n\nFirst *one*.\n\nSecond.", "First one."),
        ("- item\n\n```\ncode\n```\n\n| a |\n| - |\n\nText", "Text"),
        ("![Only a picture](a.png)\n\nText", "Text"),
        ("![A picture](a.png) and words", "A picture and words"),
        ("> A quote.\n\nText", "A quote."),
        ("[[gallery]]\n\n{{< figure src=\"a\" >}}\n\n{% include a %}\n\n[[a]] and [[b]]", "[[a]] and [[b]]"),
        ("<p>In HTML.</p><p>Second.</p>", "In HTML."),
        ("# Only\n\n- a list", ""),
        ("", ""),
        ("# T\n\nOne.\n\n- two\n\n<!--more-->\n\nThree.", "One. two"),
        ("One.\n\n<!-- more -->\n\nTwo.\n\n<!--more-->\n", "One."),
        ("One <!--more Read on--> two.", "One"),
        ("One. <!--moreover--> two.", "One. two."),
        ("<!--more-->\n\nOne.", "One."),
        ("<p>One.</p>\n<p>Two.</p>\n<!--more-->\n<p>Three.</p>", "One. Two."),
    ] {
        assert_eq!(body(markdown).excerpt, excerpt, "{markdown}");
    }
    let long = "word ".repeat(200) + "\n\nmore";
    assert_eq!(body(&long).excerpt.chars().count(), 299);
    let marked = "word ".repeat(200) + "\n\n<!--more-->";
    assert_eq!(body(&marked).excerpt.chars().count(), 299);
}

#[test]
fn links_are_found_in_markdown_and_html_but_not_in_code() {
    for (markdown, found) in [
        ("[A *b* `c`](/a)", vec![("a", "A b c")]),
        ("[a][r] and [r]\n\n[r]: /2024/03/09/x 'T'", vec![("x", "a"), ("x", "r")]),
        ("[![Alt](p.png)](/a)", vec![("a", "Alt")]),
        ("![Alt](/a)", vec![]),
        ("`[a](/a)`\n\n    [b](/b)\n\n```\n[c](/c) <a href=\"/d\">d</a>\n```", vec![]),
        ("x <a href=\"/a\">A <b>c</b></a> y", vec![("a", "A c")]),
        ("<div>\n<a class='x' href='/2024/03/a/'>A\nb</a>, <a href=/c>C</a></div>", vec![("a", "A b"), ("c", "C")]),
        ("<A HREF=\"/a&#45;b\">t</A>", vec![("a-b", "t")]),
        ("<pre><a href=\"/a\">t</a></pre>\n\n<code><a href=\"/b\">t</a></code> <a href=\"/c\">c</a>", vec![("c", "c")]),
        ("<script>'<a href=\"/a\">'</script>\n\n<!-- <a href=\"/b\">b</a> -->", vec![]),
        ("<a href=\"/a\">one <a href=\"/b\">two", vec![("a", "one"), ("b", "two")]),
        ("<div><a href=\"/a\"><h2>Title</h2><p>More</p></a></div>", vec![("a", "Title")]),
        ("<a name=x>t</a> [empty](/e) [](/f)", vec![("e", "empty"), ("f", "")]),
        ("[x](<\\/a b>) [y](/ok \"(\") \\[z](/z)", vec![("ok", "y")]),
        ("[a](/a)[^1]\n\n[^1]: [b](/b)", vec![("a", "a"), ("b", "b")]),
        ("| [a](/a) |\n| - |\n| [b](/b) |", vec![("a", "a"), ("b", "b")]),
        ("# [h](/h)", vec![("h", "h")]),
        ("[a]({% post_url 2024-03-09-x %}) and [b]({{< relref \"y.md\" >}} \"t\")", vec![("x", "a"), ("y", "b")]),
        ("<a href=\"{{ site.baseurl }}{% post_url 2024-03-09-x %}\">a</a>", vec![("x", "a")]),
        ("{% highlight md %}\n[a](/a)\n{% endhighlight %}\n\n[b](/b)", vec![("b", "b")]),
        ("{{< highlight html >}}\n<a href=\"/a\">a</a>\n\n[c](/c)\n\n{{< /highlight >}}\n\n[b](/b)", vec![("b", "b")]),
        (
            "`{% highlight %}` [a](/a)\n\n    {% highlight %}\n\n[b](/b) highlight [c](/c)",
            vec![("a", "a"), ("b", "b"), ("c", "c")],
        ),
        ("<a href='/a'>in [b](/b) c</a>", vec![("a", "in b c"), ("b", "b")]),
    ] {
        let expected: Vec<_> = found.into_iter().map(|(slug, text)| (slug.to_owned(), text.to_owned())).collect();
        assert_eq!(links(markdown), expected, "{markdown}");
    }
}

#[test]
fn template_addresses_do_not_change_what_is_read() {
    let markdown = "a `[b]({% c %})` d [e]({{ x }}) f\n\n```\n[g]({{< ref \"h\" >}})\n```\n\n\\[i]({{ j }})";
    assert_eq!(text(markdown), "a [b]({% c %}) d e f\n[g]({{< ref \"h\" >}})\n[i]({{ j }})");
}

#[test]
fn links_and_headings_have_their_places() {
    let markdown = "# One\n\ntext [a](/a)\n> ## *Two* [b](/b)\n\n<div>\n<p>\n<a href=\"/c\">c</a>\n</div>\n\n- x\n\n  Three\n  ---\n";
    let body = body(markdown);
    let at = |needle| markdown.find(needle).unwrap();
    let links: Vec<usize> = body.links.iter().map(|link| link.at).collect();
    assert_eq!(links, [at("[a]"), at("[b]"), at("<a href")]);
    let headings: Vec<(u8, &str, usize)> = body.headings.iter().map(|h| (h.level, &*h.text, h.at)).collect();
    assert_eq!(headings, [(1, "One", 0), (2, "Two b", at("## ")), (2, "Three", at("Three"))]);
}

#[test]
fn imports_of_mdx_are_not_read() {
    let markdown = "import A from './a.astro';\nimport 'x.css'\n\nimport { b } from \"b\";\n\n# T [a](/a)\n";
    let body = body(markdown);
    assert_eq!(body.text, "T a");
    assert_eq!((body.links[0].at, body.headings[0].at), (markdown.find("[a]").unwrap(), markdown.find('#').unwrap()));
    for markdown in ["import duties are \"high\"", "Text\n\nimport a from 'b'", "import a from b", "importing 'x'"] {
        assert_eq!(text(markdown), markdown.replace("\n\n", "\n"));
    }
}

#[test]
fn limits_hold() {
    let at_limit = "[a](/a) ".repeat(MAX_LINKS);
    assert_eq!(body(&at_limit).links.len(), MAX_LINKS);
    assert_eq!(read(&format!("{at_limit}[a](/a)"), &Blog::default()), Err(ParseError::TooMuch("links")));
    let html = "<a href=/a>a</a> ".repeat(MAX_LINKS + 1);
    assert_eq!(read(&html, &Blog::default()), Err(ParseError::TooMuch("links")));
    let foreign = "[a](https://example.org) ".repeat(MAX_LINKS + 1);
    assert!(read(&foreign, &Blog::default()).is_ok());
    let headings = "# a\n".repeat(MAX_HEADINGS + 1);
    assert_eq!(read(&headings, &Blog::default()), Err(ParseError::TooMuch("headings")));
    let entities = "&nGt;".repeat(70_000);
    let entities = "a".repeat(MAX_TEXT_BYTES - entities.len()) + &entities;
    assert_eq!(read(&entities, &Blog::default()), Err(ParseError::TooMuch("text")));
    let deep = format!("a\n{}b", "> ".repeat(50_000));
    assert_eq!(read(&deep, &Blog::default()), Err(ParseError::TooDeep { at: 2 }));
}

const HOSTILE: &[&str] = &[
    "[",
    "![",
    "[](",
    "[a](",
    "[a][",
    "*a ",
    "**a *b ",
    "_a",
    "__a _b ",
    "`",
    "`a",
    "`a``b",
    "~~a ",
    "<a",
    "<a href=\"",
    "<a b ",
    "<!--",
    "<!-- a\n\n",
    "<?",
    "<![CDATA[",
    "&a;",
    "&#",
    "\\",
    "\\|",
    "|",
    "|a\n",
    "# ",
    "#\n",
    "- a\n\n",
    "- [ ] ",
    "1) a\n",
    "a\n",
    "a  \n",
    "[^a]: ",
    "[^a]",
    "[a]: <",
    "[a]: /x\n",
    "[[a]",
    "<a@b.c>",
    "\t",
    "\u{a0}",
    "\0",
    "<div>\n\n",
    "<pre>\n\n",
    "](",
    "]({{",
    "]({% a %}",
    "***",
    "a***b",
    "====\n",
    "```\n",
    "~~~\n> ",
    "> a\nb\n",
    "- a\nb\n",
    "é*",
    "<script>",
    "</a>",
    "<!--more-->",
    "\r",
];

/// The number of events and the length of the text grow no faster than hostile Markdown.
#[test]
fn events_and_text_of_hostile_markdown_are_linear() {
    for piece in HOSTILE {
        for (before, length) in
            [("", 70_000), ("> > > ", 10_000), ("- - ", 10_000), ("|a|\n|-|\n", 10_000), ("[a]: /x\n\n", 10_000)]
        {
            let markdown = format!("{before}{}", piece.repeat(length / piece.len()));
            match read(&markdown, &Blog::default()) {
                Ok(body) => {
                    assert!(body.text.len() <= 3 * markdown.len(), "{piece} {}", body.text.len());
                    assert!(body.excerpt.chars().count() <= 300);
                }
                Err(error) => {
                    assert!(matches!(error, ParseError::TooMuch(_) | ParseError::TooDeep { .. }), "{piece}");
                }
            }
            let events = Parser::new_ext(&markdown, OPTIONS).take(3 * markdown.len()).count();
            assert!(events < 3 * markdown.len(), "{piece}");
        }
    }
}
