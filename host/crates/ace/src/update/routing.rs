//! Which section of the playbook an insight belongs to.
//!
//! Owns: the table of tags and sections. A tag is compared as a whole: `latest` is no test.
//! Never: looks at anything but tags.

/// A row of the table: the section of insights with one of these tags.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SectionRoute {
    pub tags: Vec<String>,
    pub section: String,
}

/// The section of insights that no row takes.
const OTHER_SECTION: &str = "Build & Test Patterns";

/// The rows unless the configuration has its own. The first one that fits is taken.
const DEFAULT_ROUTES: &[(&[&str], &str)] = &[
    (&["discovery", "dependency", "discovered-from"], "Dependency Patterns"),
    (&["architecture", "high-level", "meta-pattern"], "Architecture Patterns"),
    (&["tsc", "typescript", "ts-node", "tsx"], "TypeScript Patterns"),
    // Errors of types and modules belong to TypeScript only where no other tool reported them.
    (
        &[
            "cargo", "rustc", "clippy", "pytest", "python", "mypy", "ruff", "go", "gcc", "clang", "make", "vitest",
            "jest", "mocha", "test", "build",
        ],
        OTHER_SECTION,
    ),
    (&["type-error", "module", "import"], "TypeScript Patterns"),
];

/// The sections that `wardroom ace init` writes.
pub(crate) const SECTIONS: [&str; 4] =
    ["Build & Test Patterns", "TypeScript Patterns", "Dependency Patterns", "Architecture Patterns"];

/// Returns the default rows.
pub(crate) fn default_routes() -> Vec<SectionRoute> {
    let row = |(tags, section): &(&[&str], &str)| SectionRoute {
        tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
        section: (*section).to_owned(),
    };
    DEFAULT_ROUTES.iter().map(row).collect()
}

/// Returns the section of an insight with these tags.
pub(crate) fn section_of<'r>(routes: &'r [SectionRoute], tags: &[impl AsRef<str>]) -> &'r str {
    let is_own = |route: &SectionRoute, tag: &str| route.tags.iter().any(|own| own.eq_ignore_ascii_case(tag));
    let has_one = |route: &&SectionRoute| tags.iter().any(|tag| is_own(route, tag.as_ref()));
    routes.iter().find(has_one).map_or(OTHER_SECTION, |route| &route.section)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_choose_the_section() {
        for (tags, section) in [
            (&["tsc", "import", "module", "error-pattern"][..], "TypeScript Patterns"),
            (&["TSC"], "TypeScript Patterns"),
            (&["type-error"], "TypeScript Patterns"),
            (&["cargo", "type-error", "E0308"], "Build & Test Patterns"),
            (&["vitest", "module"], "Build & Test Patterns"),
            (&["discovery", "meta-pattern"], "Dependency Patterns"),
            (&["architecture"], "Architecture Patterns"),
            (&["prototype"], "Build & Test Patterns"),
            (&["latest"], "Build & Test Patterns"),
            (&[], "Build & Test Patterns"),
        ] {
            let tags: Vec<String> = tags.iter().map(|tag| (*tag).to_owned()).collect();
            assert_eq!(section_of(&default_routes(), &tags), section, "{tags:?}");
            assert!(SECTIONS.contains(&section));
        }
    }
}
