//! The page of a package, from its metadata and the comment at the start of its source.
//!
//! Never: lets a package inject front matter: its values are quoted there.

use std::fmt::Write as _;

use serde_json::Value;

use super::describe::PackageDescription;

pub(super) fn render_page(package: &PackageDescription) -> String {
    let name = package.name.as_str();
    let mut page = String::from("---\n");
    for key in ["name", "version", "category", "description"] {
        let value = if key == "name" { Some(name) } else { package.meta_text(key) };
        if let Some(value) = value {
            // Every JSON string is a YAML string.
            push_line(&mut page, &format!("{key}: {}", Value::from(value)));
        }
    }
    page.push_str("---\n\n");
    let mut lines = package.doc().lines();
    let title = lines.next().map(str::trim).filter(|title| !title.is_empty()).unwrap_or(name);
    push_line(&mut page, &format!("# {}", title.trim_start_matches('#').trim()));
    if let Some(description) = package.meta_text("description") {
        push_line(&mut page, "");
        description.lines().for_each(|text| push_line(&mut page, &format!("> {text}")));
    }
    let (body, headings) = render_body(lines);
    if !headings.is_empty() {
        push_line(&mut page, "\n## Contents\n");
        let mut slugs = Vec::new();
        for heading in &headings {
            let slug = slugify(heading);
            let before = slugs.iter().filter(|known| **known == slug).count();
            let anchor = if before == 0 { slug.clone() } else { format!("{slug}-{before}") };
            slugs.push(slug);
            push_line(&mut page, &format!("- [{heading}](#{anchor})"));
        }
    }
    let body = body.trim_matches('\n');
    if !body.is_empty() {
        push_line(&mut page, "");
        push_line(&mut page, body);
    }
    page
}

fn push_line(page: &mut String, text: &str) {
    page.push_str(text);
    page.push('\n');
}

/// Renders the rest of the documentation with its sections as second-level headings; returns their titles too.
fn render_body<'d>(lines: impl Iterator<Item = &'d str>) -> (String, Vec<String>) {
    let (mut body, mut headings) = (String::new(), Vec::new());
    for text in lines {
        match parse_heading(text) {
            Some(title) => {
                let _ = writeln!(body, "\n## {title}\n");
                headings.push(title);
            }
            None => push_line(&mut body, text),
        }
    }
    // One empty line before and after each heading, whatever the source has.
    while body.contains("\n\n\n") {
        body = body.replace("\n\n\n", "\n\n");
    }
    (body, headings)
}

/// Returns the title of a heading: `## Usage`, or a line that is not indented and ends in a colon, such as `Usage:` or
/// `Parameters (all optional):`.
fn parse_heading(text: &str) -> Option<String> {
    if let Some(title) = text.strip_prefix("## ").or_else(|| text.strip_prefix("# ")) {
        return Some(title.trim().to_owned());
    }
    let title = text.strip_suffix(':')?;
    let starts = title.chars().next().is_some_and(char::is_uppercase);
    (starts && title.len() <= 60 && !title.contains(". ")).then(|| title.to_owned())
}

/// Makes an anchor as the usual Markdown renderers do.
fn slugify(heading: &str) -> String {
    let lower = heading.to_lowercase();
    let kept = lower.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}
