//! What a proposal changes: fields as a table, lines as a difference, code with its numbers.
//!
//! Never: shows an HTML that is not escaped, or decides.

use maud::{Markup, html};

use super::highlight::{CodeLanguage, CodeToken, highlight};
use crate::proposals::field_diff::ChangedField;
use crate::proposals::line_diff::{DiffLine, DiffLineKind, line_diff};
use wardroom_base::hidden_chars::reveal;
use wardroom_sandbox::DocumentProblem;

/// Shows fields with their new values, and in a file that is there with those it has now.
pub(super) fn field_table(caption: &str, rows: &[ChangedField], has_current: bool) -> Markup {
    let cell = |text: &Option<String>| {
        html! { @match text { Some(text) if !text.is_empty() => (reveal(text)), _ => span.soft { "none" } } }
    };
    html! {
        table.change {
            caption.unseen { (caption) }
            thead {
                tr {
                    th scope="col" { "Field" }
                    @if has_current { th scope="col" { "Before" } }
                    th scope="col" { "Proposed" }
                }
            }
            tbody {
                @for row in rows {
                    tr {
                        th scope="row" { (reveal(&row.name)) }
                        @if has_current { td data-label="Before" { (cell(&row.current)) } }
                        td data-label="Proposed" { (cell(&row.proposed)) }
                    }
                }
            }
        }
    }
}

/// Shows the difference of two texts, with the words marked that changed within a line.
pub(super) fn difference(before: &str, after: &str) -> Markup {
    let hunks = line_diff(before, after);
    html! {
        @if hunks.is_empty() { p.soft { "Nothing differs." } }
        @for hunk in &hunks { div.diff { @for line in &hunk.lines { (diff_line(line)) } } }
    }
}

fn diff_line(line: &DiffLine) -> Markup {
    let text = html! {
        @for part in &line.parts {
            @if part.is_changed { mark { (reveal(&part.text)) } } @else { (reveal(&part.text)) }
        }
    };
    html! {
        @match line.kind {
            DiffLineKind::Kept => div.kept { span.sign { (line.number) "   " } (text) },
            DiffLineKind::Removed => del { span.sign { (line.number) " − " } (text) },
            DiffLineKind::Added => ins { span.sign { (line.number) " + " } (text) },
        }
    }
}

/// Shows code with the numbers of its lines.
pub(super) fn code(language: CodeLanguage, source: &str) -> Markup {
    html! {
        ol.code {
            @for line in highlight(language, source) {
                li {
                    code {
                        @for CodeToken { class, text } in line {
                            @match class {
                                Some(class) => span class=(class) { (reveal(text)) },
                                None => (reveal(text)),
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Shows what the guest found in a script or template.
pub(super) fn check_result(problems: &[DocumentProblem]) -> Markup {
    html! {
        @if problems.is_empty() {
            p.note { "Its syntax is checked: no mistakes." }
        } @else {
            div.note.error role="alert" {
                p { "It has mistakes:" }
                ul {
                    @for problem in problems {
                        li {
                            "line " (problem.position.line) ", column " (problem.position.column) ": " (problem.message)
                        }
                    }
                }
            }
        }
    }
}
