//! A transcript, truncated to the requested limits.
//!
//! Owns: which rounds are kept (the newest, in their order), and when a single round that is too long is truncated.
//! Never: returns more than `max_chars` Unicode characters, or anything but valid JSON; parses a log into values, which
//! take many times the memory of its text.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use crate::limits::MAX_LOG_FIELDS;
use crate::truncate::{TruncatableJson, strip_whitespace};

const ROUNDS_FIELD: &str = "transcript";
/// The lines of the run's log, which a truncated log leaves out: they are no part of the conversation.
const LINES_FIELD: &str = "logs";
/// The fields that describe the truncation, in place of stored fields of the same name.
const TRUNCATION_FIELDS: [&str; 3] = ["truncated", "original_rounds", "returned_rounds"];

/// A log as slices of its text.
#[derive(Default)]
pub(super) struct RawLog<'a> {
    /// All fields except the rounds, in the stored order. Of duplicate fields the last one counts.
    fields: Vec<(String, &'a RawValue)>,
    rounds: Option<RawRounds<'a>>,
}

struct RawRounds<'a> {
    total: usize,
    /// At most the requested number of rounds.
    newest: VecDeque<&'a RawValue>,
}

impl<'a> RawLog<'a> {
    /// Parses a log, which is valid JSON. Text that is no object has neither fields nor rounds.
    pub(super) fn parse(text: &'a str, limit: usize) -> Result<Self, serde_json::Error> {
        if !text.trim_start().starts_with('{') {
            return Ok(Self::default());
        }
        let found = RawFieldsVisitor::parse(text)?;
        let mut fields: Vec<_> = found.into_iter().map(|(key, (at, value))| (at, key, value)).collect();
        fields.sort_unstable_by_key(|(at, ..)| *at);
        let mut log = Self::default();
        for (_, key, value) in fields {
            if key != ROUNDS_FIELD {
                log.fields.push((key, value));
            } else if value.get().starts_with('[') {
                log.rounds =
                    Some(NewestRoundsVisitor(limit).deserialize(&mut serde_json::Deserializer::from_str(value.get()))?);
            }
        }
        Ok(log)
    }

    /// Returns the text of a truncated log up to the number of its rounds.
    fn truncated_head(&self, total: usize) -> String {
        let is_left_out = |key: &str| key == LINES_FIELD || TRUNCATION_FIELDS.contains(&key);
        let kept = self.fields.iter().filter(|(key, _)| !is_left_out(key));
        let kept = kept.map(|(key, value)| {
            format!("{}:{},", serde_json::Value::from(key.as_str()), strip_whitespace(value.get()))
        });
        let [truncated, original, returned] = TRUNCATION_FIELDS;
        format!("{{{}\"{truncated}\":true,\"{original}\":{total},\"{returned}\":", kept.collect::<String>())
    }
}

/// Visits the fields of an object, each with its position.
pub(crate) struct RawFieldsVisitor;

impl RawFieldsVisitor {
    /// Returns the fields of an object by name, each with its position.
    pub(crate) fn parse(object: &str) -> Result<BTreeMap<String, (usize, &RawValue)>, serde_json::Error> {
        Self.deserialize(&mut serde_json::Deserializer::from_str(object))
    }
}

impl<'de> DeserializeSeed<'de> for RawFieldsVisitor {
    type Value = BTreeMap<String, (usize, &'de RawValue)>;

    fn deserialize<D: Deserializer<'de>>(self, log: D) -> Result<Self::Value, D::Error> {
        log.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for RawFieldsVisitor {
    type Value = BTreeMap<String, (usize, &'de RawValue)>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Self::Value, M::Error> {
        let mut fields = BTreeMap::new();
        let mut at = 0;
        while let Some((key, value)) = map.next_entry()? {
            fields.insert(key, (at, value));
            at += 1;
            if fields.len() > MAX_LOG_FIELDS {
                return Err(M::Error::custom(format!("more than {MAX_LOG_FIELDS} fields")));
            }
        }
        Ok(fields)
    }
}

/// Counts rounds and keeps the newest.
struct NewestRoundsVisitor(usize);

impl<'de> DeserializeSeed<'de> for NewestRoundsVisitor {
    type Value = RawRounds<'de>;

    fn deserialize<D: Deserializer<'de>>(self, rounds: D) -> Result<Self::Value, D::Error> {
        rounds.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for NewestRoundsVisitor {
    type Value = RawRounds<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Self::Value, S::Error> {
        let mut rounds = RawRounds { total: 0, newest: VecDeque::new() };
        while let Some(round) = seq.next_element()? {
            rounds.total += 1;
            rounds.newest.push_back(round);
            if rounds.newest.len() > self.0 {
                rounds.newest.pop_front();
            }
        }
        Ok(rounds)
    }
}

/// Returns the truncated log, or `None` when the stored text fits. The error is the number of characters needed.
pub(super) fn truncate_log(
    log: &RawLog,
    stored: &str,
    limit: usize,
    max_chars: usize,
) -> Result<Option<String>, usize> {
    let mut whole = usize::MAX;
    if log.rounds.as_ref().is_none_or(|rounds| rounds.total <= limit) {
        if fits(stored, max_chars) {
            return Ok(None);
        }
        let compact = strip_whitespace(stored);
        if fits(&compact, max_chars) {
            return Ok(Some(compact));
        }
        whole = count_chars(&compact);
    }
    let Some(rounds) = &log.rounds else { return Err(whole) };
    render_newest_rounds(log, rounds, max_chars).map(Some).map_err(|needed| needed.min(whole))
}

fn render_newest_rounds(log: &RawLog, rounds: &RawRounds, max_chars: usize) -> Result<String, usize> {
    let head = log.truncated_head(rounds.total);
    let render = |kept: &[String]| format!("{head}{},\"{ROUNDS_FIELD}\":[{}]}}", kept.len(), kept.join(","));
    let empty = render(&[]);
    // Everything except the rounds and the digits of their number.
    let frame = count_chars(&empty) - 1;
    let fitting = newest_rounds_within(rounds, max_chars.saturating_sub(frame));
    if !fitting.is_empty() {
        return Ok(render(&fitting));
    }
    let Some(newest) = rounds.newest.back() else {
        return if fits(&empty, max_chars) { Ok(empty) } else { Err(count_chars(&empty)) };
    };
    // Not even the newest round fits, so its strings are truncated.
    let newest = strip_whitespace(newest.get());
    match truncate_round(&newest, max_chars.saturating_sub(frame + 1)) {
        Some(cut) => Ok(render(&[cut])),
        None => Err(frame
            + 1
            + TruncatableJson::new(&newest)
                .truncate_strings(0, usize::MAX)
                .map_or(0, |shortest| count_chars(&shortest))),
    }
}

/// Returns as many of the newest rounds as fit, with the commas between them and the digits of their number.
fn newest_rounds_within(rounds: &RawRounds, space: usize) -> Vec<String> {
    let (mut fitting, mut used) = (Vec::new(), 0);
    for round in rounds.newest.iter().rev() {
        let round = strip_whitespace(round.get());
        used += count_chars(&round) + usize::from(!fitting.is_empty());
        if used + (fitting.len() + 1).to_string().len() > space {
            break;
        }
        fitting.push(round);
    }
    fitting.reverse();
    fitting
}

/// Returns the round with its strings truncated as little as possible, or `None` if it cannot fit.
fn truncate_round(round: &str, space: usize) -> Option<String> {
    let round = TruncatableJson::new(round);
    let (mut fitting, mut best) = (0, round.truncate_strings(0, space)?);
    let mut too_long = space;
    while too_long - fitting > 1 {
        let middle = fitting + (too_long - fitting) / 2;
        match round.truncate_strings(middle, space) {
            Some(cut) => (fitting, best) = (middle, cut),
            None => too_long = middle,
        }
    }
    Some(best)
}

fn count_chars(text: &str) -> usize {
    text.chars().count()
}

/// Returns whether a text fits. A text has no more characters than bytes, so a short one needs no count.
fn fits(text: &str, max_chars: usize) -> bool {
    text.len() <= max_chars || count_chars(text) <= max_chars
}
