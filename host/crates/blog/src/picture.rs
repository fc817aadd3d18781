//! The pictures of a blog, as resources: a small copy, or the file as it is.
//!
//! Owns: what a client is told of a picture that the guest refuses, or for which the guest was stopped.
//! Never: sends a picture of any size: an original has a limit, and a thumbnail is small.

use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::bds_uri::ImageSize;
use crate::index::row::MediaRow;
use crate::limits::{MAX_ORIGINAL_PICTURE_BYTES, MAX_PICTURE_BYTES, THUMBNAIL_SIDE};
use crate::{BlogState, code};
use wardroom_sandbox::{PictureRefusal, SandboxError};
use wardroom_service::{Encoding, RequestInfo, ResourceContent, ServiceError};

/// A picture, as the guest made or inspected it.
pub(crate) struct PictureFile {
    pub(crate) mime_type: &'static str,
    pub(crate) bytes: Vec<u8>,
    modified: Option<SystemTime>,
}

impl BlogState {
    /// Returns a picture as a resource.
    ///
    /// # Errors
    /// As [`Self::picture`].
    pub(crate) fn image(
        &self,
        media: &MediaRow,
        size: ImageSize,
        info: &RequestInfo,
    ) -> Result<ResourceContent, ServiceError> {
        let PictureFile { mime_type, bytes, modified } = self.picture(media, size, info)?;
        let mut content = ResourceContent::new(mime_type, STANDARD.encode(bytes), modified);
        content.encoding = Encoding::Base64;
        content.meta_fields = self.meta_fields();
        Ok(content)
    }

    /// Returns a picture.
    ///
    /// # Errors
    /// When the file cannot be read, or is not shown as a picture.
    pub(crate) fn picture(
        &self,
        media: &MediaRow,
        size: ImageSize,
        info: &RequestInfo,
    ) -> Result<PictureFile, ServiceError> {
        let failed = |error| ServiceError::from_read_error(&format!("the file {} of the blog", media.file_path), error);
        let limit = match size {
            ImageSize::Thumbnail => MAX_PICTURE_BYTES,
            ImageSize::Original => MAX_ORIGINAL_PICTURE_BYTES,
        };
        let file = self.source.folder.open(&media.file_path).map_err(failed)?;
        let (modified, len) = (file.stat().modified, usize::try_from(file.stat().len).unwrap_or(usize::MAX));
        let _held = info.memory.lease(len.min(usize::try_from(limit).unwrap_or(usize::MAX)).saturating_mul(3))?;
        let bytes = file.read(limit).map_err(failed)?.bytes;
        let (mime_type, bytes) = match size {
            ImageSize::Thumbnail => {
                let made = self.source.sandbox.make_thumbnail(&bytes, THUMBNAIL_SIDE);
                let thumbnail = shown(&media.file_path, made)?;
                (thumbnail.info.format.mime_type(), thumbnail.data)
            }
            ImageSize::Original => {
                let inspected = self.source.sandbox.inspect_picture(&bytes);
                (shown(&media.file_path, inspected)?.format.mime_type(), bytes)
            }
        };
        Ok(PictureFile { mime_type, bytes, modified })
    }
}

/// Returns what the guest made of a picture. That the guest was stopped is said of the picture, as a refusal is: the same
/// request would stop it again.
fn shown<T>(path: &str, made: Result<Result<T, PictureRefusal>, SandboxError>) -> Result<T, ServiceError> {
    let refused =
        |reason: String| ServiceError::Invalid(format!("the file {path} is not shown as a picture: {reason}"));
    match made {
        Ok(Ok(made)) => Ok(made),
        Ok(Err(refusal)) => Err(refused(refusal.to_string())),
        Err(error) if error.is_of_document() => Err(refused(format!("{error}: save it anew, with fewer pixels"))),
        Err(SandboxError::Busy) => Err(ServiceError::tool(code::BUSY, "other pictures are being read, try again")),
        Err(error) => Err(ServiceError::internal("no picture can be read in the sandbox", error)),
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn stopped_picture_is_refused_and_state_of_server_is_not_its_fault() {
        let shown = |error| shown::<()>("media/a.png", Err(error)).unwrap_err();
        let stopped = [
            (SandboxError::Timeout(Duration::from_secs(5)), " after 5 s"),
            (SandboxError::MemoryLimit(256 * 1024 * 1024), " at 256 MiB of memory"),
            (SandboxError::StackLimit(512 * 1024), " at 512 KiB of stack"),
            (SandboxError::OutputLimit(16 * 1024 * 1024), ": its result is larger than 16 MiB"),
            (SandboxError::Trap("unreachable".to_owned()), ": its parser failed"),
        ];
        for (error, reason) in stopped {
            let refusal = shown(error);
            assert!(matches!(refusal, ServiceError::Invalid(_)), "{refusal:?}");
            let expected = format!(
                "the file media/a.png is not shown as a picture: the sandbox stopped the document{reason}: save it anew, \
                 with fewer pixels"
            );
            assert_eq!(refusal.to_string(), expected);
        }
        assert!(matches!(shown(SandboxError::Busy), ServiceError::Tool { code: code::BUSY, .. }));
        assert!(matches!(shown(SandboxError::Unavailable("no memory".to_owned())), ServiceError::Internal { .. }));
    }

    #[test]
    fn refused_picture_says_why() {
        let refused = shown::<()>("media/a.png", Ok(Err(PictureRefusal::UnknownFormat))).unwrap_err();
        assert_eq!(
            refused.to_string(),
            "the file media/a.png is not shown as a picture: it is no PNG, JPEG, GIF or WebP"
        );
    }
}
