//! One entry of a JSON file, with comments or without. The parser says where everything stands; an edit puts a few pieces
//! in between, so that every other byte stays what it was.

use std::collections::VecDeque;

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

use super::edit::Wanted;
use super::entry::{Content, Field, Launch, Role};
use super::error::EditError;
use super::table::{Format, Shape};
use super::text::{Manners, Splice, indent_of, is_blank, line_of, line_start, next_line};
use crate::limits::MAX_JSON_DEPTH;

/// A file that was read.
struct Document<'a> {
    text: &'a str,
    eol: &'static str,
    root: Option<Object<'a>>,
    tokens: Vec<TokenAndRange<'a>>,
}

/// The object that holds the servers, as far as it is there.
struct Way<'d, 'a> {
    /// The objects from the root on, each with the key that led to it.
    objects: Vec<(&'static str, &'d Object<'a>)>,
    /// The keys that are missing below the last of them.
    missing: Vec<&'static str>,
    shape: Shape,
}

/// What the entry starts; nothing when there is none.
pub(super) fn find(text: &str, manners: Manners, wanted: &Wanted<'_>) -> Result<Option<Launch>, EditError> {
    let document = parse(text, manners, wanted.target.format)?;
    let Some(way) = way(&document, wanted)? else { return Ok(None) };
    let Some(entry) = entry(&document, &way, wanted)? else { return Ok(None) };
    document.launch(entry, way.shape)?.map(Some).ok_or(EditError::Shape {
        line: document.line(entry.range.start),
        key: wanted.name.as_str().to_owned(),
        expected: "an entry that starts a program",
    })
}

/// The next change that brings the entry there; nothing when it is there.
pub(super) fn install(
    text: &str,
    manners: Manners,
    wanted: &Wanted<'_>,
    launch: &Launch,
) -> Result<Option<Vec<Splice>>, EditError> {
    let document = parse(text, manners, wanted.target.format)?;
    let name = wanted.name.as_str();
    let Some(way) = way(&document, wanted)? else {
        let tree = nested(wanted.target.servers, entry_tree(wanted.target.shape, name, launch));
        return Ok(Some(document.whole(&tree)));
    };
    let fields = way.shape.fields(launch);
    let Some((_, servers)) = way.objects.last() else { return Err(EditError::NotAlone) };
    if let Some((first, rest)) = way.missing.split_first() {
        let tree = nested(rest, entry_tree(way.shape, name, launch));
        return Ok(Some(document.insert(servers, first, &tree)));
    }
    let Some(property) = property(&document, servers, name)? else {
        return Ok(Some(document.insert(servers, name, &Tree::of(&fields))));
    };
    let entry = object(&document, property)?;
    let starts = document.launch(entry, way.shape)?;
    if !starts.as_ref().is_some_and(|starts| wanted.owners.owns(&starts.command)) {
        if !wanted.force {
            return Err(document.foreign(property, starts));
        }
        // What belongs to another program is of no use to ours.
        let text = Tree::of(&fields).written(&document, indent_of(document.text, property.range.start));
        return Ok(
            (starts.as_ref() != Some(launch)).then(|| vec![Splice::over(entry.range.start, entry.range.end, text)])
        );
    }
    fields.iter().find_map(|field| document.update(entry, field).transpose()).transpose()
}

/// The next change that takes the entry away; nothing when there is none.
pub(super) fn uninstall(text: &str, manners: Manners, wanted: &Wanted<'_>) -> Result<Option<Vec<Splice>>, EditError> {
    let document = parse(text, manners, wanted.target.format)?;
    let Some(way) = way(&document, wanted)?.filter(|way| way.missing.is_empty()) else { return Ok(None) };
    let Some((_, servers)) = way.objects.last() else { return Ok(None) };
    let Some(property) = property(&document, servers, wanted.name.as_str())? else { return Ok(None) };
    if !wanted.force {
        let starts = document.launch(object(&document, property)?, way.shape)?;
        if !starts.as_ref().is_some_and(|starts| wanted.owners.owns(&starts.command)) {
            return Err(document.foreign(property, starts));
        }
    }
    // A list of servers that only held ours goes with it.
    let (mut gone, mut above) = (property.range.start, way.objects.len() - 1);
    while let Some((key, object)) = way.objects.get(above) {
        if above == 0
            || object.properties.len() > 1
            || !document.comments(object.range.start, object.range.end).is_empty()
        {
            break;
        }
        let Some((_, parent)) = way.objects.get(above - 1) else { break };
        let Some(of_object) = self::property(&document, parent, key)? else { break };
        (gone, above) = (of_object.range.start, above - 1);
    }
    let Some((_, holder)) = way.objects.get(above) else { return Ok(None) };
    let index = holder.properties.iter().position(|property| property.range.start == gone);
    Ok(index.map(|index| document.remove(holder, index)))
}

/// Everything in a text but the entry, in a form in which two texts compare.
pub(super) fn rest(text: &str, manners: Manners, wanted: &Wanted<'_>) -> Result<String, EditError> {
    let document = parse(text, manners, wanted.target.format)?;
    let Some(root) = &document.root else { return Ok(String::new()) };
    let way = way(&document, wanted)?;
    let keys: Vec<&str> = way
        .iter()
        .flat_map(|way| way.objects.iter().skip(1).map(|(key, _)| *key).chain(way.missing.iter().copied()))
        .collect();
    Ok(document.rest(&Value::Object(root.clone()), Some(&keys), wanted.name.as_str()))
}

/// An entry by itself, as a person would type it in.
pub(super) fn snippet(wanted: &Wanted<'_>, launch: &Launch) -> String {
    let tree = nested(wanted.target.servers, entry_tree(wanted.target.shape, wanted.name.as_str(), launch));
    tree.render("", "  ", "\n", false)
}

fn parse<'a>(text: &'a str, manners: Manners, format: Format) -> Result<Document<'a>, EditError> {
    let comments = format == Format::Jsonc;
    let options = ParseOptions {
        allow_comments: comments,
        allow_trailing_commas: comments,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let collect = CollectOptions { comments: CommentCollectionStrategy::AsTokens, tokens: true };
    let parsed = parse_to_ast(text, &collect, &options)
        .map_err(|error| EditError::Malformed { line: error.line_display(), reason: error.kind().to_string() })?;
    let tokens = parsed.tokens.unwrap_or_default();
    if let Some(comment) = tokens.iter().find(|token| !comments && is_comment(token)) {
        let reason = "a comment, in a file whose program does not read comments".to_owned();
        return Err(EditError::Malformed { line: line_of(text, comment.range.start), reason });
    }
    check_depth(text, &tokens)?;
    let root = match parsed.value {
        None => None,
        Some(Value::Object(object)) => Some(object),
        Some(other) => {
            let line = line_of(text, other.start());
            return Err(EditError::Malformed { line, reason: "the file holds no object".to_owned() });
        }
    };
    Ok(Document { text, eol: manners.eol, root, tokens })
}

fn check_depth(text: &str, tokens: &[TokenAndRange<'_>]) -> Result<(), EditError> {
    let mut depth = 0_usize;
    for token in tokens {
        match token.token {
            Token::OpenBrace | Token::OpenBracket => depth += 1,
            Token::CloseBrace | Token::CloseBracket => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth > MAX_JSON_DEPTH {
            let reason = format!("nested deeper than {MAX_JSON_DEPTH}");
            return Err(EditError::Malformed { line: line_of(text, token.range.start), reason });
        }
    }
    Ok(())
}

fn is_comment(token: &TokenAndRange<'_>) -> bool {
    matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
}

/// The way to the servers; nothing when the file has no value at all.
fn way<'d, 'a>(document: &'d Document<'a>, wanted: &Wanted<'_>) -> Result<Option<Way<'d, 'a>>, EditError> {
    let Some(root) = &document.root else { return Ok(None) };
    let (mut objects, mut shape) = (vec![("", root)], wanted.target.shape);
    let mut keys: VecDeque<&'static str> = wanted.target.servers.iter().copied().collect();
    while let Some(key) = keys.pop_front() {
        let Some((_, above)) = objects.last() else { return Ok(None) };
        let Some(property) = property(document, above, key)? else {
            keys.push_front(key);
            return Ok(Some(Way { objects, missing: keys.into(), shape }));
        };
        let below = object(document, property)?;
        objects.push((key, below));
        if shape == Shape::OpenCode && keys.is_empty() && is_nested(document, below)? {
            keys.push_back("servers");
            shape = Shape::OpenCodeNested;
        }
    }
    Ok(Some(Way { objects, missing: Vec::new(), shape }))
}

/// Whether `mcp` has the second version's shape: a key `servers` that is no server of the first version's.
fn is_nested(document: &Document<'_>, mcp: &Object<'_>) -> Result<bool, EditError> {
    let Some(servers) = property(document, mcp, "servers")? else { return Ok(false) };
    let Value::Object(servers) = &servers.value else { return Ok(false) };
    let of_a_server = |name: &str| {
        servers.properties.iter().any(|property| property.name.as_str() == name && property.value.as_object().is_none())
    };
    Ok(!["type", "command", "url", "enabled"].into_iter().any(of_a_server))
}

fn entry<'d, 'a>(
    document: &'d Document<'a>,
    way: &Way<'d, 'a>,
    wanted: &Wanted<'_>,
) -> Result<Option<&'d Object<'a>>, EditError> {
    if !way.missing.is_empty() {
        return Ok(None);
    }
    let Some((_, servers)) = way.objects.last() else { return Ok(None) };
    property(document, servers, wanted.name.as_str())?.map(|property| object(document, property)).transpose()
}

fn property<'d, 'a>(
    document: &Document<'a>,
    object: &'d Object<'a>,
    key: &str,
) -> Result<Option<&'d ObjectProp<'a>>, EditError> {
    let mut named = object.properties.iter().filter(|property| property.name.as_str() == key);
    let first = named.next();
    match named.next() {
        Some(second) => Err(EditError::Duplicate { line: document.line(second.range.start), key: key.to_owned() }),
        None => Ok(first),
    }
}

fn object<'d, 'a>(document: &Document<'a>, property: &'d ObjectProp<'a>) -> Result<&'d Object<'a>, EditError> {
    property.value.as_object().ok_or_else(|| EditError::Shape {
        line: document.line(property.range.start),
        key: property.name.as_str().to_owned(),
        expected: "an object",
    })
}

fn content(value: &Value<'_>) -> Option<Content> {
    match value {
        Value::StringLit(text) => Some(Content::Text(text.value.clone().into_owned())),
        Value::BooleanLit(flag) => Some(Content::Flag(flag.value)),
        Value::Array(array) => {
            let text = |value: &Value<'_>| Some(value.as_string_lit()?.value.clone().into_owned());
            Some(Content::List(array.elements.iter().map(text).collect::<Option<_>>()?))
        }
        Value::NumberLit(_) | Value::Object(_) | Value::NullKeyword(_) => None,
    }
}

impl Document<'_> {
    fn line(&self, position: usize) -> usize {
        line_of(self.text, position)
    }

    fn launch(&self, entry: &Object<'_>, shape: Shape) -> Result<Option<Launch>, EditError> {
        for key in ["command", "args"] {
            property(self, entry, key)?;
        }
        Ok(shape.launch(|key| entry.get(key).and_then(|property| content(&property.value))))
    }

    fn foreign(&self, property: &ObjectProp<'_>, starts: Option<Launch>) -> EditError {
        let command = starts.map_or_else(|| "none that is on this machine".to_owned(), |launch| launch.command);
        EditError::Foreign { line: self.line(property.range.start), name: property.name.as_str().to_owned(), command }
    }

    /// What one field of an entry that is there lacks.
    fn update(&self, entry: &Object<'_>, field: &Field) -> Result<Option<Vec<Splice>>, EditError> {
        let there = property(self, entry, field.key)?;
        let current = there.and_then(|property| content(&property.value));
        let good = match (&field.role, there, &current) {
            (Role::Once, ..) | (Role::Kind(_), None, _) => true,
            // No arguments and an empty list of them are the same.
            (Role::Starts, None, _) => field.content == Content::List(Vec::new()),
            (Role::Kind(names), _, Some(Content::Text(name))) => names.contains(&name.as_str()),
            (Role::Kind(_), ..) => false,
            (Role::Starts, Some(_), current) => current.as_ref() == Some(&field.content),
        };
        if good {
            return Ok(None);
        }
        let leaf = Tree::Leaf(field.content.clone());
        Ok(Some(match there {
            Some(property) => {
                let range = property.value.range();
                vec![Splice::over(range.start, range.end, leaf.render("", "", "", true))]
            }
            None => self.insert(entry, field.key, &leaf),
        }))
    }

    /// Whether the file is written on one line, as by a program for itself.
    fn is_compact(&self) -> bool {
        self.root.as_ref().is_some_and(|root| !root.properties.is_empty() && !root.range.text(self.text).contains('\n'))
    }

    /// What one level is indented by: as the first line of the root is.
    fn unit(&self) -> &str {
        let first = self.root.as_ref().and_then(|root| root.properties.first());
        let unit = first.map(|first| indent_of(self.text, first.range.start)).unwrap_or_default();
        if unit.is_empty() { "  " } else { unit }
    }

    fn comma(&self, from: usize, to: usize) -> Option<&TokenAndRange<'_>> {
        self.tokens
            .iter()
            .find(|token| token.token == Token::Comma && token.range.start >= from && token.range.end <= to)
    }

    /// The comments that begin within.
    fn comments(&self, from: usize, to: usize) -> Vec<&TokenAndRange<'_>> {
        let within =
            |token: &&TokenAndRange<'_>| is_comment(token) && token.range.start >= from && token.range.start < to;
        self.tokens.iter().filter(within).collect()
    }

    /// The first value of a file that has none.
    fn whole(&self, tree: &Tree) -> Vec<Splice> {
        let text = tree.render("", "  ", self.eol, false);
        let after = self.tokens.last().map_or(0, |comment| comment.range.end);
        let before = if after == 0 { "" } else { self.eol };
        let ending = if after == 0 { self.eol } else { "" };
        let end = if after == 0 { self.text.len() } else { after };
        vec![Splice::over(after, end, format!("{before}{text}{ending}"))]
    }

    /// A further property, as the last one of an object and in the form of those before it.
    fn insert(&self, object: &Object<'_>, key: &str, tree: &Tree) -> Vec<Splice> {
        let Some(last) = object.properties.last() else { return self.insert_first(object, key, tree) };
        let comma = self.comma(last.range.end, object.range.end);
        let several = self.text.get(object.range.start..last.range.start).is_some_and(|text| text.contains('\n'));
        if !several {
            let pair = format!("{}: {}", quoted(key), tree.render("", "", "", true));
            return match comma {
                Some(comma) => vec![Splice::at(comma.range.end, format!(" {pair},"))],
                None => vec![Splice::at(last.range.end, format!(", {pair}"))],
            };
        }
        let indent = indent_of(self.text, last.range.start);
        let pair = format!("{}: {}", quoted(key), tree.written(self, indent));
        let after = comma.map_or(last.range.end, |comma| comma.range.end);
        // A comment behind the last one, on its line, is about the last one.
        let line_end = next_line(self.text, after);
        let behind = self.behind(after, line_end.min(object.range.end));
        let (eol, ending) = (self.eol, if comma.is_some() { "," } else { "" });
        let line = Splice::at(behind, format!("{eol}{indent}{pair}{ending}"));
        match comma {
            Some(_) => vec![line],
            None if behind == after => vec![Splice { text: format!(",{}", line.text), ..line }],
            None => vec![Splice::at(last.range.end, ","), line],
        }
    }

    /// The end of the comments that follow a place, with nothing but blanks between them.
    fn behind(&self, after: usize, end: usize) -> usize {
        let mut behind = after;
        for comment in self.comments(after, end) {
            if !is_blank(self.text, behind, comment.range.start) {
                break;
            }
            behind = comment.range.end;
        }
        behind
    }

    /// Everything but the entry, whatever it looks like: what an edit leaves as it is. Objects that only lead to the entry
    /// are as good as missing.
    fn rest(&self, value: &Value<'_>, way: Option<&[&str]>, name: &str) -> String {
        let all = |parts: Vec<String>| parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(",");
        match value {
            Value::Object(object) => {
                let property = |property: &ObjectProp<'_>| {
                    let key = property.name.as_str();
                    // Some forms have the entry among what leads to others.
                    if way.is_some() && key == name {
                        return String::new();
                    }
                    let below = way.and_then(|way| way.split_first()).filter(|(first, _)| **first == key);
                    let rest = self.rest(&property.value, below.map(|(_, rest)| rest), name);
                    if rest.is_empty() { rest } else { format!("{}:{rest}", quoted(key)) }
                };
                let parts = all(object.properties.iter().map(property).collect());
                if parts.is_empty() && way.is_some() { parts } else { format!("{{{parts}}}") }
            }
            Value::Array(array) => {
                format!("[{}]", all(array.elements.iter().map(|value| self.rest(value, None, name)).collect()))
            }
            scalar => self.text.get(scalar.range().start..scalar.range().end).unwrap_or_default().to_owned(),
        }
    }

    fn insert_first(&self, object: &Object<'_>, key: &str, tree: &Tree) -> Vec<Splice> {
        let (start, end) = (object.range.start + 1, object.range.end.saturating_sub(1));
        if self.is_compact() && self.comments(start, end).is_empty() {
            let pair = format!("{}: {}", quoted(key), tree.render("", "", "", true));
            return vec![Splice::over(start, end, pair)];
        }
        let around = indent_of(self.text, object.range.start);
        let indent = format!("{around}{}", self.unit());
        let pair = format!("{}: {}", quoted(key), tree.written(self, &indent));
        let after = self.comments(start, end).last().map_or(start, |comment| comment.range.end);
        let eol = self.eol;
        vec![Splice::over(after, end, format!("{eol}{indent}{pair}{eol}{around}"))]
    }

    fn remove(&self, object: &Object<'_>, index: usize) -> Vec<Splice> {
        let Some(property) = object.properties.get(index) else { return Vec::new() };
        let (start, end) = (property.range.start, property.range.end);
        let previous = index.checked_sub(1).and_then(|index| object.properties.get(index));
        let next = object.properties.get(index + 1);
        let comma = self.comma(end, next.map_or(object.range.end, |next| next.range.start));
        let end = comma.map_or(end, |comma| comma.range.end);
        let inner = (object.range.start + 1, object.range.end.saturating_sub(1));
        if object.properties.len() == 1 && self.comments(inner.0, inner.1).is_empty() {
            return vec![Splice::over(inner.0, inner.1, "")];
        }
        // Without it the one before is the last, and has no comma if ours had none.
        let part = previous.and_then(|previous| self.comma(previous.range.end, start));
        let before = part.filter(|_| next.is_none() && comma.is_none());
        let mut splices: Vec<Splice> =
            before.map(|comma| Splice::over(comma.range.start, comma.range.end, "")).into_iter().collect();
        let own_line = is_blank(self.text, line_start(self.text, start), start);
        let line_end = next_line(self.text, end);
        let behind = self.behind(end, line_end);
        if own_line && behind <= line_end && is_blank(self.text, behind, line_end) && line_end < object.range.end {
            splices.push(Splice::over(line_start(self.text, start), line_end, ""));
        } else if let Some(next) = next {
            let after = if is_blank(self.text, end, next.range.start) { next.range.start } else { end };
            splices.push(Splice::over(start, after, ""));
        } else {
            // The blank that stood before it has nothing to part any more.
            let from = part.map_or(start, |comma| comma.range.end);
            let from = if is_blank(self.text, from, start) { from } else { start };
            splices.push(Splice::over(from, end, ""));
        }
        splices
    }
}

/// What is written.
enum Tree {
    Leaf(Content),
    Object(Vec<(String, Self)>),
}

fn entry_tree(shape: Shape, name: &str, launch: &Launch) -> Tree {
    Tree::Object(vec![(name.to_owned(), Tree::of(&shape.fields(launch)))])
}

/// A value below keys, of which none is there yet.
fn nested(keys: &[&str], tree: Tree) -> Tree {
    keys.iter().rev().fold(tree, |tree, key| Tree::Object(vec![((*key).to_owned(), tree)]))
}

impl Tree {
    fn of(fields: &[Field]) -> Self {
        Self::Object(fields.iter().map(|field| (field.key.to_owned(), Self::Leaf(field.content.clone()))).collect())
    }

    /// In the form of the file that it goes into.
    fn written(&self, document: &Document<'_>, indent: &str) -> String {
        self.render(indent, document.unit(), document.eol, document.is_compact())
    }

    fn render(&self, indent: &str, unit: &str, eol: &str, compact: bool) -> String {
        match self {
            Self::Leaf(Content::Text(text)) => quoted(text),
            Self::Leaf(Content::Flag(flag)) => flag.to_string(),
            Self::Leaf(Content::List(texts)) => {
                format!("[{}]", texts.iter().map(|text| quoted(text)).collect::<Vec<_>>().join(", "))
            }
            Self::Object(pairs) if compact => {
                let pair = |(key, tree): &(String, Self)| format!("{}: {}", quoted(key), tree.render("", "", "", true));
                format!("{{{}}}", pairs.iter().map(pair).collect::<Vec<_>>().join(", "))
            }
            Self::Object(pairs) => {
                let inner = format!("{indent}{unit}");
                let pair = |(key, tree): &(String, Self)| {
                    format!("{eol}{inner}{}: {}", quoted(key), tree.render(&inner, unit, eol, false))
                };
                format!("{{{}{eol}{indent}}}", pairs.iter().map(pair).collect::<Vec<_>>().join(","))
            }
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
