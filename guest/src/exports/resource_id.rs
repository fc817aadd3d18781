//! `wardroom:guest/resource-id`: the rules crate's own, for hosts in any language.
//!
//! Owns: the conversion of all forms, those of the second version too.
//! Never: decides which forms a host offers.

use wardroom_rules::alc::ALC_SCHEME_V2 as SCHEME;
use wardroom_rules::id;
use wardroom_rules::uri::{MatchedUri, SchemeTemplate};

use super::Component;
use super::bindings::exports::wardroom::guest::resource_id as wit;

impl wit::Guest for Component {
    fn check(kind: wit::Kind, id: String) -> Result<(), String> {
        id::check(rule_kind(kind), &id).map_err(|error| error.to_string())
    }

    fn parse(uri: String) -> Result<wit::Resource, String> {
        match SCHEME.parse(&uri).map_err(|error| error.to_string())? {
            MatchedUri::Fixed(_) => Ok(wit::Resource { template: uri, id: None, parameters: Vec::new() }),
            MatchedUri::Template { template, id, params } => {
                let template = SCHEME.templates.get(template).ok_or("no such template")?;
                Ok(resource(template, id, &params))
            }
        }
    }
}

fn resource(template: &SchemeTemplate, id: &str, values: &[usize]) -> wit::Resource {
    let parameter = |(param, value): (&wardroom_rules::uri::QueryParam, &usize)| wit::Parameter {
        name: param.name.into(),
        value: u64::try_from(*value).unwrap_or(u64::MAX),
    };
    wit::Resource {
        template: template.pattern(&SCHEME),
        id: Some(id.into()),
        parameters: template.params.iter().zip(values).map(parameter).collect(),
    }
}

const fn rule_kind(kind: wit::Kind) -> id::IdKind {
    match kind {
        wit::Kind::PackageName => id::IdKind::PackageName,
        wit::Kind::CardId => id::IdKind::CardId,
        wit::Kind::ScenarioName => id::IdKind::ScenarioName,
        wit::Kind::EvalResult => id::IdKind::EvalResult,
        wit::Kind::SessionId => id::IdKind::SessionId,
    }
}
