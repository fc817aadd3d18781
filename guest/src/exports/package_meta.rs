//! `wardroom:guest/package-meta`.
//!
//! Never: reads anything but the bytes of the call.

use wardroom_lua_syntax::position::Position;

use super::Component;
use super::bindings::exports::wardroom::guest::package_meta as wit;
use crate::package_meta::{self, CodeInput, CodeInputs, ExtractError, InputNeed, Metadata, Unresolved};

impl wit::Guest for Component {
    fn extract(name: String, source: Vec<u8>) -> Result<wit::Metadata, wit::ExtractError> {
        package_meta::extract(&name, &source).map(metadata).map_err(extract_error)
    }

    fn inputs(name: String, source: Vec<u8>) -> Result<wit::CodeInputs, wit::ExtractError> {
        package_meta::inputs(&name, &source).map(code_inputs).map_err(extract_error)
    }
}

fn code_inputs(CodeInputs { inputs, is_complete }: CodeInputs) -> wit::CodeInputs {
    let input = |CodeInput { name, need }| wit::Input { name, need: input_need(need) };
    wit::CodeInputs { inputs: inputs.into_iter().map(input).collect(), is_complete }
}

const fn input_need(need: InputNeed) -> wit::InputNeed {
    match need {
        InputNeed::Required => wit::InputNeed::Required,
        InputNeed::Optional => wit::InputNeed::Optional,
        InputNeed::Read => wit::InputNeed::Read,
    }
}

fn metadata(Metadata { json, doc, unresolved }: Metadata) -> wit::Metadata {
    wit::Metadata { json, doc, unresolved: unresolved.into_iter().map(to_wit).collect() }
}

fn to_wit(Unresolved { path, position: place, reason }: Unresolved) -> wit::Unresolved {
    wit::Unresolved { path, position: position(place), reason: reason.into() }
}

const fn position(Position { line, column }: Position) -> wit::Position {
    wit::Position { line, column }
}

fn extract_error(error: ExtractError) -> wit::ExtractError {
    match error {
        ExtractError::InvalidId(reason) => wit::ExtractError::InvalidId(reason),
        ExtractError::TooLarge(limit) => wit::ExtractError::TooLarge(limit),
        ExtractError::NotUtf8(place) => wit::ExtractError::NotUtf8(position(place)),
        ExtractError::Syntax { position: place, message } => {
            wit::ExtractError::Syntax(wit::Diagnostic { position: position(place), message: message.into() })
        }
        ExtractError::TooDeep(place) => wit::ExtractError::TooDeep(position(place)),
        ExtractError::TooMuch(limit) => wit::ExtractError::TooMuch(limit),
    }
}
