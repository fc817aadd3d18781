//! The table of `alc://` resources: their order, their identifiers, their parameters and caps.
//!
//! Owns: what the specification lists, as data; and after it, what that names as candidates for later.
//! Never: reads anything; the grammar that applies this table is in `uri`.

use crate::id::Kind;
use crate::uri::{Fixed, Param, Scheme, Template};

/// Most samples a page can hold, and the furthest row a page can begin at.
const SAMPLES: &[Param] =
    &[Param { name: "offset", default: 0, cap: 10_000_000 }, Param { name: "limit", default: 100, cap: 10_000 }];

/// Most log entries, and most Unicode characters, in one answer.
const LOGS: &[Param] =
    &[Param { name: "limit", default: 50, cap: 10_000 }, Param { name: "max_chars", default: 20_000, cap: 1_000_000 }];

const SERVICES: &[&str] = &["types", "packages", "cards", "scenarios", "eval", "logs", "hub"];

const FIXED: &[Fixed] =
    &[Fixed { path: "types/alc.d.lua" }, Fixed { path: "types/alc_shapes.d.lua" }, Fixed { path: "hub/index" }];

const TEMPLATES: &[Template] = &[
    Template { service: "packages", var: "name", tail: Some("init.lua"), kind: Kind::PackageName, params: &[] },
    Template { service: "packages", var: "name", tail: Some("meta"), kind: Kind::PackageName, params: &[] },
    Template { service: "cards", var: "card_id", tail: None, kind: Kind::CardId, params: &[] },
    Template { service: "cards", var: "card_id", tail: Some("samples"), kind: Kind::CardId, params: SAMPLES },
    Template { service: "scenarios", var: "name", tail: None, kind: Kind::ScenarioName, params: &[] },
    Template { service: "eval", var: "result_id", tail: None, kind: Kind::EvalResult, params: &[] },
    Template { service: "logs", var: "session_id", tail: None, kind: Kind::SessionId, params: LOGS },
    Template { service: "packages", var: "name", tail: Some("narrative"), kind: Kind::PackageName, params: &[] },
];

/// `alc://` as the specification has it, in the order in which it is listed.
pub const SCHEME: Scheme = Scheme {
    name: "alc",
    services: SERVICES.split_at(6).0,
    fixed: FIXED.split_at(2).0,
    templates: TEMPLATES.split_at(7).0,
};

/// The same, and after it the specification's candidates for its second version. Whatever [`SCHEME`] accepts means the
/// same here, at the same position.
pub const SCHEME_V2: Scheme = Scheme { name: "alc", services: SERVICES, fixed: FIXED, templates: TEMPLATES };
