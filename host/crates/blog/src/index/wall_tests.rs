//! Each wall of the index, of searches and of the blog's files with the other one left out (`docs/WALLS.md`).

#![expect(clippy::disallowed_methods, reason = "tests set up real folders")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic, reason = "tests")]

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::symlink;

use tantivy::query::AllQuery;

use super::crash_tests::{ScratchBlog, index_files};
use super::row::Row;
use super::scan::Scan;
use super::schema::DocKind;
use super::stored::StoredBlog;
use super::{UpdateScope, guarded, post_key};
use crate::BlogLayout;
use crate::content::read_file::FileReader;
use crate::search::matching::{PostFilters, search_query};
use crate::search::query::Exactness;
use crate::search::query::QueryPart;
use crate::search::words::{Word, split_words};

/// A word of files that are none of the blog's.
const SECRET: &str = "zzzsecret";

/// A blog with two posts, among files that are none of its own.
fn example() -> ScratchBlog {
    let blog = ScratchBlog::new();
    blog.write_post("one", "one");
    blog.write_post("one", "two");
    let others =
        ["secret.md", "blog/secret.md", "blog/posts/one/secret.txt", "blog/posts/one/.secret.md", "app/secret.md"];
    for other in others {
        fs::write(blog.dir.path().join(other), format!("---\nid: {SECRET}\ntitle: {SECRET}\n---\n{SECRET}\n")).unwrap();
    }
    blog
}

fn stored(blog: &ScratchBlog) -> StoredBlog {
    blog.update(&UpdateScope::Everything);
    blog.index(&blog.app()).stored().unwrap().0
}

fn word(folded: &str) -> Word {
    let [word] = <[Word; 1]>::try_from(split_words("a")).unwrap();
    Word { folded: folded.to_owned(), lower: folded.to_owned(), ..word }
}

// ---- The text of a search ------------------------------------------------------------------------------------------

/// Without the first wall: parts that no text of a query becomes reach the index.
#[test]
fn no_query_of_the_index_finds_more_than_posts() {
    let blog = example();
    let stored = stored(&blog);
    let long = "a".repeat(100_000);
    let words = ["", "\0", "*", "\"", ":", "title:one", "[a TO b]", "/.*/", SECRET, &long];
    let parts = words.iter().flat_map(|text| {
        let phrase = QueryPart::Phrase(vec![word(text), word(text)]);
        [QueryPart::Word(word(text)), QueryPart::Prefix(word(text)), phrase, QueryPart::Phrase(vec![word(text)])]
    });
    let parts: Vec<QueryPart> = parts.collect();
    let many = vec![QueryPart::Word(word("text")); 10_000];
    let mut n_found = 0;
    for parts in parts.iter().map(std::slice::from_ref).chain([many.as_slice()]) {
        for exactness in [Exactness::Exact, Exactness::OneLetterOff] {
            let query = || {
                search_query(&stored.fields, DocKind::Post, parts, &PostFilters::default(), &["en".into()], exactness)
            };
            // The library refuses some of these, or panics.
            let found = guarded(|| stored.all(&*query())).unwrap_or_default();
            n_found += found.len();
            let is_post = |row: &Row| matches!(row, Row::Post(post) if post.path.starts_with("posts/one/"));
            assert!(found.iter().all(|stored| is_post(&stored.row)), "{found:?}");
        }
    }
    assert!(n_found > 0, "an empty prefix stands for every word");
}

#[test]
fn index_has_no_word_of_other_files() {
    let blog = example();
    let stored = stored(&blog);
    let fields = stored.fields;
    let terms = |text: &str| -> usize {
        let of = |field| stored.terms_with_prefix(field, text, usize::MAX).unwrap().len();
        [fields.key, fields.slug, fields.head, fields.body, fields.file].into_iter().map(of).sum()
    };
    assert_eq!(terms(SECRET), 0);
    assert!(terms("two") > 0, "a word of a post");
    let rows = format!("{:?}", stored.all(&AllQuery).unwrap());
    assert!(!rows.contains(SECRET) && rows.contains("two"), "{rows}");
}

// ---- Files and links -----------------------------------------------------------------------------------------------

/// Without the first wall: paths that no listing names. Only the handle of the folder keeps them out.
#[test]
fn handle_of_blog_leads_to_no_other_file() {
    let blog = example();
    symlink("../../../secret.md", blog.dir.path().join("blog/posts/one/out.md")).unwrap();
    symlink("../..", blog.dir.path().join("blog/posts/up")).unwrap();
    let source = blog.source();
    let absolute = blog.dir.path().join("secret.md").display().to_string();
    let outside = ["posts/../../secret.md", "posts/one/out.md", "posts/up/secret.md", "posts/one/../../../secret.md"];
    for path in outside.into_iter().chain([absolute.as_str()]) {
        let refused = source.read_body(path, 0, None).unwrap_err();
        assert!(!refused.to_string().contains(SECRET), "{path}: {refused}");
        let reader =
            FileReader { blog: &source.folder, layout: source.layout, sandbox: &source.sandbox, public_url: None };
        let content = reader.read(path).unwrap().and_then(|file| file.content);
        assert!(content.is_none(), "{path}: {content:?}");
    }
    assert!(source.read_body("posts/one/one.md", 0, None).unwrap().contains("The text of [one]"));
}

/// Without the second wall: everything lies in the folder of the blog, where its handle leads.
#[test]
fn listing_names_documents_and_follows_no_link_to_a_folder() {
    let blog = example();
    let posts = blog.dir.path().join("blog/posts");
    symlink(".", posts.join("circle")).unwrap();
    symlink("one", posts.join("again")).unwrap();
    fs::write(posts.join("one/script.lua"), "return 1").unwrap();
    let source = blog.source();
    let scan = Scan::all(&source.folder, BlogLayout::Bds, &mut |_, _| {});
    let found: BTreeSet<String> = scan.folders.into_values().flatten().map(|file| file.path).collect();
    assert_eq!(found, BTreeSet::from(["posts/one/one.md".to_owned(), "posts/one/two.md".to_owned()]));
}

// ---- The index -----------------------------------------------------------------------------------------------------

/// Without the first wall: the files are read, whatever their checksums say. A row may name any path; the handle of the
/// blog's folder has its own test.
#[test]
fn damaged_files_end_in_an_answer_or_an_error() {
    let blog = example();
    blog.update(&UpdateScope::Everything);
    let whole = blog.index(&blog.app());
    let whole = whole.stored().unwrap().0.all(&AllQuery).unwrap().len();
    let n_files = index_files(&blog.app()).len();
    let (mut n_errors, mut n_answers) = (0, 0);
    for at in 0..n_files {
        for damage in 0..12 {
            let app = blog.copy_app();
            let file = &index_files(app.path())[at];
            let mut bytes = fs::read(file).unwrap();
            let len = bytes.len();
            match damage {
                0 => bytes.clear(),
                1 => bytes.truncate(len / 2),
                2 => bytes.extend([0xff; 64]),
                3 => bytes.iter_mut().for_each(|byte| *byte ^= 0x5a),
                other => bytes.iter_mut().skip(other * len / 12).take(4).for_each(|byte| *byte = !*byte),
            }
            fs::write(file, bytes).unwrap();
            let index = blog.index(app.path());
            let read = index.stored().and_then(|(stored, _)| {
                guarded(|| {
                    let rows = stored.all(&AllQuery)?;
                    stored.find_key(&post_key("one"))?;
                    stored.terms_with_prefix(stored.fields.body, "", usize::MAX)?;
                    stored.page_of(DocKind::Post, super::stored::PageStart::Offset(0), 50)?;
                    Ok(rows.len())
                })
            });
            match read {
                Ok(rows) => {
                    assert!(rows <= whole, "{rows}");
                    n_answers += 1;
                }
                Err(_) => n_errors += 1,
            }
        }
    }
    assert!(n_errors > n_files && n_answers > n_files, "{n_errors} errors, {n_answers} answers");
}

/// Without the second wall: whatever the library would make of a changed byte, the checksums show it.
#[test]
fn changed_byte_of_a_segment_is_found_by_its_checksum() {
    let blog = example();
    blog.update(&UpdateScope::Everything);
    let n_files = index_files(&blog.app()).len();
    let mut n_changed = 0;
    for at in 0..n_files {
        let app = blog.copy_app();
        let file = index_files(app.path())[at].clone();
        // The files without a segment's name have no checksum: what they say of segments must fit these.
        let name = file.file_name().unwrap().to_str().unwrap();
        if name.starts_with("meta.json") || name.starts_with('.') || name == "update.lock" {
            continue;
        }
        let bytes = fs::read(&file).unwrap();
        for place in (0..bytes.len()).step_by(1 + bytes.len() / 16) {
            let mut changed = bytes.clone();
            changed[place] ^= 0x01;
            fs::write(&file, changed).unwrap();
            let index = blog.index(app.path());
            let folder = index.open_store().unwrap().unwrap();
            let found = index.find_damage(&folder);
            assert!(found.is_some(), "{}, byte {place} of {}: {found:?}", file.display(), bytes.len());
            n_changed += 1;
        }
        fs::write(&file, bytes).unwrap();
    }
    assert!(n_changed > 50, "{n_changed}");
}
