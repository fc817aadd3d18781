//! From the path of a request to the page that answers it.
//!
//! Owns: the paths below `/review`, and that a form without the token of its session changes nothing.
//! Never: shows what only the log gets of an error.

use std::sync::Arc;
use std::time::SystemTime;

use http::header::{HeaderValue, SET_COOKIE};
use http::request::Parts;
use http::{Method, StatusCode};
use maud::PreEscaped;
use tokio_util::sync::CancellationToken;

use crate::assets::find_asset;
use crate::head_check::{find_session, refuse, title_of};
use crate::layout::{self, CurrentService, PageFrame};
use crate::limits::MAX_FORM_FIELDS;
use crate::response::{
    HttpReply, file_response, html_response, preview_response, redirect_response, with_security_headers,
};
use crate::session::{ReviewSession, removed_cookie};
use crate::{PREFIX, ReviewSite};
use wardroom_base::percent::percent_decode_text;
use wardroom_service::audit::{AuditAction, AuditEvent, AuditSource};
use wardroom_service::error_code as code;
use wardroom_service::{
    Caller, ContentPage, FORM_TOKEN_FIELD, HttpPageBody, PageFields, PageMethod, PageProvider, PageReply, PageRequest,
    PageStatus, RequestInfo, RequestMemory, ServiceError, Transport, page_link,
};

/// A service with pages, and the person who reads them.
struct ServicePages<'s> {
    site: &'s ReviewSite,
    name: &'static str,
    pages: &'s Arc<dyn PageProvider>,
    form_token: &'s str,
    info: &'s RequestInfo,
}

pub(crate) fn respond(site: &ReviewSite, head: &Parts, body: &[u8], cancellation: &CancellationToken) -> HttpReply {
    let Some(path) = decode_path(head.uri.path()) else { return not_found() };
    let parts: Vec<&str> = path.iter().map(String::as_str).collect();
    let query = PageFields(parse_fields(head.uri.query().unwrap_or_default().as_bytes()));
    // What needs no session.
    match parts.as_slice() {
        ["assets", name] => return find_asset(name).unwrap_or_else(not_found),
        ["open"] if head.method == Method::GET => return sign_in(site, query.get("key").unwrap_or_default()),
        ["open"] => return refuse(405, "Open this address in a browser."),
        _ => {}
    }
    let Some(session) = find_session(site, head) else {
        return html_response(StatusCode::FORBIDDEN, layout::sign_in_page("You are not signed in, or no longer."));
    };
    let form = PageFields(parse_fields(body));
    let is_form = head.method == Method::POST;
    if is_form && !session.has_form_token(&site.key, form.get(FORM_TOKEN_FIELD).unwrap_or_default()) {
        site.catalogue.audit().refuse(&AuditSource::review_page(), PREFIX, "form without its token");
        return refuse(403, "This form is not of your session. Load its page again, and send it from there.");
    }
    let form_token = session.form_token(&site.key);
    let caller = Caller { transport: Transport::Http { is_remote: false }, ..Caller::default() };
    let info = RequestInfo {
        cancellation: cancellation.clone(),
        caller: Arc::new(caller),
        memory: RequestMemory::new(&site.memory),
        ..RequestInfo::new(&site.catalogue)
    };
    match parts.as_slice() {
        [] if !is_form => home(site, &form_token, &info),
        ["sign-out"] if is_form => sign_out(site, &session),
        ["events", name] if !is_form => events(site, name),
        [name, rest @ ..] => {
            let Some((name, pages)) = site.catalogue.pages().find(|(known, _)| known == name) else {
                return not_found();
            };
            let request = PageRequest {
                method: if is_form { PageMethod::Post } else { PageMethod::Get },
                base: page_link(PREFIX, &[name], &[]),
                path: rest.iter().map(|&part| part.to_owned()).collect(),
                query,
                form,
                form_token: form_token.clone(),
                session: session.display_name(),
            };
            ServicePages { site, name, pages, form_token: &form_token, info: &info }.respond(&request)
        }
        [] => not_found(),
    }
}

impl ServicePages<'_> {
    fn respond(&self, request: &PageRequest) -> HttpReply {
        // Before the page is made: a change meanwhile is shown again.
        let version = (request.method == PageMethod::Get).then(|| self.pages.version());
        match self.pages.respond(request, self.info) {
            Ok(PageReply::Page(page)) => self.page(&page, version),
            Ok(PageReply::Redirect(path)) => redirect_response(&path),
            Ok(PageReply::File { mime_type, bytes }) => file_response(&mime_type, bytes),
            Ok(PageReply::Preview { title, language, html }) => {
                preview_response(layout::preview_document(&title, language.as_deref(), &html))
            }
            Err(error) => self.failure(&error, version),
        }
    }

    fn page(&self, page: &ContentPage, version: Option<u64>) -> HttpReply {
        let status = match page.status {
            PageStatus::Done => StatusCode::OK,
            PageStatus::Invalid => StatusCode::BAD_REQUEST,
            PageStatus::NotFound => StatusCode::NOT_FOUND,
            PageStatus::Conflict => StatusCode::CONFLICT,
        };
        let frame = self.frame(page.section, version);
        html_response(status, frame.document(&page.title, &PreEscaped(page.html.clone())))
    }

    fn failure(&self, error: &ServiceError, version: Option<u64>) -> HttpReply {
        let status = match error {
            ServiceError::NotFound { .. } | ServiceError::Tool { code: code::NOT_FOUND, .. } => StatusCode::NOT_FOUND,
            ServiceError::Tool { code: code::BUSY, .. } => StatusCode::SERVICE_UNAVAILABLE,
            ServiceError::Tool { code: code::FOLDER_REMOVED, .. } => StatusCode::INTERNAL_SERVER_ERROR,
            ServiceError::Internal { public_message, cause } => {
                tracing::error!(public_message, cause = ?cause.as_ref().map(ToString::to_string), "a page failed");
                StatusCode::INTERNAL_SERVER_ERROR
            }
            _ => StatusCode::BAD_REQUEST,
        };
        let reason = match error {
            ServiceError::NotFound { .. } => "There is no such page.".to_owned(),
            other => sentence(&other.to_string()),
        };
        html_response(status, layout::error_page(&self.frame(None, version), title_of(status), &reason))
    }

    fn frame<'f>(&'f self, section: Option<&'f str>, version: Option<u64>) -> PageFrame<'f> {
        PageFrame {
            form_token: Some(self.form_token),
            services: self.site.catalogue.pages().map(|(name, pages)| (name, pages.title())).collect(),
            current: Some(CurrentService {
                name: self.name,
                title: self.pages.title(),
                sections: self.pages.sections(self.info),
                section,
                version,
            }),
        }
    }
}

fn home(site: &ReviewSite, form_token: &str, info: &RequestInfo) -> HttpReply {
    let services: Vec<_> =
        site.catalogue.pages().map(|(name, pages)| (name, pages.title(), pages.sections(info))).collect();
    let frame = PageFrame {
        form_token: Some(form_token),
        services: services.iter().map(|(name, title, _)| (*name, *title)).collect(),
        current: None,
    };
    html_response(StatusCode::OK, layout::home_page(&frame, &services))
}

fn sign_in(site: &ReviewSite, key: &str) -> HttpReply {
    if !site.sign_in_keys.take(key, SystemTime::now()) {
        site.catalogue.audit().refuse(&AuditSource::unauthenticated(false), PREFIX, "no valid key");
        let reason = "This address was used before, or is too old. It signs in once, and within ten minutes.";
        return html_response(StatusCode::FORBIDDEN, layout::sign_in_page(reason));
    }
    let Some(session) = ReviewSession::begin(SystemTime::now()) else {
        return refuse(500, "The system has no random numbers for a session.");
    };
    let name = session.display_name();
    let event = AuditEvent { action: AuditAction::SignedIn, subject: &name, digest: None, outcome: "ok" };
    site.catalogue.audit().record(&AuditSource::review_page(), &event);
    let mut reply = html_response(StatusCode::OK, layout::signed_in_page());
    insert_cookie(&mut reply, &session.set_cookie(&site.key));
    reply
}

fn sign_out(site: &ReviewSite, session: &ReviewSession) -> HttpReply {
    site.signed_out.add(session);
    let mut reply = html_response(StatusCode::OK, layout::sign_in_page("You are signed out."));
    insert_cookie(&mut reply, &removed_cookie());
    reply
}

fn insert_cookie(reply: &mut HttpReply, cookie: &str) {
    // Hexadecimal digits and our own words are a header value.
    if let Ok(value) = HeaderValue::from_str(cookie) {
        reply.headers_mut().insert(SET_COOKIE, value);
    }
}

fn events(site: &ReviewSite, name: &str) -> HttpReply {
    let Some((_, pages)) = site.catalogue.pages().find(|(known, _)| *known == name) else { return not_found() };
    let pages = Arc::clone(pages);
    let body = HttpPageBody::Versions(Arc::new(move || pages.version()));
    let content_type = HeaderValue::from_static("text/event-stream");
    with_security_headers(StatusCode::OK, content_type, body)
}

fn not_found() -> HttpReply {
    refuse(404, "There is no such page.")
}

/// Returns the decoded parts of a path below [`PREFIX`]; `None` where they are not UTF-8.
fn decode_path(path: &str) -> Option<Vec<String>> {
    let rest = path.strip_prefix(PREFIX)?;
    // `+` is no space there.
    rest.split('/').filter(|part| !part.is_empty()).map(percent_decode_text).collect()
}

fn parse_fields(text: &[u8]) -> Vec<(String, String)> {
    form_urlencoded::parse(text)
        .take(MAX_FORM_FIELDS)
        .map(|(name, value)| (name.into_owned(), value.into_owned()))
        .collect()
}

/// Writes a message as a sentence.
fn sentence(message: &str) -> String {
    let mut chars = message.chars();
    let first = chars.next().map(|first| first.to_uppercase().collect::<String>()).unwrap_or_default();
    let end = if message.ends_with(['.', '?', '!']) { "" } else { "." };
    format!("{first}{}{end}", chars.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn path_is_decoded_once() {
        let decoded = |path| decode_path(path).map(|parts| parts.join("|"));
        assert_eq!(decoded("/review").as_deref(), Some(""));
        assert_eq!(decoded("/review/blog/posts/a%20b+c").as_deref(), Some("blog|posts|a b+c"));
        assert_eq!(decoded("/review/%2525/%C3%BC/%2e%2E").as_deref(), Some("%25|ü|.."));
        for wrong in ["/review/%", "/review/%4", "/review/%+1", "/review/%zz", "/review/%FF"] {
            assert_eq!(decoded(wrong), None, "{wrong}");
        }
    }
}
