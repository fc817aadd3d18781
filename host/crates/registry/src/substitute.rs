//! The substitution of `{{name}}` in texts, and the matching of `{name}` in URIs.
//!
//! Owns: a single literal pass: values are never substituted again, and names and values may contain any character.

use std::borrow::Borrow;
use std::collections::{BTreeMap, BTreeSet};

use super::report::IndexReport;
use wardroom_base::percent::percent_decode_text;

/// Replaces each `{{name}}` that has a value. Others stay as they are. Returns `None` where the result would have more
/// than `left` bytes, and reduces `left` by its length: values can be far longer than the text.
pub(super) fn substitute_placeholders<K: Borrow<str> + Ord, V: AsRef<str>>(
    text: &str,
    values: &BTreeMap<K, V>,
    left: &mut usize,
) -> Option<String> {
    const OPEN: &str = "{{";
    const CLOSE: &str = "}}";
    let longest = values.keys().map(|name| name.borrow().len()).max().unwrap_or(0);
    let mut out = String::new();
    let mut push = |out: &mut String, part: &str| {
        *left = left.checked_sub(part.len())?;
        out.push_str(part);
        Some(())
    };
    // What is before `done` is pushed. The next end is searched once, so that a text of braces costs its length.
    let (mut done, mut end) = (0, None::<usize>);
    while let Some(before) = text.get(done..).and_then(|rest| rest.find(OPEN)) {
        let open = done + before;
        let name_start = open + OPEN.len();
        if end.is_none_or(|end| end < name_start) {
            let Some(found) = text.get(name_start..).and_then(|rest| rest.find(CLOSE)) else { break };
            end = Some(name_start + found);
        }
        let name = end.filter(|end| end - name_start <= longest).and_then(|end| text.get(name_start..end));
        push(&mut out, text.get(done..open)?)?;
        match name.and_then(|name| values.get(name)) {
            Some(value) => {
                push(&mut out, value.as_ref())?;
                done = end? + CLOSE.len();
            }
            None => {
                push(&mut out, "{")?;
                done = open + 1;
            }
        }
    }
    push(&mut out, text.get(done..)?)?;
    Some(out)
}

/// Returns the warning of a first placeholder that has no value, and whose name seems to be a misspelt one of `names`. Any
/// other text in braces may be meant as it is.
pub(super) fn misspelt_placeholder(text: &str, names: &BTreeSet<&str>, report: &mut IndexReport) -> Option<String> {
    text.split("{{").skip(1).find_map(|rest| {
        let (name, _) = rest.split_once("}}")?;
        let known = names.get(name.trim()).copied();
        let meant = known.or_else(|| report.closest_name(name.trim(), names.iter().copied()))?;
        (meant != name).then(|| format!("{{{{{name}}}}} stays as it is written: is it {{{{{meant}}}}}?"))
    })
}

/// A URI template of level 1 in RFC 6570: texts, and variables between them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct UriTemplate {
    /// The text before each variable, with the variable's name.
    variables: Vec<(String, String)>,
    suffix: String,
}

impl UriTemplate {
    /// Parses a template.
    ///
    /// # Errors
    /// A message that says what is wrong.
    pub(super) fn parse(pattern: &str) -> Result<Self, String> {
        let (mut parts, mut rest): (Vec<(String, String)>, &str) = (Vec::new(), pattern);
        while let Some((head, after)) = rest.split_once('{') {
            let (name, tail) = after.split_once('}').ok_or("a brace is not closed")?;
            let is_name = |name: &str| {
                !name.is_empty()
                    && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.')
            };
            if !is_name(name) {
                return Err(format!("{{{name}}} is not a variable: write {{name}}, with letters, digits, _ and ."));
            }
            if parts.iter().any(|(_, known)| known == name) {
                return Err(format!("{{{name}}} occurs twice"));
            }
            if head.is_empty() {
                return Err(format!("{{{name}}} needs some text before it"));
            }
            parts.push((head.to_owned(), name.to_owned()));
            rest = tail;
        }
        if parts.is_empty() {
            return Err("it has no {variable}".to_owned());
        }
        Ok(Self { variables: parts, suffix: rest.to_owned() })
    }

    pub(super) fn variable_names(&self) -> impl Iterator<Item = &str> {
        self.variables.iter().map(|(_, name)| name.as_str())
    }

    /// Returns the decoded values of the variables in a URI; `None` if the URI does not match. A value contains `/`,
    /// `?` or `#` only as `%2F` and the like.
    pub(super) fn match_uri(&self, uri: &str) -> Option<BTreeMap<String, String>> {
        let mut rest = uri;
        let mut values = BTreeMap::new();
        let mut heads = self.variables.iter().map(|(head, _)| head.as_str()).skip(1).chain([self.suffix.as_str()]);
        rest = rest.strip_prefix(self.variables.first()?.0.as_str())?;
        for (at, (_, name)) in self.variables.iter().enumerate() {
            let next = heads.next()?;
            let is_last = at + 1 == self.variables.len();
            // The last variable takes everything up to the suffix, the others as little as they can.
            let end = if is_last { rest.len().checked_sub(next.len())? } else { rest.find(next)? };
            let (raw, after) = rest.split_at_checked(end)?;
            if raw.is_empty() || raw.contains(['/', '?', '#']) {
                return None;
            }
            values.insert(name.clone(), percent_decode_text(raw)?);
            rest = after.strip_prefix(next)?;
        }
        rest.is_empty().then_some(values)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::SchemaCache;

    fn substituted(text: &str, values: &[(&str, &str)]) -> String {
        let values: BTreeMap<String, String> =
            values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        substitute_placeholders(text, &values, &mut usize::MAX.clone()).unwrap()
    }

    #[test]
    fn names_with_values_are_replaced_once() {
        let values = [("a", "{{b}}"), ("b", "2"), ("", "empty"), ("{c", "3")];
        for (text, expected) in [
            ("{{a}} {{b}}", "{{b}} 2"),
            ("{{{b}}}", "{2}"),
            ("{{b}}}}", "2}}"),
            ("{{x}}{{b}}", "{{x}}2"),
            ("{{x {{b}}", "{{x 2"),
            ("{{}} {{{c}}", "empty 3"),
            ("{{b", "{{b"),
            ("{{", "{{"),
            ("é{{b}}é", "é2é"),
        ] {
            assert_eq!(substituted(text, &values), expected, "{text}");
        }
    }

    #[test]
    fn misspelt_names_are_told_from_other_texts_in_braces() {
        for (text, meant) in [
            ("{{topic}} {{else}} {{", None),
            ("{{topic}} {{topci}}", Some("{{topci}} stays as it is written: is it {{topic}}?")),
            ("{{ topic }}", Some("{{ topic }} stays as it is written: is it {{topic}}?")),
            ("{{Topic}}", Some("{{Topic}} stays as it is written: is it {{topic}}?")),
        ] {
            let names = BTreeSet::from(["topic", "tone"]);
            let mut report = IndexReport::new("", SchemaCache::default());
            assert_eq!(misspelt_placeholder(text, &names, &mut report).as_deref(), meant, "{text}");
        }
    }

    /// It would take minutes if each brace were followed by a search for its end.
    #[test]
    fn text_of_braces_costs_its_length() {
        let (long, braces) = ("n".repeat(100_000), "{".repeat(1_000_000));
        for text in [braces.clone(), format!("{braces}{}}}}}", "x".repeat(99_000))] {
            assert_eq!(substituted(&text, &[(&long, "v"), ("b", "2")]), text);
        }
    }
}
