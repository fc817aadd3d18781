//! The page of limits is what the code says: every constant of every `limits.rs`, with its value and its reason.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use syn::{BinOp, Expr, Item, Lit};

use super::docs::check;
use super::{files_below, shown};

/// Values by name, of all crates: one bound may be made of another one.
type Values = BTreeMap<String, u128>;

const HEAD: &str = "# Limits\n\nGenerated from the code: the bounds of the server, by crate; one that a single module needs may stand there. A time is in seconds (`s`), minutes (`min`), hours (`h`) or \
                    days (`d`), a size in bytes unless it says otherwise.\n";

#[test]
fn limits_page_is_generated() {
    let is_limits = |file: &std::path::PathBuf| file.ends_with("limits.rs");
    let files: Vec<_> = files_below("host", &["limits.rs"]).into_iter().filter(is_limits).collect();
    let parsed: Vec<_> =
        files.iter().map(|file| syn::parse_file(&fs::read_to_string(file).unwrap()).unwrap()).collect();
    let constants = || parsed.iter().flat_map(|file| &file.items).filter_map(as_const);
    let mut values = Values::new();
    // Those that are made of others come after them, wherever they are.
    for _ in 0..3 {
        for constant in constants() {
            if let Some(value) = evaluate(&constant.expr, &values) {
                values.insert(constant.ident.to_string(), value);
            }
        }
    }
    let mut page = HEAD.to_owned();
    for (path, file) in files.iter().zip(&parsed) {
        let name = shown(path);
        let name = name.strip_prefix("host/crates/").unwrap_or(&name).replace("host/src", "wardroom");
        let name = name.trim_end_matches("/limits.rs").replace("/src", "").replace('/', "::");
        writeln!(page, "\n## `{name}`\n\n| limit | value | why |\n| --- | --- | --- |").unwrap();
        for constant in file.items.iter().filter_map(as_const) {
            let (ident, doc) = (constant.ident.to_string(), doc_of(&constant.attrs));
            let is_duration = matches!(&*constant.ty, syn::Type::Path(path) if path.path.is_ident("Duration"));
            let value = match (values.get(&ident), &*constant.expr) {
                (Some(value), _) if is_duration => duration(*value),
                (Some(value), _) => number(*value, &ident),
                (None, Expr::Lit(syn::ExprLit { lit: Lit::Float(value), .. })) => value.to_string(),
                (None, _) => panic!("{ident}: a form of value that this test does not know"),
            };
            writeln!(page, "| `{ident}` | {value} | {doc} |").unwrap();
        }
    }
    check("LIMITS.md", &page);
}

fn as_const(item: &Item) -> Option<&syn::ItemConst> {
    match item {
        Item::Const(constant) => Some(constant),
        _ => None,
    }
}

fn doc_of(attributes: &[syn::Attribute]) -> String {
    let lines = attributes.iter().filter_map(|attribute| match &attribute.meta {
        syn::Meta::NameValue(doc) if doc.path.is_ident("doc") => match &doc.value {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Str(text) => Some(text.value().trim().to_owned()),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    });
    lines.collect::<Vec<_>>().join(" ").replace("[`", "`").replace("`]", "`").replace('|', "\\|")
}

/// A whole number, or a time in microseconds.
fn evaluate(expr: &Expr, values: &Values) -> Option<u128> {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Int(number) => number.base10_parse().ok(),
            _ => None,
        },
        // Under `cfg(fuzzing)` the bound is another one.
        Expr::If(choice) => match &*choice.else_branch.as_ref()?.1 {
            Expr::Block(block) => match block.block.stmts.as_slice() {
                [syn::Stmt::Expr(value, None)] => evaluate(value, values),
                _ => None,
            },
            _ => None,
        },
        Expr::Paren(inner) => evaluate(&inner.expr, values),
        Expr::Cast(cast) => evaluate(&cast.expr, values),
        Expr::Path(path) => values.get(&path.path.segments.last()?.ident.to_string()).copied(),
        Expr::Binary(binary) => {
            let (left, right) = (evaluate(&binary.left, values)?, evaluate(&binary.right, values)?);
            match binary.op {
                BinOp::Add(_) => Some(left + right),
                BinOp::Sub(_) => left.checked_sub(right),
                BinOp::Mul(_) => Some(left * right),
                BinOp::Div(_) => left.checked_div(right),
                BinOp::Shl(_) => Some(left << right),
                _ => None,
            }
        }
        Expr::Call(call) => {
            let Expr::Path(function) = &*call.func else { return None };
            let amount = evaluate(call.args.first()?, values)?;
            let unit = match function.path.segments.last()?.ident.to_string().as_str() {
                "from_secs" => 1_000_000,
                "from_millis" => 1_000,
                "from_micros" => 1,
                _ => return None,
            };
            Some(amount * unit)
        }
        _ => None,
    }
}

fn duration(micros: u128) -> String {
    let (millis, seconds) = (micros / 1_000, micros / 1_000_000);
    match () {
        () if !micros.is_multiple_of(1_000) => format!("{micros} µs"),
        () if !micros.is_multiple_of(1_000_000) => format!("{millis} ms"),
        () if seconds % 86_400 == 0 && seconds > 0 => format!("{} d", seconds / 86_400),
        () if seconds % 3_600 == 0 && seconds > 0 => format!("{} h", seconds / 3_600),
        () if seconds % 60 == 0 && seconds > 0 => format!("{} min", seconds / 60),
        () => format!("{seconds} s"),
    }
}

fn number(value: u128, name: &str) -> String {
    const UNITS: [(&str, u128); 3] = [("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];
    if name.contains("BYTES")
        && let Some((unit, size)) = UNITS.into_iter().find(|(_, size)| value >= *size && value.is_multiple_of(*size))
    {
        return format!("{} {unit}", value / size);
    }
    let digits = value.to_string();
    let groups: Vec<&str> =
        digits.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap()).collect();
    groups.join(" ")
}
