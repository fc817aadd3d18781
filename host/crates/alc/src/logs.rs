//! `alc://logs/{session_id}`: a transcript, cut to what was asked for.
//!
//! Owns: which rounds are kept (the newest, in their order), and when one round that is too long is cut.
//! Never: answers with more than `max_chars` Unicode characters, or with anything but valid JSON; builds the values of
//! a log, which take many times the memory of its text.

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::log_text::{Cuttable, compact};
use super::{Alc, Ask};
use wardroom_appdir::{AppDirError, Folder};
use wardroom_base::limits::{LIGHT_BYTES, MAX_LOG_BYTES, MAX_LOG_FIELDS};
use wardroom_base::payload;
use wardroom_base::uri::SessionId;
use wardroom_service::{Content, ServiceError, Sizes, mime};

/// Where transcripts are in the AppDir.
pub(super) const FOLDER: &str = "logs";
const ROUNDS: &str = "transcript";
/// What a cut log says about itself, in place of any field of the same name.
const OURS: [&str; 3] = ["truncated", "original_rounds", "returned_rounds"];

/// What is noted while a log is cut takes many times its text too.
const LOG: Sizes = Sizes { light: LIGHT_BYTES, shared: LIGHT_BYTES, most: MAX_LOG_BYTES };

impl Alc {
    /// The folder of transcripts, when there is one.
    pub(super) fn logs(&self) -> Result<Folder, AppDirError> {
        self.folders.logs.clone().map_or_else(|| self.folders.app.folder(FOLDER), Ok)
    }

    pub(super) fn log(
        &self,
        session: &SessionId,
        limit: usize,
        max_chars: usize,
        ask: &Ask,
    ) -> Result<Content, ServiceError> {
        let uri = ask.uri;
        ask.context.needs_full()?;
        let name = format!("{session}.json");
        let most = ask.context.within(LOG);
        let read = self.logs().and_then(|logs| logs.read_text(&name, most));
        let (text, modified) = read.map_err(|error| ServiceError::reading(uri, error))?;
        let what = format!("log '{session}'");
        payload::check_text(&text, text.len()).map_err(|error| ServiceError::parsing(&what, error))?;
        let log = Log::parse(&text, limit).map_err(|error| unread(&what, error))?;
        let cut = cut(&log, &text, limit, max_chars).map_err(|needed| {
            ServiceError::Invalid(format!("nothing of {uri} fits max_chars={max_chars}: it takes at least {needed}"))
        })?;
        Ok(Content::new(mime::JSON, cut.unwrap_or(text), modified))
    }
}

/// Of what the fields of JSON text can do wrong, only their number is no matter of the text itself.
fn unread(what: &str, error: serde_json::Error) -> ServiceError {
    if error.is_data() {
        ServiceError::internal(format!("Failed to parse {what}: too many fields"), error)
    } else {
        ServiceError::parsing(what, error.into())
    }
}

/// A log as pieces of its text.
#[derive(Default)]
struct Log<'a> {
    /// All but the rounds, in the stored order. Of a field that is there twice, the last one counts.
    fields: Vec<(String, &'a RawValue)>,
    rounds: Option<Rounds<'a>>,
}

struct Rounds<'a> {
    total: usize,
    /// As many as were asked for.
    newest: VecDeque<&'a RawValue>,
}

impl<'a> Log<'a> {
    /// The text is JSON; one that is no object has neither fields nor rounds.
    fn parse(text: &'a str, limit: usize) -> Result<Self, serde_json::Error> {
        if !text.trim_start().starts_with('{') {
            return Ok(Self::default());
        }
        let found = Fields::of(text)?;
        let mut fields: Vec<_> = found.into_iter().map(|(key, (at, value))| (at, key, value)).collect();
        fields.sort_unstable_by_key(|(at, ..)| *at);
        let mut log = Self::default();
        for (_, key, value) in fields {
            if key != ROUNDS {
                log.fields.push((key, value));
            } else if value.get().starts_with('[') {
                log.rounds = Some(Newest(limit).deserialize(&mut serde_json::Deserializer::from_str(value.get()))?);
            }
        }
        Ok(log)
    }

    /// A cut log up to its rounds' number.
    fn head(&self, total: usize) -> String {
        let kept = self.fields.iter().filter(|(key, _)| !OURS.contains(&key.as_str()));
        let kept =
            kept.map(|(key, value)| format!("{}:{},", serde_json::Value::from(key.as_str()), compact(value.get())));
        let [truncated, original, returned] = OURS;
        format!("{{{}\"{truncated}\":true,\"{original}\":{total},\"{returned}\":", kept.collect::<String>())
    }
}

/// Reads the fields with the place of each.
pub(super) struct Fields;

impl Fields {
    /// The fields of an object, by name.
    pub(super) fn of(object: &str) -> Result<BTreeMap<String, (usize, &RawValue)>, serde_json::Error> {
        Self.deserialize(&mut serde_json::Deserializer::from_str(object))
    }
}

impl<'de> DeserializeSeed<'de> for Fields {
    type Value = BTreeMap<String, (usize, &'de RawValue)>;

    fn deserialize<D: Deserializer<'de>>(self, log: D) -> Result<Self::Value, D::Error> {
        log.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Fields {
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
struct Newest(usize);

impl<'de> DeserializeSeed<'de> for Newest {
    type Value = Rounds<'de>;

    fn deserialize<D: Deserializer<'de>>(self, rounds: D) -> Result<Self::Value, D::Error> {
        rounds.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for Newest {
    type Value = Rounds<'de>;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("an array")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<Self::Value, S::Error> {
        let mut rounds = Rounds { total: 0, newest: VecDeque::new() };
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

/// The log as new text, or nothing when the stored text will do. The error is the number of characters it would take.
fn cut(log: &Log, stored: &str, limit: usize, max_chars: usize) -> Result<Option<String>, usize> {
    let mut whole = usize::MAX;
    if log.rounds.as_ref().is_none_or(|rounds| rounds.total <= limit) {
        if fits(stored, max_chars) {
            return Ok(None);
        }
        let compact = compact(stored);
        if fits(&compact, max_chars) {
            return Ok(Some(compact));
        }
        whole = chars(&compact);
    }
    let Some(rounds) = &log.rounds else { return Err(whole) };
    keep_newest(log, rounds, max_chars).map(Some).map_err(|needed| needed.min(whole))
}

fn keep_newest(log: &Log, rounds: &Rounds, max_chars: usize) -> Result<String, usize> {
    let head = log.head(rounds.total);
    let render = |kept: &[String]| format!("{head}{},\"{ROUNDS}\":[{}]}}", kept.len(), kept.join(","));
    let empty = render(&[]);
    // All but the rounds and the digits of their number.
    let frame = chars(&empty) - 1;
    let fitting = fitting(rounds, max_chars.saturating_sub(frame));
    if !fitting.is_empty() {
        return Ok(render(&fitting));
    }
    let Some(newest) = rounds.newest.back() else {
        return if fits(&empty, max_chars) { Ok(empty) } else { Err(chars(&empty)) };
    };
    // Not even the newest round fits: its strings are cut.
    let newest = compact(newest.get());
    match longest_fitting(&newest, max_chars.saturating_sub(frame + 1)) {
        Some(cut) => Ok(render(&[cut])),
        None => Err(frame + 1 + Cuttable::new(&newest).cut(0, usize::MAX).map_or(0, |shortest| chars(&shortest))),
    }
}

/// As many of the newest rounds as fit, with the commas between them and the digits of their number.
fn fitting(rounds: &Rounds, space: usize) -> Vec<String> {
    let (mut fitting, mut used) = (Vec::new(), 0);
    for round in rounds.newest.iter().rev() {
        let round = compact(round.get());
        used += chars(&round) + usize::from(!fitting.is_empty());
        if used + (fitting.len() + 1).to_string().len() > space {
            break;
        }
        fitting.push(round);
    }
    fitting.reverse();
    fitting
}

/// The round with its strings cut as little as it takes to fit.
fn longest_fitting(round: &str, space: usize) -> Option<String> {
    let round = Cuttable::new(round);
    let (mut fitting, mut best) = (0, round.cut(0, space)?);
    let mut too_long = space;
    while too_long - fitting > 1 {
        let middle = fitting + (too_long - fitting) / 2;
        match round.cut(middle, space) {
            Some(cut) => (fitting, best) = (middle, cut),
            None => too_long = middle,
        }
    }
    Some(best)
}

fn chars(text: &str) -> usize {
    text.chars().count()
}

/// A text of so few bytes has no more characters either.
fn fits(text: &str, max_chars: usize) -> bool {
    text.len() <= max_chars || chars(text) <= max_chars
}
