//! The narrative of a package as HTML: headings, paragraphs, lists, quotes and code of its Markdown.
//!
//! Owns: that everything else is shown as it is written. A narrative is text of a stranger: no HTML of it is kept, no
//! link leads anywhere, and its headings begin below those of the page.
//! Never: fails on a text.

use maud::{Markup, html};

/// A part of a narrative.
#[derive(Debug, PartialEq, Eq)]
enum Block<'t> {
    Heading(usize, &'t str),
    Paragraph(Vec<&'t str>),
    Quote(Vec<&'t str>),
    List(Vec<&'t str>),
    Code(Vec<&'t str>),
}

pub(super) fn render(text: &str) -> Markup {
    html! {
        div.narrative {
            @for block in parse(without_front_matter(text)) {
                @match block {
                    Block::Heading(1, title) => h2 { (inline(title)) },
                    Block::Heading(_, title) => h3 { (inline(title)) },
                    Block::Paragraph(lines) => p { (inline(&lines.join(" "))) },
                    Block::Quote(lines) => p.note { (inline(&lines.join(" "))) },
                    Block::List(items) => ul { @for item in &items { li { (inline(item)) } } },
                    Block::Code(lines) => pre { code { (lines.join("\n")) } },
                }
            }
        }
    }
}

fn without_front_matter(text: &str) -> &str {
    let after = text.strip_prefix("---\n").and_then(|rest| rest.split_once("\n---\n"));
    after.map_or(text, |(_, body)| body)
}

fn parse(text: &str) -> Vec<Block<'_>> {
    let mut blocks: Vec<Block<'_>> = Vec::new();
    let mut lines = text.lines().peekable();
    let mut is_after_blank = true;
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        let begins = std::mem::replace(&mut is_after_blank, trimmed.is_empty());
        if trimmed.is_empty() {
            continue;
        }
        if let Some(fence) = ["```", "~~~"].into_iter().find(|fence| trimmed.starts_with(fence)) {
            let mut code = Vec::new();
            for line in lines.by_ref() {
                if line.trim() == fence {
                    break;
                }
                code.push(line);
            }
            blocks.push(Block::Code(code));
            is_after_blank = true;
            continue;
        }
        if let Some((level, title)) = heading(trimmed) {
            blocks.push(Block::Heading(level, title));
            is_after_blank = true;
            continue;
        }
        let quoted = trimmed.strip_prefix('>').map(str::trim_start);
        let item = ["- ", "* ", "+ "].into_iter().find_map(|sign| trimmed.strip_prefix(sign));
        let is_code = line.starts_with("    ") || line.starts_with('\t') || line.starts_with('|');
        match (blocks.last_mut(), quoted, item) {
            (Some(Block::Quote(lines)), Some(quoted), _) if !begins => lines.push(quoted),
            (_, Some(quoted), _) => blocks.push(Block::Quote(vec![quoted])),
            (Some(Block::List(items)), _, Some(item)) => items.push(item),
            (_, _, Some(item)) => blocks.push(Block::List(vec![item])),
            (Some(Block::Code(code)), ..) if is_code && !begins => code.push(line),
            _ if is_code && begins => blocks.push(Block::Code(vec![line])),
            (Some(Block::Paragraph(lines) | Block::Quote(lines)), ..) if !begins => lines.push(trimmed),
            _ => blocks.push(Block::Paragraph(vec![trimmed])),
        }
    }
    blocks
}

/// Returns the level and the title of a heading.
fn heading(line: &str) -> Option<(usize, &str)> {
    let title = line.trim_start_matches('#');
    let level = line.len() - title.len();
    ((1..=6).contains(&level) && title.starts_with(' ')).then(|| (level, title.trim()))
}

/// Shows code within a line as code.
fn inline(text: &str) -> Markup {
    let parts: Vec<&str> = text.split('`').collect();
    // A sign without its partner is a sign.
    let n_paired = if parts.len().is_multiple_of(2) { parts.len() - 1 } else { parts.len() };
    html! {
        @for (at, part) in parts.iter().enumerate() {
            @if at >= n_paired { "`" (part) } @else if at % 2 == 1 { code { (part) } } @else { (part) }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_parts_become_html_and_all_else_stays_text() {
        let text = "---\nname: \"x\"\n---\n# Title\n\nOne `a < b`\ntwo.\n## Usage\n- first\n- `second`\n\n> quoted\n> more\n\n\
                    ```lua\nreturn '<b>'\n```\n<script>attack()</script> and ` alone\n";
        let html = render(text).into_string();
        let expected = "<div class=\"narrative\"><h2>Title</h2><p>One <code>a &lt; b</code> two.</p><h3>Usage</h3>\
                        <ul><li>first</li><li><code>second</code></li></ul><p class=\"note\">quoted more</p>\
                        <pre><code>return '&lt;b&gt;'</code></pre>\
                        <p>&lt;script&gt;attack()&lt;/script&gt; and ` alone</p></div>";
        assert_eq!(html, expected);
    }

    #[test]
    fn open_code_ends_with_the_text() {
        assert_eq!(parse("```\na\nb"), [Block::Code(vec!["a", "b"])]);
        assert_eq!(
            parse("    code\n    more\n\ntext"),
            [Block::Code(vec!["    code", "    more"]), Block::Paragraph(vec!["text"])]
        );
        assert_eq!(parse("#no heading"), [Block::Paragraph(vec!["#no heading"])]);
    }
}
