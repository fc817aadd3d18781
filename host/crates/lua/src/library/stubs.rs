//! Type stubs for editors, generated from the same table that registers the functions.
//!
//! Owns: the format of a stub file. The tables have the content.

use std::fmt::{self, Write as _};

use super::function::{FunctionParam, LibraryFunction};

/// A section of a stub file.
pub(super) struct StubSection {
    /// The heading, whose further lines are text below it.
    pub(super) title: &'static str,
    pub(super) types: &'static [StubType],
    pub(super) functions: &'static [LibraryFunction],
}

pub(super) enum StubType {
    Class {
        /// The name, with the class that it extends: `alc.LlmItem : alc.LlmOpts`.
        name: &'static str,
        doc: &'static str,
        fields: &'static [StubField],
        /// The statement that creates its table, or empty.
        statement: &'static str,
    },
    Alias {
        name: &'static str,
        doc: &'static str,
        target: &'static str,
    },
    /// A statement after an annotation.
    Value {
        doc: &'static str,
        annotation: &'static str,
        statement: &'static str,
    },
}

/// Name, type and description.
pub(super) type StubField = (&'static str, &'static str, &'static str);

/// Renders a stub file.
pub(super) fn render_file(module: &str, head: &str, sections: &[StubSection], tail: &str) -> String {
    let mut text = String::new();
    let written = write_file(&mut text, module, head, sections, tail);
    debug_assert!(written.is_ok(), "a string takes everything");
    text
}

fn write_file(text: &mut String, module: &str, head: &str, sections: &[StubSection], tail: &str) -> fmt::Result {
    writeln!(text, "---@meta {module}\n")?;
    write_prose(text, "-- ", head)?;
    for section in sections {
        let line = "-".repeat(120);
        writeln!(text, "\n{line}")?;
        write_prose(text, "-- ", section.title)?;
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

pub(super) fn write_prose(text: &mut String, before: &str, lines: &str) -> fmt::Result {
    lines.lines().try_for_each(|line| writeln!(text, "{}", format_args!("{before}{line}").to_string().trim_end()))
}

fn write_type(text: &mut String, part: &StubType) -> fmt::Result {
    match part {
        StubType::Class { name, doc, fields, statement: table } => {
            write_prose(text, "---", doc)?;
            writeln!(text, "---@class {name}")?;
            for (name, shown, doc) in *fields {
                write_annotation(text, &format!("field {name} {shown}"), doc)?;
            }
            if !table.is_empty() {
                writeln!(text, "{table}")?;
            }
            Ok(())
        }
        StubType::Alias { name, doc, target: of } => {
            write_prose(text, "---", doc)?;
            writeln!(text, "---@alias {name}{}{of}", if of.starts_with('\n') { "" } else { " " })
        }
        StubType::Value { doc, annotation, statement } => {
            write_prose(text, "---", doc)?;
            writeln!(text, "---@{annotation}\n{statement}")
        }
    }
}

fn write_annotation(text: &mut String, annotation: &str, doc: &str) -> fmt::Result {
    writeln!(text, "{}", format!("---@{annotation} {doc}").trim_end())
}

pub(super) fn write_function(text: &mut String, function: &LibraryFunction) -> fmt::Result {
    write_prose(text, "---", function.doc)?;
    if !function.generics.is_empty() {
        writeln!(text, "---@generic {}", function.generics)?;
    }
    for FunctionParam { name, lua_type: shown, doc, is_optional: optional, .. } in function.params {
        write_annotation(text, &format!("param {name}{} {shown}", if *optional { "?" } else { "" }), doc)?;
    }
    for returned in function.returns {
        write_annotation(text, &format!("return {}", returned.lua_type), returned.doc)?;
    }
    let names: Vec<&str> = function.params.iter().map(|param| param.name).collect();
    writeln!(text, "function {}({}) end", function.name, names.join(", "))
}
