//! MCP Apps: proposals in the window of an agent.
//!
//! Owns: the page, its addresses, and which tool is shown with which.
//! Never: decides: the page calls `accept_proposal` through the client, with a token that only the page was sent.

pub(crate) mod review;
pub(crate) mod token;

use std::sync::LazyLock;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;
use sha2::{Digest as _, Sha256};

use wardroom_base::payload::Payload;
use wardroom_service::{EntryExtras, ResourceContent, ResourceEntry, mime};

/// A place of the page. The page is the same at all of them: it shows what it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AppPage {
    Post,
    Script,
    Template,
    Metadata,
}

/// How a tool is used in MCP Apps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum AppUse {
    /// Like every other tool.
    None,
    /// Clients show its answer on a page.
    Shown(AppPage),
    /// Clients offer it to pages alone.
    PagesOnly,
}

impl AppPage {
    pub(crate) const ALL: [Self; 4] = [Self::Post, Self::Script, Self::Template, Self::Metadata];

    const fn uri(self) -> &'static str {
        match self {
            Self::Post => "ui://bds/review-post",
            Self::Script => "ui://bds/review-script",
            Self::Template => "ui://bds/review-template",
            Self::Metadata => "ui://bds/review-metadata",
        }
    }

    const fn names(self) -> (&'static str, &'static str) {
        match self {
            Self::Post => ("review-post", "Post Review"),
            Self::Script => ("review-script", "Script Review"),
            Self::Template => ("review-template", "Template Review"),
            Self::Metadata => ("review-metadata", "Metadata Review"),
        }
    }

    /// Returns the page at an address.
    pub(crate) fn at(uri: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|page| page.uri() == uri)
    }

    /// Returns the page as a list of resources has it. Its name is its mark.
    pub(crate) fn entry(self) -> ResourceEntry {
        let (name, title) = self.names();
        ResourceEntry {
            uri: self.uri().to_owned(),
            name: name.into(),
            title: Some(title.into()),
            description: "The page on which a person decides on a proposal, in clients with MCP Apps".into(),
            mime_type: mime::MCP_APP.into(),
            size: None,
            modified: None,
            extra: EntryExtras { meta: Some(page_meta()), ..EntryExtras::default() },
        }
    }

    pub(crate) fn content() -> ResourceContent {
        ResourceContent { meta: Some(page_meta()), ..ResourceContent::new(mime::MCP_APP, PAGE.clone(), None) }
    }
}

impl AppUse {
    /// Returns the metadata of a tool.
    pub(crate) fn meta(self) -> Option<Payload> {
        match self {
            Self::None => None,
            // Clients of the first drafts read the second name.
            Self::Shown(page) => {
                Some(json!({"ui": {"resourceUri": page.uri()}, "ui/resourceUri": page.uri()})).map(Payload::from_value)
            }
            Self::PagesOnly => Some(Payload::from_value(json!({"ui": {"visibility": ["app"]}}))),
        }
    }
}

/// The page loads nothing and has no permissions.
fn page_meta() -> Payload {
    Payload::from_value(json!({"ui": {"csp": {"connectDomains": [], "resourceDomains": []}, "prefersBorder": true}}))
}

const STYLE: &str = include_str!("review.css");
const SCRIPT: &str = include_str!("review.js");

/// The page. Its own policy holds whatever policy a client sets: one script, one style, and pictures in what it is sent.
static PAGE: LazyLock<String> = LazyLock::new(|| {
    let hash = |text: &str| STANDARD.encode(Sha256::digest(text));
    let policy = format!(
        "default-src 'none'; script-src 'sha256-{}'; style-src 'sha256-{}'; img-src data:; base-uri 'none'; form-action 'none'",
        hash(SCRIPT),
        hash(STYLE)
    );
    include_str!("review.html").replace("{policy}", &policy).replace("{style}", STYLE).replace("{script}", SCRIPT)
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_has_its_policy_script_and_style() {
        assert!(PAGE.contains("script-src 'sha256-") && !PAGE.contains("{policy}"));
        assert!(PAGE.contains(SCRIPT) && PAGE.contains(STYLE));
        // What stands between the tags is what was hashed.
        assert!(PAGE.contains(&format!("<script>{SCRIPT}</script>")) && !SCRIPT.contains("</script"));
        assert!(PAGE.contains(&format!("<style>{STYLE}</style>")));
        assert_eq!(AppPage::ALL.map(|page| AppPage::at(page.uri())), AppPage::ALL.map(Some));
    }
}
