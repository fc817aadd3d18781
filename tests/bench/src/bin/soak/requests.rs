//! The requests of the soak's clients, and the check of their answers.

use std::collections::HashMap;

use anyhow::{Result, bail, ensure};
use serde_json::{Value, json};

use super::app_dir::{self, BIG, CARDS, LIVE, PACKAGES, ROWS};

/// A generator of pseudo-random numbers, the same in each run.
pub(crate) struct Rng(u64);

impl Rng {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 >> 33).unwrap_or(0) % bound
    }
}

/// The expected answer.
pub(crate) enum Expect {
    /// An error of the protocol with this code.
    Code(i64),
    /// The exact text of a resource.
    Text(String),
    /// The metadata of a package; of the changing package when there is no number.
    Meta(Option<usize>),
    Card(usize),
    LiveCard,
    /// A page of the constant rows.
    Rows {
        offset: usize,
        limit: usize,
    },
    /// A page of the growing rows.
    LiveRows {
        limit: usize,
    },
    Log {
        limit: usize,
        max_chars: usize,
    },
    /// A list in this field, with at least this number of entries.
    List(&'static str, usize),
    /// A tool's structured answer with this field.
    Tool(&'static str),
    /// Names with this prefix.
    Names(&'static str),
    Nothing,
    /// Any answer or none, because the request is cancelled.
    Cancelled,
}

/// Returns a random method with its params and the expected answer.
pub(crate) fn random_request(rng: &mut Rng, is_legacy: bool) -> (&'static str, Value, Expect) {
    let read = |uri: String, expect| ("resources/read", json!({"uri": uri}), expect);
    let live = "alc://packages/live/init.lua";
    match rng.below(24) {
        0..=3 => read("alc://types/alc.d.lua".into(), Expect::Text("-".repeat(1024))),
        4 | 5 => {
            let n = rng.below(PACKAGES);
            read(format!("alc://packages/p{n}/meta"), Expect::Meta(Some(n)))
        }
        6 => read("alc://packages/live/meta".into(), Expect::Meta(None)),
        7 => {
            let n = rng.below(PACKAGES);
            read(format!("alc://packages/p{n}/init.lua"), Expect::Text(app_dir::package(&format!("p{n}"), n)))
        }
        8 | 9 => {
            let n = rng.below(CARDS);
            read(format!("alc://cards/{}", app_dir::card(n)), Expect::Card(n))
        }
        10 => read(format!("alc://cards/{LIVE}"), Expect::LiveCard),
        11 | 12 => {
            let (offset, limit) = (rng.below(ROWS + 10), rng.below(40));
            read(format!("alc://cards/{BIG}/samples?offset={offset}&limit={limit}"), Expect::Rows { offset, limit })
        }
        13 => {
            let limit = rng.below(40);
            read(format!("alc://cards/{LIVE}/samples?limit={limit}"), Expect::LiveRows { limit })
        }
        14 => read("alc://eval/e_1".into(), Expect::Text(app_dir::eval())),
        15 => read("alc://scenarios/s".into(), Expect::Text(app_dir::SCENARIO.into())),
        16 => {
            let (limit, max_chars) = (1 + rng.below(60), 1000 + rng.below(20_000));
            read(format!("alc://logs/l?limit={limit}&max_chars={max_chars}"), Expect::Log { limit, max_chars })
        }
        17 => match rng.below(4) {
            0 => read("alc://packages/../init.lua".into(), Expect::Code(-32602)),
            1 => read("alc://cards/none".into(), Expect::Code(-32602)),
            2 => read("alc://types/alc.d.lua?x=1".into(), Expect::Code(-32602)),
            _ => ("no/such/method", json!({}), Expect::Code(-32601)),
        },
        18 => match rng.below(3) {
            0 => ("resources/list", json!({}), Expect::List("resources", 2)),
            1 => ("resources/templates/list", json!({}), Expect::List("resourceTemplates", 7)),
            _ => ("tools/list", json!({}), Expect::List("tools", 3)),
        },
        19 => {
            let arguments = json!({"source": app_dir::package("x", 1)});
            ("tools/call", json!({"name": "extract_package_meta", "arguments": arguments}), Expect::Tool("meta"))
        }
        20 => {
            let arguments = json!({"uri": "alc://scenarios/s"});
            ("tools/call", json!({"name": "read_resource", "arguments": arguments}), Expect::Tool("text"))
        }
        21 => {
            let params = json!({"ref": {"type": "ref/resource", "uri": "alc://packages/{name}/meta"},
                                "argument": {"name": "name", "value": "p1"}});
            ("completion/complete", params, Expect::Names("p1"))
        }
        22 if is_legacy => {
            let method = if rng.below(2) == 0 { "resources/subscribe" } else { "resources/unsubscribe" };
            (method, json!({"uri": live}), Expect::Nothing)
        }
        22 => {
            let params = json!({"notifications": {"resourceSubscriptions": [live], "resourcesListChanged": true}});
            ("subscriptions/listen", params, Expect::Cancelled)
        }
        _ => {
            let arguments = json!({"source": format!("return {{{}}}", "{},".repeat(5000))});
            ("tools/call", json!({"name": "extract_package_meta", "arguments": arguments}), Expect::Cancelled)
        }
    }
}

/// The last numbers that a client has seen of values that only grow.
#[derive(Default)]
pub(crate) struct GrowthCheck(HashMap<&'static str, u64>);

impl GrowthCheck {
    fn check_growth(&mut self, what: &'static str, now: u64) -> Result<()> {
        let before = self.0.insert(what, now).unwrap_or(0);
        // Answers may arrive slightly out of order.
        ensure!(now + 100 >= before, "{what} went back from {before} to {now}");
        Ok(())
    }
}

pub(crate) fn check(answer: &Value, expect: &Expect, growth: &mut GrowthCheck) -> Result<()> {
    if matches!(expect, Expect::Cancelled) {
        return Ok(());
    }
    if let Expect::Code(code) = expect {
        ensure!(answer["error"]["code"] == *code, "expected {code}");
        return Ok(());
    }
    let result = &answer["result"];
    ensure!(result.is_object(), "no result");
    let content = &result["contents"][0];
    let text = content["text"].as_str().unwrap_or_default();
    let parsed = || serde_json::from_str::<Value>(text);
    match expect {
        Expect::Text(expected) => ensure!(text == expected, "another text"),
        Expect::Meta(number) => {
            let meta = parsed()?;
            let version = meta["version"].as_str().unwrap_or_default();
            ensure!(number.is_none_or(|n| n.to_string() == version), "another version");
            let description = meta["description"].as_str().unwrap_or_default();
            ensure!(!version.is_empty() && description.split(' ').all(|word| word == version), "two versions in one");
            ensure!(description.split(' ').count() == 200, "half a package");
            if number.is_none() {
                growth.check_growth("the package", version.parse()?)?;
            }
        }
        Expect::Card(number) => ensure!(parsed()?["n"] == *number, "another card"),
        Expect::LiveCard => {
            let card = parsed()?;
            ensure!(card["a"].is_u64() && card["a"] == card["b"], "two cards in one");
            growth.check_growth("the card", card["a"].as_u64().unwrap_or(0))?;
        }
        Expect::Rows { offset, limit } => {
            ensure!(content["_meta"]["total"] == ROWS, "another total");
            rows(&parsed()?, *offset, (*limit).min(ROWS.saturating_sub(*offset)))?;
        }
        Expect::LiveRows { limit } => {
            let total = content["_meta"]["total"].as_u64().unwrap_or(0);
            growth.check_growth("the rows", total)?;
            rows(&parsed()?, 0, (*limit).min(usize::try_from(total)?))?;
        }
        Expect::Log { limit, max_chars } => {
            ensure!(text.chars().count() <= *max_chars, "too long");
            let rounds = parsed()?["transcript"].as_array().map_or(0, Vec::len);
            ensure!((1..=*limit).contains(&rounds), "{rounds} rounds");
        }
        Expect::List(field, least) => {
            ensure!(result[field].as_array().is_some_and(|list| list.len() >= *least), "a shorter list");
        }
        Expect::Tool(field) => ensure!(!result["structuredContent"][field].is_null(), "no {field}"),
        Expect::Names(prefix) => {
            let names = result["completion"]["values"].as_array().cloned().unwrap_or_default();
            let fits = names.iter().all(|name| name.as_str().is_some_and(|name| name.starts_with(prefix)));
            ensure!(names.len() == 11 && fits, "other names");
        }
        Expect::Nothing => {}
        Expect::Code(_) | Expect::Cancelled => bail!("checked above"),
    }
    Ok(())
}

fn rows(page: &Value, offset: usize, count: usize) -> Result<()> {
    let rows = page.as_array().map_or(&[][..], Vec::as_slice);
    ensure!(rows.len() == count, "{} rows, not {count}", rows.len());
    ensure!(rows.iter().enumerate().all(|(at, row)| row["i"] == offset + at), "other rows");
    Ok(())
}
