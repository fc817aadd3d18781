//! The URIs of `bds`.
//!
//! Owns: the grammar: names are percent-encoded, and one of them may have an allowed parameter.
//! Never: looks up what a URI names.

use wardroom_base::percent::percent_decode_text;
use wardroom_service::ServiceError;

pub(crate) const SCHEME: &str = "bds";

/// A resource of a blog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum BlogUri {
    Project,
    Stats,
    Tags,
    Categories,
    Scripts {
        /// Only drafts, also those of proposals.
        drafts: bool,
    },
    Templates {
        drafts: bool,
    },
    Proposals,
    Proposal(String),
    Posts {
        cursor: Option<String>,
    },
    Media {
        cursor: Option<String>,
    },
    /// By id or slug.
    Post(String),
    PostLinks(String, LinkDirection),
    PostMedia(String),
    MediaItem(String),
    MediaPosts(String),
    MediaImage {
        id: String,
        size: ImageSize,
    },
    Script(String),
    Template(String),
}

/// Whose links are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LinkDirection {
    /// Of the posts that link to the post.
    Back,
    /// Of the posts that the post links to.
    Out,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum ImageSize {
    #[default]
    Thumbnail,
    Original,
}

/// The longest name in a URI, in bytes, and the longest cursor.
const MAX_NAME_BYTES: usize = 300;

impl BlogUri {
    /// Parses a URI.
    ///
    /// # Errors
    /// [`ServiceError::NotFound`] for a path that no resource has, and [`ServiceError::Invalid`] for a name or a parameter.
    pub(crate) fn parse(uri: &str) -> Result<Self, ServiceError> {
        let not_found = || ServiceError::NotFound { uri: uri.to_owned() };
        let rest = uri.get(SCHEME.len() + 3..).ok_or_else(not_found)?;
        let (path, query) = rest.split_once('?').map_or((rest, None), |(path, query)| (path, Some(query)));
        if path.contains('#') {
            return Err(not_found());
        }
        let segments: Vec<&str> = path.split('/').collect();
        let parsed = match *segments.as_slice() {
            ["posts"] => return Ok(Self::Posts { cursor: cursor(query)? }),
            ["media"] => return Ok(Self::Media { cursor: cursor(query)? }),
            ["media", id, "image"] => return Ok(Self::MediaImage { id: name(id)?, size: size(query)? }),
            ["project"] => Self::Project,
            ["stats"] => Self::Stats,
            ["tags"] => Self::Tags,
            ["categories"] => Self::Categories,
            ["scripts"] => return Ok(Self::Scripts { drafts: drafts(query)? }),
            ["templates"] => return Ok(Self::Templates { drafts: drafts(query)? }),
            ["proposals"] => Self::Proposals,
            ["proposals", id] => Self::Proposal(name(id)?),
            ["posts", post] => Self::Post(name(post)?),
            ["posts", post, "backlinks"] => Self::PostLinks(name(post)?, LinkDirection::Back),
            ["posts", post, "outlinks"] => Self::PostLinks(name(post)?, LinkDirection::Out),
            ["posts", post, "media"] => Self::PostMedia(name(post)?),
            ["media", id] => Self::MediaItem(name(id)?),
            ["media", id, "posts"] => Self::MediaPosts(name(id)?),
            ["scripts", slug] => Self::Script(name(slug)?),
            ["templates", slug] => Self::Template(name(slug)?),
            _ => return Err(not_found()),
        };
        match query {
            None => Ok(parsed),
            Some(_) => {
                Err(ServiceError::Invalid("this resource has no parameters: leave out what follows `?`".to_owned()))
            }
        }
    }

    /// Whether a URI is one of this scheme, in any case.
    pub(crate) fn is_of_scheme(uri: &str) -> bool {
        uri.get(..SCHEME.len() + 3).is_some_and(|start| start.eq_ignore_ascii_case("bds://"))
    }
}

/// Reads the parameter of a list of scripts or templates.
fn drafts(query: Option<&str>) -> Result<bool, ServiceError> {
    match query {
        None => Ok(false),
        Some("status=draft") => Ok(true),
        Some(_) => Err(ServiceError::Invalid("this list has one parameter: ?status=draft".to_owned())),
    }
}

/// Returns a name in a URI, decoded.
fn name(segment: &str) -> Result<String, ServiceError> {
    let decoded = percent_decode_text(segment).filter(|name| {
        let is_plain = |c: char| !c.is_control() && !matches!(c, '/' | '\\');
        !name.is_empty() && name.len() <= MAX_NAME_BYTES && name.chars().all(is_plain) && name != "." && name != ".."
    });
    let message = "the id or slug in the URI is empty, too long, or has characters that none has";
    decoded.ok_or_else(|| ServiceError::Invalid(message.to_owned()))
}

/// Returns the only parameter that a URI may have; an empty one counts as none.
fn parameter<'q>(query: Option<&'q str>, known: &str) -> Result<Option<&'q str>, ServiceError> {
    let Some(query) = query.filter(|query| !query.is_empty()) else { return Ok(None) };
    let message = || ServiceError::Invalid(format!("the only parameter of this resource is `{known}`, once"));
    let (given, value) = query.split_once('=').ok_or_else(message)?;
    if given != known || value.contains('&') {
        return Err(message());
    }
    Ok(Some(value).filter(|value| !value.is_empty()))
}

fn cursor(query: Option<&str>) -> Result<Option<String>, ServiceError> {
    let value = parameter(query, "cursor")?;
    value.map(|value| percent_decode_text(value).ok_or_else(ServiceError::unknown_cursor)).transpose()
}

fn size(query: Option<&str>) -> Result<ImageSize, ServiceError> {
    match parameter(query, "size")? {
        None | Some("thumbnail") => Ok(ImageSize::Thumbnail),
        Some("original") => Ok(ImageSize::Original),
        Some(_) => Err(ServiceError::Invalid("size: expected thumbnail or original".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use wardroom_base::percent::percent_encode;

    #[test]
    fn uris_name_resources() {
        let parse = |uri| BlogUri::parse(uri).unwrap();
        assert_eq!(parse("bds://posts"), BlogUri::Posts { cursor: None });
        assert_eq!(parse("bds://posts?cursor="), BlogUri::Posts { cursor: None });
        assert_eq!(parse("bds://posts?cursor=NTA"), BlogUri::Posts { cursor: Some("NTA".to_owned()) });
        assert_eq!(parse("bds://posts/%E6%96%B0/backlinks"), BlogUri::PostLinks("新".to_owned(), LinkDirection::Back));
        let image = |size| BlogUri::MediaImage { id: "a".to_owned(), size };
        assert_eq!(parse("bds://media/a/image"), image(ImageSize::Thumbnail));
        assert_eq!(parse("bds://media/a/image?size=original"), image(ImageSize::Original));
    }

    #[test]
    fn other_uris_are_refused() {
        for uri in ["bds://", "bds://post", "bds://posts/a/b", "bds://posts/a/media/", "bds://posts#a"] {
            assert!(matches!(BlogUri::parse(uri), Err(ServiceError::NotFound { .. })), "{uri}");
        }
        for uri in [
            "bds://posts/",
            "bds://posts/..",
            "bds://posts/a%2Fb",
            "bds://posts/%ff",
            "bds://tags?x=1",
            "bds://posts?cursor=a&cursor=b",
            "bds://posts?offset=1",
            "bds://media/a/image?size=huge",
            "bds://posts/a%00",
        ] {
            assert!(matches!(BlogUri::parse(uri), Err(ServiceError::Invalid(_))), "{uri}");
        }
    }

    proptest! {
        #[test]
        fn encoded_names_are_read_back(name in "[^\\p{Cc}/\\\\]{1,40}") {
            prop_assume!(name != "." && name != "..");
            let uri = format!("bds://posts/{}", percent_encode(name.as_bytes()));
            prop_assert_eq!(BlogUri::parse(&uri).unwrap(), BlogUri::Post(name));
        }

        #[test]
        fn any_uri_is_parsed_or_refused(rest in "\\PC{0,60}") {
            let _ = BlogUri::parse(&format!("bds://{rest}"));
        }
    }
}
