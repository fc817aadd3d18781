//! Packages of Lua strategies: their metadata, and the identifiers and URIs of `alc`, in a guest.
//!
//! Owns: the conversion between the guest's types and plain values, and the limits of one source.
//! Never: trusts an answer: JSON from the guest is checked for size and depth.

use wasmtime::Store;

use crate::bindings::packages::exports::wardroom::guest::package_meta as wit;
use crate::bindings::packages::exports::wardroom::guest::resource_id::{Kind, Resource};
use crate::bindings::packages::{Parsers, ParsersPre};
use crate::error::SandboxError;
use crate::image::GuestImage;
use crate::limits::{
    GUEST_CALL_TIMEOUT, GUEST_RESIDENT_BYTES, MAX_GUEST_INSTANCES, MAX_GUEST_MEMORY_BYTES, MAX_GUEST_OUTPUT_BYTES,
};
use crate::runner::{ComponentRunner, InstanceLimits};
use crate::store::GuestState;
use wardroom_base::byte_size::ByteSize;
use wardroom_base::payload;
use wardroom_base::uri::IdKind;

/// The metadata of a package, from its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageMetadata {
    /// The constant fields as a JSON object of checked size and depth.
    pub json: String,
    /// The leading comment block.
    pub doc: Option<String>,
    /// The fields that are not constants, in source order.
    pub unresolved: Vec<UnresolvedMetadata>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnresolvedMetadata {
    pub path: String,
    pub line: u32,
    pub column: u32,
    pub reason: String,
}

/// The fields of `ctx` that the code of a package reads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeInputs {
    /// In the order in which the code names them first.
    pub inputs: Vec<CodeInput>,
    /// Whether the code reads no others.
    pub is_complete: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CodeInput {
    pub name: String,
    pub need: InputNeed,
}

/// What the code does without an input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InputNeed {
    /// Every call without it fails.
    Required,
    /// The code has a value for it.
    Optional,
    /// The code reads it, and does not show what follows without it.
    Read,
}

/// A resource URI, as the guest reads it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedUri {
    /// The matching template, or the URI itself for a fixed resource.
    pub template: String,
    pub id: Option<String>,
    /// Names and values, with defaults filled in.
    pub parameters: Vec<(String, u64)>,
}

/// Why the guest refused a document. Its messages may be shown to a client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExtractRefusal {
    #[error("package name {0}")]
    InvalidId(String),
    #[error("the source is over the limit of {}", ByteSize(u64::from(*.0)))]
    TooLarge(u32),
    #[error("line {line}, column {column}: not UTF-8")]
    NotUtf8 { line: u32, column: u32 },
    #[error("line {line}, column {column}: {message}")]
    Syntax { line: u32, column: u32, message: String },
    #[error("line {line}, column {column}: nested too deeply")]
    TooDeep { line: u32, column: u32 },
    #[error("the metadata is over the limit of {}", ByteSize(u64::from(*.0)))]
    TooMuch(u32),
}

/// The guest of packages, ready to be instantiated for each source. It is set up for the first one.
pub struct Sandbox(ComponentRunner<ParsersPre<GuestState>>);

/// A source of a package, or an identifier.
const LIMITS: InstanceLimits = InstanceLimits {
    instances: MAX_GUEST_INSTANCES,
    memory_bytes: MAX_GUEST_MEMORY_BYTES,
    resident_bytes: GUEST_RESIDENT_BYTES,
    call_timeout: GUEST_CALL_TIMEOUT,
    output_bytes: MAX_GUEST_OUTPUT_BYTES,
};

impl Sandbox {
    #[must_use]
    pub fn new(image: GuestImage) -> Self {
        Self(ComponentRunner::new(image, LIMITS, ParsersPre::new))
    }

    /// Loads the image and sets up the pool. Later calls do nothing.
    ///
    /// # Errors
    /// [`SandboxError::Unavailable`] when the image does not fit this binary or memory cannot be reserved.
    pub fn prepare(&self) -> Result<(), SandboxError> {
        self.0.prepare()
    }

    /// Extracts the metadata of the package `name` from its source.
    ///
    /// # Errors
    /// The outer error is the sandbox's, the inner one the guest's refusal of this document.
    pub fn extract(&self, name: &str, source: &[u8]) -> Result<Result<PackageMetadata, ExtractRefusal>, SandboxError> {
        let answer =
            self.call_guest(|guest, store| guest.wardroom_guest_package_meta().call_extract(store, name, source))?;
        match answer {
            Ok(metadata) => metadata.validate().map(Ok),
            Err(refusal) => Ok(Err(refusal.into())),
        }
    }

    /// Finds the inputs of the package `name` in its source.
    ///
    /// # Errors
    /// As [`Self::extract`].
    pub fn inputs(&self, name: &str, source: &[u8]) -> Result<Result<CodeInputs, ExtractRefusal>, SandboxError> {
        let answer =
            self.call_guest(|guest, store| guest.wardroom_guest_package_meta().call_inputs(store, name, source))?;
        Ok(answer.map(wit::CodeInputs::into_plain).map_err(ExtractRefusal::from))
    }

    /// Checks an identifier in the guest. (The host has its own copy of the rules; the guest's copy is the second wall,
    /// and serves other hosts.)
    ///
    /// # Errors
    /// The outer error is the sandbox's, the inner one the broken rule.
    pub fn check_id(&self, kind: IdKind, id: &str) -> Result<Result<(), String>, SandboxError> {
        let kind = match kind {
            IdKind::PackageName => Kind::PackageName,
            IdKind::CardId => Kind::CardId,
            IdKind::ScenarioName => Kind::ScenarioName,
            IdKind::EvalResult => Kind::EvalResult,
            IdKind::SessionId => Kind::SessionId,
        };
        self.call_guest(|guest, store| guest.wardroom_guest_resource_id().call_check(store, kind, id))
    }

    /// Parses a resource URI in the guest.
    ///
    /// # Errors
    /// As [`Self::check_id`].
    pub fn parse_uri(&self, uri: &str) -> Result<Result<ParsedUri, String>, SandboxError> {
        let answer = self.call_guest(|guest, store| guest.wardroom_guest_resource_id().call_parse(store, uri))?;
        Ok(answer.map(|Resource { template, id, parameters }| {
            let parameters = parameters.into_iter().map(|parameter| (parameter.name, parameter.value)).collect();
            ParsedUri { template, id, parameters }
        }))
    }

    fn call_guest<R>(
        &self,
        call: impl FnOnce(&Parsers, &mut Store<GuestState>) -> wasmtime::Result<R>,
    ) -> Result<R, SandboxError> {
        self.0.call(|guest, store| call(&guest.instantiate(&mut *store)?, store))
    }
}

impl wit::Metadata {
    fn validate(self) -> Result<PackageMetadata, SandboxError> {
        payload::check_json_text(&self.json, MAX_GUEST_OUTPUT_BYTES)?;
        let unresolved = self.unresolved.into_iter().map(|u| UnresolvedMetadata {
            path: u.path,
            line: u.position.line,
            column: u.position.column,
            reason: u.reason,
        });
        Ok(PackageMetadata { json: self.json, doc: self.doc, unresolved: unresolved.collect() })
    }
}

impl wit::CodeInputs {
    fn into_plain(self) -> CodeInputs {
        let need = |need| match need {
            wit::InputNeed::Required => InputNeed::Required,
            wit::InputNeed::Optional => InputNeed::Optional,
            wit::InputNeed::Read => InputNeed::Read,
        };
        let input = |input: wit::Input| CodeInput { name: input.name, need: need(input.need) };
        CodeInputs { inputs: self.inputs.into_iter().map(input).collect(), is_complete: self.is_complete }
    }
}

impl From<wit::ExtractError> for ExtractRefusal {
    fn from(error: wit::ExtractError) -> Self {
        match error {
            wit::ExtractError::InvalidId(reason) => Self::InvalidId(reason),
            wit::ExtractError::TooLarge(limit) => Self::TooLarge(limit),
            wit::ExtractError::NotUtf8(wit::Position { line, column }) => Self::NotUtf8 { line, column },
            wit::ExtractError::Syntax(wit::Diagnostic { position, message }) => {
                Self::Syntax { line: position.line, column: position.column, message }
            }
            wit::ExtractError::TooDeep(wit::Position { line, column }) => Self::TooDeep { line, column },
            wit::ExtractError::TooMuch(limit) => Self::TooMuch(limit),
        }
    }
}
