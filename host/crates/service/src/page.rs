//! Pages for people: what a service shows in a browser, in plain types.
//!
//! Owns: [`PageProvider`], requests, replies, and addresses within the pages of a service.
//! Never: knows HTTP, the frame around a page, or who may see it: the crate `web` has checked that.

use super::{RequestInfo, ServiceError};
use wardroom_base::percent::percent_encode;

/// The pages of a service.
pub trait PageProvider: Send + Sync {
    /// Returns the name of the service for people.
    fn title(&self) -> &'static str;

    /// Returns the sections of the pages, in the order of the navigation. Called for each page, on a worker thread.
    fn sections(&self, info: &RequestInfo) -> Vec<PageSection>;

    /// Returns a number that differs once a page may show something else. Called every second while a page is open, on
    /// a worker thread, so it reads no document.
    fn version(&self) -> u64;

    /// Answers a request, on a worker thread.
    ///
    /// # Errors
    /// The reason, which the person sees. [`ServiceError::NotFound`] is a page that does not exist.
    fn respond(&self, request: &PageRequest, info: &RequestInfo) -> Result<PageReply, ServiceError>;
}

/// An entry of the navigation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageSection {
    /// The first part of the path of its pages; empty for the first page of the service.
    pub path: &'static str,
    pub title: &'static str,
    /// How much waits for the person there; 0 shows no number.
    pub n_pending: usize,
}

/// What a browser does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageMethod {
    /// It reads a page, and changes nothing.
    Get,
    /// It sends a form, which had the right token.
    Post,
}

/// A request of a person who is signed in.
#[derive(Debug, Clone)]
pub struct PageRequest {
    pub method: PageMethod,
    /// The address of the service's pages, without a slash at the end.
    pub base: String,
    /// The parts of the path below it, decoded.
    pub path: Vec<String>,
    pub query: PageFields,
    /// The fields of the form; none where a page is read.
    pub form: PageFields,
    /// The value that each form repeats in a hidden field named [`FORM_TOKEN_FIELD`].
    pub form_token: String,
    /// A name of the person's session, for the audit trail.
    pub session: String,
}

/// The name of the field with [`PageRequest::form_token`].
pub const FORM_TOKEN_FIELD: &str = "form_token";

/// The fields of a form or a query, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PageFields(pub Vec<(String, String)>);

/// The reply to a [`PageRequest`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageReply {
    Page(ContentPage),
    /// The browser reads another page, at this path. The reply to a form that was accepted.
    Redirect(String),
    /// A file, such as a picture. It is shown within a page, and never as a page.
    File {
        mime_type: String,
        bytes: Vec<u8>,
    },
    /// Untrusted HTML without its document. It is shown in a frame, where nothing in it can run or load anything.
    Preview {
        title: String,
        language: Option<String>,
        html: String,
    },
}

/// The content of a page. The crate `web` puts the frame with the navigation around it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentPage {
    pub status: PageStatus,
    /// The title of the document, without the name of the service.
    pub title: String,
    /// The path of the section that the page belongs to, if it belongs to one.
    pub section: Option<&'static str>,
    /// HTML whose texts are escaped. It begins with the page's only `h1`.
    pub html: String,
}

/// The outcome that a page shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageStatus {
    Done,
    Invalid,
    NotFound,
    /// Something else changed what the person decided about.
    Conflict,
}

impl PageFields {
    /// Returns the first value of a field.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.all(name).next()
    }

    /// Returns the first value of a field that is not blank, without the spaces around it.
    #[must_use]
    pub fn filled(&self, name: &str) -> Option<&str> {
        self.get(name).map(str::trim).filter(|value| !value.is_empty())
    }

    /// Returns all values of a field.
    pub fn all<'f>(&'f self, name: &str) -> impl Iterator<Item = &'f str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

impl PageRequest {
    /// Returns the parts of the path, to match on.
    #[must_use]
    pub fn parts(&self) -> Vec<&str> {
        self.path.iter().map(String::as_str).collect()
    }

    /// Returns the address of a page of the same service.
    #[must_use]
    pub fn link(&self, parts: &[&str], query: &[(&str, &str)]) -> String {
        page_link(&self.base, parts, query)
    }

    /// Returns the error for a page that does not exist.
    #[must_use]
    pub fn not_found(&self) -> ServiceError {
        ServiceError::NotFound { uri: self.link(&self.parts(), &[]) }
    }
}

impl ContentPage {
    #[must_use]
    pub fn new(title: impl Into<String>, section: &'static str, html: impl Into<String>) -> Self {
        Self { status: PageStatus::Done, title: title.into(), section: Some(section), html: html.into() }
    }
}

/// Writes a number with its noun.
#[must_use]
pub fn with_noun(number: usize, one: &str, more: &str) -> String {
    if number == 1 { format!("1 {one}") } else { format!("{number} {more}") }
}

/// Returns the address of a page below `base`.
#[must_use]
pub fn page_link(base: &str, parts: &[&str], query: &[(&str, &str)]) -> String {
    let mut link = base.to_owned();
    for part in parts {
        link.push('/');
        encode_component(part, &mut link);
    }
    for (number, (name, value)) in query.iter().enumerate() {
        link.push(if number == 0 { '?' } else { '&' });
        encode_component(name, &mut link);
        link.push('=');
        encode_component(value, &mut link);
    }
    link
}

/// Adds a text of the address.
fn encode_component(text: &str, link: &mut String) {
    // A browser would take these for steps of the path, encoded or not.
    if text == "." || text == ".." {
        return link.push('-');
    }
    link.push_str(&percent_encode(text.as_bytes()));
}
