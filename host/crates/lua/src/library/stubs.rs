//! The type stubs that editors read, written from the same table that registers the functions.
//!
//! Owns: the form of a stub file. What it says is in the tables.

use std::fmt::{self, Write as _};

use super::function::{Function, Param};

/// One part of a stub file.
pub(super) struct Section {
    /// A heading, and what there is to say below it.
    pub(super) title: &'static str,
    pub(super) types: &'static [Type],
    pub(super) functions: &'static [Function],
}

pub(super) enum Type {
    Class {
        /// Its name, with the class that it extends: `alc.LlmItem : alc.LlmOpts`.
        name: &'static str,
        doc: &'static str,
        fields: &'static [Field],
        /// The statement that makes a table of it, if there is one.
        table: &'static str,
    },
    Alias {
        name: &'static str,
        doc: &'static str,
        of: &'static str,
    },
    /// A statement with the annotation before it.
    Value {
        doc: &'static str,
        annotation: &'static str,
        statement: &'static str,
    },
}

/// Name, type, and what there is to say.
pub(super) type Field = (&'static str, &'static str, &'static str);

/// The whole text of a file.
pub(super) fn file(module: &str, head: &str, sections: &[Section], tail: &str) -> String {
    let mut text = String::new();
    let written = write_file(&mut text, module, head, sections, tail);
    debug_assert!(written.is_ok(), "a string takes everything");
    text
}

fn write_file(text: &mut String, module: &str, head: &str, sections: &[Section], tail: &str) -> fmt::Result {
    writeln!(text, "---@meta {module}\n")?;
    prose(text, "-- ", head)?;
    for section in sections {
        let line = "-".repeat(120);
        writeln!(text, "\n{line}")?;
        prose(text, "-- ", section.title)?;
        writeln!(text, "{line}")?;
        for part in section.types {
            text.push('\n');
            write_type(text, part)?;
        }
        for function in section.functions {
            text.push('\n');
            write_function(text, function)?;
        }
    }
    text.push_str(tail);
    Ok(())
}

pub(super) fn prose(text: &mut String, before: &str, lines: &str) -> fmt::Result {
    lines.lines().try_for_each(|line| writeln!(text, "{}", format_args!("{before}{line}").to_string().trim_end()))
}

fn write_type(text: &mut String, part: &Type) -> fmt::Result {
    match part {
        Type::Class { name, doc, fields, table } => {
            prose(text, "---", doc)?;
            writeln!(text, "---@class {name}")?;
            for (name, shown, doc) in *fields {
                annotation(text, &format!("field {name} {shown}"), doc)?;
            }
            if !table.is_empty() {
                writeln!(text, "{table}")?;
            }
            Ok(())
        }
        Type::Alias { name, doc, of } => {
            prose(text, "---", doc)?;
            writeln!(text, "---@alias {name}{}{of}", if of.starts_with('\n') { "" } else { " " })
        }
        Type::Value { doc, annotation, statement } => {
            prose(text, "---", doc)?;
            writeln!(text, "---@{annotation}\n{statement}")
        }
    }
}

fn annotation(text: &mut String, said: &str, doc: &str) -> fmt::Result {
    writeln!(text, "{}", format!("---@{said} {doc}").trim_end())
}

pub(super) fn write_function(text: &mut String, function: &Function) -> fmt::Result {
    prose(text, "---", function.doc)?;
    if !function.generic.is_empty() {
        writeln!(text, "---@generic {}", function.generic)?;
    }
    for Param { name, shown, doc, optional, .. } in function.params {
        annotation(text, &format!("param {name}{} {shown}", if *optional { "?" } else { "" }), doc)?;
    }
    for returned in function.returns {
        annotation(text, &format!("return {}", returned.shown), returned.doc)?;
    }
    let names: Vec<&str> = function.params.iter().map(|param| param.name).collect();
    writeln!(text, "function {}({}) end", function.name, names.join(", "))
}
