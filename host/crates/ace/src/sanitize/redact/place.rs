//! Secrets of places: users and passwords in addresses, webhooks, and home folders.

use super::REDACTED;

/// Folders that hold the home folders of people.
const HOME_PARENTS: &[&str] = &["/home/", "/Users/", "\\Users\\", "/users/"];

/// Addresses whose path is a secret.
const WEBHOOKS: &[&str] =
    &["hooks.slack.com/", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/", "webhook.office.com/"];

const AUTHORITY: &str = "://";

/// Returns what every text with such a secret has in it.
pub(super) fn signs() -> impl Iterator<Item = &'static str> {
    HOME_PARENTS.iter().chain(WEBHOOKS).copied().chain([AUTHORITY])
}

/// `scheme://user:password@host` keeps scheme and host, and a webhook its host.
pub(super) fn redact_addresses(text: &str) -> String {
    let mut redacted = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once(AUTHORITY) {
        redacted.push_str(before);
        redacted.push_str(AUTHORITY);
        let address = after.split(AUTHORITY).next().unwrap_or_default();
        let user = user_len(address.split(char::is_whitespace).next().unwrap_or_default());
        if user > 0 {
            redacted.push_str(REDACTED);
        }
        rest = after.get(user..).unwrap_or_default();
    }
    redacted.push_str(rest);
    redact_webhooks(redacted)
}

/// Returns the length of the user and the password at the start of an address after `://`.
fn user_len(address: &str) -> usize {
    let (authority, _) = address.split_at(address.find(['/', '?', '#']).unwrap_or(address.len()));
    let user = authority.rfind('@');
    let has_password = match user {
        Some(at) => authority.get(..at).is_some_and(|user| user.contains(':')),
        // A password may have `/` in it; a port is a number.
        None => authority.split_once(':').is_some_and(|(host, port)| {
            let is_port =
                port.trim_end_matches(|c: char| !c.is_ascii_alphanumeric()).bytes().all(|c| c.is_ascii_digit());
            !host.starts_with('[') && !is_port
        }),
    };
    if !has_password {
        return user.unwrap_or(0);
    }
    let start = user.unwrap_or(0);
    let tail = address.get(start..).unwrap_or_default();
    let tail = tail.split(['"', '\'', '`', '<', '>', ',', '?']).next().unwrap_or_default();
    tail.rfind('@').map_or(start, |at| start + at)
}

fn redact_webhooks(text: String) -> String {
    if !WEBHOOKS.iter().any(|webhook| text.contains(webhook)) {
        return text;
    }
    let mut text = text;
    for webhook in WEBHOOKS {
        let mut redacted = String::with_capacity(text.len());
        let mut rest = text.as_str();
        while let Some((before, after)) = rest.split_once(webhook) {
            redacted.push_str(before);
            redacted.push_str(webhook);
            let is_path = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '_' | '-' | '.' | '@');
            let path = after.find(|c| !is_path(c)).unwrap_or(after.len());
            if path > 0 {
                redacted.push_str(REDACTED);
            }
            rest = after.get(path..).unwrap_or_default();
        }
        redacted.push_str(rest);
        text = redacted;
    }
    text
}

/// Returns a text with `~` in place of home folders.
pub(super) fn redact_homes(text: &str) -> String {
    let mut redacted = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((at, parent)) = next_home(rest) {
        let (before, after) = rest.split_at(at);
        let name = after.get(parent..).unwrap_or_default().trim_start_matches(['/', '\\']);
        let end =
            name.find(|c: char| c.is_whitespace() || matches!(c, '/' | '\\' | ':' | '"' | '\'' | ')' | '`' | ','));
        rest = name.get(end.unwrap_or(name.len())..).unwrap_or_default();
        redacted.push_str(without_drive(before));
        redacted.push('~');
    }
    redacted.push_str(rest);
    redacted
}

/// Returns where the next folder of home folders begins, and its length.
fn next_home(text: &str) -> Option<(usize, usize)> {
    let starts = text.char_indices().filter(|(_, c)| matches!(c, '/' | '\\'));
    starts.map(|(at, _)| text.split_at(at)).find_map(|(before, after)| {
        let parent = HOME_PARENTS.iter().find(|parent| after.starts_with(*parent))?;
        Some((before.len(), parent.len()))
    })
}

/// `C:` before a path belongs to it, and so does a backslash that JSON doubles.
fn without_drive(before: &str) -> &str {
    let path = before.trim_end_matches('\\');
    match path.strip_suffix(':') {
        Some(drive) if drive.ends_with(|c: char| c.is_ascii_alphabetic()) => {
            drive.get(..drive.len() - 1).unwrap_or_default()
        }
        _ => before,
    }
}
