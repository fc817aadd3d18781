//! What scripts ask of the cards (`alc.card.*`).
//!
//! Owns: the operations by name, with their arguments, and what is nil to a script.
//! Never: looks at a clock: the time is given, so that a run that is replayed is told the same.

use std::time::SystemTime;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::aliases::Setting;
use super::arguments::{
    AliasList, AliasSet, Append, Backfill, ByAlias, ByCard, Find, Lineage, List, Samples, condition, of_package,
    order_by,
};
use super::find::Wanted;
use super::lineage::Asked;
use super::query::{Condition, OrderBy};
use super::samples::Rows;
use super::{Stop, card_name, package_name, refused};
use crate::Alc;
use wardroom_base::limits::{MAX_CARD_BYTES, MAX_SCRIPT_CARD_ROWS, MAX_SCRIPT_SAMPLES_BYTES};
use wardroom_service::{ServiceError, shown};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Create {
    #[serde(default)]
    card: Value,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WriteSamples {
    card_id: String,
    #[serde(default)]
    rows: Value,
}

impl Alc {
    /// Does one operation of a script, such as `card.get`, until `stop` says that nobody waits for it.
    ///
    /// # Errors
    /// The sentence that the script is told.
    pub fn card_operation(
        &self,
        operation: &str,
        arguments: Value,
        now: SystemTime,
        stop: &dyn Fn() -> bool,
    ) -> Result<Value, String> {
        self.operate(operation, arguments, now, stop).map_err(|error| error.to_string())
    }

    /// What `card.alias_set` with these arguments answered at that time, if the alias was set then or since.
    ///
    /// # Errors
    /// When the table cannot be read, or for arguments that it refuses.
    pub(crate) fn alias_set_since(&self, arguments: Value, then: SystemTime) -> Result<Option<Value>, ServiceError> {
        let AliasSet { name, card_id, pkg, note } = read("card.alias_set", arguments)?;
        let package = pkg.as_deref().map(package_name).transpose()?;
        let card = card_name(&card_id)?;
        let setting = Setting { name: &name, card: &card, package: package.as_ref(), note: note.as_deref() };
        self.set_alias_since(&setting, then)
    }

    fn operate(&self, operation: &str, arguments: Value, now: SystemTime, stop: Stop) -> Result<Value, ServiceError> {
        match operation {
            "card.create" => {
                let Create { card } = read(operation, arguments)?;
                self.create_card(&card, now).map(|prepared| prepared.answer())
            }
            "card.get" => {
                let ByCard { card_id } = read(operation, arguments)?;
                self.get_card(&card_name(&card_id)?, MAX_CARD_BYTES, stop).map(Option::unwrap_or_default)
            }
            "card.list" => {
                let List { pkg, offset, limit } = read(operation, arguments)?;
                let (all, any) = (Condition::All(Vec::new()), OrderBy(Vec::new()));
                self.script_rows(pkg.as_deref(), &all, &any, (offset, limit), stop)
            }
            "card.find" => {
                let Find { pkg, condition: wanted, order_by: order, limit, offset } = read(operation, arguments)?;
                self.script_rows(pkg.as_deref(), &condition(wanted)?, &order_by(order)?, (offset, limit), stop)
            }
            "card.append" => {
                let Append { card_id, fields } = read(operation, arguments)?;
                self.append_card(&card_name(&card_id)?, &fields, MAX_CARD_BYTES)
            }
            "card.get_by_alias" => {
                let ByAlias { name } = read(operation, arguments)?;
                self.aliased_card(&name, MAX_CARD_BYTES, stop).map(Option::unwrap_or_default)
            }
            "card.alias_set" => {
                let AliasSet { name, card_id, pkg, note } = read(operation, arguments)?;
                let package = pkg.as_deref().map(package_name).transpose()?;
                let card = card_name(&card_id)?;
                let setting = Setting { name: &name, card: &card, package: package.as_ref(), note: note.as_deref() };
                self.set_alias(&setting, now, stop)
            }
            "card.alias_list" => {
                let AliasList { pkg } = read(operation, arguments)?;
                self.aliases(of_package(pkg.as_deref())?).map(Value::Array)
            }
            "card.write_samples" => {
                let WriteSamples { card_id, rows } = read(operation, arguments)?;
                self.write_samples(&card_name(&card_id)?, &rows, stop)
            }
            "card.read_samples" => self.script_samples(read(operation, arguments)?, stop),
            "card.lineage" => {
                let Lineage { card_id, direction, depth, include_stats, relation_filter } = read(operation, arguments)?;
                let asked = Asked {
                    card: &card_name(&card_id)?,
                    direction: direction.as_deref(),
                    depth,
                    include_stats,
                    relations: relation_filter.as_deref(),
                };
                match self.lineage(&asked, stop) {
                    Err(ServiceError::Tool { code: "CARD_NOT_FOUND", .. }) => Ok(Value::Null),
                    lineage => lineage,
                }
            }
            "card.sink_backfill" => {
                let Backfill { sink, dry_run } = read(operation, arguments)?;
                self.backfill(&sink, dry_run.unwrap_or(false), stop)
            }
            other => Err(refused("UNKNOWN_OPERATION", format!("unknown operation: {}", shown(other)))),
        }
    }

    /// All rows that fit, unless a limit is given: a script would take a part for all.
    fn script_rows(
        &self,
        package: Option<&str>,
        condition: &Condition,
        order_by: &OrderBy,
        (offset, limit): (Option<u64>, Option<u64>),
        stop: Stop,
    ) -> Result<Value, ServiceError> {
        let number = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
        let limit = limit.map(number);
        let most = limit.map_or(MAX_SCRIPT_CARD_ROWS, |limit| limit.min(MAX_SCRIPT_CARD_ROWS));
        let offset = offset.map_or(0, number);
        let package = of_package(package)?;
        let wanted = Wanted { package, condition, order_by, offset, limit: most, context: None };
        let found = self.find_cards(&wanted, stop)?;
        if limit.is_none_or(|limit| limit > most) && found.total.saturating_sub(offset) > most {
            let message =
                format!("there are {} cards, and {most} are answered at once: give a limit and an offset", found.total);
            return Err(refused("TOO_MANY_CARDS", message));
        }
        Ok(Value::Array(found.rows))
    }

    fn script_samples(&self, asked: Samples, stop: Stop) -> Result<Value, ServiceError> {
        let Samples { card_id, offset, limit, condition: wanted } = asked;
        let rows = Rows {
            condition: &condition(wanted)?,
            offset: offset.unwrap_or(0),
            limit: limit.map_or(usize::MAX, |limit| usize::try_from(limit).unwrap_or(usize::MAX)),
            max_bytes: MAX_SCRIPT_SAMPLES_BYTES,
        };
        let page = self.read_samples(&card_name(&card_id)?, &rows, stop)?;
        if page.next.is_some() && page.rows.len() < rows.limit {
            let message = format!(
                "the samples of card '{card_id}' are more than {MAX_SCRIPT_SAMPLES_BYTES} bytes: read them in pages, with offset and limit"
            );
            return Err(refused("TOO_MANY_SAMPLES", message));
        }
        Ok(Value::Array(page.rows))
    }
}

fn read<T: DeserializeOwned>(operation: &str, arguments: Value) -> Result<T, ServiceError> {
    serde_json::from_value(arguments)
        .map_err(|error| refused("INVALID_ARGUMENTS", format!("alc.{operation}: {}", shown(&error.to_string()))))
}
