//! The copy of the stemmers finds the stems that the published crate finds: for each language, with each ending of its tables.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// Returns the texts between quotes in the source of a stemmer: those of its tables are among them.
fn quoted(source: &str) -> Vec<String> {
    let endings: BTreeSet<String> = source.split('"').skip(1).step_by(2).map(unescaped).collect();
    endings.into_iter().collect()
}

fn unescaped(text: &str) -> String {
    let mut parts = text.split("\\u{");
    let mut unescaped = parts.next().unwrap().to_owned();
    for part in parts {
        let (code, rest) = part.split_once('}').unwrap();
        unescaped.push(char::from_u32(u32::from_str_radix(code, 16).unwrap()).unwrap());
        unescaped.push_str(rest);
    }
    unescaped
}

#[test]
fn copied_stemmers_find_stems_of_published_ones() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../host/vendor/frostem/src/algorithms");
    let mut stemmed = 0;
    for algorithm in frostem::Algorithm::all() {
        let name = algorithm.name();
        let copied = frostem::Stemmer::new(*algorithm);
        let published = frostem_published::Stemmer::try_from_name(name).unwrap();
        let endings = quoted(&fs::read_to_string(folder.join(format!("{name}_stemmer.rs"))).unwrap());
        for (at, ending) in endings.iter().enumerate() {
            // Beginnings of all lengths, so that an ending lies inside and outside of the region that a rule demands.
            let beginnings = ["", "a", "e"].into_iter().map(str::to_owned);
            let of_others = (1..40).map(|step| endings[(at * 7 + step * step * 31) % endings.len()].clone());
            for beginning in beginnings.chain(of_others) {
                for word in [format!("{beginning}{ending}"), format!("{beginning}{beginning}{ending}")] {
                    let stem = published.stem(&word);
                    assert_eq!(copied.stem(&word), stem, "{name}: {word}");
                    stemmed += usize::from(stem != word);
                }
            }
        }
    }
    assert!(stemmed > 100_000, "{stemmed} words have another stem");
}
