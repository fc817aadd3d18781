//! The URI that a mistyped one may stand for.
//!
//! Never: decides which URIs the caller may learn: it gets only those.

use wardroom_ranking::closest_name;

/// Returns the URI that differs from `uri` in one segment of its path, which is similar. Parameters are not compared: URIs of
/// one scheme share so much text that as a whole all of them are similar.
pub(crate) fn similar_uri<'u>(uri: &str, known: impl IntoIterator<Item = &'u str>) -> Option<&'u str> {
    let known: Vec<&str> = known.into_iter().collect();
    let path = path_of(uri);
    let n_segments = path.split('/').count();
    (0..n_segments).find_map(|at| {
        let segment = path.split('/').nth(at)?;
        let differs_there = |other: &&&str| {
            let other = path_of(other);
            let is_other = |(n, (one, other)): (usize, (&str, &str))| (n == at) == (one != other);
            other.split('/').count() == n_segments && path.split('/').zip(other.split('/')).enumerate().all(is_other)
        };
        let alike: Vec<&&str> = known.iter().filter(differs_there).collect();
        let nth = |uri: &'u str| path_of(uri).split('/').nth(at);
        let meant = closest_name(segment, alike.iter().filter_map(|uri| nth(uri)))?;
        alike.into_iter().find(|uri| nth(uri) == Some(meant)).copied()
    })
}

fn path_of(uri: &str) -> &str {
    uri.split_once('?').map_or(uri, |(path, _)| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: [&str; 5] = [
        "demo://guide",
        "demo://notes/first",
        "demo://notes/first/raw",
        "demo://notes/second?limit=5",
        "other://guide",
    ];

    #[track_caller]
    fn check(uri: &str, meant: Option<&str>) {
        assert_eq!(similar_uri(uri, KNOWN), meant, "{uri}");
    }

    #[test]
    fn uri_with_one_similar_segment_is_meant() {
        check("demo://giude", Some("demo://guide"));
        check("demo://notes/frist", Some("demo://notes/first"));
        check("demo://note/first/raw", Some("demo://notes/first/raw"));
        check("demo://notes/secnd", Some("demo://notes/second?limit=5"));
        check("demo://notes/secnd?limit=1", Some("demo://notes/second?limit=5"));
    }

    #[test]
    fn uri_that_differs_more_is_not() {
        check("demo://zebra", None);
        check("demo://note/frist", None);
        check("demo://notes/first/first", None);
        check("", None);
    }
}
