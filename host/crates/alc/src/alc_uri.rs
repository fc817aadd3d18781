//! `alc://` URIs as values: their text is checked here once, and later code uses only the parsed values.

use wardroom_base::uri::{CardId, EvalId, IdKind, MatchedUri, PackageName, ScenarioName, Scheme, SessionId, UriError};
use wardroom_service::ServiceError;

/// A parsed `alc://` URI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum AlcUri {
    Types(TypesFile),
    HubIndex,
    PackageSource(PackageName),
    PackageMeta(PackageName),
    PackageNarrative(PackageName),
    Card(CardId),
    Samples { card: CardId, offset: usize, limit: usize },
    Scenario(ScenarioName),
    Eval(EvalId),
    Log { session: SessionId, limit: usize, max_chars: usize },
}

/// The two files of type stubs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TypesFile {
    Alc,
    Shapes,
}

impl TypesFile {
    pub const ALL: [Self; 2] = [Self::Alc, Self::Shapes];

    /// Returns the file name below `types/`.
    #[must_use]
    pub const fn file_name(self) -> &'static str {
        match self {
            Self::Alc => "alc.d.lua",
            Self::Shapes => "alc_shapes.d.lua",
        }
    }
}

impl AlcUri {
    /// Parses a URI of the scheme `alc` by the table `scheme`: the specification's, or the extended one.
    ///
    /// # Errors
    /// Names the first rule that the URI breaks.
    pub fn parse(scheme: &Scheme, uri: &str) -> Result<Self, ServiceError> {
        let not_found = || ServiceError::NotFound { uri: uri.to_owned() };
        let (template, id, params) = match scheme.parse(uri)? {
            MatchedUri::Fixed(0) => return Ok(Self::Types(TypesFile::Alc)),
            MatchedUri::Fixed(1) => return Ok(Self::Types(TypesFile::Shapes)),
            MatchedUri::Fixed(2) => return Ok(Self::HubIndex),
            MatchedUri::Fixed(_) => return Err(not_found()),
            MatchedUri::Template { template, id, params } => (template, id, params),
        };
        let template = scheme.templates.get(template).ok_or_else(not_found)?;
        let bad =
            |error| ServiceError::from(UriError::Id { kind: template.kind, id: id.into(), uri: uri.into(), error });
        Ok(match (template.kind, template.tail, params.as_slice()) {
            (IdKind::PackageName, Some("init.lua"), []) => Self::PackageSource(PackageName::parse(id).map_err(bad)?),
            (IdKind::PackageName, Some("narrative"), []) => {
                Self::PackageNarrative(PackageName::parse(id).map_err(bad)?)
            }
            (IdKind::PackageName, _, []) => Self::PackageMeta(PackageName::parse(id).map_err(bad)?),
            (IdKind::CardId, None, []) => Self::Card(CardId::parse(id).map_err(bad)?),
            (IdKind::CardId, _, &[offset, limit]) => {
                Self::Samples { card: CardId::parse(id).map_err(bad)?, offset, limit }
            }
            (IdKind::ScenarioName, _, []) => Self::Scenario(ScenarioName::parse(id).map_err(bad)?),
            (IdKind::EvalResult, _, []) => Self::Eval(EvalId::parse(id).map_err(bad)?),
            (IdKind::SessionId, _, &[limit, max_chars]) => {
                Self::Log { session: SessionId::parse(id).map_err(bad)?, limit, max_chars }
            }
            _ => return Err(not_found()),
        })
    }
}
