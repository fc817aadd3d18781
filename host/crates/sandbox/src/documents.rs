//! The documents of a blog: posts, sidecars, scripts, templates and pictures, in a guest.
//!
//! Owns: the conversion between the guest's types and plain values, and the limits of a document and of a picture, which
//! has an engine of its own: its instances take far more memory, so there is one at a time.
//! Never: trusts an answer: JSON from the guest is checked for size and depth, and places in the source are in it.

use wasmtime::Store;

use crate::bindings::documents::exports::wardroom::documents::document as wit;
use crate::bindings::documents::exports::wardroom::documents::{image, script_check, template_check};
use crate::bindings::documents::{Parsers, ParsersPre};
use crate::error::SandboxError;
use crate::image::GuestImage;
use crate::limits::{
    DOCUMENT_RESIDENT_BYTES, GUEST_CALL_TIMEOUT, MAX_DOCUMENT_OUTPUT_BYTES, MAX_GUEST_INSTANCES,
    MAX_GUEST_MEMORY_BYTES, MAX_PICTURE_INSTANCES, MAX_PICTURE_MEMORY_BYTES, MAX_PICTURE_OUTPUT_BYTES,
    PICTURE_CALL_TIMEOUT,
};
use crate::runner::{ComponentRunner, InstanceLimits};
use crate::store::GuestState;
use wardroom_base::byte_size::ByteSize;
use wardroom_base::payload::{self, Payload};

/// A field of a front matter.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FrontMatterField {
    pub name: String,
    /// From 1.
    pub line: u32,
    /// The value, as JSON of checked size and depth.
    pub json: String,
    /// The characters of a scalar as they are in the source, without quotes.
    pub text: Option<String>,
}

/// A link to another post of the blog.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostLink {
    pub slug: String,
    pub language: Option<String>,
    pub text: String,
    /// From 1.
    pub line: u32,
}

/// A heading of a post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PostHeading {
    /// From 1 to 6.
    pub level: u8,
    pub text: String,
    /// From 1.
    pub line: u32,
}

/// The content of a post.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedPost {
    pub fields: Vec<FrontMatterField>,
    /// Where the body begins in the source, in bytes.
    pub body_start: usize,
    /// The text of the body, as a reader sees it.
    pub text: String,
    pub word_count: u32,
    pub excerpt: String,
    pub links: Vec<PostLink>,
    pub headings: Vec<PostHeading>,
}

/// The front matter of a document whose body is no Markdown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ParsedFrontMatter {
    pub fields: Vec<FrontMatterField>,
    /// Where the body begins in the source, in bytes.
    pub body_start: usize,
}

/// A place in a document. Both count from 1; the column counts bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DocumentPosition {
    pub line: u32,
    pub column: u32,
}

/// What is wrong at one place of a script or a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentProblem {
    pub position: DocumentPosition,
    pub message: String,
}

/// Why the guest refused a document. Its messages may be shown to a client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DocumentRefusal {
    #[error("the document is over the limit of {}", ByteSize(u64::from(*.0)))]
    TooLarge(u32),
    #[error("the text is not UTF-8")]
    NotUtf8(DocumentPosition),
    #[error("{0}")]
    Malformed(String, DocumentPosition),
    #[error("the front matter is nested too deeply")]
    TooDeep(DocumentPosition),
    /// Carries the name of the limit.
    #[error("the document has more than is read: {0}")]
    TooMuch(String),
}

impl DocumentRefusal {
    /// Returns the line with the fault, from 1; 1 for what concerns the whole document.
    #[must_use]
    pub const fn line(&self) -> u32 {
        match self {
            Self::NotUtf8(position) | Self::Malformed(_, position) | Self::TooDeep(position) => position.line,
            Self::TooLarge(_) | Self::TooMuch(_) => 1,
        }
    }
}

/// The format of a picture.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PictureFormat {
    Png,
    Jpeg,
    Gif,
    Webp,
}

impl PictureFormat {
    #[must_use]
    pub const fn mime_type(self) -> &'static str {
        match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
            Self::Gif => "image/gif",
            Self::Webp => "image/webp",
        }
    }
}

/// The size of a picture in pixels, as a viewer shows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PictureInfo {
    pub format: PictureFormat,
    pub width: u32,
    pub height: u32,
}

/// A small copy of a picture.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Thumbnail {
    pub info: PictureInfo,
    pub data: Vec<u8>,
}

/// Why the guest refused a picture. Its messages may be shown to a client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PictureRefusal {
    #[error("it is no PNG, JPEG, GIF or WebP")]
    UnknownFormat,
    #[error("it has more than {0} pixels")]
    TooManyPixels(u32),
    #[error("it is damaged: {0}")]
    Malformed(String),
}

/// The guest of documents, ready to be instantiated for each of them. It is set up for the first one.
pub struct DocumentSandbox {
    documents: ComponentRunner<ParsersPre<GuestState>>,
    pictures: ComponentRunner<ParsersPre<GuestState>>,
}

const DOCUMENT_LIMITS: InstanceLimits = InstanceLimits {
    instances: MAX_GUEST_INSTANCES,
    memory_bytes: MAX_GUEST_MEMORY_BYTES,
    resident_bytes: DOCUMENT_RESIDENT_BYTES,
    call_timeout: GUEST_CALL_TIMEOUT,
    output_bytes: MAX_DOCUMENT_OUTPUT_BYTES,
};

const PICTURE_LIMITS: InstanceLimits = InstanceLimits {
    instances: MAX_PICTURE_INSTANCES,
    memory_bytes: MAX_PICTURE_MEMORY_BYTES,
    // Pictures are rare: the memory of the last one is given back.
    resident_bytes: 0,
    call_timeout: PICTURE_CALL_TIMEOUT,
    output_bytes: MAX_PICTURE_OUTPUT_BYTES,
};

impl DocumentSandbox {
    #[must_use]
    pub fn new(image: GuestImage) -> Self {
        let runner = |limits| ComponentRunner::new(image, limits, ParsersPre::new);
        Self { documents: runner(DOCUMENT_LIMITS), pictures: runner(PICTURE_LIMITS) }
    }

    /// Loads the image and sets up the pool for documents. Later calls do nothing.
    ///
    /// # Errors
    /// [`SandboxError::Unavailable`] when the image does not fit this binary or memory cannot be reserved.
    pub fn prepare(&self) -> Result<(), SandboxError> {
        self.documents.prepare()
    }

    /// Reads a post. `public_url` is the address of the blog: links that begin with it are links within the blog.
    ///
    /// # Errors
    /// The outer error is the sandbox's, the inner one the guest's refusal of this document, as for the other documents.
    pub fn read_post(
        &self,
        source: &[u8],
        public_url: Option<&str>,
    ) -> Result<Result<ParsedPost, DocumentRefusal>, SandboxError> {
        let options = wit::Options { public_url: public_url.map(str::to_owned) };
        let answer = call(&self.documents, |guest, store| {
            guest.wardroom_documents_document().call_read_post(store, source, &options)
        })?;
        answer.map_or_else(|refusal| Ok(Err(refusal.into())), |post| convert_post(post, source.len()).map(Ok))
    }

    /// Reads the front matter of a script or a template.
    ///
    /// # Errors
    /// As [`Self::read_post`].
    pub fn read_front_matter(&self, source: &[u8]) -> Result<Result<ParsedFrontMatter, DocumentRefusal>, SandboxError> {
        let answer = call(&self.documents, |guest, store| {
            guest.wardroom_documents_document().call_read_front_matter(store, source)
        })?;
        answer.map_or_else(
            |refusal| Ok(Err(refusal.into())),
            |wit::FrontMatter { fields, body_start }| {
                Ok(Ok(ParsedFrontMatter {
                    fields: convert_fields(fields)?,
                    body_start: check_offset(body_start, source.len())?,
                }))
            },
        )
    }

    /// Reads the sidecar of a picture.
    ///
    /// # Errors
    /// As [`Self::read_post`].
    pub fn read_sidecar(&self, source: &[u8]) -> Result<Result<Vec<FrontMatterField>, DocumentRefusal>, SandboxError> {
        let answer =
            call(&self.documents, |guest, store| guest.wardroom_documents_document().call_read_sidecar(store, source))?;
        answer.map_or_else(|refusal| Ok(Err(refusal.into())), |fields| convert_fields(fields).map(Ok))
    }

    /// Changes fields of the front matter: each gets its new value, or is removed. All else keeps its bytes.
    ///
    /// # Errors
    /// As [`Self::read_post`].
    pub fn edit(
        &self,
        source: &[u8],
        changes: &[(String, Option<Payload>)],
    ) -> Result<Result<Vec<u8>, DocumentRefusal>, SandboxError> {
        let change = |(name, value): &(String, Option<Payload>)| wit::Change {
            name: name.clone(),
            json: value.as_ref().map(|value| value.clone().into_text()),
        };
        let changes: Vec<wit::Change> = changes.iter().map(change).collect();
        let answer = call(&self.documents, |guest, store| {
            guest.wardroom_documents_document().call_edit(store, source, &changes)
        })?;
        Ok(answer.map_err(Into::into))
    }

    /// Renders the body of a post as HTML without scripts, styles, forms, and addresses other than `http`, `https`,
    /// `mailto` and relative ones.
    ///
    /// # Errors
    /// As [`Self::read_post`].
    pub fn preview(&self, source: &[u8]) -> Result<Result<String, DocumentRefusal>, SandboxError> {
        let answer =
            call(&self.documents, |guest, store| guest.wardroom_documents_document().call_preview(store, source))?;
        Ok(answer.map_err(Into::into))
    }

    /// Returns what is wrong with a template, in the order of the source.
    ///
    /// # Errors
    /// When the guest was stopped.
    pub fn check_template(&self, source: &[u8]) -> Result<Vec<DocumentProblem>, SandboxError> {
        let problems =
            call(&self.documents, |guest, store| guest.wardroom_documents_template_check().call_check(store, source))?;
        let convert = |template_check::Problem { line, column, message }| DocumentProblem {
            position: DocumentPosition { line, column },
            message,
        };
        Ok(problems.into_iter().map(convert).collect())
    }

    /// Returns what is wrong with a Lua script, in the order of the source.
    ///
    /// # Errors
    /// When the guest was stopped.
    pub fn check_script(&self, source: &[u8]) -> Result<Vec<DocumentProblem>, SandboxError> {
        let problems =
            call(&self.documents, |guest, store| guest.wardroom_documents_script_check().call_check(store, source))?;
        let convert = |script_check::Problem { line, column, message }| DocumentProblem {
            position: DocumentPosition { line, column },
            message,
        };
        Ok(problems.into_iter().map(convert).collect())
    }

    /// Reads the size of a picture.
    ///
    /// # Errors
    /// As [`Self::read_post`].
    pub fn inspect_picture(&self, data: &[u8]) -> Result<Result<PictureInfo, PictureRefusal>, SandboxError> {
        let answer = call(&self.pictures, |guest, store| guest.wardroom_documents_image().call_inspect(store, data))?;
        let convert = |image::Info { format, width, height }| PictureInfo { format: format.into(), width, height };
        Ok(answer.map(convert).map_err(Into::into))
    }

    /// Makes a copy of a picture that fits in a square of `side` pixels.
    ///
    /// # Errors
    /// As [`Self::read_post`].
    pub fn make_thumbnail(&self, data: &[u8], side: u32) -> Result<Result<Thumbnail, PictureRefusal>, SandboxError> {
        let answer = call(&self.pictures, |guest, store| {
            guest.wardroom_documents_image().call_make_thumbnail(store, data, side)
        })?;
        let convert = |image::Thumbnail { format, width, height, data }| Thumbnail {
            info: PictureInfo { format: format.into(), width, height },
            data,
        };
        Ok(answer.map(convert).map_err(Into::into))
    }
}

fn call<R>(
    runner: &ComponentRunner<ParsersPre<GuestState>>,
    call: impl FnOnce(&Parsers, &mut Store<GuestState>) -> wasmtime::Result<R>,
) -> Result<R, SandboxError> {
    runner.call(|guest, store| call(&guest.instantiate(&mut *store)?, store))
}

fn convert_post(post: wit::Post, source_len: usize) -> Result<ParsedPost, SandboxError> {
    let wit::Post { fields, body_start, text, word_count, excerpt, links, headings } = post;
    let link = |wit::Link { slug, language, text, line }| PostLink { slug, language, text, line };
    let heading = |wit::Heading { level, text, line }| PostHeading { level, text, line };
    Ok(ParsedPost {
        fields: convert_fields(fields)?,
        body_start: check_offset(body_start, source_len)?,
        text,
        word_count,
        excerpt,
        links: links.into_iter().map(link).collect(),
        headings: headings.into_iter().map(heading).collect(),
    })
}

fn convert_fields(fields: Vec<wit::Field>) -> Result<Vec<FrontMatterField>, SandboxError> {
    let convert = |wit::Field { name, line, json, text }| {
        payload::check_json_text(&json, MAX_DOCUMENT_OUTPUT_BYTES)?;
        Ok(FrontMatterField { name, line, json, text })
    };
    fields.into_iter().map(convert).collect()
}

/// Checks that a place is in the source.
fn check_offset(offset: u32, source_len: usize) -> Result<usize, SandboxError> {
    let offset = usize::try_from(offset).ok().filter(|offset| *offset <= source_len);
    offset.ok_or_else(|| SandboxError::Trap("a place in the document is outside of it".to_owned()))
}

impl From<wit::Position> for DocumentPosition {
    fn from(wit::Position { line, column }: wit::Position) -> Self {
        Self { line, column }
    }
}

impl From<wit::ReadError> for DocumentRefusal {
    fn from(error: wit::ReadError) -> Self {
        match error {
            wit::ReadError::TooLarge(limit) => Self::TooLarge(limit),
            wit::ReadError::NotUtf8(position) => Self::NotUtf8(position.into()),
            wit::ReadError::Malformed(wit::Diagnostic { position, message }) => {
                Self::Malformed(message, position.into())
            }
            wit::ReadError::TooDeep(position) => Self::TooDeep(position.into()),
            wit::ReadError::TooMuch(limit) => Self::TooMuch(limit),
        }
    }
}

impl From<image::Format> for PictureFormat {
    fn from(format: image::Format) -> Self {
        match format {
            image::Format::Png => Self::Png,
            image::Format::Jpeg => Self::Jpeg,
            image::Format::Gif => Self::Gif,
            image::Format::Webp => Self::Webp,
        }
    }
}

impl From<image::ImageError> for PictureRefusal {
    fn from(error: image::ImageError) -> Self {
        match error {
            image::ImageError::UnknownFormat => Self::UnknownFormat,
            image::ImageError::TooManyPixels(limit) => Self::TooManyPixels(limit),
            image::ImageError::Malformed(reason) => Self::Malformed(reason),
        }
    }
}
