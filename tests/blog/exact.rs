//! Lists, counts, facets and searches are those of the files, after any changes, in two processes.

use std::collections::{BTreeMap, BTreeSet};

use proptest::collection::btree_set;
use serde_json::{Value, json};

use super::model::{Model, ModelFile, ModelTranslation};
use super::random::Random;
use super::test_blog::{BlogClient, TestBlog, id, slugs};

const N_POSTS: u32 = 10;
const FOLDERS: [&str; 4] = ["posts/2023/12", "posts/2024/01", "posts/2024/02", "posts/a/b/c"];
/// After the others: among posts with one slug, the first path decides.
const FOLDERS_OF_TRANSLATIONS: [&str; 2] = ["posts/z", "posts/z/more"];
const TRANSLATIONS: [&str; 3] = ["de", "en", "fr"];

/// Whether a post may have a draft and a slug that others have.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Conflicts {
    OfPublishedPosts,
    OfDraftsToo,
}

/// Returns a word that differs in more than one letter from all others.
fn word(random: &mut Random) -> String {
    random.value(&"[a-z]{12}")
}

/// Returns the slug of a post: its own, or one of two that several posts claim.
fn slug(random: &mut Random, n: u32, conflicts: Conflicts) -> String {
    let may_conflict = n < N_POSTS / 2 || conflicts == Conflicts::OfDraftsToo;
    match random.below(3) {
        shared @ 0..2 if may_conflict => format!("shared-{shared}"),
        _ => format!("own-{n}"),
    }
}

fn any_slug(random: &mut Random) -> String {
    let n = random.below(N_POSTS + 2);
    if n < N_POSTS { format!("own-{n}") } else { format!("shared-{}", n - N_POSTS) }
}

fn file(random: &mut Random, slug: String) -> ModelFile {
    let (year, month) = [(2023, 12), (2024, 1), (2024, 2), (2024, 12)][random.below(4) as usize];
    ModelFile {
        slug,
        year,
        month,
        status: ["draft", "published", "archived"][random.below(3) as usize],
        tags: random.value(&btree_set(0..4_u8, 0..3)),
        categories: random.value(&btree_set(0..3_u8, 0..3)),
        language: [None, Some("de"), Some("en"), Some("ja")][random.below(4) as usize],
        link: any_slug(random),
        word: word(random),
    }
}

/// Makes one change; returns a word that may be gone by it.
fn change(random: &mut Random, blog: &TestBlog, model: &mut Model, conflicts: Conflicts) -> Option<String> {
    let n = random.below(N_POSTS);
    let folder = FOLDERS[random.below(4) as usize];
    let language = TRANSLATIONS[random.below(3) as usize];
    let known = model.0.get(&n).cloned().unwrap_or_default();
    let published = known.published.map(|(_, file)| file);
    match random.below(12) {
        0..4 => {
            // A draft has the slug of its post.
            let slug = known.draft.map_or_else(|| slug(random, n, conflicts), |draft| draft.slug);
            let file = file(random, slug);
            model.publish(blog, n, folder, file);
            published.map(|file| file.word)
        }
        4 => {
            model.unpublish(blog, n);
            published.map(|file| file.word)
        }
        5..7 => {
            model.rename(blog, n, folder);
            None
        }
        7..9 if n >= N_POSTS / 2 || conflicts == Conflicts::OfDraftsToo => {
            let slug = published.map_or_else(|| slug(random, n, conflicts), |published| published.slug);
            let file = file(random, slug);
            model.draft(blog, n, file);
            known.draft.map(|file| file.word)
        }
        9 => {
            model.discard(blog, n);
            known.draft.map(|file| file.word)
        }
        10 => {
            model.remove_translation(blog, n, language);
            known.translations.get(language).map(|before| before.word.clone())
        }
        // Whether a translation counts for the place of a draft that has no published file is not said.
        _ if conflicts == Conflicts::OfDraftsToo => None,
        _ => {
            let folder = FOLDERS_OF_TRANSLATIONS[random.below(2) as usize].to_owned();
            let new = ModelTranslation { folder, word: word(random), link: any_slug(random) };
            model.translate(blog, n, language, new);
            known.translations.get(language).map(|before| before.word.clone())
        }
    }
}

/// Counts combinations of values, each as JSON.
type Counts = BTreeMap<String, usize>;

/// Compares `count_posts` by these dimensions with the counts of the files.
#[track_caller]
fn compare_counts(client: &mut BlogClient, model: &Model, by: &[&str]) {
    let shown = model.shown();
    let mut expected = Counts::new();
    for post in shown.values() {
        let mut rows: Vec<Vec<Value>> = vec![Vec::new()];
        for dimension in by {
            let names = |names: &BTreeSet<u8>, start: &str| -> Vec<Value> {
                if names.is_empty() {
                    vec![Value::Null]
                } else {
                    names.iter().map(|n| format!("{start}{n}").into()).collect()
                }
            };
            let values: Vec<Value> = match *dimension {
                "year" => vec![post.year.into()],
                "month" => vec![post.month.into()],
                "status" => vec![post.status.into()],
                "tag" => names(&post.file.tags, "t"),
                "category" => names(&post.file.categories, "c"),
                _ => post.languages.iter().map(|language| (*language).into()).collect(),
            };
            rows = rows
                .iter()
                .flat_map(|row| values.iter().map(|v| [row.as_slice(), std::slice::from_ref(v)].concat()))
                .collect();
        }
        rows.into_iter().for_each(|row| *expected.entry(json!(row).to_string()).or_default() += 1);
    }
    let counts = client.call("count_posts", json!({"groupBy": by}));
    let groups = counts["groups"].as_array().unwrap().iter();
    let found: Counts = groups
        .map(|group| {
            let row: Vec<&Value> = by.iter().map(|dimension| &group[*dimension]).collect();
            (json!(row).to_string(), group["count"].as_u64().unwrap().try_into().unwrap())
        })
        .collect();
    assert_eq!(found, expected, "{by:?} {model:#?}");
    assert_eq!(counts["totalPosts"], shown.len());
}

/// Compares the list of posts with the files.
#[track_caller]
fn compare_list(client: &mut BlogClient, model: &Model) {
    let shown = model.shown();
    let listed = client.read("bds://posts");
    assert_eq!(listed["total"], shown.len());
    let by_slug: BTreeMap<&str, &Value> =
        listed["items"].as_array().unwrap().iter().map(|post| (post["slug"].as_str().unwrap(), post)).collect();
    let own_slugs: BTreeSet<&str> = shown.values().map(|post| post.file.slug.as_str()).collect();
    assert_eq!(by_slug.keys().copied().collect::<BTreeSet<_>>(), own_slugs, "{model:#?}");
    for (n, post) in &shown {
        let (file, item) = (post.file, by_slug[post.file.slug.as_str()]);
        let names = |names: &BTreeSet<u8>, start: &str| names.iter().map(|n| format!("{start}{n}")).collect::<Vec<_>>();
        let n_out = post.links.intersection(&own_slugs).count();
        let n_back = shown.values().filter(|other| other.links.contains(file.slug.as_str())).count();
        let expected = json!({
            "id": id(*n), "title": file.word, "status": post.status,
            "created_at": format!("{}-{:02}-01T00:00:00.000Z", post.year, post.month),
            "language": file.language.unwrap_or("en"), "availableLanguages": post.languages,
            "tags": names(&file.tags, "t"), "categories": names(&file.categories, "c"),
            "outlinkCount": n_out, "backlinkCount": n_back,
        });
        for (name, value) in expected.as_object().unwrap() {
            assert_eq!(item[name], *value, "{name} of {item:#}\n{model:#?}");
        }
    }
}

/// Returns the slugs of the posts with a word, in the index as it is: an earlier request has compared the files.
#[track_caller]
fn find_word(client: &mut BlogClient, word: &str) -> Vec<String> {
    slugs(&client.0.call_ok("search_posts", json!({"query": word}))["posts"])
}

/// Compares all answers with the files.
#[track_caller]
fn compare(client: &mut BlogClient, model: &Model, gone: &[String]) {
    compare_list(client, model);
    for by in
        [&["year"][..], &["category"], &["language"], &["month", "tag", "status"], &["year", "category", "language"]]
    {
        compare_counts(client, model, by);
    }
    let shown = model.shown();
    for (n, post) in &shown {
        assert_eq!(find_word(client, &post.file.word), [post.file.slug.as_str()], "{model:#?}");
        let read = client.0.0.read_resource(&format!("bds://posts/{}", id(*n))).unwrap();
        assert!(read["text"].as_str().unwrap().contains(&format!("It is {}.", post.file.word)), "{read:#}");
        for (language, ModelTranslation { word, .. }) in &model.0[n].translations {
            let is_shown = *language != post.file.language.unwrap_or("en");
            let expected: &[&str] = if is_shown { &[&post.file.slug] } else { &[] };
            assert_eq!(find_word(client, word), expected, "{language} {model:#?}");
        }
    }
    for word in gone {
        assert_eq!(find_word(client, word), Vec::<String>::new(), "{word} {model:#?}");
    }
    for status in ["draft", "published", "archived"] {
        let found = client.call("search_posts", json!({"status": status}));
        assert_eq!(found["total"], shown.values().filter(|post| post.status == status).count());
    }
}

fn check(conflicts: Conflicts, n_steps: u32) {
    let mut random = Random::new();
    let blog = TestBlog::new();
    let mut clients = [blog.client(), blog.client()];
    let mut model = Model::default();
    for step in 0..n_steps {
        let n_changes = 1 + random.below(5);
        let gone: Vec<String> =
            (0..n_changes).filter_map(|_| change(&mut random, &blog, &mut model, conflicts)).collect();
        let gone: Vec<String> = gone.into_iter().filter(|word| !format!("{model:?}").contains(word.as_str())).collect();
        // The process that is asked first brings the index up to date, and the other one uses it.
        let first = (step % 2) as usize;
        compare(&mut clients[first], &model, &gone);
        compare(&mut clients[1 - first], &model, &gone);
    }
    let problems = blog.problems();
    let left_out: BTreeSet<String> =
        problems.iter().map(|problem| problem.split(':').next().unwrap().to_owned()).collect();
    // Of a post with a draft that has no slug, one file or both may be named.
    if conflicts == Conflicts::OfPublishedPosts {
        assert_eq!(left_out, model.hidden_files(), "{problems:#?} {model:#?}");
    }
    // An index that is made of the files alone says the same.
    blog.run(&["blog", "index", "--rebuild"]).expect_success();
    compare(&mut blog.client(), &model, &[]);
}

#[test]
fn answers_are_exact_after_any_changes() {
    check(Conflicts::OfPublishedPosts, 30);
}

/// A draft of a post that shares its slug neither takes that slug from another post, nor gives it away.
#[test]
fn answers_are_exact_with_drafts_of_posts_that_share_a_slug() {
    check(Conflicts::OfDraftsToo, 30);
}
