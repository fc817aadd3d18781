//! The packages that are installed and those of the hub's indices, and one package with its narrative.
//!
//! Never: fetches an index: what is cached is shown.

use maud::{Markup, html};
use serde_json::Value;

use super::rates::percent;
use super::{AlcPage, CARDS, EVALS, PACKAGES, content_page, narrative};
use crate::hub::{HubListing, list_hub_packages};
use crate::limits::{MAX_CONFIG_BYTES, MAX_HUB_QUERY_BYTES, MAX_NARRATIVE_BYTES, MAX_PAGE_PACKAGES};
use crate::rows::JsonRow;
use wardroom_base::uri::PackageName;
use wardroom_service::{ContentPage, ServiceError, with_noun};

pub(super) fn list(page: &AlcPage<'_>) -> Result<ContentPage, ServiceError> {
    let query = page.request.query.filled("q").unwrap_or_default();
    if query.len() > MAX_HUB_QUERY_BYTES {
        return Err(ServiceError::Invalid(format!("q: longer than {MAX_HUB_QUERY_BYTES} bytes")));
    }
    let HubListing { rows, warnings, .. } = list_hub_packages(page.alc, query, page.info)?;
    let content = html! {
        h1 { "Packages" }
        p { "Strategies that are installed, and those of the indices of the hub that were fetched." }
        form.search role="search" action=(page.request.link(&[PACKAGES], &[])) {
            label for="q" { "Search: what a package should do, in your own words" }
            div.row {
                input #q type="search" name="q" value=(query);
                button type="submit" { "Search" }
            }
        }
        p.soft { (with_noun(rows.len(), "package", "packages")) }
        @if rows.is_empty() && query.is_empty() {
            p.soft { "Make one with " code { "wardroom new strategy NAME" } ", or install a collection with " code { "wardroom pkg install" } "." }
        }
        ul.items { @for row in rows.iter().take(MAX_PAGE_PACKAGES) { (entry(page, row)) } }
        @if rows.len() > MAX_PAGE_PACKAGES { p.soft { "And " (rows.len() - MAX_PAGE_PACKAGES) " more: search for a word." } }
        @for warning in &warnings { p.note { (warning) } }
    };
    Ok(content_page("Packages", PACKAGES, content))
}

fn text<'r>(row: &'r JsonRow, key: &str) -> Option<&'r str> {
    row.get(key).and_then(Value::as_str).filter(|text| !text.is_empty())
}

fn entry(page: &AlcPage<'_>, row: &JsonRow) -> Markup {
    let name = text(row, "name").unwrap_or_default();
    html! {
        li {
            h2 { a href=(page.request.link(&[PACKAGES, name], &[])) data-item { (name) } }
            (about(row))
            @if let Some(description) = text(row, "description") { p { (description) } }
        }
    }
}

fn about(row: &JsonRow) -> Markup {
    let best = row.get("best_card").and_then(|best| best.get("pass_rate")).and_then(Value::as_f64);
    let n_cards =
        row.get("card_count").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok()).unwrap_or_default();
    let is_installed = row.get("installed") == Some(&Value::Bool(true));
    // Nothing here shows that an index is right.
    let claimed = if is_installed { "" } else { ", as its index says" };
    html! {
        ul.meta {
            @if is_installed {
                li { span.status.done { "installed" } }
            } @else {
                li { span.status { "in the hub" } }
            }
            @if let Some(version) = text(row, "version") { li { "version " (version) } }
            @if let Some(category) = text(row, "category") { li { (category) } }
            @if n_cards > 0 { li { (with_noun(n_cards, "card", "cards")) (claimed) } }
            @if let Some(best) = best { li { "best pass rate " (percent(best)) (claimed) } }
        }
    }
}

pub(super) fn show(page: &AlcPage<'_>, name: &str) -> Result<ContentPage, ServiceError> {
    let name = PackageName::parse(name).map_err(|_| page.request.not_found())?;
    let HubListing { rows, .. } = list_hub_packages(page.alc, "", page.info)?;
    let row = rows.iter().find(|row| text(row, "name") == Some(name.as_str()));
    let row = row.ok_or_else(|| page.request.not_found())?;
    let narrative = read_narrative(page, &name)?;
    let content = html! {
        h1 { (name) }
        (about(row))
        @if let Some(description) = text(row, "description") { p { (description) } }
        p {
            a href=(page.request.link(&[EVALS], &[("pkg", name.as_str())])) { "Its evals" } " · "
            a href=(page.request.link(&[CARDS], &[("pkg", name.as_str())])) { "its cards" } " · "
            a href=(page.request.link(&[], &[("strategy", name.as_str())])) { "its runs" }
        }
        @match (&narrative, text(row, "docstring")) {
            (Some(written), _) => (narrative::render(written)),
            (None, Some(documentation)) => (narrative::render(documentation)),
            (None, None) => p.soft { "It has no documentation." },
        }
        p { a href=(page.request.link(&[PACKAGES], &[])) { "← All packages" } }
    };
    Ok(content_page(name.to_string(), PACKAGES, content))
}

/// Reads the narrative of an installed package, if it has one.
fn read_narrative(page: &AlcPage<'_>, name: &PackageName) -> Result<Option<String>, ServiceError> {
    let what = format!("the narrative of {name}");
    let read = page.alc.packages.open_narrative(name, MAX_CONFIG_BYTES, &what).and_then(|file| {
        file.read_text(MAX_NARRATIVE_BYTES).map_err(|error| ServiceError::from_read_error(&what, error))
    });
    match read {
        Ok((text, _)) => Ok(Some(text)),
        Err(ServiceError::NotFound { .. }) => Ok(None),
        Err(error) => Err(error),
    }
}
