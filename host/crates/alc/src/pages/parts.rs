//! Parts that several pages have: times, states of runs, texts that may be cut, and the fields of filters.

use chrono::{DateTime, Utc};
use maud::{Markup, html};

use crate::runs::PageText;
use wardroom_service::{FORM_TOKEN_FIELD, PageRequest};

/// Shows a time to the minute, in UTC.
pub(super) fn moment(ms: u64) -> Markup {
    let time = i64::try_from(ms).ok().and_then(DateTime::<Utc>::from_timestamp_millis);
    html! {
        @if let Some(time) = time {
            time datetime=(time.format("%Y-%m-%dT%H:%M:%SZ")) { (time.format("%Y-%m-%d %H:%M")) " UTC" }
        } @else {
            "unknown"
        }
    }
}

/// Says how long ago something was.
pub(super) fn ago(ms: u64, now_ms: u64) -> String {
    const MINUTE: u64 = 60_000;
    match now_ms.saturating_sub(ms) / MINUTE {
        0 => "just now".to_owned(),
        1 => "a minute ago".to_owned(),
        minutes @ ..120 => format!("{minutes} minutes ago"),
        minutes @ ..2880 => format!("{} hours ago", minutes / 60),
        minutes => format!("{} days ago", minutes / 1440),
    }
}

/// Writes a length of time with the precision that a person reads.
pub(super) fn duration(ms: u64) -> String {
    match ms {
        ..1_000 => format!("{ms} ms"),
        1_000..10_000 => format!("{}.{} s", ms / 1_000, ms / 100 % 10),
        10_000..120_000 => format!("{} s", ms / 1_000),
        120_000..7_200_000 => format!("{} min {} s", ms / 60_000, ms / 1_000 % 60),
        _ => format!("{} h {} min", ms / 3_600_000, ms / 60_000 % 60),
    }
}

/// Begins a form that changes something: with the token without which nothing does.
pub(super) fn form_token(request: &PageRequest) -> Markup {
    html! { input type="hidden" name=(FORM_TOKEN_FIELD) value=(request.form_token); }
}

/// Shows a text as it is, and how much of it is left out.
pub(super) fn text_block(text: &PageText) -> Markup {
    html! {
        pre { (text.text) }
        @if text.n_omitted > 0 { p.soft { "And " (text.n_omitted) " bytes more." } }
    }
}

/// Returns the first line of a text, cut for a list.
pub(super) fn first_line(text: &str, max_chars: usize) -> String {
    let line = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default().trim();
    match line.char_indices().nth(max_chars) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default()),
        None => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_as_precise_as_a_person_needs() {
        let lengths = [0, 999, 1_250, 59_999, 200_000, 8_000_000].map(duration);
        assert_eq!(lengths, ["0 ms", "999 ms", "1.2 s", "59 s", "3 min 20 s", "2 h 13 min"]);
        let ages = [0, 60_000, 600_000, 8_000_000, 400_000_000].map(|age| ago(0, age));
        assert_eq!(ages, ["just now", "a minute ago", "10 minutes ago", "2 hours ago", "4 days ago"]);
    }

    #[test]
    fn line_is_cut_between_characters() {
        assert_eq!(first_line("\n  äöü\nrest", 2), "äö…");
        assert_eq!(first_line("", 2), "");
    }
}
