//! The table of `alc://` resources: their order, their identifiers, their parameters and caps.
//!
//! Owns: the specification's resources, as data, followed by its candidates for a later version.
//! Never: reads anything; the grammar that applies this table is in `uri`.

use crate::id::IdKind;
use crate::uri::{FixedResource, QueryParam, Scheme, SchemeTemplate};

/// The first row of a page, and the number of its samples.
const SAMPLES: &[QueryParam] = &[
    QueryParam { name: "offset", default: 0, cap: 10_000_000 },
    QueryParam { name: "limit", default: 100, cap: 10_000 },
];

/// The number of log entries, and of Unicode characters, in one answer.
const LOGS: &[QueryParam] = &[
    QueryParam { name: "limit", default: 50, cap: 10_000 },
    QueryParam { name: "max_chars", default: 20_000, cap: 1_000_000 },
];

const SERVICES: &[&str] = &["types", "packages", "cards", "scenarios", "eval", "logs", "hub"];

const FIXED: &[FixedResource] = &[
    FixedResource { path: "types/alc.d.lua" },
    FixedResource { path: "types/alc_shapes.d.lua" },
    FixedResource { path: "hub/index" },
];

const TEMPLATES: &[SchemeTemplate] = &[
    SchemeTemplate { service: "packages", var: "name", tail: Some("init.lua"), kind: IdKind::PackageName, params: &[] },
    SchemeTemplate { service: "packages", var: "name", tail: Some("meta"), kind: IdKind::PackageName, params: &[] },
    SchemeTemplate { service: "cards", var: "card_id", tail: None, kind: IdKind::CardId, params: &[] },
    SchemeTemplate { service: "cards", var: "card_id", tail: Some("samples"), kind: IdKind::CardId, params: SAMPLES },
    SchemeTemplate { service: "scenarios", var: "name", tail: None, kind: IdKind::ScenarioName, params: &[] },
    SchemeTemplate { service: "eval", var: "result_id", tail: None, kind: IdKind::EvalResult, params: &[] },
    SchemeTemplate { service: "logs", var: "session_id", tail: None, kind: IdKind::SessionId, params: LOGS },
    SchemeTemplate {
        service: "packages",
        var: "name",
        tail: Some("narrative"),
        kind: IdKind::PackageName,
        params: &[],
    },
];

/// `alc://` as the specification lists it, in that order.
pub const ALC_SCHEME: Scheme = Scheme {
    name: "alc",
    services: SERVICES.split_at(6).0,
    fixed: FIXED.split_at(2).0,
    templates: TEMPLATES.split_at(7).0,
};

/// [`ALC_SCHEME`], followed by the specification's candidates for its second version. Each URI that [`ALC_SCHEME`]
/// accepts means the same here, at the same index.
pub const ALC_SCHEME_V2: Scheme = Scheme { name: "alc", services: SERVICES, fixed: FIXED, templates: TEMPLATES };
