//! A preview: the body of a post as HTML that is safe to show.
//!
//! Owns: the list of elements and attributes that there are. The writer knows no others, so that nothing has to be removed
//! afterwards: raw HTML of the source becomes its text, without any tag. Attributes are `href`, `src`, `alt`, `title` and
//! `start`; an author can set no `id`, `class` or `style`.
//! Never: writes an address with a scheme but `http`, `https` and `mailto`, or one with a control character: a link of that
//! kind becomes its text, a picture its alternative text.

use pulldown_cmark::{Event, LinkType, Parser, Tag, TagEnd};

use crate::error::{ParseError, ReadError};
use crate::limits::MAX_PREVIEW_BYTES;
use crate::markdown::{HtmlTag, OPTIONS, Piece, Pieces, Role, check_nodes, decode, role};
use crate::source::{Contents, Source};

/// Renders the body of a post.
///
/// # Errors
/// When the source or its HTML exceeds a limit. Front matter that cannot be read is none: it is not looked at.
pub fn render(source: &[u8]) -> Result<String, ReadError> {
    let source = Source::read(source, Contents::Post)?;
    render_body(source.body()).map_err(|error| error.shifted(source.body_start).located(source.text))
}

fn render_body(body: &str) -> Result<String, ParseError> {
    check_nodes(body)?;
    let mut writer = Writer { out: String::with_capacity(body.len() * 2), ..Writer::default() };
    for event in Parser::new_ext(body, OPTIONS) {
        writer.event(event);
        if writer.out.len() > MAX_PREVIEW_BYTES {
            return Err(ParseError::TooMuch("preview"));
        }
    }
    Ok(writer.out)
}

#[derive(Default)]
struct Writer {
    out: String,
    /// Whether each open link or picture is written, or only its text.
    written: Vec<bool>,
    /// The alternative text of the outermost picture, and how many pictures are open.
    alternative: String,
    pictures: usize,
    picture: Option<(String, String)>,
    is_table_head: bool,
    /// Whether inline HTML hides what follows.
    is_hidden: bool,
    html: String,
}

impl Writer {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) => self.text(&text),
            Event::Code(code) => {
                self.tag("<code>");
                self.text(&code);
                self.tag("</code>");
            }
            Event::SoftBreak => self.text("\n"),
            Event::HardBreak => self.tag("<br>\n"),
            Event::Rule => self.tag("<hr>\n"),
            Event::TaskListMarker(is_done) => self.text(if is_done { "☑ " } else { "☐ " }),
            Event::FootnoteReference(name) => {
                self.tag("<sup>");
                self.text(&name);
                self.tag("</sup>");
            }
            Event::Html(html) => self.html.push_str(&html),
            Event::InlineHtml(html) => self.inline_html(&html),
            Event::InlineMath(_) | Event::DisplayMath(_) => {}
        }
    }

    /// Writes a tag, which is one of this file.
    fn tag(&mut self, tag: &'static str) {
        if self.pictures == 0 && !self.is_hidden {
            self.out.push_str(tag);
        }
    }

    fn text(&mut self, text: &str) {
        if self.is_hidden {
        } else if self.pictures > 0 {
            self.alternative.push_str(text);
        } else {
            escape(text, &mut self.out);
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.tag("<p>"),
            Tag::Heading { level, .. } => self.tag(heading(level, true)),
            Tag::BlockQuote(_) | Tag::FootnoteDefinition(_) => {
                self.tag("<blockquote>\n");
                if let Tag::FootnoteDefinition(name) = tag {
                    self.tag("<p><sup>");
                    self.text(&name);
                    self.tag("</sup></p>\n");
                }
            }
            Tag::CodeBlock(_) => self.tag("<pre><code>"),
            Tag::HtmlBlock => self.html.clear(),
            Tag::List(None) => self.tag("<ul>\n"),
            Tag::List(Some(1)) => self.tag("<ol>\n"),
            Tag::List(Some(start)) => {
                self.tag("<ol start=\"");
                self.text(&start.to_string());
                self.tag("\">\n");
            }
            Tag::Item => self.tag("<li>"),
            Tag::Table(_) => self.tag("<table>\n"),
            Tag::TableHead => {
                self.is_table_head = true;
                self.tag("<thead>\n<tr>");
            }
            Tag::TableRow => self.tag("<tr>"),
            Tag::TableCell => self.tag(if self.is_table_head { "<th>" } else { "<td>" }),
            Tag::Emphasis => self.tag("<em>"),
            Tag::Strong => self.tag("<strong>"),
            Tag::Strikethrough => self.tag("<del>"),
            Tag::Link { link_type, dest_url, title, .. } => {
                let address =
                    if link_type == LinkType::Email { format!("mailto:{dest_url}") } else { dest_url.into_string() };
                // Within a picture there is only text.
                let is_written = is_allowed(&address) && self.pictures == 0 && !self.is_hidden;
                if is_written {
                    self.out.push_str("<a href=\"");
                    escape(&address, &mut self.out);
                    self.title(&title);
                    self.out.push_str("\">");
                }
                self.written.push(is_written);
            }
            Tag::Image { dest_url, title, .. } => {
                if self.pictures == 0 {
                    self.picture = is_allowed(&dest_url).then(|| (dest_url.into_string(), title.into_string()));
                }
                self.pictures += 1;
            }
            // Extensions that are not read.
            Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph => self.end_block("</p>\n"),
            TagEnd::Heading(level) => self.end_block(heading(level, false)),
            TagEnd::BlockQuote(_) | TagEnd::FootnoteDefinition => self.end_block("</blockquote>\n"),
            TagEnd::CodeBlock => self.end_block("</code></pre>\n"),
            TagEnd::HtmlBlock => self.html_block(),
            TagEnd::List(true) => self.end_block("</ol>\n"),
            TagEnd::List(false) => self.end_block("</ul>\n"),
            TagEnd::Item => self.end_block("</li>\n"),
            TagEnd::Table => self.end_block("</tbody>\n</table>\n"),
            TagEnd::TableHead => {
                self.is_table_head = false;
                self.end_block("</tr>\n</thead>\n<tbody>\n");
            }
            TagEnd::TableRow => self.end_block("</tr>\n"),
            TagEnd::TableCell => self.end_block(if self.is_table_head { "</th>" } else { "</td>" }),
            TagEnd::Emphasis => self.tag("</em>"),
            TagEnd::Strong => self.tag("</strong>"),
            TagEnd::Strikethrough => self.tag("</del>"),
            TagEnd::Link => {
                if self.written.pop() == Some(true) {
                    self.out.push_str("</a>");
                }
            }
            TagEnd::Image => self.end_picture(),
            TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }

    /// Ends a block, and with it an element that inline HTML hides.
    fn end_block(&mut self, tag: &'static str) {
        self.is_hidden = false;
        self.tag(tag);
    }

    fn end_picture(&mut self) {
        self.pictures = self.pictures.saturating_sub(1);
        if self.pictures > 0 {
            return;
        }
        let alternative = std::mem::take(&mut self.alternative);
        match self.picture.take() {
            Some((address, title)) if !self.is_hidden => {
                self.out.push_str("<img src=\"");
                escape(&address, &mut self.out);
                self.out.push_str("\" alt=\"");
                escape(&alternative, &mut self.out);
                self.title(&title);
                self.out.push_str("\">");
            }
            _ => self.text(&alternative),
        }
    }

    /// Writes a title after another attribute, whose quote is still open.
    fn title(&mut self, title: &str) {
        if !title.is_empty() {
            self.out.push_str("\" title=\"");
            escape(title, &mut self.out);
        }
    }

    fn inline_html(&mut self, html: &str) {
        for piece in Pieces::new(html) {
            match piece {
                Piece::Open(tag) => match role(tag.name) {
                    Role::Hidden => self.is_hidden = true,
                    Role::Space => self.text(" "),
                    _ => {}
                },
                Piece::Close(name) if role(name) == Role::Hidden => self.is_hidden = false,
                Piece::Close(_) | Piece::Text(_) | Piece::Comment(_) | Piece::Hidden => {}
            }
        }
    }

    /// Writes the text of a block of HTML, a paragraph for each of its own.
    fn html_block(&mut self) {
        let html = std::mem::take(&mut self.html);
        let mut paragraph = String::new();
        for piece in Pieces::new(&html) {
            match &piece {
                Piece::Text(text) => paragraph.push_str(&decode(text)),
                Piece::Open(tag) if role(tag.name) == Role::Space => paragraph.push(' '),
                Piece::Open(HtmlTag { name, .. }) | Piece::Close(name) => {
                    if matches!(role(name), Role::Block | Role::Heading | Role::Item) {
                        self.paragraph(&mut paragraph);
                    }
                }
                Piece::Comment(_) | Piece::Hidden => {}
            }
        }
        self.paragraph(&mut paragraph);
    }

    fn paragraph(&mut self, text: &mut String) {
        if !text.trim().is_empty() {
            self.tag("<p>");
            self.text(text.trim());
            self.tag("</p>\n");
        }
        text.clear();
    }
}

const fn heading(level: pulldown_cmark::HeadingLevel, is_start: bool) -> &'static str {
    use pulldown_cmark::HeadingLevel::{H1, H2, H3, H4, H5, H6};
    match (level, is_start) {
        (H1, true) => "<h1>",
        (H2, true) => "<h2>",
        (H3, true) => "<h3>",
        (H4, true) => "<h4>",
        (H5, true) => "<h5>",
        (H6, true) => "<h6>",
        (H1, false) => "</h1>\n",
        (H2, false) => "</h2>\n",
        (H3, false) => "</h3>\n",
        (H4, false) => "</h4>\n",
        (H5, false) => "</h5>\n",
        (H6, false) => "</h6>\n",
    }
}

/// Whether an address has one of the allowed schemes, or none. A browser drops tabs and line breaks within an address and
/// spaces before it, so that any of those is refused; a `:` before the first `/`, `?` or `#` ends a scheme, whatever is
/// before it.
fn is_allowed(address: &str) -> bool {
    let is_foreign = |char: char| char.is_control() || matches!(char, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\\');
    if address.contains(is_foreign) || address.starts_with(char::is_whitespace) {
        return false;
    }
    let end = address.find([':', '/', '?', '#']).unwrap_or(address.len());
    let (scheme, rest) = address.split_at(end);
    !rest.starts_with(':') || ["http", "https", "mailto"].iter().any(|allowed| scheme.eq_ignore_ascii_case(allowed))
}

/// Writes text such that it is text both between tags and between double quotes.
fn escape(text: &str, out: &mut String) {
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\0' => out.push('\u{fffd}'),
            char => out.push(char),
        }
    }
}

#[cfg(test)]
mod tests;
