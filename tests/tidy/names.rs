//! One word has one meaning: no public type name stands for two things in the server.

use std::collections::BTreeMap;
use std::fs;

use super::{files_below, shown};

#[test]
fn public_type_name_is_used_once() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files_below("host", &[".rs"]) {
        let parsed = syn::parse_file(&fs::read_to_string(&file).unwrap()).unwrap();
        for item in parsed.items {
            let (visibility, name) = match item {
                syn::Item::Enum(item) => (item.vis, item.ident),
                syn::Item::Struct(item) => (item.vis, item.ident),
                syn::Item::Trait(item) => (item.vis, item.ident),
                syn::Item::Type(item) => (item.vis, item.ident),
                _ => continue,
            };
            // `pub(crate)` and `pub(super)` are public enough to be read elsewhere.
            if !matches!(visibility, syn::Visibility::Inherited) {
                places.entry(name.to_string()).or_default().push(shown(&file));
            }
        }
    }
    assert!(places.len() > 200, "{}", places.len());
    let twice: Vec<_> = places.into_iter().filter(|(_, places)| places.len() > 1).collect();
    assert!(twice.is_empty(), "{twice:#?}");
}
