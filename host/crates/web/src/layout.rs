//! The frame of every page: head, navigation, landmarks and footer.
//!
//! Owns: how pages look like one, and the pages that belong to no service.
//! Never: contains a script or a style of its own: the policy of pages forbids both.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::PREFIX;
use crate::assets::{PREVIEW_STYLE, SCRIPT_LINK, STYLE_LINK};
use wardroom_service::{FORM_TOKEN_FIELD, PageSection, page_link};

/// A picture for the tab of the browser.
const ICON: &str = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 16 16'%3E\
                    %3Crect width='16' height='16' rx='4' fill='%232f5d50'/%3E\
                    %3Cpath d='M4 5l2 6 2-5 2 5 2-6' fill='none' stroke='white' stroke-width='1.5'/%3E%3C/svg%3E";

/// The parts of the frame that depend on the person and the place.
#[derive(Default)]
pub(crate) struct PageFrame<'f> {
    /// The token of the form that signs out; `None` where no person is signed in.
    pub(crate) form_token: Option<&'f str>,
    /// The services with pages: name and title.
    pub(crate) services: Vec<(&'static str, &'static str)>,
    pub(crate) current: Option<CurrentService<'f>>,
}

/// The service that a page belongs to.
pub(crate) struct CurrentService<'f> {
    pub(crate) name: &'static str,
    pub(crate) title: &'static str,
    pub(crate) sections: Vec<PageSection>,
    pub(crate) section: Option<&'f str>,
    /// The version that the page shows. `None` where it does not follow changes: the reply to a form says what became of a
    /// decision, or has a text that was not saved.
    pub(crate) version: Option<u64>,
}

impl PageFrame<'_> {
    /// Returns a whole document.
    pub(crate) fn document(&self, title: &str, content: &Markup) -> String {
        let service = self.current.as_ref().map(|current| current.title);
        let followed = self.current.as_ref().and_then(|current| Some((current.name, current.version?)));
        let events = followed.map(|(name, _)| page_link(PREFIX, &["events", name], &[]));
        let version = followed.map(|(_, version)| version);
        html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (title) @if let Some(service) = service { " · " (service) } " · wardroom" }
                    link rel="icon" href=(ICON);
                    link rel="stylesheet" href=(STYLE_LINK);
                    script src=(SCRIPT_LINK) defer {}
                }
                body data-events=[events] data-version=[version] {
                    a.skip href="#content" { "Skip to the content" }
                    (self.header())
                    div #status role="status" {}
                    main #content tabindex="-1" { (content) }
                    footer { (keyboard_help()) }
                }
            }
        }
        .into_string()
    }

    fn header(&self) -> Markup {
        let current = self.current.as_ref();
        html! {
            header.site {
                div.bar {
                    a.brand href=(PREFIX) { "wardroom" }
                    @if !self.services.is_empty() {
                        nav aria-label="Services" {
                            ul {
                                @for (name, title) in &self.services {
                                    @let is_current = current.is_some_and(|current| current.name == *name);
                                    li {
                                        a href=(page_link(PREFIX, &[name], &[]))
                                            aria-current=[is_current.then_some("true")] { (title) }
                                    }
                                }
                            }
                        }
                    }
                    @if let Some(token) = self.form_token {
                        form.sign-out method="post" action=(page_link(PREFIX, &["sign-out"], &[])) {
                            input type="hidden" name=(FORM_TOKEN_FIELD) value=(token);
                            button.quiet type="submit" { "Sign out" }
                        }
                    }
                }
                @if let Some(current) = current {
                    nav.sections aria-label=(format!("Sections of {}", current.title)) {
                        ul {
                            @for section in &current.sections { li { (section_link(current, section)) } }
                        }
                    }
                }
            }
        }
    }
}

fn section_address(service: &str, section: &PageSection) -> String {
    let parts: Vec<&str> = [service, section.path].into_iter().filter(|part| !part.is_empty()).collect();
    page_link(PREFIX, &parts, &[])
}

fn section_link(current: &CurrentService<'_>, section: &PageSection) -> Markup {
    let is_current = current.section == Some(section.path);
    html! {
        a href=(section_address(current.name, section)) aria-current=[is_current.then_some("page")] {
            (section.title)
            @if section.n_pending > 0 {
                " " span.count { (section.n_pending) span.unseen { " waiting" } }
            }
        }
    }
}

fn keyboard_help() -> Markup {
    let keys = [
        ("j", "next item"),
        ("k", "previous item"),
        ("/", "search"),
        ("a", "accept: moves to the button"),
        ("d", "discard: moves to the button"),
        ("?", "this list"),
    ];
    html! {
        details #keys {
            summary { "Keyboard" }
            dl { @for (key, meaning) in keys { div { dt { kbd { (key) } } dd { (meaning) } } } }
        }
    }
}

/// The page of a person who is not signed in, with the reason.
pub(crate) fn sign_in_page(reason: &str) -> String {
    PageFrame::default().document(
        "Sign in",
        &html! {
            h1 { "Sign in" }
            p { (reason) }
            p {
                "To read and decide here, run this in a terminal on the machine of the server, and open the address \
                 that it prints:"
            }
            pre { code { "wardroom review" } }
        },
    )
}

/// The page after signing in. It is no redirect: a browser sends the new cookie with a request of this page only.
pub(crate) fn signed_in_page() -> String {
    let document = PageFrame::default().document(
        "Signed in",
        &html! {
            h1 { "You are signed in" }
            p { a href=(PREFIX) { "Continue to the review page" } }
        },
    );
    document.replacen("<title>", &format!("<meta http-equiv=\"refresh\" content=\"0; url={PREFIX}\"><title>"), 1)
}

/// A page that says why there is no other one.
pub(crate) fn error_page(frame: &PageFrame<'_>, title: &str, reason: &str) -> String {
    frame.document(title, &html! { h1 { (title) } p { (reason) } p { a href=(PREFIX) { "Back to the review page" } } })
}

/// The first page: the services, and what waits for a person in each.
pub(crate) fn home_page(frame: &PageFrame<'_>, services: &[(&'static str, &'static str, Vec<PageSection>)]) -> String {
    let content = html! {
        h1 { "Review" }
        @if services.is_empty() {
            p { "No service of this server has pages." }
        }
        @for (name, title, sections) in services {
            section.card {
                h2 { a href=(page_link(PREFIX, &[name], &[])) data-item { (title) } }
                ul.plain {
                    @for section in sections {
                        li {
                            a href=(section_address(name, section)) { (section.title) }
                            @if section.n_pending > 0 { " " span.count { (section.n_pending) " waiting" } }
                        }
                    }
                }
            }
        }
    };
    frame.document("Review", &content)
}

/// The document of a preview. Its links open nowhere: a sandbox has no other windows.
pub(crate) fn preview_document(title: &str, language: Option<&str>, body: &str) -> String {
    html! {
        (DOCTYPE)
        html lang=[language] {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                title { (title) }
                base target="_blank";
                style { (PreEscaped(PREVIEW_STYLE)) }
            }
            body { main { (PreEscaped(body)) } }
        }
    }
    .into_string()
}
