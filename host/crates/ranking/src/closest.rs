//! The known name that a mistyped one may stand for.
//!
//! Never: decides which names the caller may learn: it gets only those.

/// Below this similarity two names are unrelated.
const MIN_SIMILARITY: f64 = 0.8;

/// Returns the known name that is most similar to `name`.
pub fn closest_name<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let name = name.to_lowercase();
    let similarity = |known: &str| strsim::jaro_winkler(&name, &known.to_lowercase());
    let best = known.into_iter().map(|known| (known, similarity(known))).max_by(|(_, a), (_, b)| a.total_cmp(b));
    best.filter(|(_, similarity)| *similarity >= MIN_SIMILARITY).map(|(known, _)| known)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_name_is_suggested_and_an_unrelated_one_is_not() {
        let known = ["quick_vote", "panel", "cot"];
        assert_eq!(closest_name("quikvote", known), Some("quick_vote"));
        assert_eq!(closest_name("Panle", known), Some("panel"));
        assert_eq!(closest_name("zebra", known), None);
        assert_eq!(closest_name("x", []), None);
    }
}
