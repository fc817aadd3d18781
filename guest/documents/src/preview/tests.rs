//! Previews: their HTML, and that no hostile Markdown gets more into it than text.

use super::*;

fn html(markdown: &str) -> String {
    render(markdown.as_bytes()).unwrap()
}

#[test]
fn markdown_is_rendered() {
    for (markdown, rendered) in [
        ("---\ntitle: x\n---\n# A *b* `c`\n", "<h1>A <em>b</em> <code>c</code></h1>\n"),
        ("a\nb  \n**c** ~~d~~", "<p>a\nb<br>\n<strong>c</strong> <del>d</del></p>\n"),
        ("- a\n- [x] b\n\n3. c", "<ul>\n<li>a</li>\n<li>☑ b</li>\n</ul>\n<ol start=\"3\">\n<li>c</li>\n</ol>\n"),
        ("> q\n\n---\n", "<blockquote>\n<p>q</p>\n</blockquote>\n<hr>\n"),
        ("```html\n<b>&\n```", "<pre><code>&lt;b&gt;&amp;\n</code></pre>\n"),
        (
            "| a |\n|:-:|\n| b |",
            "<table>\n<thead>\n<tr><th>a</th></tr>\n</thead>\n<tbody>\n<tr><td>b</td></tr>\n</tbody>\n</table>\n",
        ),
        ("[a](/x \"t\")", "<p><a href=\"/x\" title=\"t\">a</a></p>\n"),
        (
            "[a](https://b.c/d?e=f&g#h) <mailto:a@b.c>",
            "<p><a href=\"https://b.c/d?e=f&amp;g#h\">a</a> <a href=\"mailto:a@b.c\">mailto:a@b.c</a></p>\n",
        ),
        ("<a@b.c>", "<p><a href=\"mailto:a@b.c\">a@b.c</a></p>\n"),
        ("![a *b* ![c](d)](e.png 't')", "<p><img src=\"e.png\" alt=\"a b c\" title=\"t\"></p>\n"),
        ("[![a](b.png)](/c)", "<p><a href=\"/c\"><img src=\"b.png\" alt=\"a\"></a></p>\n"),
        (
            "a[^n]\n\n[^n]: note",
            "<p>a<sup>n</sup></p>\n<blockquote>\n<p><sup>n</sup></p>\n<p>note</p>\n</blockquote>\n",
        ),
        ("<div>\n<p>a <b>b</b> &lt;</p><p>c</p>\n</div>", "<p>a b &lt;</p>\n<p>c</p>\n"),
        ("a <b>b</b><br>c", "<p>a b c</p>\n"),
        ("a <script>b</script> c", "<p>a  c</p>\n"),
        ("[[gallery id=\"x\"]]", "<p>[[gallery id=&quot;x&quot;]]</p>\n"),
    ] {
        assert_eq!(html(markdown), rendered, "{markdown}");
    }
}

/// Every tag that the writer has, with its attributes' names.
fn assert_is_safe(html: &str, markdown: &str) {
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        rest = &rest[at + 1..];
        let end = rest.find('>').unwrap_or_else(|| panic!("{markdown}: {html}"));
        let (tag, after) = rest.split_at(end);
        let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
        let name = name.strip_prefix('/').unwrap_or(name);
        assert!(
            [
                "p",
                "h1",
                "h2",
                "h3",
                "h4",
                "h5",
                "h6",
                "blockquote",
                "pre",
                "code",
                "ul",
                "ol",
                "li",
                "table",
                "thead",
                "tbody",
                "tr",
                "th",
                "td",
                "em",
                "strong",
                "del",
                "sup",
                "a",
                "img",
                "br",
                "hr"
            ]
            .contains(&name),
            "{markdown}: {html}"
        );
        while !attributes.is_empty() {
            let (attribute, tail) = attributes.split_once("=\"").unwrap_or_else(|| panic!("{markdown}: {html}"));
            let (value, tail) = tail.split_once('"').unwrap_or_else(|| panic!("{markdown}: {html}"));
            assert!(["href", "src", "alt", "title", "start"].contains(&attribute.trim()), "{markdown}: {html}");
            if matches!(attribute.trim(), "href" | "src") {
                // As a browser reads it.
                let value: String = decode(value).chars().filter(|char| *char > ' ').collect();
                let scheme = value
                    .split(['/', '?', '#'])
                    .next()
                    .unwrap()
                    .split_once(':')
                    .map(|(scheme, _)| scheme.to_lowercase());
                assert!(
                    scheme.is_none_or(|scheme| ["http", "https", "mailto"].contains(&&*scheme)),
                    "{markdown}: {html}"
                );
            }
            attributes = tail;
        }
        rest = after;
    }
}

#[test]
fn hostile_markdown_becomes_text() {
    for markdown in [
        "<script>alert(1)</script>",
        "a <script>alert(1)</script> b",
        "<svg onload=alert(1)>",
        "a <svg/onload=alert(1)> b",
        "<img src=x onerror=alert(1)>",
        "a <img src=x onerror=alert(1)> b",
        "<iframe src=\"javascript:alert(1)\"></iframe>",
        "<style>*{display:none}</style></style><b>x",
        "a </style><script>alert(1)",
        "<a href=\"javascript:alert(1)\">x</a>",
        "<form action=/x><input name=a><button>b",
        "<base href=//evil><meta http-equiv=refresh content=0>",
        "<math><mtext></mtext><mglyph><style><!--</style><img title=\"--&gt;&lt;img src=1 onerror=alert(1)&gt;\">",
        "<div><a name=\"\n<img src=x onerror=alert(1)>\">",
        "<noscript><p title=\"</noscript><img src=x onerror=alert(1)>\">",
        "&lt;script&gt;alert(1)&lt;/script&gt;",
        "<div>&lt;script&gt;alert(1)&lt;/script&gt;</div>",
        "<<script>alert(1)//<</script>",
        "<div <b>x",
        "[a](javascript:alert(1))",
        "[a](JaVaScRiPt:alert(1))",
        "[a](<java\tscript:alert(1)>)",
        "[a](java&#10;script:alert(1))",
        "[a](java&Tab;script:alert(1))",
        "[a](&#106;avascript:alert(1))",
        "[a](&#x6A;avascript&colon;alert(1))",
        "[a](javascript&#58;alert(1))",
        "[a](<\u{1}javascript:alert(1)>)",
        "[a](< javascript:alert(1)>)",
        "[a](\u{a0}javascript:alert(1))",
        "[a](&#160;javascript:alert(1))",
        "[a](java\\script:alert(1))",
        "[a](java\u{ad}script:alert(1))",
        "[a](vbscript:x)",
        "[a](data:text/html;base64,PHNjcmlwdD4=)",
        "![a](data:image/svg+xml,<svg/onload=alert(1)>)",
        "![a](javascript:alert(1))",
        "[a](file:///etc/passwd)",
        "[a](blob:x) [b](filesystem:x) [c](ws://x) [d](about:blank) [e](view-source:x)",
        "[a][x]\n\n[x]: javascript:alert(1)",
        "<javascript:alert(1)>",
        "[a](x \"\\\" onmouseover=\\\"alert(1)\")",
        "[a](x '\"><script>alert(1)</script>')",
        "[a](x\"onmouseover=alert(1)//)",
        "![\"><script>alert(1)</script>](x)",
        "![a](x\"onerror=alert(1)//)",
        "![a `\" onerror=\"alert(1)` <b onclick=x>](x)",
        "[a [b](javascript:x) c](/ok)",
        "[![a](javascript:x)](javascript:y)",
        "![a [b](/c) ![d](javascript:x)](javascript:y)",
        "```\"><script>alert(1)</script>\nx\n```",
        "```x onclick=alert(1)\nx\n```",
        "# a {#x onclick=alert(1)}",
        "[^\"><script>]\n\n[^\"><script>]: x",
        "[^onclick=a]\n\n[^onclick=a]: x",
        "| <script> | b |\n|-|-|\n| `<script>` | [a](javascript:x) |",
        "- [ ] <input type=text autofocus onfocus=alert(1)>",
        "a\0b <scr\0ipt>",
        "<!-- --!> <script>alert(1)</script> -->",
        "<!--><script>alert(1)</script>",
        "<![CDATA[<script>alert(1)</script>]]>",
        "<?x <script>alert(1)</script> ?>",
        "<p\u{c}onclick=alert(1)>x",
        "＜script＞alert(1)＜/script＞",
    ] {
        assert_is_safe(&html(markdown), markdown);
    }
}

#[test]
fn refused_links_and_pictures_leave_their_text() {
    assert_eq!(html("[*a*](javascript:x)"), "<p><em>a</em></p>\n");
    assert_eq!(html("![a](data:x)"), "<p>a</p>\n");
    assert_eq!(html("[a ![b](data:x)](/c)"), "<p><a href=\"/c\">a b</a></p>\n");
    assert_eq!(
        html("[a](a:b) [c](./a:b) [d](//e.f) [g](#h:i)"),
        "<p>a <a href=\"./a:b\">c</a> <a href=\"//e.f\">d</a> <a href=\"#h:i\">g</a></p>\n"
    );
}

#[test]
fn random_pieces_of_hostile_markdown_are_safe() {
    let pieces = [
        "<script>",
        "</script>",
        "<a href=\"",
        "javascript:",
        "x",
        "\">",
        "'",
        "[",
        "](",
        ")",
        "![",
        "`",
        "\n",
        "\n\n",
        "<img src=",
        " onerror=a",
        "&lt;",
        "&#60;",
        "<!--",
        "-->",
        "<style>",
        "</style>",
        "\\",
        "*",
        "> ",
        "- ",
        "|",
        "|-|",
        "[^a]",
        "[^a]: ",
        "```",
        "<div>",
        "</div>",
        "data:",
        "<",
        ">",
        "\"",
        "&quot;",
        "[r]: ",
        "<?",
        "<![CDATA[",
        "]]>",
        "\t",
        "\0",
        "é",
        "mailto:",
        "//",
        "{",
        "}",
    ];
    let mut random = 0x9e37_79b9_7f4a_7c15_u64;
    for _ in 0..20_000 {
        let mut markdown = String::new();
        for _ in 0..12 {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            markdown.push_str(pieces[(random % pieces.len() as u64) as usize]);
        }
        if let Ok(html) = render(markdown.as_bytes()) {
            assert_is_safe(&html, &markdown);
        }
    }
}

#[test]
fn limits_hold() {
    let quotes = "\"".repeat(1_000_000);
    assert!(matches!(render(quotes.as_bytes()), Err(ReadError::TooMuch("preview"))));
    let deep = "> ".repeat(100_000);
    assert!(matches!(render(deep.as_bytes()), Err(ReadError::TooDeep(_))));
    // Front matter that is no YAML is no reason to show nothing.
    assert_eq!(html("---\na: b: c\n---\nx"), "<p>x</p>\n");
}
