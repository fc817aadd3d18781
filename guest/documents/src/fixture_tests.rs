//! Files as the three generations of bDS, Jekyll, Hugo and Astro have them, and all that is read of each.
//!
//! `X.read` beside each file of `tests/fixtures` is that. A test that fails prints how it would be now.

use std::fmt::Write as _;

use crate::edit::{Change, edit};
use crate::front_matter::{self, Field};
use crate::{post, preview, sidecar};

fn fields(fields: &[Field]) -> String {
    let mut out = String::new();
    for Field { name, line, json, text } in fields {
        let _infallible = match text {
            Some(text) => writeln!(out, "{line} {name} = {json} {text:?}"),
            None => writeln!(out, "{line} {name} = {json}"),
        };
    }
    out
}

fn read_post(source: &[u8]) -> String {
    let post = post::read(source, Some("https://blog.example.com")).unwrap();
    let mut out = fields(&post.fields);
    let body = String::from_utf8_lossy(&source[post.body_start as usize..]);
    writeln!(out, "\nbody begins with {:?}", body.lines().next().unwrap()).unwrap();
    for link in &post.links {
        writeln!(
            out,
            "{} link to {} ({}): {}",
            link.line,
            link.slug,
            link.language.as_deref().unwrap_or("-"),
            link.text
        )
        .unwrap();
    }
    for heading in &post.headings {
        writeln!(out, "{} heading {}: {}", heading.line, heading.level, heading.text).unwrap();
    }
    writeln!(out, "excerpt: {}\n{} words:\n{}", post.excerpt, post.word_count, post.text).unwrap();
    out
}

fn read_code(source: &[u8]) -> String {
    let front_matter = front_matter::read(source).unwrap();
    let body = String::from_utf8_lossy(&source[front_matter.body_start as usize..]);
    format!("{}\nbody begins with {:?}\n", fields(&front_matter.fields), body.lines().next().unwrap())
}

fn read_sidecar(source: &[u8]) -> String {
    fields(&sidecar::read(source).unwrap())
}

macro_rules! fixtures {
    ($($test:ident: $read:ident($file:literal);)*) => {
        const POSTS: &[&[u8]] = &[$(include_bytes!(concat!("../tests/fixtures/", $file))),*];
        $(
            #[test]
            fn $test() {
                let found = $read(include_bytes!(concat!("../tests/fixtures/", $file)));
                assert!(found == include_str!(concat!("../tests/fixtures/", $file, ".read")), "{} is read as:\n{found}", $file);
            }
        )*
    };
}

fixtures! {
    post_of_bds1_is_read: read_post("bds1_post.md");
    translation_of_bds1_is_read: read_post("bds1_translation.md");
    script_of_bds1_is_read: read_code("bds1_script.py");
    sidecar_of_bds1_is_read: read_sidecar("bds1_sidecar.meta");
    post_of_bds2_is_read: read_post("bds2_post.md");
    script_of_bds2_is_read: read_code("bds2_script.lua");
    template_of_bds3_is_read: read_code("bds3_template.liquid");
    post_of_jekyll_is_read: read_post("jekyll_post.md");
    post_of_hugo_in_yaml_is_read: read_post("hugo_yaml.md");
    post_of_hugo_in_toml_is_read: read_post("hugo_toml.md");
    post_of_hugo_in_json_is_read: read_post("hugo_json.md");
    post_of_astro_is_read: read_post("astro_post.mdx");
    post_with_crlf_and_byte_order_mark_is_read: read_post("crlf_post.md");
}

/// Whatever is read is also edited: one field changes, and after the change back the source is the same again.
#[test]
fn every_fixture_is_edited_back_and_forth() {
    let change = |json: &str| [Change { name: "added".into(), json: Some(json.into()) }];
    let removal = [Change { name: "added".into(), json: None }];
    let mut edited = 0;
    for source in POSTS {
        let Ok(added) = edit(source, &change("\"a: b\"")) else { continue };
        let changed = edit(&added, &change("[\"c\", 2]")).unwrap();
        assert_ne!(changed, added);
        assert_eq!(edit(&changed, &removal).unwrap(), *source);
        edited += 1;
    }
    // The sidecar with quotes in quotes is no YAML, and is not edited.
    assert_eq!(edited, POSTS.len() - 1);
}

#[test]
fn every_fixture_is_previewed() {
    for source in POSTS {
        let html = preview::render(source).unwrap();
        assert!(!html.contains("<script") && !html.contains("style="), "{html}");
    }
}
