//! The known name that a mistyped one may stand for.
//!
//! Never: decides which names the caller may learn: it gets only those.

/// Below this similarity two names are unrelated.
const MIN_SIMILARITY: f64 = 0.8;

/// Longest name that others are compared with, in bytes: the time of a comparison grows with the product of both lengths.
const MAX_COMPARED_BYTES: usize = 128;

/// Returns the known name that is most similar to `name`.
pub fn closest_name<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    if name.len() > MAX_COMPARED_BYTES {
        return None;
    }
    let name = name.to_lowercase();
    let known = known.into_iter().filter(|known| known.len() <= MAX_COMPARED_BYTES);
    let similarity = |known: &str| strsim::jaro_winkler(&name, &known.to_lowercase());
    // The distance takes longer than the similarity: it is computed for a better one alone.
    let mut closest: Option<(&str, f64)> = None;
    for known in known {
        let similarity = similarity(known);
        let is_better = similarity >= MIN_SIMILARITY && closest.is_none_or(|(_, most)| similarity > most);
        if is_better && is_typing_error(&name, known) {
            closest = Some((known, similarity));
        }
    }
    closest.map(|(known, _)| known)
}

/// Returns the known name that differs from `name` by one slip of a finger, for a mistake that is refused.
pub fn closest_slip<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    if name.len() > MAX_COMPARED_BYTES {
        return None;
    }
    let name = name.to_lowercase();
    known.into_iter().find(|known| strsim::osa_distance(&name, known) <= 1)
}

/// Whether at most a third of the letters differ: `reset` is no mistyped `greet`, although most of their letters are the same.
fn is_typing_error(name: &str, known: &str) -> bool {
    let most = name.chars().count().max(known.chars().count()) / 3;
    strsim::osa_distance(name, &known.to_lowercase()) <= most.max(1)
}

/// Returns the known field that an unknown one may stand for, given the message of `serde`:
/// "unknown field `X`, expected one of `a`, `b`", or "unknown variant `X`, …".
#[must_use]
pub fn closest_field(message: &str) -> Option<&str> {
    let named = message.strip_prefix("unknown field `").or_else(|| message.strip_prefix("unknown variant `"))?;
    let (unknown, known) = named.split_once("`, expected ")?;
    closest_name(unknown, known.split('`').skip(1).step_by(2))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_field_is_read_from_the_message() {
        let message = "unknown field `nmae`, expected one of `name`, `version`";
        assert_eq!(closest_field(message), Some("name"));
        assert_eq!(closest_field("unknown field `sauce`, expected `source` or `name`"), Some("source"));
        assert_eq!(closest_field("unknown variant `yaer`, expected `year`"), Some("year"));
        assert_eq!(closest_field("unknown field `zebra`, expected `source` or `name`"), None);
        assert_eq!(closest_field("unknown field `x`, there are no fields"), None);
        assert_eq!(closest_field("missing field `name`"), None);
    }

    #[test]
    fn similar_name_is_suggested_and_an_unrelated_one_is_not() {
        let known = ["quick_vote", "panel", "cot"];
        assert_eq!(closest_name("quikvote", known), Some("quick_vote"));
        assert_eq!(closest_name("Panle", known), Some("panel"));
        assert_eq!(closest_name("zebra", known), None);
        assert_eq!(closest_name("reset", ["greet"]), None);
        let limits = ["max_llm_calls", "max_tokens"];
        assert_eq!(closest_slip("Max_llm_cals", limits), Some("max_llm_calls"));
        assert_eq!((closest_slip("max_tries", limits), closest_slip("min_tokens", limits)), (None, None));
        // A longer name that only begins the same hides none.
        assert_eq!(closest_name("greet", ["greetings", "great"]), Some("great"));
        assert_eq!(closest_name("x", []), None);
        let long = "x".repeat(MAX_COMPARED_BYTES);
        assert_eq!(closest_name(&long, [&*long]), Some(&*long));
        let longer = "x".repeat(MAX_COMPARED_BYTES + 1);
        assert_eq!(closest_name(&longer, [&*longer, &*long]), None);
        assert_eq!(closest_name(&long, [&*longer]), None);
    }
}
