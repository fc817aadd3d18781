//! Previews, natively: whatever the Markdown, its HTML has no element, attribute or address but those that are safe to
//! show. The HTML is read by the rules of browsers, not by those of its writer.
#![no_main]

use libfuzzer_sys::fuzz_target;
use wardroom_documents_guest::limits::MAX_PREVIEW_BYTES;
use wardroom_documents_guest::preview::render;

const ELEMENTS: [&str; 27] = [
    "a",
    "blockquote",
    "br",
    "code",
    "del",
    "em",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "hr",
    "img",
    "li",
    "ol",
    "p",
    "pre",
    "strong",
    "sup",
    "table",
    "tbody",
    "td",
    "th",
    "thead",
    "tr",
    "ul",
];
const ATTRIBUTES: [&str; 5] = ["href", "src", "alt", "title", "start"];
const SCHEMES: [&str; 3] = ["http", "https", "mailto"];

fuzz_target!(|source: &[u8]| {
    let Ok(html) = render(source) else { return };
    assert!(html.len() <= MAX_PREVIEW_BYTES + source.len());
    assert!(!html.to_lowercase().contains("<script"), "{html}");
    let mut rest = html.as_str();
    while let Some(at) = rest.find('<') {
        let tag = rest[at + 1..].split_once('>').unwrap_or_else(|| panic!("a tag is open: {html}"));
        check_tag(tag.0, &html);
        rest = tag.1;
    }
    assert_eq!(render(source).as_deref(), Ok(html.as_str()), "the same source gives the same preview");
});

fn check_tag(tag: &str, html: &str) {
    let tag = tag.strip_prefix('/').unwrap_or(tag);
    let (name, mut attributes) = tag.split_once(' ').unwrap_or((tag, ""));
    assert!(ELEMENTS.contains(&name), "the element `{name}`: {html}");
    while !attributes.is_empty() {
        let (name, value) = attributes.split_once("=\"").unwrap_or_else(|| panic!("`{attributes}`: {html}"));
        let (value, tail) = value.split_once('"').unwrap_or_else(|| panic!("an attribute is open: {html}"));
        assert!(ATTRIBUTES.contains(&name), "the attribute `{name}`: {html}");
        if matches!(name, "href" | "src") {
            check_address(&unescape(value), html);
        }
        attributes = tail.strip_prefix(' ').unwrap_or(tail);
    }
}

/// A browser takes an address without spaces and control characters at its ends, and without tabs and line breaks.
fn check_address(address: &str, html: &str) {
    let address = address.trim_matches(|char: char| char <= ' ').replace(['\t', '\n', '\r'], "");
    let before_path = address.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    if let Some((scheme, _)) = before_path.split_once(':') {
        assert!(SCHEMES.contains(&scheme.to_lowercase().as_str()), "`{address}`: {html}");
    }
}

/// The references that the writer makes; others would be text to a browser only without a name that it knows.
fn unescape(value: &str) -> String {
    let plain = value.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&#39;", "'");
    for at in plain.match_indices('&').map(|(at, _)| at) {
        assert!(plain[at..].starts_with("&amp;"), "a reference that the writer does not make: {value}");
    }
    plain.replace("&amp;", "&")
}
