//! Lint of a package's metadata and documentation, from its source alone.

use super::describe::PackageDescription;

pub(super) struct LintFinding {
    pub(super) code: &'static str,
    pub(super) package: String,
    pub(super) message: String,
}

impl LintFinding {
    pub(super) fn is_error(&self) -> bool {
        self.code.starts_with('E')
    }

    pub(super) fn to_line(&self) -> String {
        format!("{} {}: {}", self.code, self.package, self.message)
    }
}

pub(super) fn lint_package(package: &PackageDescription) -> Vec<LintFinding> {
    let mut found = Vec::new();
    let mut add = |code, message: String| found.push(LintFinding { code, package: package.name.to_string(), message });
    for (key, code) in [
        ("name", "E_META_MISSING_NAME"),
        ("version", "E_META_MISSING_VERSION"),
        ("description", "E_META_MISSING_DESCRIPTION"),
        ("category", "E_META_MISSING_CATEGORY"),
    ] {
        if package.meta_text(key).is_none() {
            add(code, format!("meta.{key} is missing, or not a constant text"));
        }
    }
    if let Some(name) = package.meta_text("name").filter(|name| *name != package.name.as_str()) {
        add(
            "E_NAME_MISMATCH",
            format!("meta.name is \"{}\", its folder has another name", wardroom_service::escape_and_truncate(name)),
        );
    }
    if package.doc().lines().any(|line| line.starts_with("# ")) {
        add(
            "E_H1_IN_DOCSTRING",
            "the documentation has a heading of the first level, which the page adds itself".into(),
        );
    }
    if package.meta_text("description").is_some_and(|text| text.contains('\n')) {
        add("W_DESCRIPTION_MULTILINE", "meta.description has more than one line".into());
    }
    // The first line is the title.
    if package.doc().lines().skip(1).all(|line| line.trim().is_empty()) {
        add("W_EMPTY_NARRATIVE", "the documentation has only a title".into());
    }
    if package.meta_text("alc_shapes_compat").is_none() {
        add("W_SHAPES_UNDECLARED", "meta.alc_shapes_compat is not declared".into());
    }
    found
}
