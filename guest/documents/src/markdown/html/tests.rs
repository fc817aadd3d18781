//! Pieces of HTML, well-formed and not.

use super::*;

fn shown(html: &str) -> String {
    let piece = |piece| match piece {
        Piece::Text(text) => format!("T({})", decode(text)),
        Piece::Comment(text) => format!("C({text})"),
        Piece::Hidden => "H".to_owned(),
        Piece::Open(tag) => format!("<{}>", tag.name),
        Piece::Close(name) => format!("</{name}>"),
    };
    Pieces::new(html).map(piece).collect()
}

#[test]
fn html_is_split_into_pieces() {
    for (html, pieces) in [
        ("a <b>c</b>", "T(a )<b>T(c)</b>"),
        ("1 < 2 <3 &lt; 4", "T(1 )T(< 2 )T(<3 < 4)"),
        ("<!-- a > b -->c<!doctype x>d<?php e ?>f", "C( a > b )T(c)HT(d)HT(f)"),
        ("<a title=\"x > y\" href='z'>t</a >", "<a>T(t)</a>"),
        ("<script>a<b></scr></SCRIPT>b", "<script>H</SCRIPT>T(b)"),
        ("<style>a", "<style>H"),
        // A browser shows these texts.
        ("<!-->a<!--->b<!-- c --!>d", "C()T(a)C()T(b)C( c )T(d)"),
        ("<b a=x\"y>c<i title=\">\">d", "<b>T(c)<i>T(d)"),
        ("<a =\">b<a b= =\">c<a b=c\"d='>e<a b/=\">f", "<a>T(b)<a>T(c)<a>T(e)<a>T(f)"),
        ("<style_x>a</style_x>", "<style_x>T(a)</style_x>"),
        ("<style></stylex></style>a", "<style>H</style>T(a)"),
        ("<plaintext><script>a", "<plaintext>T(<script>a)"),
        ("<xmp>a<b></XMP>b", "<xmp>T(a<b>)</XMP>T(b)"),
        ("<textarea><p></textarea>", "<textarea>T(<p>)</textarea>"),
        ("<p", "<p>"),
        ("<a b=\"c>d", "<a>"),
        ("<!-- open", "C( open)"),
        ("</", "T(</)"),
        ("", ""),
    ] {
        assert_eq!(shown(html), pieces, "{html}");
    }
}

#[test]
fn attributes_are_found_however_they_are_written() {
    for (html, href) in [
        ("<a href=\"/x\">", Some("/x")),
        ("<a href='/x'>", Some("/x")),
        ("<a HREF = /x >", Some("/x")),
        ("<a\nclass=b\nhref=/x/>", Some("/x/")),
        ("<a title=\"href=/y\" href=\"/x\">", Some("/x")),
        ("<a data-href=/y href=\"/x&amp;y&#x41;\">", Some("/x&yA")),
        ("<a href>", None),
        ("<a>", None),
        ("<a href=>", Some("")),
        ("<a ===/ / href=x", Some("x")),
    ] {
        let Some(Piece::Open(tag)) = Pieces::new(html).next() else { panic!("{html}") };
        assert_eq!(tag.attribute("href").as_deref(), href, "{html}");
    }
}

#[test]
fn references_are_resolved() {
    assert_eq!(
        decode("&auml;&#228;&#xE4;&nope;&amp;lt;&#0;&#xd800;&#x110000;&&;&amp"),
        "äää&nope;&lt;\u{fffd}\u{fffd}\u{fffd}&&;&amp"
    );
    assert_eq!(decode("plain"), "plain");
}

#[test]
fn each_piece_is_taken_once() {
    for html in ["<a b=\"", "<", "<!--", "</a", "<script>", "<script></scrip", "<a =", "&", "&#", "<?", "\"'<a '"] {
        let html = html.repeat(20_000);
        let mut pieces = Pieces::new(&html);
        let count = pieces.by_ref().count();
        assert!(count <= 40_000 && pieces.offset() == html.len(), "{count}");
        decode(&html);
    }
}
