//! JSON whose keys and texts are few, so that a clause often meets what it asks for.

use libfuzzer_sys::arbitrary::{self, Arbitrary};
use serde_json::{Number, Value};

#[derive(Arbitrary, Debug)]
pub enum Json {
    Null,
    Bool(bool),
    Small(i8),
    Whole(i64),
    Large(u64),
    Half(i8),
    Float(f64),
    Text(Word),
    List(Vec<Json>),
    Table(Vec<(Word, Json)>),
}

#[derive(Arbitrary, Debug)]
pub enum Word {
    Known(u8),
    Any(String),
}

const WORDS: [&str; 24] = [
    "a",
    "b",
    "c",
    "ab",
    "",
    "_and",
    "_or",
    "_not",
    "eq",
    "ne",
    "lt",
    "lte",
    "gt",
    "gte",
    "in",
    "nin",
    "exists",
    "contains",
    "starts_with",
    "a.b",
    "-a",
    "-b",
    "a.a.c",
    "é",
];

impl From<Word> for String {
    fn from(word: Word) -> Self {
        match word {
            Word::Known(index) => WORDS[usize::from(index) % WORDS.len()].to_owned(),
            Word::Any(text) => text,
        }
    }
}

impl From<Json> for Value {
    fn from(json: Json) -> Self {
        match json {
            Json::Null => Self::Null,
            Json::Bool(flag) => flag.into(),
            Json::Small(number) => number.into(),
            Json::Whole(number) => number.into(),
            Json::Large(number) => number.into(),
            Json::Half(number) => (f64::from(number) / 2.0).into(),
            Json::Float(number) => Number::from_f64(number).map_or(Self::Null, Self::Number),
            Json::Text(word) => String::from(word).into(),
            Json::List(items) => items.into_iter().map(Self::from).collect(),
            Json::Table(fields) => {
                Self::Object(fields.into_iter().map(|(key, value)| (key.into(), value.into())).collect())
            }
        }
    }
}
