//! The error codes of the resource tools.
//!
//! Never: changes a code that clients know.

wardroom_service::error_codes! {
    INVALID_CURSOR = "invalid_cursor": "This server did not issue the cursor.";
    INVALID_URI = "invalid_uri": "The URI breaks the rules of its scheme, or no service has that scheme.";
    NOT_FOUND = "not_found": "No resource has that URI.";
    TOO_LARGE = "too_large": "The resource is over the size limit for the answer of a tool.";
}
