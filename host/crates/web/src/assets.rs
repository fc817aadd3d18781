//! The files of the pages: one stylesheet, one script, and the style of previews.

use crate::response::{HttpReply, asset_response};

/// The style of a preview, which is part of its document.
pub(crate) const PREVIEW_STYLE: &str = include_str!("assets/preview.css");

const STYLE: &str = include_str!("assets/style.css");
const SCRIPT: &str = include_str!("assets/review.js");

/// The addresses of the files, as pages name them.
pub(crate) const STYLE_LINK: &str = "/review/assets/style.css";
pub(crate) const SCRIPT_LINK: &str = "/review/assets/review.js";

/// Returns the file with a name.
pub(crate) fn find_asset(name: &str) -> Option<HttpReply> {
    match name {
        "style.css" => Some(asset_response("text/css; charset=utf-8", STYLE)),
        "review.js" => Some(asset_response("text/javascript; charset=utf-8", SCRIPT)),
        _ => None,
    }
}
