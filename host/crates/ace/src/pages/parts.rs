//! Parts that several pages have: times, and the text of a bullet.

use chrono::{DateTime, Utc};
use maud::{Markup, html};

use crate::sanitize::{reveal, unescape_markdown};

/// Shows a time to the minute, in UTC.
pub(super) fn moment(time: DateTime<Utc>) -> Markup {
    html! { time datetime=(time.format("%Y-%m-%dT%H:%M:%SZ")) { (time.format("%Y-%m-%d %H:%M")) " UTC" } }
}

/// Shows the content of a bullet as it reads, with a name in the place of each hidden character.
pub(super) fn bullet_text(content: &str) -> String {
    reveal(&unescape_markdown(content))
}

/// Shows counters.
pub(super) fn counters(helpful: u64, harmful: u64) -> Markup {
    html! { li { "helped " (helpful) } li { "harmed " (harmful) } }
}
